"""Whether one metric correlates with human ratings better than another.

Metrics are compared by permutation: both are standardised over all cells, so that their scales do not matter; then
coins decide who swap their scores; p is how often that makes a difference at least as far from 0. What a coin is thrown
for decides what the answer holds for (Deutsch, Dror and Roth 2021, "A Statistical Analysis of Summarization Evaluation
Metrics Using Resampling Methods"):

- `systems`, their Perm-Systems: all summaries of a system swap together. Holds for new systems on these documents.
- `documents`, their Perm-Inputs: all summaries of a document swap together. Holds for new documents, these systems.
- `cells`, their Perm-Both: each summary by itself. Takes these systems and documents as fixed, and rejects far too
  often where new ones would differ.
- `both` is not theirs. A difference that Perm-Systems makes and one that Perm-Inputs makes are added; the sum is scaled
  to the variance of clusters in two ways (Cameron, Gelbach and Miller 2011, "Robust Inference With Multiway
  Clustering"): that of either, less that of Perm-Both, which is in both, and no less than the larger one. p is never
  below what either can reach. Holds for new systems and documents.

Without a choice, each level has the one of `PERMUTE_BY_LEVEL`. Simulated true nulls (16 systems and 30 documents,
normal scores with effects of systems, of documents or of both as large as what is left, or none) are rejected at .05
as follows.

- System level: `systems` .05; `cells` .47 to .55 with effects of systems.
- Input level: `documents` .04 to .06, where documents differ in how well a metric does on them; `cells` .23 to .36
  there. With effects of systems, `documents` .45, as it takes these systems as fixed; `systems` .05.
- Global level: `both` .01 to .05; `systems` .37 with effects of documents, `documents` .46 with effects of systems,
  `cells` .34 to .43, and the larger p of the first two .12 with both effects (20 systems, 20 documents).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from analysis.arrays import Floats, Numbers, read_numbers, same_length
from analysis.coefficients import (
    Method,
    by_document,
    coefficients,
    is_varied,
    known_methods,
    mid_ranks,
    number_cells,
    pearson,
    ratio,
    slice_rows,
)
from analysis.correlation import Correlation, correlate, in_order
from analysis.significance import draws_for
from data.preferences import TIE

Coins = NDArray[np.bool_]


Permute = Literal["systems", "documents", "both", "cells"]


PERMUTE_BY_LEVEL: tuple[Permute, Permute, Permute] = ("both", "documents", "systems")
"""What swaps at the global, the input and the system level, where nothing else is asked for."""


FEWEST = 10_000
"""Permutations that are drawn at least: p near .05 is then known to .002."""


EXACT = 16
"""Up to so many systems, documents or cells, all 2^n permutations are made."""


SURE = 1e-6
"""Where a variance is a smaller share of the mean square, sums leave too few digits of it."""


_EQUAL = 1e-12
"""Differences within this are equal: swapping all cells gives the observed one but for rounding."""


_FOR_VARIANCE = 500
"""Permutations of cells that tell their variance to 6 %, for `both`."""


_Differ = Callable[[Coins], Floats]
"""From coins, shape (permutations, units), the differences of coefficients, shape (permutations, pairs); NaN where
there is none."""


class CorrelationTest(NamedTuple):
    """Two metrics' correlations with the same ratings, at one level of aggregation."""

    difference: float | None
    """That of x less that of y, in [-2, 2]."""
    p: float | None
    """The two-sided p-value in (0, 1]: how often a permutation makes a difference at least as far from 0."""
    n: int
    """What it rests on: cells at the global level, documents with both coefficients, systems."""
    permuted: Permute
    """What swapped."""
    permutations: int
    """The permutations that p rests on; those that leave either coefficient undefined are passed over."""
    exact: bool
    """Whether they are all there are."""
    least: float
    """The least p that they could give."""
    seed: int
    """The seed of the permutations."""
    reason: str | None = None
    """Why p is undefined, or None."""


class LevelTests(NamedTuple):
    """The tests at the three levels of aggregation."""

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


