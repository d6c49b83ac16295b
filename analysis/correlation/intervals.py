"""Intervals of correlations by bootstrap over documents, systems or both, for many pairs of columns at once.

A resample is never built: every coefficient is computed with the number of times that each document and each system is
drawn as weights. The result is that of building each resample, with copies of a document as different documents and
copies of a system as different systems (Deutsch, Dror and Roth 2021, "A Statistical Analysis of Summarization
Evaluation Metrics Using Resampling Methods": Boot-Inputs, Boot-Systems and Boot-Both).
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from relevance.analysis.arrays import DRAWS, Draws, Floats, read_numbers, same_length
from relevance.analysis.correlation.coefficients import (
    Method,
    coefficients,
    is_varied,
    known_methods,
    number_cells,
)
from relevance.analysis.correlation.draws import draw_weights
from relevance.analysis.correlation.levels import Correlated
from relevance.analysis.correlation.linearized import prepare_ranks
from relevance.analysis.correlation.resampled import (
    Group,
    Pair,
    Resample,
    Sample,
    Weights,
    prepare_input,
    prepare_sample,
    prepare_systems,
)
from relevance.analysis.ratio_intervals import Interval
from relevance.analysis.threads import map_ahead
from relevance.data.ties import TIE

SAME_COEFFICIENTS = "no interval: all resamples have the same coefficient"
"""The reason for an interval without width: two systems, for instance, always correlate by 1 or -1."""

RESAMPLE_BY_LEVEL: tuple[Resample, Resample, Resample] = ("documents", "documents", "both")
"""The default units drawn at the global, the input and the system level.

A coefficient of systems rests on few of them; at the other levels intervals hold for these systems.
"""

RANKED_CELLS = 5_000
"""The most cells to be ranked anew in each resample of documents."""

KENDALL_CELLS = 4_000
"""The most cells for Kendall's coefficient at the global level if systems are drawn: time grows with their square."""


def is_linearized(method: Method, cells: int, resample: Resample | None) -> bool:
    """Tell whether a global interval uses first-order resamples (`relevance.analysis.correlation.linearized`)."""
    return (resample or RESAMPLE_BY_LEVEL[0]) == "documents" and method != "pearson" and cells > RANKED_CELLS


class LevelIntervals(NamedTuple):
    """The intervals of one coefficient at the three levels of aggregation, from the same draws."""

    global_: Interval
    """Over all cells pooled."""
    input: Interval
    """The mean over documents of the coefficient within each."""
    system: Interval
    """Over the systems' means."""


NOT_KNOWN = Correlated({}, {})

LEVELS = ("global", "input", "system")


class Task(NamedTuple):
    """Coefficients that are computed together."""

    keys: list[tuple[Pair, Method, str]]
    """The pair, the method and the level of each."""
    group: Group
    methods: Sequence[Method]
    where: str
    drawn: Resample


