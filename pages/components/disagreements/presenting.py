"""The way through the slides: turning, counting hands, full screen, and the metrics that are explained."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from relevance.data.signatures import labels
from relevance.hosting.rooms import CHOICES, Room
from relevance.metrics.registry import label_of
from relevance.pages.components.disagreements.examples import Disagreement
from relevance.pages.components.disagreements.room import find_audience, find_remote_link
from relevance.pages.components.disagreements.slides import (
    ALL,
    MOST_METRICS,
    VOTE,
    Step,
    choose_metrics,
    list_steps,
)

HERE = Path(__file__).parent

FULL_SCREEN = st.components.v2.component(
    "relevance_slides",
    html="<button>Full screen <kbd>F</kbd></button>",
    css=(HERE / "slides.css").read_text(encoding="utf-8"),
    js=(HERE / "slides.js").read_text(encoding="utf-8"),
)

STEP, EXPLAINED = "step", "explain"
"""The parts of the address that name the slide of an example, and the metrics that have one of their own."""


class Slide(NamedTuple):
    """The slide that is open."""

    place: int
    """The place of its example."""
    at: int
    """Its place among the example's slides."""


def asked_metrics() -> list[str]:
    """Return the labels of the metrics that the address asks to explain; none for those of each example."""
    return st.query_params.get_all(EXPLAINED)


def steps_of(example: Disagreement) -> list[Step]:
    """List an example's slides."""
    return list_steps(choose_metrics(example, asked_metrics()))


def find_step(steps: Sequence[Step]) -> int:
    """Return the place of the slide that the address asks for, by its number from 1; else 0."""
    step = st.query_params.get(STEP, "")
    number = int(step) if step.isascii() and step.isdigit() and len(step) < 3 else 1
    return number - 1 if 1 <= number <= len(steps) else 0


def open_example(document_id: str, step: int = 0) -> None:
    """Open another example or slide by naming it in the address."""
    st.query_params["example"] = document_id
    if step:
        st.query_params[STEP] = str(step + 1)
    else:
        st.query_params.pop(STEP, None)


def begin_slides() -> None:
    """Begin the slides of the example that is open."""
    st.query_params["slide"] = "1"


def end_slides() -> None:
    """Go back to the page, at the example of the slide."""
    for part in ("slide", STEP):
        st.query_params.pop(part, None)


def before(examples: Sequence[Disagreement], slide: Slide) -> Slide | None:
    """Return the slide before one; None for the first."""
    if slide.at:
        return slide._replace(at=slide.at - 1)
    return Slide(slide.place - 1, len(steps_of(examples[slide.place - 1])) - 1) if slide.place else None


def after(examples: Sequence[Disagreement], slide: Slide) -> Slide | None:
    """Return the slide after one; None for the last."""
    if slide.at + 1 < len(steps_of(examples[slide.place])):
        return slide._replace(at=slide.at + 1)
    return Slide(slide.place + 1, 0) if slide.place + 1 < len(examples) else None


def show_turning(examples: Sequence[Disagreement], slide: Slide) -> None:
    """Show the buttons of a slide, each of which has a key."""
    example = examples[slide.place]
    steps = steps_of(example)
    room = find_audience()

    def show_turn(label: str, icon: str, key: str, shortcut: str, to: Slide | None) -> None:
        there = to or slide
        st.button(
            label,
            icon=icon,
            key=key,
            shortcut=shortcut,
            disabled=to is None,
            on_click=open_example,
            args=(examples[there.place].document_id, there.at),
        )

    with st.container(horizontal=True, vertical_alignment="center", key="presenting"):
        show_turn("Back", ":material/arrow_back:", "previous", "Left", before(examples, slide))
        show_turn("Next", ":material/arrow_forward:", "next", "Right", after(examples, slide))
        if steps[slide.at].shows == VOTE:
            show_voting(room, example.name)
        if steps[slide.at].shows != ALL:
            show_turn(
                "All metrics", ":material/vertical_align_bottom:", "all", "Down", slide._replace(at=len(steps) - 1)
            )
        data = {"remote": find_remote_link(room), "example": example.name}
        FULL_SCREEN(key="full_screen", width="content", data=data)
        st.button("End", icon=":material/close:", shortcut="Escape", on_click=end_slides, key="end")


def show_voting(room: Room, example: str) -> None:
    """Show the buttons that count the room's hands."""
    for letter in CHOICES:
        st.button(
            f"One more for {letter}",
            key=f"vote_{letter}",
            shortcut=letter.lower(),
            on_click=room.raise_hand,
            args=(example, letter),
        )
    if any(room.count(example).values()):
        st.button("Count anew", key="vote_anew", shortcut="0", on_click=room.count_anew, args=(example,))


def choose_explained(example: Disagreement) -> None:
    """Ask for the metrics that have a slide of their own; without any, they are those of each example."""
    options = list(labels(example.signatures, label_of).values())
    st.session_state.explained = [label for label in asked_metrics() if label in options]

    def take() -> None:
        st.query_params[EXPLAINED] = st.session_state.explained

    st.multiselect(
        "Metrics with a slide of their own",
        options,
        key="explained",
        max_selections=MOST_METRICS,
        on_change=take,
        placeholder="those that show each example best",
    )
