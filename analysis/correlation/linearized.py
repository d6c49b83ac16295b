"""A first-order bootstrap of rank correlations over very many cells: each document's contribution is computed once.

Ranks, and which pairs of cells are concordant, depend on all cells, so that each resample would have to be ranked anew.
To first order a coefficient is a mean over cells of each cell's effect on it, including the effect through the ranks of
others (its influence function): means of these are resampled, and the ratio is made of them. The variance is that of
the asymptotic theory of U-statistics (Hoeffding 1948, "A Class of Statistics with Asymptotically Normal Distribution",
section 9; Hampel et al. 1986, "Robust Statistics", section 2.1). docs/statistics.md has how near this comes to ranking
anew.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.analysis.arrays import Floats, Integers
from relevance.analysis.correlation.coefficients import Method, ratio

GRID = 512
"""Equal parts into which either side is cut to count the cells concordant with a cell; ties stay together."""


class Ranked(NamedTuple):
    """A column of cells by rank; cells of the same value are a run."""

    order: NDArray[np.int32]
    """The cells, the lowest first, shape (cells,)."""
    run: NDArray[np.int32]
    """The run of each cell, shape (cells,)."""
    starts: Integers
    """The number of cells lower than each run, shape (runs,)."""
    ends: Integers
    """The number of cells lower or equal, shape (runs,)."""
    middle: Floats
    """The share of cells that are lower, counting half of the equal ones, minus 1/2, shape (cells,)."""
    part: NDArray[np.int32]
    """The part of the grid of each cell, shape (cells,)."""


def rank_cells(values: Floats) -> Ranked:
    """Rank a column, shape (cells,), without missing values."""
    n = len(values)
    order = np.argsort(values).astype(np.int32)
    first = np.diff(values[order], prepend=-np.inf) > 0
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], n)
    run = np.empty(n, dtype=np.int32)
    run[order] = np.cumsum(first, dtype=np.int32) - 1
    part = (starts * GRID // n).astype(np.int32)
    return Ranked(order, run, starts, ends, ((starts + ends) / (2 * n) - 0.5)[run], part[run])


def above(ranked: Ranked, values: Floats) -> Floats:
    """Sum `values` over cells that rank higher, plus half of that over equal ones, for each cell, divided by n."""
    n = len(values)
    sums = np.zeros(n + 1)
    np.cumsum(values[ranked.order], out=sums[1:])
    of_runs = sums[-1] - (sums[ranked.starts] + sums[ranked.ends]) / 2
    return np.asarray((of_runs / n)[ranked.run])


def spearman_influence(x: Ranked, y: Ranked) -> Floats:
    """Compute each cell's influence on the covariance of ranks, shape (cells,): the mean is the covariance."""
    product = x.middle * y.middle
    through_x = above(x, y.middle)
    through_y = through_x if x is y else above(y, x.middle)
    return np.asarray(product + through_x + through_y - 2 * product.mean())


def kendall_influence(x: Ranked, y: Ranked) -> Floats:
    """Compute each cell's influence on the share of concordant minus discordant pairs: the mean is that share."""
    n, place = len(x.middle), x.part * np.int32(GRID) + y.part
    through = np.zeros((GRID + 1, GRID + 1))
    counts = np.bincount(place, minlength=GRID * GRID).reshape(GRID, GRID)
    through[1:, 1:] = counts.cumsum(axis=0).cumsum(axis=1)
    rows, columns = through[:, -1:], through[-1:]
    both_lower, both_higher = through[:-1, :-1], n - rows[1:] - columns[:, 1:] + through[1:, 1:]
    apart = rows[:-1] - through[:-1, 1:] + columns[:, :-1] - through[1:, :-1]
    of_cells = ((both_lower + both_higher - apart) / n).ravel()[place]
    return np.asarray(2 * of_cells - of_cells.mean())  # a pair of cells in one part counts as tied


def untied_influence(x: Ranked) -> Floats:
    """Compute each cell's influence on the share of pairs that differ, shape (cells,): the mean is that share."""
    differ = (1 - (x.ends - x.starts) / len(x.middle))[x.run]
    return np.asarray(2 * differ - differ.mean())


def prepare_ranks(
    units: Floats, pairs: Sequence[tuple[int, int]], exact: Mapping[Method, Sequence[float]]
) -> Callable[[Floats], Floats]:
    """Return a function from weights, shape (resamples, units), to coefficients of resamples, a column for each pair.

    `units`, shape (columns, units, cells of a unit), holds the columns by the unit drawn as a whole; NaN is missing, in
    all columns alike. `exact` are the coefficients of all cells by `spearman`, `kendall` or both, around which those of
    resamples are centred. The pairs come once for each method, one method after another.
    """
    there: NDArray[np.bool_] = ~np.isnan(units[0])
    starts = np.append(0, np.cumsum(there.sum(axis=1)))

    def add_up(of_cells: Floats) -> Floats:
        if len(of_cells) == there.size:
            return np.asarray(of_cells.reshape(there.shape).sum(axis=1))
        return np.diff(np.append(0.0, np.cumsum(of_cells))[starts])

    def of_pair(method: Method, pair: tuple[int, int]) -> Floats:
        x, y = (ranked[side] for side in pair)
        return add_up(spearman_influence(x, y) if method == "spearman" else kendall_influence(x, y))

    def of_column(method: Method, x: Ranked) -> Floats:
        return add_up(spearman_influence(x, x) if method == "spearman" else untied_influence(x))

    n = there.sum(axis=1)
    sums = [n]
    with ThreadPoolExecutor(2) as threads:
        ranked = list(threads.map(rank_cells, (column[there] for column in units)))
        for method, known in exact.items():
            own = list(threads.map(partial(of_column, method), ranked))
            joint = list(threads.map(partial(of_pair, method), pairs))
            # the grid of Kendall's counts is coarse
            for place, ((x, y), r) in enumerate(zip(pairs, known, strict=True)):
                joint[place] += n * (r * np.sqrt(own[x].sum() * own[y].sum()) - joint[place].sum()) / n.sum()
            sums += [*own, *joint]
    of_units = np.column_stack(sums)

    def sample(weights: Floats) -> Floats:
        cells, *totals = (weights @ of_units).T
        means = np.stack(totals) / np.where(cells > 0, cells, np.nan)
        columns = []
        for of_method in np.split(means, len(exact)):
            sides, products = of_method[: len(units)], of_method[len(units) :]
            columns += [ratio(products[k], sides[x], sides[y]) for k, (x, y) in enumerate(pairs)]
        return np.column_stack(columns)

    return sample
