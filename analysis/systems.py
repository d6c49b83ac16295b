"""Systems by a metric: their means, the spread of the means, and which systems differ."""

import math
import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from relevance.analysis.arrays import (
    LEVEL,
    keep_names,
    number_by_text,
    number_naturally,
    read_numbers,
    same_length,
    sort_naturally,
)
from relevance.analysis.ratio_intervals import Interval
from relevance.analysis.significance import ALPHA, holm, signed_rank
from relevance.data.ties import TIE

MOST_COMPARED = 100
"""The most systems of which every two are compared, 4,950 pairs; of more, those with the highest means are."""


MOST_ALIKE = 0.9
"""The share of equal values from which a mean has no interval: 95 % ones of SummEval's ratings of consistency would
contain the mean in 77 of 100 draws of 24 documents, and those that this leaves do in 94.
"""


class SystemMean(NamedTuple):
    """A metric's mean over the documents of one system."""

    system: Hashable
    mean: float | None
    """Mean of its values."""
    n: int
    """Documents with a value."""
    missing: int
    """Documents without a value, of all that are given."""
    interval: Interval
    """The interval of the mean over all documents from which these could have been drawn (`mean_interval`)."""
    reason: str | None = None
    """The reason why the mean is undefined, or None."""


class GivenMeans(NamedTuple):
    """Means that stand beside those of the systems and were not computed from their scores."""

    system: str
    means: Mapping[str, float]
    """Means on the metric's own scale, by its signature, or by its name if a paper says no more."""
    source: str = ""
    """The publication they are from; empty if they are ours."""
    documents: int | None = None
    """The number of documents that they are means of; None where it is not known."""


class SystemRuns(NamedTuple):
    """A system's runs over seeds combined: the average of each run's mean over its documents."""

    system: Hashable
    """The name without the number of a run: `bart` for `bart#1` to `bart#10`."""
    mean: float | None
    """Mean of the runs' means."""
    std: float | None
    """Their standard deviation, with their number as divisor (the population's); None for fewer than two."""
    runs: int
    """Runs that have a mean."""
    missing: int
    """Runs without a mean."""
    n: int
    """Documents with a value in the run that has the fewest."""
    reason: str | None = None
    """The reason why the mean or the standard deviation is undefined, or None."""


class SystemSpread(NamedTuple):
    """The spread of systems by a metric, on the metric's own scale."""

    std: float | None
    """Standard deviation of the systems' means, with their number as divisor (the population's)."""
    mean: float | None
    """Mean of the systems' means; None without a value."""
    systems: int
    """Systems that have a value."""
    reason: str | None = None
    """The reason why the standard deviation is undefined, or None."""


class SystemComparison(NamedTuple):
    """A comparison of two systems on the documents for which both have a value."""

    first: Hashable
    """The system whose label sorts first, M2 before M10."""
    second: Hashable
    difference: float | None
    """Mean of the first minus mean of the second over the shared documents; None without one."""
    n: int
    """Shared documents."""
    p: float | None
    """Two-sided p of Wilcoxon's signed-rank test over the shared documents."""
    p_holm: float | None
    """The p value adjusted for all comparisons of the call."""
    reason: str | None = None


def mean_interval(values: ArrayLike, level: float = LEVEL) -> Interval:
    """Compute Student's t interval of a mean, on the scale of the values; `values` are one per document, shape (n,).

    Undefined for fewer than 2 values, and where `MOST_ALIKE` of them or more are the same, which says too little of how
    far others spread.

    For scores and ratings of SummEval and the demo corpus, 95 % intervals of 24 documents contain the mean in 92 to 95
    of 100 draws, those of 100 documents in 94 to 95. Percentile bootstraps contain it less often, those of 24 documents
    in 90 to 94.

    Source: Student 1908, The probable error of a mean. Biometrika 6.

    Example: `mean_interval([0.2, 0.3, 0.4])` is from 0.052 to 0.548.
    """
    column = read_numbers(values, "values")
    n = len(column)
    if n < 2:
        return Interval(None, None, level, reason="fewer than 2 documents have a value")
    same = float(np.unique(np.round(column, 9), return_counts=True)[1].max()) / n
    if same >= MOST_ALIKE:
        return Interval(None, None, level, reason=f"{same:.0%} of the documents have the same value")
    half = special.stdtrit(n - 1, (1 + level) / 2) * column.std(ddof=1) / math.sqrt(n)
    mean = float(column.mean())
    return Interval(mean - float(half), mean + float(half), level)


