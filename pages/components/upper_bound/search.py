"""The search over all documents, in its own process, for as long as somebody watches."""

import threading
import time
from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from relevance.data.store import Dataset
from relevance.data.wording import format_count
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.computing.page_pool import NOT_HOSTED
from relevance.pages.computing.turns import Turns
from relevance.pages.computing.waiting import end_if_superseded
from relevance.processes.pool import Call, carry_out
from relevance.processes.worker import Told, WorkerProcess, given_out, tell
from relevance.summarizers.oracles.evaluation import OracleTask, evaluate_stored

SEARCH = "search_ended"
"""Session key: an event that is set when the search of this session has ended and stored its results."""

LOOK = 0.5
"""Seconds between two checks of the progress."""

TURNS = Turns(1)
"""The turns of all sessions' searches: each is a process that is busy for minutes."""

PATIENCE = 5.0
"""Seconds in which a search that nobody wants any more may store its results."""


def search_documents(dataset: Dataset, task: OracleTask) -> None:
    """Run every algorithm on the remaining documents, and show the progress."""
    bar = st.progress(0.0, "Starting")
    ended = st.session_state[SEARCH] = threading.Event()
    try:
        with TURNS.stand_in_line() as count_before:
            await_turn(count_before, dataset, bar)
            process = WorkerProcess(NOT_HOSTED)
            try:
                process.ask(carry_out, Call(search_stored.__module__, search_stored.__qualname__, (dataset.name, task)))
                show_progress(process, dataset, bar)
            finally:
                process.end(PATIENCE)
    finally:
        ended.set()
    st.rerun()


def await_turn(count_before: Callable[[], int], dataset: Dataset, bar: DeltaGenerator) -> None:
    """Wait until other sessions' searches are over; the run ends here as in `show_progress`."""
    while before := count_before():
        bar.progress(0.0, f"Waiting for {format_count(before, 'other search', 'other searches')}")
        open_stores().data.dataset(dataset.name)
        end_if_superseded()
        time.sleep(LOOK)


def show_progress(process: WorkerProcess, dataset: Dataset, bar: DeltaGenerator) -> None:
    """Wait for the end of a search; the run ends here if nobody watches, or the visitor may not go on."""
    checked = 0.0
    while True:
        if time.monotonic() - checked >= LOOK:
            open_stores().data.dataset(dataset.name)  # refuses visitors who have been signed out
            checked = time.monotonic()
        if not process.line.poll(LOOK):
            end_if_superseded()  # as the run does when the bar moves
        elif isinstance(heard := process.hear(), Told):
            bar.progress(int(heard.what) / dataset.documents, f"{heard.what} of {dataset.documents} documents")
        else:
            given_out(heard)
            return


def search_stored(dataset: str, task: OracleTask) -> None:
    """Run the search in its own process, and report the number of documents done."""
    evaluate_stored(open_stores().data, dataset, task, processes=1, progress=lambda done, _: tell(str(done)))


def await_stopped() -> None:
    """Wait until a search that this session has stopped has stored its results.

    Streamlit draws a page again in another thread while the run before continues until it next writes to the page, here
    up to half a second later.
    """
    ended: threading.Event | None = st.session_state.get(SEARCH)
    if ended is not None and not ended.is_set():
        with st.spinner("Storing the results"):
            ended.wait()
