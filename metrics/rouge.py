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

from data.records import Example
from metrics.base import Score, signature
from metrics.text import CACHED_TEXTS, Span, rouge_spans, rouge_words

REFERENCES = ("max", "mean", "first")
TOKENIZERS = {"ascii": "a-z0-9", "unicode": "unicode"}


class Match(NamedTuple):
    """One matched unit: an n-gram, or a word of the longest common subsequence, in both texts."""

    candidate: Span
    reference: Span


class Compared(NamedTuple):
    """A candidate against one reference. All three figures are in [0, 1]."""

    reference: int
    """Index of the reference in the example."""
    matched: int
    """Units that both texts have, counted as often as both have them."""
    in_candidate: int
    """Units of the candidate."""
    in_reference: int
    """Units of the reference."""

    @property
    def precision(self) -> float:
        """Matched units by the candidate's."""
        return self.matched / self.in_candidate if self.in_candidate else 0.0

    @property
    def recall(self) -> float:
        """Matched units by the reference's."""
        return self.matched / self.in_reference if self.in_reference else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of the two; 0 where nothing matches."""
        if not self.matched:
            return 0.0
        precision, recall = self.matched / self.in_candidate, self.matched / self.in_reference
        return 2 * precision * recall / (precision + recall)


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


class Rouge:
    """What the three have in common: references, tokens, missing scores. F1 is the value, in [0, 1]."""

    def __init__(self, name: str, references: str, tokenizer: str) -> None:
        if references not in REFERENCES:
            raise ValueError(f"references must be one of {', '.join(REFERENCES)}, not {references!r}")
        if tokenizer not in TOKENIZERS:
            raise ValueError(f"tokenizer must be one of {', '.join(TOKENIZERS)}, not {tokenizer!r}")
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
            together = list(group)
            kept = self.scorable(references)
            for example, row in zip(together, self.compare(together, references, kept), strict=True):
                scores.append(self.summed_up(example, row))
        return scores

    def scorable(self, references: Sequence[str]) -> list[int]:
        """Indices of the references that have tokens (of the first one only, where that is asked)."""
        asked = references[:1] if self.references == "first" else references
        return [index for index, text in enumerate(asked) if rouge_words(text, self.tokenizer)]

    def summed_up(self, example: Example, compared: list[Compared]) -> Score:
        """Turn the comparisons with each reference into the score."""
        if not rouge_words(example.candidate, self.tokenizer):
            return Score(None, f"the candidate has no token ({TOKENIZERS[self.tokenizer]})")
        if not compared:
            return Score(None, f"no reference with a token ({TOKENIZERS[self.tokenizer]})")
        explain = partial(self.evidence, example)
        if self.references == "mean":
            count = len(compared)
            return Score(
                sum(c.f1 for c in compared) / count,
                parts={
                    "precision": sum(c.precision for c in compared) / count,
                    "recall": sum(c.recall for c in compared) / count,
                },
                explain=explain,
            )
        best = max(compared, key=lambda c: c.f1)  # the first of equals, as rouge-score takes it
        return Score(best.f1, parts={"precision": best.precision, "recall": best.recall}, explain=explain)

    def evidence(self, example: Example) -> RougeEvidence:
        """The comparisons behind a score, with every match in character offsets."""
        kept = self.scorable(example.references)
        (compared,) = self.compare([example], example.references, kept)
        best = max(range(len(compared)), key=lambda index: compared[index].f1)
        asked = 1 if self.references == "first" else len(example.references)
        return RougeEvidence(
            compared=tuple(compared),
            counted=tuple(range(len(compared))) if self.references == "mean" else (best,),
            matches=tuple(tuple(self.matches(example.candidate, example.references[index])) for index in kept),
            left_out=tuple(index for index in range(asked) if index not in kept),
        )

    def compare(
        self, examples: Sequence[Example], references: Sequence[str], kept: Sequence[int]
    ) -> Iterator[list[Compared]]:
        """Count the units of candidates against the kept references, a row an example."""
        raise NotImplementedError

    def matches(self, candidate: str, reference: str) -> Iterator[Match]:
        """The matched units of one comparison."""
        raise NotImplementedError


class RougeN(Rouge):
    """Overlap of n-grams, each counted as often as both texts have it."""

    def __init__(self, n: int, references: str = "max", tokenizer: str = "ascii") -> None:
        super().__init__(f"rouge{n}", references, tokenizer)
        self.n = n

    def compare(
        self, examples: Sequence[Example], references: Sequence[str], kept: Sequence[int]
    ) -> Iterator[list[Compared]]:
        """As in `Rouge`."""
        theirs = [(index, numbered_ngrams(references[index], self.n, self.tokenizer)) for index in kept]
        for example in examples:
            ours = numbered_ngrams(example.candidate, self.n, self.tokenizer)
            yield [Compared(index, len(ours & units), len(ours), len(units)) for index, units in theirs]

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

    def ngram_spans(self, text: str) -> Iterator[tuple[Any, Span]]:
        """Each n-gram of a text with the span from its first to its last token."""
        spans = rouge_spans(text, self.tokenizer)
        for start, ngram in enumerate(ngrams(rouge_words(text, self.tokenizer), self.n)):
            yield ngram, (spans[start][0], spans[start + self.n - 1][1])


def ngrams(words: Sequence[str], n: int) -> Sequence[Any]:
    """The n-grams of a token sequence; plain tokens for n = 1."""
    return words if n == 1 else list(zip(*(words[start:] for start in range(n)), strict=False))


@lru_cache(CACHED_TEXTS)
def numbered_ngrams(text: str, n: int, tokenizer: str) -> frozenset[Any]:
    """A text's n-grams, repeated ones numbered, so that a set intersection counts clipped matches.

    The k-th occurrence of an n-gram in one text meets the k-th in the other: both sets share exactly
    min(count, count) of its occurrences.
    """
    units = ngrams(rouge_words(text, tokenizer), n)
    distinct = frozenset(units)
    if len(distinct) == len(units):
        return distinct
    repeated = {unit: count for unit, count in Counter(units).items() if count > 1}
    return distinct | {(k, unit) for unit, count in repeated.items() for k in range(2, count + 1)}


class RougeL(Rouge):
    """Longest common subsequence of the whole texts' tokens (sentence-level, not the `Lsum` variant)."""

    def __init__(self, references: str = "max", tokenizer: str = "ascii") -> None:
        super().__init__("rougeL", references, tokenizer)

    def compare(
        self, examples: Sequence[Example], references: Sequence[str], kept: Sequence[int]
    ) -> Iterator[list[Compared]]:
        """As in `Rouge`. Tokens become characters of strings, which is what rapidfuzz is fastest on."""
        from rapidfuzz.distance import LCSseq
        from rapidfuzz.process import cdist

        letters: dict[str, str] = {}

        def spelled(text: str) -> str:
            words = rouge_words(text, self.tokenizer)
            return "".join([letters.setdefault(word, chr(len(letters))) for word in words])

        ours = [spelled(example.candidate) for example in examples]
        theirs = [spelled(references[index]) for index in kept]
        if not theirs:
            yield from ([] for _ in examples)
            return
        for candidate, row in zip(ours, cdist(ours, theirs, scorer=LCSseq.similarity).tolist(), strict=True):
            yield [
                Compared(index, int(common), len(candidate), len(reference))
                for index, reference, common in zip(kept, theirs, row, strict=True)
            ]

    def matches(self, candidate: str, reference: str) -> Iterator[Match]:
        """The words of one longest common subsequence."""
        from rapidfuzz.distance import LCSseq

        ours, theirs = (rouge_words(text, self.tokenizer) for text in (candidate, reference))
        our_spans, their_spans = (rouge_spans(text, self.tokenizer) for text in (candidate, reference))
        for code in LCSseq.opcodes(ours, theirs):
            if code.tag == "equal":
                for offset in range(code.src_end - code.src_start):
                    yield Match(our_spans[code.src_start + offset], their_spans[code.dest_start + offset])
