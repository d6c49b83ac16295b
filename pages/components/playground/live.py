"""Live widgets: fields that report every change, a text with selectable words, and a page timer.

Their code is constant and lies beside this file; texts reach it as data and are only ever shown as text.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import streamlit as st

HERE = Path(__file__).parent

CSS = (HERE / "live.css").read_text(encoding="utf-8")

FIELD = st.components.v2.component(
    "relevance_live_text",
    html='<div class="live"><label for="field"></label><textarea class="field" id="field" dir="auto"></textarea>'
    '<p class="cut" role="status"></p></div>',
    css=CSS,
    js=(HERE / "live_text.js").read_text(encoding="utf-8"),
)

WORDS = st.components.v2.component(
    "relevance_words",
    html='<div class="live"><div class="words" role="toolbar" dir="auto"></div></div>',
    css=CSS,
    js=(HERE / "words.js").read_text(encoding="utf-8"),
)

PULSE = st.components.v2.component("relevance_pulse", js=(HERE / "pulse.js").read_text(encoding="utf-8"))


class Part(NamedTuple):
    """A stretch of a text: a word that can be chosen, or what stands between two."""

    text: str
    word: int | None = None
    """The word's number, from 0."""
    says: str = ""
    """What the pointer and screen readers say of it."""
    loss: float = 0.0
    """How high its bar is, in [0, 1]."""
    gain: bool = False
    """Whether the bar is one of a gain."""


def live_text(
    label: str,
    text: str,
    *,
    key: str,
    on_typed: Callable[[str, int], None],
    rows: int = 3,
    longest: int = 20_000,
    placeholder: str = "",
) -> None:
    """A text field of `rows` lines or more that tells each change at once; `text` is what it begins with.

    While a field of this key stands, what is passed as `text` is not looked at: only another key brings another text.
    `on_typed` is called with the text and the message's number, which `pulse` gives back when the page has shown what
    follows from it. Of longer texts the first `longest` characters are told, and the field says so.
    """

    def typed() -> None:
        told = st.session_state[key]["typed"]
        on_typed(*told_text(told, longest))

    data = {"label": label, "text": text, "rows": rows, "longest": longest, "placeholder": placeholder}
    FIELD(key=key, data=data, on_typed_change=typed)


def told_text(told: object, longest: int) -> tuple[str, int]:
    """The text and number in a message from a browser. Raises ValueError for what no field says."""
    match told:
        case [str(text), int(number) | float(number)]:
            # half a character, as a cut emoji leaves it, cannot be stored, and NUL not be kept by every database
            return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")[:longest], int(number)
    raise ValueError("a field tells its text and a number")


def word_choice(
    label: str, parts: Sequence[Part], chosen: int | None, *, key: str, on_chosen: Callable[[int], None]
) -> None:
    """A text of which one word can be chosen by pointer, finger or keys."""

    def told() -> None:
        word = st.session_state[key]["chosen"]
        if isinstance(word, int | float):
            on_chosen(int(word))

    data = {"label": label, "parts": [part._asdict() for part in parts], "chosen": chosen}
    WORDS(key=key, data=data, on_chosen_change=told)


def pulse(seen: int, after: float | None, *, turn: int, key: str, on_due: Callable[[], None]) -> None:
    """Tell the fields that message `seen` is on the page, and have `on_due` called in `after` seconds.

    A new `turn` begins the waiting anew; with None nothing is called.
    """
    wait = None if after is None else round(after * 1000)
    PULSE(key=key, data={"seen": seen, "after": wait, "turn": turn}, on_due_change=on_due)
