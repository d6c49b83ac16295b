"""Pairs one by one: what people and metrics prefer, and what each metric saw."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import pandas as pd
import streamlit as st

from relevance.data.one_line import cut, in_one_line
from relevance.data.store import StarredExample
from relevance.data.wording import format_count
from relevance.pages.components.examples.filters import ADDRESS, ask_for_filter, lead_here
from relevance.pages.components.examples.inspector import show_pair
from relevance.pages.components.examples.judged import Comparison, compare, list_pairs
from relevance.pages.components.examples.pair_list import PART, JudgedPair, PairList
from relevance.pages.components.examples.pairs import PairFilter, describe_filter
from relevance.pages.components.examples.stars import (
    OpenExample,
    draw_changes,
    find_star,
    offer_starred,
    offer_undo,
    read_starred,
    say_not_saved,
    show_note,
    show_star,
)
from relevance.pages.components.examples.texts import EXAMPLE_STYLE
from relevance.pages.components.results.findings import say_nothing_to_count
from relevance.pages.components.shared.context import Context, ask_context
from relevance.pages.components.shared.database import guard_database
from relevance.pages.components.shared.records import openings_of
from relevance.pages.components.shared.sources import describe_source
from relevance.reports.escaping import in_markdown
from relevance.reports.evidence.highlighting import HIGHLIGHT_STYLE

ROWS = 10  # documents of the list that are in sight at once
ID = 40  # characters of a document's id

STRENGTH = (
    "Strength: how far apart a metric scores the two summaries, as a share of its largest difference in the data set; "
    "the mean of the metrics that the filter names, or of all."
)


def narrow(context: Context, chosen: PairFilter, starred: Sequence[StarredExample]) -> PairList:
    """Return the pairs that a filter leaves."""
    if chosen.show != "starred":
        return list_pairs(context, chosen)
    pairs = list_pairs(context, chosen._replace(show="all"))
    return pairs.only(pairs.find_starred(starred))


class Listed(NamedTuple):
    """The pairs of a source that a filter leaves, in order."""

    context: Context
    comparison: Comparison
    chosen: PairFilter
    pairs: PairList
    starred: tuple[StarredExample, ...]
    """The starred examples of the data set, whoever judged them."""
    marked: frozenset[int]
    """The places of documents with a starred pair."""

    @property
    def key(self) -> str:
        """The session key of the widget that shows the documents."""
        return f"examples:{self.context.source.name}:{self.chosen}"

    def open(self, pair: JudgedPair) -> None:
        """Open a pair, and name it in the address."""
        lead_here(self.chosen, pair.address)


def open_document(listed: Listed, place: int) -> None:
    """Open the first pair of the document at a place of the list."""
    listed.open(listed.pairs.first_of(place))


def open_chosen(listed: Listed, start: int, place: int) -> None:
    """Open the document whose row was chosen, unless it is open; rows begin at `start`.

    A browser reports the row that was set for it, too, together with the first press of any button.
    """
    chosen = st.session_state[f"{listed.key}:{start}"].selection.rows
    if chosen and start + chosen[0] != place:
        open_document(listed, start + chosen[0])


def list_part(listed: Listed, start: int) -> pd.DataFrame:
    """Return the documents from a place of the list on, a row each, by their opening words; starred ones have a ★."""
    rows = listed.pairs.table(start, start + PART)
    ids = rows["document"].to_list()
    openings = openings_of(listed.context.source.dataset, tuple(ids), listed.context.version)
    rows["document"] = [openings.get(id) or in_one_line(id) for id in ids]
    if listed.starred:
        rows.insert(0, "starred", ["★" * (place in listed.marked) for place in range(start, start + len(rows))])
    return rows


def choose_part(listed: Listed, start: int) -> None:
    """Ask for another part of a long list, and open its first document."""
    documents = len(listed.pairs.documents)
    if documents <= PART:
        return

    def take() -> None:
        open_document(listed, st.session_state.example_part)

    st.session_state.example_part = start
    st.selectbox(
        "Part of the list",
        range(0, documents, PART),
        format_func=lambda part: f"Documents {part + 1:,} to {min(part + PART, documents):,}",
        key="example_part",
        on_change=take,
        label_visibility="collapsed",
    )


def show_list(listed: Listed, place: int) -> None:
    """Show the documents, a row each; the one at `place` is open."""
    pairs, documents = listed.pairs.pairs, len(listed.pairs.documents)
    start = place - place % PART
    key = f"{listed.key}:{start}"
    if st.session_state.get(key, {}).get("selection", {}).get("rows") != [place - start]:
        st.session_state[key] = {"selection": {"rows": [place - start]}}
    st.dataframe(
        list_part(listed, start),
        hide_index=True,
        on_select=partial(open_chosen, listed, start, place),
        selection_mode="single-row-required",
        height=38 + 35 * min(ROWS, max(2, documents)),
        column_config={
            "starred": st.column_config.TextColumn("★", width=30, help="Documents with a starred pair."),
            "document": st.column_config.TextColumn("Document", width=190 - 30 * bool(listed.starred)),
            "wrong": st.column_config.TextColumn(
                "Wrong metrics",
                width=135,
                help="Those that prefer the summary that people do not, on the document's first listed pair.",
            ),
            "how strongly": st.column_config.NumberColumn(
                "Strength",
                format="%.2f",
                width=65,
                help="Explained under the list.",
            ),
        },
        key=key,
    )
    choose_part(listed, start)
    undecided = " Pairs on which people have no preference come last." * (listed.chosen.show in ("all", "starred"))
    st.caption(
        f"{describe_filter(listed.chosen)}: {pairs:,} of {listed.comparison.pairs:,} pairs, in "
        f"{format_count(documents, 'document')}; the strongest first.{undecided} {STRENGTH}"
    )
    if listed.chosen.show == "starred":
        offer_starred(listed.context.source.dataset, listed.starred)


def show_way(listed: Listed, place: int, pair: int, star: OpenExample) -> None:
    """Show the buttons that lead from document to document, the star, and the choice among the pairs of a document."""
    last = len(listed.pairs.documents) - 1
    with st.container(horizontal=True, vertical_alignment="center", key="way"):
        for label, to, end in (("Previous", place - 1, place == 0), ("Next", place + 1, place == last)):
            st.button(
                label,
                key=label.lower(),
                shortcut=label[0].lower(),
                disabled=end,
                on_click=open_document,
                args=(listed, min(max(to, 0), last)),
            )
        show_star(star)
        document = in_markdown(cut(star.example.document, ID))
        st.markdown(f"**{place + 1:,} of {last + 1:,}** · {document}", width="content")
        choose_pair(listed, place, pair)


def choose_pair(listed: Listed, place: int, pair: int) -> None:
    """Ask for one of the document's pairs, if the filter leaves several."""
    pairs = listed.pairs.of_document(place)
    if len(pairs) < 2:
        return

    def name(place: int) -> str:
        a, b = map(in_one_line, listed.pairs.pair(place).systems)
        return f"Pair {place - pairs[0] + 1} of {len(pairs)}: A {a}, B {b}"

    def take() -> None:
        listed.open(listed.pairs.pair(st.session_state.example_pair))

    st.session_state.example_pair = pair
    st.selectbox(
        "Pair of this document",
        sorted({*pairs[:PART], pair}),
        format_func=name,
        key="example_pair",
        on_change=take,
        label_visibility="collapsed",
    )


