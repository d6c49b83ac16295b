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

Without a choice, each level has the one of `PERMUTE_BY_LEVEL`. How often each rejects true nulls is in
docs/statistics.md.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from analysis.arrays import ROUNDING, Floats, read_numbers, same_length
from analysis.correlation.coefficients import (
    Method,
    known_methods,
    number_cells,
    slice_rows,
)
from analysis.correlation.levels import Correlation, correlate_pairs, in_order
from analysis.correlation.many_swaps import (
    MANY_CELLS,
    Metrics,
    count_swapping,
    flip_documents,
    swap_pooled,
    throw_coins,
    within_documents,
)
from analysis.correlation.permuted import (
    PERMUTATIONS,
    Coins,
    Differ,
    Permutations,
    Permute,
    RatedCells,
    global_swaps,
    input_swaps,
    system_swaps,
)
from analysis.significance import draws_for

PERMUTE_BY_LEVEL: tuple[Permute, Permute, Permute] = ("both", "documents", "systems")
"""What swaps at the global, the input and the system level, where nothing else is asked for."""

FEWEST = 10_000
"""Permutations that are drawn at least: p near .05 is then known to .002."""

EXACT = 16
"""Up to so many systems, documents or cells, all 2^n permutations are made."""

FOR_VARIANCE = 500
"""Permutations of cells that tell their variance to 6 %, for `both`."""


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
    reason: str | None = None


class LevelTests(NamedTuple):
    """The tests at the three levels of aggregation."""

    global_: CorrelationTest
    """Over all cells pooled."""
    input: CorrelationTest
    """The mean over documents of the coefficient within each."""
    system: CorrelationTest
    """Over the systems' means."""


