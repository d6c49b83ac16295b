"""Whether one metric correlates with human ratings better than another."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from metrics.base import TIE
from metrics.meta_evaluation.arrays import numbers, same_length
from metrics.meta_evaluation.correlation import (
    Correlation,
    Method,
    batches,
    by_document,
    coefficients,
    correlate,
    known_methods,
    mid_ranks,
    pearson,
    placed,
    ratio,
    varied,
)
from metrics.meta_evaluation.correlation_intervals import from_sums

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

_Differ = Callable[[NDArray[np.bool_]], Floats]
"""From which cells swap, shape (permutations, cells), the difference of the coefficients; NaN where undefined."""

_EQUAL = 1e-12
"""Differences within this are equal: swapping all cells gives the observed one but for rounding."""


class CorrelationTest(NamedTuple):
    """Two metrics' correlations with the same ratings, at one level of aggregation."""

    difference: float | None
    """That of x less that of y, in [-2, 2]."""
    p: float | None
    """The two-sided p-value in (0, 1]: how often a permutation makes a difference at least as far from 0."""
    n: int
    """What it rests on: cells at the global level, documents with both coefficients, systems."""
    permutations: int
    """The permutations that p rests on; those that leave either coefficient undefined are passed over."""
    seed: int
    """The seed of the permutations."""
    reason: str | None = None
    """Why p is undefined, or None."""


class LevelTests(NamedTuple):
    """The tests at the three levels of aggregation, from the same permutations."""

    global_: CorrelationTest
    """Over all cells pooled."""
    input: CorrelationTest
    """The mean over documents of the coefficient within each."""
    system: CorrelationTest
    """Over the systems' means."""


class WilliamsTest(NamedTuple):
    """Williams' test of two dependent correlations."""

    t: float | None
    """The statistic, of n - 3 degrees of freedom: above 0 where r12 is higher than r13."""
    p: float | None
    """The two-sided p-value in [0, 1]."""
    reason: str | None = None
    """Why both are undefined, or None."""


def perm_both(
    x: ArrayLike,
    y: ArrayLike,
    human: ArrayLike,
    documents: Iterable[Hashable],
    systems: Iterable[Hashable],
    *,
    method: Method = "pearson",
    permutations: int = 1000,
    seed: int = 0,
) -> LevelTests:
    """Test by permutation whether the metric x correlates with the ratings as the metric y does.

    Both metrics are standardised over all cells, so that their scales do not matter; then, for each cell by
    itself, a coin decides whether the two swap their scores; p = (b + 1)/(m + 1), where b of m permutations
    make a difference at least as far from 0. This is Perm-Both of Deutsch, Dror and Roth 2021 ("A Statistical
    Analysis of Summarization Evaluation Metrics Using Resampling Methods") as their SacreROUGE and Google's
    mt-metrics-eval have it. `permutation_test(..., "both")` of the later nlpstats is another test: it swaps
    whole systems, then whole documents.

    `x`, `y` and `human`, shape (n,), hold the scores of each cell, `documents` and `systems` its document and
    its system. A cell where any of the three is NaN is left out. At the input level, a document counts for a
    metric where `correlate` counts it.
    Raises `ValueError` for other shapes, infinite numbers, two cells of one document and system, unknown
    methods and less than one permutation.
    """
    known_methods([method])
    if permutations < 1:
        raise ValueError(f"permutations must be at least 1, not {permutations}")
    x, y, human = numbers(x, "x"), numbers(y, "y"), numbers(human, "human")
    document, _, system, _ = placed(documents, systems)
    same_length(x=x, y=y, human=human, documents=document, systems=system)
    every = ~(np.isnan(x) | np.isnan(y) | np.isnan(human))
    x, y, human = x[every], y[every], human[every]
    document, system = document[every], system[every]

    of_x, of_y = (correlate(scores, human, document, system, method=method) for scores in (x, y))
    counts = [len(x), _documents_of_both(x, y, human, document), of_x.system.n]
    pairs = list(zip(of_x, of_y, counts, strict=True))
    if of_x.global_.r is None or of_y.global_.r is None:  # then nothing varies at any level
        return LevelTests(*(_test(*pair, np.empty(0), seed) for pair in pairs))
    standard = [(scores - scores.mean()) / scores.std() for scores in (x, y)]
    levels = [level(standard[0], standard[1], human, document, system, method) for level in (_global, _input, _system)]
    differences = np.empty((3, permutations))
    random = np.random.default_rng(seed)
    for part in batches(permutations, 8 * len(human)):
        swapped = random.random((part.stop - part.start, len(human))) < 0.5
        for level, differ in enumerate(levels):
            differences[level, part] = differ(swapped)
    return LevelTests(*(_test(*pair, drawn, seed) for pair, drawn in zip(pairs, differences, strict=True)))


