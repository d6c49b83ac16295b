"""Words of a pair's texts that an annotator marks, by mouse, finger or keys: those that decided."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from annotation.records import JudgmentTask, SeenMark
from pages.components.annotate.wording import say
from reports.escaping import literal

MARKER = st.components.v2.component(
    "relevance_marks", html="", js=(Path(__file__).parent / "marking.js").read_text(encoding="utf-8")
)

CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
WORD = re.compile(rf"[{CJK}]|[^\s{CJK}]+")
"""What is marked as one: characters between white space, or one character of a script without any."""


def markable_html(text: str) -> str:
    """A text whose words can be marked, each with its first character and the one after its last."""
    parts, end = [], 0
    for word in WORD.finditer(text):
        parts.append(literal(text[end : word.start()]))
        at = f'data-from="{word.start()}" data-to="{word.end()}"'
        parts.append(f'<span class="word" role="button" aria-pressed="false" tabindex="-1" {at}>')
        parts.append(f"{literal(word.group())}</span>")
        end = word.end()
    return "".join([*parts, literal(text[end:])])


def show_marking(task: JudgmentTask) -> None:
    """Let words of the texts on the page be marked, beginning with those that were marked before."""
    st.caption(say("Mark the words that decided: click or tap them, or draw over them. Keys: Tab, arrows, Space."))
    data = {"turn": str(task.assignment_id), "marks": [list(mark) for mark in read_marks(task)]}
    MARKER(key=marks_key(task), data=data, on_marks_change=lambda: None)


def marks_key(task: JudgmentTask) -> str:
    """The session key of what is marked in a pair."""
    return f"marks:{task.assignment_id}"


def read_marks(task: JudgmentTask) -> Sequence[SeenMark]:
    """What is marked in a pair now; what a browser sends that is no mark is refused by the store."""
    told: Any = st.session_state.get(marks_key(task))
    marks = told.get("marks") if hasattr(told, "get") else None
    if marks is None:
        return task.marks
    return [read_mark(mark) for mark in marks]


def read_mark(mark: Any) -> SeenMark:
    """A mark as JavaScript sends it, whose numbers may be floats."""
    text, start, end = mark
    return str(text), int(start), int(end)
