"""Correlations of two metrics with ratings, with scores swapped by coins.

Everything that does not depend on the coins is summed or sorted once; the result is that of swapping the scores and
correlating them anew, which tests do.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.analysis.arrays import Floats, Integers
from relevance.analysis.correlation.coefficients import (
    Method,
    by_document,
    coefficients,
    is_varied,
    mid_ranks,
    pearson,
    ratio,
    slice_rows,
)
from relevance.data.ties import TIE

Coins = NDArray[np.bool_]

Permute = Literal["systems", "documents", "both", "cells"]


class Permutations(NamedTuple):
    """The settings of a permutation test."""

    permute: Permute | None = None
    """The units that swap at all levels; None: the default of each level."""
    drawn: int | None = None
    """The number of permutations drawn; None: as many as Holm's correction needs."""
    seed: int = 0


PERMUTATIONS = Permutations()

SURE = 1e-6
"""The share of the mean square below which sums leave too few digits of a variance."""

Differ = Callable[[Coins], Floats]
"""A function from coins, shape (permutations, units), to differences of coefficients, shape (permutations, pairs); NaN
if undefined."""


class RatedCells(NamedTuple):
    """The cells that some pairs of metrics have, each shape (n,), with documents and systems numbered from 0."""

    human: Floats
    document: Integers
    system: Integers

    def swapping(self, permute: Permute) -> Integers:
        """Return the number of each cell's unit; cells of one unit swap together."""
        if permute == "cells":
            return np.arange(len(self.human))
        return self.document if permute == "documents" else self.system


# --- the levels: differences from coins, and the number of coins -------------------------------------------


def global_swaps(x: Floats, y: Floats, cells: RatedCells, permute: Permute, method: Method) -> tuple[Differ, int]:
    """Prepare differences of correlations over all cells; `x` and `y`, shape (pairs, cells), are the metrics' scores.

    Returns the function of coins, and the number of coins it takes.
    """
    unit = cells.swapping(permute)
    units = int(unit.max()) + 1
    if method == "pearson":  # all cells as those of one document
        return Swaps(x, y, cells.human, np.zeros(len(unit), dtype=np.intp), unit).differences, units
    if method == "kendall" and permute != "cells":
        prepared = [kendall_of_units(*pair, cells.human, unit) for pair in zip(x, y, strict=True)]
        return stack_pairs(prepared), units
    prepare = global_spearman if method == "spearman" else global_kendall
    return stack_pairs([of_cells(prepare(*pair, cells.human), unit) for pair in zip(x, y, strict=True)]), units


def input_swaps(x: Floats, y: Floats, cells: RatedCells, permute: Permute, method: Method) -> tuple[Differ, int]:
    """Prepare differences of the mean correlation within documents, as `global_swaps` does."""
    unit = cells.swapping(permute)
    units = int(unit.max()) + 1
    if permute == "documents":
        return flips(x, y, cells, method)
    if method == "pearson":
        return Swaps(x, y, cells.human, cells.document, unit).differences, units
    return stack_pairs([of_cells(differ_within(*pair, cells, method), unit) for pair in zip(x, y, strict=True)]), units


def system_swaps(x: Floats, y: Floats, cells: RatedCells, permute: Permute, method: Method) -> tuple[Differ, int]:
    """Prepare differences of correlations over the systems' means, as `global_swaps` does."""
    unit = cells.swapping(permute)
    units = int(unit.max()) + 1
    if permute != "systems":
        if method == "pearson":
            return SystemSwaps(x, y, cells, unit).differences, units
        return stack_pairs([of_cells(of_means(*pair, cells, method), unit) for pair in zip(x, y, strict=True)]), units
    count = np.bincount(cells.system)
    of_x, of_y = (np.stack([np.bincount(cells.system, side) / count for side in sides]) for sides in (x, y))
    human = np.bincount(cells.system, cells.human) / count
    if method == "pearson":  # each system as a cell
        return Swaps(of_x, of_y, human, np.zeros(units, dtype=np.intp), np.arange(units)).differences, units
    return stack_pairs(
        [swapped_means(own_x, own_y, human, method) for own_x, own_y in zip(of_x, of_y, strict=True)]
    ), units


DifferOne = Callable[[Coins], Floats]
"""A `Differ` of one pair of metrics: shape (permutations,)."""


def stack_pairs(pairs: list[DifferOne]) -> Differ:
    """Join functions of single pairs: shape (permutations, pairs)."""
    return lambda coins: np.stack([differ(coins) for differ in pairs], axis=1)


