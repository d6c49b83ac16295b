"""The message of a page while the database is unavailable, and its automatic recovery."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from data.store import DatabaseFailed
from pages.components.shared.stores import open_stores
from reports.escaping import in_markdown

P = ParamSpec("P")


RETRY = 3.0
"""Seconds between two looks whether the database is back."""


def guard_database(draw: Callable[P, None]) -> Callable[P, None]:
    """Decorate a page or fragment so that it explains database failures.

    Streamlit's own message would be that something went wrong, and the page would stay as it is.
    """

    @wraps(draw)
    def run(*args: P.args, **options: P.kwargs) -> None:
        try:
            draw(*args, **options)
        except DatabaseFailed as error:
            show_failure(error)

    return run


def show_failure(error: DatabaseFailed) -> None:
    """Say why the page cannot be drawn, and draw it as soon as the database answers."""
    logging.getLogger("relevance").error("%s (%s)", error, error.__cause__)
    reason = str(error)
    st.error(
        f"{in_markdown(reason[:1].upper() + reason[1:])}. Everything that was shown as saved is kept. "
        "This page goes on by itself when the database can be used again."
    )
    st.session_state.database_failed = time.monotonic()
    wait_for_database()


@st.fragment(run_every=RETRY)
def wait_for_database() -> None:
    """Draw the whole page again when the database answers."""
    # Not at once: a page that fails although the database answers would be drawn without an end.
    if time.monotonic() - st.session_state.database_failed < RETRY / 2:
        return
    try:
        open_stores().data.check()
    except DatabaseFailed:
        return
    st.rerun()


def not_saved(what: str, error: DatabaseFailed) -> str:
    """Say that something was not saved, and why; or that nobody knows, where the database failed in the middle."""
    if error.stored is None:
        return f"{what} may not have been saved: {error}. You will be asked again if it was not."
    return f"{what} was not saved: {error}."
