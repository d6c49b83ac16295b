"""The table of language models that judge: whether order sways them, and how often they agree with people."""

from collections.abc import Mapping, Sequence

from relevance.analysis.agreement.evaluation import MetricEvaluation
from relevance.analysis.metrics_and_people import AgreementAnalysis
from relevance.analysis.people.judges import JudgeSummary, Share
from relevance.data.signatures import JUDGE
from relevance.reports.tables.table import Cell, Table, Undefined, interval, number_cell, ratio_intervals_note

BOTH_ORDERS = (
    "Language models (judge:) were asked about each pair in both orders. Where their orders disagree they decide "
    "nothing, and the pair stands in T: a miss by strict, left out by decided, and by half what one order drawn at "
    "random would earn. Pairs without a verdict are missing."
)
"""A note on language models among metrics."""

NO_SCORES = Undefined("a judge says which summary is better, and gives no scores that could be close")
"""The reason why a judge has no accuracy with ties."""


def judges_table(judges: Sequence[JudgeSummary], agreement: AgreementAnalysis) -> Table:
    """Make the table, a row for each language model, whose agreement with people is among that of metrics."""
    evaluations = {row.signature: row.evaluation for row in agreement.rows}
    notes = [
        "Each pair is asked about in both orders. Answered: both orders have a verdict; all shares are of these pairs. "
        "Consistent: both orders have the same verdict (Zheng et al. 2023). First shown: answers that prefer the "
        "summary shown first, of those that prefer one, in both orders; one half where the order does not matter. "
        "Tied: neither is better, in both orders.",
        "Agreement with people, on n judgments: where the orders disagree, the judge decides nothing, which is a miss "
        "by strict, half a hit by half, and left out by decided.",
        "Checks: pairs with a known answer; they count nowhere else. Tokens and cost are those of pairs answered in "
        "both orders, as the server tells them, by the prices that were given.",
    ]
    if judges:
        notes.append(ratio_intervals_note(judges[0].consistent.interval.level, "documents"))
    if agreement.weighed:
        notes.append(
            "Pairs were drawn with unequal probability: agreement weighs each by one over it, other shares describe "
            "the pairs that were drawn."
        )
    rows = [judge_row(judge, evaluations.get(judge.signature)) for judge in judges]
    return Table("judges", "Language models as judges", rows, notes, "no language model has judged")


def judge_row(judge: JudgeSummary, evaluation: MetricEvaluation | None) -> dict[str, Cell]:
    """Make a row of the table."""
    nothing = "no pair has a verdict in both orders"
    nobody = "people decide no pair of which it has a verdict"
    agreement = {
        name: cell
        for rule in ("half", "strict", "decided")
        for name, cell in (
            (rule, number_cell(evaluation and getattr(evaluation.agreement, rule), nobody)),
            (
                f"{rule} 95 %",
                Undefined(nobody) if evaluation is None else interval(getattr(evaluation.intervals, rule)),
            ),
        )
    }
    return {
        "judge": judge.name,
        "pairs": judge.pairs,
        "answered": judge.answered,
        "no verdict": judge.without_verdict,
        **share_cells("consistent", judge.consistent, nothing),
        **share_cells("first shown", judge.first_shown, "no answer prefers a summary"),
        **share_cells("tied", judge.tied, nothing),
        "n": 0 if evaluation is None else evaluation.agreement.pairs,
        **agreement,
        "checks passed": judge.checks[0],
        "checks": judge.checks[1],
        "tokens in": number_cell(judge.tokens_in, "no number is known"),
        "tokens out": number_cell(judge.tokens_out, "no number is known"),
        "cost": number_cell(judge.cost, "no prices were given"),
        "answered by": ", ".join(judge.answered_by) or Undefined("nothing was answered"),
        "why no verdict": list_reasons(judge.reasons),
        "signature": judge.signature,
    }


def share_cells(name: str, share: Share, nothing: str) -> dict[str, Cell]:
    """Return the cells of a share and its interval."""
    return {name: number_cell(share.value, nothing), f"{name} 95 %": interval(share.interval)}


def list_reasons(reasons: Mapping[str, int]) -> str:
    """List reasons with the number of pairs that each applies to."""
    return "; ".join(f"{count}: {reason}" for reason, count in reasons.items())


def note_no_scores(table: Table, judges: Sequence[JudgeSummary]) -> Table:
    """Note under a table of correlations that it leaves judges out."""
    names = ", ".join(f"{JUDGE}{judge.name}" for judge in judges)
    return table._replace(notes=[*table.notes, f"Left out: {names}, with verdicts on pairs and no scores."])
