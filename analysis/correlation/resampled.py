"""Correlations of resamples, computed from weights; everything that does not depend on the draws is prepared once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from relevance.analysis.arrays import LARGEST, Floats, Integers
from relevance.analysis.correlation.coefficients import (
    Method,
    coefficients_of_means,
    from_sums,
    is_varied,
    mid_ranks,
    pair_signs,
    pearson,
    ratio,
    slice_rows,
)
from relevance.analysis.correlation.rows import correlate_rows
from relevance.data.ties import TIE

Pair = tuple[str, str]

Resample = Literal["documents", "systems", "both"]

WEIGHTS_AT_ONCE = 1 << 23
"""Weights drawn at a time: 64 MiB."""

CACHED = 1 << 17
"""Numbers that a processor core's cache holds: 1 MiB."""

EXACT = 1 << 24
"""Whole numbers below this are exact in single precision, which halves the time of a product."""


class Weights(NamedTuple):
    """Counts of draws, a row for each resample; None if all occur once in every resample."""

    documents: Floats | None
    systems: Floats | None

    @property
    def units(self) -> Floats:
        """The counts of the units drawn as a whole: documents, systems or, if both are drawn, cells."""
        if self.systems is None:
            return cast(Floats, self.documents)
        if self.documents is None:
            return self.systems
        return (self.documents[:, :, None] * self.systems[:, None, :]).reshape(len(self.systems), -1)

    def only(self, resample: Resample) -> Weights:
        """Restrict the draws to documents, systems or both; the others occur once."""
        return Weights(
            self.documents if resample != "systems" else None, self.systems if resample != "documents" else None
        )


class Group(NamedTuple):
    """Columns that share their missing cells."""

    columns: Floats
    """Shape (columns, documents, systems), NaN if any column is missing."""
    present: NDArray[np.bool_]
    """Shape (documents, systems)."""
    pairs: list[tuple[int, int]]
    """The columns to correlate."""
    names: list[Pair]
    """Their names."""


Sample = Callable[[Weights], Floats]
"""A function from weights to coefficients of resamples, shape (resamples, pairs); NaN if undefined."""


def prepare_sample(group: Group, method: Method, where: str, resample: Resample) -> Sample:
    """Prepare the parts of coefficients that do not depend on the draws; see also `prepare_input`."""
    if where == "input":
        return input_of_drawn_systems(group, method)
    of_method = {"pearson": global_pearson, "spearman": global_spearman, "kendall": global_kendall}[method]
    if resample == "systems":
        return of_method(group, np.swapaxes(group.columns, 1, 2))
    if resample == "both":
        return of_method(group, group.columns.reshape(len(group.columns), -1, 1))
    return of_method(group, group.columns)


def global_pearson(group: Group, units: Floats) -> Sample:
    """Prepare Pearson over all cells, from sums over the units drawn as a whole.

    `units`, shape (columns, units, cells of a unit), holds the columns by these units.
    """
    columns, _, size = units.shape
    there = ~np.isnan(units[0])
    unit = np.repeat(np.arange(units.shape[1]), size)[there.ravel()]
    cells = units.reshape(columns, -1)[:, there.ravel()]
    centred = np.where(there, units - cells.mean(axis=1)[:, None, None], 0)
    sums = [there.sum(axis=1), *centred.sum(axis=2), *(centred**2).sum(axis=2)]
    sums += [(centred[x] * centred[y]).sum(axis=1) for x, y in group.pairs]
    of_units = np.column_stack(sums).astype(np.float64)

    def sample(weights: Weights) -> Floats:
        totals = (weights.units @ of_units).T
        coefficients = np.empty((len(weights.units), len(group.pairs)))
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
            coefficients[:, pair] = r
        return coefficients

    return sample


