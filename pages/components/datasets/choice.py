"""Which data set the page shows, in the session and in the address."""

from collections.abc import Sequence

import streamlit as st

from pages.components.shared.address import choose_named

ASKED = "dataset_asked"
"""Session key: the data set that is to be shown when the page is drawn next."""

SHOWN = "dataset_shown"
"""Session key: the choice."""


def show_dataset(name: str) -> None:
    """Show a data set when the page is drawn next."""
    st.session_state[ASKED] = name


def choose_dataset(names: Sequence[str]) -> str:
    """Ask which data set is shown: the one that is to be shown, or that of the address, or of the page before."""
    state = st.session_state
    if ASKED in state:
        state[SHOWN] = state.pop(ASKED)
    return choose_named("Data set", names, "dataset", SHOWN)