# A fragment: from example to example, nothing above it is computed or drawn again. The empty timer keeps it alive after
# the server was restarted under an open page.
@st.fragment(run_every=300)
@guard_database
def show_examples(listed: Listed) -> None:
    """Show the list of documents, and beside it the pair that is open."""
    draw_changes()
    pairs, address = listed.pairs, st.session_state[ADDRESS]
    pair = pairs.find(*(address.get(name, "") for name in ("document", "a", "b")))
    shown = pairs.pair(pair)
    listed.open(shown)
    place = pairs.place_of(pair)
    left, right = st.container(key="list_and_pair").columns([2, 3], gap="medium")
    with left:
        show_list(listed, place)
    with right:
        star = find_star(listed.context.source.dataset, shown.document, shown.systems, listed.starred)
        show_way(listed, place, pair, star)
        say_not_saved()
        show_pair(
            listed.context.source,
            shown,
            listed.comparison.signatures,
            listed.chosen.metrics,
            None if place == len(pairs.documents) - 1 else pairs.first_of(place + 1),
        )
        show_note(star)


st.title("Examples")
st.html(HIGHLIGHT_STYLE + EXAMPLE_STYLE)
context = ask_context()
comparison = compare(context)
if not comparison.pairs or not comparison.metrics:
    say_nothing_to_count(context)
    st.stop()
st.markdown(describe_source(context.source, context.counts))
starred = read_starred(context.source.dataset)
chosen = ask_for_filter(comparison, len(list_pairs(context, PairFilter()).find_starred(starred)) if starred else 0)
offer_undo(context.source.dataset)
pairs = narrow(context, chosen, starred)
if not pairs.pairs:
    lead_here(chosen, {})
    st.info(f"{describe_filter(chosen)}: no pair is left.")
    st.stop()
marked = frozenset(map(pairs.place_of, pairs.find_starred(starred)))
show_examples(Listed(context, comparison, chosen, pairs, starred, marked))
