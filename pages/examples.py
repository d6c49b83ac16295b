"""Pairs one by one: what people and metrics prefer, and what each metric saw."""

from dataclasses import dataclass
from functools import partial
from typing import get_args

import pandas as pd
import streamlit as st

from data.preferences import Preferences
from pages.components.evidence.marks import HIGHLIGHT_STYLE
from pages.components.examples.inspector import show_pair
from pages.components.examples.pairs import (
    SHOWN,
    PairFilter,
    Show,
    Verdicts,
    compact,
    confusion,
    find_place,
    make_pairs_frame,
    presets,
    verdicts,
)
from pages.components.examples.texts import EXAMPLE_STYLE
from pages.components.shared.database import guard_database
from pages.components.shared.sources import Source, describe_source, first_with_something, preferences_of, sources
from pages.components.shared.tables import table_height

PAIRWISE: tuple[Show, ...] = ("against", "rather", "agrees", "ties", "missing")  # filters that are about one metric

# Session keys: the filter, and the parts of the address that was written last.
SOURCE, SEARCH = "example_source", "example_search"
SHOW, METRIC, OTHER = "example_show", "example_metric", "example_other"
ADDRESS = "example_address"


@st.cache_resource(max_entries=16, show_spinner="Comparing")  # not copied: nobody changes what they return
def judged_pairs(source: Source, version: object) -> tuple[Preferences, Verdicts]:
    """One entry a pair, and what each metric says of it."""
    preferences = preferences_of(source, version)
    voted = preferences.by_majority() if source.study is not None else preferences
    return voted, verdicts(voted)


@st.cache_resource(max_entries=64, show_spinner=False)
def listed_pairs(source: Source, version: object, chosen: PairFilter) -> pd.DataFrame:
    """The list that a filter leaves: it stays the same from example to example."""
    return compact(make_pairs_frame(*judged_pairs(source, version), chosen))


@dataclass(frozen=True)
class Filtered:
    """The list of pairs that a filter leaves of a source."""

    source: Source
    preferences: Preferences
    chosen: PairFilter
    rows: pd.DataFrame

    @property
    def key(self) -> str:
        """Session key: the widget that shows it."""
        return f"examples:{self.source.name}:{self.chosen}"

    def names_at(self, place: int) -> tuple[str, str, str]:
        """Document and systems of the pair at a place of the list."""
        pair = int(self.rows.index[place])
        return self.preferences.documents[pair], self.preferences.firsts[pair], self.preferences.seconds[pair]

    def lead_here(self, example: tuple[str, str, str] | None = None) -> None:
        """Make the address one that shows the filter and the example to somebody else."""
        named = dict(zip(("document", "a", "b"), example or (), strict=False))
        parts = {**self.source.address, **self.chosen._asdict(), **named}
        address = {name: value for name, value in parts.items() if value}
        if dict(st.query_params) != address:
            st.query_params.from_dict(address)
        st.session_state[ADDRESS] = address

    def choose_row(self, place: int) -> None:
        """Have a row of the list chosen."""
        st.session_state[self.key] = {"selection": {"rows": [place]}}


# --- the filter -----------------------------------------------------------------------------------------------


def filter_by(chosen: PairFilter) -> None:
    """Take a filter that was chosen by its name."""
    st.session_state.update({SHOW: chosen.show, METRIC: chosen.metric, OTHER: chosen.other})


def show_confusion(counts: pd.DataFrame) -> None:
    """The confusion table, whose cells are filters."""

    def filter_by_cell() -> None:
        for row, column in st.session_state.confusion.selection.cells:
            if column in counts.columns:
                st.session_state.update({SHOW: column, METRIC: counts.index[row]})

    with st.expander("Metrics against people: choose a cell to see its pairs", expanded=True):
        st.dataframe(
            counts.rename_axis("metric"),
            on_select=filter_by_cell,
            selection_mode="single-cell",
            column_config={
                "agrees": "agrees with people",
                "against": "contradicts people",
                "ties": "ties",
                "missing": "no score",
            },
            key="confusion",
        )


def ask_for_filter(metrics: list[str], search: str) -> PairFilter:
    """Ask which pairs are wanted, beginning with what the address says."""
    state = st.session_state
    with st.container(horizontal=True):
        for name, preset in presets(metrics).items():
            st.button(name, key=f"preset:{name}", on_click=filter_by, args=(preset,))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        possible: list[Show] = [show for show in get_args(Show) if show != "rather" or len(metrics) > 1]
        wanted = state.get(SHOW, state[ADDRESS].get("show"))
        state[SHOW] = wanted if wanted in possible else "all"
        show = st.selectbox("Show", possible, format_func=lambda show: SHOWN[show], key=SHOW)
        metric = choose_metric("Metric", "metric", metrics) if show in PAIRWISE else None
        others = [name for name in metrics if name != metric]
        other = choose_metric("is right where this one is wrong", "other", others) if show == "rather" else None
    return PairFilter(show, metric, other, search)


