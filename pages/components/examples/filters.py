"""Filters of the listed pairs: presets as chips, and for any other a form, with counts that are filters."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from relevance.pages.components.examples.judged import Comparison
from relevance.pages.components.examples.pairs import (
    PAIRWISE,
    SHOWN,
    PairFilter,
    Show,
    describe_filter,
    names_of_metrics,
    read_filter,
)
from relevance.pages.components.shared.address import read_address, write_address

ADDRESS = "examples"
"""Session key: the choice, as parts of an address."""

PARTS = ("show", "metric", "other", "search", "document", "a", "b")
"""The parts of an address that say which pairs are listed, and which of them is open."""


def lead_here(chosen: PairFilter, example: Mapping[str, str]) -> None:
    """Write into the address what is shown."""
    write_address(ADDRESS, PARTS, {name: value for name, value in {**chosen._asdict(), **example}.items() if value})


def choose(chosen: PairFilter) -> None:
    """Apply a filter; the open example stays open if the filter leaves it."""
    state = st.session_state
    example = {name: state[ADDRESS][name] for name in ("document", "a", "b") if name in state[ADDRESS]}
    state[ADDRESS] = {**chosen.address, **example}


def ask_for_filter(comparison: Comparison, starred: int) -> PairFilter:
    """Ask for a filter, beginning with that of the address; `starred` is the number of starred pairs."""
    chosen = read_filter(read_address(ADDRESS, PARTS), names_of_metrics(comparison.signatures))
    counts = {**comparison.counts}
    if starred or chosen.show == "starred":
        counts[PairFilter("starred")] = starred
    with st.container(horizontal=True, vertical_alignment="center", key="filters"):
        with st.container(width="content"):
            offer_presets(counts, chosen)
        with st.popover("Filter", icon=":material/filter_list:", key="filter_popover"):
            ask_for_details(chosen, comparison.metrics)
            show_confusion(comparison.confusion)
    return chosen


def offer_presets(counts: Mapping[PairFilter, int], chosen: PairFilter) -> None:
    """Offer preset filters as chips, with the number of pairs that each leaves."""
    state = st.session_state
    labels = {name: f"{describe_filter(name)} ({count:,})" for name, count in counts.items()}
    plain = chosen._replace(search="")

    def take() -> None:
        choose((state.example_preset or PairFilter())._replace(search=chosen.search))

    state.example_preset = plain if plain in labels else None
    st.pills(
        "Pairs",
        list(labels),
        format_func=lambda name: labels[name],
        key="example_preset",
        on_change=take,
        label_visibility="collapsed",
    )


def ask_for_details(chosen: PairFilter, metrics: Sequence[str]) -> None:
    """Ask for any filter, and for a search among documents and systems."""
    state = st.session_state

    def take() -> None:
        chosen = {name: state.get(f"example_{name}") or "" for name in ("show", "metric", "other", "search")}
        choose(read_filter(chosen, {name: name for name in metrics}))

    possible: list[Show] = [show for show in SHOWN if show != "rather" or len(metrics) > 1]
    state.example_show = chosen.show
    st.selectbox("Show", possible, format_func=lambda show: SHOWN[show], key="example_show", on_change=take)
    if chosen.show in PAIRWISE:
        state.example_metric = chosen.metric
        st.selectbox("Metric", metrics, key="example_metric", on_change=take)
    if chosen.other is not None:
        state.example_other = chosen.other
        others = [name for name in metrics if name != chosen.metric]
        st.selectbox("Is right where this one is wrong", others, key="example_other", on_change=take)
    state.example_search = chosen.search
    st.text_input("Search", placeholder="Document or system", key="example_search", on_change=take)


def show_confusion(counts: pd.DataFrame) -> None:
    """Show how often metrics and people agree; each count is a filter."""

    def take() -> None:
        for row, column in st.session_state.confusion.selection.cells:
            if column in counts.columns:
                choose(PairFilter(column, counts.index[row]))

    st.caption("Choose a count to see its pairs.")
    st.dataframe(
        counts.rename_axis("Metric"),
        on_select=take,
        selection_mode="single-cell",
        width=520,
        column_config={
            "agrees": st.column_config.Column("Agrees", help="Pairs on which the metric prefers what people prefer."),
            "against": st.column_config.Column("Contradicts", help="Pairs on which it prefers the other summary."),
            "ties": st.column_config.Column("Ties", help="Pairs on which people decide and the metric does not."),
            "missing": st.column_config.Column("No score", help="Pairs on which people decide and a score is missing."),
        },
        key="confusion",
    )