def global_spearman(group: Group, units: Floats) -> Sample:
    """Prepare Spearman over all cells: sorted once, a resample's ranks are running sums of the weights."""
    columns, count, size = units.shape
    cells = units.reshape(columns, -1)
    there = ~np.isnan(cells[0])
    unit = np.repeat(np.arange(count), size)[there]
    sides = []
    for values in cells[:, there]:
        order = np.argsort(values)
        lower, through = (np.searchsorted(values[order], values, side) for side in ("left", "right"))
        sides.append((unit[order], lower, through))
    n = len(unit)
    vary = prepare_vary(units)
    kind = np.int16 if count * size < 1 << 15 else np.int32  # twice a rank may overflow, less its mean it fits

    def sample(weights: Weights) -> Floats:
        # a resample is a column, so that whole rows of memory are moved and added; large arrays are allocated once
        step = min(len(weights.units), max(1, WEIGHTS_AT_ONCE // ((columns + 3) * (n + 1))))
        sums, more = (np.zeros((n + 1, step), kind) for _ in range(2))
        ranks, roots = np.empty((columns, n, step), kind), np.empty((n, step))
        coefficients = np.empty((len(weights.units), len(group.pairs)))
        for start in range(0, len(coefficients), step):
            rows = slice(start, start + step)
            drawn = np.zeros((count, step), kind)
            drawn[:, : len(coefficients[rows])] = weights.units[rows].T
            np.take(np.sqrt(drawn, dtype=np.float64), unit, axis=0, out=roots, mode="clip")
            total = np.take(drawn, unit, axis=0).sum(axis=0, dtype=kind)
            for (ordered, lower, through), centred in zip(sides, ranks, strict=True):
                np.take(drawn, ordered, axis=0, out=sums[1:], mode="clip")
                add_up(sums)
                # twice the mean rank, less its own mean
                np.take(sums, lower, axis=0, out=centred, mode="clip")
                np.add(centred, np.take(sums, through, axis=0, out=more[1:], mode="clip"), out=centred)
                np.subtract(centred, total, out=centred)
            coefficients[rows] = correlate_ranks(ranks, roots, group.pairs)[: len(coefficients[rows])]
        return where_both(coefficients, vary(weights.units), group.pairs)

    return sample


def correlate_ranks(ranks: NDArray[np.integer], roots: Floats, pairs: list[tuple[int, int]]) -> Floats:
    """Correlate centred ranks, shape (columns, cells, resamples), given the roots of weights, (cells, resamples).

    Goes through a few cells at a time, which stay in the processor's cache for all pairs.
    """
    columns, n, resamples = ranks.shape
    of_one, joint = np.zeros((columns, resamples)), np.zeros((len(pairs), resamples))
    few = min(n, max(1, CACHED // (columns * resamples)))
    room = np.empty((columns, few, resamples))
    for start in range(0, n, few):
        cells = slice(start, start + few)
        weighed = np.multiply(ranks[:, cells], roots[cells], out=room[:, : n - start])
        for column, side in enumerate(weighed):
            of_one[column] += np.einsum("nr,nr->r", side, side)
        for pair, (x, y) in enumerate(pairs):
            joint[pair] += np.einsum("nr,nr->r", weighed[x], weighed[y])
    return np.column_stack([ratio(joint[pair], of_one[x], of_one[y]) for pair, (x, y) in enumerate(pairs)])


def add_up(rows: NDArray[np.integer]) -> None:
    """Replace each row by the sum of all rows up to it, in place: numpy's `cumsum`, but whole rows at a time."""
    step = math.isqrt(len(rows))
    whole = len(rows) // step * step
    blocks = rows[:whole].reshape(-1, step, rows.shape[1])
    for row in range(1, step):
        blocks[:, row] += blocks[:, row - 1]
    for block in range(1, len(blocks)):
        blocks[block] += blocks[block - 1, -1]
    for row in range(whole, len(rows)):
        rows[row] += rows[row - 1]


def global_kendall(group: Group, units: Floats) -> Sample:
    """Prepare Kendall over all cells: sums over pairs of units, weighted by the product of their weights."""
    columns, count, size = units.shape
    forms = list(dict.fromkeys(group.pairs))
    vary, parted = prepare_vary(units), [prepare_parted(column) for column in units]
    ranks = [dense_ranks(column) for column in units]
    step = max(1, WEIGHTS_AT_ONCE // (columns * count * size * -(-size // 8)))
    small = np.int8 if size * size < 1 << 7 else np.int32
    exact = 2 * size * count * size < EXACT

    def sample(weights: Weights) -> Floats:
        drawn = weights.units.astype(np.float32 if exact else np.float64)
        sums = {form: np.zeros(len(drawn)) for form in forms}
        for start in range(0, count, step):
            end = min(start + step, count)
            # each pair of units once: those of this part with those from its start on
            compared = [compare(column[start:], end - start) for column in ranks]
            for x, y in forms:
                (x_lower, x_differ), (y_lower, y_differ) = compared[x], compared[y]
                both = x_differ & y_differ
                added = np.bitwise_count(both).view(np.int8)
                added -= 2 * np.bitwise_count(both & (x_lower ^ y_lower)).view(np.int8)
                block = added.sum(axis=0, dtype=small).astype(drawn.dtype)
                block[end - start :] *= 2
                sums[x, y] += np.einsum("ru,ru->r", weights.units[:, start:end], drawn[:, start:] @ block)
        by_unit = weights.units.T.copy()
        untied = [count_parted(by_unit) for count_parted in parted]
        r = [ratio(sums[x, y], untied[x], untied[y]) for x, y in group.pairs]
        return where_both(np.column_stack(r), vary(weights.units), group.pairs)

    return sample


def dense_ranks(values: Floats) -> Integers:
    """Rank all values of an array of any shape from 0, with equal ranks for equal values; NaN is -1."""
    return np.where(np.isnan(values), -1, np.unique(values, return_inverse=True)[1].reshape(values.shape))


def compare(ranks: Integers, part: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Compare all cells, shape (units, cells of a unit), with those of the first units: which are lower, which differ.

    Returns both as bits, shape (bytes, units, part): the bytes hold all cells of one unit by all cells of the other.
    """
    size = ranks.shape[1]
    order = np.argsort(ranks[:part], axis=None, kind="stable")
    order = order[np.count_nonzero(ranks[:part] < 0) :]
    unit, cell = np.divmod(order, size)
    # the cells of the first units, from none of them to all, the lowest first
    lowest = np.zeros((-(-size // 8), len(order) + 1, part), np.uint8)
    lowest[cell // 8, np.arange(len(order)) + 1, unit] = 1 << cell % 8
    np.bitwise_or.accumulate(lowest, axis=1, out=lowest)
    of_rank = np.bincount(ranks[:part].ravel()[order], minlength=ranks.max() + 2)
    through = np.cumsum(of_rank)
    below = through - of_rank
    below[-1] = 0  # a missing cell differs from none
    lower, differ = (np.take(lowest, places[ranks.T], axis=1) for places in (below, through))
    differ ^= lower ^ lowest[:, None, None, -1]
    return lower.reshape(-1, len(ranks), part), differ.reshape(-1, len(ranks), part)


def prepare_parted(column: Floats) -> Callable[[Floats], Floats]:
    """Prepare to count the ordered pairs of drawn cells that differ, from weights of shape (units, resamples).

    Pairs of the same value are subtracted from all pairs: for a value in one cell only by that cell's weight, for other
    values by the sum over their cells.
    """
    count, size = column.shape
    there = ~np.isnan(column).ravel()
    unit = np.repeat(np.arange(count), size)[there]
    _, run, cells = np.unique(column.ravel()[there], return_inverse=True, return_counts=True)
    alone = cells[run] == 1
    cells_of_unit = np.bincount(unit, minlength=count).astype(np.float64)
    singles = np.bincount(unit[alone], minlength=count).astype(np.float64)
    shared = sparse.csr_array((np.ones((~alone).sum()), (run[~alone], unit[~alone])), shape=(len(cells), count))
    shared = shared[cells > 1]

    def count_parted(weights: Floats) -> Floats:
        counts = (cells_of_unit @ weights) ** 2 - singles @ weights**2
        for row in slice_rows(shared.shape[0], weights.shape[1]):
            counts -= ((shared[row] @ weights) ** 2).sum(axis=0)
        return np.asarray(counts)

    return count_parted


def prepare_vary(units: Floats) -> Callable[[Floats], NDArray[np.bool_]]:
    """Return a function that tells whether a column's drawn cells differ by more than 1e-9, (columns, resamples)."""
    sides = []
    for column in (np.nan_to_num(units, nan=-np.inf), np.nan_to_num(-units, nan=-np.inf)):
        highest = column.max(axis=2)
        order = np.argsort(-highest, axis=1)
        sides.append((order, np.take_along_axis(highest, order, axis=1)))

    def extreme(order: Integers, values: Floats, weights: Floats) -> Floats:
        """Find the value of the first unit that is drawn."""
        extremes, left = np.empty(len(weights)), np.arange(len(weights))
        for unit, value in zip(order, values, strict=True):
            extremes[left] = value  # until a later one is found to be the first
            left = left[weights[left, unit] == 0]
            if len(left) == 0:
                break
        return extremes

    def vary(weights: Floats) -> NDArray[np.bool_]:
        high, less_low = (np.stack([extreme(*column, weights) for column in zip(*side, strict=True)]) for side in sides)
        return np.asarray(high + less_low > TIE)

    return vary


def where_both(r: Floats, vary: NDArray[np.bool_], pairs: list[tuple[int, int]]) -> Floats:
    """Leave out the coefficients of resamples if either side is constant."""
    for pair, (x, y) in enumerate(pairs):
        r[~(vary[x] & vary[y]), pair] = np.nan
    return r


def prepare_input(group: Group, methods: Sequence[Method], known: Mapping[tuple[Pair, Method], Floats]) -> Sample:
    """Prepare the input level if only documents are drawn: means of coefficients that do not change.

    The pairs come once for each method, one method after another. `known` may have the coefficients, shape
    (documents,), by pair and method.
    """
    wanted = [(name, method) for method in methods for name in group.names]
    if all(key in known for key in wanted):
        r = np.column_stack([known[key] for key in wanted])
    else:
        there = group.present.astype(np.float64)
        r = np.concatenate([correlate_rows(group.columns, there, group.pairs, method) for method in methods]).T.copy()
    is_defined = ~np.isnan(r)
    # coefficients are often defined on the same documents, which are counted once
    packed = [np.packbits(column).tobytes() for column in is_defined.T]
    masks = {mask: place for place, mask in enumerate(packed)}
    which = [list(masks).index(mask) for mask in packed]
    defined = is_defined[:, list(masks.values())].astype(np.float64)
    np.nan_to_num(r, copy=False)

    def sample(weights: Weights) -> Floats:
        w = cast(Floats, weights.documents)
        return divide_sums(w @ r, (w @ defined)[:, which])

    return sample


def divide_sums(sums: Floats, counts: Floats) -> Floats:
    """Divide sums by counts, elementwise; NaN for a count of 0."""
    return np.where(counts > 0, sums / np.where(counts > 0, counts, 1), np.nan)


def input_of_drawn_systems(group: Group, method: Method) -> Sample:
    """Prepare the input level if systems are drawn: each document has a coefficient for each resample."""
    columns, documents, systems = group.columns.shape
    prepare = {"pearson": pearson_within, "spearman": spearman_within, "kendall": kendall_within}[method]
    width = columns * systems * systems
    parts = [(part, prepare(group.columns[:, part], group.pairs)) for part in slice_rows(documents, width)]
    vary = [prepare_vary_within(group.columns[:, part]) for part, _ in parts]

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
        return divide_sums(sums, counts)

    return sample


def prepare_vary_within(columns: Floats) -> Callable[[Floats], list[NDArray[np.bool_]]]:
    """Return a function that tells, for each column, in which (resamples, documents) drawn cells differ by over 1e-9.

    They do if the ranks of the drawn ones differ, where values within 1e-9 of the next share a rank; ranks are whole
    numbers, so that their variance is exact. Runs that span more than 1e-9 in all, which are rare, are handled by
    themselves.
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
        masks = []
        for there, ranks, squares, values, long in prepared:
            differ = (v @ there) * (v @ squares) > (v @ ranks) ** 2
            for document in long:
                differ[:, document] = is_varied(values[document][None], v * ~np.isnan(values[document]))
            masks.append(differ)
        return masks

    return vary


Within = Callable[[Floats], Iterator[Floats]]
"""A function from the weights of systems in resamples to each pair's coefficients, shape (resamples, documents)."""


def pearson_within(columns: Floats, pairs: list[tuple[int, int]]) -> Within:
    """Prepare Pearson's r within documents of drawn systems: (resamples, documents) of each pair."""
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


def spearman_within(columns: Floats, pairs: list[tuple[int, int]]) -> Within:
    """Prepare Spearman's coefficient within documents of drawn systems: (resamples, documents) of each pair."""
    _, documents, systems = columns.shape
    kind = np.float32 if systems**3 < EXACT else np.float64
    signs = []
    for values in columns:
        here, other = values[:, :, None], values[:, None, :]
        sign = (here > other).view(np.int8) - (here < other).view(np.int8)
        signs.append(sign.astype(kind).reshape(documents * systems, systems).T)

    def compute(v: Floats) -> Iterator[Floats]:
        drawn = v.astype(kind)
        # twice the mean rank, less its own mean: the weight below minus the weight above
        ranks = [(drawn @ sign).reshape(len(v), documents, systems) for sign in signs]
        weighed = [drawn[:, None, :] * values for values in ranks]

        def joint(x: int, y: int) -> Floats:
            products: Floats = np.einsum("rds,rds->rd", weighed[x], ranks[y]).astype(np.float64)
            return products

        of_one = [joint(column, column) for column in range(len(columns))]
        for x, y in pairs:
            yield ratio(joint(x, y), of_one[x], of_one[y])

    return compute


def kendall_within(columns: Floats, pairs: list[tuple[int, int]]) -> Within:
    """Prepare tau-b within documents of drawn systems: (resamples, documents) of each pair."""
    signs = [pair_signs(values).T.astype(np.float32) for values in columns]
    first, second = np.triu_indices(columns.shape[2], 1)

    def compute(v: Floats) -> Iterator[Floats]:
        taus = np.empty((len(pairs), len(v), columns.shape[1]))
        for rows in slice_rows(len(v), len(first)):
            drawn = (v[rows, first] * v[rows, second]).astype(np.float32)  # copies of a system tie on both sides
            untied = [(drawn @ np.abs(sign)).astype(np.float64) for sign in signs]
            for pair, (x, y) in enumerate(pairs):
                taus[pair, rows] = ratio(drawn @ (signs[x] * signs[y]), untied[x], untied[y])
        return iter(taus)

    return compute


def prepare_systems(group: Group, methods: Sequence[Method]) -> Sample:
    """Prepare the system level: means by the weights of documents, then coefficients by those of systems.

    The pairs come once for each method, one method after another.
    """
    there = group.present.astype(np.float64)
    every = np.where(group.present, group.columns, 0).sum(axis=(1, 2)) / there.sum()
    centred = np.where(group.present, group.columns - every[:, None, None], 0)
    of_documents = np.concatenate([there, *centred], axis=1)

    def sample(weights: Weights) -> Floats:
        w = np.ones((1, len(there))) if weights.documents is None else weights.documents
        counts, *sums = np.split(w @ of_documents, 1 + len(centred), axis=1)
        means = [divide_sums(values, counts) for values in sums]
        drawn = (counts > 0).astype(np.float64)
        if weights.systems is not None:
            drawn = drawn * weights.systems
            means = [np.broadcast_to(values, drawn.shape) for values in means]
        columns = np.stack(means)
        return np.hstack([coefficients_of_means(columns, drawn, group.pairs, method) for method in methods])

    return sample
