"""Length: the number of words, the baseline that a metric of relevance has to beat."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from data.records import Example
from metrics.base import Score, signature
from metrics.text import Span


class LengthEvidence(NamedTuple):
    """The words that were counted."""

    words: tuple[Span, ...]


class Length:
    """Whitespace-separated words of the candidate (`len(text.split())`), a count and not in [0, 1]."""

    name = "length"
    signature = signature("length", unit="words")

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Count the words of each candidate."""
        return [
            Score(float(len(example.candidate.split())), explain=partial(evidence, example.candidate))
            for example in examples
        ]


def evidence(text: str) -> LengthEvidence:
    """Where the words stand."""
    return LengthEvidence(tuple(match.span() for match in re.finditer(r"\S+", text)))
