"""Length: the number of words, the baseline that a metric of relevance has to beat."""

from __future__ import annotations

from collections.abc import Sequence

from data.records import Example
from metrics.base import Score, signature


class Length:
    """Whitespace-separated words of the candidate (`len(text.split())`), a count and not in [0, 1]."""

    name = "length"
    signature = signature("length", unit="words")

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Count the words of each candidate."""
        return [Score(float(len(example.candidate.split()))) for example in examples]