def permutation_tests(
    columns: Mapping[str, ArrayLike],
    pairs: Sequence[tuple[str, str]],
    human: ArrayLike,
    documents: Iterable[Hashable],
    systems: Iterable[Hashable],
    *,
    method: Method = "pearson",
    permute: Permute | None = None,
    permutations: int | None = None,
    seed: int = 0,
) -> dict[tuple[str, str], LevelTests]:
    """Test by permutation whether two metrics correlate with the ratings alike, for many pairs of metrics.

    `columns` hold the metrics' scores by name and `human` the ratings, shape (n,), one a cell, whose document and
    system `documents` and `systems` name. A cell where a metric of a pair or the rating is NaN is left out of that
    pair's test. At the input level, a document counts for a metric where `correlate` counts it.

    `permute` says what swaps, at all levels; None takes that of `PERMUTE_BY_LEVEL`. Where at most 16 things swap, all
    permutations are made, and p is the share of those that make a difference at least as far from 0 as the observed
    one. Else, and for `both`, p = (b + 1)/(m + 1) with b such of m drawn ones (Phipson and Smyth 2010);
    `permutations` is m, by default enough for Holm's correction over all pairs, and 10,000 at least. All pairs that
    have the same cells share their draws, which depend on the seed and the sets of documents and systems, not on the
    order of cells.
    Raises `ValueError` for other shapes, infinite numbers, two cells of one document and system, unknown methods and
    things to permute, and less than one permutation.
    """
    known_methods([method])
    if permute not in (None, *get_args(Permute)):
        raise ValueError(f"permute must be one of {', '.join(get_args(Permute))}, not {permute}")
    drawn = max(FEWEST, draws_for(len(pairs))) if permutations is None else permutations
    if drawn < 1:
        raise ValueError(f"permutations must be at least 1, not {drawn}")
    scores = {name: read_numbers(values, name) for name, values in columns.items()}
    human = read_numbers(human, "human")
    document, _, system, _ = number_cells(documents, systems)
    same_length(**scores, human=human, documents=document, systems=system)
    order = in_order(document, system)
    scores = {name: values[order] for name, values in scores.items()}
    human, document, system = human[order], document[order], system[order]
    alike: dict[bytes, list[tuple[str, str]]] = {}
    for first, second in pairs:
        there = ~(np.isnan(scores[first]) | np.isnan(scores[second]) | np.isnan(human))
        alike.setdefault(there.tobytes(), []).append((first, second))
    found = {}
    for packed, group in alike.items():
        there = np.frombuffer(packed, dtype=np.bool_)
        within = {name: scores[name][there] for name in {name for pair in group for name in pair}}
        cells = _Cells(
            human[there], *(np.unique(labels[there], return_inverse=True)[1] for labels in (document, system))
        )
        found.update(_of_group(within, group, cells, method, permute, drawn, seed))
    return {pair: found[pair] for pair in pairs}


class _Drawn(NamedTuple):
    """What permutations make of the differences of pairs of metrics."""

    differences: Floats
    """Shape (permutations, pairs), NaN where there is none; of all permutations one half, as the other mirrors it."""
    exact: bool
    """Whether these are all permutations."""
    least: float
    """What p cannot be below, however many are drawn."""


class _Cells(NamedTuple):
    """The cells that some pairs of metrics have, each shape (n,), documents and systems counted off from 0."""

    human: Floats
    document: Numbers
    system: Numbers

    def swapping(self, permute: Permute) -> Numbers:
        """Which cells swap together: the same number."""
        if permute == "cells":
            return np.arange(len(self.human))
        return self.document if permute == "documents" else self.system


