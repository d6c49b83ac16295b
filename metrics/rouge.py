"""ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004), equal to the `rouge-score` package with its stemmer.

The values are computed here because this is the hot path: each distinct text is tokenised and stemmed once, n-grams
are compared as sets, and the longest common subsequence is counted in bit-parallel C++ (rapidfuzz).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.records import Example
from metrics.base import REFERENCES, Score, check_option, signature
from metrics.text import CACHED_TEXTS, Span, rouge_spans, rouge_words

TOKENIZERS = {"ascii": "a-z0-9", "unicode": "unicode"}


class Match(NamedTuple):
    """One matched unit: an n-gram, or a word of the longest common subsequence, in both texts."""

    candidate: Span
    reference: Span


class Compared(NamedTuple):
    """A candidate against one reference."""

    reference: int
    """Index of the reference in the example."""
    matched: int
    """Units that both texts have, counted as often as both have them."""
    in_candidate: int
    """Units of the candidate."""
    in_reference: int
    """Units of the reference."""


class RougeEvidence(NamedTuple):
    """What a ROUGE value was counted from."""

    compared: tuple[Compared, ...]
    """The candidate against each reference that has tokens."""
    counted: tuple[int, ...]
    """Which of them the value is made of: the best one, all for `mean`, or the first."""
    matches: tuple[tuple[Match, ...], ...]
    """The matched units against each of `compared`."""
    left_out: tuple[int, ...]
    """Indices of the references without a token."""


Counts = tuple[NDArray[np.integer[Any]], list[int], list[int]]
"""Matched units, a row a candidate and a column a reference; units of each candidate; of each reference."""


def ratios(
    matched: NDArray[np.integer[Any]], in_candidate: Sequence[int], in_reference: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Precision, recall and F1, each of the shape of `matched`; 0 where nothing matches."""
    precision = matched / np.maximum(in_candidate, 1)[:, None]
    recall = matched / np.maximum(in_reference, 1)[None, :]
    return precision, recall, 2 * precision * recall / np.where(matched > 0, precision + recall, 1)


class Rouge:
    """What the three have in common: references, tokens, missing scores. F1 is the value, in [0, 1]."""

    def __init__(self, name: str, references: str, tokenizer: str) -> None:
        check_option("references", references, REFERENCES)
        check_option("tokenizer", tokenizer, TOKENIZERS)
        self.name = name
        self.references = references
        self.tokenizer = tokenizer
        self.signature = signature(
            name, refs=references, case="lower", tok=TOKENIZERS[tokenizer], stem="porter", value="f1"
        )

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score a batch; examples of one document are fastest when they stand together."""
        scores: list[Score] = []
        for references, group in groupby(examples, key=lambda example: example.references):
            scores.extend(self.score_together(list(group), [references[index] for index in self.scorable(references)]))
        return scores

    def scorable(self, references: Sequence[str]) -> list[int]:
        """Indices of the references that have tokens (of the first one only, where that is asked)."""
        asked = references[:1] if self.references == "first" else references
        return [index for index, text in enumerate(asked) if rouge_words(text, self.tokenizer)]

    def score_together(self, examples: Sequence[Example], references: Sequence[str]) -> Iterator[Score]:
        """Score candidates of one document against its references, which all have tokens."""
        tokens = TOKENIZERS[self.tokenizer]
        shape = (len(examples), 3)
        chosen = self.chosen_figures(examples, references) if references else np.full(shape, np.nan)  # never shown
        for example, (precision, recall, f1) in zip(examples, chosen.tolist(), strict=True):
            if not rouge_words(example.candidate, self.tokenizer):
                yield Score(None, f"the candidate has no token ({tokens})")
            elif not references:
                yield Score(None, f"no reference with a token ({tokens})")
            else:
                parts = {"precision": precision, "recall": recall}
                yield Score(f1, parts=parts, explain=partial(self.evidence, example))

    def chosen_figures(self, examples: Sequence[Example], references: Sequence[str]) -> NDArray[np.float64]:
        """Precision, recall and F1 of each example, a row each: of its best reference, or the mean over all."""
        figures = np.stack(ratios(*self.count([example.candidate for example in examples], references)), axis=-1)
        if self.references == "mean":
            return np.asarray(figures.mean(axis=1))
        best = figures[:, :, 2].argmax(axis=1)  # the first of equals, as rouge-score takes it
        return np.asarray(figures[np.arange(len(examples)), best])

    def evidence(self, example: Example) -> RougeEvidence:
        """The comparisons behind a score, with every match in character offsets."""
        kept = self.scorable(example.references)
        references = [example.references[index] for index in kept]
        matched, (in_candidate,), in_reference = self.count([example.candidate], references)
        best = int(ratios(matched, [in_candidate], in_reference)[2][0].argmax())
        asked = 1 if self.references == "first" else len(example.references)
        return RougeEvidence(
            compared=tuple(
                Compared(index, int(common), in_candidate, size)
                for index, common, size in zip(kept, matched[0], in_reference, strict=True)
            ),
            counted=tuple(range(len(kept))) if self.references == "mean" else (best,),
            matches=tuple(tuple(self.matches(example.candidate, reference)) for reference in references),
            left_out=tuple(index for index in range(asked) if index not in kept),
        )

    def count(self, candidates: Sequence[str], references: Sequence[str]) -> Counts:
        """Count the units that every candidate shares with every reference, and how many each text has."""
        raise NotImplementedError

    def matches(self, candidate: str, reference: str) -> Iterator[Match]:
        """The matched units of one comparison."""
        raise NotImplementedError


class RougeN(Rouge):
    """Overlap of n-grams, each counted as often as both texts have it."""

    def __init__(self, n: int, references: str = "max", tokenizer: str = "ascii") -> None:
        super().__init__(f"rouge{n}", references, tokenizer)
        self.n = n

    def count(self, candidates: Sequence[str], references: Sequence[str]) -> Counts:
        """As in `Rouge`."""
        ours, theirs = (
            [numbered_ngrams(text, self.n, self.tokenizer) for text in texts] for texts in (candidates, references)
        )
        matched = np.array([[len(one & other) for other in theirs] for one in ours])
        return matched, list(map(len, ours)), list(map(len, theirs))

    def matches(self, candidate: str, reference: str) -> Iterator[Match]:
        """Pair the n-grams' occurrences from the left."""
        waiting = defaultdict(list)
        for ngram, span in self.ngram_spans(reference):
            waiting[ngram].append(span)
        for spans in waiting.values():
            spans.reverse()
        for ngram, span in self.ngram_spans(candidate):
            if waiting[ngram]:
                yield Match(span, waiting[ngram].pop())

    def ngram_spans(self, text: str) -> Iterator[tuple[str, Span]]:
        """Each n-gram of a text with the span from its first to its last token."""
        spans = rouge_spans(text, self.tokenizer)
        for start, ngram in enumerate(ngrams(rouge_words(text, self.tokenizer), self.n)):
            yield ngram, (spans[start][0], spans[start + self.n - 1][1])


