"""The data sets: their list, documents, import, scores, and systems to add."""

import streamlit as st

from relevance.pages.components.datasets.overview import show_datasets
from relevance.pages.components.shared.messages import errors_shown, show_messages
from relevance.pages.components.shared.stores import open_stores

open_stores()  # before anything is drawn: the database may not open
st.title("Data sets")
show_messages()
with errors_shown():
    show_datasets()
