"""Runs of pages that end before all is computed: they say what is being done, and the page is drawn anew after it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from pages.background.pool import Call, Job, open_pool

T = TypeVar("T")

PATIENCE = 0.25
"""Seconds of a run in which results are waited for before it is said that they are being computed."""

LOOK = 0.5
"""Seconds between two looks at what is being computed."""

LEASE = 5.0
"""Seconds after a look for which a session is taken to be waiting still: a browser may slow down a page's timer."""

READ = "read_at_first"
"""Session key: what `read_at_first` found, until a run of the page is whole."""

JOBS = "awaited_jobs"
"""Session key: what the page waits for, by its calls, until a run of the page is whole."""


class StillComputing(StopException):
    """The page is drawn as far as it can be: what it needs next is being computed."""


class PageRun:
    """A run of a whole page, which need not wait for what a large data set takes."""

    def __init__(self) -> None:
        self.patient_until = time.monotonic() + PATIENCE
        self.awaited: set[Call] = set()
        """What this run went on without, or ended for."""


RUN: ContextVar[PageRun | None] = ContextVar("page_run", default=None)
"""The run of a page that is going on; none in fragments, callbacks and threads of their own, which wait."""


@contextmanager
def page_run() -> Iterator[None]:
    """Run a page which may end unfinished; only then is anything kept for its next run."""
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
    """Whether the run that is going on has left out what is being computed."""
    run = RUN.get()
    return run is not None and bool(run.awaited)


def read_at_first(name: str, read: Callable[[], T]) -> T:
    """What is read in the first of the runs that together draw a page.

    A version that moves every second, such as that of scores while a metric is run, would otherwise be another one
    whenever what was computed of it is there, and the page never whole.
    """
    if RUN.get() is None:
        return read()
    kept: dict[str, T] = st.session_state.setdefault(READ, {})
    if name not in kept:
        kept[name] = read()
    return kept[name]


def later(ask: Callable[[], T]) -> T | None:
    """What `ask` returns; None where that is being computed, without which the page goes on."""
    try:
        return ask()
    except StillComputing:
        return None


def await_job(run: PageRun, call: Call, describe: Callable[[Job], str]) -> Job:
    """The job of a call, which is over; it is held for the session. Raises `StillComputing` where it takes longer."""
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
    """Say what is being done for a job, and draw the page anew when it is over."""
    if job.over.is_set():
        st.rerun()
    open_pool().hold(job.call, LEASE)
    took = int(time.monotonic() - job.asked)
    st.status(f"{describe(job)} ({took // 60}:{took % 60:02})", state="running")
