"""Messages to the user about what was done, kept from page to page, and about what was refused."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from relevance.data.one_line import message
from relevance.data.records import BadRecord
from relevance.data.store import DatabaseFailed
from relevance.pages.computing.waiting import is_unfinished
from relevance.reports.escaping import in_markdown

MESSAGES = "messages_kept"
"""Session key: the messages to show when the page is next drawn."""

WATCHED = "watched"
"""Session key: the ids of the runs whose end is to be announced."""


class Messages:
    """The messages that a session has yet to show."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.shown = 0
        """The number of them that this run of the page has shown."""
        self.last: list[str] = []
        """The messages that the last complete run has shown."""

    def show_again(self) -> None:
        """Show what the page shows now once more, as it is drawn again on its own."""
        self.messages[:0] = self.last


def kept_messages() -> Messages:
    """Return this session's messages.

    Code that must not lose a message calls this before doing what the message tells of: a run that is to end does so
    where it next reads the session's state, or draws.
    """
    kept: Messages = st.session_state.setdefault(MESSAGES, Messages())
    return kept


def keep_message(*messages: str) -> None:
    """Keep messages for the page that is drawn next."""
    kept_messages().messages.extend(messages)


def announce(*messages: str) -> None:
    """Draw the page again, with these messages."""
    keep_message(*messages)
    st.rerun()


def show_messages() -> None:
    """Show the messages that were kept."""
    with st.container(key="messages"):  # always there, so that a message does not move the tabs and close them
        kept = kept_messages()
        if kept.messages:
            kept.shown = len(kept.messages)
            st.success("  \n".join(in_markdown(sentence(message)) for message in kept.messages))  # a line each


@contextmanager
def messages_forgotten() -> Iterator[None]:
    """Forget the messages once the page is drawn to its end: those of a run cut short may have reached nobody."""
    kept = kept_messages()
    kept.shown = 0
    try:
        yield
    except StopException:  # st.stop: the page is drawn
        forget_shown(kept)
        raise
    forget_shown(kept)


def forget_shown(kept: Messages) -> None:
    """Forget the messages that this run showed, unless the page is about to draw itself anew."""
    if not is_unfinished():
        kept.last, kept.messages = kept.messages[: kept.shown], kept.messages[kept.shown :]


def sentence(message: str) -> str:
    """Return a package's message as a sentence; a file name at its beginning stays as it is."""
    begins = message if "." in message.partition(" ")[0] else f"{message[:1].upper()}{message[1:]}"
    return f"{begins}{'' if message[-1:] in {'.', '!', '?'} else '.'}"


@contextmanager
def errors_shown() -> Iterator[None]:
    """Show what the packages refuse (bad records, unknown names, settings out of range) where it was asked for."""
    try:
        yield
    except DatabaseFailed:
        raise  # all pages say this in the same way
    except BadRecord as error:
        st.error(in_markdown(sentence(message(error.problem))))
    except (ValueError, OSError) as error:
        st.error(in_markdown(sentence(message(error))))
