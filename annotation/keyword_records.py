"""What a review of keywords is made of: its documents, their keywords, what people mark, and what the store refuses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from data.store import StoreError


class ReviewExists(StoreError):
    """A review of that name is already there."""


class UnknownReview(StoreError):
    """There is no review of that name."""


class NoKeywords(StoreError):
    """No extractor found a keyword in any of the documents."""


class NameInUse(StoreError):
    """Somebody of that name marks in the review already, and the caller did not say that they return."""


class UnknownKeyword(StoreError):
    """The document does not belong to the review, or the keyword not to the document."""


class AlreadySaved(StoreError):
    """The annotator has saved the document since it was shown."""


class FoundKeyword(NamedTuple):
    """A keyword of a document, where it stands, and which extractors found it."""

    words: tuple[str, ...]
    """As they were prepared for comparison."""
    found: tuple[tuple[int, int, int], ...]
    """Where they stand: index among the references and the title after them, first character, the one after it all."""
    extractors: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ReviewSpec:
    """The specification of a review."""

    name: str
    dataset: str
    extractors: tuple[str, ...]
    signature: str
    """How the keywords were found: settings and versions."""
    keywords: Mapping[str, Sequence[FoundKeyword]]
    """By document id, of the documents that were drawn (`draw_documents`), in that order."""
    seed: int = 0


@dataclass(frozen=True)
class Review:
    """A review as lists show it."""

    id: int
    name: str
    dataset: str
    extractors: tuple[str, ...]
    signature: str
    seed: int
    documents: int
    """Documents to look at."""
    without: int
    """Documents left out because no extractor found a keyword in them."""
    keywords: int
    annotators: int
    verdicts: int
    """Documents saved, once for each annotator."""
    created_at: datetime


@dataclass(frozen=True)
class KeywordAnnotator:
    """An annotator of keywords; the token reopens their work."""

    id: int
    name: str
    review: str
    token: str


class ShownKeyword(NamedTuple):
    """A keyword as an annotator sees it, without the extractors that found it."""

    id: int
    words: tuple[str, ...]
    found: tuple[tuple[int, int, int], ...]
    """As in `FoundKeyword`."""


@dataclass(frozen=True)
class MarkTask:
    """A document whose keywords the annotator is to check."""

    id: int
    position: int
    """Its place in the review, from 0."""
    title: str | None
    references: tuple[str, ...]
    source: str | tuple[str, ...]
    keywords: tuple[ShownKeyword, ...]
    revision: int
    """How often the annotator has saved it: 0 for a new document."""
    wrong: frozenset[int]
    """The keywords that were marked when it was last saved."""


class MarkProgress(NamedTuple):
    """How far an annotator is."""

    saved: int
    total: int
    """Documents of the review."""


class MarkCounts(NamedTuple):
    """Columns with one entry for each extractor, annotator and document saved."""

    documents: tuple[str, ...]
    annotators: tuple[str, ...]
    extractors: tuple[str, ...]
    keywords: tuple[int, ...]
    """How many keywords the extractor found in the document."""
    wrong: tuple[int, ...]
    """How many of them the annotator marked."""


class MarkDecisions(NamedTuple):
    """Columns with one entry for each keyword and annotator who has saved its document."""

    keywords: tuple[int, ...]
    annotators: tuple[str, ...]
    wrong: tuple[bool, ...]
    """Whether it was marked."""
