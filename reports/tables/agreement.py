"""Tables of how often metrics agree with people."""

from collections.abc import Mapping, Sequence

from relevance.analysis.agreement.counts import Agreement, Rule
from relevance.analysis.agreement.evaluation import ENOUGH_DOCUMENTS, ENOUGH_JUDGMENTS, MetricEvaluation
from relevance.analysis.intervals import FEWEST_DOCUMENTS
from relevance.analysis.leaders import SCARCE, find_scarce, rank_metrics, without_scarce
from relevance.analysis.metrics_and_people import AgreementAnalysis, MetricRow
from relevance.analysis.people.position import SideShare
from relevance.analysis.ratio_intervals import FEWEST_ANNOTATORS
from relevance.analysis.significance import TWO_WAY, PairedComparison, fewest_documents
from relevance.data.signatures import is_judge, is_length
from relevance.data.wording import format_count, join_items
from relevance.reports.tables.judges import BOTH_ORDERS, NO_SCORES
from relevance.reports.tables.table import (
    NOT_WEIGHED,
    Cell,
    Table,
    Undefined,
    few_annotators_notes,
    interval,
    number_cell,
    ratio_intervals_note,
)

TIE_RULE_NAMES: dict[Rule, str] = {
    "half": "half: (C + T/2) / n, a metric's tie counts half",
    "strict": "strict: C / n, a metric's tie counts as a miss (the ROUGE-K paper's rule)",
    "decided": "decided: C / (C + D), a metric's ties are left out",
}

WEIGHED = (
    "Pairs were drawn with unequal probability: ratios weigh each by one over it and so estimate those of all pairs "
    "that could have been drawn; n, C, D and T count."
)
"""A note where pairs have weights."""

OF_CLOSE_SCORES = ("acc_eq", "threshold", "acc_eq 95 %")
"""The columns that depend on how close scores are."""

RATIOS = tuple(
    name for ratio in ("half", "strict", "decided", "coverage", "acc_eq") for name in (ratio, f"{ratio} 95 %")
)
"""The columns of shares of pairs, with their intervals."""


def agreement_table(
    analysis: AgreementAnalysis,
    unit: str,
    truncated: Mapping[str, int] | None = None,
    ceiling: MetricEvaluation | None = None,
    notes: Sequence[str] = (),
) -> Table:
    """Make the table of agreement by all rules, a row for each metric, and a last row for people among themselves.

    `notes` are further notes, such as how the pairs were chosen. `truncated` counts by signature the scores of texts
    whose end a model did not see; they have a column if there are any.
    """
    cut = {row.signature: (truncated or {}).get(row.signature, 0) for row in analysis.rows}
    rows = [agreement_row(row.metric, row.evaluation, row.signature, cut[row.signature]) for row in analysis.rows]
    judges = [is_judge(row.signature) for row in analysis.rows]
    rows = [
        row | dict.fromkeys(OF_CLOSE_SCORES, NO_SCORES) if judge else row
        for row, judge in zip(rows, judges, strict=True)
    ]
    scarce = find_scarce(analysis)
    rows = [
        row | dict.fromkeys(RATIOS, Undefined(SCARCE)) if row["metric"] in scarce and row["n"] else row for row in rows
    ]
    if ceiling is not None:
        people = agreement_row("people", ceiling, "each judgment against the majority of the others", 0)
        if ceiling.agreement.pairs == 0:
            alone = Undefined("no pair was judged by 2 annotators, at least one with a preference")
            people |= {name: alone for name, cell in people.items() if isinstance(cell, Undefined)}
        no_scores = Undefined("people choose: they give no scores that could be close")
        rows.append(people | dict.fromkeys(OF_CLOSE_SCORES, no_scores))
    if not any(cut.values()):
        rows = [{name: cell for name, cell in row.items() if name != "truncated"} for row in rows]
    remarks = explain_agreement(analysis, ceiling)
    left_out = [f"{analysis.human_ties} human tie{'' if analysis.human_ties == 1 else 's'}"]
    if analysis.both_bad:
        left_out.append(f"{analysis.both_bad} of them “both are bad”")
    if analysis.split:
        left_out.append(f"{analysis.split} split")
    title = f"Agreement of metrics with people, per {unit} ({', '.join(left_out)})"
    return Table("agreement", title, rows, [*remarks, *notes], "no pair has scores")