def _of_group(
    scores: dict[str, Floats],
    pairs: list[tuple[str, str]],
    cells: _Cells,
    method: Method,
    permute: Permute | None,
    permutations: int,
    seed: int,
) -> dict[tuple[str, str], LevelTests]:
    """Pairs of metrics that have a value in every cell."""
    places = cells.document, cells.system
    found = {name: correlate(values, cells.human, *places, method=method) for name, values in scores.items()}
    tested = [pair for pair in pairs if all(found[name].global_.r is not None for name in pair)]
    drawn = [_Drawn(np.empty((0, 0)), False, 1.0)] * 3
    ways = PERMUTE_BY_LEVEL if permute is None else (permute,) * 3
    if tested:
        standard = {name: (values - values.mean()) / values.std() for name, values in scores.items() if values.std()}
        x, y = (np.stack([standard[pair[side]] for pair in tested]) for side in (0, 1))
        levels = (_global, _input, _system)
        drawn = [
            _differences(level, way, x, y, cells, method, permutations, seed)
            for level, way in zip(levels, ways, strict=True)
        ]
    tests = {}
    for pair in pairs:
        both = _documents_of_both(scores[pair[0]], scores[pair[1]], cells)
        sides = zip(found[pair[0]], found[pair[1]], [len(cells.human), both, found[pair[0]].system.n], strict=True)
        place = [tested.index(pair)] if pair in tested else []
        tests[pair] = LevelTests(
            *(
                _test(of_x, of_y, n, made._replace(differences=made.differences[:, place].ravel()), way, seed)
                for (of_x, of_y, n), made, way in zip(sides, drawn, ways, strict=True)
            )
        )
    return tests


def _differences(
    level: Callable[[Floats, Floats, _Cells, Permute, Method], tuple[_Differ, int]],
    permute: Permute,
    x: Floats,
    y: Floats,
    cells: _Cells,
    method: Method,
    permutations: int,
    seed: int,
) -> _Drawn:
    """Make all permutations where they are few, else draw them."""

    def made(permute: Permute, permutations: int, enumerable: bool = False) -> _Drawn:
        differ, units = level(x, y, cells, permute, method)
        exact = enumerable and units <= EXACT
        random = np.random.default_rng([seed, *_STREAMS[permute]])
        throws = _all_coins(units) if exact else _coins(units, permutations, random)
        return _Drawn(np.concatenate([differ(coins) for coins in throws]), exact, 2.0 ** min(0, 1 - units))

    if permute != "both":
        return made(permute, permutations, enumerable=True)
    (of_systems, _, least), (of_documents, _, least_too) = (made(one, permutations) for one in ("systems", "documents"))
    of_cells = made("cells", min(permutations, _FOR_VARIANCE)).differences
    by_systems, by_documents, by_cells = (
        np.nansum(drawn**2, axis=0) / np.maximum((~np.isnan(drawn)).sum(axis=0), 1)
        for drawn in (of_systems, of_documents, of_cells)
    )
    total = by_systems + by_documents
    wanted = np.maximum(np.maximum(by_systems, by_documents), total - by_cells)
    added = (of_systems + of_documents) * np.sqrt(wanted / np.where(total > 0, total, 1))
    return _Drawn(added, False, max(least, least_too))


_STREAMS: dict[Permute, tuple[int, ...]] = {"cells": (), "systems": (1,), "documents": (2,)}
"""What is added to the seed, so that what swaps is independent."""


def _all_coins(units: int) -> Iterator[Coins]:
    """All ways in which units but the first swap."""
    count = 1 << max(0, units - 1)
    for part in slice_rows(count, 8 * units):
        yield (np.arange(part.start, part.stop)[:, None] << 1 >> np.arange(units) & 1).astype(np.bool_)


def _coins(units: int, permutations: int, random: np.random.Generator) -> Iterator[Coins]:
    for part in slice_rows(permutations, 8 * units):
        yield random.random((part.stop - part.start, units)) < 0.5


def _documents_of_both(x: Floats, y: Floats, cells: _Cells) -> int:
    x, y, human = by_document(cells.document, int(cells.document.max(initial=-1)) + 1, x, y, cells.human)
    weights = (~np.isnan(human)).astype(np.float64)
    defined = [~np.isnan(coefficients(scores, human, weights, "pearson")) for scores in (x, y)]
    return int(np.count_nonzero(defined[0] & defined[1]))


