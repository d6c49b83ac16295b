"""Length: the number of words, the baseline that a metric of relevance has to beat."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from relevance.data.records import Example
from relevance.data.signatures import signature
from relevance.metrics.base import VERSION, Score
from relevance.metrics.kind import MetricKind
from relevance.metrics.text import Span, count_words, counted_words


class LengthEvidence(NamedTuple):
    """The words that were counted."""

    words: tuple[Span, ...]


class Length:
    """The number of words of the candidate by `relevance.metrics.text.counted_words`; a count, and so not in [0, 1]."""

    name = "length"
    signature = signature("length", VERSION, unit="words")

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Count the words of each candidate."""
        return [
            Score(float(count_words(example.candidate)), explain=partial(make_evidence, example.candidate))
            for example in examples
        ]


def make_evidence(text: str) -> LengthEvidence:
    """Return the spans of the counted words."""
    return LengthEvidence(counted_words(text))


LENGTH = MetricKind("length", "Length", "words of the summary", make=Length, evidence=LengthEvidence, by_default=True)
