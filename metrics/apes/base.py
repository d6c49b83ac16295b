"""The records that the parts of APES exchange: questions, candidates, a reader's answers."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from relevance.data.records import PLACEHOLDER
from relevance.metrics.text import Span

BLANK = PLACEHOLDER
"""The text in a question that replaces the answer."""

PLACES = 6
"""The decimals of a reader's scores: smaller differences come from the batch that a text is in."""


class Question(NamedTuple):
    """A sentence of a reference in which a mention of an entity is replaced by a blank."""

    text: str
    """The sentence with one `BLANK`."""
    answer: str
    """The replaced mention."""
    reference: int | None = None
    """The index of its reference; None if the question came with the data set."""
    span: Span | None = None
    """The span of the answer in that reference."""


class CandidateAnswer(NamedTuple):
    """An entity that could be the answer, with its mentions in the summary."""

    name: str
    mentions: tuple[Span, ...]
    """The spans of its mentions in the summary, at least one."""


class ReadingTask(NamedTuple):
    """A question to be answered from a summary."""

    summary: str
    question: str
    """A text with one `BLANK`."""
    candidates: tuple[CandidateAnswer, ...]
    """The possible answers, at least one."""


class Answer(NamedTuple):
    """A reader's answer to a task."""

    chosen: int
    """The index of the candidate with the highest score, the first of equals."""
    scores: tuple[float, ...]
    """The score of each candidate, to `PLACES` decimals; higher is better, and the scale is the reader's own."""
    span: Span
    """The mention in the summary that the answer was read from."""
    seen: bool = True
    """True if the reader saw that mention; one beyond a model's limit is not an answer."""


class Reader(Protocol):
    """The interface of readers, which answer questions about summaries."""

    @property
    def signature(self) -> str:
        """Its name with everything that its answers depend on, without `|`, as it is part of the signature of APES."""

    def read(self, tasks: Sequence[ReadingTask]) -> list[Answer]:
        """Answer a batch, in order."""
