"""Intervals of correlations by bootstrap over documents, systems or both, for many pairs of columns at once.

A resample is never built: it is the number of times that each document and each system is drawn, and every
coefficient is computed with those numbers as weights. The result is that of building each resample, in which
the copies of a document are different documents and those of a system different systems (Deutsch, Dror and
Roth 2021, "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods": Boot-Inputs,
Boot-Systems and Boot-Both).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.arrays import LARGEST, Floats, read_numbers, same_length
from analysis.coefficients import (
    Method,
    coefficients,
    from_sums,
    is_varied,
    known_methods,
    mid_ranks,
    number_cells,
    pair_signs,
    pearson,
    ratio,
    slice_rows,
)
from analysis.ratio_intervals import Interval
from data.preferences import TIE

Resample = Literal["documents", "systems", "both"]


Pair = tuple[str, str]


SAME_COEFFICIENTS = "no interval: all resamples have the same coefficient"
"""Why an interval without a width is none: two systems, for instance, always correlate by 1 or -1."""


RESAMPLE_BY_LEVEL: tuple[Resample, Resample, Resample] = ("documents", "documents", "both")
"""What is drawn for the global, the input and the system level, where nothing else is asked for.

A coefficient of systems rests on few of them: with 16 systems that differ, intervals over documents alone hold the one
of other systems and documents in 26 of 100 simulated studies at the system level, those over both in 91. At the other
levels intervals over documents are read as they are meant, for these systems; where systems differ they hold that of
others in 33 (global) and 31 (input) of 100, those over both in 91.
"""


KENDALL_CELLS = {"documents": 10_000, "systems": 4_000, "both": 4_000}
"""The most cells for which Kendall at the global level is computed: its cost grows with their square."""


_DRAWN = 1 << 23
"""Weights drawn at a time: 64 MiB of them."""


_EXACT = 1 << 24
"""Whole numbers below this are exact in single precision, which halves the time of a product."""


class LevelIntervals(NamedTuple):
    """The intervals of one coefficient at the three levels of aggregation, from the same draws."""

    global_: Interval
    """Over all cells pooled."""
    input: Interval
    """Of the mean over documents of the coefficient within each."""
    system: Interval
    """Over the systems' means."""


class _Weights(NamedTuple):
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

    def only(self, resample: Resample) -> _Weights:
        """These draws, with all documents or systems standing once where they are not to be drawn."""
        return _Weights(
            self.documents if resample != "systems" else None, self.systems if resample != "documents" else None
        )


class _Group(NamedTuple):
    """Columns that share their missing cells."""

    columns: Floats
    """Shape (columns, documents, systems), NaN where any of them is missing."""
    present: NDArray[np.bool_]
    """Shape (documents, systems)."""
    pairs: list[tuple[int, int]]
    """The columns to correlate."""
    names: list[Pair]
    """Their names."""


_Sample = Callable[[_Weights], Floats]
"""Computes the coefficients of resamples, shape (resamples, pairs); NaN where undefined."""


_LEVELS = ("global", "input", "system")