def explain_agreement(analysis: AgreementAnalysis, ceiling: MetricEvaluation | None) -> list[str]:
    """Say what the columns and rows of the table of agreement mean, and what its intervals hold for."""
    notes = [
        "n: pairs on which people prefer a summary and the metric has scores; C: the metric prefers the same "
        "summary, D: the other one, T: neither (within 1e-9).",
        *(f"{rule[0].upper()}{rule[1:]}." for rule in TIE_RULE_NAMES.values()),
        "Coverage: (C + D) / n. acc_eq: ties of people count, too, and differences up to a threshold are ties of the "
        "metric; each document is judged by a threshold fitted on others, the column shows the one fitted on all.",
    ]
    if any(is_judge(row.signature) for row in analysis.rows):
        notes.append(BOTH_ORDERS)
    if ceiling is not None:
        notes.append(
            "People: each judgment against the majority of the others on its pair. A metric can do better, where "
            "people are noisy."
        )
    if analysis.rows:
        evaluation = analysis.rows[0].evaluation
        notes.append(ratio_intervals_note(evaluation.intervals.half.level, evaluation.over))
        notes += few_annotators_notes(analysis.annotators)
        notes += scarce_notes(analysis)
        if 1 < analysis.documents < FEWEST_DOCUMENTS:
            notes.append(
                f"There are {analysis.documents} documents only: where each has many pairs, such intervals are too "
                "narrow (those of 5 documents of 100 pairs hold the truth in 87 to 92 of 100 studies), and p values "
                "hardly get small."
            )
        if not any(is_length(row.signature) for row in analysis.rows):
            notes.append("There is no row for length, which a metric has to beat: score the summaries by it, too.")
    else:
        notes.append("No metric has scores of these pairs.")
    if analysis.weighed:
        notes.append(WEIGHED)
    return notes


def scarce_notes(analysis: AgreementAnalysis) -> list[str]:
    """Name the metrics that have values on too few pairs, and say on how many."""
    few = [row for row in find_scarce(analysis).values() if row.evaluation.agreement.pairs]
    if not few:
        return []
    named = join_items([name_scarce(row) for row in few])
    return [
        f"Values on fewer than {ENOUGH_JUDGMENTS} pairs, or of fewer than {ENOUGH_DOCUMENTS} documents, are too few "
        f"for a ratio: {named}."
    ]


def name_scarce(row: MetricRow) -> str:
    """Name a metric with the number of pairs on which it has values."""
    counts = row.evaluation.agreement
    return (
        f"{row.metric} has values on {counts.pairs:,} of {counts.pairs + counts.missing:,}, "
        f"of {format_count(row.evaluation.documents, 'document')}"
    )


def short_agreement_table(table: Table, analysis: AgreementAnalysis, rule: Rule) -> Table:
    """Select the columns that most readers want, with agreement by one rule, the highest first and people last.

    `table` is the whole table of the `analysis`.
    """
    columns = {
        "metric": "metric",
        rule: "agreement",
        f"{rule} 95 %": "95 % interval",
        "n": "n",
        "T": "ties",
        "missing": "missing",
    }
    order = {row.metric: place for place, row in enumerate(rank_metrics(analysis))}
    rows = sorted(table.rows, key=lambda row: order.get(str(row["metric"]), len(order)))
    about_rule = TIE_RULE_NAMES[rule]
    notes = [f"{about_rule[0].upper()}{about_rule[1:]}. Chance is 0.500."]
    notes += [*few_annotators_notes(analysis.annotators), *scarce_notes(analysis)]
    return table.select(columns, rows)._replace(notes=notes)


def sampling_notes(rule: str) -> list[str]:
    """Say how the rule by which a study's pairs were chosen affects its figures."""
    if rule != "rouge_k_differs":
        return []
    return [
        "Pairs were chosen so that their ROUGE-K differs: it has no ties there, which favours it by strict and half."
    ]


def note_drawn_pairs(table: Table) -> Table:
    """Note under a table that it describes the pairs that were drawn."""
    note = f"{NOT_WEIGHED} this describes the pairs that were drawn, not all pairs that could have been."
    return table._replace(notes=[*table.notes, note])


def agreement_row(label: str, evaluation: MetricEvaluation, signature: str, truncated: int) -> dict[str, Cell]:
    """Make a row of the agreement table."""
    counts, ties = evaluation.agreement, evaluation.ties
    nothing = no_ratio(counts)
    return {
        "metric": label,
        "n": counts.pairs,
        "half": number_cell(counts.half, nothing),
        "half 95 %": interval(evaluation.intervals.half),
        "strict": number_cell(counts.strict, nothing),
        "decided": number_cell(counts.decided, nothing),
        "coverage": number_cell(counts.coverage, nothing),
        "acc_eq": number_cell(ties.accuracy, ties.reason),
        "threshold": number_cell(ties.threshold, ties.reason),
        "C": counts.concordant,
        "D": counts.discordant,
        "T": counts.tied,
        "missing": counts.missing,
        "truncated": truncated,
        "strict 95 %": interval(evaluation.intervals.strict),
        "decided 95 %": interval(evaluation.intervals.decided),
        "coverage 95 %": interval(evaluation.intervals.coverage),
        "acc_eq 95 %": interval(evaluation.ties_interval),
        "signature": signature,
    }


def no_ratio(counts: Agreement) -> str:
    """Say why an agreement ratio is undefined."""
    return "no pair that people decide has a value" if counts.pairs == 0 else "the metric decides no pair"


