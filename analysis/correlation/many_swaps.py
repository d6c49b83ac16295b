"""Permutation tests of Pearson's r over very many cells, with sums by metric instead of by pair of metrics.

A permutation changes a pair's sums of scores, of squares and of products with the ratings only by the swapped units'
sums, so that coins are multiplied with three columns for each metric. Products are in single precision, added up in
double precision every few thousand coins, which leaves six digits of a difference.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.analysis.arrays import Floats
from relevance.analysis.correlation.coefficients import ratio
from relevance.analysis.correlation.permuted import Coins, Differ, Permute, RatedCells

MANY_CELLS = 50_000
"""Cells above which tests of Pearson's r are made here."""

ROWS, COLUMNS = 64, 1 << 13
"""Permutations drawn at a time, and coins multiplied at a time."""


class Metrics(NamedTuple):
    """The scores of some metrics in the same cells, and the pairs to compare."""

    scores: Floats
    """Shape (metrics, cells), standardised."""
    pairs: Sequence[tuple[int, int]]


def throw_coins(units: int, permutations: int, random: np.random.Generator) -> Iterator[Coins]:
    """Yield coins for each unit, some permutations at a time."""
    for start in range(0, permutations, ROWS):
        words = random.integers(2**64, size=(min(ROWS, permutations - start), -(-units // 64)), dtype=np.uint64)
        yield np.unpackbits(words.view(np.uint8), axis=1, count=units).view(np.bool_)


def count_swapping(cells: RatedCells, permute: Permute) -> int:
    """Return the number of coins it takes."""
    return int(cells.swapping(permute).max()) + 1


def add_swapped(coins: Coins, of_units: NDArray[np.float32]) -> Floats:
    """Sum the columns, shape (units, columns), of the units that swap by coins, shape (permutations, units)."""
    sums = np.zeros((len(coins), of_units.shape[1]))
    for start in range(0, len(of_units), COLUMNS):
        sums += coins[:, start : start + COLUMNS].astype(np.float32) @ of_units[start : start + COLUMNS]
    return sums


def swap_pooled(metrics: Metrics, cells: RatedCells, permute: Permute) -> Differ:
    """Prepare the differences of correlations over all cells."""
    rated = cells.human - cells.human.mean()
    unit, many, n = cells.swapping(permute), len(metrics.scores), len(rated)
    columns = [*metrics.scores, *(metrics.scores**2), *(metrics.scores * rated)]
    units = count_swapping(cells, permute)
    of_units = np.column_stack(
        columns if units == len(unit) else [np.bincount(unit, column, units) for column in columns]
    )
    own, size = of_units.sum(axis=0), np.full(1, float((rated**2).sum()))
    single = of_units.astype(np.float32)

    def differ(coins: Coins) -> Floats:
        swapped = add_swapped(coins, single)
        differences = np.empty((len(coins), len(metrics.pairs)))
        for pair, (x, y) in enumerate(metrics.pairs):
            of_x, of_y = slice(x, None, many), slice(y, None, many)
            change = swapped[:, of_y] - swapped[:, of_x]
            r = []
            for base, sign in ((own[of_x], 1), (own[of_y], -1)):
                total, square, joint = (base + sign * change).T
                r.append(ratio(joint, square - total**2 / n, size))
            differences[:, pair] = r[0] - r[1]
        return differences

    return differ


def flip_documents(within: Floats, pairs: Sequence[tuple[int, int]]) -> tuple[Differ, int]:
    """Prepare the differences of mean correlations within documents if all summaries of a document swap.

    `within`, shape (metrics, documents), holds the correlations. Also returns the number of coins it takes.
    """
    within = within[:, ~np.isnan(within).all(axis=0)]  # elsewhere nothing swaps
    there, many = ~np.isnan(within), len(within)
    of_units = np.column_stack([*np.nan_to_num(within), *there.astype(np.float64)])
    own, single = of_units.sum(axis=0), of_units.astype(np.float32)

    def differ(coins: Coins) -> Floats:
        swapped = add_swapped(coins, single)
        differences = np.empty((len(coins), len(pairs)))
        for pair, (x, y) in enumerate(pairs):
            change = swapped[:, y::many] - swapped[:, x::many]
            means = []
            for base, sign in ((own[x::many], 1), (own[y::many], -1)):
                total, count = (base + sign * change).T
                means.append(np.where(count > 0.5, total / np.maximum(count, 1), np.nan))
            differences[:, pair] = means[0] - means[1]
        return differences

    return differ, within.shape[1]