def of_cells(differ: DifferOne, unit: Integers) -> DifferOne:
    """Make a function of one coin for each unit from `differ`, which takes one for each cell."""

    def differ_by_unit(coins: Coins) -> Floats:
        parts = slice_rows(len(coins), 8 * len(unit))
        return np.concatenate([differ(coins[part][:, unit]) for part in parts])

    return differ_by_unit


# --- many pairs by Pearson's r ------------------------------------------------------------------------------------


class Swaps:
    """Pearson's r of pairs of metrics within documents, with some cells swapped."""

    def __init__(self, x: Floats, y: Floats, human: Floats, document: Integers, unit: Integers) -> None:
        """Sum what does not depend on coins; `x` and `y` have shape (pairs, cells), the others (cells,)."""
        size = int(document.max()) + 1
        cells, rated = by_document(document, size, np.arange(len(human), dtype=np.float64), human)
        keep = is_varied(rated, ~np.isnan(rated))  # elsewhere neither coefficient is ever defined
        self.there = ~np.isnan(cells)[keep]
        at = np.where(self.there, cells[keep], 0).astype(np.intp)
        self.unit = unit[at]
        self.n = self.there.sum(axis=1)[:, None]

        def centred(rows: Floats, about: Floats) -> Floats:
            return np.where(self.there, rows - about[..., None], 0)

        # shape (pairs, documents, cells): centred on the mean of both, so that few digits are lost
        x, y, rated = x[:, at], y[:, at], human[at]
        middle = np.where(self.there, (x + y) / 2, 0).sum(axis=2) / self.n[:, 0]
        self.x, self.y = centred(x, middle), centred(y, middle)
        self.human = centred(rated, np.where(self.there, rated, 0).sum(axis=1) / self.n[:, 0])
        self.human_square = (self.human**2).sum(axis=1)[:, None, None]
        moved = [self.y - self.x, self.y**2 - self.x**2, (self.y - self.x) * self.human]
        # sums, squares, products: shape (3, documents, units or cells, pairs)
        self.moved, self.coin = self.by_unit(np.moveaxis(np.stack(moved), 1, 3))
        self.base = [
            np.moveaxis(np.stack([side, side**2, side * self.human]).sum(axis=3), 1, 2)[:, :, None]
            for side in (self.x, self.y)
        ]

    def by_unit(self, moved: Floats) -> tuple[Floats, Integers]:
        """Sum the moves by coin; also return the coin's number, shape (documents, coins)."""
        if len(self.unit) != 1:  # a document has one cell of each system
            return moved, self.unit
        order = np.argsort(self.unit[0], kind="stable")
        coins, starts = np.unique(self.unit[0][order], return_index=True)
        return np.add.reduceat(moved[:, :, order], starts, axis=2), coins[None]

    def differences(self, coins: Coins) -> Floats:
        """Compute the mean over documents of the first metric's coefficient minus that of the second's, as `Differ`."""
        pairs = self.moved.shape[3]
        means = np.empty((2, len(coins), pairs))
        for rows in slice_rows(len(coins), 8 * pairs):
            means[:, rows] = self.compute_means(coins[rows])
        return np.asarray(means[0] - means[1])

    def compute_means(self, coins: Coins) -> Floats:
        """Compute the means of both sides over documents with a coefficient, shape (2, permutations, pairs)."""
        pairs = self.moved.shape[3]
        sums, counts = np.zeros((2, len(coins), pairs)), np.zeros((2, len(coins), pairs))
        for part in slice_rows(len(self.n), 8 * len(coins) * pairs):
            mine = np.swapaxes(coins[:, self.coin[part]], 0, 1).astype(np.float64)  # documents, permutations, coins
            change = mine @ self.moved[:, part]
            for side, sign in enumerate((1, -1)):
                total, square, joint = self.base[side][:, part] + sign * change
                variance = square - total**2 / self.n[part, :, None]
                sure = variance > SURE * square
                with np.errstate(divide="ignore", invalid="ignore"):
                    r = joint / np.sqrt(np.maximum(variance, 0) * self.human_square[part])
                self.settle(r, ~sure, coins, side, part)
                defined = ~np.isnan(r)
                sums[side] += np.where(defined, r, 0).sum(axis=0)
                counts[side] += defined.sum(axis=0)
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    def settle(self, r: Floats, unsure: Coins, coins: Coins, side: int, part: slice) -> None:
        """Compute coefficients again from the scores if the sums have too few digits."""
        documents, rows, pairs = np.nonzero(unsure)
        own, other = (self.x, self.y) if side == 0 else (self.y, self.x)
        for some in slice_rows(len(documents), 8 * self.unit.shape[1]):
            document, row, pair = documents[some], rows[some], pairs[some]
            at = document + part.start
            swapped = coins[row[:, None], self.unit[at]]
            values = np.where(swapped, other[pair, at], own[pair, at])
            r[document, row, pair] = pearson(values, self.human[at], self.there[at].astype(np.float64))


