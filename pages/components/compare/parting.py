"""The pairs on which two sources prefer different summaries: a list, and the pair that is open."""

import streamlit as st

from relevance.data.one_line import in_one_line
from relevance.data.wording import format_count
from relevance.pages.components.compare.choice import SourcePair
from relevance.pages.components.compare.compared import Opposite, list_opposite
from relevance.pages.components.examples.inspector import show_pair
from relevance.pages.components.examples.texts import EXAMPLE_STYLE
from relevance.pages.components.results.agreement import LISTED
from relevance.pages.components.shared.address import read_address, write_address
from relevance.pages.components.shared.database import guard_database
from relevance.pages.components.shared.records import openings_of
from relevance.pages.components.shared.result_table import table_height
from relevance.reports.escaping import in_markdown
from relevance.reports.evidence.highlighting import HIGHLIGHT_STYLE

OPEN = "compared_pair"
"""Session key: the pair that is open, as parts of an address."""

PARTS = ("document", "a", "b")

ROWS = 8
"""Pairs of the list that are in sight at once."""


def show_opposite(sources: SourcePair, metric: str | None) -> None:
    """Show the pairs on which each of the two prefers another summary, and the open one with what metrics saw.

    The evidence of a `metric` opens by default.
    """
    opposite = list_opposite(sources)
    st.header("Where the two prefer different summaries", anchor=False)
    if not opposite.total:
        st.markdown("On no pair that both have does each prefer another summary.")
        return
    st.html(f"{EXAMPLE_STYLE}{HIGHLIGHT_STYLE}")
    show_pairs(sources, opposite, metric)


@st.fragment
@guard_database
def show_pairs(sources: SourcePair, opposite: Opposite, metric: str | None) -> None:
    """Show the list, and the pair that is chosen in it."""
    place = find_open(opposite)
    first, second = sources.names
    source, version = sources.first.source, sources.first.version
    openings = openings_of(source.dataset, tuple(dict.fromkeys(opposite.table["document"])), version)
    rows = opposite.table.assign(
        document=[openings.get(id) or in_one_line(id) for id in opposite.table["document"]],
        a=opposite.table["a"].map(in_one_line),
        b=opposite.table["b"].map(in_one_line),
    )
    key = f"opposite:{sources.first.source.full_name}:{sources.second.source.full_name}"
    if st.session_state.get(key, {}).get("selection", {}).get("rows") != [place]:
        st.session_state[key] = {"selection": {"rows": [place]}}

    def take() -> None:
        chosen = st.session_state[key].selection.rows
        if chosen and chosen[0] != place:
            open_pair(opposite, chosen[0])

    st.dataframe(
        rows,
        hide_index=True,
        on_select=take,
        selection_mode="single-row-required",
        height=table_height(len(rows), ROWS),
        column_config={
            "document": st.column_config.TextColumn("Document", width=240),
            "a": st.column_config.TextColumn("A"),
            "b": st.column_config.TextColumn("B"),
            "first": st.column_config.TextColumn("First", help=f"What {in_markdown(first)} prefer."),
            "second": st.column_config.TextColumn("Second", help=f"What {in_markdown(second)} prefer."),
            "with first": st.column_config.TextColumn("Metrics with the first", width=220),
            "with second": st.column_config.TextColumn("Metrics with the second", width=220),
        },
        key=key,
    )
    listed = f"The first {LISTED:,} of " * (opposite.total > LISTED)
    st.caption(
        f"{listed}{format_count(opposite.total, 'pair')}. First: {in_markdown(first)}. Second: {in_markdown(second)}. "
        "Of several judgments of a pair, the majority counts."
    )
    pair = opposite.pair(place)
    other = opposite.table["second"].iloc[place]
    st.markdown(f"“{in_markdown(first)}”: **{pair.people}**. “{in_markdown(second)}”: **{other}**.")
    show_pair(source, pair, sources.metrics, [metric] if metric else [])


def find_open(opposite: Opposite) -> int:
    """Return the place of the pair that the address names, or else the first."""
    address = read_address(OPEN, PARTS)
    named = tuple(address.get(name, "") for name in PARTS)
    pairs = list(opposite.table[list(PARTS)].itertuples(index=False, name=None))
    place = pairs.index(named) if named in pairs else 0
    open_pair(opposite, place)
    return place


def open_pair(opposite: Opposite, place: int) -> None:
    """Name the pair at a place of the list in the address."""
    write_address(OPEN, PARTS, opposite.pair(place).address)
