"""When metrics disagree: chosen examples of the demo corpus to present, one after the other, or to print."""

from collections.abc import Sequence

import streamlit as st

from metrics.from_signature import signatures
from pages.components.disagreements import (
    PRESENTED_STYLE,
    PRINT_STYLE,
    TABLE_1,
    find_place,
    load_chosen_examples,
    presented_html,
    with_models,
)
from pages.components.evidence.marks import HIGHLIGHT_STYLE
from pages.components.evidence.model_scores import LOOK, ModelScores
from pages.components.evidence.views import explain_lexical, inspector
from reports.escaping import in_markdown

# Session keys.
MODELS = "disagreement_models"  # what the models have answered
EVERYTHING = "everything"  # whether all examples are shown


def turn_to(to: int) -> None:
    """Open another example: the address says which one is open."""
    st.query_params["example"] = load_chosen_examples()[to].document_id


def show_way(place: int, everything: bool) -> None:
    """The way from example to example."""
    last = len(load_chosen_examples()) - 1
    with st.container(horizontal=True, vertical_alignment="center", key="presenting"):
        st.button(
            "Previous",
            icon=":material/arrow_back:",
            shortcut="Left",
            disabled=everything or place == 0,
            on_click=turn_to,
            args=(max(0, place - 1),),
            key="previous",
        )
        st.markdown(f"all {last + 1}" if everything else f"{place + 1} of {last + 1}", width="content")
        st.button(
            "Next",
            icon=":material/arrow_forward:",
            shortcut="Right",
            disabled=everything or place == last,
            on_click=turn_to,
            args=(min(last, place + 1),),
            key="next",
        )
        st.toggle("All on one page", key=EVERYTHING, help="To print all of them: each begins a new sheet.")


def answered(models: ModelScores, opened: Sequence[int]) -> bool:
    """Whether the models have answered all that is shown."""
    asked = [
        (signature, one) for at in opened for signature in with_models() for one in load_chosen_examples()[at].examples
    ]
    return all(models.answer(*question) is not None for question in asked)


def show_examples(models: ModelScores, opened: Sequence[int], *, waiting: bool) -> None:
    """Show the opened examples, with the scores that there are; `waiting` for others, until these are there."""
    models.collect()
    blocks = []
    for at in opened:
        example = load_chosen_examples()[at]
        found = {
            signature: [
                models.answer(signature, one) if signature in with_models() else explain_lexical(signature, one)
                for one in example.examples
            ]
            for signature in signatures().values()
        }
        blocks.append(presented_html(example, at + 1, found))
    st.html("".join(blocks))
    if waiting and answered(models, opened):
        st.rerun()  # nothing is to be looked for any more


st.html(HIGHLIGHT_STYLE + PRESENTED_STYLE + PRINT_STYLE)
st.title("When metrics disagree")
st.markdown(
    in_markdown(TABLE_1)
    + f" Here are {len(load_chosen_examples())} examples of the demo corpus, which was written for this project."
)
place, everything = find_place(st.query_params.get("example")), bool(st.session_state.get(EVERYTHING))
show_way(place, everything)

# What models say comes when it is there, the opened example first.
every = range(len(load_chosen_examples()))
order = [place, *(other for other in every if other != place)]
models: ModelScores = st.session_state.setdefault(MODELS, ModelScores())
models.want(
    (signature, one) for other in order for signature in with_models() for one in load_chosen_examples()[other].examples
)
models.collect()
models.ask(inspector())
opened = every if everything else [place]
waiting = not answered(models, opened)
st.fragment(show_examples, run_every=LOOK if waiting else None)(models, opened, waiting=waiting)
with st.container(key="how_to_present"):
    st.caption(
        "To present: F11 shows the page on the whole screen, the arrow keys ← and → turn to the example before or "
        "after, Ctrl and + enlarge. To print, or to save as PDF: Ctrl and P, all examples after “All on one page”. "
        "The address of this page leads to the example that is open."
    )