class SystemSwaps:
    """Pearson's r of pairs of metrics over the systems' means, with some of a system's cells swapped."""

    def __init__(self, x: Floats, y: Floats, cells: RatedCells, unit: Integers) -> None:
        """Compute the means; `x` and `y` have shape (pairs, cells), `unit` (cells,)."""
        own = [np.flatnonzero(cells.system == system) for system in range(int(cells.system.max()) + 1)]
        self.x, self.y = (np.stack([side[:, mine].mean(axis=1) for mine in own], axis=1) for side in (x, y))
        self.human = np.array([cells.human[mine].mean() for mine in own])
        self.moved = [(unit[mine], (y - x)[:, mine].T / len(mine)) for mine in own]

    def differences(self, coins: Coins) -> Floats:
        """Compute the differences, as `Differ`."""
        parts = []
        for rows in slice_rows(len(coins), 8 * self.x.size):
            change = np.stack([coins[rows][:, unit].astype(np.float64) @ moved for unit, moved in self.moved], axis=1)
            r = []
            for side, sign in ((self.x, 1), (self.y, -1)):
                means = np.moveaxis(side.T[None] + sign * change, 1, 2).reshape(-1, len(self.human))
                every = np.broadcast_to(self.human, means.shape)
                r.append(pearson(means, every, np.ones(means.shape)).reshape(len(change), -1))
            parts.append(r[0] - r[1])
        return np.concatenate(parts)


# --- documents and systems that swap as a whole ---------------------------------------------------------------------


def flips(x: Floats, y: Floats, cells: RatedCells, method: Method) -> tuple[Differ, int]:
    """Prepare a sign-flip test over documents: a document's coefficients swap as its summaries do."""
    of_x, of_y = (within_documents(sides, cells, method) for sides in (x, y))
    keep = ~np.isnan([of_x, of_y]).all(axis=(0, 1))  # elsewhere nothing swaps
    of_x, of_y = of_x[:, keep], of_y[:, keep]
    own, other = np.nan_to_num(of_x), np.nan_to_num(of_y)
    has, had = ~np.isnan(of_x), ~np.isnan(of_y)
    moved, counted = (other - own).T, (had.astype(np.float64) - has).T

    def differ(coins: Coins) -> Floats:
        thrown = coins.astype(np.float64)
        change, count = thrown @ moved, thrown @ counted if counted.any() else 0.0
        counts = has.sum(axis=1) + count, had.sum(axis=1) - count
        sums = own.sum(axis=1) + change, other.sum(axis=1) - change
        means = [np.where(c > 0, s / np.maximum(c, 1), np.nan) for s, c in zip(sums, counts, strict=True)]
        return np.asarray(means[0] - means[1])

    return differ, int(np.count_nonzero(keep))


def within_documents(scores: Floats, cells: RatedCells, method: Method) -> Floats:
    """Compute the coefficient of each document, shape (pairs, documents)."""
    size = int(cells.document.max()) + 1
    rows, human = by_document(cells.document, size, scores), by_document(cells.document, size, cells.human)[0]
    weights = (~np.isnan(human)).astype(np.float64)
    return np.stack([coefficients(each, human, weights, method) for each in rows[0]])


def swapped_means(x: Floats, y: Floats, human: Floats, method: Method) -> DifferOne:
    """Prepare rank coefficients over the systems' means, with some systems swapped."""
    ranked = mid_ranks(human[None], np.ones((1, len(human))), TIE)

    def differ(coins: Coins) -> Floats:
        differences = np.empty(len(coins))
        for part in slice_rows(len(coins), len(human) ** 2):
            swapped = coins[part]
            every, ones = np.broadcast_to(ranked, swapped.shape), np.ones(swapped.shape)
            r = [
                coefficients(mid_ranks(np.where(swapped, other, own), ones, TIE), every, ones, method)
                for own, other in ((x, y), (y, x))
            ]
            differences[part] = r[0] - r[1]
        return differences

    return differ


