"""Waiting for what a process of the pool computes: its progress is shown, and what can be drawn without it is drawn."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from relevance.pages.computing.page_pool import open_pool
from relevance.processes.pool import Call, Job

T = TypeVar("T")

AT_ONCE = 0.05
"""Seconds within which a kept result arrives."""

PATIENCE = 0.25
"""Seconds at the start of a run in which a page waits for what it can be drawn without."""

LOOK = 0.2
"""Seconds between two checks of whether a run is still wanted."""

REDRAW = 0.5
"""Seconds between two checks of what a page was drawn without."""

LEASE = 5.0
"""Seconds after a check in which a session counts as waiting: a browser may slow down a page's timer."""

READ = "read_at_first"
"""Session key: the values that `read_at_first` read, until a run of the page is complete."""

JOBS = "awaited_jobs"
"""Session key: the jobs that the page was drawn without, by call, until a run of the page is complete."""


class StillComputing(Exception):
    """The block of `if_ready` cannot be left with a result yet."""


class PageRun:
    """A run of a whole page."""

    def __init__(self) -> None:
        self.patient_until = time.monotonic() + PATIENCE
        self.without: set[Call] = set()
        """The calls whose results it was drawn without."""
        self.is_optional = False
        """Whether the page can be drawn without what is asked for now."""


RUN: ContextVar[PageRun | None] = ContextVar("page_run", default=None)
"""The current run of a page; None in fragments, callbacks and threads of their own."""


@contextmanager
def page_run() -> Iterator[None]:
    """Run a page; once it is drawn with everything, nothing is kept for its next run."""
    run = PageRun()
    # at the end of a run that `st.stop` ended, the session's state can no longer be read
    kept = [st.session_state.setdefault(name, {}) for name in (READ, JOBS)]
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
        if not ended or not run.without:
            for earlier in kept:
                earlier.clear()


def is_unfinished() -> bool:
    """Tell whether the current run has left out something that is being computed."""
    run = RUN.get()
    return run is not None and bool(run.without)


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


def if_ready(ask: Callable[[], T]) -> T | None:
    """Return what `ask` returns, or None while it is being computed: the page is drawn without it, and then again."""
    run = RUN.get()
    if run is None:
        return ask()
    run.is_optional = True
    try:
        return ask()
    except StillComputing:
        return None
    finally:
        run.is_optional = False


def await_result(call: Call, saying: str) -> Any:
    """Return the result of a call when a process has it; until then its progress is shown, or else `saying`.

    Raises what the function raises, ChildProcessError, and `StillComputing` within `if_ready`.
    """
    run = RUN.get()
    if run is not None and run.is_optional:
        return find_result(run, call, saying)
    return wait_for(call, saying)


def wait_for(call: Call, saying: str) -> Any:
    """Wait for the result of a call; this run ends if another one is asked for meanwhile."""
    pool = open_pool()
    job = pool.join(call)
    try:
        if not job.over.wait(AT_ONCE):
            slot = st.empty()
            while not job.over.is_set():
                progress = describe_progress(job, saying)
                with slot, st.spinner(progress, show_time=True):
                    while describe_progress(job, saying) == progress and not job.over.wait(LOOK):
                        end_if_superseded()
            slot.empty()
        return job.result()
    finally:
        pool.leave(job)


def end_if_superseded() -> None:
    """End this run if another one is asked for: Streamlit checks that whenever the session's state is read."""
    st.session_state.get("waiting")


def find_result(run: PageRun, call: Call, saying: str) -> Any:
    """Return the result of a call if a process has it soon; otherwise see to it that the page is drawn again then."""
    held: dict[Call, Job] = st.session_state.setdefault(JOBS, {})
    job = held.get(call)
    if job is None or job.given_up:
        job = held[call] = open_pool().hold(call, LEASE)
    if job.over.wait(max(0.0, run.patient_until - time.monotonic())):
        return job.result()
    if call not in run.without:
        run.without.add(call)
        show_progress(job, saying)
    raise StillComputing


@st.fragment(run_every=REDRAW)
def show_progress(job: Job, saying: str) -> None:
    """Show the progress of a job, and draw the page again when it is over."""
    if job.over.is_set():
        st.rerun()
    open_pool().hold(job.call, LEASE)
    took = int(time.monotonic() - job.requested_at)
    st.status(f"{describe_progress(job, saying)} ({took // 60}:{took % 60:02})", state="running")


def describe_progress(job: Job, saying: str) -> str:
    """Say what is being done for a job now."""
    return job.progress or (saying if job.begun else f"{saying}: waiting for other tables")