def _test(x: Correlation, y: Correlation, n: int, drawn: _Drawn, permute: Permute, seed: int) -> CorrelationTest:
    if x.r is None or y.r is None:
        return CorrelationTest(None, None, n, permute, 0, False, 1.0, seed, x.reason or y.reason)
    observed = x.r - y.r
    differences = drawn.differences[~np.isnan(drawn.differences)]
    m = len(differences)
    if m == 0:
        reason = "no permutation has both coefficients"
        return CorrelationTest(observed, None, n, permute, 0, drawn.exact, 1.0, seed, reason)
    beyond = int(np.count_nonzero(np.abs(differences) >= abs(observed) - _EQUAL))
    if drawn.exact:
        # the observed one is among them, however scores were rounded when they were standardised
        return CorrelationTest(observed, max(beyond, 1) / m, n, permute, 2 * m, True, 1 / m, seed)
    least = max(drawn.least, 1 / (m + 1))
    return CorrelationTest(observed, max(least, (beyond + 1) / (m + 1)), n, permute, m, False, least, seed)


# --- the levels: how coins make differences, and how many coins there are --------------------------------------------


def _global(x: Floats, y: Floats, cells: _Cells, permute: Permute, method: Method) -> tuple[_Differ, int]:
    unit = cells.swapping(permute)
    units = int(unit.max()) + 1
    if method == "pearson":  # all cells as those of one document
        return _Swaps(x, y, cells.human, np.zeros(len(unit), dtype=np.intp), unit).differences, units
    if method == "kendall" and permute != "cells":
        prepared = [_kendall_of_units(*pair, cells.human, unit) for pair in zip(x, y, strict=True)]
        return _each(prepared), units
    prepare = _global_spearman if method == "spearman" else _global_kendall
    return _each([_of_cells(prepare(*pair, cells.human), unit) for pair in zip(x, y, strict=True)]), units


def _input(x: Floats, y: Floats, cells: _Cells, permute: Permute, method: Method) -> tuple[_Differ, int]:
    unit = cells.swapping(permute)
    units = int(unit.max()) + 1
    if permute == "documents":
        return _flips(x, y, cells, method)
    if method == "pearson":
        return _Swaps(x, y, cells.human, cells.document, unit).differences, units
    return _each([_of_cells(_within(*pair, cells, method), unit) for pair in zip(x, y, strict=True)]), units


def _system(x: Floats, y: Floats, cells: _Cells, permute: Permute, method: Method) -> tuple[_Differ, int]:
    unit = cells.swapping(permute)
    units = int(unit.max()) + 1
    if permute != "systems":
        if method == "pearson":
            return _SystemSwaps(x, y, cells, unit).differences, units
        return _each([_of_cells(_of_means(*pair, cells, method), unit) for pair in zip(x, y, strict=True)]), units
    count = np.bincount(cells.system)
    of_x, of_y = (np.stack([np.bincount(cells.system, side) / count for side in sides]) for sides in (x, y))
    human = np.bincount(cells.system, cells.human) / count
    if method == "pearson":  # each system as a cell
        return _Swaps(of_x, of_y, human, np.zeros(units, dtype=np.intp), np.arange(units)).differences, units
    return _each([_swapped_means(one, other, human, method) for one, other in zip(of_x, of_y, strict=True)]), units


_DifferOne = Callable[[Coins], Floats]
"""As `_Differ`, of one pair of metrics: shape (permutations,)."""


def _each(pairs: list[_DifferOne]) -> _Differ:
    return lambda coins: np.stack([differ(coins) for differ in pairs], axis=1)


def _of_cells(differ: _DifferOne, unit: Numbers) -> _DifferOne:
    """A coin for each unit, where `differ` takes one for each cell."""

    def differ_by_unit(coins: Coins) -> Floats:
        parts = slice_rows(len(coins), 8 * len(unit))
        return np.concatenate([differ(coins[part][:, unit]) for part in parts])

    return differ_by_unit


# --- many pairs by Pearson's r ------------------------------------------------------------------------------------


