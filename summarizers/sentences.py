"""The sentences of a document, in its own words and spacing."""

from __future__ import annotations

from data.records import Document
from metrics.sentences import sentence_spans


def sentences_of(document: Document) -> list[str]:
    """The sentences of a document's source, stripped, without blank ones: those given, else those found by `split`."""
    if isinstance(document.source, str):
        return split(document.source)
    return [sentence for given in document.source if (sentence := given.strip())]


def split(text: str) -> list[str]:
    """Split a text into sentences that stand verbatim in it (`metrics.sentences`)."""
    return [text[start:end] for start, end in sentence_spans(text)]
