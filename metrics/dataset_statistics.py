"""Statistics of a data set that need no scores: its keywords and the lengths of its texts."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from relevance.data.records import Document
from relevance.metrics.keywords.overlap import compared_texts, overlap_keywords
from relevance.metrics.keywords.recall import Records
from relevance.metrics.languages import ENGLISH
from relevance.metrics.sentences import sentence_spans
from relevance.metrics.text import count_words


class KeywordStatistics(NamedTuple):
    """The references of a data set and the keywords that they share (Takeshita et al. 2024, Table 4)."""

    documents: int
    references: float | None
    """References per document, including the title if it counts as one."""
    keywords: float | None
    """Keywords per document; a document without any counts as 0."""
    words: float | None
    """Content words per keyword, over all keywords."""
    without: int
    """Documents without a keyword."""


class Lengths(NamedTuple):
    """The distribution of a length (Akhmetov et al. 2022 describe their documents and abstracts in this way)."""

    of: str
    """The measured texts, such as `reference`."""
    unit: str
    """`words`, as the metric `length` counts them, or `sentences`."""
    n: int
    """The number of texts, or of documents with a ratio."""
    mean: float
    std: float | None
    """The standard deviation with divisor n - 1; None for a single value."""
    minimum: float
    lower: float
    """The lower quartile."""
    median: float
    upper: float
    """The upper quartile."""
    maximum: float


def keyword_statistics(
    documents: Iterable[Document], title: str = "always", language: str = ENGLISH
) -> KeywordStatistics:
    """Count references and the keywords that two or more of them share; `title` says when the title is one of them."""
    texts = [compared_texts(document.references, document.title, title) for document in documents]
    by_document = [overlap_keywords(of_document, language) for of_document in texts]
    count = sum(map(len, by_document))
    return KeywordStatistics(
        documents=len(texts),
        references=sum(map(len, texts)) / len(texts) if texts else None,
        keywords=count / len(texts) if texts else None,
        words=sum(len(keyword.words) for keywords in by_document for keyword in keywords) / count if count else None,
        without=sum(not keywords for keywords in by_document),
    )


def length_statistics(records: Records, systems: Collection[str] | None = None) -> list[Lengths]:
    """Describe words and sentences of sources, references, titles and summaries, and the ratios of source to reference.

    Missing texts, empty sources and empty summaries are left out, as are kinds of text that no document has. If
    `systems` is given, summaries of other systems are left out, too.
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
        distribution(of, unit, [count(text) for text in texts_of_kind])
        for of, texts_of_kind in texts.items()
        for unit, count in (("words", count_text_words), ("sentences", sentences))
        if texts_of_kind and (of, unit) != ("title", "sentences")
    ]
    return [*measured, *([distribution("source : reference", "words", ratios)] if ratios else [])]


def count_text_words(text: str | tuple[str, ...]) -> int:
    """Return the number of words of a text, or of its sentences."""
    return count_words(text if isinstance(text, str) else " ".join(text))


def sentences(text: str | tuple[str, ...]) -> int:
    """Return the number of sentences of a text; given sentences are counted as they are."""
    return len(sentence_spans(text) if isinstance(text, str) else text)


def distribution(of: str, unit: str, values: Sequence[float]) -> Lengths:
    """Describe the distribution of one or more lengths."""
    column = np.array(values, dtype=np.float64)
    ends = (float(value) for value in np.quantile(column, (0, 0.25, 0.5, 0.75, 1)))
    return Lengths(
        of, unit, len(column), float(column.mean()), float(column.std(ddof=1)) if len(column) > 1 else None, *ends
    )
