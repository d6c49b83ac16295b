"""A new study: a planner of the pairs it needs, the form that creates it, and its file."""

import streamlit as st

from relevance.pages.components.shared.messages import errors_shown, show_messages
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.components.studies.from_file import from_file
from relevance.pages.components.studies.new_study import new_study
from relevance.pages.components.studies.planner import planner

open_stores()  # before anything is drawn: the database may not open
st.title("New study")
show_messages()
sections = {"By a form": (planner, new_study), "From a file": (from_file,)}
for tab, parts in zip(st.tabs(list(sections), key="section"), sections.values(), strict=True):
    with tab:
        for part in parts:
            with errors_shown():
                part()
