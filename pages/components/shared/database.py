"""The messages of pages while the database is unavailable, their recovery from it, and refusals to show a page."""

import logging
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from relevance.annotation.records import NotAssigned, UnknownStudy
from relevance.data.store import DatabaseFailed, NotAllowed, NotSignedIn, StoreError
from relevance.pages.components.shared.messages import sentence
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.escaping import in_markdown

P = ParamSpec("P")

JUDGING_ONLY = "judging_only"
"""Session key: whether the visitor came to judge, and so is shown nothing of the server's paths and settings."""

RETRY = 3.0
"""Seconds between two checks of whether the database is back."""


def guard_database(draw: Callable[P, None]) -> Callable[P, None]:
    """Decorate a page or fragment so that it explains failures of the database, ended sign-ins and refusals.

    Streamlit itself would only say that something went wrong, and leave the page as it is.
    """

    @wraps(draw)
    def run(*args: P.args, **options: P.kwargs) -> None:
        try:
            draw(*args, **options)
        except DatabaseFailed as error:
            show_failure(error)
        except NotSignedIn as error:
            show_refusal(error)
            st.html('<p><a href="/sign-in" target="_self">Sign in</a></p>')
        except (NotAllowed, NotAssigned, UnknownStudy, ChildProcessError) as error:
            show_refusal(error)

    return run


def show_refusal(error: StoreError | ChildProcessError) -> None:
    """Say why the visitor does not see the page, or not all of it."""
    st.error(in_markdown(sentence(str(error))))


def show_failure(error: DatabaseFailed) -> None:
    """Say why the page cannot be drawn, and draw it again as soon as the database answers."""
    logging.getLogger("relevance").error("%s (%s)", error, error.__cause__)
    reason = error.for_annotators if st.session_state.get(JUDGING_ONLY) else str(error)
    st.error(
        f"{in_markdown(sentence(reason))} Everything that was shown as saved is kept. "
        "This page goes on by itself when the database can be used again."
    )
    draw_again_when_it_answers()


def draw_again_when_it_answers() -> None:
    """Draw the whole page again as soon as the database answers, but not at once."""
    st.session_state.database_failed = time.monotonic()
    wait_for_database()


@st.fragment(run_every=RETRY)
def wait_for_database() -> None:
    """Draw the whole page again when the database answers."""
    # Not at once: a page that fails although the database answers would be redrawn for ever.
    if time.monotonic() - st.session_state.database_failed < RETRY / 2:
        return
    try:
        open_stores().data.check()
    except DatabaseFailed:
        return
    st.rerun()


def not_saved(what: str, error: DatabaseFailed, then: str = "You will be asked again if it was not.") -> str:
    """Say that something was not saved, and why; or that this is unknown, where the database failed midway.

    `then` says how it will become clear.
    """
    if error.stored is None:
        return f"{what} may not have been saved: {error}. {then}"
    return f"{what} was not saved: {error}."
