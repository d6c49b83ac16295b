"""The texts of annotators' pages: the English one in, what stands on the page out."""

from pathlib import Path

import streamlit as st

from annotation.languages import ENGLISH, Wording
from data.store import DatabaseFailed

WORDING = "wording"
"""The session key of how the study that is shown says things: callbacks and fragments say something, too."""

FRAME = st.components.v2.component(
    "relevance_language", html="", js=(Path(__file__).parent / "wording.js").read_text(encoding="utf-8")
)


def current() -> Wording:
    """How the study on the page says things; before one is known, in English."""
    wording: Wording = st.session_state.get(WORDING, ENGLISH)
    return wording


def say(text: str, **values: object) -> str:
    """A text with its `{places}` filled in; values are escaped by whoever makes markup of it."""
    return current().say(text, **values)


def say_count(count: int, one: str, many: str, **values: object) -> str:
    """The text for one thing or for many, in which `{count}` is how many."""
    return current().say_count(count, one, many, **values)


def speak(wording: Wording) -> None:
    """Say everything on the page as a study does, in its direction, and tell screen readers the language."""
    st.session_state[WORDING] = wording
    FRAME(key="language", data={"language": wording.language, "direction": wording.direction})


def not_saved(what: str, error: DatabaseFailed) -> str:
    """Say that something was not saved, and why; or that nobody knows, where the database failed in the middle."""
    if error.stored is None:
        return say(
            "{what} may not have been saved: {reason}. You will be asked again if it was not.",
            what=what,
            reason=error.for_annotators,
        )
    return say("{what} was not saved: {reason}.", what=what, reason=error.for_annotators)