def permutation_tests(
    columns: Mapping[str, ArrayLike],
    pairs: Sequence[tuple[str, str]],
    human: ArrayLike,
    documents: Iterable[Hashable],
    systems: Iterable[Hashable],
    *,
    method: Method = "pearson",
    permutations: Permutations = PERMUTATIONS,
) -> dict[tuple[str, str], LevelTests]:
    """Test by permutation whether two metrics correlate with the ratings alike, for many pairs of metrics.

    `columns` hold the metrics' scores by name and `human` the ratings, shape (n,), one a cell, whose document and
    system `documents` and `systems` name. A cell where a metric of a pair or the rating is NaN is left out of that
    pair's test. At the input level, a document counts for a metric where `correlate` counts it.

    `permutations` say what swaps, at all levels; None takes that of `PERMUTE_BY_LEVEL`. Where at most 16 things swap,
    all permutations are made, and p is the share of those that make a difference at least as far from 0 as the observed
    one. Else, and for `both`, p = (b + 1)/(m + 1) with b such of m drawn ones (Phipson and Smyth 2010);
    m is their count, by default enough for Holm's correction over all pairs, and 10,000 at least. All pairs that
    have the same cells share their draws, which depend on the seed and the sets of documents and systems, not on the
    order of cells.
    Raises `ValueError` for other shapes, infinite numbers, two cells of one document and system, unknown methods and
    things to permute, and less than one permutation.
    """
    known_methods([method])
    permute, count, seed = permutations
    if permute not in (None, *get_args(Permute)):
        raise ValueError(f"permute must be one of {', '.join(get_args(Permute))}, not {permute}")
    drawn = max(FEWEST, draws_for(len(pairs))) if count is None else count
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
        cells = RatedCells(
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


def _of_group(
    scores: dict[str, Floats],
    pairs: list[tuple[str, str]],
    cells: RatedCells,
    method: Method,
    permute: Permute | None,
    permutations: int,
    seed: int,
) -> dict[tuple[str, str], LevelTests]:
    """Pairs of metrics that have a value in every cell."""
    rated = [(name, _RATED) for name in scores]
    of_rating = correlate_pairs({**scores, _RATED: cells.human}, rated, cells.document, cells.system, methods=[method])
    found = {name: of_rating[name, _RATED][method] for name in scores}
    tested = [pair for pair in pairs if all(found[name].global_.r is not None for name in pair)]
    drawn = [_Drawn(np.empty((0, 0)), False, 1.0)] * 3
    ways = PERMUTE_BY_LEVEL if permute is None else (permute,) * 3
    if tested:
        standard = {name: (values - values.mean()) / values.std() for name, values in scores.items() if values.std()}
        drawn = [
            _differences(prepare, way, permutations, seed)
            for prepare, way in zip(_prepare_levels(standard, tested, cells, method), ways, strict=True)
        ]
    within = dict(zip(scores, within_documents(np.stack([*scores.values()]), cells), strict=True)) if pairs else {}
    tests = {}
    for pair in pairs:
        both = int(np.count_nonzero(~np.isnan(within[pair[0]]) & ~np.isnan(within[pair[1]])))
        sides = zip(found[pair[0]], found[pair[1]], [len(cells.human), both, found[pair[0]].system.n], strict=True)
        place = [tested.index(pair)] if pair in tested else []
        tests[pair] = LevelTests(
            *(
                _test(of_x, of_y, n, made._replace(differences=made.differences[:, place].ravel()), way, seed)
                for (of_x, of_y, n), made, way in zip(sides, drawn, ways, strict=True)
            )
        )
    return tests


_RATED = ""
"""What the column of ratings is called among metrics."""


class _Prepared(NamedTuple):
    """Differences of all pairs of metrics at a level, where something swaps."""

    differ: Differ
    units: int
    """How many coins it takes."""
    many: bool = False
    """Whether coins are thrown for very many cells."""


def _prepare_levels(
    standard: dict[str, Floats], pairs: list[tuple[str, str]], cells: RatedCells, method: Method
) -> list[Callable[[Permute], _Prepared]]:
    """For each level, prepare what does not depend on coins, by what swaps."""
    names = list(standard)
    places = [(names.index(first), names.index(second)) for first, second in pairs]
    many = len(cells.human) > MANY_CELLS and method == "pearson"

    def sides() -> tuple[Floats, Floats]:
        return np.stack([standard[x] for x, _ in pairs]), np.stack([standard[y] for _, y in pairs])

    def pooled(permute: Permute) -> _Prepared:
        if not many:
            return _Prepared(*global_swaps(*sides(), cells, permute, method))
        metrics = Metrics(np.stack([*standard.values()]), places)
        return _Prepared(swap_pooled(metrics, cells, permute), count_swapping(cells, permute), many)

    def within(permute: Permute) -> _Prepared:
        if not many or permute != "documents":
            return _Prepared(*input_swaps(*sides(), cells, permute, method))
        return _Prepared(*flip_documents(within_documents(np.stack([*standard.values()]), cells), places), many)

    def of_systems(permute: Permute) -> _Prepared:
        if not many or permute != "systems":
            return _Prepared(*system_swaps(*sides(), cells, permute, method))
        count = np.bincount(cells.system)
        means = {name: np.bincount(cells.system, values) / count for name, values in standard.items()}
        x, y = (np.stack([means[pair[side]] for pair in pairs]) for side in (0, 1))
        each = np.arange(len(count))
        of_means = RatedCells(np.bincount(cells.system, cells.human) / count, np.zeros_like(each), each)
        return _Prepared(*system_swaps(x, y, of_means, permute, method))

    return [pooled, within, of_systems]


def _differences(prepare: Callable[[Permute], _Prepared], permute: Permute, permutations: int, seed: int) -> _Drawn:
    """Make all permutations where they are few, else draw them."""

    def made(permute: Permute, permutations: int, enumerable: bool = False) -> _Drawn:
        differ, units, many = prepare(permute)
        exact = enumerable and units <= EXACT
        random = np.random.default_rng([seed, *_STREAMS[permute]])
        throw = throw_coins if many else _coins
        throws = _all_coins(units) if exact else throw(units, permutations, random)
        return _Drawn(np.concatenate([differ(coins) for coins in throws]), exact, 2.0 ** min(0, 1 - units))

    if permute != "both":
        return made(permute, permutations, enumerable=True)
    (of_systems, _, least), (of_documents, _, least_too) = (made(one, permutations) for one in ("systems", "documents"))
    of_cells = made("cells", min(permutations, FOR_VARIANCE)).differences
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


def _test(x: Correlation, y: Correlation, n: int, drawn: _Drawn, permute: Permute, seed: int) -> CorrelationTest:
    if x.r is None or y.r is None:
        return CorrelationTest(None, None, n, permute, 0, False, 1.0, seed, x.reason or y.reason)
    observed = x.r - y.r
    differences = drawn.differences[~np.isnan(drawn.differences)]
    m = len(differences)
    if m == 0:
        reason = "no permutation has both coefficients"
        return CorrelationTest(observed, None, n, permute, 0, drawn.exact, 1.0, seed, reason)
    beyond = int(np.count_nonzero(np.abs(differences) >= abs(observed) - ROUNDING))
    if drawn.exact:
        # the observed one is among them, however scores were rounded when they were standardised
        return CorrelationTest(observed, max(beyond, 1) / m, n, permute, 2 * m, True, 1 / m, seed)
    least = max(drawn.least, 1 / (m + 1))
    return CorrelationTest(observed, max(least, (beyond + 1) / (m + 1)), n, permute, m, False, least, seed)
