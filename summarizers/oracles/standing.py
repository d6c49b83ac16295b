"""Systems compared with the upper bound: their F1, counted as for oracles, beside the exact optimum.

How much of what any extract could reach a system reaches is what Akhmetov et al. (2022) ask their bound for. A system
that writes words of its own is no extract, and may lie above the bound of extracts.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from data.records import REFERENCE_SYSTEM, Document, Summary
from data.ties import TIE
from metrics.rouge import ngrams
from metrics.text import count_words, rouge_words
from summarizers.base import SummaryLength
from summarizers.oracles.evaluation import OracleRow
from summarizers.oracles.oracle import Target, limits_of
from summarizers.sentences import sentences_of, split_sentences

Units = frozenset[str]
"""N-grams, repeated ones numbered where repetitions count: two texts share as many as match."""


class Standing(NamedTuple):
    """A system beside the bound, over the documents that have both. F1 in [0, 1]."""

    system: str
    documents: int
    mean: float
    """Of its F1."""
    bound: float
    """Mean of the bound over the same documents."""
    share: float | None
    """Ratio of the two means; None where the bound is 0 everywhere."""
    gap: float
    """Bound minus mean; negative where the system is above it."""
    above: int
    """Documents on which the system is above the bound by more than `TIE`."""
    words: float
    """Mean number of words of its summaries."""


class SystemScore(NamedTuple):
    """A system's summary of one document, scored as oracles are."""

    f1: float
    """In [0, 1]."""
    words: int


def sentences_in(text: str, source: Sequence[str]) -> Sequence[str]:
    """The sentences of a text: those of the source where it is some of them in any order, else those found in it.

    Side by side, sentences may be split in other places than in the source, and nothing that is extracted should lie
    above the bound of extracts for that.
    """
    text = text.strip()
    known = sorted(filter(None, set(source)), key=lambda sentence: (-len(sentence), sentence))
    came: dict[int, tuple[int, str]] = {}  # by where a sentence may begin: where the one before it does, and that one
    waiting = [0]
    while waiting and len(text) + 1 not in came:
        place = waiting.pop()
        for sentence in reversed(known):  # so that the longest is tried first: sentences may begin like others
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
    """The n-grams of the references that count: those with a token, or the first one if it has."""
    asked = references[:1] if target.references == "first" else references
    return [units([text], target) for text in asked if rouge_words(text, target.tokenizer)]


def score_text(text: str, references: Sequence[Units], target: Target, source: Sequence[str] = ()) -> float | None:
    """A text's F1 as an oracle's is counted, in [0, 1]: n-grams inside sentences, of the best of the references.

    `references` are `counted_references`. The text is split into sentences as sources are, or into the `source`'s where
    it is an extract of them. For clipped ROUGE-1 this is ROUGE of the text; an n-gram of more words that goes across
    the end of a sentence does not count here. None where the text, or each reference that counts, has no token.
    """
    if not references or not rouge_words(text, target.tokenizer):
        return None
    ours = units(sentences_in(text, source), target)
    return max(2 * len(ours & theirs) / size if (size := len(ours) + len(theirs)) else 0.0 for theirs in references)


def units(sentences: Iterable[str], target: Target) -> Units:
    """What a definition counts in the sentences of a text."""
    counts = Counter(
        ngram for sentence in sentences for ngram in ngrams(rouge_words(sentence, target.tokenizer), target.n)
    )
    if target.definition == "set":
        return frozenset(counts)
    # the k-th occurrence of one text meets the k-th of the other; with its number it has a word more than any n-gram
    return frozenset(f"{ngram} {k}" for ngram, times in counts.items() for k in range(times))


def score_systems(document: Document, summaries: Iterable[Summary], target: Target) -> dict[str, SystemScore]:
    """The F1 and the words of each system on a document; without systems that have no F1.

    References that stand as systems (`reference:2`) are left out: each would be compared with itself.
    """
    references, source = counted_references(document.references, target), sentences_of(document)
    return {
        summary.system: SystemScore(f1, count_words(summary.text))
        for summary in summaries
        if not summary.system.startswith(REFERENCE_SYSTEM)
        and (f1 := score_text(summary.text, references, target, source)) is not None
    }


def judged_all(
    records: Iterable[tuple[Document, Sequence[Summary]]], target: Target
) -> dict[str, dict[str, SystemScore]]:
    """The scores of each system by document id, the systems in the order in which they first come."""
    found: dict[str, dict[str, SystemScore]] = {}
    for document, summaries in records:
        for system, score in score_systems(document, summaries, target).items():
            found.setdefault(system, {})[document.id] = score
    return found


def standings_of(scores_of: Mapping[str, Mapping[str, SystemScore]], rows: Iterable[OracleRow]) -> list[Standing]:
    """Systems beside the exact rows of an evaluation for the same target, best first; takes `judged_all`'s scores.

    Where an optimum is not proven the bound stands for it, so that nothing is above it by mistake. Documents without an
    exact row are left out, and so are systems that have no others.
    """
    bounds = bounds_of(rows)
    found = [
        make_standing(system, [scores[key] for key in kept], [bounds[key] for key in kept])
        for system, scores in scores_of.items()
        if (kept := [key for key in bounds if key in scores])
    ]
    return sorted(found, key=lambda row: -row.mean)


def bounds_of(rows: Iterable[OracleRow]) -> dict[str, float]:
    """The F1 that no extract exceeds, by document id: the proven optimum, else the bound of the exact search."""
    return {
        row.document_id: row.f1 if row.proven or row.bound is None else row.bound
        for row in rows
        if row.algorithm == "exact"
    }


def make_standing(system: str, scores: Sequence[SystemScore], bounds: Sequence[float]) -> Standing:
    """A system beside the bounds of the same documents, of which there is at least one."""
    mean, words = (float(part) for part in np.mean(scores, axis=0))
    bound = float(np.mean(bounds))
    above = sum(score.f1 > other + TIE for score, other in zip(scores, bounds, strict=True))
    return Standing(system, len(scores), mean, bound, mean / bound if bound > 0 else None, bound - mean, above, words)


def has_bound(document: Document, target: Target, length: SummaryLength | None) -> bool:
    """Whether an oracle can be asked for a document: a sentence, a reference with a token, a length where one is."""
    source = document.source if isinstance(document.source, str) else " ".join(document.source)
    return (
        bool(source.strip())
        and bool(counted_references(document.references, target))
        and limits_of(length, document) is not None
    )