def kendall_of_units(x: Floats, y: Floats, human: Floats, unit: Integers) -> DifferOne:
    """Prepare tau-b over all cells: comparisons of two units are summed once, and coins choose among the sums."""
    count, n = int(unit.max()) + 1, len(human)
    values, rated = np.concatenate([x, y]), np.tile(human, 2)
    side = np.concatenate([unit, unit + count])
    order = np.argsort(side, kind="stable")
    values, rated, side = values[order], rated[order], side[order]
    starts = np.searchsorted(side, np.arange(2 * count))
    joint, untied = np.zeros((2 * count, 2 * count)), np.zeros((2 * count, 2 * count))
    size = np.zeros(1)
    for rows in slice_rows(2 * n, 2 * n):
        signs, of_human = compared(values[rows], values), compared(rated[rows], rated)
        size += np.count_nonzero(of_human) / 4  # ratings occur twice on both sides
        for sums, terms in ((joint, signs * of_human), (untied, np.abs(signs))):
            np.add.at(sums, side[rows], np.add.reduceat(terms, starts, axis=1, dtype=np.float64))
    high, low = np.maximum.reduceat(values, starts), np.minimum.reduceat(values, starts)

    def r(there: Coins) -> Floats:
        chosen = there.astype(np.float64)
        sums = [np.einsum("mu,mu->m", chosen @ matrix, chosen) for matrix in (joint, untied)]
        apart = np.where(there, high, -np.inf).max(axis=1) - np.where(there, low, np.inf).min(axis=1) > TIE
        return np.where(apart, ratio(sums[0], sums[1], size), np.nan)

    def differ(coins: Coins) -> Floats:
        return r(np.concatenate([~coins, coins], axis=1)) - r(np.concatenate([coins, ~coins], axis=1))

    return differ


# --- one pair, each cell by itself ------------------------------------------------------------------------------------


def global_kendall(x: Floats, y: Floats, human: Floats) -> DifferOne:
    """Return a function of permutations that gives the difference of both columns' tau-b with people."""
    there = np.ones((1, len(human)))

    def differ(swapped: Coins) -> Floats:
        differences = np.empty(len(swapped))
        for row, swap in enumerate(swapped):
            of_x = coefficients(np.where(swap, y, x)[None], human[None], there, "kendall")[0]
            of_y = coefficients(np.where(swap, x, y)[None], human[None], there, "kendall")[0]
            differences[row] = of_x - of_y
        return differences

    return differ


def global_spearman(x: Floats, y: Floats, human: Floats) -> DifferOne:
    """Prepare Spearman over all cells: all scores are sorted once, and ranks are running counts of one side's."""
    both = np.concatenate([x, y])
    order = np.argsort(both)
    first = np.diff(both[order], prepend=-np.inf) > 0
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], len(both))
    run = np.cumsum(first) - 1
    n = len(human)
    rated = 2 * mid_ranks(human[None], np.ones((1, n)))[0] - (n + 1)
    rated_ordered, size = np.tile(rated, 2)[order], np.full(1, (rated**2).sum())

    def r(there: Coins) -> Floats:
        through = np.zeros((len(there), 2 * n + 1))
        np.cumsum(there, axis=1, out=through[:, 1:])
        # twice the mean rank, less its own mean
        ranks = np.take(np.take(through, starts, axis=1) + np.take(through, ends, axis=1) - n, run, axis=1) * there
        return ratio(ranks @ rated_ordered, np.einsum("mc,mc->m", ranks, ranks), size)

    def differ(swapped: Coins) -> Floats:
        of_x = np.take(np.concatenate([~swapped, swapped], axis=1), order, axis=1)
        return leave_out_constant(r(of_x), both[order], of_x) - leave_out_constant(r(~of_x), both[order], ~of_x)

    return differ


def differ_within(x: Floats, y: Floats, cells: RatedCells, method: Method) -> DifferOne:
    """Return a function of permutations that gives the difference of the mean coefficients within documents."""
    size = int(cells.document.max()) + 1
    index, *sides = by_document(cells.document, size, np.arange(len(x), dtype=np.float64), x, y, cells.human)
    there = ~np.isnan(index)
    keep = is_varied(sides[2], there)  # elsewhere neither coefficient is ever defined
    at = np.where(there, index, 0)[keep].astype(np.intp)
    there = there[keep]
    both = np.concatenate([sides[0][keep], sides[1][keep]], axis=1)
    rated = np.tile(sides[2][keep], (1, 2))
    width = both.shape[1]
    within = spearman_within if method == "spearman" else kendall_within
    parts = [(part, within(both[part], rated[part])) for part in slice_rows(len(at), width * width)]

    def differ(swapped: Coins) -> Floats:
        sums, counts = np.zeros((2, len(swapped))), np.zeros((2, len(swapped)))
        for part, compute in parts:
            for rows in slice_rows(len(swapped), 8 * (part.stop - part.start) * width):
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


