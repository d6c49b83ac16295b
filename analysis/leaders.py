"""The metric that agrees best with people, its rivals, the study that would tell them apart, and what is too little."""

from typing import NamedTuple

from relevance.analysis.agreement.counts import credit_pairs
from relevance.analysis.agreement.evaluation import ENOUGH_DOCUMENTS, ENOUGH_JUDGMENTS
from relevance.analysis.agreement.planning import Plan, observe_metrics, pairs_to_separate
from relevance.analysis.metrics_and_people import AgreementAnalysis, MetricRow
from relevance.analysis.significance import ALPHA, PairedComparison
from relevance.data.preferences import Preferences

SCARCE = "the metric has values on too few pairs"
"""The reason why a metric that `find_scarce` finds has no ratio."""


class Rival(NamedTuple):
    """A metric whose difference to the best is not significant."""

    row: MetricRow
    p: float | None
    """The p value of its difference to the best, with Holm's correction over all comparisons; None if undefined."""


class Leading(NamedTuple):
    """The best metric, and the metrics that may be as good."""

    best: MetricRow
    rivals: tuple[Rival, ...]
    """The metrics whose difference to it is not significant, the nearest first."""
    worse: int
    """The number of metrics that are significantly worse."""


class Leaders(NamedTuple):
    """The best metric, the metrics that may be as good, and the study that would tell them apart."""

    best: MetricRow
    rivals: tuple[Rival, ...]
    """As in `Leading`."""
    worse: int
    """As in `Leading`."""
    plan: Plan | None
    """The study that would tell the nearest rival from the best; None without a rival, or if the two agree alike."""
    pairs: int
    """Pairs that both metrics score, which the plan's number includes; 0 without a rival."""


class Wanting(NamedTuple):
    """The counts of the metric that has the most, where there are too few for a finding about metrics."""

    judgments: int
    """Judgments (or pairs) that count so far."""
    documents: int
    """Documents that they are of."""

    @property
    def missing(self) -> tuple[int, int]:
        """The judgments and the documents that are missing, of which either may be 0."""
        return max(0, ENOUGH_JUDGMENTS - self.judgments), max(0, ENOUGH_DOCUMENTS - self.documents)


def find_wanting(agreement: AgreementAnalysis) -> Wanting | None:
    """Say what is missing before any metric can be called the best; None if one has enough, or nothing is counted.

    Enough are 20 judgments of 6 documents: of fewer documents, no difference can be significant, and of fewer judgments
    the highest of some ratios says hardly anything.
    """
    counted = [row.evaluation for row in agreement.rows if row.evaluation.agreement.pairs]
    if not counted or any(evaluation.is_enough for evaluation in counted):
        return None
    most = max(counted, key=lambda evaluation: (evaluation.agreement.pairs, evaluation.documents))
    return Wanting(most.agreement.pairs, most.documents)


def find_scarce(agreement: AgreementAnalysis) -> dict[str, MetricRow]:
    """Find the metrics, by name, with values on too few pairs to be compared with those that have enough of them."""
    if not any(row.evaluation.is_enough for row in agreement.rows):
        return {}
    return {row.metric: row for row in agreement.rows if not row.evaluation.is_enough}


def without_scarce(agreement: AgreementAnalysis) -> list[MetricRow]:
    """Return the rows without those that `find_scarce` finds."""
    scarce = find_scarce(agreement)
    return [row for row in agreement.rows if row.metric not in scarce]


def rank_metrics(agreement: AgreementAnalysis) -> list[MetricRow]:
    """Sort the rows with a defined agreement by the rule of the comparisons, the highest first, without scarce ones."""

    def ratio(row: MetricRow) -> float:
        return float(getattr(row.evaluation.agreement, agreement.rule))

    enough = without_scarce(agreement)
    defined = [row for row in enough if getattr(row.evaluation.agreement, agreement.rule) is not None]
    return sorted(defined, key=ratio, reverse=True)


def find_leading(agreement: AgreementAnalysis) -> Leading | None:
    """Find the metric with the highest agreement, and those whose difference to it is not significant.

    None if no metric has an agreement on enough judgments and documents (`find_wanting`).
    """
    ranked = rank_metrics(agreement)
    if not ranked or find_wanting(agreement) is not None:
        return None
    best = ranked[0]
    compared = {frozenset((comparison.first, comparison.second)): comparison for comparison in agreement.comparisons}
    rivals = [
        Rival(row, comparison.p_holm if comparison else None)
        for row in ranked[1:]
        if not told_apart(comparison := compared.get(frozenset((best.metric, row.metric))))
    ]
    return Leading(best, tuple(rivals), worse=len(ranked) - 1 - len(rivals))


def find_leaders(agreement: AgreementAnalysis, preferences: Preferences) -> Leaders | None:
    """Find the leading metrics (`find_leading`), and plan the study that would tell the best from its nearest rival.

    `agreement` is that of the `preferences`. The plan is at the level .05 with power .8, from the observed ratios, phi
    and ICC; several judgments of a pair count by their majority.
    """
    leading = find_leading(agreement)
    if leading is None:
        return None
    best, rivals, worse = leading
    plan, pairs = plan_for(best, rivals[0].row, agreement, preferences) if rivals else (None, 0)
    return Leaders(best, rivals, worse, plan, pairs)


def told_apart(comparison: PairedComparison | None) -> bool:
    """Tell whether a comparison is significant."""
    return comparison is not None and comparison.p_holm is not None and comparison.p_holm < ALPHA


def plan_for(
    best: MetricRow, rival: MetricRow, agreement: AgreementAnalysis, preferences: Preferences
) -> tuple[Plan | None, int]:
    """Plan a study that tells two metrics apart, and count the pairs that both score; no plan if they agree alike."""
    preferences = preferences.by_majority()  # pairs are what is planned
    differences = preferences.differences()
    best_credits, rival_credits = (
        credit_pairs(preferences.choices, differences[row.signature], agreement.rule) for row in (best, rival)
    )
    seen = observe_metrics(best_credits, rival_credits, preferences.document, preferences.weights)
    if seen.first is None or seen.second is None or seen.first == seen.second:
        return None, seen.n
    plan = pairs_to_separate(
        seen.first,
        seen.second,
        phi=seen.phi or 0.0,
        pairs_per_document=max(1.0, seen.pairs_per_document or 1.0),
        icc=seen.icc or 0.0,
    )
    return (plan if plan.reason is None else None), seen.n
