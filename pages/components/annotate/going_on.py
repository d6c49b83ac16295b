"""The step from one phase to the next, and the message if it was refused."""

from collections.abc import Callable

import streamlit as st

from relevance.data.store import DatabaseFailed, NotSignedIn, StoreError
from relevance.pages.components.annotate.actions import NOTICE, describe_refusal
from relevance.pages.components.annotate.annotator import state
from relevance.pages.components.annotate.wording import not_saved, say
from relevance.reports.escaping import in_markdown


def step(call: Callable[[], object]) -> None:
    """Run a store's action and keep its refusal, if any, to be shown; the page then shows the phase reached."""
    try:
        call()
    except NotSignedIn:
        return  # the page says so
    except DatabaseFailed as error:
        state[NOTICE] = not_saved(say("Your answer"), error)
    except StoreError as error:
        state[NOTICE] = describe_refusal(error)


def show_notice() -> None:
    """Show what became of the last choice if it was not simply saved; it stays until a pair is shown."""
    if notice := state.get(NOTICE):
        st.warning(in_markdown(notice))
