"""Human-written texts that serve as systems, as upper bounds in a study.

The texts are copied unchanged: `relevance.data.records.make_examples` recognises by them which reference or title to
withhold.
"""

from collections.abc import Sequence

from relevance.data.records import REFERENCE_SYSTEM, TITLE_SYSTEM, Document, Summary
from relevance.data.signatures import signature
from relevance.summarizers.base import VERSION


class Reference:
    """The `number`-th reference, counted from 1; a document with fewer has no summary.

    Raises ValueError if `number` is below 1.
    """

    def __init__(self, number: int) -> None:
        if number < 1:
            raise ValueError(f"references are counted from 1, not {number}")
        self.number = number
        self.name = f"{REFERENCE_SYSTEM}{number}"
        self.signature = signature("reference", VERSION, number=number)

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Copy the reference of each document that has it."""
        return [
            Summary(document.id, self.name, document.references[self.number - 1])
            for document in documents
            if len(document.references) >= self.number
        ]


class Title:
    """The document's title; a document without one has no summary."""

    name = TITLE_SYSTEM
    signature = signature(TITLE_SYSTEM, VERSION)

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Copy the title of each document that has one."""
        return [Summary(document.id, self.name, document.title) for document in documents if document.title]
