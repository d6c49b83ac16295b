"""Correlations of resamples: what does not depend on the draws is prepared once, and sums follow from weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from analysis.arrays import LARGEST, Floats
from analysis.coefficients import (
    Method,
    coefficients,
    from_sums,
    is_varied,
    mid_ranks,
    pair_signs,
    pearson,
    ratio,
    slice_rows,
)
from data.preferences import TIE

Pair = tuple[str, str]


Resample = Literal["documents", "systems", "both"]


_DRAWN = 1 << 23
"""Weights drawn at a time: 64 MiB of them."""


_EXACT = 1 << 24
"""Whole numbers below this are exact in single precision, which halves the time of a product."""


class Weights(NamedTuple):
    """How often things are drawn, one row a resample; None where all stand once in all resamples."""

    documents: Floats | None
    systems: Floats | None

    @property
    def units(self) -> Floats:
        """How often whatever is drawn as a whole is: documents, systems or, where both are drawn, cells."""
        if self.systems is None:
            return cast(Floats, self.documents)
        if self.documents is None:
            return self.systems
        return (self.documents[:, :, None] * self.systems[:, None, :]).reshape(len(self.systems), -1)

    def only(self, resample: Resample) -> Weights:
        """These draws, with all documents or systems standing once where they are not to be drawn."""
        return Weights(
            self.documents if resample != "systems" else None, self.systems if resample != "documents" else None
        )


class Group(NamedTuple):
    """Columns that share their missing cells."""

    columns: Floats
    """Shape (columns, documents, systems), NaN where any of them is missing."""
    present: NDArray[np.bool_]
    """Shape (documents, systems)."""
    pairs: list[tuple[int, int]]
    """The columns to correlate."""
    names: list[Pair]
    """Their names."""


Sample = Callable[[Weights], Floats]
"""Computes the coefficients of resamples, shape (resamples, pairs); NaN where undefined."""


def draw_weights(
    documents: int, systems: int, width: int, resamples: int, seed: int
) -> Iterator[tuple[slice, Weights]]:
    """Draw with replacement, as many resamples of some width at a time as memory allows: which, and their weights."""
    step = max(1, _DRAWN // width)
    of_documents, of_systems = np.random.default_rng(seed), np.random.default_rng([seed, 1])

    def draw(random: np.random.Generator, size: int, rows: int) -> Floats:
        drawn = random.integers(size, size=(rows, size)) + size * np.arange(rows)[:, None]
        return np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size).astype(np.float64)

    for start in range(0, resamples, step):
        rows = slice(start, min(start + step, resamples))
        count = rows.stop - rows.start
        yield rows, Weights(draw(of_documents, documents, count), draw(of_systems, systems, count))


def prepare_sample(group: Group, method: Method, where: str, resample: Resample) -> Sample:
    """Prepare what does not depend on the draws."""
    if where == "system":
        return _system(group, method)
    if where == "input":
        return _input(group, method) if resample == "documents" else _input_of_drawn_systems(group, method)
    of_method = {"pearson": _global_pearson, "spearman": _global_spearman, "kendall": _global_kendall}[method]
    if resample == "systems":
        return of_method(group, np.swapaxes(group.columns, 1, 2))
    if resample == "both":
        return of_method(group, group.columns.reshape(len(group.columns), -1, 1))
    return of_method(group, group.columns)


def _global_pearson(group: Group, units: Floats) -> Sample:
    """Pearson over all cells is made of sums over them, and these of sums over what is drawn as a whole.

    `units`, shape (columns, units, cells of a unit), holds the columns by what is drawn as a whole.
    """
    columns, _, size = units.shape
    cells = units.reshape(columns, -1)
    there = ~np.isnan(cells[0])
    unit = np.repeat(np.arange(units.shape[1]), size)[there]
    cells = cells[:, there]
    centred = np.nan_to_num(units - cells.mean(axis=1)[:, None, None])
    sums = [(~np.isnan(units[0])).sum(axis=1), *centred.sum(axis=2), *(centred**2).sum(axis=2)]
    sums += [(centred[x] * centred[y]).sum(axis=1) for x, y in group.pairs]
    of_units = np.column_stack(sums).astype(np.float64)

    def sample(weights: Weights) -> Floats:
        totals = (weights.units @ of_units).T
        found = np.empty((len(weights.units), len(group.pairs)))
        for pair, (x, y) in enumerate(group.pairs):
            r, sure = from_sums(
                totals[0],
                totals[1 + x],
                totals[1 + y],
                totals[1 + columns + x],
                totals[1 + columns + y],
                totals[1 + 2 * columns + pair],
            )
            unsure = np.flatnonzero(~sure)
            for part in slice_rows(len(unsure), 4 * len(unit)):
                of_cells = weights.units[unsure[part]][:, unit]
                r[unsure[part]] = pearson(cells[x][None], cells[y][None], of_cells)
            found[:, pair] = r
        return found

    return sample


def _global_spearman(group: Group, units: Floats) -> Sample:
    """Spearman over all cells: sort once, then a resample's ranks are running sums of the weights."""
    columns, _, size = units.shape
    cells = units.reshape(columns, -1)
    there = ~np.isnan(cells[0])
    unit = np.repeat(np.arange(units.shape[1]), size)[there]
    cells = cells[:, there]
    runs = []
    for values in cells:
        order = np.argsort(values)
        first = np.diff(values[order], prepend=-np.inf) > 0
        starts = np.flatnonzero(first)
        run_of_cell = np.empty(len(order), dtype=np.intp)
        run_of_cell[order] = np.cumsum(first) - 1
        runs.append((unit[order], starts, np.append(starts[1:], len(order)), run_of_cell))
    vary = _vary(units)

    def sample(weights: Weights) -> Floats:
        found = np.empty((len(weights.units), len(group.pairs)))
        for rows in slice_rows(len(found), (columns + 4) * len(unit)):
            drawn = weights.units[rows]
            of_cells = np.take(drawn, unit, axis=1)
            roots = np.sqrt(of_cells)
            total = of_cells.sum(axis=1, keepdims=True)
            through = np.zeros((len(drawn), len(unit) + 1))
            ranks = np.empty((len(drawn), columns, len(unit)))
            for column, (ordered, starts, ends, run_of_cell) in enumerate(runs):
                np.cumsum(np.take(drawn, ordered, axis=1), axis=1, out=through[:, 1:])
                # twice the mean rank, less its own mean
                centred = np.take(through, starts, axis=1) + np.take(through, ends, axis=1) - total
                np.multiply(np.take(centred, run_of_cell, axis=1), roots, out=ranks[:, column])
            products = ranks @ ranks.swapaxes(1, 2)
            for pair, (x, y) in enumerate(group.pairs):
                found[rows, pair] = ratio(products[:, x, y], products[:, x, x], products[:, y, y])
        return _where_both(found, vary(weights.units), group.pairs)

    return sample


