"""The power of the sign-flip test over documents, from simulated studies."""

import math
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from relevance.analysis.arrays import ROUNDING
from relevance.analysis.significance import draws_for, sign_flips, sign_patterns
from relevance.data.ties import TIE

SIMULATED = "2000 simulated studies"

COUNTED = "exact power of the sign-flip test"

AVERAGED = "simulated studies, averaged over all signs of their documents"

STUDIES = 2000
"""Simulated studies for each number of documents: the standard error of their power is at most .011."""

ENUMERATED_UP_TO = 12
"""Documents up to which power is averaged over all signs of a study's documents instead of the drawn ones: the standard
error is then at most .003."""

MOST_STUDIES = 12_000
"""Simulated studies of so few documents, or fewer if all signs make more than `PATTERNS`."""

PATTERNS = 1 << 22
"""The most studies times patterns of signs for one number of documents."""

ENUMERATED_PAIRS = 1000
"""Pairs of a document up to which signs are averaged: the probability of a sign costs their square."""

PATTERNS_AT_ONCE = 1 << 21
"""Studies times patterns of signs held at once."""


class SimulatedPower:
    """The power of the sign-flip test by the number of documents, up to `most` of them.

    `only_first` and `only_second` are the probabilities that only that metric agrees with people on a pair; credit
    differences of a document's pairs correlate by `icc`. Equal arguments give equal figures.
    """

    def __init__(
        self, only_first: float, only_second: float, pairs_per_document: float, icc: float, alpha: float, most: int
    ) -> None:
        self.chance, self.icc, self.alpha = (only_first, only_second), icc, alpha
        self.flips = max(512, draws_for(1, alpha))  # 512: all flips of 10 documents
        spread = np.floor(np.arange(most + 1) * pairs_per_document + TIE)
        self.sizes = np.asarray(np.diff(spread), dtype=np.intp)  # whole numbers of pairs with this mean
        self.enumerated = ENUMERATED_UP_TO if pairs_per_document <= ENUMERATED_PAIRS else 0
        few = set(self.sizes[: self.enumerated].tolist())
        self.chances = {size: chances_of_sums(*self.chance, size, icc) for size in few}

    @cached_property
    def studies(self) -> NDArray[np.float64]:
        """Sums by document of simulated studies of up to `most` documents."""
        return simulate_sums(*self.chance, self.sizes, self.icc, STUDIES)

    @cached_property
    def few(self) -> NDArray[np.float64]:
        """Sums by document of more studies, of few documents."""
        return simulate_sums(*self.chance, self.sizes[: self.enumerated], self.icc, MOST_STUDIES)

    def of(self, documents: int) -> float:
        """Compute the power with some number of documents, in [0, 1]."""
        if documents > self.enumerated:
            p_values = sign_flips(self.studies[:documents], self.flips, seed=0).p
            return float(np.mean(np.array(p_values) <= self.alpha * (1 + ROUNDING)))
        if self.counts_all(documents):
            (pairs,) = self.chances
            sums, weights = distances_from_0(self.chances[pairs], documents)
        else:
            sums = np.abs(self.few[:documents, : PATTERNS >> documents - 1])
            weights = np.full(sums.shape[1], 1 / sums.shape[1])
        positive = np.empty(sums.shape)
        for size, chances in self.chances.items():
            rows = self.sizes[:documents] == size
            positive[rows] = chances_of_plus(chances)[sums[rows].astype(np.intp)]
        return float(weights @ average_over_signs(sums, positive, self.alpha))

    def counts_all(self, documents: int) -> bool:
        """Tell whether all possible distances of the documents' sums from 0 are few enough to be enumerated."""
        if documents > self.enumerated or len(self.chances) > 1:
            return False
        (pairs,) = self.chances
        return math.comb(documents + pairs, documents) <= min(MOST_STUDIES, PATTERNS >> documents - 1)

    def method(self, documents: int) -> str:
        """Name the method that finds the power with some number of documents."""
        if self.counts_all(documents):
            return COUNTED
        return AVERAGED if documents <= self.enumerated else SIMULATED


