"""Functions that take long on a page: they say what they compute; where that happens is decided here for all.

On one's own machine a function is carried out in the server's process, unless it is of a large data set; otherwise in a
process of the pool. Whoever asks waits, and sees what is being done (`relevance.pages.computing.waiting`).
"""

import os
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import streamlit as st

from relevance.data.reading import quote_value
from relevance.hosting.settings import BadSettings, is_hosted
from relevance.pages.computing.waiting import await_result
from relevance.processes.pool import Call
from relevance.processes.worker import is_worker, tell

P = ParamSpec("P")
T = TypeVar("T")

LARGE_VARIABLE = "RELEVANCE_LARGE_DATASET"
LARGE = 40_000
"""Summaries from which a data set is large, unless `RELEVANCE_LARGE_DATASET` says otherwise: their scores are read in
.6 s.
"""


def computed(saying: str, *, kept: int = 64) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a function of a module's top level whose results are kept, and shared: nobody may change them.

    Its arguments are positional and hashable, and determine the result, so they include the version of what is read;
    only those who may see the result can name them. `saying` is shown while it is computed. The result may come from
    another process (`stays_here`), and should be small.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        here = keep_here(function, saying, kept)

        @wraps(function)
        def ask(*arguments: P.args, **_: P.kwargs) -> T:
            if stays_here(arguments):
                return here(*arguments, **_)
            result: T = await_result(Call(function.__module__, function.__qualname__, arguments), saying)
            return result

        return ask

    return decorate


def whole(saying: str, *, kept: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a function whose result is as large as a data set: it is for computed functions, and crosses no pipe.

    On a hosted server, such a function raises RuntimeError in the server's process.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        here = keep_here(function, saying, kept)

        @wraps(function)
        def ask(*arguments: P.args, **_: P.kwargs) -> T:
            if is_hosted():
                raise RuntimeError(f"{function.__qualname__} would bring a whole data set into the server's process")
            return here(*arguments, **_)

        return ask

    return decorate


def keep_here(function: Callable[P, T], saying: str, kept: int) -> Callable[P, T]:
    """Return the function with its results kept in this process, which tells whoever waits for it what it does."""

    @wraps(function)
    def compute(*arguments: P.args, **_: P.kwargs) -> T:
        tell(saying)
        return function(*arguments, **_)

    here: Callable[P, T] = st.cache_resource(max_entries=kept, show_spinner=saying)(compute)
    return here


def stays_here(arguments: tuple[object, ...]) -> bool:
    """Tell whether this process carries out a function: it is of the pool, or serves one person and little data.

    Raises `BadSettings`.
    """
    return is_worker() or not (is_hosted() or is_large(arguments))


def is_large(arguments: tuple[object, ...]) -> bool:
    """Tell whether an argument has so many `summaries` that the server's process should not compute with them.

    Raises `BadSettings` if the variable in the environment is not a number.
    """
    limit = os.environ.get(LARGE_VARIABLE) or str(LARGE)
    if not (limit.isascii() and limit.isdecimal()):
        raise BadSettings(
            f"{LARGE_VARIABLE} is {quote_value(limit)}; it must be a number of summaries, such as {LARGE}"
        )
    return any(getattr(argument, "summaries", 0) >= int(limit) for argument in arguments)
