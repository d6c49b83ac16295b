"""Pausing a study, and pausing, excluding, restoring or erasing one of its annotators."""

from collections.abc import Sequence

import streamlit as st

from relevance.annotation.people import Person
from relevance.annotation.phases import WITHDRAWN
from relevance.annotation.records import CLOSED, Study
from relevance.data.one_line import in_one_line
from relevance.data.store import StoreError
from relevance.pages.components.shared.messages import announce, errors_shown
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.escaping import in_markdown

FORMS = "people_forms"
"""Session key: how many forms were sent; the next ones are new, so that no name stays in one."""

KEEP = {
    True: "Keep the judgments, under a pseudonym",
    False: "Delete the judgments, too: their pairs are asked again",
}

ERASING = (
    "Name, account, panel ids, answers to surveys, and everything they wrote (rationales, with earlier versions, and "
    "reasons for skipping) are deleted; they are signed out, and no link opens their work. This cannot be undone. "
    "**Earlier backups still hold all of it**: make a new one, and delete those."
)


def pause_study(study: Study) -> None:
    """Offer to pause the study, or to resume it."""
    if study.state == CLOSED:
        return
    paused = study.paused_at is not None
    label, icon = ("Resume the study", "play_arrow") if paused else ("Pause the study", "pause")
    help = "While it is paused nobody judges, and nobody's time runs out."
    if st.button(label, icon=f":material/{icon}:", key="pause_study", help=help):
        open_stores().people.pause_study(study.name, paused=not paused)
        announce(f"{study.name} goes on." if paused else f"{study.name} is paused.")


def decide_on(study: Study, people: Sequence[Person]) -> None:
    """Ask for an annotator, and offer what can be done about them."""
    names = {person.name: person for person in people}
    chosen = st.selectbox("Annotator", list(names), format_func=in_one_line, key="person", width=360)
    person = names[chosen]
    if person.excluded_at is not None:
        restore(study, person)
    elif person.erased_at is None and study.state != CLOSED:  # nobody judges a closed study, such as one from a file
        pause(study, person)
    if person.excluded_at is None:
        with st.expander("Exclude", icon=":material/person_off:", key="exclude_part"), errors_shown():
            exclude(study, person)
    with st.expander("Erase", icon=":material/delete_forever:", key="erase_part"), errors_shown():
        erase(study, person)


def pause(study: Study, person: Person) -> None:
    """Offer to pause an annotator, or to let them go on."""
    paused = person.paused_at is not None
    label, icon = ("Resume", "play_arrow") if paused else ("Pause", "pause")
    if st.button(label, icon=f":material/{icon}:", key="pause", help="They keep their place, except the pair shown."):
        open_stores().people.pause(study.name, person.name, paused=not paused)
        announce(f"{person.name} goes on." if paused else f"{person.name} is paused.")


def exclude(study: Study, person: Person) -> None:
    """Exclude an annotator, and their judgments from the analysis."""
    number = st.session_state.get(FORMS, 0)
    st.caption(
        "They are signed out at once, and no link lets them in. Their judgments stay in the data but are left out of "
        "the analysis, as reports state. Their pairs are asked again."
    )
    with st.form(f"exclude:{number}", border=False, width=520):
        reason = st.text_input("Reason", key=f"exclusion_reason:{number}", max_chars=500)
        if st.form_submit_button("Exclude", icon=":material/person_off:"):
            open_stores().people.exclude(study.name, person.name, reason)
            st.session_state[FORMS] = number + 1
            announce(f"{person.name} is excluded.")


def restore(study: Study, person: Person) -> None:
    """Let an excluded annotator in again."""
    why = f": {person.exclusion_reason}" if person.exclusion_reason else ""
    st.markdown(in_markdown(f"Excluded on {person.excluded_at:%Y-%m-%d %H:%M} UTC{why}."))
    if person.phase == WITHDRAWN:
        st.caption("They withdrew themselves, so nobody else can let them in again.")
        return
    help = "They may come in again, and their judgments count."
    with errors_shown():
        if st.button("Restore", icon=":material/person_check:", key="restore", help=help):
            open_stores().people.restore(study.name, person.name)
            announce(f"{person.name} counts again.")


def erase(study: Study, person: Person) -> None:
    """Erase who an annotator was, once the name has been typed, as nothing brings it back."""
    number = st.session_state.get(FORMS, 0)
    st.markdown(ERASING)
    with st.form(f"erase:{number}", border=False, width=520):
        keep = st.radio("Their judgments", list(KEEP), format_func=KEEP.__getitem__, key=f"erase_keep:{number}")
        typed = st.text_input(
            "Type the name of the annotator", key=f"erase_typed:{number}", placeholder=in_one_line(person.name)
        )
        if st.form_submit_button("Erase for ever", icon=":material/delete_forever:"):
            if typed.strip() != person.name:
                raise StoreError(f"type {person.name!r} to erase them")
            pseudonym = open_stores().people.erase(study.name, person.name, keep_judgments=bool(keep))
            st.session_state[FORMS] = number + 1
            st.session_state.pop("person", None)
            announce(f"Erased an annotator, now called {pseudonym}.")