class _Swaps:
    """Pearson's r of pairs of metrics within documents, where some cells have swapped."""

    def __init__(self, x: Floats, y: Floats, human: Floats, document: Numbers, unit: Numbers) -> None:
        """`x` and `y` have the shape (pairs, cells), the others (cells,); a unit is what swaps together."""
        size = int(document.max()) + 1
        cells, rated = by_document(document, size, np.arange(len(human), dtype=np.float64), human)
        keep = is_varied(rated, ~np.isnan(rated))  # elsewhere neither coefficient is ever defined
        self.there = ~np.isnan(cells)[keep]
        at = np.where(self.there, cells[keep], 0).astype(np.intp)
        self.unit = unit[at]
        self.n = self.there.sum(axis=1)[:, None]

        def centred(rows: Floats, about: Floats) -> Floats:
            return np.where(self.there, rows - about[..., None], 0)

        # shape (pairs, documents, cells): about the mean of both, so that few digits are lost
        x, y, rated = x[:, at], y[:, at], human[at]
        middle = np.where(self.there, (x + y) / 2, 0).sum(axis=2) / self.n[:, 0]
        self.x, self.y = centred(x, middle), centred(y, middle)
        self.human = centred(rated, np.where(self.there, rated, 0).sum(axis=1) / self.n[:, 0])
        self.human_square = (self.human**2).sum(axis=1)[:, None, None]
        moved = [self.y - self.x, self.y**2 - self.x**2, (self.y - self.x) * self.human]
        # sums, squares, products: shape (3, documents, units or cells, pairs)
        self.moved, self.coin = self._by_unit(np.moveaxis(np.stack(moved), 1, 3))
        self.base = [
            np.moveaxis(np.stack([side, side**2, side * self.human]).sum(axis=3), 1, 2)[:, :, None]
            for side in (self.x, self.y)
        ]

    def _by_unit(self, moved: Floats) -> tuple[Floats, Numbers]:
        """What moves with each coin, and which coin that is, shape (documents, coins)."""
        if len(self.unit) != 1:  # a document has one cell of each system
            return moved, self.unit
        order = np.argsort(self.unit[0], kind="stable")
        coins, starts = np.unique(self.unit[0][order], return_index=True)
        return np.add.reduceat(moved[:, :, order], starts, axis=2), coins[None]

    def differences(self, coins: Coins) -> Floats:
        """The mean over documents of the first metric's coefficient less that of the second's, as `_Differ`."""
        pairs = self.moved.shape[3]
        means = np.empty((2, len(coins), pairs))
        for rows in slice_rows(len(coins), 8 * pairs):
            means[:, rows] = self._means(coins[rows])
        return np.asarray(means[0] - means[1])

    def _means(self, coins: Coins) -> Floats:
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
                self._settle(r, ~sure, coins, side, part)
                defined = ~np.isnan(r)
                sums[side] += np.where(defined, r, 0).sum(axis=0)
                counts[side] += defined.sum(axis=0)
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    def _settle(self, r: Floats, unsure: Coins, coins: Coins, side: int, part: slice) -> None:
        """Compute anew, from the scores, what the sums have too few digits for."""
        documents, rows, pairs = np.nonzero(unsure)
        own, other = (self.x, self.y) if side == 0 else (self.y, self.x)
        for some in slice_rows(len(documents), 8 * self.unit.shape[1]):
            document, row, pair = documents[some], rows[some], pairs[some]
            at = document + part.start
            swapped = coins[row[:, None], self.unit[at]]
            values = np.where(swapped, other[pair, at], own[pair, at])
            r[document, row, pair] = pearson(values, self.human[at], self.there[at].astype(np.float64))


