"""People: who is in which phase of a study, and who of them judges, is paused, excluded or erased."""

import streamlit as st

from data.access import Right
from pages.components.people.deciding import decide_on, pause_study, say_state
from pages.components.people.listing import count_people, show_people, show_phases
from pages.components.shared.address import choose_named
from pages.components.shared.messages import errors_shown, show_messages
from pages.components.shared.sources import most_judged_first
from pages.components.shared.stores import open_stores
from reports.escaping import in_markdown
from reports.study import tell_left_out

stores = open_stores()
st.title("People")
show_messages()
studies = {study.name: study for study in most_judged_first(stores.annotation.studies())}
if not studies:
    st.info("There is no study yet.")
    st.page_link("new_study.py", label="New study", icon=":material/arrow_forward:")
    st.stop()
study = studies[choose_named("Study", list(studies), "study", "study")]
manages = stores.annotation.right(study.name) >= Right.MANAGE
say_state(study)
people = stores.people.people(study.name)
if people:
    left_out = tell_left_out(study)
    st.markdown(f"**{count_people(people)}.**" + (f" {left_out}." if left_out else ""))
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