def choose_metric(label: str, name: str, options: list[str]) -> str:
    """A choice among metrics, at first the one in the address."""
    state = st.session_state
    wanted = state.get(f"example_{name}", state[ADDRESS].get(name))
    state[f"example_{name}"] = wanted if wanted in options else options[0]
    return str(st.selectbox(label, options, key=f"example_{name}"))


# --- one example ----------------------------------------------------------------------------------------------


def open_chosen(pairs: Filtered) -> None:
    """Open the pair whose row was chosen."""
    if chosen_rows := st.session_state[pairs.key].selection.rows:
        pairs.lead_here(pairs.names_at(chosen_rows[0]))


def open_at(pairs: Filtered, place: int) -> None:
    """Open the pair at a place of the list, and choose its row."""
    pairs.lead_here(pairs.names_at(place))
    pairs.choose_row(place)


# A fragment: from example to example, nothing above it is computed or drawn again. The empty timer keeps it alive after
# the server was restarted under an open page.
@st.fragment(run_every=300)
@guard_database
def show_example(pairs: Filtered) -> None:
    """The list, the way through it, and the pair that is open."""
    rows, preferences = pairs.rows, pairs.preferences
    asked = st.session_state[ADDRESS]
    place = find_place(rows, preferences, (asked.get("document"), asked.get("a"), asked.get("b")))
    pairs.lead_here(pairs.names_at(place))
    if st.session_state.get(pairs.key, {}).get("selection", {}).get("rows") != [place]:
        pairs.choose_row(place)
    st.dataframe(
        rows.reset_index(drop=True),  # pairs' numbers are not shown, and need not be sent
        hide_index=True,
        on_select=partial(open_chosen, pairs),
        selection_mode="single-row",
        height=min(320, table_height(len(rows))),
        column_config={
            "difference": st.column_config.NumberColumn(format="%+.4f", help="The score of A minus that of B."),
            "how strongly": st.column_config.ProgressColumn(min_value=0, max_value=1, format="%.2f"),
        },
        key=pairs.key,
    )
    st.caption(
        f"{len(rows)} of {len(preferences)} pairs. A, B: which summary is preferred. How strongly: the difference of "
        "the scores as a share of the metric's largest, of all metrics or those chosen. The address of this page leads "
        "to the example that is open."
    )
    first, last = place == 0, place == len(rows) - 1
    with st.container(horizontal=True, vertical_alignment="center", key="way"):
        st.button("Previous", key="previous", shortcut="p", disabled=first, on_click=open_at, args=(pairs, place - 1))
        st.markdown(f"**{place + 1} of {len(rows)}**", width="content")
        st.button("Next", key="next", shortcut="n", disabled=last, on_click=open_at, args=(pairs, place + 1))
    show_pair(pairs.source, preferences, int(rows.index[place]), None if last else int(rows.index[place + 1]))


# --- the page -------------------------------------------------------------------------------------------------

state = st.session_state
st.title("Examples")
st.html(HIGHLIGHT_STYLE + EXAMPLE_STYLE)
known = sources()
if not known:
    st.info("There is nothing to look at yet: import a data set and create a study on the Studies page.")
    st.stop()

# The address at the beginning of a run is the one that was written last, unless somebody went back or forward.
if dict(st.query_params) not in ({}, state.get(ADDRESS)):
    for key in (SOURCE, SEARCH, SHOW, METRIC, OTHER):
        state.pop(key, None)
if SOURCE not in state:  # a link that a colleague sent, or the way back from another page, which keeps none
    asked = state[ADDRESS] = dict(st.query_params) or state.get(ADDRESS, {})
    named = [source for source in known if source.address.items() <= asked.items()]
    state[SOURCE] = named[0] if named else known[first_with_something(known)]
    state[SEARCH] = asked.get("search", "")
with st.container(horizontal=True, vertical_alignment="bottom"):
    source = st.selectbox("Pairs of", known, format_func=lambda s: s.name, key=SOURCE)
    search = st.text_input("Search", key=SEARCH, placeholder="document or system")
version = source.version
preferences, found = judged_pairs(source, version)
metrics = list(found.signs)
if not len(preferences) or not metrics:
    st.info("No judgments yet." if not len(preferences) else "These summaries have no scores yet.")
    there = ("annotate.py", "Annotate") if not len(preferences) else ("studies.py", "Studies")
    st.page_link(there[0], label=there[1], icon=":material/arrow_forward:")
    st.stop()
st.markdown(describe_source(source, preferences_of(source, version)))
show_confusion(confusion(found))
chosen = ask_for_filter(metrics, search)
pairs = Filtered(source, preferences, chosen, listed_pairs(source, version, chosen))
if pairs.rows.empty:
    pairs.lead_here()
    st.info("No pair is left.")
    st.stop()
show_example(pairs)