def correlation_intervals(
    columns: Mapping[str, ArrayLike],
    pairs: Sequence[Pair],
    documents: Iterable[Hashable],
    systems: Iterable[Hashable],
    *,
    methods: Sequence[Method] = ("pearson",),
    resample: Resample | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> dict[Pair, dict[Method, LevelIntervals]]:
    """Percentile intervals of what `correlate` computes, drawing documents, systems or both with replacement.

    Each of `columns`, shape (n,), holds one score of the cells, NaN where it is missing; `documents` and
    `systems` hold the document and the system of each cell; `pairs` names the columns to correlate. `resample`
    says what is drawn for all levels, None takes that of `RESAMPLE_BY_LEVEL`. The draws depend on the seed and
    the sets of documents and systems alone, not on what is missing or how cells are ordered: all pairs share
    them. A resample in which either side is constant is passed over.

    An interval is undefined, with the reason, where what is drawn has fewer than two with both scores (at the
    input level: fewer than two documents with a coefficient), where no resample has a coefficient or all have the
    same, and for Kendall at the global level beyond 10,000 cells (4,000 where systems are drawn).
    Raises `ValueError` for other shapes, infinite numbers, two cells of one document and system, a pair that
    names no column, unknown methods and resamplings, a level outside (0, 1) and less than one resample.
    """
    known_methods(methods)
    _check(columns, pairs, resample, level, resamples)
    document, document_count, system, system_count = number_cells(documents, systems)
    scores = {
        name: read_numbers(columns[name], name) for name in dict.fromkeys(name for pair in pairs for name in pair)
    }
    same_length(**scores, documents=document, systems=system)
    matrices = {name: np.full((document_count, system_count), np.nan) for name in scores}
    for name, values in scores.items():
        matrices[name][document, system] = values

    drawn = RESAMPLE_BY_LEVEL if resample is None else (resample,) * 3
    reasons: dict[tuple[Pair, Method, str], str | None] = {}
    samples: dict[tuple[Pair, Method, str], Floats] = {}
    tasks: list[tuple[list[tuple[Pair, Method, str]], _Sample, Resample]] = []
    for group in _grouped(matrices, list(dict.fromkeys(pairs))):
        for method in dict.fromkeys(methods):
            for where, kind in zip(_LEVELS, drawn, strict=True):
                keys = [(name, method, where) for name in group.names]
                found = _reasons(group, method, where, kind)
                reasons.update(zip(keys, found, strict=True))
                able = [index for index, reason in enumerate(found) if reason is None]
                if able:
                    part = group._replace(pairs=[group.pairs[index] for index in able])
                    tasks.append(([keys[index] for index in able], _sampler(part, method, where, kind), kind))
                    samples.update((keys[index], np.empty(resamples)) for index in able)
    if tasks:
        most = document_count * system_count if drawn[0] == "both" else max(document_count, system_count)
        for rows, weights in _draws(document_count, system_count, max(1, _DRAWN // most), resamples, seed):
            for keys, sample, kind in tasks:
                for key, r in zip(keys, sample(weights.only(kind)).T, strict=True):
                    samples[key][rows] = r

    def interval(key: tuple[Pair, Method, str]) -> Interval:
        reason, low, high = reasons[key], None, None
        if reason is None:
            low, high = _percentiles(samples[key], level)
            if low is None or high is None:
                reason = "no resample has a coefficient"
            elif high - low <= TIE:
                low, high, reason = None, None, SAME_COEFFICIENTS
        return Interval(low, high, level, resamples, seed, reason)

    return {
        pair: {method: LevelIntervals(*(interval((pair, method, where)) for where in _LEVELS)) for method in methods}
        for pair in pairs
    }


def _check(
    columns: Mapping[str, ArrayLike], pairs: Sequence[Pair], resample: Resample | None, level: float, resamples: int
) -> None:
    if resample not in (None, *get_args(Resample)):
        raise ValueError(f"resample must be one of {', '.join(get_args(Resample))}, not {resample}")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, not {resamples}")
    unknown = [name for pair in pairs for name in pair if name not in columns]
    if unknown:
        raise ValueError(f"no column is called {unknown[0]}")


def _percentiles(r: Floats, level: float) -> tuple[float, float] | tuple[None, None]:
    """Take the two percentiles of the coefficients that are defined."""
    r = r[~np.isnan(r)]
    if len(r) == 0:
        return None, None
    low, high = np.quantile(r, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _draws(documents: int, systems: int, step: int, resamples: int, seed: int) -> Iterator[tuple[slice, _Weights]]:
    """Draw with replacement, `step` resamples at a time: which resamples, and the weights in them."""
    of_documents, of_systems = np.random.default_rng(seed), np.random.default_rng([seed, 1])

    def draw(random: np.random.Generator, size: int, rows: int) -> Floats:
        drawn = random.integers(size, size=(rows, size)) + size * np.arange(rows)[:, None]
        return np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size).astype(np.float64)

    for start in range(0, resamples, step):
        rows = slice(start, min(start + step, resamples))
        count = rows.stop - rows.start
        yield rows, _Weights(draw(of_documents, documents, count), draw(of_systems, systems, count))


def _grouped(matrices: Mapping[str, Floats], pairs: Sequence[Pair]) -> Iterator[_Group]:
    """Group the pairs whose cells with both scores are the same."""
    groups: dict[bytes, list[Pair]] = defaultdict(list)
    masks: dict[bytes, NDArray[np.bool_]] = {}
    for x, y in pairs:
        present = ~(np.isnan(matrices[x]) | np.isnan(matrices[y]))
        mask = np.packbits(present).tobytes()
        masks[mask] = present
        groups[mask].append((x, y))
    for mask, names in groups.items():
        index = {name: number for number, name in enumerate(dict.fromkeys(name for pair in names for name in pair))}
        columns = np.stack([np.where(masks[mask], matrices[name], np.nan) for name in index])
        yield _Group(columns, masks[mask], [(index[x], index[y]) for x, y in names], names)


def _reasons(group: _Group, method: Method, where: str, resample: Resample) -> list[str | None]:
    """Say why each pair has no interval at a level, or None."""
    reason = None
    if resample != "systems" and np.count_nonzero(group.present.any(axis=1)) < 2:
        reason = "fewer than 2 documents have both scores"
    elif (resample != "documents" or where == "system") and np.count_nonzero(group.present.any(axis=0)) < 2:
        reason = "fewer than 2 systems have both scores"
    elif where == "global" and method == "kendall" and group.present.sum() > KENDALL_CELLS[resample]:
        reason = f"not computed for more than {KENDALL_CELLS[resample]:,} cells"
    if reason is not None or where == "system":
        return [reason] * len(group.pairs)
    if where == "global":
        vary = [bool(is_varied(column.ravel(), group.present.ravel())) for column in group.columns]
        return [None if vary[x] and vary[y] else "either side is constant" for x, y in group.pairs]
    vary_within = is_varied(group.columns, group.present[None])
    defined = [np.count_nonzero(vary_within[x] & vary_within[y]) for x, y in group.pairs]
    if resample == "systems":
        return [None if count else "no document has a coefficient" for count in defined]
    return [None if count > 1 else "fewer than 2 documents have a coefficient" for count in defined]


def _sampler(group: _Group, method: Method, where: str, resample: Resample) -> _Sample:
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


def _global_pearson(group: _Group, units: Floats) -> _Sample:
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

    def sample(weights: _Weights) -> Floats:
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


def _global_spearman(group: _Group, units: Floats) -> _Sample:
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

    def sample(weights: _Weights) -> Floats:
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


def _global_kendall(group: _Group, units: Floats) -> _Sample:
    """Kendall over all cells: sums over pairs of units, of what their cells add, under the product of weights."""
    columns, count, size = units.shape
    forms = list(dict.fromkeys([*group.pairs, *((index, index) for pair in group.pairs for index in pair)]))
    vary = _vary(units)
    cells = units.reshape(columns, -1)
    step = max(1, (_DRAWN // 2) // (columns * size * count * size))
    exact = 2 * size * count * size < _EXACT

    def sample(weights: _Weights) -> Floats:
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


def _input(group: _Group, method: Method) -> _Sample:
    """Only documents are drawn: the mean of coefficients that do not change."""
    weights_of_cells = group.present.astype(np.float64)
    r = np.column_stack(
        [coefficients(group.columns[x], group.columns[y], weights_of_cells, method) for x, y in group.pairs]
    )
    defined = (~np.isnan(r)).astype(np.float64)
    r = np.nan_to_num(r)

    def sample(weights: _Weights) -> Floats:
        w = cast(Floats, weights.documents)
        return _mean(w @ r, w @ defined)

    return sample


def _mean(sums: Floats, counts: Floats) -> Floats:
    return np.where(counts > 0, sums / np.where(counts > 0, counts, 1), np.nan)


def _input_of_drawn_systems(group: _Group, method: Method) -> _Sample:
    """Systems are drawn: each document has a coefficient for each resample."""
    columns, documents, systems = group.columns.shape
    prepare = {"pearson": _pearson_within, "spearman": _spearman_within, "kendall": _kendall_within}[method]
    width = columns * systems * systems
    parts = [(part, prepare(group.columns[:, part], group.pairs)) for part in slice_rows(documents, width)]
    vary = [_vary_within(group.columns[:, part]) for part, _ in parts]

    def sample(weights: _Weights) -> Floats:
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


def _system(group: _Group, method: Method) -> _Sample:
    """Means of each system under the weights of documents, then their coefficient under those of systems."""
    there = group.present.astype(np.float64)
    every = np.where(group.present, group.columns, 0).sum(axis=(1, 2)) / there.sum()
    centred = np.where(group.present, group.columns - every[:, None, None], 0)

    def sample(weights: _Weights) -> Floats:
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
