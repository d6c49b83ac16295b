"""The table of how often metrics agree with two sources of preferences."""

from relevance.analysis.agreement.evaluation import ENOUGH_DOCUMENTS, ENOUGH_JUDGMENTS
from relevance.analysis.arrays import LEVEL
from relevance.analysis.two_sources import MetricDifference, TwoSources
from relevance.data.signatures import is_judge, labels
from relevance.data.wording import join_items
from relevance.metrics.registry import label_of
from relevance.reports.tables.agreement import WEIGHED, sampling_notes
from relevance.reports.tables.corpora import OVER
from relevance.reports.tables.table import (
    Cell,
    Table,
    Undefined,
    few_annotators_notes,
    interval,
    number_cell,
    ratio_intervals_note,
)


def two_sources_table(comparison: TwoSources, names: tuple[str, str], rules: tuple[str, str] = ("all", "all")) -> Table:
    """Make the table with a row for each metric by which both sources have scores.

    `names` are those of the sources, `rules` those by which the pairs of their studies were drawn.
    """
    return Table(
        "two_sources",
        f"Agreement of metrics with {names[0]} and with {names[1]}, a metric's tie as half",
        [difference_row(row) for row in comparison.rows],
        explain_differences(comparison, names, rules),
        "no metric has scores on the pairs of both",
    )


def difference_row(row: MetricDifference) -> dict[str, Cell]:
    """Make the row of a metric."""
    cells: dict[str, Cell] = {"metric": row.metric}
    for name, estimate in (("first", row.first), ("second", row.second)):
        cells[name] = number_cell(estimate.agreement.half, "no pair to count")
        cells[f"{name} 95 %"] = interval(estimate.intervals.half)
        cells[f"{name} n"] = estimate.agreement.pairs
    if row.difference is None:
        return cells | dict.fromkeys(("difference", "difference 95 %", "p", "p (Holm)"), Undefined(row.reason or ""))
    return cells | {
        "difference": row.difference.value,
        "difference 95 %": interval(row.difference.interval),
        "p": row.difference.p,
        "p (Holm)": number_cell(row.p_holm, None),
    }


def name_left_out(comparison: TwoSources) -> list[str]:
    """Name the metrics by which only one of the sources has scores, with their settings where these differ."""
    sides = [
        [signature for signature in of if not is_judge(signature)]
        for of in (comparison.only_first, comparison.only_second)
    ]
    named = labels([*(row.signature for row in comparison.rows), *sides[0], *sides[1]], label_of)
    return [
        f"Not compared, as only the {place} has scores: {join_items([named[signature] for signature in only])}."
        for place, only in zip(("first", "second"), sides, strict=True)
        if only
    ]


def explain_differences(comparison: TwoSources, names: tuple[str, str], rules: tuple[str, str]) -> list[str]:
    """Say what the columns are, and whom intervals and p values speak of."""
    remarks = [f"First: {names[0]}. Second: {names[1]}. Difference: first minus second. Chance is 0.500."]
    remarks += name_left_out(comparison)
    if not comparison.rows:
        return remarks
    remarks += [
        ratio_intervals_note(LEVEL, OVER, "judgments or pairs"),
        "Those of differences are made of both (Newcombe 1998, method 10), with the correlation over the documents "
        "that both have; p is the level at which such an interval begins to leave out 0.",
        f"A difference takes {ENOUGH_JUDGMENTS} judgments of {ENOUGH_DOCUMENTS} documents in both.",
    ]
    for name, rule, source in zip(names, rules, (comparison.first, comparison.second), strict=True):
        notes = [*sampling_notes(rule), *([WEIGHED] if source.agreement.weighed else [])]
        remarks += [f"{name}: {note}" for note in [*notes, *few_annotators_notes(source.agreement.annotators)]]
    return remarks
