"""The field in which pages ask for the language of a data set's texts."""

from typing import Any

import streamlit as st

from relevance.metrics.languages import LANGUAGES

HELP = "Decides how texts are split into words, which are stop words, and which forms belong to one word."


def ask_language(key: str, **more: Any) -> str:
    """Ask for a language, at first English, and return its code. `more` are further options of the box."""
    names = {code: language.name for code, language in LANGUAGES.items()}
    box = st.selectbox("Language", list(names), format_func=names.__getitem__, key=key, help=HELP, width=180, **more)
    return str(box)