def ngrams(words: Sequence[str], n: int) -> Sequence[str]:
    """The n-grams of a token sequence, their tokens joined by a space."""
    return words if n == 1 else list(map(" ".join, zip(*(words[start:] for start in range(n)), strict=False)))


@lru_cache(CACHED_TEXTS)
def numbered_ngrams(text: str, n: int, tokenizer: str) -> frozenset[str]:
    """A text's n-grams, repeated ones numbered, so that a set intersection counts clipped matches.

    The k-th occurrence of an n-gram in one text meets the k-th in the other: both sets share exactly
    min(count, count) of its occurrences. With its number it has n + 1 words, and is no other n-gram.
    """
    counts = Counter(ngrams(rouge_words(text, tokenizer), n))
    repeated = [f"{unit} {k}" for unit, count in counts.items() if count > 1 for k in range(2, count + 1)]
    return frozenset(counts).union(repeated)


class RougeL(Rouge):
    """Longest common subsequence of the whole texts' tokens (sentence-level, not the `Lsum` variant)."""

    def __init__(self, references: str = "max", tokenizer: str = "ascii") -> None:
        super().__init__("rougeL", references, tokenizer)

    def count(self, candidates: Sequence[str], references: Sequence[str]) -> Counts:
        """As in `Rouge`. Tokens become characters of strings, which is what rapidfuzz is fastest on."""
        from rapidfuzz.distance import LCSseq
        from rapidfuzz.process import cdist

        letters: dict[str, str] = {}

        def spelled(text: str) -> str:
            words = rouge_words(text, self.tokenizer)
            return "".join([letters.setdefault(word, chr(len(letters))) for word in words])

        ours, theirs = ([spelled(text) for text in texts] for texts in (candidates, references))
        return cdist(ours, theirs, scorer=LCSseq.similarity), list(map(len, ours)), list(map(len, theirs))

    def matches(self, candidate: str, reference: str) -> Iterator[Match]:
        """The words of one longest common subsequence."""
        from rapidfuzz.distance import LCSseq

        ours, theirs = (rouge_words(text, self.tokenizer) for text in (candidate, reference))
        our_spans, their_spans = (rouge_spans(text, self.tokenizer) for text in (candidate, reference))
        for code in LCSseq.opcodes(ours, theirs):
            if code.tag == "equal":
                for offset in range(code.src_end - code.src_start):
                    yield Match(our_spans[code.src_start + offset], their_spans[code.dest_start + offset])