def system_means(values: ArrayLike, documents: Iterable[Hashable], systems: Iterable[Hashable]) -> list[SystemMean]:
    """Average each system's values over its documents; the systems are sorted by their labels, M2 before M10.

    `values`, shape (n,), holds one entry for each cell, NaN if it is missing; `documents` and `systems` hold the
    document and the system of each cell. A document counts as missing for a system without a cell of it.
    Raises `ValueError` for other shapes, infinite numbers and two cells of one document and system.
    """
    labels, table = lay_out(values, documents, systems)
    return [mean_of_system(label, row) for label, row in zip(labels, table, strict=True)]


def combine_runs(means: Iterable[SystemMean]) -> list[SystemRuns]:
    """Combine the runs `NAME#1`, `NAME#2` and so on into one system, in the order of first appearance.

    A system without such a number is one run. The standard deviation is the population's, as in the paper.
    Source: Takeshita et al. 2024, ROUGE-K: Do Your Summaries Have Keywords?, Table 8, with ten runs of each system.
    """
    runs: dict[Hashable, list[SystemMean]] = {}
    for mean in means:
        runs.setdefault(name_runs(mean.system), []).append(mean)
    return [combine(system, of_system) for system, of_system in runs.items()]


def name_runs(system: Hashable) -> Hashable:
    """Return a system's name without the number of a run, if it has one."""
    numbered = re.fullmatch(r"(.+)#[1-9][0-9]*", system, re.DOTALL) if isinstance(system, str) else None
    return numbered[1] if numbered else system


def average_runs(
    columns: Mapping[str, ArrayLike], documents: Sequence[Hashable], systems: Sequence[Hashable]
) -> tuple[Mapping[str, ArrayLike], Sequence[Hashable], Sequence[Hashable]]:
    """Merge all runs of a system on a document (`combine_runs`) into one cell, with the mean of their values.

    `columns`, each of shape (n,), hold one entry for each cell, NaN if it is missing; `documents` and `systems` hold
    the document and the system of each cell. Returns new columns, documents and systems, or the given ones if there are
    no runs.
    """
    runs = {system: name_runs(system) for system in set(systems)}
    if all(system == name for system, name in runs.items()):
        return columns, documents, systems
    names = [runs[system] for system in systems]
    cells: dict[tuple[Hashable, Hashable], int] = {}
    places = np.array([cells.setdefault(cell, len(cells)) for cell in zip(documents, names, strict=True)])
    averaged = {}
    for name, values in columns.items():
        column = read_numbers(values, name)
        there = ~np.isnan(column)
        counts = np.bincount(places[there], minlength=len(cells))
        sums = np.bincount(places[there], weights=column[there], minlength=len(cells))
        averaged[name] = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return averaged, [document for document, _ in cells], [system for _, system in cells]


def combine(system: Hashable, runs: Sequence[SystemMean]) -> SystemRuns:
    """Make one row of a system's runs over seeds."""
    scored = [run for run in runs if run.mean is not None]
    means, missing = [run.mean for run in scored if run.mean is not None], len(runs) - len(scored)
    if not scored:
        return SystemRuns(system, None, None, 0, missing, 0, "no document has a value")
    mean, least = float(np.mean(means)), min(run.n for run in scored)
    if len(scored) < 2:
        return SystemRuns(system, mean, None, 1, missing, least, "fewer than 2 runs have values")
    return SystemRuns(system, mean, float(np.std(means)), len(scored), missing, least)


def distinguishability(values: ArrayLike, systems: Iterable[Hashable]) -> SystemSpread:
    """Compute how far apart a metric puts systems: the population's standard deviation of their means.

    `values`, shape (n,), holds one entry for each cell, NaN if it is missing, and `systems` its system. A system
    without a value is left out; two are needed.
    Raises `ValueError` for other shapes and infinite numbers.
    Source: Takeshita et al. 2024, ROUGE-K: Do Your Summaries Have Keywords?, Table 8.
    """
    column = read_numbers(values, "values")
    system, size = number_by_text(systems)
    same_length(values=column, systems=system)
    scored = ~np.isnan(column)
    cells = np.bincount(system[scored], minlength=size)
    means = np.bincount(system[scored], weights=column[scored], minlength=size)[cells > 0] / cells[cells > 0]
    mean = float(means.mean()) if len(means) else None
    if len(means) < 2:
        return SystemSpread(None, mean, len(means), "fewer than 2 systems have values")
    return SystemSpread(float(means.std()), mean, len(means))


