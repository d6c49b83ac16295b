"""Whether one metric correlates with human ratings better than another."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
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

SURE = 1e-6
"""Where a variance is a smaller share of the mean square, sums leave too few digits of it."""

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


def perm_both_pairs(
    columns: Mapping[str, ArrayLike],
    pairs: Sequence[tuple[str, str]],
    human: ArrayLike,
    documents: Iterable[Hashable],
    systems: Iterable[Hashable],
    *,
    permutations: int = 1000,
    seed: int = 0,
) -> dict[tuple[str, str], LevelTests]:
    """Test many pairs of metrics by Pearson's r: what `perm_both` says of each, at a small part of the time.

    `columns` hold the metrics' scores by name, shape (n,). Pairs that have the same cells share their swaps, as they
    would with the same seed; all that swaps do to the sums behind a coefficient is then one product of matrices.
    Raises `ValueError` as `perm_both` does.
    """
    if permutations < 1:
        raise ValueError(f"permutations must be at least 1, not {permutations}")
    scores = {name: numbers(values, name) for name, values in columns.items()}
    human = numbers(human, "human")
    document, _, system, _ = placed(documents, systems)
    same_length(**scores, human=human, documents=document, systems=system)
    alike: dict[bytes, list[tuple[str, str]]] = {}
    for first, second in pairs:
        there = ~(np.isnan(scores[first]) | np.isnan(scores[second]) | np.isnan(human))
        alike.setdefault(there.tobytes(), []).append((first, second))
    found = {}
    for packed, group in alike.items():
        there = np.frombuffer(packed, dtype=np.bool_)
        within = {name: scores[name][there] for name in {name for pair in group for name in pair}}
        found.update(_of_group(within, group, human[there], document[there], system[there], permutations, seed))
    return {pair: found[pair] for pair in pairs}


def _of_group(
    scores: dict[str, Floats],
    pairs: list[tuple[str, str]],
    human: Floats,
    document: Numbers,
    system: Numbers,
    permutations: int,
    seed: int,
) -> dict[tuple[str, str], LevelTests]:
    """Pairs of metrics that have a value in every cell."""
    levels = {name: correlate(values, human, document, system) for name, values in scores.items()}
    tested = [pair for pair in pairs if all(levels[name].global_.r is not None for name in pair)]
    drawn: dict[tuple[str, str], Floats] = dict.fromkeys(pairs, np.empty((3, 0)))
    if tested:
        standard = {name: (values - values.mean()) / values.std() for name, values in scores.items() if values.std()}
        x, y = (np.stack([standard[pair[side]] for pair in tested]) for side in (0, 1))
        whole = np.zeros(len(human), dtype=np.intp)
        swaps: list[_Swaps | _SystemSwaps] = [
            _Swaps(x, y, human, whole),
            _Swaps(x, y, human, document),
            _SystemSwaps(x, y, human, system),
        ]
        differences = np.empty((3, permutations, len(tested)))
        random = np.random.default_rng(seed)
        for part in batches(permutations, 8 * len(human)):
            swapped = random.random((part.stop - part.start, len(human))) < 0.5
            for level, swap in enumerate(swaps):
                differences[level, part] = swap.differences(swapped)
        drawn |= {pair: differences[:, :, place] for place, pair in enumerate(tested)}
    tests = {}
    for first, second in pairs:
        both = _documents_of_both(scores[first], scores[second], human, document)
        counts = [len(human), both, levels[first].system.n]
        sides = zip(levels[first], levels[second], counts, drawn[first, second], strict=True)
        tests[first, second] = LevelTests(*(_test(*side, seed) for side in sides))
    return tests


class _Swaps:
    """Pearson's r of pairs of metrics within documents, where some cells have swapped."""

    def __init__(self, x: Floats, y: Floats, human: Floats, document: Numbers) -> None:
        """`x` and `y` have the shape (pairs, cells), the others (cells,)."""
        size = int(document.max()) + 1
        cells, rated = by_document(document, size, np.arange(len(human), dtype=np.float64), human)
        keep = varied(rated, ~np.isnan(rated))  # elsewhere neither coefficient is ever defined
        self.there = ~np.isnan(cells)[keep]
        self.at = np.where(self.there, cells[keep], 0).astype(np.intp)
        self.n = self.there.sum(axis=1)[:, None]

        def centred(rows: Floats, about: Floats) -> Floats:
            return np.where(self.there, rows - about[..., None], 0)

        # shape (pairs, documents, cells): about the mean of both, so that few digits are lost
        x, y, rated = x[:, self.at], y[:, self.at], human[self.at]
        middle = np.where(self.there, (x + y) / 2, 0).sum(axis=2) / self.n[:, 0]
        self.x, self.y = centred(x, middle), centred(y, middle)
        self.human = centred(rated, np.where(self.there, rated, 0).sum(axis=1) / self.n[:, 0])
        self.human_square = (self.human**2).sum(axis=1)[:, None, None]
        moved = [self.y - self.x, self.y**2 - self.x**2, (self.y - self.x) * self.human]
        self.moved = np.moveaxis(np.stack(moved), 1, 3)  # sums, squares, products: shape (3, documents, cells, pairs)
        self.base = [
            np.moveaxis(np.stack([side, side**2, side * self.human]).sum(axis=3), 1, 2)[:, :, None]
            for side in (self.x, self.y)
        ]

    def differences(self, swapped: NDArray[np.bool_]) -> Floats:
        """The mean over documents of the first metric's coefficient less that of the second's.

        `swapped` has the shape (permutations, cells), the result (permutations, pairs); NaN where there is none.
        """
        pairs = self.moved.shape[3]
        sums, counts = np.zeros((2, len(swapped), pairs)), np.zeros((2, len(swapped), pairs))
        for part in batches(len(self.at), 8 * len(swapped) * pairs):
            mine = np.swapaxes(swapped[:, self.at[part]], 0, 1).astype(np.float64)  # documents, permutations, cells
            change = mine @ self.moved[:, part]
            for side, sign in enumerate((1, -1)):
                total, square, joint = self.base[side][:, part] + sign * change
                variance = square - total**2 / self.n[part, :, None]
                sure = variance > SURE * square
                with np.errstate(divide="ignore", invalid="ignore"):
                    r = joint / np.sqrt(np.maximum(variance, 0) * self.human_square[part])
                self._settle(r, ~sure, mine > 0, side, part)
                defined = ~np.isnan(r)
                sums[side] += np.where(defined, r, 0).sum(axis=0)
                counts[side] += defined.sum(axis=0)
        means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return np.asarray(means[0] - means[1])

    def _settle(self, r: Floats, unsure: NDArray[np.bool_], swapped: NDArray[np.bool_], side: int, part: slice) -> None:
        """Compute anew, from the scores, what the sums have too few digits for."""
        documents, rows, pairs = np.nonzero(unsure)
        own, other = (self.x, self.y) if side == 0 else (self.y, self.x)
        for some in batches(len(documents), 8 * self.at.shape[1]):
            document, row, pair = documents[some], rows[some], pairs[some]
            at = document + part.start
            values = np.where(swapped[document, row], other[pair, at], own[pair, at])
            r[document, row, pair] = pearson(values, self.human[at], self.there[at].astype(np.float64))


