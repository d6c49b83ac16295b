"""The heading of a pair with the progress, and the start of its turn: scrolled to the top and read out."""

import math
from pathlib import Path

import streamlit as st

from relevance.annotation.records import JudgingProgress
from relevance.pages.components.annotate.wording import say, say_count
from relevance.reports.escaping import esc

BEGIN = st.components.v2.component(
    "relevance_turn",
    html='<p role="status"></p>',
    css="p { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }",
    js=(Path(__file__).parent / "turn.js").read_text(encoding="utf-8"),
)

PACED = 3
"""The least number of judged pairs for which a pace is told: one or two say little."""


def show_turn(heading: str, said: str, done: float) -> None:
    """Show the heading of a pair, and beside it the progress; `done` is the share in [0, 1]."""
    st.html(
        f'<div class="turn"><h1 tabindex="-1">{esc(heading)}</h1><p>{esc(said)}</p>'
        f'<div class="done"><div style="width: {done:.1%}"></div></div></div>'
    )


def begin_turn(turn: int, said: str) -> None:
    """Have the browser scroll to the top, focus the heading and announce something, if `turn` has changed."""
    BEGIN(key="turn", data={"turn": str(turn), "said": said})


def describe_progress(progress: JudgingProgress) -> str:
    """Say what is done, and how long the rest takes at the annotator's median pace, in minutes rounded up."""
    total = progress.judged + progress.skipped + progress.open
    text = say("{judged} of {total} judged", judged=progress.judged, total=total)
    if progress.skipped:
        text += say(", {count} skipped", count=progress.skipped)
    if progress.seconds is not None and progress.judged >= PACED and progress.open:
        minutes = math.ceil(progress.open * progress.seconds / 60)
        text += " · " + say_count(minutes, "about a minute left", "about {count} minutes left")
    return text
