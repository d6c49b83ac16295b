"""What a summarizer is: documents in, candidate summaries out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from data.records import Document, Summary

VERSION = "0.1.0"
"""Version of the summarizers' definitions, part of every signature."""


class Summarizer(Protocol):
    """A system that writes candidate summaries."""

    @property
    def name(self) -> str:
        """The system's name in a data set, such as `lead` or `lead-1`."""

    @property
    def signature(self) -> str:
        """Everything that its output depends on, such as `lead|sentences:3|version:0.1.0`."""

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Write one summary a document, in order; a document that it cannot summarise has none."""
