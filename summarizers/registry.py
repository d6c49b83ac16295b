"""The summarizers by name: these dicts name them all.

A summarizer writes at most one summary a document: what it skipped shows as `len(summaries) < len(documents)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from data.records import REFERENCE_SYSTEM, TITLE_SYSTEM
from summarizers.base import Summarizer
from summarizers.human import Reference, Title
from summarizers.lead import Lead
from summarizers.textrank import TextRank


class UnknownSummarizer(ValueError):  # noqa: N818  named for the situation
    """A summarizer name that is neither in `SUMMARIZERS` nor one of `NUMBERED` with a number from 1."""


SUMMARIZERS: dict[str, Callable[[], Summarizer]] = {
    "lead": Lead,
    "textrank": TextRank,
    TITLE_SYSTEM: Title,
}

NUMBERED: dict[str, Callable[[int], Summarizer]] = {  # by what stands before the number
    "lead-": Lead,  # how many sentences
    "textrank-": TextRank,  # how many sentences
    REFERENCE_SYSTEM: Reference,  # which one
}


def summarizer(name: str) -> Summarizer:
    """Make a summarizer by its name, such as `lead`, `textrank-2` or `reference:1`. Raises `UnknownSummarizer`."""
    if name in SUMMARIZERS:
        return SUMMARIZERS[name]()
    numbered = re.fullmatch(r"(.*?)([1-9][0-9]{0,8})", name)
    if numbered and numbered[1] in NUMBERED:
        return NUMBERED[numbered[1]](int(numbered[2]))
    known = ", ".join([*SUMMARIZERS, *(f"{form}K" for form in NUMBERED)])
    raise UnknownSummarizer(f"unknown summarizer {name!r}; known are {known}, where K is a number from 1")