def correlation_intervals(
    columns: Mapping[str, ArrayLike],
    pairs: Sequence[Pair],
    documents: Iterable[Hashable],
    systems: Iterable[Hashable],
    *,
    methods: Sequence[Method] = ("pearson",),
    resample: Resample | None = None,
    draws: Draws = DRAWS,
    known: Correlated = NOT_KNOWN,
) -> dict[Pair, dict[Method, LevelIntervals]]:
    """Compute percentile intervals of `correlate`'s coefficients, drawing documents, systems or both with replacement.

    Each of `columns`, shape (n,), holds one score of the cells, NaN if it is missing; `documents` and `systems` hold
    the document and the system of each cell; `pairs` names the columns to correlate. `resample` is drawn at all levels,
    by default the units of `RESAMPLE_BY_LEVEL`. The draws depend on the seed and the sets of documents and systems
    alone, not on missing cells or the order of cells: all pairs share them. A resample in which either side is constant
    is left out. With many cells (`is_linearized`), the rank methods are resampled to first order at the global level.
    `known` may have the coefficients of the same columns, which then need not be computed again.

    An interval is undefined, with the reason, if fewer than two of the drawn units have both scores (at the input
    level: fewer than two documents have a coefficient), if no resample has a coefficient or all have the same, and for
    Kendall at the global level above 4,000 cells if systems are drawn.
    Raises `ValueError` for other shapes, infinite numbers, two cells of one document and system, a pair that
    names no column, unknown methods and resamplings, a level outside (0, 1) and fewer than one resample.
    """
    known_methods(methods)
    check(columns, pairs, resample)
    draws.check()
    methods, names = list(dict.fromkeys(methods)), dict.fromkeys(name for pair in pairs for name in pair)
    matrices, document_count, system_count = lay_out(columns, names, documents, systems)
    drawn = RESAMPLE_BY_LEVEL if resample is None else (resample,) * 3
    reasons: dict[tuple[Pair, Method, str], str | None] = {}
    samples: dict[tuple[Pair, Method, str], Floats] = {}
    tasks: list[Task] = []
    for group in grouped(matrices, list(dict.fromkeys(pairs))):
        for where, kind in zip(LEVELS, drawn, strict=True):
            for some in computed_together(methods, where, kind, int(group.present.sum())):
                why = find_reasons(group, some[0], where, kind)
                reasons.update(
                    ((name, method, where), reason)
                    for method in some
                    for name, reason in zip(group.names, why, strict=True)
                )
                able = [index for index, reason in enumerate(why) if reason is None]
                if able:
                    part = group._replace(
                        pairs=[group.pairs[index] for index in able], names=[group.names[index] for index in able]
                    )
                    keys = [(name, method, where) for method in some for name in part.names]
                    tasks.append(Task(keys, part, some, where, kind))
                    samples.update((key, np.empty(draws.resamples)) for key in keys)
    if tasks:
        with ThreadPoolExecutor(2) as threads:
            prepared = list(threads.map(lambda task: prepare(task, known), tasks))
        most = document_count * system_count if drawn[0] == "both" else max(document_count, system_count)
        for rows, weights in draw_weights(document_count, system_count, most, draws.resamples, draws.seed):
            for task, drawn_r in zip(tasks, sample_tasks(tasks, prepared, weights), strict=True):
                for key, r in zip(task.keys, drawn_r.T, strict=True):
                    samples[key][rows] = r

    def interval(key: tuple[Pair, Method, str]) -> Interval:
        reason = reasons[key]
        return percentile_interval(samples[key], draws) if reason is None else Interval(None, None, *draws, reason)

    return {
        pair: {method: LevelIntervals(*(interval((pair, method, where)) for where in LEVELS)) for method in methods}
        for pair in pairs
    }


def computed_together(methods: Sequence[Method], where: str, drawn: Resample, cells: int) -> list[tuple[Method, ...]]:
    """Divide the methods of a level into those that share sums and products."""
    if where == "system" or (where == "input" and drawn == "documents"):
        return [tuple(methods)]
    linearized = tuple(method for method in methods if where == "global" and is_linearized(method, cells, drawn))
    alone: list[tuple[Method, ...]] = [(method,) for method in methods if method not in linearized]
    return [*alone, linearized] if linearized else alone


def prepare(task: Task, known: Correlated) -> Sample:
    """Prepare the parts of a task that do not depend on the draws."""
    group, methods = task.group, task.methods
    if task.where == "system":
        return prepare_systems(group, methods)
    if task.where == "input" and task.drawn == "documents":
        return prepare_input(group, methods, known.within)
    if task.where == "global" and is_linearized(methods[0], int(group.present.sum()), task.drawn):
        return linearize(group, methods, known)
    return prepare_sample(group, methods[0], task.where, task.drawn)


def linearize(group: Group, methods: Sequence[Method], known: Correlated) -> Sample:
    """Prepare the global level's rank correlations to first order."""
    exact: dict[Method, list[float]] = {method: [] for method in methods}
    for method, coefficients_of in exact.items():
        for name, (x, y) in zip(group.names, group.pairs, strict=True):
            of_pair = known.levels.get(name, {})
            r = of_pair[method].global_.r if method in of_pair else None
            if r is None:
                cells = group.columns[:, group.present]
                r = float(coefficients(cells[x][None], cells[y][None], np.ones((1, cells.shape[1])), method)[0])
            coefficients_of.append(r)
    sample = prepare_ranks(group.columns, group.pairs, exact)
    return lambda weights: sample(weights.units)


