"""Upper bound: how high any extract could score, and where systems stand below that."""

import streamlit as st

from relevance.pages.components.shared.stores import known_datasets
from relevance.pages.components.upper_bound.all_documents import show_all
from relevance.pages.components.upper_bound.choice import (
    ALL,
    CONTROLS_STYLE,
    DOCUMENT,
    VIEWS,
    asked_by,
    explanation,
    headline,
    not_here,
)
from relevance.pages.components.upper_bound.controls import ADDRESS, CHANGED, Shown, ask, segments
from relevance.pages.components.upper_bound.extract import EXTRACT_STYLE
from relevance.pages.components.upper_bound.one_document import show_document
from relevance.reports.escaping import in_markdown
from relevance.reports.evidence.highlighting import HIGHLIGHT_STYLE

state = st.session_state
st.title("Upper bound")
datasets = {dataset.name: dataset for dataset in known_datasets()}
if not datasets:
    st.info("There are no documents yet.")
    st.page_link("overview.py", label="Load the demo, or import a file", icon=":material/arrow_forward:")
    st.stop()

# The address at the beginning of a run is the one that was written last, unless somebody went back or forward.
if not state.pop(CHANGED, False) and dict(st.query_params) not in ({}, state.get(ADDRESS)):
    for key in [str(key) for key in state if str(key).startswith("bound_")]:
        del state[key]
arrived = ADDRESS not in state
if arrived:
    state[ADDRESS] = dict(st.query_params)
address: dict[str, str] = state[ADDRESS]
top = st.container()  # filled below, when the metric is known
st.html(HIGHLIGHT_STYLE + EXTRACT_STYLE + CONTROLS_STYLE)
choice = ask(asked_by(address, list(datasets)), datasets)
top.markdown(headline(choice))
st.caption(explanation(choice))
ways = st.container(horizontal=True, vertical_alignment="bottom")
with ways:
    view = segments("View", VIEWS, "view", address.get("view", DOCUMENT), label_visibility="collapsed")
shown = Shown(choice, datasets[choice.dataset], view, address, arrived)
warnings = not_here(address, datasets) if arrived else []
if view == ALL:
    show_all(shown)
else:
    warnings += show_document(shown, ways)
if warnings:
    top.warning(" ".join(map(in_markdown, warnings)))