def comparison_table(analysis: AgreementAnalysis) -> Table:
    """Compare every two metrics on the pairs that both score."""
    rows: list[dict[str, Cell]] = [
        {
            "first": comparison.first,
            "second": comparison.second,
            "difference": number_cell(comparison.difference, comparison.reason),
            "n": comparison.n,
            "documents": comparison.documents,
            "p": number_cell(comparison.p, comparison.reason),
            "p (Holm)": number_cell(comparison.p_holm, comparison.reason),
            "test": comparison.test or "none",
            "p (Wilcoxon)": number_cell(comparison.wilcoxon_p, comparison.wilcoxon_reason),
        }
        for comparison in analysis.comparisons
    ]
    notes = [
        f"Difference: agreement by the rule {analysis.rule} of the first minus that of the second, on the pairs that "
        "both score. p: sign-flip test over documents, exact McNemar where every document gives one pair and no tie "
        "earns half; both hold for other documents that the same people judge. Holm's correction over all "
        "comparisons of the table. Wilcoxon: signed-rank test of the documents' means, uncorrected."
    ]
    if any(comparison.test == TWO_WAY for comparison in analysis.comparisons):
        notes.append(
            f"{FEWEST_ANNOTATORS} annotators or more judged, and are a sample as documents are: p is of a t test whose "
            "variance is that of documents and of annotators, and never below the sign-flip test's. It holds for other "
            "documents and other annotators; few annotators who differ leave it large. Wilcoxon's test allows for "
            "documents only, as if everybody judged as these annotators do."
        )
    else:
        notes += few_annotators_notes(analysis.annotators)
    if analysis.weighed:
        notes.append(
            "Pairs were drawn with unequal probability: difference and p weigh each by one over it. Wilcoxon's test is "
            "not weighed: documents count alike, however probable their pairs were."
        )
    notes += flip_notes(analysis.comparisons)
    return Table(
        "comparisons", "Metric against metric on the same pairs", rows, notes, "there are fewer than 2 metrics"
    )


def flip_notes(comparisons: Sequence[PairedComparison]) -> list[str]:
    """Say how the p values of sign flips were made, and whether there are enough documents for a significant one."""
    notes = []
    flipped = next((comparison for comparison in comparisons if comparison.flips is not None), None)
    if flipped is not None and flipped.seed is not None:
        notes.append(f"{flipped.flips} random flips, seed {flipped.seed}.")
    elif flipped is not None:
        notes.append("All flips of the documents are counted, none is drawn.")
    tested = [comparison for comparison in comparisons if comparison.test is not None]
    needed = fewest_documents(comparisons=max(1, len(tested)))
    if tested and max(comparison.documents for comparison in tested) < needed:
        corrected = f" after Holm's correction over {len(tested)} comparisons" if len(tested) > 1 else ""
        notes.append(
            f"Nothing here can be significant at .05: that takes {needed} documents or more{corrected}, however large "
            "the difference."
        )
    return notes


def difference_table(analysis: AgreementAnalysis) -> Table:
    """Make the table of agreement by how far apart a metric's two scores are."""
    rows: list[dict[str, Cell]] = [
        {
            "metric": row.metric,
            "from": part.low,
            "to": part.high,
            "n": part.n,
            "decided": part.decided,
            "decided 95 %": interval(part.interval),
        }
        for row in without_scarce(analysis)
        if not is_judge(row.signature)
        for part in row.evaluation.bins
    ]
    note = (
        "The pairs that people and the metric decide, in up to five equal parts by the size of the metric's difference."
    )
    notes = [note, "The shares are weighed, n counts."] if analysis.weighed else [note]
    if rows:
        evaluation = analysis.rows[0].evaluation
        notes.append(ratio_intervals_note(evaluation.intervals.half.level, evaluation.over))
        notes += [*few_annotators_notes(analysis.annotators), *scarce_notes(analysis)]
    empty = "no pair is decided by both people and a metric"
    return Table("by_difference", "Agreement by the difference of the scores", rows, notes, empty)


def position_table(shares: Sequence[SideShare]) -> Table:
    """Make the table of how often the summary on the left was chosen."""
    rows: list[dict[str, Cell]] = [
        {
            "annotator": "all annotators" if share.annotator is None else str(share.annotator),
            "left": share.left,
            "n": share.n,
            "share": number_cell(share.share, share.reason),
            "95 %": interval(share),
            "p": number_cell(share.p, share.reason),
            "p (Holm)": number_cell(share.p if share.annotator is None else share.p_holm, share.reason),
        }
        for share in shares
    ]
    note = "Binomial test against one half, Wilson intervals, Holm's correction over annotators; ties are left out."
    title = "Position check: how often the left summary was chosen"
    empty = "nobody drew the sides: the judgments came with their file"
    return Table("position", title, rows, [note] if rows else [], empty)
