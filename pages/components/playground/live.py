"""Live widgets: fields that report every change, a text with selectable words, and a page timer.

Their code is constant, in files beside this one; texts reach it as data and are only ever shown as text.
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
    """A span of a text: a word that can be chosen, or what is between two words."""

    text: str
    word: int | None = None
    """The word's number, from 0."""
    says: str = ""
    """The tooltip, also read by screen readers."""
    loss: float = 0.0
    """The height of its bar, in [0, 1]."""
    gain: bool = False
    """True if the bar shows a gain."""


def live_text(
    label: str,
    text: str,
    *,
    key: str,
    on_typed: Callable[[str, int], None],
    rows: int = 3,
    longest: int = 20_000,
) -> None:
    """Show a text field of at least `rows` lines that reports each change at once; `text` is its initial text.

    While a field of this key exists, `text` is ignored: only a new key brings another text. `on_typed` is called with
    the text and the message's number, which `pulse` returns when the page shows the results. Of longer texts only the
    first `longest` characters are reported, and the field says so.
    """

    def typed() -> None:
        told = st.session_state[key]["typed"]
        on_typed(*told_text(told, longest))

    data = {"label": label, "text": text, "rows": rows, "longest": longest}
    FIELD(key=key, data=data, on_typed_change=typed)


def told_text(told: object, longest: int) -> tuple[str, int]:
    """Return the text and number in a message from a browser. Raises ValueError for any other message."""
    match told:
        case [str(text), int(number) | float(number)]:
            # half a character, as left by a cut emoji, cannot be stored, nor can NUL in every database
            return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")[:longest], int(number)
    raise ValueError("a field tells its text and a number")


def word_choice(
    label: str, parts: Sequence[Part], chosen: int | None, *, key: str, on_chosen: Callable[[int], None]
) -> None:
    """Show a text in which one word can be chosen by pointer, finger or keys."""

    def told() -> None:
        word = st.session_state[key]["chosen"]
        if isinstance(word, int | float):
            on_chosen(int(word))

    data = {"label": label, "parts": [part._asdict() for part in parts], "chosen": chosen}
    WORDS(key=key, data=data, on_chosen_change=told)


def pulse(seen: int, after: float | None, *, turn: int, key: str, on_due: Callable[[], None]) -> None:
    """Tell the fields that message `seen` is on the page, and have `on_due` called in `after` seconds.

    A new `turn` restarts the timer; if `after` is None, nothing is called.
    """
    wait = None if after is None else round(after * 1000)
    PULSE(key=key, data={"seen": seen, "after": wait, "turn": turn}, on_due_change=on_due)
