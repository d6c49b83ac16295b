"""The annotator: somebody with an invite's link, or somebody who has entered a name."""

import streamlit as st

from relevance.annotation.languages import ENGLISH, wording_of
from relevance.annotation.phase_store import PhaseStore
from relevance.annotation.records import OPEN, Annotator
from relevance.annotation.store import AnnotationStore
from relevance.data.access import Visitor
from relevance.data.one_line import in_one_line
from relevance.data.store import StoreError
from relevance.hosting.settings import is_hosted
from relevance.pages.components.annotate.wording import WORDING, say, speak
from relevance.pages.components.shared.stores import Stores, open_stores
from relevance.reports.escaping import in_markdown

state = st.session_state

# Session keys.
INVITE = "invite"  # the token of an invite's link
ANNOTATOR = "annotator"  # the token of the annotator
VIEWING = "viewing"  # the assignment of an earlier pair to show again
SHOWN = "shown"  # the assignment of the pair on the screen, and when it was shown
TYPED = "typed"  # that assignment, and the reason typed for it
FEEDBACK = "training_feedback"  # the feedback on the last answer in the training
KNOWN = "known_annotator"  # whether the token has belonged to an annotator
PREVIEW = "preview_stores"  # the stores of a copy in memory, while a researcher previews a study


def here() -> Stores:
    """Return the stores that the page uses: those of the database, or of a preview's copy."""
    preview: Stores | None = state.get(PREVIEW)
    return preview or open_stores()


def store() -> AnnotationStore:
    """Return the store of studies and judgments."""
    return here().annotation


def phases() -> PhaseStore:
    """Return the store of annotators' phases."""
    return here().phases


def judging_only(visitor: Visitor) -> bool:
    """Tell whether a visitor came to judge, by a link or a name, and is shown only their task.

    Keeps the invite of the address, which a change of page would lose.
    """
    if is_hosted():
        return ANNOTATOR in state or visitor.is_annotator
    if INVITE in st.query_params:
        state[INVITE] = st.query_params[INVITE]
    return INVITE in state or ANNOTATOR in state or ANNOTATOR in st.query_params


def identify() -> Annotator | None:
    """Identify the annotator: on a hosted server by sign-in, otherwise by a link or the name entered before.

    Raises `UnknownInvite`.
    """
    if PREVIEW in state:
        return store().join(study=store().studies()[0].name, name="Preview")
    if is_hosted():
        own = store().own_annotator()
        return own or (store().annotator(state[ANNOTATOR]) if ANNOTATOR in state else None)
    token = state.get(INVITE) or st.query_params.get(ANNOTATOR) or state.get(ANNOTATOR)
    if token is None:
        return None
    state[ANNOTATOR] = token
    if INVITE not in state:
        st.query_params[ANNOTATOR] = token  # a reload opens the same work
    return store().annotator(token)


def speak_as_asked() -> None:
    """Speak the language of the study in the address, if any, to visitors who have not said who they are."""
    asked = st.query_params.get("study")
    known = asked in [study.name for study in store().studies()]
    speak(wording_of(here().protocols.protocol(asked)) if asked is not None and known else ENGLISH)


def ask_for_name() -> None:
    """Ask for a study and a name."""
    titles = {study.name: study.title or study.name for study in store().studies() if study.state == OPEN}
    studies = list(titles)
    if not studies:
        st.info(say("No study is open. Create one under New study."))
        return
    asked = st.query_params.get("study")  # in the link on a study's page
    place = studies.index(asked) if asked in studies else 0
    with st.form("join", width=520):
        study = st.selectbox(
            say("Study"), studies, place, format_func=lambda one: in_one_line(titles[one]), key="join_study"
        )
        account = store().visitor().name
        name = account or st.text_input(
            say("Your name"), key="join_name", max_chars=200, help=say("The same name resumes your work.")
        )
        if account:
            st.caption(in_markdown(say("You judge as {name}.", name=account)))
        if st.form_submit_button(say("Start"), type="primary"):
            if not name.strip():
                st.error(say("Please enter your name."))
                return
            try:
                state[ANNOTATOR] = store().join(study=study, name=name).token
            except StoreError as error:
                st.error(in_markdown(error))
            else:
                st.rerun()


def leave() -> None:
    """Forget the name, so that somebody else can start, and show the other pages again."""
    for key in (ANNOTATOR, KNOWN, VIEWING, SHOWN, FEEDBACK, PREVIEW, WORDING):
        state.pop(key, None)
    st.query_params.clear()
