"""The step from one phase to the next: what a button of a phase does, and what is said where it was refused."""

from collections.abc import Callable

import streamlit as st

from data.store import DatabaseFailed, NotSignedIn, StoreError
from pages.components.annotate.annotator import state
from pages.components.annotate.answers import NOTICE, describe_refusal
from pages.components.annotate.wording import not_saved, say
from reports.escaping import in_markdown


def step(call: Callable[[], object]) -> None:
    """Have a store do something, and keep what it refuses to be said; the page then shows the phase that is reached."""
    try:
        call()
    except NotSignedIn:
        return  # the page says it
    except DatabaseFailed as error:
        state[NOTICE] = not_saved(say("Your answer"), error)
    except StoreError as error:
        state[NOTICE] = describe_refusal(error)


def show_notice() -> None:
    """Say what became of the last choice, where it was not simply saved; it stays until a pair is shown."""
    if notice := state.get(NOTICE):
        st.warning(in_markdown(notice))
