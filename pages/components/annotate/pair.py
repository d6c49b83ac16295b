"""A pair: the document, the summaries beside it, and the buttons. A small screen shows one or the other."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from relevance.annotation.judging import read_source
from relevance.annotation.languages import msgid
from relevance.annotation.protocol.records import Judging
from relevance.annotation.records import BOTH_BAD, SURE, Annotator, JudgmentTask, Study
from relevance.pages.components.annotate.actions import (
    NO_REASON,
    PANEL,
    PANELS,
    READ,
    confidence_key,
    decide,
    go_back,
    go_on,
    kept_reason,
    reason_key,
    skip,
)
from relevance.pages.components.annotate.annotator import state
from relevance.pages.components.annotate.marking import markable_html, show_marking
from relevance.pages.components.annotate.wording import say
from relevance.reports.escaping import document_block, esc, literal, text_block, without_pictures

STYLE = Path(__file__).parent / "style.css"
"""The style of a pair, on the page of judging and elsewhere."""

CHOSEN = {
    "left": msgid("You chose summary 1."),
    "right": msgid("You chose summary 2."),
    "tie": msgid("You called both equally relevant."),
    BOTH_BAD: msgid("You called both bad."),
    "skip": msgid("You skipped this pair."),
}
"""The message about a pair that was answered before."""


def show_pair(annotator: Annotator, task: JudgmentTask, study: Study, judging: Judging, *, skips: int) -> None:
    """Show the question, the document, the two summaries and the buttons; `skips` counts the pairs skipped so far."""
    show_texts(task, study.question, markable=judging.marks)
    with st.container(key="actions"):
        if judging.confidence:
            ask_confidence(task)
        with st.container(horizontal=True, key="others"):
            show_other_buttons(annotator, task, judging, skips=skips)
        show_choices(task, study, decide, annotator, task)


def show_texts(task: JudgmentTask, question: str, *, markable: bool = False) -> None:
    """Show the question and the texts; a small screen shows either the document or the summaries."""
    question_text = without_pictures(say(question))
    with st.container(key="question"):
        st.markdown(f"**{question_text}**" if "\n" not in question_text else question_text)
    state.setdefault(PANEL, PANELS[0])
    st.segmented_control(
        say("Shown"),
        PANELS,
        format_func=say,
        required=True,
        key=PANEL,
        label_visibility="collapsed",
        width="stretch",
    )
    if state[PANEL] == PANELS[1]:
        state[READ] = task.assignment_id
    if markable:
        show_marking(task)
    st.html(pair_html(task, markable=markable))


def pair_html(task: JudgmentTask, *, markable: bool = False, chosen: str | None = None) -> str:
    """Write the texts of a pair as HTML; if `markable`, their words can be pressed.

    The chosen summary is labelled "Your choice", or `chosen`.
    """
    named = esc(chosen or say("Your choice"))
    label = say("Document")
    source = document_html(task) if markable else document_block(task.source, task.title, label)
    if not task.source:
        source += f"<p>{esc(say('The data set does not contain the document’s text.'))}</p>"
    summaries = ""
    for side, heading, text in (("left", say("Summary 1"), task.left), ("right", say("Summary 2"), task.right)):
        stands_out, mark = (" chosen", f"<span>✓ {named}</span>") if task.choice == side else ("", "")
        block = text_block(text, label=heading)
        if markable:
            attributes = f'class="text" dir="auto" role="group" aria-label="{esc(heading)}" data-text="{side}"'
            block = f"<div {attributes}>{markable_html(text)}</div>"
        summaries += f'<div class="summary{stands_out}"><h2>{esc(heading)}{mark}</h2>{block}</div>'
    return (
        f'<div class="pair" data-turn="{task.assignment_id}">'
        f'<div class="source"><h2>{esc(label)}</h2>{source}</div>'
        f'<div class="summaries" role="region" aria-label="{esc(say("Summaries"))}" tabindex="0">'
        f"{summaries}</div></div>"
    )


def document_html(task: JudgmentTask) -> str:
    """Write the document under its title as HTML, with words that can be pressed."""
    heading = f'<h3 dir="auto">{literal(task.title)}</h3>' if task.title else ""
    body = f'<div data-text="document">{markable_html(read_source(task.source))}</div>'
    attributes = f'class="text document" dir="auto" role="region" aria-label="{esc(say("Document"))}" tabindex="0"'
    return f"<div {attributes}>{heading}{body}</div>"


def show_choices(task: JudgmentTask, study: Study, choose: Callable[..., None], *args: Any) -> None:
    """Show the buttons that judge; they call `choose` with `args` and the choice. A press counts once for its pair."""
    # "More relevant" would not answer a study's other question.
    relevance = "relevan" in study.question.lower()
    labels = {
        "left": (say("1 is more relevant") if relevance else say("Summary 1"), "1"),
        "tie": (say("Equally relevant") if relevance else say("Equal"), "0"),
        BOTH_BAD: (say("Both are bad"), "9"),
        "right": (say("2 is more relevant") if relevance else say("Summary 2"), "2"),
    }
    with st.container(horizontal=True, wrap=False, key="choices"):
        for choice, (label, key) in labels.items():
            if (choice == "tie" and not study.ties) or (choice == BOTH_BAD and not study.both_bad):
                continue
            # The choice stands out, or before there is one, both sides.
            stands_out = choice == task.choice if task.choice in labels else choice in ("left", "right")
            st.button(
                label,
                key=f"{choice}:{task.assignment_id}",
                shortcut=key,
                icon=":material/check:" if choice == task.choice else None,
                type="primary" if stands_out else "secondary",
                width="stretch",
                wrap=True,
                on_click=choose,
                args=(*args, choice),
            )
    if state.get(READ) != task.assignment_id and task.choice is None:
        # Only the browser knows whether the screen is small. If so, this button replaces the choices, and `turn.js` has
        # it open the other tab.
        with st.container(key="unread"):
            st.button(say("Read the summaries"), type="primary", width="stretch", key="read")


def ask_confidence(task: JudgmentTask) -> None:
    """Ask how sure the annotator is; without shortcuts, as the digits choose a summary."""
    least, most = SURE
    with st.container(key="confidence"):
        st.segmented_control(
            say("How sure are you, from {least} (guessing) to {most} (certain)?", least=least, most=most),
            range(least, most + 1),
            default=task.confidence,
            key=confidence_key(task.assignment_id),
        )


def show_other_buttons(annotator: Annotator, task: JudgmentTask, judging: Judging, *, skips: int) -> None:
    """Show the buttons that lead to other pairs, and the field for a reason."""
    key = task.assignment_id
    st.button(
        say("Back"),
        key=f"back:{key}",
        shortcut="b",
        disabled=task.number == 1,
        on_click=go_back,
        args=(annotator, task),
    )
    if task.choice is not None:
        st.button(say("Keep and go on"), key=f"on:{key}", on_click=go_on)
    # The popovers keep their keys from pair to pair, which spares the browser work; a new key closes a used one.
    if task.choice in {None, "skip"}:
        with st.popover(say("Skip"), key=f"skip-popover:{skips}"), st.form("skip", border=False):
            asking = say("Why can this pair not be judged?")
            st.text_input(asking, key=f"reason:{key}", max_chars=1000, placeholder=say("Required"))
            if state.get(NO_REASON) == key:
                st.error(say("Say why, so that the researcher knows what is wrong with the pair."))
            st.form_submit_button(say("Skip this pair"), key=f"skip:{key}", on_click=skip, args=(annotator, task))
    if judging.rationale == "off":
        return
    required = judging.rationale == "required"
    with st.popover(say("Add a reason"), icon=":material/check:" if task.rationale else None, key="rationale"):
        st.text_area(
            say("Why is it more relevant?") if required else say("Why is it more relevant? (optional)"),
            kept_reason(task),
            key=reason_key(key),
            max_chars=5000,
            help=say("Saved with your choice."),
        )
