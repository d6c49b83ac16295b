"""The collections of examples that are offered: the chosen ones, and those of a source that are not empty."""

from collections.abc import Mapping

import streamlit as st

from relevance.data.demo import NAME as DEMO
from relevance.pages.components.disagreements.examples import load_chosen_examples
from relevance.pages.components.examples.judged import compare
from relevance.pages.components.examples.pairs import (
    PairFilter,
    describe_filter,
    names_of_metrics,
    presets,
    read_filter,
)
from relevance.pages.components.examples.sides import show_sides
from relevance.pages.components.shared.context import Context

PARTS = ("show", "metric", "other")
"""The parts of the address that name a collection of examples; without them, it is the chosen examples."""


def offered_filters(context: Context) -> dict[PairFilter, int]:
    """Return the collections that a source has, with the number of pairs in each."""
    comparison = compare(context)
    return {preset: count for preset in presets(comparison.metrics) if (count := comparison.counts[preset])}


def asked_filter(context: Context | None, offered: Mapping[PairFilter, int]) -> PairFilter | None:
    """Return the collection that the address asks for; None for the chosen examples.

    By default it is the first one of one's own data, or for the demo corpus the chosen examples.
    """
    if context is None or not offered:
        return None
    params = st.query_params
    if "show" in params:
        parts = {name: params[name] for name in PARTS if name in params}
        return read_filter(parts, names_of_metrics(compare(context).signatures))
    named = params.get("example") in {chosen_example.document_id for chosen_example in load_chosen_examples()}
    return None if named or context.source.dataset == DEMO else next(iter(offered))


def open_collection(chosen: PairFilter | None) -> None:
    """Open a collection, or the chosen examples, by naming it in the address."""
    for part in (*PARTS, "example"):
        st.query_params.pop(part, None)
    if chosen is None:
        st.query_params["example"] = load_chosen_examples()[0].document_id
    else:
        st.query_params.update(chosen.address)


def choose_sides(context: Context, chosen: PairFilter | None) -> None:
    """Offer the pairs on which any metric is right and any other one is wrong."""
    metrics = compare(context).metrics
    if len(metrics) < 2:
        return
    with st.expander("Any metric against any other", key="any_metric"):
        clicked = show_sides(context, metrics, f"sides {' '.join(chosen.metrics)}".strip() if chosen else "sides")
    if clicked is not None:
        open_collection(clicked)
        st.rerun()


def choose_collection(chosen: PairFilter | None, offered: Mapping[PairFilter, int]) -> None:
    """Ask for the chosen examples, or a collection of one's own data."""
    state = st.session_state
    names: dict[PairFilter | None, str] = {None: f"Chosen examples ({len(load_chosen_examples())})"}
    names |= {name: f"{describe_filter(name)} ({count:,})" for name, count in offered.items()}

    def take() -> None:
        open_collection(options[state.collection or 0])

    options = list(names)
    state.collection = options.index(chosen) if chosen in options else None
    st.pills(
        "Examples",
        range(len(options)),
        format_func=lambda place: names[options[place]],
        key="collection",
        on_change=take,
        label_visibility="collapsed",
    )
