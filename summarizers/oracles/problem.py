"""The problem of every oracle: find the sentences of a document with the highest ROUGE-N F1 against a reference.

N-grams are numbered once; the searches only add and compare integers. As in the paper (Akhmetov et al. 2022), an
extract is a set of sentences: n-grams are counted inside each sentence, not across two. For clipped ROUGE-1 this is
ROUGE of the joined text. For longer n-grams it is not: ROUGE-2 of the joined text also counts bigrams across sentence
ends, which may lower or raise it, so that the optimum here does not bound it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.metrics.base import check_option
from relevance.metrics.text import Reading, count_words, rouge_words
from relevance.summarizers.sentences import split_sentences

DEFINITIONS = ("clipped", "set")
"""`clipped`: an n-gram counts as often as both texts have it (Lin 2004; but inside sentences, so that it is ROUGE for
single words only); `set`: it counts once, in the match and in both lengths, as in Akhmetov et al."""

BETTER = 1e-12
"""A smaller gain is due to rounding."""

Units = tuple[tuple[int, int], ...]
"""The n-grams of a sentence by number, with their counts."""


class Limits(NamedTuple):
    """The limits of an extract, in sentences and in words of `relevance.metrics.text.counted_words`; None: no limit."""

    sentences: int | None = None
    words: int | None = None


NO_LIMITS = Limits()


class Problem:
    """The n-grams of a document's sentences and of a reference.

    N-grams of the reference have the numbers from 0 to `known` - 1, others the following ones. Raises ValueError for a
    definition that is not in `DEFINITIONS`, an `n` below 1, or a limit below 1.
    """

    def __init__(
        self,
        sentences: Sequence[str],
        reference: str,
        n: int = 1,
        definition: str = "clipped",
        *,
        limits: Limits = NO_LIMITS,
        tokenizer: str = "ascii",
    ) -> None:
        check_option("definition", definition, DEFINITIONS)
        if n < 1:
            raise ValueError(f"an n-gram has at least 1 word, not {n}")
        for name, value in zip(limits._fields, limits, strict=True):
            if value is not None and value < 1:
                raise ValueError(f"the limit of {name} must be at least 1, not {value}")
        self.definition = definition
        self.limits = limits
        self.text = reference
        self.texts = tuple(sentences)
        self.tokenizer = tokenizer
        reading = Reading(tokenizer)
        words = [rouge_words(sentence, reading) for sentence in sentences]
        wanted = self.count(rouge_words(reference, reading), n)
        counted = [self.count(tokens, n) for tokens in words]
        numbers = {ngram: number for number, ngram in enumerate(wanted)}
        self.known = len(numbers)
        for counts in counted:
            for ngram in counts:
                numbers.setdefault(ngram, len(numbers))
        self.reference = tuple(wanted.get(ngram, 0) for ngram in numbers)
        """The count of each n-gram in the reference (at most 1 in the set definition)."""
        self.total = sum(self.reference)
        """The number of n-grams of the reference."""
        self.sentences: tuple[Units, ...] = tuple(
            tuple((numbers[ngram], times) for ngram, times in counts.items()) for counts in counted
        )
        self.words = tuple(map(count_words, sentences))
        """The number of words of each sentence."""
        known_words = frozenset(rouge_words(reference, reading))
        self.vocabulary = tuple(known_words.intersection(tokens) for tokens in words)
        """The words of the reference that each sentence has, regardless of `n`."""

    def __len__(self) -> int:
        return len(self.sentences)

    def count(self, words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
        """Count n-grams by the definition."""
        counts = Counter(zip(*(words[start:] for start in range(n)), strict=False))
        return counts if self.definition == "clipped" else Counter(dict.fromkeys(counts, 1))

    def f1(self, chosen: Iterable[int]) -> float:
        """Compute the F1 of an extract, in [0, 1]; 0 if nothing matches."""
        extract = Extract(self)
        for sentence in chosen:
            extract.add(sentence)
        return extract.f1

    def fits(self, chosen: Iterable[int]) -> bool:
        """Tell whether an extract keeps the limits."""
        chosen = list(chosen)
        sentences, words = self.limits
        return (sentences is None or len(chosen) <= sentences) and (
            words is None or sum(self.words[sentence] for sentence in chosen) <= words
        )

    @cached_property
    def reference_sentences(self) -> int:
        """The number of sentences of the reference."""
        return len(split_sentences(self.text))

    @cached_property
    def bigrams(self) -> Problem:
        """The same sentences and reference by their bigrams."""
        return Problem(self.texts, self.text, 2, self.definition, limits=self.limits, tokenizer=self.tokenizer)

    @cached_property
    def useful(self) -> tuple[int, ...]:
        """The sentences that share an n-gram with the reference and keep the limits by themselves.

        Any other sentence only makes an extract longer: no optimum needs it.
        """
        return tuple(
            place
            for place, units in enumerate(self.sentences)
            if any(number < self.known for number, _ in units) and self.fits([place])
        )

    @cached_property
    def counts(self) -> NDArray[np.float32]:
        """The counts of n-grams in each sentence, to score many extracts at once.

        The shape is (sentences, n-grams + 1), with all other n-grams together in the last column. The n-grams are the
        reference's and, in the set definition, those that several sentences share: the others only make an extract
        longer.
        """
        columns = {number: number for number in range(self.known)}
        if self.definition == "set":
            having = Counter(number for units in self.sentences for number, _ in units)
            shared = [number for number, times in having.items() if number >= self.known and times > 1]
            columns |= {number: column for column, number in enumerate(shared, self.known)}
        table = np.zeros((len(self.sentences), len(columns) + 1), dtype=np.float32)
        for place, units in enumerate(self.sentences):
            for number, times in units:
                table[place, columns.get(number, -1)] += times
        return table

    def f1_of_all(self, extracts: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Compute the F1 of many extracts: shape (extracts, sentences) to shape (extracts,)."""
        have = extracts.astype(np.float32) @ self.counts
        if self.definition == "set":
            have[:, :-1] = np.minimum(have[:, :-1], 1)
        wanted = np.asarray(self.reference[: self.known], dtype=np.float32)
        matched = np.minimum(have[:, : self.known], wanted).sum(axis=1, dtype=np.float64)
        sizes = have.sum(axis=1, dtype=np.float64) + self.total
        return np.where(matched > 0, 2 * matched / np.maximum(sizes, 1), 0.0)


