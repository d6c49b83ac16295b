"""Data sets, new studies, and how the running ones are doing."""

import streamlit as st

from pages.components.shared.stores import open_stores
from pages.components.studies.datasets import datasets
from pages.components.studies.messages import errors_shown, show_messages
from pages.components.studies.new_study import new_study
from pages.components.studies.planner import planner
from pages.components.studies.running import show_study

open_stores()  # before anything is drawn: the database may not open
st.title("Studies")
show_messages()
sections = {"Studies": show_study, "New study": new_study, "Planner": planner, "Data sets": datasets}
for tab, section in zip(st.tabs(list(sections), key="section"), sections.values(), strict=True):
    with tab, errors_shown():
        section()