def _documents_of_both(x: Floats, y: Floats, human: Floats, document: NDArray[np.intp]) -> int:
    x, y, human = by_document(document, int(document.max(initial=-1)) + 1, x, y, human)
    weights = (~np.isnan(human)).astype(np.float64)
    defined = [~np.isnan(coefficients(scores, human, weights, "pearson")) for scores in (x, y)]
    return int(np.count_nonzero(defined[0] & defined[1]))


def _global(x: Floats, y: Floats, human: Floats, _document: Numbers, _system: Numbers, method: Method) -> _Differ:
    if method == "pearson":  # all cells as those of one document
        return _input(x, y, human, np.zeros(len(x), dtype=np.intp), _system, method)
    if method == "spearman":
        return _global_spearman(x, y, human)

    def differ(swapped: NDArray[np.bool_]) -> Floats:
        there = np.ones((1, len(human)))
        found = np.empty(len(swapped))
        for row, swap in enumerate(swapped):
            of_x = coefficients(np.where(swap, y, x)[None], human[None], there, method)[0]
            of_y = coefficients(np.where(swap, x, y)[None], human[None], there, method)[0]
            found[row] = of_x - of_y
        return found

    return differ


def _global_spearman(x: Floats, y: Floats, human: Floats) -> _Differ:
    """Sort the scores of both metrics together once: ranks are running counts of those that a side has."""
    both = np.concatenate([x, y])
    order = np.argsort(both)
    first = np.diff(both[order], prepend=-np.inf) > 0
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], len(both))
    run = np.cumsum(first) - 1
    n = len(human)
    rated = 2 * mid_ranks(human[None], np.ones((1, n)))[0] - (n + 1)
    rated_ordered, size = np.tile(rated, 2)[order], np.full(1, (rated**2).sum())

    def r(there: NDArray[np.bool_]) -> Floats:
        through = np.zeros((len(there), 2 * n + 1))
        np.cumsum(there, axis=1, out=through[:, 1:])
        # twice the mean rank, less its own mean
        ranks = np.take(np.take(through, starts, axis=1) + np.take(through, ends, axis=1) - n, run, axis=1) * there
        return ratio(ranks @ rated_ordered, np.einsum("mc,mc->m", ranks, ranks), size)

    def differ(swapped: NDArray[np.bool_]) -> Floats:
        of_x = np.take(np.concatenate([~swapped, swapped], axis=1), order, axis=1)
        return _defined(r(of_x), both[order], of_x) - _defined(r(~of_x), both[order], ~of_x)

    return differ