class Extract:
    """A set of sentences with an incrementally updated F1."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.chosen: set[int] = set()
        self.have = [0] * len(problem.reference)
        self.matched = 0
        self.length = 0
        self.is_set = problem.definition == "set"

    @property
    def f1(self) -> float:
        """2 x matched n-grams over the n-grams of both texts."""
        return 2 * self.matched / (self.length + self.problem.total) if self.matched else 0.0

    def flip(self, sentence: int) -> None:
        """Remove a sentence of the extract, or add one that is not in it."""
        if sentence in self.chosen:
            self.remove(sentence)
        else:
            self.add(sentence)

    def add(self, sentence: int) -> None:
        """Add a sentence that is not in the extract."""
        have, wanted = self.have, self.problem.reference
        self.chosen.add(sentence)
        for number, times in self.problem.sentences[sentence]:
            before = have[number]
            have[number] = after = before + times
            if self.is_set:
                if not before:
                    self.length += 1
                    self.matched += wanted[number]
            else:
                self.length += times
                if before < (most := wanted[number]):
                    self.matched += min(after, most) - before

    def remove(self, sentence: int) -> None:
        """Remove a sentence that is in the extract."""
        have, wanted = self.have, self.problem.reference
        self.chosen.remove(sentence)
        for number, times in self.problem.sentences[sentence]:
            before = have[number]
            have[number] = after = before - times
            if self.is_set:
                if not after:
                    self.length -= 1
                    self.matched -= wanted[number]
            else:
                self.length -= times
                if after < (most := wanted[number]):
                    self.matched -= min(before, most) - after


class Solution(NamedTuple):
    """An extract that an algorithm found."""

    sentences: tuple[int, ...]
    """The positions of its sentences, in document order."""
    f1: float
    bound: float | None = None
    """The upper bound of any extract's F1; None if the algorithm gives none."""
    iterations: int = 0
    """The number of steps, of the algorithm's own kind."""

    @property
    def proven(self) -> bool:
        """Whether no extract scores higher by more than `PROVEN`."""
        return is_proven(self.f1, self.bound)


PROVEN = 1e-6
"""The smallest difference that the solver resolves. Two different F1 are closer only if extract and reference together
have over 1,400 n-grams."""


def is_proven(f1: float, bound: float | None) -> bool:
    """Tell whether a bound leaves no room above an F1; without a bound nothing is proven."""
    return bound is not None and bound - f1 <= PROVEN


def solution(problem: Problem, chosen: Iterable[int], iterations: int = 0, bound: float | None = None) -> Solution:
    """Make the solution of an extract."""
    places = tuple(sorted(chosen))
    return Solution(places, problem.f1(places), bound, iterations)
