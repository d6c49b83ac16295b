"""What pages tell each other and the user: what was done, and what was refused."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from data.one_line import message
from data.store import DatabaseFailed
from pages.background.unfinished import is_unfinished
from reports.escaping import in_markdown

MESSAGES = "messages_kept"
"""Session key: what is to be said when the page is drawn next."""

WATCHED = "watched"
"""Session key: the runs whose end is to be said, by their ids."""


class Messages:
    """What is to be said to somebody."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.shown = 0
        """How many of them this run has shown."""


def kept_messages() -> Messages:
    """What is to be said in this session.

    Whoever must not lose a message takes this before what it tells of: a run that is to end ends where it next asks
    for the session's state, or draws.
    """
    kept: Messages = st.session_state.setdefault(MESSAGES, Messages())
    return kept


def keep_message(*messages: str) -> None:
    """Keep what was done for the page that is drawn next."""
    kept_messages().said.extend(messages)


def announce(*messages: str) -> None:
    """Say what was done after the page has drawn itself anew."""
    keep_message(*messages)
    st.rerun()


def show_messages() -> None:
    """Say what was announced."""
    with st.container(key="messages"):  # always there, so that a message does not move the tabs and close them
        kept = kept_messages()
        if kept.said:
            kept.shown = len(kept.said)
            st.success("  \n".join(in_markdown(sentence(said)) for said in kept.said))  # a line each


@contextmanager
def messages_forgotten() -> Iterator[None]:
    """Forget what the page said once it is drawn: what a run showed that was cut short may have reached nobody."""
    kept = kept_messages()
    kept.shown = 0
    try:
        yield
    except StopException:  # st.stop: the page is drawn
        forget_shown(kept)
        raise
    forget_shown(kept)


def forget_shown(kept: Messages) -> None:
    """Forget what this run showed, unless the page draws itself anew in a moment."""
    if not is_unfinished():
        del kept.said[: kept.shown]


def sentence(said: str) -> str:
    """What a package says, as a sentence; one that begins with the name of a file keeps it."""
    begins = said if "." in said.partition(" ")[0] else f"{said[:1].upper()}{said[1:]}"
    return f"{begins}{'' if said[-1:] in {'.', '!', '?'} else '.'}"


@contextmanager
def errors_shown() -> Iterator[None]:
    """Show what the packages refuse (bad records, unknown names, settings out of range) where it was asked for."""
    try:
        yield
    except DatabaseFailed:
        raise  # every page says this alike
    except (ValueError, OSError) as error:
        st.error(in_markdown(sentence(message(error))))
