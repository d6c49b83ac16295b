"""The language of a data set's texts, as pages ask for it."""

from typing import Any

import streamlit as st

from metrics.languages import LANGUAGES

HELP = "How words are told apart, which are stop words, and which forms are of one word."


def name_language(code: str) -> str:
    """What a language is called, by its code."""
    return LANGUAGES[code].name


def ask_language(key: str, **more: Any) -> str:
    """Ask for a language; returns its code, that of English at first. `more` are further settings of the box."""
    return str(
        st.selectbox("Language", list(LANGUAGES), format_func=name_language, key=key, help=HELP, width=180, **more)
    )
