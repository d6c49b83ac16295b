"""The heading of a pair with the progress, and the start of its turn: scrolled to the top and read out."""

from pathlib import Path

import streamlit as st

from relevance.annotation.languages import msgid
from relevance.annotation.records import JudgingProgress, TooSoon
from relevance.data.database import now
from relevance.pages.components.annotate.actions import REFUSALS
from relevance.pages.components.annotate.wording import say, say_duration
from relevance.reports.escaping import esc

HERE = Path(__file__).parent

BEGIN = st.components.v2.component(
    "relevance_turn",
    html='<p role="status"></p><p role="alert"></p>',
    css=(HERE / "turn.css").read_text(encoding="utf-8"),
    js=(HERE / "turn.js").read_text(encoding="utf-8"),
)

TWICE = msgid("Only the first press was taken. To change a choice, go back to its pair.")
"""The message about a second press while the first one is being saved."""

PACED = 3
"""The least number of judged pairs for which a pace is told: one or two say little."""


def show_turn(heading: str, title: str, done: float) -> None:
    """Show the heading of a pair, and beside it the progress; `done` is the share in [0, 1]."""
    st.html(
        f'<div class="turn"><h1 tabindex="-1">{esc(heading)}</h1><p>{esc(title)}</p>'
        f'<div class="done"><div style="width: {done:.1%}"></div></div></div>'
    )


def show_heading(heading: str, sentence: str) -> None:
    """Show the heading of a page without a pair, and a sentence."""
    st.html(f'<div class="turn page"><h1 tabindex="-1">{esc(heading)}</h1><p>{esc(sentence)}</p></div>')


def begin_turn(turn: int, announcement: str) -> None:
    """Have the browser scroll to the top, focus the heading and announce something, if `turn` has changed.

    It learns of each run, as the press before is then decided, and refuses others until then.
    """
    refusals = {"twice": say(TWICE), "soon": say(REFUSALS[TooSoon])}
    BEGIN(key="turn", data={"turn": str(turn), "said": announcement, "run": now().isoformat(), **refusals})


def describe_progress(progress: JudgingProgress) -> str:
    """Say what is done, and how long the rest takes at the annotator's median pace."""
    total = progress.judged + progress.skipped + progress.open
    text = say("{judged} of {total} judged", judged=progress.judged, total=total)
    if progress.skipped:
        text += say(", {count} skipped", count=progress.skipped)
    if progress.seconds is not None and progress.judged >= PACED and progress.open:
        text += " · " + say("{duration} left", duration=say_duration(progress.open * progress.seconds))
    return text