class _SystemSwaps:
    """Pearson's r of pairs of metrics over the systems' means, where some of the cells of a system have swapped."""

    def __init__(self, x: Floats, y: Floats, cells: _Cells, unit: Numbers) -> None:
        """`x` and `y` have the shape (pairs, cells), `unit` (cells,)."""
        own = [np.flatnonzero(cells.system == one) for one in range(int(cells.system.max()) + 1)]
        self.x, self.y = (np.stack([side[:, mine].mean(axis=1) for mine in own], axis=1) for side in (x, y))
        self.human = np.array([cells.human[mine].mean() for mine in own])
        self.moved = [(unit[mine], (y - x)[:, mine].T / len(mine)) for mine in own]

    def differences(self, coins: Coins) -> Floats:
        """As `_Differ`."""
        found = []
        for rows in slice_rows(len(coins), 8 * self.x.size):
            change = np.stack([coins[rows][:, unit].astype(np.float64) @ moved for unit, moved in self.moved], axis=1)
            r = []
            for side, sign in ((self.x, 1), (self.y, -1)):
                means = np.moveaxis(side.T[None] + sign * change, 1, 2).reshape(-1, len(self.human))
                every = np.broadcast_to(self.human, means.shape)
                r.append(pearson(means, every, np.ones(means.shape)).reshape(len(change), -1))
            found.append(r[0] - r[1])
        return np.concatenate(found)


# --- documents and systems that swap as a whole ---------------------------------------------------------------------


def _flips(x: Floats, y: Floats, cells: _Cells, method: Method) -> tuple[_Differ, int]:
    """The coefficients of a document swap as its summaries do: a sign-flip test over documents."""
    of_x, of_y = (_within_documents(sides, cells, method) for sides in (x, y))
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


def _within_documents(scores: Floats, cells: _Cells, method: Method) -> Floats:
    """The coefficient of each document, shape (pairs, documents)."""
    size = int(cells.document.max()) + 1
    rows, human = by_document(cells.document, size, scores), by_document(cells.document, size, cells.human)[0]
    weights = (~np.isnan(human)).astype(np.float64)
    return np.stack([coefficients(each, human, weights, method) for each in rows[0]])


def _swapped_means(x: Floats, y: Floats, human: Floats, method: Method) -> _DifferOne:
    """Coefficients of ranks over the systems' means, where some systems have swapped."""
    ranked = mid_ranks(human[None], np.ones((1, len(human))), TIE)

    def differ(coins: Coins) -> Floats:
        found = np.empty(len(coins))
        for part in slice_rows(len(coins), len(human) ** 2):
            swapped = coins[part]
            every, ones = np.broadcast_to(ranked, swapped.shape), np.ones(swapped.shape)
            r = [
                coefficients(mid_ranks(np.where(swapped, other, own), ones, TIE), every, ones, method)
                for own, other in ((x, y), (y, x))
            ]
            found[part] = r[0] - r[1]
        return found

    return differ


def _kendall_of_units(x: Floats, y: Floats, human: Floats, unit: Numbers) -> _DifferOne:
    """Tau-b over all cells: how the cells of two units compare is summed once, and coins choose among the sums."""
    count, n = int(unit.max()) + 1, len(human)
    values, rated = np.concatenate([x, y]), np.tile(human, 2)
    side = np.concatenate([unit, unit + count])
    order = np.argsort(side, kind="stable")
    values, rated, side = values[order], rated[order], side[order]
    starts = np.searchsorted(side, np.arange(2 * count))
    joint, untied = np.zeros((2 * count, 2 * count)), np.zeros((2 * count, 2 * count))
    size = np.zeros(1)
    for rows in slice_rows(2 * n, 2 * n):
        signs, of_human = _compared(values[rows], values), _compared(rated[rows], rated)
        size += np.count_nonzero(of_human) / 4  # ratings stand twice on both sides
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


def _global_kendall(x: Floats, y: Floats, human: Floats) -> _DifferOne:
    there = np.ones((1, len(human)))

    def differ(swapped: Coins) -> Floats:
        found = np.empty(len(swapped))
        for row, swap in enumerate(swapped):
            of_x = coefficients(np.where(swap, y, x)[None], human[None], there, "kendall")[0]
            of_y = coefficients(np.where(swap, x, y)[None], human[None], there, "kendall")[0]
            found[row] = of_x - of_y
        return found

    return differ


