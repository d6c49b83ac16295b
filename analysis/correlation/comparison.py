"""Tests of whether one metric correlates with human ratings better than another: permutations, and Williams' test.

For permutation tests, both metrics are standardised over all cells, so that their scales do not matter; then coins
decide which units swap their scores; p is the share of permutations with a difference at least as far from 0. The unit
of a coin decides what the result holds for (Deutsch, Dror and Roth 2021, "A Statistical Analysis of Summarization
Evaluation Metrics Using Resampling Methods"):

- `systems`, their Perm-Systems: all summaries of a system swap together. Holds for new systems on these documents.
- `documents`, their Perm-Inputs: all summaries of a document swap together. Holds for new documents, these systems.
- `cells`, their Perm-Both: each summary swaps by itself. Treats these systems and documents as fixed, and rejects far
  too often if new ones would differ.
- `both` is not theirs. A difference from Perm-Systems and one from Perm-Inputs are added; the sum is scaled to the
  variance of two-way clustering (Cameron, Gelbach and Miller 2011, "Robust Inference With Multiway Clustering"): the
  sum of both variances less that of Perm-Both, which is in both, and no less than the larger one. p is never below what
  either can reach. Holds for new systems and documents.

By default, each level uses its entry of `PERMUTE_BY_LEVEL`. docs/statistics.md has how often each rejects true nulls.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from relevance.analysis.arrays import ROUNDING, Floats, read_numbers, same_length
from relevance.analysis.correlation.coefficients import (
    Method,
    known_methods,
    number_cells,
    slice_rows,
)
from relevance.analysis.correlation.levels import Correlation, Levels, correlate_complete, in_order
from relevance.analysis.correlation.many_swaps import (
    MANY_CELLS,
    Metrics,
    count_swapping,
    flip_documents,
    swap_pooled,
    throw_coins,
)
from relevance.analysis.correlation.permuted import (
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
from relevance.analysis.correlation.williams import WilliamsTest, williams
from relevance.analysis.significance import draws_for
from relevance.analysis.threads import map_ahead

PERMUTE_BY_LEVEL: tuple[Permute, Permute, Permute] = ("both", "documents", "systems")
"""The default units that swap at the global, the input and the system level."""

FEWEST = 10_000
"""The fewest permutations drawn: p near .05 is then known to .002."""

EXACT = 16
"""Systems, documents or cells up to which all 2^n permutations are made."""

FOR_VARIANCE = 500
"""Permutations of cells for `both`, which give their variance to 6 %."""


class CorrelationTest(NamedTuple):
    """A test of two metrics' correlations with the same ratings, at one level of aggregation."""

    difference: float | None
    """The correlation of x minus that of y, in [-2, 2]."""
    p: float | None
    """The two-sided p-value in (0, 1]: the share of permutations with a difference at least as far from 0."""
    n: int
    """The number of cells at the global level, of documents with both coefficients, or of systems."""
    permuted: Permute
    """The units that swapped."""
    permutations: int
    """The number of permutations that p rests on, without those that leave either coefficient undefined."""
    exact: bool
    """Whether these are all possible permutations."""
    least: float
    """The smallest p that the permutations could give."""
    seed: int
    reason: str | None = None
    williams: WilliamsTest = WilliamsTest(None, None, "it is a test of Pearson's r")
    """Williams' test of the same difference, which assumes that cells or systems are independent."""


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

    `columns` hold the metrics' scores by name and `human` the ratings, shape (n,), one for each cell; `documents` and
    `systems` name the cells' documents and systems. A cell for which a metric of a pair or the rating is NaN is left
    out of that pair's test. At the input level, a document counts for a metric if `correlate` counts it.

    `permutations` name the units that swap at all levels, by default those of `PERMUTE_BY_LEVEL`. If at most 16 units
    swap, all permutations are made, and p is the share of those with a difference at least as far from 0 as the
    observed one. Otherwise, and for `both`, p = (b + 1)/(m + 1) with b such permutations of m drawn ones (Phipson and
    Smyth 2010); m is by default enough for Holm's correction over all pairs, and at least 10,000. All pairs with the
    same cells share their draws, which depend on the seed and the sets of documents and systems, not on the order of
    cells.
    Raises `ValueError` for other shapes, infinite numbers, two cells of one document and system, unknown methods and
    units, and fewer than one permutation.
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
    tests = {}
    for packed, group in alike.items():
        there = np.frombuffer(packed, dtype=np.bool_)
        within = {name: scores[name][there] for name in {name for pair in group for name in pair}}
        cells = RatedCells(
            human[there], *(np.unique(labels[there], return_inverse=True)[1] for labels in (document, system))
        )
        tests.update(of_group(within, group, cells, method, permute, drawn, seed))
    return {pair: tests[pair] for pair in pairs}


