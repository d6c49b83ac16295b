"""The annotator: somebody with an invite's link, or somebody who has entered a name."""

import streamlit as st

from relevance.annotation.phase_store import PhaseStore
from relevance.annotation.records import Annotator
from relevance.annotation.store import AnnotationStore
from relevance.data.rights import Visitor
from relevance.hosting.settings import is_hosted
from relevance.pages.components.annotate.wording import WORDING
from relevance.pages.components.shared.stores import Stores, open_stores

state = st.session_state

# Session keys.
INVITE = "invite"  # the token of an invite's link
ANNOTATOR = "annotator"  # the token of the annotator
VIEWING = "viewing"  # the assignment of an earlier pair to show again
SHOWN = "shown"  # the assignment of the pair on the screen, and when it was shown
TYPED = "typed"  # that assignment, and the reason typed for it
FEEDBACK = "training_feedback"  # the feedback on the last answer in the training
STARTED = "started"  # whether the annotator has left the start page
LISTING = "listing"  # whether their judged and skipped pairs are listed
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


def leave() -> None:
    """Forget the name, so that somebody else can start, and show the other pages again."""
    for key in (ANNOTATOR, KNOWN, STARTED, LISTING, VIEWING, SHOWN, FEEDBACK, PREVIEW, WORDING):
        state.pop(key, None)
    st.query_params.clear()
