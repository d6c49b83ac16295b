"""Language models as judges of pairs: their answers, and how much these depend on the order of the summaries."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from relevance.analysis.arrays import Floats
from relevance.analysis.ratio_intervals import Interval, Ratio, ratio_intervals
from relevance.data.model_verdicts import Verdicts


class Share(NamedTuple):
    """A share of pairs or answers with its interval, clustered by documents."""

    value: float | None
    """The share, in [0, 1]; None if nothing is counted."""
    interval: Interval


class JudgeSummary(NamedTuple):
    """A summary of one model's verdicts on a study's pairs."""

    name: str
    signature: str
    pairs: int
    """Pairs of the study; attention checks are counted separately."""
    answered: int
    """Pairs with a verdict in both orders."""
    reasons: Mapping[str, int]
    """Counts of the reasons why pairs that were asked about have no verdict, the most frequent first."""
    consistent: Share
    """Answered pairs with the same verdict in both orders (Zheng et al. 2023, Judging LLM-as-a-Judge, section 3.3)."""
    first_shown: Share
    """The share of answers with a preference that prefer the summary shown first, over both orders of the answered
    pairs: one half for a judge that ignores the order."""
    tied: Share
    """Answered pairs that are a tie in both orders."""
    tokens_in: int | None
    """Prompt tokens of the pairs for which their number is known; None if it is known for no pair."""
    tokens_out: int | None
    cost: float | None
    checks: tuple[int, int]
    """Attention checks passed and answered."""
    answered_by: tuple[str, ...]
    """The models that answered, by their own names."""

    @property
    def without_verdict(self) -> int:
        """The number of pairs that were asked about and have no verdict."""
        return sum(self.reasons.values())


def summarize_judge(verdicts: Verdicts) -> JudgeSummary:
    """Summarize one model's verdicts."""
    answered = verdicts.answered
    # As the pair stands, 1 is the summary shown first; swapped, -1 is.
    orders = np.stack([verdicts.straight, -verdicts.swapped], axis=1)[answered]
    firsts, decided = (orders == 1).sum(axis=1), (orders != 0).sum(axis=1)
    ones = np.ones(len(orders))
    ratios = [
        Ratio(verdicts.consistent[answered].astype(np.float64), ones),
        Ratio(firsts.astype(np.float64), decided.astype(np.float64), np.maximum(decided, 1).astype(np.float64)),
        Ratio((orders == 0).all(axis=1).astype(np.float64), ones),
    ]
    intervals = ratio_intervals(ratios, verdicts.documents[answered])
    consistent, first_shown, tied = (
        Share(float(ratio.part.sum() / ratio.whole.sum()) if ratio.whole.any() else None, interval)
        for ratio, interval in zip(ratios, intervals, strict=True)
    )
    tokens_in, tokens_out = (add_known(column) for column in (verdicts.tokens_in, verdicts.tokens_out))
    return JudgeSummary(
        name=verdicts.name,
        signature=verdicts.signature,
        pairs=len(verdicts.documents),
        answered=int(answered.sum()),
        reasons=dict(Counter(reason for reason in verdicts.reasons if reason is not None).most_common()),
        consistent=consistent,
        first_shown=first_shown,
        tied=tied,
        tokens_in=None if tokens_in is None else int(tokens_in),
        tokens_out=None if tokens_out is None else int(tokens_out),
        cost=add_known(verdicts.cost),
        checks=verdicts.checks,
        answered_by=verdicts.answered_by,
    )


def add_known(column: Floats) -> float | None:
    """Sum the known numbers; None if none is known."""
    known = column[~np.isnan(column)]
    return float(known.sum()) if len(known) else None
