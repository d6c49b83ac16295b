"""The table of a study's stopping rule."""

from relevance.analysis.agreement.sequential import SequentialAnalysis
from relevance.data.stopping_state import StoppingDecision
from relevance.reports.stopping import LabelOf, name_metrics, scale
from relevance.reports.tables.table import Cell, Range, Table, number_cell

NOTES = (
    "Documents are complete, in the order that was drawn before, where every pair was judged or skipped by as many "
    "people as are wanted; those counted have a judgment in which people prefer a summary and that the metrics have "
    "scores for. A metric's tie counts half.",
    "The wealth is what somebody owns who began with 1 and bets that there is a difference. If there is none, it "
    "reaches 1/alpha at any time with a probability of at most alpha, however often somebody looks; the interval holds "
    "at all times together (hedged capital, Waudby-Smith and Ramdas 2024). Both are for new documents of the same "
    "kind, and take the annotators as they are.",
)

MEAN = "A document's difference is the mean over its judgments, and documents count the same."

WEIGHED = (
    "A judgment counts as one over the probability with which its pair was drawn, so that the difference is that over "
    "all pairs that could have been drawn, and not only over those on which metrics contradict each other."
)

ENDED_EARLY = (
    "The study stopped early by its rule: figures lie further from one half, and differences further from 0, than the "
    "true ones on average. The interval of the stopping rule allows for that; those of this table do not."
)
"""The note under other tables of such a study."""

LEANS = (
    "A study stops early when its documents happen to favour a difference: the difference at that moment lies further "
    "from 0 than the true one on average. The interval allows for that."
)


def sequential_table(analysis: SequentialAnalysis, label_of: LabelOf) -> Table:
    """Make the table of what is known after the complete documents and, if the study has stopped, when it did."""
    due = analysis.due
    rows = [sequential_row(analysis, due or analysis.now, label_of, "now", name_verdict(due))]
    if analysis.decision is not None:
        when = (
            "at the decision"
            if analysis.decided_at is None
            else f"at the decision, {analysis.decided_at:%Y-%m-%d %H:%M}"
        )
        rows.append(sequential_row(analysis, analysis.decision, label_of, when, name_verdict(analysis.decision)))
    notes = [NOTES[0], WEIGHED if analysis.weighed else MEAN, *NOTES[1:]]
    if analysis.stopped_early:
        notes.append(LEANS)
    if analysis.decision is not None:
        notes.append(
            "The decision stays as it was taken. What is said of now is of the judgments as they stand: without those "
            "of annotators excluded since, and as they were changed."
        )
    return Table("sequential", "The stopping rule", rows, notes)


def sequential_row(
    analysis: SequentialAnalysis, at: StoppingDecision, label_of: LabelOf, when: str, verdict: str
) -> dict[str, Cell]:
    """Make the row of what was known after some documents."""
    first, second = name_metrics(analysis, label_of)
    size = scale(analysis)
    return {
        "as of": when,
        "first": first,
        "second": "0.5" if second is None else second,
        "documents": at.documents,
        "counted": at.counted,
        "at most": analysis.drawn,
        "wealth": at.wealth,
        "1/alpha": analysis.test.enough,
        "difference": number_cell(None if at.mean is None else at.mean * size, "no judgment counts"),
        f"{1 - analysis.test.alpha:.0%} at all times": Range(at.low * size, at.high * size),
        "decision": verdict,
    }


def name_verdict(decision: StoppingDecision | None) -> str:
    """Say whether to stop or to go on."""
    if decision is None:
        return "go on"
    return "stop: they differ" if decision.rejected else "stop: no more documents"
