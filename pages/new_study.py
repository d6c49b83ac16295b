"""A new study: the form that creates it, its file, and a planner of the pairs it needs."""

import streamlit as st

from relevance.pages.components.shared.messages import errors_shown, show_messages
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.components.studies.from_file import from_file
from relevance.pages.components.studies.new_study import new_study
from relevance.pages.components.studies.planner import PLAN, planner

open_stores()  # before anything is drawn: the database may not open
st.title("New study")
show_messages()
sections = {"New study": new_study, "From a file": from_file, "Planner": planner}
tabs = st.tabs(list(sections), key="section", default="Planner" if PLAN in st.query_params else None)
for tab, section in zip(tabs, sections.values(), strict=True):
    with tab, errors_shown():
        section()
