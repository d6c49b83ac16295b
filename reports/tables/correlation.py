"""Tables of correlations and their tests."""

from collections.abc import Mapping, Sequence
from typing import Any

from relevance.analysis.agreement.discrepancy import Discrepancy
from relevance.analysis.correlation.comparison import PERMUTE_BY_LEVEL
from relevance.analysis.correlation.intervals import RANKED_CELLS, RESAMPLE_BY_LEVEL, is_linearized
from relevance.analysis.correlation.permuted import Permute
from relevance.analysis.correlation.resampled import Resample
from relevance.analysis.metrics_and_people import (
    LEVELS,
    CorrelationComparison,
    CorrelationRow,
)
from relevance.analysis.significance import ALPHA, fewest_documents
from relevance.reports.tables.table import (
    NOT_WEIGHED,
    Cell,
    Table,
    Undefined,
    interval,
    number_cell,
    ratio_intervals_note,
)

LEVEL_NAMES = {"global": "pooled", "input": "within documents", "system": "system level"}
"""The names of the levels on pages and in charts; files have the names of the code."""

COEFFICIENTS = {"pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau-b"}

TERMS = LEVEL_NAMES | COEFFICIENTS
"""The names of levels and coefficients that people read, by the names in files."""

NO_TERMS: Mapping[str, str] = {}

FEW_SYSTEMS = 4
"""With fewer systems, intervals that draw systems come with a warning."""

HOLDS_FOR: dict[Permute, str] = {
    "documents": "new documents, these systems",
    "systems": "new systems, these documents",
    "both": "new systems and documents",
    "cells": "these systems and documents",
}
"""The population that a figure holds for, by what was drawn or swapped for it."""


def by_level(
    names: Mapping[Any, str], chosen: str | None, defaults: Sequence[str], levels: Sequence[str] = LEVELS
) -> list[str]:
    """Name what is drawn or swapped: the chosen one, or the defaults, each with its levels."""
    if chosen is not None:
        return [names[chosen]]
    return [
        f"{names[kind]} ({', '.join(level for level, of in zip(levels, defaults, strict=True) if of == kind)})"
        for kind in dict.fromkeys(defaults)
    ]


def drawn_over(resample: Resample | None, levels: Sequence[str] = LEVELS) -> str:
    """Say what intervals of correlations draw."""
    names = {"documents": "documents", "systems": "systems", "both": "documents and systems"}
    return " and ".join(by_level(names, resample, RESAMPLE_BY_LEVEL, levels))


def tests_of(permute: Permute | None) -> str:
    """Name the permutation tests of correlations."""
    return ", ".join(by_level(PERMUTATION_TESTS, permute, PERMUTE_BY_LEVEL))


def correlation_table(
    name: str,
    title: str,
    rows: Sequence[CorrelationRow],
    resample: Resample | None = None,
    terms: Mapping[str, str] = NO_TERMS,
) -> Table:
    """Make a table of the coefficients of pairs of columns at three levels, with what each rests on.

    `resample` is what intervals drew, None for the default of each level; `terms` are names of levels and coefficients
    other than those in files.
    """
    pooled, within, of_systems = levels = [terms.get(level, level) for level in LEVELS]
    notes = [
        f"{pooled.capitalize()}: all summaries pooled; {within}: the mean over documents of the coefficient within "
        "each, leaving out documents where either side is constant or has fewer than two values; "
        f"{of_systems}: of the systems' means."
    ]
    if rows:
        of_all = rows[0].intervals.global_
        notes += [
            f"Intervals: {of_all.level:.0%}, percentile bootstrap over {drawn_over(resample, levels)}, "
            f"{of_all.resamples:,} resamples, seed {of_all.seed}.",
            f"They hold for {'; '.join(by_level(HOLDS_FOR, resample, RESAMPLE_BY_LEVEL, levels))}.",
        ]
        if any(is_linearized(row.method, row.levels.global_.n, resample) for row in rows):
            notes.append(
                f"Of more than {RANKED_CELLS:,} summaries the intervals of {pooled} rank correlations resample what "
                "each document adds to the coefficient, to first order: resamples are not ranked anew."
            )
        systems = max(row.levels.system.n for row in rows)
        if 1 < systems < FEW_SYSTEMS and resample != "documents":
            notes.append(
                f"There are {systems} systems only: intervals that draw systems are too narrow (those of 3 systems "
                "hold the truth in 83 of 100 studies, those of 2 in 48)."
            )
    cells = []
    for row in rows:
        line: dict[str, Cell] = {
            "first": row.first,
            "second": row.second,
            "coefficient": terms.get(row.method, row.method),
        }
        for level, found_, ends in zip(levels, row.levels, row.intervals, strict=True):
            line[level] = number_cell(found_.r, found_.reason)
            line[f"{level} 95 %"] = interval(ends) if found_.r is not None else Undefined(found_.reason or "undefined")
        line |= {
            "summaries": row.levels.global_.n,
            "documents": row.levels.input.n,
            "left out": row.levels.input.left_out,
            "systems": row.levels.system.n,
        }
        cells.append(line)
    return Table(name, title, cells, notes, "there are not the two columns of scores that it compares")


