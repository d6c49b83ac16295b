"""Tables of correlations and their tests."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.agreement.discrepancy import Discrepancy
from analysis.correlation.comparison import PERMUTE_BY_LEVEL
from analysis.correlation.intervals import RANKED_CELLS, RESAMPLE_BY_LEVEL, is_linearized
from analysis.correlation.permuted import Permute
from analysis.correlation.resampled import Resample
from analysis.metrics_and_people import (
    LEVELS,
    CorrelationComparison,
    CorrelationRow,
)
from analysis.significance import ALPHA, fewest_documents
from reports.tables.table import NOT_WEIGHED, Cell, Table, Undefined, interval, number_cell, ratio_intervals_note

LEVEL_NAMES = {"global": "pooled", "input": "within documents", "system": "system level"}
"""What pages and charts call the levels; files call them as the code does."""

COEFFICIENTS = {"pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau-b"}

TERMS = LEVEL_NAMES | COEFFICIENTS
"""What people read in the place of the names that files have of levels and coefficients."""

NO_TERMS: Mapping[str, str] = {}

FEW_SYSTEMS = 4
"""Systems below which intervals that draw systems come with a warning."""

HOLDS_FOR: dict[Permute, str] = {
    "documents": "new documents, these systems",
    "systems": "new systems, these documents",
    "both": "new systems and documents",
    "cells": "these systems and documents",
}
"""What a figure says something of, by what was drawn or swapped for it."""


def by_level(
    names: Mapping[Any, str], chosen: str | None, defaults: Sequence[str], levels: Sequence[str] = LEVELS
) -> list[str]:
    """The names of what is drawn or swapped: one that was chosen, or the defaults, each with its levels."""
    if chosen is not None:
        return [names[chosen]]
    return [
        f"{names[kind]} ({', '.join(level for level, of in zip(levels, defaults, strict=True) if of == kind)})"
        for kind in dict.fromkeys(defaults)
    ]


def drawn_over(resample: Resample | None, levels: Sequence[str] = LEVELS) -> str:
    """What intervals of correlations draw."""
    names = {"documents": "documents", "systems": "systems", "both": "documents and systems"}
    return " and ".join(by_level(names, resample, RESAMPLE_BY_LEVEL, levels))


def tests_of(permute: Permute | None) -> str:
    """The permutation tests of correlations."""
    return ", ".join(by_level(PERMUTATION_TESTS, permute, PERMUTE_BY_LEVEL))


def correlation_table(
    name: str,
    title: str,
    rows: Sequence[CorrelationRow],
    resample: Resample | None = None,
    terms: Mapping[str, str] = NO_TERMS,
) -> Table:
    """Coefficients of pairs of columns at three levels, with what each rests on.

    `resample` is what intervals drew, None where it was that of each level; `terms` is what levels and coefficients
    are called where not as in files.
    """
    pooled, within, of_systems = levels = [terms.get(level, level) for level in LEVELS]
    notes = [
        f"{pooled.capitalize()}: all summaries pooled; {within}: the mean over documents of the coefficient within "
        "each, leaving out documents where either side is constant or has fewer than two values; "
        f"{of_systems}: of the systems' means."
    ]
    if rows:
        found = rows[0].intervals.global_
        notes += [
            f"Intervals: {found.level:.0%}, percentile bootstrap over {drawn_over(resample, levels)}, "
            f"{found.resamples:,} resamples, seed {found.seed}.",
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


def discrepancy_table(found: Sequence[Discrepancy]) -> Table:
    """On how many pairs ROUGE-K and another metric prefer different summaries."""
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
        for row in found
    ]
    notes = [
        "Part: pairs of summaries of one document of which one metric prefers the first and the other the second; "
        "share: of all pairs that both score (n); of decided: of those in which neither ties. Human judgments are not "
        "used. The ROUGE-K paper has one such share, 16.7 %, of its own pairs."
    ]
    notes += [ratio_intervals_note(row.share_interval.level, row.over) for row in found[:1]]
    empty = "the summaries are not scored by ROUGE-K and another metric"
    return Table("discrepancies", "Pairs on which ROUGE-K and another metric part", rows, notes, empty)


PERMUTATION_TESTS: dict[Permute, str] = {
    "systems": "Perm-Systems",
    "documents": "Perm-Inputs",
    "both": "Perm-Systems + Perm-Inputs",
    "cells": "PERM-BOTH",
}
"""Permutation tests by what swaps, as Deutsch et al. 2021 call them."""

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
        tested = [found for found in comparisons if found.level == level and found.p is not None]
        found = min(tested, key=lambda found: found.least, default=None)
        if found is None or found.least * found.comparisons <= ALPHA:
            continue
        units = fewest_documents(ALPHA, found.comparisons)  # as many as a sign-flip test
        swapped = {"both": "systems and documents", "cells": "summaries"}.get(found.permuted, found.permuted)
        drawn = found.least <= 1 / (found.permutations + 1)
        least = min(1.0, found.least * found.comparisons)
        named = terms.get(level, level).removesuffix(" level")
        corrected = (
            f", or {least:.2g} after Holm's correction over {found.comparisons} comparisons"
            if found.comparisons > 1
            else ""
        )
        notes.append(
            f"No difference at the {named} level can be significant at {ALPHA:g}: the smallest p that this test can "
            f"give here is {found.least:.2g}{corrected}. It takes "
            f"{'more permutations' if drawn else f'{units} {swapped}'}"
            f"{', or fewer metrics' if found.comparisons > 1 else ''}."
        )
    return notes


def correlation_test_table(
    comparisons: Sequence[CorrelationComparison],
    human: str,
    method: str = "pearson",
    terms: Mapping[str, str] = NO_TERMS,
) -> Table:
    """Which of two metrics correlates better with people."""
    rows: list[dict[str, Cell]] = [
        {
            "first": found.first,
            "second": found.second,
            "level": terms.get(found.level, found.level),
            "difference": number_cell(found.difference, found.reason),
            "n": found.n,
            "p": number_cell(found.p, found.reason),
            "p (Holm)": number_cell(found.p_holm, found.reason),
            "test": PERMUTATION_TESTS[found.permuted] + (", exact" if found.exact else ""),
            "permutations": found.permutations,
            "holds for": HOLDS_FOR[found.permuted],
            "p (Williams)": number_cell(found.williams_p, found.williams_reason),
        }
        for found in comparisons
    ]
    notes = [
        f"Difference of {COEFFICIENTS[method]} with {human}, first minus second. p: a permutation test, which swaps "
        "the standardised scores of both metrics at random; Holm's correction over the comparisons of a level. "
        "Williams' test takes summaries, or systems, to be independent.",
        *(WHAT_SWAPS[permuted] for permuted in dict.fromkeys(found.permuted for found in comparisons)),
    ]
    if any(found.permutations and not found.exact for found in comparisons):
        notes.append(f"Exact tests make all permutations, the others draw them with seed {comparisons[0].seed}.")
    notes += out_of_reach(comparisons, terms)
    return Table(
        "correlation_tests", "Metric against metric by correlation", rows, notes, "there are fewer than 2 metrics"
    )


def note_drawn_pairs_of_people(section: Table, people: str) -> Table:
    """A table of systems, saying which of its figures describe the pairs that were drawn."""
    note = (
        f"{NOT_WEIGHED} the column {people} describes the pairs that were drawn, not all pairs that could have been. "
        "Figures of metrics are of all summaries, and need no weights."
    )
    return section._replace(notes=[*section.notes, note])