def _input(x: Floats, y: Floats, human: Floats, document: Numbers, _system: Numbers, method: Method) -> _Differ:
    size = int(document.max()) + 1
    cells, *sides = by_document(document, size, np.arange(len(x), dtype=np.float64), x, y, human)
    there = ~np.isnan(cells)
    keep = varied(sides[2], there)  # elsewhere neither coefficient is ever defined
    at = np.where(there, cells, 0)[keep].astype(np.intp)
    there = there[keep]
    both = np.concatenate([sides[0][keep], sides[1][keep]], axis=1)
    rated = np.tile(sides[2][keep], (1, 2))
    width = both.shape[1]
    within = {"pearson": _pearson_within, "spearman": _spearman_within, "kendall": _kendall_within}[method]
    parts = [(part, within(both[part], rated[part])) for part in batches(len(at), width * width)]

    def differ(swapped: NDArray[np.bool_]) -> Floats:
        sums, counts = np.zeros((2, len(swapped))), np.zeros((2, len(swapped)))
        for part, compute in parts:
            for rows in batches(len(swapped), 8 * (part.stop - part.start) * width):
                of_y = np.swapaxes(swapped[rows][:, at[part]], 0, 1)
                of_x = ~of_y & there[part, None]
                of_y &= there[part, None]
                for side, mine in enumerate(([of_x, of_y], [of_y, of_x])):
                    r = compute(np.concatenate(mine, axis=2))
                    defined = ~np.isnan(r)
                    sums[side, rows] += np.where(defined, r, 0).sum(axis=0)
                    counts[side, rows] += defined.sum(axis=0)
        means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return np.asarray(means[0] - means[1])

    return differ


_Within = Callable[[NDArray[np.bool_]], Floats]
"""From which scores are there, shape (documents, permutations, scores of both metrics), their coefficients."""


def _pearson_within(both: Floats, rated: Floats) -> _Within:
    there = ~np.isnan(both)
    n = there.sum(axis=1, keepdims=True) / 2
    scores, ratings = (
        np.where(there, side - np.where(there, side, 0).sum(axis=1, keepdims=True) / (2 * n), 0)
        for side in (both, rated)
    )
    terms = np.stack([scores, scores**2, scores * ratings], axis=2)
    rating_squares = (ratings**2).sum(axis=1, keepdims=True) / 2

    def compute(mine: NDArray[np.bool_]) -> Floats:
        sums, squares, joint = np.moveaxis(mine.astype(np.float64) @ terms, 2, 0)
        r, sure = from_sums(n, sums, np.zeros(1), squares, rating_squares, joint)
        documents, rows = np.nonzero(~sure)
        for part in batches(len(rows), 4 * both.shape[1]):
            at = documents[part], rows[part]
            r[at] = pearson(both[at[0]], rated[at[0]], mine[at].astype(np.float64))
        return r

    return compute


def _spearman_within(both: Floats, rated: Floats) -> _Within:
    # twice the mean rank, less its own mean, is the count of what lies below less that of what lies above
    below = np.swapaxes(_signs(both), 1, 2).astype(np.float64)
    rating_ranks = _signs(rated).sum(axis=2, keepdims=True) / 2
    size = (rating_ranks**2).sum(axis=1) / 2
    check = _near(both)

    def compute(mine: NDArray[np.bool_]) -> Floats:
        weights = mine.astype(np.float64)
        ranks = (weights @ below) * weights
        return check(ratio((ranks @ rating_ranks)[:, :, 0], np.einsum("dms,dms->dm", ranks, ranks), size), mine)

    return compute


def _kendall_within(both: Floats, rated: Floats) -> _Within:
    score_signs, rating_signs = _signs(both), _signs(rated)
    joint, untied = (score_signs * rating_signs).astype(np.float64), np.abs(score_signs).astype(np.float64)
    size = np.abs(rating_signs).sum(axis=(1, 2))[:, None] / 4
    check = _near(both)

    def compute(mine: NDArray[np.bool_]) -> Floats:
        weights = mine.astype(np.float64)
        sums = [np.einsum("dms,dms->dm", weights @ matrix, weights) for matrix in (joint, untied)]
        return check(ratio(sums[0], sums[1], size), mine)

    return compute


def _signs(values: Floats) -> NDArray[np.int8]:
    """Compare each value of a row with each: 1 where it is higher, shape (rows, n, n)."""
    one, other = values[:, :, None], values[:, None, :]
    return (one > other).view(np.int8) - (one < other).view(np.int8)


