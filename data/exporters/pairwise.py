"""A judgment of two summaries, with everything that other programs' formats need."""

from datetime import datetime
from typing import NamedTuple


class JudgedTexts(NamedTuple):
    """An annotator's choice between two summaries of a document."""

    document_id: str
    source: str
    systems: tuple[str, str]
    """The left one first."""
    texts: tuple[str, str]
    chosen: str | None
    """The system that was chosen; None for a tie."""
    both_bad: bool
    """Whether the annotator called both bad, which is a tie."""
    annotator: str
    decided_at: datetime | None
    """None if unknown."""
