"""The data set that the page shows, kept in the session and in the address."""

from collections.abc import Sequence

import streamlit as st

from relevance.pages.components.shared.address import choose_named

ASKED = "dataset_asked"
"""Session key: the data set to show when the page is next drawn."""

SHOWN = "dataset_shown"
"""Session key: the data set that is chosen."""


def show_dataset(name: str) -> None:
    """Show a data set when the page is next drawn."""
    st.session_state[ASKED] = name


def choose_dataset(names: Sequence[str]) -> str:
    """Ask which data set to show; `show_dataset`, the address, or the page before decides the first choice."""
    state = st.session_state
    if ASKED in state:
        state[SHOWN] = state.pop(ASKED)
    return choose_named("Data set", names, "dataset", SHOWN)