def _near(both: Floats) -> Callable[[Floats, NDArray[np.bool_]], Floats]:
    """Prepare to leave out what is constant but for noise; few documents can be."""
    gaps = np.diff(np.sort(both, axis=1), axis=1)
    near = np.flatnonzero(((gaps > 0) & (gaps <= TIE)).any(axis=1))

    def check(r: Floats, mine: NDArray[np.bool_]) -> Floats:
        for document in near:
            r[document] = _defined(r[document], both[document], mine[document])
        return r

    return check


def _defined(r: Floats, values: Floats, there: NDArray[np.bool_]) -> Floats:
    """Leave out the coefficients of rows whose values lie within 1e-9 of each other."""
    return np.where(varied(values[None], there), r, np.nan)


def _system(x: Floats, y: Floats, human: Floats, _document: Numbers, system: Numbers, method: Method) -> _Differ:
    order = np.argsort(system, kind="stable")
    starts = np.flatnonzero(np.diff(system[order], prepend=-1))
    cells = np.diff(np.append(starts, len(order)))
    x_sums, y_sums, human_sums = (np.add.reduceat(values[order], starts) for values in (x, y, human))
    apart = (y - x)[order]
    rated = _ranked(human_sums[None] / cells, method)

    def differ(swapped: NDArray[np.bool_]) -> Floats:
        moved = np.add.reduceat(swapped[:, order] * apart, starts, axis=1)
        every, weights = np.broadcast_to(rated, moved.shape), np.ones(moved.shape)
        of_x = coefficients(_ranked((x_sums + moved) / cells, method), every, weights, method)
        of_y = coefficients(_ranked((y_sums - moved) / cells, method), every, weights, method)
        return of_x - of_y

    return differ


def _ranked(means: Floats, method: Method) -> Floats:
    """Rank the systems' means where the method ranks: they carry noise, which parts what is tied."""
    return means if method == "pearson" else mid_ranks(means, np.ones_like(means), TIE)


def _test(x: Correlation, y: Correlation, n: int, differences: Floats, seed: int) -> CorrelationTest:
    if x.r is None or y.r is None:
        return CorrelationTest(None, None, n, 0, seed, x.reason or y.reason)
    observed = x.r - y.r
    differences = differences[~np.isnan(differences)]
    if len(differences) == 0:
        return CorrelationTest(observed, None, n, 0, seed, "no permutation has both coefficients")
    beyond = int(np.count_nonzero(np.abs(differences) >= abs(observed) - _EQUAL))
    return CorrelationTest(observed, (beyond + 1) / (len(differences) + 1), n, len(differences), seed)


def williams(r12: float, r13: float, r23: float, n: int) -> WilliamsTest:
    """Test whether two correlations that share one side differ, as those of two metrics with one human rating.

    1 is what they share: `r12` and `r13` are the two metrics' correlations with the human, `r23` is that of
    the metrics with each other, all over the same n. The test is one of Pearson's coefficients and assumes n
    independent draws of three normal variables (Williams 1959; Steiger 1980, "Tests for comparing elements of
    a correlation matrix", equation 7, which R's psych::r.test computes). Signs count: of metrics of which one
    is better when lower, turn one round first.
    Undefined, with the reason, for fewer than four, where two of the three agree perfectly and where no three
    columns can have these coefficients. Raises `ValueError` for numbers outside [-1, 1].
    """
    for name, r in (("r12", r12), ("r13", r13), ("r23", r23)):
        if not -1 <= r <= 1:
            raise ValueError(f"{name} must lie between -1 and 1, not {r}")
    if n < 4:
        return WilliamsTest(None, None, "fewer than 4 observations")
    if max(abs(r12), abs(r13), abs(r23)) >= 1 - _EQUAL:
        return WilliamsTest(None, None, "two of the three agree perfectly")
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if determinant < -TIE:
        return WilliamsTest(None, None, "no three columns have these coefficients")
    spread = 2 * (n - 1) / (n - 3) * max(determinant, 0.0) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if spread <= _EQUAL:
        return WilliamsTest(None, None, "the two metrics' coefficients leave nothing to chance")
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / spread)
    return WilliamsTest(t, float(2 * stats.t.sf(abs(t), n - 3)))
