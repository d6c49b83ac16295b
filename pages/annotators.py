"""The annotators of a study: how far each is, who joins, is paused or excluded, and how far they agree."""

import streamlit as st

from relevance.annotation.demo import MADE_UP
from relevance.annotation.people import Person
from relevance.annotation.records import CLOSED, OPEN, PAUSED, Study
from relevance.annotation.sampling import GIVEN
from relevance.data.wording import format_count
from relevance.hosting.settings import is_hosted
from relevance.pages.components.annotators.agreeing import show_annotators_agreement
from relevance.pages.components.annotators.deciding import decide_on, pause_study
from relevance.pages.components.annotators.inviting import show_personal_links
from relevance.pages.components.annotators.listing import show_people, show_phases
from relevance.pages.components.shared.context import ask_study
from relevance.pages.components.shared.database import guard_database
from relevance.pages.components.shared.messages import errors_shown, show_messages
from relevance.pages.components.shared.stores import may_manage, open_stores
from relevance.pages.components.studies.sharing import show_links
from relevance.reports.escaping import in_markdown

REFRESHED = 5  # seconds after which the progress of an open study is drawn again

stores = open_stores()  # before anything is drawn: the database may not open


def main() -> None:
    """Ask for a study, and show all about its annotators."""
    st.title("Annotators")
    show_messages()
    study = ask_study()
    st.fragment(show_progress, run_every=REFRESHED if study.state == OPEN else None)(study)
    people = stores.people.people(study.name)
    manages = may_manage(study)
    with st.container(horizontal=True, vertical_alignment="center", key="ways"):
        if manages:
            pause_study(study)
        if st.button("The study's page", icon=":material/folder_open:", key="to_study", type="tertiary"):
            st.switch_page("studies.py", query_params={"study": study.name})
    if manages and study.rule != GIVEN and (study.state != CLOSED or is_hosted()):  # where links can be revoked
        invite(study)
    if people:
        show_annotators_agreement(study)
    if not manages:
        st.caption(f"Whoever manages {in_markdown(study.name)} can invite, pause, exclude and erase its annotators.")
    elif people:
        st.header("Pause, exclude or erase", anchor=False)
        with errors_shown():
            decide_on(study, people)


@guard_database
def show_progress(study: Study) -> None:
    """Show how far the annotators are; it follows them while the page is open."""
    people = stores.people.people(study.name)
    say_how_many(study, people)
    if people:
        show_phases(people)
        show_people(people)


def say_how_many(study: Study, people: list[Person]) -> None:
    """Say how many annotators there are, how many are excluded, and whether they can judge."""
    if study.state == PAUSED:
        st.info(f"The study has been paused since {study.paused_at:%Y-%m-%d %H:%M} UTC: nobody judges.")
    elif study.rule == GIVEN:
        st.caption("The judgments came with the data set: these people judged elsewhere.")
    elif study.state == CLOSED:
        st.caption("The study is closed.")
    if not people:
        st.info("Nobody has joined yet.")
        return
    excluded = sum(person.excluded_at is not None for person in people)
    counted = format_count(len(people), "annotator") + (f", {excluded} of them excluded" if excluded else "")
    made_up = " A program made their judgments up." if study.name == MADE_UP else ""
    st.markdown(f"**{counted}.**{made_up}")


def invite(study: Study) -> None:
    """Offer links to invite people with."""
    st.header("Invite", anchor=False)
    with errors_shown():
        show_personal_links(study)
        if is_hosted():
            show_links(study)


main()