class Drawn(NamedTuple):
    """The differences of pairs of metrics under permutations."""

    differences: Floats
    """Shape (permutations, pairs), NaN if undefined; of all permutations only one half, as the other mirrors it."""
    exact: bool
    """Whether these are all permutations."""
    least: float
    """The lower bound of p, however many permutations are drawn."""


def of_group(
    scores: dict[str, Floats],
    pairs: list[tuple[str, str]],
    cells: RatedCells,
    method: Method,
    permute: Permute | None,
    permutations: int,
    seed: int,
) -> dict[tuple[str, str], LevelTests]:
    """Test pairs of metrics that have a value in every cell."""
    columns = {**scores, RATED: cells.human}
    wanted = [(name, RATED) for name in scores] + (pairs if method == "pearson" else [])
    places = [(list(columns).index(x), list(columns).index(y)) for x, y in wanted]
    documents, systems = (int(numbers.max(initial=-1)) + 1 for numbers in (cells.document, cells.system))
    levels, of_documents = correlate_complete(
        np.stack([*columns.values()]), places, cells.document, documents, cells.system, systems, [method]
    )
    correlated = {pair: of_pair[method] for pair, of_pair in zip(wanted, levels, strict=True)}
    with_ratings = {name: correlated[name, RATED] for name in scores}
    within = dict(zip(scores, of_documents[method][: len(scores)], strict=True))
    tested = [pair for pair in pairs if all(with_ratings[name].global_.r is not None for name in pair)]
    drawn = [Drawn(np.empty((0, 0)), False, 1.0)] * 3
    ways = PERMUTE_BY_LEVEL if permute is None else (permute,) * 3
    if tested:
        standard = {name: (values - values.mean()) / values.std() for name, values in scores.items() if values.std()}
        drawn = [
            draw_differences(prepare, way, permutations, seed)
            for prepare, way in zip(prepare_levels(standard, tested, cells, method, within), ways, strict=True)
        ]
    tests = {}
    for pair in pairs:
        both = int(np.count_nonzero(~np.isnan(within[pair[0]]) & ~np.isnan(within[pair[1]])))
        sides = zip(
            with_ratings[pair[0]],
            with_ratings[pair[1]],
            [len(cells.human), both, with_ratings[pair[0]].system.n],
            strict=True,
        )
        place = [tested.index(pair)] if pair in tested else []
        of_levels = [
            difference_test(of_x, of_y, n, made._replace(differences=made.differences[:, place].ravel()), way, seed)
            for (of_x, of_y, n), made, way in zip(sides, drawn, ways, strict=True)
        ]
        if method == "pearson":
            beside = williams_by_level(with_ratings[pair[0]], with_ratings[pair[1]], correlated[pair])
            of_levels = [test._replace(williams=other) for test, other in zip(of_levels, beside, strict=True)]
        tests[pair] = LevelTests(*of_levels)
    return tests


RATED = ""
"""The name of the column of ratings among metrics."""


def williams_by_level(first: Levels, second: Levels, between: Levels) -> tuple[WilliamsTest, ...]:
    """Compute Williams' test of two metrics' correlations with people at each level, or give the reason for none."""

    def test(first: Correlation, second: Correlation, between: Correlation) -> WilliamsTest:
        if first.r is None or second.r is None or between.r is None:
            return WilliamsTest(None, None, first.reason or second.reason or between.reason)
        return williams(first.r, second.r, between.r, first.n)

    return (
        test(first.global_, second.global_, between.global_),
        WilliamsTest(None, None, "there is no such test within documents"),
        test(first.system, second.system, between.system),
    )


class Prepared(NamedTuple):
    """The prepared differences of all pairs of metrics at a level, for some units."""

    differ: Differ
    units: int
    """The number of coins it takes."""
    many: bool = False
    """Whether the coins are those for very many cells."""