def _global_spearman(x: Floats, y: Floats, human: Floats) -> _DifferOne:
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

    def r(there: Coins) -> Floats:
        through = np.zeros((len(there), 2 * n + 1))
        np.cumsum(there, axis=1, out=through[:, 1:])
        # twice the mean rank, less its own mean
        ranks = np.take(np.take(through, starts, axis=1) + np.take(through, ends, axis=1) - n, run, axis=1) * there
        return ratio(ranks @ rated_ordered, np.einsum("mc,mc->m", ranks, ranks), size)

    def differ(swapped: Coins) -> Floats:
        of_x = np.take(np.concatenate([~swapped, swapped], axis=1), order, axis=1)
        return _defined(r(of_x), both[order], of_x) - _defined(r(~of_x), both[order], ~of_x)

    return differ


def _within(x: Floats, y: Floats, cells: _Cells, method: Method) -> _DifferOne:
    size = int(cells.document.max()) + 1
    index, *sides = by_document(cells.document, size, np.arange(len(x), dtype=np.float64), x, y, cells.human)
    there = ~np.isnan(index)
    keep = is_varied(sides[2], there)  # elsewhere neither coefficient is ever defined
    at = np.where(there, index, 0)[keep].astype(np.intp)
    there = there[keep]
    both = np.concatenate([sides[0][keep], sides[1][keep]], axis=1)
    rated = np.tile(sides[2][keep], (1, 2))
    width = both.shape[1]
    within = _spearman_within if method == "spearman" else _kendall_within
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


_Within = Callable[[Coins], Floats]
"""From which scores are there, shape (documents, permutations, scores of both metrics), their coefficients."""


def _spearman_within(both: Floats, rated: Floats) -> _Within:
    # twice the mean rank, less its own mean, is the count of what lies below less that of what lies above
    below = np.swapaxes(_signs(both), 1, 2).astype(np.float64)
    rating_ranks = _signs(rated).sum(axis=2, keepdims=True) / 2
    size = (rating_ranks**2).sum(axis=1) / 2
    check = _near(both)

    def compute(mine: Coins) -> Floats:
        weights = mine.astype(np.float64)
        ranks = (weights @ below) * weights
        return check(ratio((ranks @ rating_ranks)[:, :, 0], np.einsum("dms,dms->dm", ranks, ranks), size), mine)

    return compute


def _kendall_within(both: Floats, rated: Floats) -> _Within:
    score_signs, rating_signs = _signs(both), _signs(rated)
    joint, untied = (score_signs * rating_signs).astype(np.float64), np.abs(score_signs).astype(np.float64)
    size = np.abs(rating_signs).sum(axis=(1, 2))[:, None] / 4
    check = _near(both)

    def compute(mine: Coins) -> Floats:
        weights = mine.astype(np.float64)
        sums = [np.einsum("dms,dms->dm", weights @ matrix, weights) for matrix in (joint, untied)]
        return check(ratio(sums[0], sums[1], size), mine)

    return compute


def _signs(values: Floats) -> NDArray[np.int8]:
    """Compare each value of a row with each: 1 where it is higher, shape (rows, n, n)."""
    return _compared(values, values)


def _compared(values: Floats, others: Floats) -> NDArray[np.int8]:
    """Compare each value with each of the others: 1 where it is higher, -1 where it is lower, shape (..., n, m)."""
    one, other = values[..., :, None], others[..., None, :]
    return (one > other).view(np.int8) - (one < other).view(np.int8)


def _near(both: Floats) -> Callable[[Floats, Coins], Floats]:
    """Prepare to leave out what is constant but for noise; few documents can be."""
    gaps = np.diff(np.sort(both, axis=1), axis=1)
    near = np.flatnonzero(((gaps > 0) & (gaps <= TIE)).any(axis=1))

    def check(r: Floats, mine: Coins) -> Floats:
        for document in near:
            r[document] = _defined(r[document], both[document], mine[document])
        return r

    return check


def _defined(r: Floats, values: Floats, there: Coins) -> Floats:
    """Leave out the coefficients of rows whose values lie within 1e-9 of each other."""
    return np.where(is_varied(values[None], there), r, np.nan)


def _of_means(x: Floats, y: Floats, cells: _Cells, method: Method) -> _DifferOne:
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
