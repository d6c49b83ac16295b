"""Adjudicate: decide the pairs on which a study's annotators agree least, one after another."""

import streamlit as st

from relevance.annotation.inputs import person_name
from relevance.annotation.records import Study
from relevance.data.rights import Right
from relevance.data.store import StoreError
from relevance.data.wording import format_count
from relevance.pages.components.adjudicate.decided import offer_last, say_what_was_decided, show_decided
from relevance.pages.components.adjudicate.deciding import LOOKING, NOTICE, STICKY, show_task, state, store
from relevance.pages.components.annotate.pair import STYLE
from relevance.pages.components.annotate.turn import begin_turn, show_turn
from relevance.pages.components.shared.address import choose_named
from relevance.pages.components.shared.database import guard_database
from relevance.pages.components.shared.sources import most_judged_first
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.escaping import in_markdown

STUDY = "study"  # session key: the study that is chosen
NAME = "adjudicate_name"  # the adjudicator's name, where there are no accounts
KEPT = "adjudicate_kept_name"  # the same, while another page is shown

RULES = (
    "The pairs on which annotators agree least come first. Decide for yourself: what others chose is shown afterwards. "
    "Judgments stay as they are; decisions are a source of their own under Results."
)


def main() -> None:
    """Ask for a study, and let those who may decide its pairs."""
    st.title("Adjudicate")
    annotation = open_stores().annotation
    studies = {study.name: study for study in most_judged_first(annotation.studies())}
    if not studies:
        st.info("There is no study yet.")
        st.page_link("new_study.py", label="New study", icon=":material/arrow_forward:")
        st.stop()
    with st.container(horizontal=True, vertical_alignment="bottom", key="adjudicated"):
        study = studies[choose_named("Study", list(studies), "study", STUDY)]
        may = annotation.right(study.name) >= Right.ADJUDICATE
        name = ask_name() if may else ""
    if not may:
        st.info("You may read this study, but not adjudicate. Its managers can let you, on the page Studies.")
        say_what_was_decided(study.name)
        st.stop()
    if not name.strip():
        st.info("Enter your name to begin: two adjudicators may differ.")
        st.stop()
    try:
        name = person_name(name)
    except StoreError as error:
        st.error(in_markdown(error))
        st.stop()
    st.html(STYLE)
    st.html(STICKY)
    adjudicate(study, name)


def ask_name() -> str:
    """Ask who adjudicates: the account, or on one's own machine a name, empty until it is typed."""
    account = open_stores().annotation.visitor().name
    if account:
        return account
    state.setdefault(NAME, state.get(KEPT, ""))
    name = st.text_input("Your name", key=NAME, max_chars=200, placeholder="Who decides")
    state[KEPT] = name
    return str(name)


# The empty timer keeps the fragment alive after the server was restarted under an open page.
@st.fragment(run_every=300)
@guard_database
def adjudicate(study: Study, name: str) -> None:
    """Show the pair to decide or to look at again, and what was decided."""
    st.caption(RULES)
    if notice := state.get(NOTICE):
        st.warning(in_markdown(notice))
    pairs = store().pairs(study.name, name)
    state.pop(NOTICE, None)
    if not pairs:
        st.info("No pair has judgments of two annotators yet, so there is nothing to adjudicate.")
        return
    looked_at = next((pair for pair in pairs if pair.id == state.get(LOOKING)), None)
    pair = looked_at or next((pair for pair in pairs if pair.choice is None), None)
    decided = sum(pair.choice is not None for pair in pairs)
    differ = sum(not pair.unanimous for pair in pairs)
    progress = f"{decided} decided; annotators differ on {differ} of the {format_count(len(pairs), 'pair')}"
    if pair is None:
        show_turn("All pairs are decided", progress, 1)
        begin_turn(0, progress)
    else:
        show_turn(f"Pair {pair.number} of {len(pairs)}", progress, decided / len(pairs))
        offer_last(pairs)
        show_task(study, name, store().task(study.name, pair.id, name))
        begin_turn(pair.id, progress)
    show_decided(pairs)
    say_what_was_decided(study.name)


main()
