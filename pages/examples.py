"""Pairs one by one: what people and metrics prefer, and what each metric saw."""

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

PAIRWISE: tuple[Show, ...] = ("against", "rather", "agrees", "ties", "missing")  # filters that are about one metric

state = st.session_state
st.title("Examples")
st.html(HIGHLIGHT_STYLE + EXAMPLE_STYLE)
known = sources()
if not known:
    st.info("There is nothing to look at yet: import a data set and create a study on the Studies page.")
    st.stop()


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


# --- what the address asks for --------------------------------------------------------------------------------

# The address at the beginning of a run is the one that was written last, unless somebody went back or forward.
if dict(st.query_params) not in ({}, state.get("example_address")):
    for name in ("source", "search", "show", "metric", "other"):
        state.pop(f"example_{name}", None)
if "example_source" not in state:  # a link that a colleague sent, or the way back from another page, which keeps none
    asked = state.example_address = dict(st.query_params) or state.get("example_address", {})
    named = [source for source in known if source.address.items() <= asked.items()]
    state.example_source = named[0] if named else known[first_with_something(known)]
    state.example_search = asked.get("search", "")

with st.container(horizontal=True, vertical_alignment="bottom"):
    source = st.selectbox("Pairs of", known, format_func=lambda s: s.name, key="example_source")
    search = st.text_input("Search", key="example_search", placeholder="document or system")
version = source.version
preferences, found = judged_pairs(source, version)
metrics = list(found.signs)
if not len(preferences) or not metrics:
    st.info("No judgments yet." if not len(preferences) else "These summaries have no scores yet.")
    there = ("annotate.py", "Annotate") if not len(preferences) else ("studies.py", "Studies")
    st.page_link(there[0], label=there[1], icon=":material/arrow_forward:")
    st.stop()
st.markdown(describe_source(source, preferences_of(source, version)))

# --- the confusion table, whose cells are filters -----------------------------------------------------------------

counts = confusion(found)


def filter_by_cell() -> None:
    """Take the filter that a cell of the confusion table stands for."""
    for row, column in state.confusion.selection.cells:
        if column in counts.columns:
            state.example_show, state.example_metric = column, counts.index[row]


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

# --- the list -------------------------------------------------------------------------------------------------


def metric_choice(label: str, name: str, options: list[str]) -> str:
    """A choice among metrics, at first the one in the address."""
    wanted = state.get(f"example_{name}", state.example_address.get(name))
    state[f"example_{name}"] = wanted if wanted in options else options[0]
    return str(st.selectbox(label, options, key=f"example_{name}"))


def filter_by(chosen: PairFilter) -> None:
    """Take a filter that was chosen by its name."""
    state.example_show, state.example_metric, state.example_other = chosen.show, chosen.metric, chosen.other


with st.container(horizontal=True):
    for name, preset in presets(metrics).items():
        st.button(name, key=f"preset:{name}", on_click=filter_by, args=(preset,))
with st.container(horizontal=True, vertical_alignment="bottom"):
    possible: list[Show] = [show for show in get_args(Show) if show != "rather" or len(metrics) > 1]
    wanted = state.get("example_show", state.example_address.get("show"))
    state.example_show = wanted if wanted in possible else "all"
    show = st.selectbox("Show", possible, format_func=lambda show: SHOWN[show], key="example_show")
    metric = metric_choice("Metric", "metric", metrics) if show in PAIRWISE else None
    others = [name for name in metrics if name != metric]
    other = metric_choice("is right where this one is wrong", "other", others) if show == "rather" else None
chosen = PairFilter(show, metric, other, search)
rows: pd.DataFrame = listed_pairs(source, version, chosen)


def lead_here(example: tuple[str, str, str] | None = None) -> None:
    """Make the address one that shows the filter and the example to somebody else."""
    named = dict(zip(("document", "a", "b"), example or (), strict=False))
    parts = {**source.address, "show": show, "metric": metric, "other": other, "search": search, **named}
    address = {name: value for name, value in parts.items() if value}
    if dict(st.query_params) != address:
        st.query_params.from_dict(address)
    state.example_address = address


if rows.empty:
    lead_here()
    st.info("No pair is left.")
    st.stop()

# --- one example ----------------------------------------------------------------------------------------------

list_key = f"examples:{source.name}:{chosen}"


def names_at(place: int) -> tuple[str, str, str]:
    """Document and systems of the pair at a place of the list."""
    pair = int(rows.index[place])
    return preferences.documents[pair], preferences.firsts[pair], preferences.seconds[pair]


def open_chosen() -> None:
    """Open the pair whose row was chosen."""
    if chosen_rows := state[list_key].selection.rows:
        lead_here(names_at(chosen_rows[0]))


def open_at(place: int) -> None:
    """Open the pair at a place of the list, and choose its row."""
    lead_here(names_at(place))
    state[list_key] = {"selection": {"rows": [place]}}


# A fragment: from example to example, nothing above it is computed or drawn again. The empty timer keeps it alive after
# the server was restarted under an open page.
@st.fragment(run_every=300)
@guard_database
def example() -> None:
    """The list, the way through it, and the pair that is open."""
    asked = state.example_address
    place = find_place(rows, preferences, (asked.get("document"), asked.get("a"), asked.get("b")))
    lead_here(names_at(place))
    if state.get(list_key, {}).get("selection", {}).get("rows") != [place]:
        state[list_key] = {"selection": {"rows": [place]}}
    st.dataframe(
        rows.reset_index(drop=True),  # pairs' numbers are not shown, and need not be sent
        hide_index=True,
        on_select=open_chosen,
        selection_mode="single-row",
        height=min(320, 38 + 35 * len(rows)),
        column_config={
            "difference": st.column_config.NumberColumn(format="%+.4f", help="The score of A minus that of B."),
            "how strongly": st.column_config.ProgressColumn(min_value=0, max_value=1, format="%.2f"),
        },
        key=list_key,
    )
    st.caption(
        f"{len(rows)} of {len(preferences)} pairs. A, B: which summary is preferred. How strongly: the difference of "
        "the scores as a share of the metric's largest, of all metrics or those chosen. The address of this page leads "
        "to the example that is open."
    )
    with st.container(horizontal=True, vertical_alignment="center", key="way"):
        st.button("Previous", key="previous", shortcut="p", disabled=place == 0, on_click=open_at, args=(place - 1,))
        st.markdown(f"**{place + 1} of {len(rows)}**", width="content")
        last = place == len(rows) - 1
        st.button("Next", key="next", shortcut="n", disabled=last, on_click=open_at, args=(place + 1,))
    show_pair(source, preferences, int(rows.index[place]), None if last else int(rows.index[place + 1]))


example()