def _global_kendall(group: Group, units: Floats) -> Sample:
    """Kendall over all cells: sums over pairs of units, of what their cells add, under the product of weights."""
    columns, count, size = units.shape
    forms = list(dict.fromkeys([*group.pairs, *((index, index) for pair in group.pairs for index in pair)]))
    vary = _vary(units)
    cells = units.reshape(columns, -1)
    step = max(1, (_DRAWN // 2) // (columns * size * count * size))
    exact = 2 * size * count * size < _EXACT

    def sample(weights: Weights) -> Floats:
        drawn = weights.units.astype(np.float32 if exact else np.float64)
        sums = {form: np.zeros(len(drawn)) for form in forms}
        for start in range(0, count, step):
            end = min(start + step, count)
            # each pair of units once: those of this part with those from its start on
            here, rest = cells[:, start * size : end * size, None], cells[:, None, start * size :]
            signs = ((here > rest).view(np.int8) - (here < rest).view(np.int8)).astype(np.float32)
            signs = signs.reshape(columns, end - start, size, -1)
            for x, y in forms:
                added = np.einsum("umk,umk->uk", signs[x], signs[y]).reshape(end - start, count - start, size)
                block = added.sum(axis=2)
                block[:, end - start :] *= 2
                product = drawn[:, start:] @ block.T
                sums[x, y] += np.einsum("ru,ru->r", weights.units[:, start:end], product)
        r = [ratio(sums[x, y], sums[x, x], sums[y, y]) for x, y in group.pairs]
        return _where_both(np.column_stack(r), vary(weights.units), group.pairs)

    return sample


def _vary(units: Floats) -> Callable[[Floats], NDArray[np.bool_]]:
    """Prepare to say whether a column's drawn cells differ by more than 1e-9, shape (columns, resamples)."""
    absent = np.isnan(units)
    high = np.where(absent, -np.inf, units).max(axis=2)
    low = np.where(absent, np.inf, units).min(axis=2)

    def vary(weights: Floats) -> NDArray[np.bool_]:
        there = weights > 0
        return np.stack(
            [
                np.where(there, highest, -np.inf).max(axis=1) - np.where(there, lowest, np.inf).min(axis=1) > TIE
                for highest, lowest in zip(high, low, strict=True)
            ]
        )

    return vary


def _where_both(r: Floats, vary: NDArray[np.bool_], pairs: list[tuple[int, int]]) -> Floats:
    """Leave out the coefficients of resamples where either side is constant."""
    for pair, (x, y) in enumerate(pairs):
        r[~(vary[x] & vary[y]), pair] = np.nan
    return r


def _input(group: Group, method: Method) -> Sample:
    """Only documents are drawn: the mean of coefficients that do not change."""
    weights_of_cells = group.present.astype(np.float64)
    r = np.column_stack(
        [coefficients(group.columns[x], group.columns[y], weights_of_cells, method) for x, y in group.pairs]
    )
    defined = (~np.isnan(r)).astype(np.float64)
    r = np.nan_to_num(r)

    def sample(weights: Weights) -> Floats:
        w = cast(Floats, weights.documents)
        return _mean(w @ r, w @ defined)

    return sample


def _mean(sums: Floats, counts: Floats) -> Floats:
    return np.where(counts > 0, sums / np.where(counts > 0, counts, 1), np.nan)


def _input_of_drawn_systems(group: Group, method: Method) -> Sample:
    """Systems are drawn: each document has a coefficient for each resample."""
    columns, documents, systems = group.columns.shape
    prepare = {"pearson": _pearson_within, "spearman": _spearman_within, "kendall": _kendall_within}[method]
    width = columns * systems * systems
    parts = [(part, prepare(group.columns[:, part], group.pairs)) for part in slice_rows(documents, width)]
    vary = [_vary_within(group.columns[:, part]) for part, _ in parts]

    def sample(weights: Weights) -> Floats:
        v = cast(Floats, weights.systems)
        sums, counts = np.zeros((len(v), len(group.pairs))), np.zeros((len(v), len(group.pairs)))
        for (part, compute), vary_within in zip(parts, vary, strict=True):
            for rows in slice_rows(len(v), (part.stop - part.start) * (columns * systems + len(group.pairs))):
                differ = vary_within(v[rows])
                for pair, r in enumerate(compute(v[rows])):
                    x, y = group.pairs[pair]
                    defined = differ[x] & differ[y] & ~np.isnan(r)
                    w = defined if weights.documents is None else defined * weights.documents[rows, part]
                    sums[rows, pair] += (w * np.where(defined, r, 0)).sum(axis=1)
                    counts[rows, pair] += w.sum(axis=1)
        return _mean(sums, counts)

    return sample


def _vary_within(columns: Floats) -> Callable[[Floats], list[NDArray[np.bool_]]]:
    """Prepare to say whether the drawn cells of a document differ by more than 1e-9: a column's (resamples, documents).

    They do where the ranks of the drawn ones differ, where a rank is that of a run of values within 1e-9 of
    the next; ranks are whole numbers, so that their variance is exact. A run that is longer than 1e-9 in
    all, which is rare, is looked at by itself.
    """
    prepared = []
    for values in columns:
        there = (~np.isnan(values)).astype(np.float64)
        ranks = mid_ranks(values, there, TIE) * 2 * there
        ordered = np.sort(np.where(there > 0, values, 10 * LARGEST), axis=1)
        first = np.diff(ordered, axis=1, prepend=-np.inf) > TIE
        starts = np.maximum.accumulate(np.where(first, ordered, -np.inf), axis=1)
        long = np.flatnonzero((ordered - starts > TIE).any(axis=1))
        prepared.append((there.T, ranks.T, (ranks**2).T, values, long))

    def vary(v: Floats) -> list[NDArray[np.bool_]]:
        found = []
        for there, ranks, squares, values, long in prepared:
            differ = (v @ there) * (v @ squares) > (v @ ranks) ** 2
            for document in long:
                differ[:, document] = is_varied(values[document][None], v * ~np.isnan(values[document]))
            found.append(differ)
        return found

    return vary


_Within = Callable[[Floats], Iterator[Floats]]
"""From the weights of systems in resamples, the coefficients of documents: for each pair, (resamples, documents)."""


def _pearson_within(columns: Floats, pairs: list[tuple[int, int]]) -> _Within:
    there = ~np.isnan(columns[0])
    counts = there.sum(axis=1)
    means = np.where(there, columns, 0).sum(axis=2) / np.maximum(counts, 1)
    centred = np.where(there, columns - means[:, :, None], 0)

    def compute(v: Floats) -> Iterator[Floats]:
        n = v @ there.T
        sums = [v @ values.T for values in centred]
        squares = [v @ (values**2).T for values in centred]
        for x, y in pairs:
            joint = v @ (centred[x] * centred[y]).T
            r, sure = from_sums(n, sums[x], sums[y], squares[x], squares[y], joint)
            rows, documents = np.nonzero(~sure)
            for part in slice_rows(len(rows), 4 * v.shape[1]):
                of_cells = v[rows[part]] * there[documents[part]]
                r[rows[part], documents[part]] = pearson(
                    columns[x][documents[part]], columns[y][documents[part]], of_cells
                )
            yield r

    return compute


def _spearman_within(columns: Floats, pairs: list[tuple[int, int]]) -> _Within:
    _, documents, systems = columns.shape
    kind = np.float32 if systems**3 < _EXACT else np.float64
    signs = []
    for values in columns:
        here, other = values[:, :, None], values[:, None, :]
        sign = (here > other).view(np.int8) - (here < other).view(np.int8)
        signs.append(sign.astype(kind).reshape(documents * systems, systems).T)

    def compute(v: Floats) -> Iterator[Floats]:
        drawn = v.astype(kind)
        # twice the mean rank, less its own mean: what lies below less what lies above
        ranks = [(drawn @ sign).reshape(len(v), documents, systems) for sign in signs]
        weighed = [drawn[:, None, :] * values for values in ranks]

        def joint(x: int, y: int) -> Floats:
            products: Floats = np.einsum("rds,rds->rd", weighed[x], ranks[y]).astype(np.float64)
            return products

        of_one = [joint(column, column) for column in range(len(columns))]
        for x, y in pairs:
            yield ratio(joint(x, y), of_one[x], of_one[y])

    return compute


def _kendall_within(columns: Floats, pairs: list[tuple[int, int]]) -> _Within:
    signs = [pair_signs(values).T.astype(np.float32) for values in columns]
    first, second = np.triu_indices(columns.shape[2], 1)

    def compute(v: Floats) -> Iterator[Floats]:
        found = np.empty((len(pairs), len(v), columns.shape[1]))
        for rows in slice_rows(len(v), len(first)):
            drawn = (v[rows, first] * v[rows, second]).astype(np.float32)  # copies of a system tie on both sides
            untied = [(drawn @ np.abs(sign)).astype(np.float64) for sign in signs]
            for pair, (x, y) in enumerate(pairs):
                found[pair, rows] = ratio(drawn @ (signs[x] * signs[y]), untied[x], untied[y])
        return iter(found)

    return compute


def _system(group: Group, method: Method) -> Sample:
    """Means of each system under the weights of documents, then their coefficient under those of systems."""
    there = group.present.astype(np.float64)
    every = np.where(group.present, group.columns, 0).sum(axis=(1, 2)) / there.sum()
    centred = np.where(group.present, group.columns - every[:, None, None], 0)

    def sample(weights: Weights) -> Floats:
        w = np.ones((1, len(there))) if weights.documents is None else weights.documents
        counts = w @ there
        means = [_mean(w @ values, counts) for values in centred]
        drawn = (counts > 0).astype(np.float64)
        if weights.systems is not None:
            drawn = drawn * weights.systems
            means = [np.broadcast_to(values, drawn.shape) for values in means]
        if method != "pearson":
            means = [mid_ranks(values, drawn, TIE) for values in means]
        return np.column_stack([coefficients(means[x], means[y], drawn, method) for x, y in group.pairs])

    return sample
