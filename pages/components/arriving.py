"""Evidence of models as it arrives: asked for in a thread, so that nobody waits for it who wants something else.

A fragment that waits in a call holds up whatever is asked of the page meanwhile. So it waits a moment only, as long as
models take that are loaded, and is then drawn again by a timer until everything has been answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import lru_cache
from typing import NamedTuple

import streamlit as st

from data.records import Example
from metrics.inspection import LOADING, CannotExplain, Explained, Inspector
from pages.components.explaining import inspector

KEPT = 16
"""Answers that are kept: every metric with a model for the summaries of two or three examples."""

AT_FIRST = 0.4
"""Seconds that the answer is waited for at once: BERTScore's takes about half of it."""

LOOK = 0.25
"""Seconds between two looks whether more has been answered."""


class Asking(NamedTuple):
    """What was asked of the models, and their answers."""

    signatures: tuple[str, ...]
    examples: tuple[Example, ...]
    futures: tuple[tuple[Future[Explained], ...], ...]
    """By signature: the evidence in each of the examples."""

    def answered(self, place: int) -> bool:
        """Whether all is known of the signature at a place."""
        return all(future.done() for future in self.futures[place])

    @property
    def over(self) -> bool:
        """Whether all is known of all."""
        return all(map(self.answered, range(len(self.signatures))))

    def found(self, place: int) -> list[Explained]:
        """The answers of the signature at a place. Raises `CannotExplain`."""
        if any(future.cancelled() for future in self.futures[place]):
            raise CannotExplain("something else was asked meanwhile: choose it again")
        return [future.result() for future in self.futures[place]]


@st.cache_resource(show_spinner=False)
def asking() -> ThreadPoolExecutor:
    """A thread that asks; the process answers one at a time, so that more would only wait for each other."""
    return ThreadPoolExecutor(1, thread_name_prefix="evidence")


@lru_cache(KEPT)
def answer(whom: Inspector, signature: str, example: Example) -> Explained:
    """What the process with the models says, once they are loaded. Raises `CannotExplain`, which is not kept."""
    return whom.explain(signature, example, LOADING)


def ask(signatures: Sequence[str], examples: Sequence[Example]) -> Asking:
    """Ask for the evidence of metrics in summaries, in this order, unless that was the last thing that was asked.

    What was asked before in this session, and was not begun, is not computed any more.
    """
    last: Asking | None = st.session_state.get("asking")
    if last and (last.signatures, last.examples) == (tuple(signatures), tuple(examples)):
        return last
    if last:
        for future in (future for futures in last.futures for future in futures):
            future.cancel()
    whom, thread = inspector(), asking()
    futures = tuple(
        tuple(thread.submit(answer, whom, signature, example) for example in examples) for signature in signatures
    )
    st.session_state.asking = asked = Asking(tuple(signatures), tuple(examples), futures)
    return asked


def wait_a_moment(asked: Asking) -> None:
    """Return when everything is answered, at the latest after `AT_FIRST`."""
    wait([future for futures in asked.futures for future in futures], timeout=AT_FIRST)