def prepare_levels(
    standard: dict[str, Floats],
    pairs: list[tuple[str, str]],
    cells: RatedCells,
    method: Method,
    within_documents: dict[str, Floats],
) -> list[Callable[[Permute], Prepared]]:
    """Return, for each level, a function from the units that swap to the parts that do not depend on coins."""
    names = list(standard)
    places = [(names.index(first), names.index(second)) for first, second in pairs]
    many = len(cells.human) > MANY_CELLS and method == "pearson"

    def sides() -> tuple[Floats, Floats]:
        return np.stack([standard[x] for x, _ in pairs]), np.stack([standard[y] for _, y in pairs])

    def pooled(permute: Permute) -> Prepared:
        if not many:
            return Prepared(*global_swaps(*sides(), cells, permute, method))
        metrics = Metrics(np.stack([*standard.values()]), places)
        return Prepared(swap_pooled(metrics, cells, permute), count_swapping(cells, permute), many)

    def within(permute: Permute) -> Prepared:
        if not many or permute != "documents":
            return Prepared(*input_swaps(*sides(), cells, permute, method))
        return Prepared(*flip_documents(np.stack([within_documents[name] for name in names]), places), many)

    def of_systems(permute: Permute) -> Prepared:
        if not many or permute != "systems":
            return Prepared(*system_swaps(*sides(), cells, permute, method))
        count = np.bincount(cells.system)
        means = {name: np.bincount(cells.system, values) / count for name, values in standard.items()}
        x, y = (np.stack([means[pair[side]] for pair in pairs]) for side in (0, 1))
        each = np.arange(len(count))
        of_means = RatedCells(np.bincount(cells.system, cells.human) / count, np.zeros_like(each), each)
        return Prepared(*system_swaps(x, y, of_means, permute, method))

    return [pooled, within, of_systems]


def draw_differences(prepare: Callable[[Permute], Prepared], permute: Permute, permutations: int, seed: int) -> Drawn:
    """Make all permutations if they are few, otherwise draw them."""

    def made(permute: Permute, permutations: int, enumerable: bool = False) -> Drawn:
        differ, units, many = prepare(permute)
        exact = enumerable and units <= EXACT
        random = np.random.default_rng([seed, *STREAMS[permute]])
        throw = throw_coins if many else coins
        throws = all_coins(units) if exact else throw(units, permutations, random)
        return Drawn(np.concatenate(list(map_ahead(differ, throws))), exact, 2.0 ** min(0, 1 - units))

    if permute != "both":
        return made(permute, permutations, enumerable=True)
    (of_systems, _, least), (of_documents, _, least_too) = (
        made(level, permutations) for level in ("systems", "documents")
    )
    of_cells = made("cells", min(permutations, FOR_VARIANCE)).differences
    by_systems, by_documents, by_cells = (
        np.nansum(drawn**2, axis=0) / np.maximum((~np.isnan(drawn)).sum(axis=0), 1)
        for drawn in (of_systems, of_documents, of_cells)
    )
    total = by_systems + by_documents
    wanted = np.maximum(np.maximum(by_systems, by_documents), total - by_cells)
    added = (of_systems + of_documents) * np.sqrt(wanted / np.where(total > 0, total, 1))
    return Drawn(added, False, max(least, least_too))


STREAMS: dict[Permute, tuple[int, ...]] = {"cells": (), "systems": (1,), "documents": (2,)}
"""Additions to the seed, so that different units swap independently."""


def all_coins(units: int) -> Iterator[Coins]:
    """Yield all ways to swap units without the first one."""
    count = 1 << max(0, units - 1)
    for part in slice_rows(count, 8 * units):
        yield (np.arange(part.start, part.stop)[:, None] << 1 >> np.arange(units) & 1).astype(np.bool_)


def coins(units: int, permutations: int, random: np.random.Generator) -> Iterator[Coins]:
    """Toss a coin for each unit in each permutation, some permutations at a time."""
    for part in slice_rows(permutations, 8 * units):
        yield random.random((part.stop - part.start, units)) < 0.5


def difference_test(
    x: Correlation, y: Correlation, n: int, drawn: Drawn, permute: Permute, seed: int
) -> CorrelationTest:
    """Test the difference of two coefficients against those of the permutations."""
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
        # the observed difference is among them, however standardised scores were rounded
        return CorrelationTest(observed, max(beyond, 1) / m, n, permute, 2 * m, True, 1 / m, seed)
    least = max(drawn.least, 1 / (m + 1))
    return CorrelationTest(observed, max(least, (beyond + 1) / (m + 1)), n, permute, m, False, least, seed)
