"""The texts of annotators' pages, translated from English into the study's language."""

from pathlib import Path

import streamlit as st

from relevance.annotation.languages import ENGLISH, Wording
from relevance.data.store import DatabaseFailed
from relevance.data.wording import round_duration

WORDING = "wording"
"""Session key: the wording of the study that is shown, as callbacks and fragments need it, too."""

FRAME = st.components.v2.component(
    "relevance_language", html="", js=(Path(__file__).parent / "wording.js").read_text(encoding="utf-8")
)


def current() -> Wording:
    """Return the wording of the study on the page; English before one is known."""
    wording: Wording = st.session_state.get(WORDING, ENGLISH)
    return wording


def say(text: str, **values: object) -> str:
    """Translate a text and fill in its `{places}`; callers that make markup of it escape the values."""
    return current().say(text, **values)


def say_count(count: int, single: str, plural: str, **values: object) -> str:
    """Translate the text for one thing or for many; `{count}` is the number."""
    return current().say_count(count, single, plural, **values)


def say_duration(seconds: float) -> str:
    """Say a duration in minutes or hours."""
    count, unit = round_duration(seconds)
    if unit == "minute":
        return say_count(count, "about a minute", "about {count} minutes")
    return say_count(count, "about an hour", "about {count} hours")


def speak(wording: Wording) -> None:
    """Use a study's wording and direction on the whole page, and tell screen readers the language."""
    st.session_state[WORDING] = wording
    FRAME(key="language", data={"language": wording.language, "direction": wording.direction})


def not_saved(what: str, error: DatabaseFailed) -> str:
    """Say that something was not saved, and why; or that this is unknown, if the database failed midway."""
    if error.stored is None:
        return say(
            "{what} may not have been saved: {reason}. You will be asked again if it was not.",
            what=what,
            reason=error.for_annotators,
        )
    return say("{what} was not saved: {reason}.", what=what, reason=error.for_annotators)