def simulate_sums(
    only_first: float, only_second: float, sizes: NDArray[np.intp], icc: float, studies: int
) -> NDArray[np.float64]:
    """Simulate the sum of credit differences of each document with a fixed seed: shape (documents, studies)."""
    random = np.random.default_rng(0)
    shape = len(sizes), studies
    pairs = sizes[:, np.newaxis]

    def shares(part: float, rest: float) -> float | NDArray[np.float64]:
        """Draw a share of each document's pairs: the same for all without icc, else beta, which makes a Dirichlet."""
        alike = likeness(part, rest, icc)
        if alike is None:
            return share_of(part, rest)
        return random.beta(part * alike, rest * alike, shape)

    first = random.binomial(pairs, shares(only_first, 1 - only_first), shape)
    second = random.binomial(pairs - first, shares(only_second, max(0.0, 1 - only_first - only_second)))
    return (first - second).astype(np.float64)


def share_of(part: float, rest: float) -> float:
    """Compute a part's share of the whole; 0 if there is no part."""
    return part / (part + rest) if part > TIE else 0.0


def likeness(part: float, rest: float, icc: float) -> float | None:
    """Return the factor that turns shares into parameters of a beta; None if all documents have the same shares."""
    return None if min(part, rest, icc) <= TIE else max(1e-6, (1 - icc) / icc)


def chances_of_sums(only_first: float, only_second: float, pairs: int, icc: float) -> NDArray[np.float64]:
    """Compute the probability of each sum of a document's credit differences, -pairs to pairs: shape (2 pairs + 1,)."""

    def counts(part: float, rest: float, most: int) -> NDArray[np.float64]:
        alike = likeness(part, rest, icc)
        if alike is None:
            return np.asarray(stats.binom.pmf(np.arange(most + 1), most, share_of(part, rest)))
        return np.asarray(stats.betabinom.pmf(np.arange(most + 1), most, part * alike, rest * alike))

    chances = np.zeros(2 * pairs + 1)
    neither = max(0.0, 1 - only_first - only_second)
    for first, chance in enumerate(counts(only_first, 1 - only_first, pairs).tolist()):
        most = pairs - first
        chances[pairs + first - most : pairs + first + 1] += chance * counts(only_second, neither, most)[::-1]
    return chances


def chances_of_plus(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the probability that a sum is positive, given its distance from 0: shape (pairs + 1,)."""
    pairs = len(chances) // 2
    plus, minus = chances[pairs:], chances[pairs::-1]
    return np.where(plus + minus > 0, plus / np.maximum(plus + minus, np.finfo(float).tiny), 0.5)


def distances_from_0(chances: NDArray[np.float64], documents: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """List all possible distances of the documents' sums from 0, in any order, with their probabilities.

    The shapes are (documents, studies) and (studies,).
    """
    pairs = len(chances) // 2
    distances = np.array(list(combinations_with_replacement(range(pairs + 1), documents))).T
    each = chances[pairs:] + chances[pairs::-1]
    each[0] /= 2  # 0 is its own opposite
    orders = special.gammaln(documents + 1)
    for distance in range(pairs + 1):
        orders = orders - special.gammaln((distances == distance).sum(axis=0) + 1)
    return distances.astype(np.float64), np.exp(orders) * each[distances].prod(axis=0)


def average_over_signs(sums: NDArray[np.float64], positive: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Compute the probability that the sign-flip test rejects, over all signs of the documents: shape (studies,).

    `sums` are distances from 0 and `positive` the probabilities that the sums are positive, both of shape (documents,
    studies). The test rejects a pattern of signs if at most alpha of all patterns of the study are as far from 0. Each
    pattern also represents its opposite.
    """
    documents, studies = sums.shape
    patterns = sign_patterns(np.arange(2 ** (documents - 1)), documents)  # the last document is never 1
    rejected = math.floor(alpha * (1 + ROUNDING) * len(patterns))
    if not rejected:
        return np.zeros(studies)
    least = np.finfo(float).tiny
    power = np.ones(studies)
    at_once = max(1, PATTERNS_AT_ONCE // len(patterns))
    for start in range(0, studies if rejected < len(patterns) else 0, at_once):
        part = slice(start, start + at_once)
        plus, minus = (np.log(np.maximum(share[:, part], least)) for share in (positive, 1 - positive))
        distance = np.abs((2 * patterns - 1) @ sums[:, part])
        nearest = np.partition(distance, len(patterns) - 1 - rejected, axis=0)[len(patterns) - 1 - rejected]
        chance = np.exp(patterns @ plus + (1 - patterns) @ minus) + np.exp(patterns @ minus + (1 - patterns) @ plus)
        power[part] = np.where(distance > nearest, chance, 0.0).sum(axis=0)
    return power
