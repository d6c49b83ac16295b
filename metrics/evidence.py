"""Evidence that any metric can give: what of a summary it found in other texts, which pages then mark in both."""

from typing import NamedTuple

from relevance.data.records import Example
from relevance.metrics.text import Span


class TextMatch(NamedTuple):
    """A part of the summary and the part of another text that a metric matched with it."""

    candidate: Span
    """Where it begins and ends in the summary, in characters."""
    text: Span
    """Where the other part begins and ends, in the reference or the source."""
    reference: int | None = 0
    """The index of the reference; None for the source."""


class MatchedEvidence(NamedTuple):
    """All that a metric matched, for a `MetricKind` with this `evidence` and the `renderer` "matched".

    >>> MatchedEvidence((TextMatch((0, 5), (4, 9)),), "1 of 2 words").sentence
    '1 of 2 words'
    """

    matches: tuple[TextMatch, ...]
    sentence: str = ""
    """Text above the summaries, such as the counts behind the value; one sentence or part of one, as plain text."""


def check_evidence(evidence: object, wanted: type | None, example: Example) -> None:
    """Refuse evidence that is not of the type that its metric promises, or that lies outside the texts.

    Raises ValueError.
    """
    if evidence is None:
        return
    if wanted is None or not isinstance(evidence, wanted):
        promised = "none is promised" if wanted is None else f"a {wanted.__name__} is promised"
        raise ValueError(f"its evidence is a {type(evidence).__name__}, and {promised}")
    if isinstance(evidence, MatchedEvidence):
        for match in evidence.matches:
            check_match(match, example)


def check_match(match: TextMatch, example: Example) -> None:
    """Refuse a match that lies outside the texts. Raises ValueError."""
    index = match.reference
    if index is not None and not 0 <= index < len(example.references):
        raise ValueError(f"its evidence is in reference {index} of {len(example.references)}, which count from 0")
    text = example.source if index is None else example.references[index]
    for name, (start, end), length in (
        ("the summary", match.candidate, len(example.candidate)),
        ("the source" if index is None else f"reference {index}", match.text, len(text)),
    ):
        if not 0 <= start < end <= length:
            raise ValueError(f"its evidence is from {start} to {end} in {name}, which has {length} characters")