def discrepancy_table(discrepancies: Sequence[Discrepancy]) -> Table:
    """Make the table of how many pairs ROUGE-K and another metric prefer different summaries on."""
    rows: list[dict[str, Cell]] = [
        {
            "first": row.first,
            "second": row.second,
            "share": number_cell(row.share, "no pair has scores of both"),
            "share 95 %": interval(row.share_interval),
            "of decided": number_cell(row.decided, "no pair is decided by both"),
            "of decided 95 %": interval(row.decided_interval),
            "part": row.parted,
            "ties": row.tied,
            "n": row.pairs,
            "documents": row.documents,
        }
        for row in discrepancies
    ]
    notes = [
        "Part: pairs of summaries of one document of which one metric prefers the first and the other the second; "
        "share: of all pairs that both score (n); of decided: of those in which neither ties. Human judgments are not "
        "used. The ROUGE-K paper has one such share, 16.7 %, of its own pairs."
    ]
    notes += [ratio_intervals_note(row.share_interval.level, row.over) for row in discrepancies[:1]]
    empty = "the summaries are not scored by ROUGE-K and another metric"
    return Table("discrepancies", "Pairs on which ROUGE-K and another metric disagree", rows, notes, empty)


PERMUTATION_TESTS: dict[Permute, str] = {
    "systems": "Perm-Systems",
    "documents": "Perm-Inputs",
    "both": "Perm-Systems + Perm-Inputs",
    "cells": "PERM-BOTH",
}
"""The names of the permutation tests (Deutsch et al. 2021) by what they swap."""

WHAT_SWAPS: dict[Permute, str] = {
    "systems": "Perm-Systems (Deutsch et al. 2021) swaps all summaries of a system together.",
    "documents": "Perm-Inputs (Deutsch et al. 2021) swaps all summaries of a document together.",
    "both": "Perm-Systems + Perm-Inputs adds what swapping systems and what swapping documents does to the difference, "
    "scaled to the variance of clusters in two ways.",
    "cells": "PERM-BOTH (Deutsch et al. 2021) swaps each summary by itself: it takes these systems and documents as "
    "fixed, and finds far too many differences where other systems or documents would differ.",
}


def out_of_reach(comparisons: Sequence[CorrelationComparison], terms: Mapping[str, str]) -> list[str]:
    """Say at which levels no p can be significant after Holm's correction, because too little can swap."""
    notes = []
    for level in LEVELS:
        tested = [
            comparison for comparison in comparisons if comparison.level == level and comparison.test.p is not None
        ]
        if not tested:
            continue
        count, test = (
            tested[0].comparisons,
            min((comparison.test for comparison in tested), key=lambda test: test.least),
        )
        if test.least * count <= ALPHA:
            continue
        units = fewest_documents(ALPHA, count)  # as many as a sign-flip test
        swapped = {"both": "systems and documents", "cells": "summaries"}.get(test.permuted, test.permuted)
        drawn = test.least <= 1 / (test.permutations + 1)
        named = terms.get(level, level).removesuffix(" level")
        least = min(1.0, test.least * count)
        corrected = f", or {least:.2g} after Holm's correction over {count} comparisons" if count > 1 else ""
        notes.append(
            f"No difference at the {named} level can be significant at {ALPHA:g}: the smallest p that this test can "
            f"give here is {test.least:.2g}{corrected}. It takes "
            f"{'more permutations' if drawn else f'{units} {swapped}'}"
            f"{', or fewer metrics' if count > 1 else ''}."
        )
    return notes


def correlation_test_table(
    comparisons: Sequence[CorrelationComparison],
    human: str,
    method: str = "pearson",
    terms: Mapping[str, str] = NO_TERMS,
) -> Table:
    """Make the table of which of two metrics correlates better with people."""
    tests = [comparison.test for comparison in comparisons]
    rows: list[dict[str, Cell]] = [
        {
            "first": comparison.first,
            "second": comparison.second,
            "level": terms.get(comparison.level, comparison.level),
            "difference": number_cell(test.difference, test.reason),
            "n": test.n,
            "p": number_cell(test.p, test.reason),
            "p (Holm)": number_cell(comparison.p_holm, test.reason),
            "test": PERMUTATION_TESTS[test.permuted] + (", exact" if test.exact else ""),
            "permutations": test.permutations,
            "holds for": HOLDS_FOR[test.permuted],
            "p (Williams)": number_cell(test.williams.p, test.williams.reason),
        }
        for comparison, test in zip(comparisons, tests, strict=True)
    ]
    notes = [
        f"Difference of {COEFFICIENTS[method]} with {human}, first minus second. p: a permutation test, which swaps "
        "the standardised scores of both metrics at random; Holm's correction over the comparisons of a level. "
        "Williams' test takes summaries, or systems, to be independent.",
        *(WHAT_SWAPS[permuted] for permuted in dict.fromkeys(test.permuted for test in tests)),
    ]
    if any(test.permutations and not test.exact for test in tests):
        notes.append(f"Exact tests make all permutations, the others draw them with seed {tests[0].seed}.")
    notes += out_of_reach(comparisons, terms)
    return Table(
        "correlation_tests", "Metric against metric by correlation", rows, notes, "there are fewer than 2 metrics"
    )


def note_drawn_pairs_of_people(table: Table, people: str) -> Table:
    """Note under a table of systems which of its figures describe the pairs that were drawn."""
    note = (
        f"{NOT_WEIGHED} the column {people} describes the pairs that were drawn, not all pairs that could have been. "
        "Figures of metrics are of all summaries, and need no weights."
    )
    return table._replace(notes=[*table.notes, note])
