"""What the tabs of the page tell each other and the user: what was done, and what was refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from data.one_line import message
from data.store import DatabaseFailed
from reports.escaping import in_markdown

SAID = "said"
"""Session key: what is to be said when the page is drawn next."""


CREATED = "created"
"""Session key: the study that was just created, which the first tab then shows."""


WATCHED = "watched"
"""Session key: the runs whose end is to be said, by their ids."""


def announce(*messages: str) -> None:
    """Say what was done after the page has drawn itself anew."""
    st.session_state[SAID] = [*st.session_state.get(SAID, []), *messages]
    st.rerun()


def show_messages() -> None:
    """Say what was announced."""
    with st.container(key="messages"):  # always there, so that a message does not move the tabs and close them
        if messages := st.session_state.pop(SAID, []):
            st.success("  \n".join(map(in_markdown, messages)))  # a line each


@contextmanager
def errors_shown() -> Iterator[None]:
    """Show what the packages refuse (bad records, unknown names, settings out of range) where it was asked for."""
    try:
        yield
    except DatabaseFailed:
        raise  # every page says this alike
    except (ValueError, OSError) as error:
        st.error(in_markdown(message(error)))
