"""The words that decided, which an annotator marks in a pair's texts by mouse, finger or keys."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from relevance.annotation.records import JudgmentTask, SeenMark
from relevance.pages.components.annotate.wording import say
from relevance.reports.escaping import literal

MARKER = st.components.v2.component(
    "relevance_marks", html="", js=(Path(__file__).parent / "marking.js").read_text(encoding="utf-8")
)

CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
WORD = re.compile(rf"[{CJK}]|[^\s{CJK}]+")
"""A unit of marking: characters between white space, or one character of a script without spaces."""


def markable_html(text: str) -> str:
    """Write a text as HTML whose words can be marked, each with its start and end."""
    parts, end = [], 0
    for word in WORD.finditer(text):
        parts.append(literal(text[end : word.start()]))
        at = f'data-from="{word.start()}" data-to="{word.end()}"'
        parts.append(f'<span class="word" role="button" aria-pressed="false" tabindex="-1" {at}>')
        parts.append(f"{literal(word.group())}</span>")
        end = word.end()
    return "".join([*parts, literal(text[end:])])


def show_marking(task: JudgmentTask) -> None:
    """Show how to mark words, and let them be marked on the page, beginning with the marks made before."""
    st.caption(say("Mark the words that decided: click or tap them, or draw over them. Keys: Tab, arrows, Space."))
    data = {"turn": str(task.assignment_id), "marks": [list(mark) for mark in read_marks(task)]}
    MARKER(key=marks_key(task), data=data, on_marks_change=lambda: None)


def marks_key(task: JudgmentTask) -> str:
    """Return the session key of a pair's marks."""
    return f"marks:{task.assignment_id}"


def read_marks(task: JudgmentTask) -> Sequence[SeenMark]:
    """Return a pair's marks as they are now; the store refuses whatever else a browser sends."""
    told: Any = st.session_state.get(marks_key(task))
    marks = told.get("marks") if hasattr(told, "get") else None
    if marks is None:
        return task.marks
    return [read_mark(mark) for mark in marks]


def read_mark(mark: Any) -> SeenMark:
    """Convert a mark as JavaScript sends it, in which numbers may be floats."""
    text, start, end = mark
    return str(text), int(start), int(end)
