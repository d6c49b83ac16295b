"""The studies: how far each is; and one of them, with its annotators, links, design and exports."""

import streamlit as st

from relevance.pages.components.shared.archive import choose_shown
from relevance.pages.components.shared.messages import errors_shown, show_messages
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.components.studies.cards import show_cards
from relevance.pages.components.studies.one_study import show_study
from relevance.reports.escaping import in_markdown

studies = {study.name: study for study in open_stores().annotation.studies(archived=True)}
name = st.query_params.get("study")
if name in studies:
    if st.button("All studies", icon=":material/arrow_back:", key="all_studies", type="tertiary"):
        del st.query_params["study"]
        st.rerun()
    st.title(in_markdown(name), anchor=False)
    show_messages()
    with errors_shown():
        show_study(studies[name])
    st.stop()
st.title("Studies")
show_messages()
if name is not None:
    st.warning(f"There is no study {in_markdown(name)}.")
shown = choose_shown(list(studies.values()))
if shown:
    show_cards(shown)
elif studies:
    st.info("All studies are in the archive.")
else:
    st.info("There is no study yet. A study asks people which of two summaries is more relevant.")
if st.button("New study", icon=":material/add_circle:", type="primary", key="to_new_study"):
    st.switch_page("new_study.py")
