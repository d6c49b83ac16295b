"""What a data set is like before anybody scores it: its keywords and the lengths of its texts."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from data.records import Document
from metrics.keywords.overlap import compared_texts, overlap_keywords
from metrics.keywords.recall import Records
from metrics.languages import ENGLISH
from metrics.sentences import sentence_spans
from metrics.text import count_words


class KeywordStatistics(NamedTuple):
    """The references of a data set and the keywords that they share (Takeshita et al. 2024, Table 4)."""

    documents: int
    references: float | None
    """References per document, the title among them where it counts as one."""
    keywords: float | None
    """Keywords per document; a document without any counts as 0."""
    words: float | None
    """Content words per keyword, over all keywords."""
    without: int
    """Documents without a keyword."""


class Lengths(NamedTuple):
    """How a length is distributed (Akhmetov et al. 2022 describe their documents and abstracts in this way)."""

    of: str
    """What is measured, such as `reference`."""
    unit: str
    """`count_text_words`, as the metric `length` counts them, or `sentences`."""
    n: int
    """Texts, or documents with a ratio."""
    mean: float
    std: float | None
    """With n - 1 as divisor; None for a single one."""
    minimum: float
    lower: float
    """The quartile below which a quarter lies."""
    median: float
    upper: float
    """The quartile above which a quarter lies."""
    maximum: float


def keyword_statistics(
    documents: Iterable[Document], title: str = "always", language: str = ENGLISH
) -> KeywordStatistics:
    """Count references and the keywords that two or more of them share; `title` says when the title is one of them."""
    texts = [compared_texts(document.references, document.title, title) for document in documents]
    found = [overlap_keywords(of_document, language) for of_document in texts]
    count = sum(map(len, found))
    return KeywordStatistics(
        documents=len(texts),
        references=sum(map(len, texts)) / len(texts) if texts else None,
        keywords=count / len(texts) if texts else None,
        words=sum(len(keyword.words) for keywords in found for keyword in keywords) / count if count else None,
        without=sum(not keywords for keywords in found),
    )


def length_statistics(records: Records, systems: Collection[str] | None = None) -> list[Lengths]:
    """Words and sentences of sources, references, titles and summaries, and how much shorter references are.

    Texts that are not there, empty sources and empty summaries are left out, kinds of text that nobody has, and the
    summaries of other `systems`, where they are named.
    """
    texts: dict[str, list[str | tuple[str, ...]]] = {"source": [], "reference": [], "title": [], "summary": []}
    ratios = []
    for document, summaries in records:
        texts["source"] += [document.source] if document.source_text.strip() else []
        texts["reference"] += document.references
        texts["title"] += [document.title] if document.title is not None else []
        texts["summary"] += [
            summary.text
            for summary in summaries
            if not summary.is_empty and (systems is None or summary.system in systems)
        ]
        length = count_text_words(document.source)
        ratios += [length / count_text_words(reference) for reference in document.references if length]
    measured = [
        distribution(of, unit, [count(text) for text in found])
        for of, found in texts.items()
        for unit, count in (("words", count_text_words), ("sentences", sentences))
        if found and (of, unit) != ("title", "sentences")
    ]
    return [*measured, *([distribution("source : reference", "words", ratios)] if ratios else [])]


def count_text_words(text: str | tuple[str, ...]) -> int:
    """How many words a text, or its sentences, have."""
    return count_words(text if isinstance(text, str) else " ".join(text))


def sentences(text: str | tuple[str, ...]) -> int:
    """How many sentences a text has; given sentences are counted as they are."""
    return len(sentence_spans(text) if isinstance(text, str) else text)


def distribution(of: str, unit: str, values: Sequence[float]) -> Lengths:
    """Describe some lengths, one at least."""
    column = np.array(values, dtype=np.float64)
    ends = (float(value) for value in np.quantile(column, (0, 0.25, 0.5, 0.75, 1)))
    return Lengths(
        of, unit, len(column), float(column.mean()), float(column.std(ddof=1)) if len(column) > 1 else None, *ends
    )