class _SystemSwaps:
    """Pearson's r of pairs of metrics over the systems' means, where some cells have swapped."""

    def __init__(self, x: Floats, y: Floats, human: Floats, system: Numbers) -> None:
        """`x` and `y` have the shape (pairs, cells), the others (cells,)."""
        self.own = [np.flatnonzero(system == one) for one in np.unique(system)]
        self.x, self.y = (np.stack([side[:, own].mean(axis=1) for own in self.own], axis=1) for side in (x, y))
        self.human = np.array([human[own].mean() for own in self.own])
        self.moved = [(y - x)[:, own].T / len(own) for own in self.own]

    def differences(self, swapped: NDArray[np.bool_]) -> Floats:
        """As `_Swaps.differences`, over the systems' means."""
        mine = swapped.astype(np.float64)
        change = np.stack([mine[:, own] @ moved for own, moved in zip(self.own, self.moved, strict=True)], axis=1)
        r = []
        for side, sign in ((self.x, 1), (self.y, -1)):
            means = np.moveaxis(side.T[None] + sign * change, 1, 2).reshape(-1, len(self.human))
            every = np.broadcast_to(self.human, means.shape)
            r.append(pearson(means, every, np.ones(means.shape)).reshape(len(swapped), -1))
        return np.asarray(r[0] - r[1])


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
