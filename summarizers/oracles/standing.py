"""Systems compared with the upper bound: their F1, counted as for oracles, and the exact optimum.

Akhmetov et al. (2022) use their bound to tell how close a system is to the best extract. A system that writes its own
words is not an extract, and may be above the bound of extracts.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from relevance.data.records import REFERENCE_SYSTEM, Document, Summary, drop_own_references
from relevance.data.ties import TIE
from relevance.metrics.rouge import ngrams
from relevance.metrics.text import count_words, rouge_words
from relevance.summarizers.base import SummaryLength
from relevance.summarizers.oracles.evaluation import OracleRow
from relevance.summarizers.oracles.oracle import Target, limits_of
from relevance.summarizers.sentences import sentences_of, split_sentences

Units = frozenset[str]
"""N-grams, with repeated ones numbered if repetitions count: two texts share as many as match."""


class Standing(NamedTuple):
    """A system compared with the bound, over the documents that have both. F1 is in [0, 1]."""

    system: str
    documents: int
    mean: float
    """The mean of its F1."""
    bound: float
    """The mean of the bound over the same documents."""
    share: float | None
    """The ratio of the two means; None if the bound is 0 everywhere."""
    gap: float
    """Bound minus mean; negative if the system is above the bound."""
    above: int
    """Documents on which the system is above the bound by more than `TIE`."""
    words: float
    """The mean number of words of its summaries."""


class SystemScore(NamedTuple):
    """The score of a system's summary of one document, counted as for oracles."""

    f1: float
    """In [0, 1]."""
    words: int


def sentences_in(text: str, source: Sequence[str]) -> Sequence[str]:
    """Split a text into sentences: those of the source if it consists of them in any order, otherwise as usual.

    In a new order, sentences may be split differently than in the source, and an extract should not be above the bound
    of extracts for that reason.
    """
    text = text.strip()
    known = sorted(filter(None, set(source)), key=lambda sentence: (-len(sentence), sentence))
    came: dict[int, tuple[int, str]] = {}  # by a possible start: the sentence before it, with its own start
    waiting = [0]
    while waiting and len(text) + 1 not in came:
        place = waiting.pop()
        for sentence in reversed(known):  # so that the longest is tried first: a sentence may begin with another
            end = place + len(sentence)
            if end + 1 not in came and text.startswith(sentence, place) and text[end : end + 1] in ("", " "):
                came[end + 1] = place, sentence
                waiting.append(end + 1)
    taken: list[str] = []
    place = len(text) + 1
    while place in came:
        place, sentence = came[place]
        taken.append(sentence)
    return taken[::-1] if taken or not text else split_sentences(text)


def counted_references(references: Sequence[str], target: Target) -> list[Units]:
    """Return the n-grams of the references that count: all with a token, or the first one if it has a token."""
    counted = references[:1] if target.references == "first" else references
    return [units([text], target) for text in counted if rouge_words(text, target.reading)]


def score_text(text: str, references: Sequence[Units], target: Target, source: Sequence[str] = ()) -> float | None:
    """Compute a text's F1 as for oracles, in [0, 1]: n-grams inside sentences, against the best of the references.

    `references` are `counted_references`. The text is split into sentences as sources are, or into the `source`'s if it
    is an extract of them. For clipped ROUGE-1 this is ROUGE of the text; longer n-grams across the end of a sentence do
    not count here. None if the text, or each reference that counts, has no token.
    """
    if not references or not rouge_words(text, target.reading):
        return None
    ours = units(sentences_in(text, source), target)
    return max(2 * len(ours & theirs) / size if (size := len(ours) + len(theirs)) else 0.0 for theirs in references)


def units(sentences: Iterable[str], target: Target) -> Units:
    """Return the n-grams of a text's sentences that count by the target's definition."""
    counts = Counter(
        ngram for sentence in sentences for ngram in ngrams(rouge_words(sentence, target.reading), target.n)
    )
    if target.definition == "set":
        return frozenset(counts)
    # the k-th occurrence in one text matches the k-th in the other; with its number it has a word more than any n-gram
    return frozenset(f"{ngram} {k}" for ngram, times in counts.items() for k in range(times))


def score_systems(document: Document, summaries: Iterable[Summary], target: Target) -> dict[str, SystemScore]:
    """Score each system's summary of a document, without systems that have no F1.

    References that are systems (`reference:2`, or a text that is one of several references) are left out: each would be
    compared with itself.
    """
    references, source = counted_references(document.references, target), sentences_of(document)
    return {
        summary.system: SystemScore(f1, count_words(summary.text))
        for summary in summaries
        if not summary.system.startswith(REFERENCE_SYSTEM)
        and drop_own_references(document.references, [summary.text]) == document.references
        and (f1 := score_text(summary.text, references, target, source)) is not None
    }


def judged_all(
    records: Iterable[tuple[Document, Sequence[Summary]]], target: Target
) -> dict[str, dict[str, SystemScore]]:
    """Score each system by document id, with systems in order of first appearance."""
    scores: dict[str, dict[str, SystemScore]] = {}
    for document, summaries in records:
        for system, score in score_systems(document, summaries, target).items():
            scores.setdefault(system, {})[document.id] = score
    return scores


def standings_of(scores_of: Mapping[str, Mapping[str, SystemScore]], rows: Iterable[OracleRow]) -> list[Standing]:
    """Compare systems with the exact rows for the same target, best first; takes the scores of `judged_all`.

    If an optimum is not proven, its bound is used instead, so that nothing is above it by mistake. Documents without an
    exact row are left out, and so are systems without other documents.
    """
    bounds = bounds_of(rows)
    standings = [
        make_standing(system, [scores[key] for key in kept], [bounds[key] for key in kept])
        for system, scores in scores_of.items()
        if (kept := [key for key in bounds if key in scores])
    ]
    return sorted(standings, key=lambda row: -row.mean)


def bounds_of(rows: Iterable[OracleRow]) -> dict[str, float]:
    """Return the F1 that no extract exceeds, by document id: the proven optimum, or the bound of the exact search."""
    return {
        row.document_id: row.f1 if row.proven or row.bound is None else row.bound
        for row in rows
        if row.algorithm == "exact"
    }


def make_standing(system: str, scores: Sequence[SystemScore], bounds: Sequence[float]) -> Standing:
    """Compare a system with the bounds of the same documents, at least one."""
    mean, words = (float(part) for part in np.mean(scores, axis=0))
    bound = float(np.mean(bounds))
    above = sum(score.f1 > other + TIE for score, other in zip(scores, bounds, strict=True))
    return Standing(system, len(scores), mean, bound, mean / bound if bound > 0 else None, bound - mean, above, words)


def has_bound(document: Document, target: Target, length: SummaryLength | None) -> bool:
    """Tell whether a document can have an oracle: it has a sentence, a reference with a token, and a needed length."""
    source = document.source if isinstance(document.source, str) else " ".join(document.source)
    return (
        bool(source.strip())
        and bool(counted_references(document.references, target))
        and limits_of(length, document) is not None
    )
