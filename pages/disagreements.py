"""When metrics disagree: examples to present one after the other, on slides or on paper."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from relevance.data.wording import format_count
from relevance.pages.components.disagreements.examples import (
    OF_PAPER,
    Disagreement,
    find_disagreements,
    find_place,
    load_chosen_examples,
)
from relevance.pages.components.disagreements.figure import show_figure
from relevance.pages.components.disagreements.notes import note_slide
from relevance.pages.components.disagreements.offered import (
    asked_filter,
    choose_collection,
    choose_sides,
    offered_filters,
)
from relevance.pages.components.disagreements.presented import presented_html
from relevance.pages.components.disagreements.presenting import (
    Slide,
    asked_metrics,
    begin_slides,
    choose_explained,
    find_step,
    open_example,
    show_turning,
    steps_of,
)
from relevance.pages.components.disagreements.room import count_votes, find_audience, show_room
from relevance.pages.components.disagreements.scores import find_scores, list_questions
from relevance.pages.components.disagreements.slides import choose_metrics, slide_html
from relevance.pages.components.disagreements.styles import PRESENTED_STYLE, PRINT_STYLE, SLIDE_STYLE
from relevance.pages.components.evidence.model_scores import LOOK, ModelScores, ScoreRequest
from relevance.pages.components.evidence.views import inspector
from relevance.pages.components.shared.context import ask_context, default_context, read_context
from relevance.pages.components.shared.sources import describe_source
from relevance.reports.escaping import in_markdown
from relevance.reports.evidence.highlighting import HIGHLIGHT_STYLE

# Session keys.
MODELS = "disagreement_models"  # the models' answers
EVERYTHING, DETAILED = "everything", "detailed"  # set to show all examples, and all of each


class Presentation(NamedTuple):
    """Examples in the order of presentation, and the one that is open."""

    examples: tuple[Disagreement, ...]
    place: int
    opened: Sequence[int]
    """The examples shown: the one that is open, or all."""
    slide: int | None
    """The place of the slide that is open among those of its example; None on the page."""


# --- the way through them ---------------------------------------------------------------------------------------


def show_way(shown: Presentation, everything: bool) -> None:
    """Show the buttons that lead from example to example."""
    names = [example.document_id for example in shown.examples]
    place, last = shown.place, len(names) - 1
    ways = (
        ("Previous", ":material/arrow_back:", "Left", max(0, place - 1), place == 0),
        ("Next", ":material/arrow_forward:", "Right", min(last, place + 1), place == last),
    )
    with st.container(horizontal=True, vertical_alignment="center", key="presenting"):
        for label, icon, shortcut, to, end in ways:
            st.button(
                label,
                icon=icon,
                shortcut=shortcut,
                disabled=everything or end,
                on_click=open_example,
                args=(names[to],),
                key=label.lower(),
            )
        st.markdown(f"All {last + 1}" if everything else f"{place + 1} of {last + 1}", width="content")
        st.button("Slides", icon=":material/slideshow:", on_click=begin_slides, key="slides")
        st.toggle("Details", key=DETAILED, help="References, every metric in plain words, the source and signatures.")
        st.toggle("All on one page", key=EVERYTHING, help="To print all of them: each begins a new sheet.")


# --- what is shown ----------------------------------------------------------------------------------------------


def show_examples(shown: Presentation, models: ModelScores, *, detailed: bool, waiting: bool) -> None:
    """Show the opened examples with their scores so far; while `waiting`, draw the page again when all are there."""
    models.collect()
    blocks = []
    for at in shown.opened:
        example = shown.examples[at]
        scores = find_scores(example, models)
        if shown.slide is not None:
            room = find_audience()
            step = steps_of(example)[shown.slide]
            blocks.append(slide_html(example, scores, step, count_votes(room, example)))
            room.show(note_slide(shown.examples, Slide(at, shown.slide), scores))
        else:
            blocks.append(presented_html(example, at + 1, scores, detailed=detailed))
    st.html("".join(blocks))
    if len(shown.opened) == 1 and shown.slide is None:
        show_figure(example, scores)
    if waiting and not models.open:
        st.rerun()  # which ends the timer


def list_wanted(example: Disagreement, slide: bool, detailed: bool) -> list[ScoreRequest]:
    """List the requests to models that an example makes on its slides or on the page."""
    explained = choose_metrics(example, asked_metrics()) if slide else example.signatures if detailed else ()
    return list_questions(example, explained)


# --- the page ---------------------------------------------------------------------------------------------------

slide = st.query_params.get("slide") == "1"
st.html(HIGHLIGHT_STYLE + PRESENTED_STYLE + PRINT_STYLE + (SLIDE_STYLE if slide else ""))
if not slide:
    st.title("When metrics disagree")
read_context()
context = default_context()
offered = offered_filters(context) if context is not None else {}
chosen = asked_filter(context, offered)
if chosen is not None and not slide:
    context = ask_context()
    offered = offered_filters(context)
    chosen = asked_filter(context, offered)
examples, notice = load_chosen_examples(), ""
if chosen is not None and context is not None:
    examples, pairs, documents = find_disagreements(context, chosen)
    among = f"{format_count(pairs, 'such pair')} in {format_count(documents, 'document')}"
    first = "" if len(examples) == documents else f" for {len(examples)} documents"
    notice = (
        f"{describe_source(context.source, context.counts)} There are {among}. The strongest of each "
        f"document is shown{first}, the strongest first."
    )
elif not slide:
    notice = f"{in_markdown(OF_PAPER)} The other {len(examples) - 1} are of the demo corpus, written for this project."
if not slide:
    choose_collection(chosen, offered)
    if context is not None and offered:
        choose_sides(context, chosen)
    st.markdown(notice)
if not examples:
    st.info("There is no such pair.")
    st.stop()
everything = bool(st.session_state.get(EVERYTHING)) and not slide
detailed = bool(st.session_state.get(DETAILED)) and not slide
place = find_place(st.query_params.get("example"), examples)
at = find_step(steps_of(examples[place])) if slide else None
shown = Presentation(examples, place, range(len(examples)) if everything else [place], at)
if not slide:
    show_way(shown, everything)

# Models' answers are shown as they arrive, those on the opened examples first.
models: ModelScores = st.session_state.setdefault(MODELS, ModelScores())
requests = [question for at in shown.opened for question in list_wanted(examples[at], slide, detailed)]
ahead = [question for example in examples if not example.stored for question in list_wanted(example, slide, detailed)]
models.want(requests, ahead)
models.collect()
models.ask(inspector())
waiting = bool(models.open)
st.fragment(show_examples, run_every=LOOK if waiting else None)(shown, models, detailed=detailed, waiting=waiting)
if at is not None:
    show_turning(examples, Slide(place, at))
else:
    with st.container(key="how_to_present"):
        choose_explained(examples[place])
        show_room(examples[place])
        st.caption(
            "Slides show the document and its reference, both summaries, a pause for the room to vote, what people "
            "preferred, these metrics with their evidence, and then all. The arrow keys ← and → turn, ↓ leads to all "
            "metrics, F fills the screen, Escape ends; A and B count hands, which are not stored. To print, or to save "
            "as PDF: Ctrl and P, all examples after “All on one page”. The address of this page leads to the example "
            "that is open."
        )
