"""People: the annotators of a study, the phase each is in, and who is paused, excluded or erased."""

import streamlit as st

from relevance.annotation.records import CLOSED, PAUSED
from relevance.pages.components.people.deciding import decide_on, pause_study
from relevance.pages.components.people.listing import show_people, show_phases
from relevance.pages.components.shared.context import ask_study
from relevance.pages.components.shared.messages import errors_shown, show_messages
from relevance.pages.components.shared.stores import may_manage, open_stores
from relevance.reports.contents.study import tell_left_out
from relevance.reports.escaping import format_count, in_markdown

stores = open_stores()  # before anything is drawn: the database may not open
st.title("People")
show_messages()
study = ask_study()
manages = may_manage(study)
if study.state == PAUSED:
    st.info(f"The study has been paused since {study.paused_at:%Y-%m-%d %H:%M} UTC: nobody judges.")
elif study.state == CLOSED:
    st.caption("The study is closed.")
people = stores.people.people(study.name)
if people:
    excluded = sum(person.excluded_at is not None for person in people)
    counted = format_count(len(people), "annotator") + (f", {excluded} of them excluded" if excluded else "")
    left_out = tell_left_out(study)
    st.markdown(f"**{counted}.**" + (f" {left_out}." if left_out else ""))
    show_phases(people)
    show_people(people)
else:
    st.info("Nobody has joined yet.")
with st.container(horizontal=True, vertical_alignment="center", key="people_ways"):
    if manages:
        pause_study(study)
    if st.button("The study's page", icon=":material/folder_open:", key="to_study", type="tertiary"):
        st.switch_page("studies.py", query_params={"study": study.name})
    if people and st.button(
        "Agreement between annotators", icon=":material/group:", key="to_agreement", type="tertiary"
    ):
        st.switch_page("annotators.py", query_params={"study": study.name})
if not manages:
    st.caption(f"Whoever manages {in_markdown(study.name)} can pause, exclude and erase its annotators.")
elif people:
    st.header("Change", anchor=False)
    with errors_shown():
        decide_on(study, people)