Within = Callable[[Coins], Floats]
"""A function from the scores in use, shape (documents, permutations, scores of both metrics), to coefficients."""


def spearman_within(both: Floats, rated: Floats) -> Within:
    """Prepare Spearman's coefficient of drawn cells within documents, of shape (documents, permutations)."""
    # twice the mean rank, less its own mean, is the count of scores below minus that of scores above
    below = np.swapaxes(compute_signs(both), 1, 2).astype(np.float64)
    rating_ranks = compute_signs(rated).sum(axis=2, keepdims=True) / 2
    size = (rating_ranks**2).sum(axis=1) / 2
    check = leave_out_near(both)

    def compute(mine: Coins) -> Floats:
        weights = mine.astype(np.float64)
        ranks = (weights @ below) * weights
        return check(ratio((ranks @ rating_ranks)[:, :, 0], np.einsum("dms,dms->dm", ranks, ranks), size), mine)

    return compute


def kendall_within(both: Floats, rated: Floats) -> Within:
    """Prepare tau-b of drawn cells within documents, of shape (documents, permutations)."""
    score_signs, rating_signs = compute_signs(both), compute_signs(rated)
    joint, untied = (score_signs * rating_signs).astype(np.float64), np.abs(score_signs).astype(np.float64)
    size = np.abs(rating_signs).sum(axis=(1, 2))[:, None] / 4
    check = leave_out_near(both)

    def compute(mine: Coins) -> Floats:
        weights = mine.astype(np.float64)
        sums = [np.einsum("dms,dms->dm", weights @ matrix, weights) for matrix in (joint, untied)]
        return check(ratio(sums[0], sums[1], size), mine)

    return compute


def compute_signs(values: Floats) -> NDArray[np.int8]:
    """Compare each value of a row with each: 1 if it is higher, -1 if lower, shape (rows, n, n)."""
    return compared(values, values)


def compared(values: Floats, others: Floats) -> NDArray[np.int8]:
    """Compare each value with each of the others: 1 if it is higher, -1 if lower, shape (..., n, m)."""
    left, right = values[..., :, None], others[..., None, :]
    return (left > right).view(np.int8) - (left < right).view(np.int8)


def leave_out_near(both: Floats) -> Callable[[Floats, Coins], Floats]:
    """Return a check that leaves out documents that are constant except for noise; few can be."""
    gaps = np.diff(np.sort(both, axis=1), axis=1)
    near = np.flatnonzero(((gaps > 0) & (gaps <= TIE)).any(axis=1))

    def check(r: Floats, mine: Coins) -> Floats:
        for document in near:
            r[document] = leave_out_constant(r[document], both[document], mine[document])
        return r

    return check


def leave_out_constant(r: Floats, values: Floats, there: Coins) -> Floats:
    """Leave out the coefficients of rows whose values are within 1e-9 of each other."""
    return np.where(is_varied(values[None], there), r, np.nan)


def of_means(x: Floats, y: Floats, cells: RatedCells, method: Method) -> DifferOne:
    """Return a function of permutations that gives the difference of the coefficients of systems' means."""
    order = np.argsort(cells.system, kind="stable")
    starts = np.flatnonzero(np.diff(cells.system[order], prepend=-1))
    count = np.diff(np.append(starts, len(order)))
    x_sums, y_sums, human_sums = (np.add.reduceat(values[order], starts) for values in (x, y, cells.human))
    apart = (y - x)[order]
    rated = mid_ranks(human_sums[None] / count, np.ones((1, len(count))), TIE)

    def differ(swapped: Coins) -> Floats:
        moved = np.add.reduceat(swapped[:, order] * apart, starts, axis=1)
        every, ones = np.broadcast_to(rated, moved.shape), np.ones(moved.shape)
        of_x, of_y = (
            coefficients(mid_ranks(means / count, ones, TIE), every, ones, method)
            for means in (x_sums + moved, y_sums - moved)
        )
        return of_x - of_y

    return differ