def check(columns: Mapping[str, ArrayLike], pairs: Sequence[Pair], resample: Resample | None) -> None:
    """Raise `ValueError` for an unknown column or resample."""
    if resample not in (None, *get_args(Resample)):
        raise ValueError(f"resample must be one of {', '.join(get_args(Resample))}, not {resample}")
    unknown = [name for pair in pairs for name in pair if name not in columns]
    if unknown:
        raise ValueError(f"no column is called {unknown[0]}")


def lay_out(
    columns: Mapping[str, ArrayLike], names: Iterable[str], documents: Iterable[Hashable], systems: Iterable[Hashable]
) -> tuple[dict[str, Floats], int, int]:
    """Lay columns out as matrices, shape (documents, systems), NaN without a value; also return both counts."""
    document, document_count, system, system_count = number_cells(documents, systems)
    scores = {name: read_numbers(columns[name], name) for name in names}
    same_length(**scores, documents=document, systems=system)
    matrices = {name: np.full((document_count, system_count), np.nan) for name in scores}
    for name, values in scores.items():
        matrices[name][document, system] = values
    return matrices, document_count, system_count


def sample_tasks(tasks: Sequence[Task], prepared: Sequence[Sample], weights: Weights) -> list[Floats]:
    """Compute all coefficients of some resamples, two tasks at a time: more would need more memory."""
    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(lambda task, sample: sample(weights.only(task.drawn)), tasks, prepared))


def percentile_interval(r: Floats, draws: Draws) -> Interval:
    """Make the interval from the two percentiles of the defined coefficients."""
    r = r[~np.isnan(r)]
    if len(r) == 0:
        return Interval(None, None, *draws, "no resample has a coefficient")
    low, high = np.quantile(r, [(1 - draws.level) / 2, (1 + draws.level) / 2])
    if high - low <= TIE:
        return Interval(None, None, *draws, SAME_COEFFICIENTS)
    return Interval(float(low), float(high), *draws)


def grouped(matrices: Mapping[str, Floats], pairs: Sequence[Pair]) -> Iterator[Group]:
    """Yield groups of pairs with the same cells with both scores."""
    groups: dict[bytes, list[Pair]] = defaultdict(list)
    masks: dict[bytes, NDArray[np.bool_]] = {}
    has_value = {name: ~np.isnan(matrix) for name, matrix in matrices.items()}
    for x, y in pairs:
        present = has_value[x] & has_value[y]
        mask = np.packbits(present).tobytes()
        masks[mask] = present
        groups[mask].append((x, y))
    for mask, names in groups.items():
        index = {name: number for number, name in enumerate(dict.fromkeys(name for pair in names for name in pair))}
        columns = np.stack([np.where(masks[mask], matrices[name], np.nan) for name in index])
        yield Group(columns, masks[mask], [(index[x], index[y]) for x, y in names], names)


def find_reasons(group: Group, method: Method, where: str, resample: Resample) -> list[str | None]:
    """Return the reason why each pair has no interval at a level, or None."""
    reason = None
    if resample != "systems" and np.count_nonzero(group.present.any(axis=1)) < 2:
        reason = "fewer than 2 documents have both scores"
    elif (resample != "documents" or where == "system") and np.count_nonzero(group.present.any(axis=0)) < 2:
        reason = "fewer than 2 systems have both scores"
    elif where == "global" and method == "kendall" and resample != "documents" and group.present.sum() > KENDALL_CELLS:
        reason = f"not computed for more than {KENDALL_CELLS:,} cells"
    if reason is not None or where == "system":
        return [reason] * len(group.pairs)
    if where == "global":
        vary = [bool(is_varied(column.ravel(), group.present.ravel())) for column in group.columns]
        return [None if vary[x] and vary[y] else "either side is constant" for x, y in group.pairs]
    vary_within = list(map_ahead(lambda column: is_varied(column, group.present), group.columns))
    defined = [np.count_nonzero(vary_within[x] & vary_within[y]) for x, y in group.pairs]
    if resample == "systems":
        return [None if count else "no document has a coefficient" for count in defined]
    return [None if count > 1 else "fewer than 2 documents have a coefficient" for count in defined]
