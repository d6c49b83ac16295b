"""Runs of pages that end before all is computed: they show the progress, and the page is drawn again after it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from relevance.pages.background.pool import open_pool
from relevance.processes.pool import Call, Job

T = TypeVar("T")

PATIENCE = 0.25
"""Seconds at the start of a run in which results are waited for before the progress is shown."""

LOOK = 0.5
"""Seconds between two checks of the progress."""

LEASE = 5.0
"""Seconds after a check in which a session counts as waiting: a browser may slow down a page's timer."""

READ = "read_at_first"
"""Session key: the values that `read_at_first` read, until a run of the page is complete."""

JOBS = "awaited_jobs"
"""Session key: the jobs that the page waits for, by call, until a run of the page is complete."""


class StillComputing(StopException):
    """The page is drawn as far as possible: what it needs next is being computed."""


class PageRun:
    """A run of a whole page, which need not wait for what a large data set takes."""

    def __init__(self) -> None:
        self.patient_until = time.monotonic() + PATIENCE
        self.awaited: set[Call] = set()
        """The calls that this run continued without, or ended for."""


RUN: ContextVar[PageRun | None] = ContextVar("page_run", default=None)
"""The current run of a page; None in fragments, callbacks and their own threads, which wait."""


@contextmanager
def page_run() -> Iterator[None]:
    """Run a page that may end unfinished; only then is anything kept for its next run."""
    run = PageRun()
    token = RUN.set(run)
    ended = False
    try:
        yield
        ended = True
    except StopException:
        ended = True
        raise
    finally:
        RUN.reset(token)
        if not ended or not run.awaited:
            st.session_state.pop(READ, None)
            st.session_state.pop(JOBS, None)


def is_unfinished() -> bool:
    """Tell whether the current run has left out something that is being computed."""
    run = RUN.get()
    return run is not None and bool(run.awaited)


def read_at_first(name: str, read: Callable[[], T]) -> T:
    """Return the value read in the first of the runs that together draw a page.

    Otherwise a version that changes every second, such as that of scores while a metric is run, would be new whenever
    the result for the last one is ready, and the page would never be complete.
    """
    if RUN.get() is None:
        return read()
    kept: dict[str, T] = st.session_state.setdefault(READ, {})
    if name not in kept:
        kept[name] = read()
    return kept[name]


def later(ask: Callable[[], T]) -> T | None:
    """Return what `ask` returns, or None while it is being computed; the page continues without it."""
    try:
        return ask()
    except StillComputing:
        return None


def await_job(run: PageRun, call: Call, describe: Callable[[Job], str]) -> Job:
    """Return the job of a call, which is over; the session holds it. Raises `StillComputing` if it takes longer."""
    held: dict[Call, Job] = st.session_state.setdefault(JOBS, {})
    job = held.get(call)
    if job is None or job.given_up:
        job = held[call] = open_pool().hold(call, LEASE)
    if job.over.wait(max(0.0, run.patient_until - time.monotonic())):
        return job
    if call not in run.awaited:
        run.awaited.add(call)
        show_progress(job, describe)
    raise StillComputing


@st.fragment(run_every=LOOK)
def show_progress(job: Job, describe: Callable[[Job], str]) -> None:
    """Show the progress of a job, and draw the page again when it is over."""
    if job.over.is_set():
        st.rerun()
    open_pool().hold(job.call, LEASE)
    took = int(time.monotonic() - job.asked)
    st.status(f"{describe(job)} ({took // 60}:{took % 60:02})", state="running")
