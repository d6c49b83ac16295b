"""ROUGE-K by the place of keywords and by their length (Takeshita et al. 2024, Table 9 and Figure 2)."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.data.records import Document, Summary, make_examples
from relevance.data.sorting import natural_order
from relevance.metrics.base import score_candidates
from relevance.metrics.keywords.overlap import LONGEST
from relevance.metrics.rouge_k import RougeK, RougeKEvidence
from relevance.metrics.text import count_words

Records = Iterable[tuple[Document, Sequence[Summary]]]

LONGEST_ASKED = LONGEST
"""The number of words of the longest keywords with a figure of their own (the paper's Figure 2); longer ones are
added."""

IN_SOURCE, OUT_OF_SOURCE = "IN-SRC", "OUT-SRC"
"""The paper's names (Table 9) for recall of keywords that occur in the source, and of those that do not."""


class Mean(NamedTuple):
    """A mean over documents, each counting once, or the reason why there is none."""

    value: float | None
    documents: int
    """The number of documents in the mean."""
    reason: str | None = None


class Recall(NamedTuple):
    """A system's mean ROUGE-K, in [0, 1]."""

    system: str
    everywhere: Mean
    """The mean over all keywords: ROUGE-K itself."""
    in_source: Mean
    """The mean over keywords that occur in the source (IN-SRC)."""
    out_source: Mean
    """The mean over keywords that do not occur in the source (OUT-SRC)."""
    words: float
    """The mean number of words of its summaries: recall grows with it."""


class LengthRecall(NamedTuple):
    """A system's mean ROUGE-K over the keywords of one length, in [0, 1]."""

    system: str
    words: int
    """The number of content words of a keyword; `LONGEST_ASKED` includes longer ones."""
    recall: Mean
    keywords: int
    """The number of keywords of that length that its documents have."""
    in_summary: float
    """The mean number of words of its summaries: recall grows with it."""


class Hit(NamedTuple):
    """A keyword of a document that is in the summary or not."""

    words: int
    in_source: bool | None
    """True if the source has it; None without a source."""
    is_in_summary: bool


class SummaryHits(NamedTuple):
    """A summary with the hits and misses of its document's keywords; empty if the document has none."""

    document: str
    system: str
    words: int
    """The number of words of the summary, counted as by the metric `length`."""
    hits: tuple[Hit, ...]


def search_keywords(
    records: Records, metric: RougeK | None = None, systems: Collection[str] | None = None
) -> list[SummaryHits]:
    """Look for every document's keywords in its summaries with `metric`, by default ROUGE-K with its defaults.

    `records` have all summaries of each document even if `systems` selects some of them, so that a reference that is
    also a system makes no keywords. Raises ValueError for a metric that looks for some of the keywords only.
    """
    metric = metric or RougeK()
    if metric.only is not None:
        raise ValueError(f"keywords are divided by the source here already: leave out only={metric.only}")
    searched = []
    for document, summaries in records:
        batch = make_examples(document, summaries, systems)
        of_document: list[tuple[int, bool | None]] | None = None  # the same for all candidates
        for example, score in zip(batch, score_candidates(metric, batch), strict=True):
            if score.value is None:
                searched.append(SummaryHits(document.id, example.system, count_words(example.candidate), ()))
                continue
            evidence: RougeKEvidence = score.evidence
            if of_document is None:
                keywords = [keyword for keyword, _ in evidence.keywords]
                known = example.source.strip()
                occur = metric.occur_in(keywords, example.source) if known else [None] * len(keywords)
                of_document = [(len(keyword.words), there) for keyword, there in zip(keywords, occur, strict=True)]
            hits = zip(of_document, evidence.keywords, strict=True)
            seen = tuple(Hit(*of, bool(evidence.occurrences)) for of, evidence in hits)
            searched.append(SummaryHits(document.id, example.system, count_words(example.candidate), seen))
    return searched


def by_source(summary_hits: Sequence[SummaryHits]) -> list[Recall]:
    """Compute each system's mean ROUGE-K over all keywords, those in the source and those not in it.

    Systems are sorted by their names, M2 before M10. A document without such keywords is left out of that mean, and a
    document without a source out of the last two.
    """
    nowhere = "no document with keywords has a source"
    return [
        Recall(
            system,
            mean_recall(summaries, lambda hit: True, "no document has keywords"),
            mean_recall(summaries, is_in_source, missing_reason(summaries, nowhere, "no keyword occurs in")),
            mean_recall(summaries, is_out_of_source, missing_reason(summaries, nowhere, "every keyword occurs in")),
            mean_words(summaries),
        )
        for system, summaries in by_system(summary_hits).items()
    ]


def recall_columns(
    summary_hits: Sequence[SummaryHits], documents: Sequence[str], systems: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """Return each summary's share of its document's keywords in the source, and of those not in it.

    `documents` and `systems` name the summaries, n of them; columns, of shape (n,) and in [0, 1], are NaN if a document
    has no such keyword, or if a summary is not among the `summary_hits`.
    """
    hits = {(summary.document, summary.system): summary.hits for summary in summary_hits}
    cells = [hits.get(cell, ()) for cell in zip(documents, systems, strict=True)]
    return {
        name: np.array([np.nan if (share := share_found(of, counts)) is None else share for of in cells], np.float64)
        for name, counts in ((IN_SOURCE, is_in_source), (OUT_OF_SOURCE, is_out_of_source))
    }


def by_length(summary_hits: Sequence[SummaryHits]) -> list[LengthRecall]:
    """Compute each system's mean ROUGE-K over the keywords of each length that some document has.

    A document without keywords of a length is left out of that mean.
    """
    lengths = sorted({length(hit) for summary in summary_hits for hit in summary.hits})
    return [
        make_length_recall(system, words, summaries)
        for system, summaries in by_system(summary_hits).items()
        for words in lengths
    ]


def make_length_recall(system: str, words: int, summaries: Sequence[SummaryHits]) -> LengthRecall:
    """Return a system's mean over the keywords of one length."""
    recall = mean_recall(summaries, lambda hit: length(hit) == words, "its documents have no such keyword")
    keywords = sum(length(hit) == words for summary in summaries for hit in summary.hits)
    return LengthRecall(system, words, recall, keywords, mean_words(summaries))


def is_in_source(hit: Hit) -> bool:
    """Tell whether a keyword occurs in the source."""
    return hit.in_source is True


def is_out_of_source(hit: Hit) -> bool:
    """Tell whether there is a source and a keyword does not occur in it."""
    return hit.in_source is False


def length(hit: Hit) -> int:
    """Return the number of words of a keyword, at most `LONGEST_ASKED`."""
    return min(hit.words, LONGEST_ASKED)


def by_system(summary_hits: Iterable[SummaryHits]) -> dict[str, list[SummaryHits]]:
    """Return the summaries of each system, sorted by the systems' names."""
    systems: dict[str, list[SummaryHits]] = {}
    for summary in summary_hits:
        systems.setdefault(summary.system, []).append(summary)
    return {system: systems[system] for system in sorted(systems, key=natural_order)}


def mean_words(summaries: Sequence[SummaryHits]) -> float:
    """Return the mean number of words of one or more summaries."""
    return sum(summary.words for summary in summaries) / len(summaries)


def share_found(hits: Iterable[Hit], counts: Callable[[Hit], bool]) -> float | None:
    """Return the share of the keywords selected by `counts` that a summary has; None if none is selected."""
    counted = [hit.is_in_summary for hit in hits if counts(hit)]
    return sum(counted) / len(counted) if counted else None


def mean_recall(summaries: Iterable[SummaryHits], counts: Callable[[Hit], bool], otherwise: str) -> Mean:
    """Return the mean over summaries of their shares of the keywords selected by `counts`."""
    shares = [share for summary in summaries if (share := share_found(summary.hits, counts)) is not None]
    return Mean(sum(shares) / len(shares), len(shares)) if shares else Mean(None, 0, otherwise)


def missing_reason(summaries: Iterable[SummaryHits], no_source: str, otherwise: str) -> str:
    """Return the reason why there is no mean over the keywords of one kind."""
    known = [hit for summary in summaries for hit in summary.hits]
    if not known:
        return "no document has keywords"
    return f"{otherwise} a source" if any(hit.in_source is not None for hit in known) else no_source
