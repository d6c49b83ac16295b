"""Functions whose results are kept; slow ones are computed in a process of the pool.

This applies on a hosted server, and on one's own machine for a large data set. There, a run of a page that needs the
result ends at once (`relevance.pages.background.unfinished`); on a hosted server it waits.
"""

import os
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from relevance.data.reading import quote_value
from relevance.hosting.settings import BadSettings, is_hosted
from relevance.pages.background.pool import open_pool
from relevance.pages.background.unfinished import RUN, await_job
from relevance.processes.pool import Call, Job
from relevance.processes.worker import is_worker, tell

P = ParamSpec("P")
T = TypeVar("T")

AT_ONCE = 0.05
"""Seconds within which a kept result arrives."""

LOOK = 0.2
"""Seconds between two checks of the progress."""

LARGE_VARIABLE = "RELEVANCE_LARGE_DATASET"
LARGE = 40_000
"""Summaries from which a data set is large, unless `RELEVANCE_LARGE_DATASET` says otherwise: their scores are read in
.6 s.
"""


def computed(saying: str, *, kept: int = 64, whole: bool = False) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a function of a module's top level whose results are kept, and shared: nobody may change them.

    Its arguments are positional and hashable, and determine the result, so they include the version of what is read;
    only those who may see the result can name them. While it is computed, `saying` is shown. On a hosted server, or if
    an argument says that it is of a large data set (`is_large`), that happens in another process: the result crosses a
    pipe, and should be small. The result of a function that is `whole` is as large as a data set: it stays in that
    process, for other computed functions.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def compute(*arguments: P.args, **_: P.kwargs) -> T:
            tell(saying)
            return function(*arguments, **_)

        here = st.cache_resource(max_entries=kept, show_spinner=saying)(compute)

        @wraps(function)
        def ask(*arguments: P.args, **_: P.kwargs) -> T:
            if not is_hosted() and (is_worker() or whole or not is_large(arguments)):
                found: T = here(*arguments, **_)
                return found
            if whole:
                raise RuntimeError(f"{function.__qualname__} would bring a whole data set into the server's process")
            call, run = Call(function.__module__, function.__qualname__, arguments), RUN.get()
            if run is None or is_hosted():
                result: T = wait_for(call, saying)
            else:
                result = await_job(run, call, partial(describe_progress, saying=saying)).result()
            return result

        return ask

    return decorate


def is_large(arguments: tuple[object, ...]) -> bool:
    """Tell whether an argument has so many `summaries` that the server's process should not compute with them.

    Raises `BadSettings` if the variable in the environment is no number.
    """
    said = os.environ.get(LARGE_VARIABLE) or str(LARGE)
    if not (said.isascii() and said.isdecimal()):
        raise BadSettings(f"{LARGE_VARIABLE} is {quote_value(said)}; it must be a number of summaries, such as {LARGE}")
    return any(getattr(one, "summaries", 0) >= int(said) for one in arguments)


def wait_for(call: Call, saying: str) -> Any:
    """Return the result of a call as soon as a process has it, and show the progress until then.

    The run ends here if another one is asked for meanwhile. Raises what the function raises, and ChildProcessError.
    """
    pool = open_pool()
    job = pool.join(call)
    try:
        if not job.over.wait(AT_ONCE):
            slot = st.empty()
            while not job.over.is_set():
                said = describe_progress(job, saying)
                with slot, st.spinner(said, show_time=True):
                    while describe_progress(job, saying) == said and not job.over.wait(LOOK):
                        give_way()
            slot.empty()
        return job.result()
    finally:
        pool.leave(job)


def give_way() -> None:
    """End this run if another one is asked for: Streamlit checks that whenever the session's state is read."""
    st.session_state.get("waiting")


def describe_progress(job: Job, saying: str) -> str:
    """Say what is being done for a job now."""
    return job.said or (saying if job.begun else f"{saying}: waiting for other tables")
