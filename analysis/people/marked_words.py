"""Overlap of the words that people marked with keywords, and the overlap expected by chance.

Precision is the share of marked words that belong to a keyword, recall the share of keywords' occurrences with a marked
word. Chance is the expectation if as many words of each text were marked at random, each set of words as likely as any
other (the hypergeometric distribution).
"""

from collections.abc import Iterable, Sequence
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.analysis.arrays import sort_naturally
from relevance.analysis.ratio_intervals import Interval, interval_of_counts

NO_MARKS = "nobody marked a word that counts"
NO_OCCURRENCE = "no keyword occurs in its texts"


class MarkedText(NamedTuple):
    """The words of one text: those that somebody marked, and the positions of keywords."""

    document: str
    marked: NDArray[np.bool_]
    """Whether somebody marked each word, shape (words,)."""
    occurrences: Sequence[tuple[int, int]]
    """The numbers, from 0, of the first word of each occurrence of a keyword and of the word after its last."""
    missing: str | None = None
    """The reason why its document has no keywords, or None."""


class MarkCounts(NamedTuple):
    """Counts of marks and keywords in some texts, with their expectations if words were marked at random."""

    texts: int
    words: int
    marked: int
    """Words that somebody marked."""
    of_keywords: int
    """Words that belong to an occurrence of a keyword."""
    both: int
    """Marked words that belong to an occurrence of a keyword."""
    both_by_chance: float
    occurrences: int
    hits: int
    """Occurrences of keywords with a marked word."""
    hits_by_chance: float

    @property
    def precision(self) -> float | None:
        """The share of the marked words that belong to a keyword, in [0, 1]; None if nothing is marked."""
        return self.both / self.marked if self.marked else None

    @property
    def chance_of_precision(self) -> float | None:
        """Its expected value by chance."""
        return self.both_by_chance / self.marked if self.marked else None

    @property
    def recall(self) -> float | None:
        """The share of keywords' occurrences with a marked word, in [0, 1].

        None if nothing is marked, or no keyword occurs.
        """
        return self.hits / self.occurrences if self.marked and self.occurrences else None

    @property
    def chance_of_recall(self) -> float | None:
        """Its expected value by chance."""
        return self.hits_by_chance / self.occurrences if self.marked and self.occurrences else None


NOTHING = MarkCounts(0, 0, 0, 0, 0, 0.0, 0, 0, 0.0)


class DocumentMarks(NamedTuple):
    """One document's marks beside its keywords."""

    document: str
    counts: MarkCounts
    missing: str | None
    """The reason why neither ratio is counted, or None."""


class MarkComparison(NamedTuple):
    """Marks beside keywords, of all documents together and of each."""

    documents: list[DocumentMarks]
    """The documents, sorted by their names, M2 before M10."""
    counts: MarkCounts
    """Counts of the documents with marks and keywords; words and occurrences count the same in all of them."""
    precision: Interval
    """The interval over documents."""
    recall: Interval
    """The interval over documents."""


def compare_marks(texts: Iterable[MarkedText]) -> MarkComparison:
    """Compare the words that people marked in some texts with keywords.

    Ratios are those of sums over all texts; their intervals are Clopper and Pearson's for an effective number of words
    or occurrences, given the variance over documents (`relevance.analysis.ratio_intervals`), as percentiles of a
    bootstrap over documents have too little coverage near 0 and 1. A document without keywords or marks is left out of
    both.
    """
    by_document: dict[str, list[MarkedText]] = {}
    for text in texts:
        by_document.setdefault(text.document, []).append(text)
    documents = [of_document(str(name), by_document[str(name)]) for name in sort_naturally(by_document)]
    counted = [document.counts for document in documents if document.missing is None]
    return MarkComparison(
        documents,
        add_counts(counted),
        interval_of_counts([counts.both for counts in counted], [counts.marked for counts in counted]),
        interval_of_counts([counts.hits for counts in counted], [counts.occurrences for counts in counted]),
    )


def add_counts(counts: Iterable[MarkCounts]) -> MarkCounts:
    """Add up the counts of several texts."""
    return MarkCounts(*(sum(column) for column in zip(NOTHING, *counts, strict=True)))


def count_marks(text: MarkedText) -> MarkCounts:
    """Count one text. Raises `ValueError` for an occurrence that is empty or outside of it."""
    words, marked = len(text.marked), int(text.marked.sum())
    of_keywords = np.zeros(words, dtype=np.bool_)
    marked_occurrences = 0
    by_chance = 0.0
    for start, end in text.occurrences:
        if not 0 <= start < end <= words:
            raise ValueError(f"an occurrence from {start} to {end} is not in a text of {words} words")
        of_keywords[start:end] = True
        marked_occurrences += bool(text.marked[start:end].any())
        by_chance += 1 - chance_of_none(words, marked, end - start)
    inside = int(of_keywords.sum())
    return MarkCounts(
        texts=1,
        words=words,
        marked=marked,
        of_keywords=inside,
        both=int((text.marked & of_keywords).sum()),
        both_by_chance=marked * inside / words if words else 0.0,
        occurrences=len(text.occurrences),
        hits=marked_occurrences,
        hits_by_chance=by_chance,
    )


def chance_of_none(words: int, marked: int, size: int) -> float:
    """Compute the probability that none of `size` words is among `marked` ones drawn from `words` (hypergeometric)."""
    return comb(words - marked, size) / comb(words, size)


def of_document(name: str, texts: Sequence[MarkedText]) -> DocumentMarks:
    """Add up the counts of the texts of a document, or say why there are none."""
    counts = add_counts(map(count_marks, texts))
    missing = next((text.missing for text in texts if text.missing is not None), None)
    return DocumentMarks(name, counts, missing or (None if counts.marked else NO_MARKS))
