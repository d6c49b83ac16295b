"""Records of a review of keywords: its documents, their keywords, people's marks, and the errors of its store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from relevance.data.store import StoreError


class ReviewExists(StoreError):
    """A review of that name is already there."""


class UnknownReview(StoreError):
    """There is no review of that name."""


class NoKeywords(StoreError):
    """No extractor found a keyword in any of the documents."""


class NameInUse(StoreError):
    """Somebody of that name already marks in the review, and the caller did not say that they return."""


class UnknownKeyword(StoreError):
    """The document does not belong to the review, or the keyword not to the document."""


class AlreadySaved(StoreError):
    """The annotator has saved the document since it was shown."""


class FoundKeyword(NamedTuple):
    """A keyword of a document, its places, and the extractors that found it."""

    words: tuple[str, ...]
    """The words as prepared for comparison."""
    places: tuple[tuple[int, int, int], ...]
    """Its places: index of the text (references, then the title), first character, end (exclusive)."""
    extractors: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ReviewSpec:
    """The specification of a review."""

    name: str
    dataset: str
    extractors: tuple[str, ...]
    signature: str
    """The settings and versions with which the keywords were found."""
    keywords: Mapping[str, Sequence[FoundKeyword]]
    """The keywords by document id, for the drawn documents (`draw_documents`) in that order."""
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
    """The number of documents to look at."""
    without: int
    """Documents left out because no extractor found a keyword in them."""
    keywords: int
    annotators: int
    verdicts: int
    """The number of documents saved, counted once for each annotator."""
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
    places: tuple[tuple[int, int, int], ...]
    """As in `FoundKeyword`."""


@dataclass(frozen=True)
class MarkTask:
    """A document whose keywords the annotator is to check."""

    id: int
    position: int
    """Its position in the review, from 0."""
    title: str | None
    references: tuple[str, ...]
    source: str | tuple[str, ...]
    keywords: tuple[ShownKeyword, ...]
    revision: int
    """The number of times that the annotator has saved it: 0 for a new document."""
    wrong: frozenset[int]
    """The keywords that were marked when it was last saved."""


class MarkProgress(NamedTuple):
    """An annotator's progress."""

    saved: int
    total: int
    """Documents of the review."""


class MarkCounts(NamedTuple):
    """Columns with one entry for each extractor, annotator and document saved."""

    documents: tuple[str, ...]
    annotators: tuple[str, ...]
    extractors: tuple[str, ...]
    keywords: tuple[int, ...]
    """The number of keywords that the extractor found in the document."""
    wrong: tuple[int, ...]
    """The number of these that the annotator marked."""


class MarkDecisions(NamedTuple):
    """Columns with one entry for each keyword and each annotator who has saved its document."""

    keywords: tuple[int, ...]
    annotators: tuple[str, ...]
    wrong: tuple[bool, ...]
    """True where the keyword was marked."""
