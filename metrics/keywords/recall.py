"""ROUGE-K by where its keywords occur and by how long they are (Takeshita et al. 2024, Table 9 and Figure 2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from data.records import Document, Summary, make_examples
from metrics.base import score_candidates
from metrics.keywords.overlap import LONGEST, Keyword
from metrics.rouge_k import RougeK, RougeKEvidence, occur_in

Records = Iterable[tuple[Document, Sequence[Summary]]]


LONGEST_ASKED = LONGEST
"""Words of the longest keywords that are told apart (the paper's Figure 2): this number stands for as many and more."""


class Mean(NamedTuple):
    """A mean over documents, each counting once, or why there is none."""

    value: float | None
    documents: int
    """On how many documents it rests."""
    reason: str | None = None


class Recall(NamedTuple):
    """A system's mean ROUGE-K, in [0, 1]."""

    system: str
    everywhere: Mean
    """Over all keywords: ROUGE-K itself."""
    in_source: Mean
    """Over those that occur in the source (IN-SRC)."""
    out_source: Mean
    """Over those that do not (OUT-SRC)."""


class LengthRecall(NamedTuple):
    """A system's mean ROUGE-K over the keywords of one length, in [0, 1]."""

    system: str
    words: int
    """Content words in a keyword; `LONGEST_ASKED` stands for as many and more."""
    recall: Mean
    keywords: int
    """How many keywords of that length its documents have."""


class Hit(NamedTuple):
    """A keyword of a document, and whether the summary contains it."""

    words: int
    in_source: bool | None
    """Whether the source has it; None without a source."""
    found: bool


class SummaryHits(NamedTuple):
    """A summary with the hits and misses of its document's keywords; empty if the document has none."""

    system: str
    hits: tuple[Hit, ...]


def search_keywords(
    records: Records, metric: RougeK | None = None, systems: Collection[str] | None = None
) -> list[SummaryHits]:
    """Look for every document's keywords in its summaries, as `metric` does: the default is that of ROUGE-K.

    `records` have all summaries of each document, also where only those of `systems` are asked for: a reference that
    stands as a system makes no keywords.
    Raises ValueError for a metric that looks for some of the keywords only.
    """
    metric = metric or RougeK()
    if metric.only is not None:
        raise ValueError(f"keywords are told apart by the source here: leave out only={metric.only}")
    found = []
    for document, summaries in records:
        batch = make_examples(document, summaries, systems)
        of_document: list[tuple[int, bool | None]] | None = None  # all candidates are asked for the same keywords
        for example, score in zip(batch, score_candidates(metric, batch), strict=True):
            if score.value is None:
                found.append(SummaryHits(example.system, ()))
                continue
            evidence: RougeKEvidence = score.evidence
            if of_document is None:
                of_document = locate_keywords([keyword for keyword, _ in evidence.keywords], example.source)
            hits = zip(of_document, evidence.keywords, strict=True)
            found.append(SummaryHits(example.system, tuple(Hit(*of, bool(seen.occurrences)) for of, seen in hits)))
    return found


def locate_keywords(keywords: Sequence[Keyword], source: str) -> list[tuple[int, bool | None]]:
    """The length of each keyword in words, and whether it occurs in the source, None where that is blank."""
    occur = occur_in(keywords, source) if source.strip() else [None] * len(keywords)
    return [(len(keyword.words), there) for keyword, there in zip(keywords, occur, strict=True)]


def by_source(found: Sequence[SummaryHits]) -> list[Recall]:
    """Each system's mean ROUGE-K over all keywords, those in the source and those not in it.

    Systems come in the order of their first summaries. A document without such keywords is left out of that mean, and
    of both where it has no source.
    """
    nowhere = "no document with keywords has a source"
    return [
        Recall(
            system,
            mean_recall(summaries, lambda hit: True, "no document has keywords"),
            mean_recall(
                summaries, lambda hit: hit.in_source is True, missing_reason(summaries, nowhere, "no keyword occurs in")
            ),
            mean_recall(
                summaries,
                lambda hit: hit.in_source is False,
                missing_reason(summaries, nowhere, "every keyword occurs in"),
            ),
        )
        for system, summaries in by_system(found).items()
    ]


def by_length(found: Sequence[SummaryHits]) -> list[LengthRecall]:
    """Each system's mean ROUGE-K over the keywords of each length in words; only lengths that some document has.

    A document without keywords of a length is left out of that mean.
    """
    lengths = sorted({length(hit) for summary in found for hit in summary.hits})
    return [
        make_length_recall(system, words, summaries)
        for system, summaries in by_system(found).items()
        for words in lengths
    ]


def make_length_recall(system: str, words: int, summaries: Sequence[Sequence[Hit]]) -> LengthRecall:
    """A system's mean over the keywords of one length."""
    recall = mean_recall(summaries, lambda hit: length(hit) == words, "its documents have no such keyword")
    return LengthRecall(system, words, recall, sum(length(hit) == words for hits in summaries for hit in hits))


def length(hit: Hit) -> int:
    """The words of a keyword, as far as they are told apart."""
    return min(hit.words, LONGEST_ASKED)


def by_system(found: Iterable[SummaryHits]) -> dict[str, list[tuple[Hit, ...]]]:
    """The hits of each system's summaries."""
    systems: dict[str, list[tuple[Hit, ...]]] = {}
    for summary in found:
        systems.setdefault(summary.system, []).append(summary.hits)
    return systems


def mean_recall(summaries: Iterable[Sequence[Hit]], counts: Callable[[Hit], bool], otherwise: str) -> Mean:
    """The mean over summaries of the share of the keywords that count which they have."""
    shares = []
    for hits in summaries:
        counted = [hit.found for hit in hits if counts(hit)]
        if counted:
            shares.append(sum(counted) / len(counted))
    return Mean(sum(shares) / len(shares), len(shares)) if shares else Mean(None, 0, otherwise)


def missing_reason(summaries: Iterable[Sequence[Hit]], no_source: str, otherwise: str) -> str:
    """Why there is no mean over the keywords of one kind, should there be none."""
    known = [hit for hits in summaries for hit in hits]
    if not known:
        return "no document has keywords"
    return f"{otherwise} a source" if any(hit.in_source is not None for hit in known) else no_source
