"""What the parts of APES pass to each other: questions, candidates, a reader's answers."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from data.records import PLACEHOLDER
from metrics.text import Span

BLANK = PLACEHOLDER
"""What stands in a question where the answer was."""

PLACES = 6
"""Decimals of a reader's scores: what differs by less is what a model makes of one text in two batches."""


class Question(NamedTuple):
    """A sentence of a reference in which one mention of an entity is blanked."""

    text: str
    """The sentence with one `BLANK`."""
    answer: str
    """What stood there."""
    reference: int | None = None
    """Index of the reference it was made from; None where the data set brought the question."""
    span: Span | None = None
    """Where the answer stands in that reference."""


class CandidateAnswer(NamedTuple):
    """An entity that could be the answer, and where the summary mentions it."""

    name: str
    mentions: tuple[Span, ...]
    """At least one place in the summary."""


class ReadingTask(NamedTuple):
    """One question to be answered from one summary."""

    summary: str
    question: str
    """A text with one `BLANK`."""
    candidates: tuple[CandidateAnswer, ...]
    """At least one."""


class Answer(NamedTuple):
    """A reader's answer to a task."""

    chosen: int
    """Index of the candidate that it picks: the highest score, the first of equal ones."""
    scores: tuple[float, ...]
    """A score a candidate, to `PLACES` decimals, higher is better; the scale is the reader's own."""
    span: Span
    """The mention in the summary that the answer was read from."""
    seen: bool = True
    """Whether the reader saw that mention; one that stands beyond a model's limit is no answer."""


class Reader(Protocol):
    """Answers questions about summaries."""

    @property
    def signature(self) -> str:
        """Its name with everything that its answers depend on, without `|`: it stands in the signature of APES."""

    def read(self, tasks: Sequence[ReadingTask]) -> list[Answer]:
        """Answer a batch, in order."""