def compare_systems(
    values: ArrayLike, documents: Iterable[Hashable], systems: Iterable[Hashable]
) -> list[SystemComparison]:
    """Compare every two systems by Wilcoxon's signed-rank test over the documents for which both have a value.

    Only the `MOST_COMPARED` systems with the highest means are compared: two thousand make two million pairs, which
    nobody reads. Takes and refuses what `system_means` does. Differences are treated as in `significance.signed_rank`:
    those within 1e-9 of 0 are 0. p is undefined for fewer than 2 shared documents, or if the two differ in none.

    >>> found = compare_systems([5, 4, 3, 2], ["a", "b", "a", "b"], ["A", "A", "B", "B"])
    >>> [(one.first, one.second, one.difference, one.p) for one in found]
    [('A', 'B', 2.0, 0.5)]
    """
    labels, table = lay_out(values, documents, systems)
    compared: Sequence[int] = range(len(labels))
    if len(labels) > MOST_COMPARED:
        found_means = (mean_of_system(label, row).mean for label, row in zip(labels, table, strict=True))
        means = [-math.inf if mean is None else mean for mean in found_means]
        compared = sorted(sorted(compared, key=lambda system: -means[system])[:MOST_COMPARED])
    comparisons = [
        compare(labels[first], labels[second], table[first] - table[second])
        for first, second in combinations(compared, 2)
    ]
    adjusted = holm([comparison.p for comparison in comparisons])
    return [comparison._replace(p_holm=p) for comparison, p in zip(comparisons, adjusted, strict=True)]


def find_beating(
    values: ArrayLike,
    documents: Iterable[Hashable],
    systems: Iterable[Hashable],
    baselines: Collection[Hashable],
) -> list[Hashable]:
    """List the systems, without the baselines, that beat every baseline, sorted by their labels.

    A system beats a baseline if Wilcoxon's signed-rank test over the documents for which both have a value gives a
    two-sided p below `ALPHA`, and both the mean and the ranks are in its favour. p is not corrected: as a system must
    beat all baselines, the chance of listing one that does not stays below `ALPHA` however many baselines there are
    (the intersection-union test); over systems it is not controlled. Takes and refuses what `system_means` does, and
    refuses an unknown baseline; without baselines, the list is empty.
    Source: Takeshita et al. 2024, ROUGE-K: Do Your Summaries Have Keywords?, whose tables mark such systems; Berger
    1982, Multiparameter hypothesis testing and acceptance sampling.
    """
    labels, table = lay_out(values, documents, systems)
    rows = dict(zip(labels, table, strict=True))
    absent = [str(baseline) for baseline in baselines if baseline not in rows]
    if absent:
        raise ValueError(f"there is no value of the baseline {', '.join(absent)}")
    return [
        label
        for label, row in rows.items()
        if baselines and label not in baselines and all(beats(row - rows[baseline]) for baseline in baselines)
    ]


def beats(differences: NDArray[np.float64]) -> bool:
    """Tell whether differences, first minus second, are significantly above 0."""
    shared = differences[~np.isnan(differences)]
    p = signed_rank(shared, "document").p
    differing = shared[np.abs(shared) > TIE]
    in_favour = np.sign(differing) @ stats.rankdata(np.abs(differing)) > 0
    return p is not None and p < ALPHA and bool(in_favour) and float(shared.mean()) > 0


def lay_out(
    values: ArrayLike, documents: Iterable[Hashable], systems: Iterable[Hashable]
) -> tuple[list[Hashable], NDArray[np.float64]]:
    """Lay the cells out as a table of shape (systems, documents), NaN without a cell; also return its systems."""
    column, documents, systems = read_numbers(values, "values"), keep_names(documents), keep_names(systems)
    same_length(values=column, documents=documents, systems=systems)
    (document, width), (system, height) = number_by_text(documents), number_naturally(systems)
    cells = np.bincount(system * width + document, minlength=height * width)
    if (cells > 1).any():
        twice = int(np.flatnonzero(cells[system * width + document] > 1)[0])
        raise ValueError(f"document {documents[twice]} has more than one value of system {systems[twice]}")
    table = np.full((height, width), np.nan)
    table[system, document] = column
    return sort_naturally(systems), table


def mean_of_system(system: Hashable, row: NDArray[np.float64]) -> SystemMean:
    """Compute the mean of a system over its documents, or say why there is none."""
    present = row[~np.isnan(row)]
    missing = len(row) - len(present)
    if len(present) == 0:
        return SystemMean(system, None, 0, missing, mean_interval(present), "no document has a value")
    return SystemMean(system, float(present.mean()), len(present), missing, mean_interval(present))


def compare(first: Hashable, second: Hashable, differences: NDArray[np.float64]) -> SystemComparison:
    """Compare two systems by the differences of documents that both have."""
    shared = differences[~np.isnan(differences)]
    mean = float(shared.mean()) if len(shared) else None
    ranked = signed_rank(shared, "document")
    return SystemComparison(first, second, mean, len(shared), ranked.p, p_holm=None, reason=ranked.reason)
