"""Language models as judges of pairs: what they answer, and how far their answers follow the order of showing."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from analysis.arrays import Floats
from analysis.ratio_intervals import Interval, Ratio, ratio_intervals
from data.verdicts import Verdicts


class Share(NamedTuple):
    """A share of pairs or answers with its interval, clustered by documents."""

    value: float | None
    """In [0, 1]; None where nothing is counted."""
    interval: Interval


class JudgeSummary(NamedTuple):
    """What one model said of a study's pairs."""

    name: str
    signature: str
    pairs: int
    """Of the study; attention checks are counted by themselves."""
    answered: int
    """Pairs with a verdict in both orders."""
    reasons: Mapping[str, int]
    """Why pairs that were asked about have none, the most frequent reason first."""
    consistent: Share
    """Answered pairs whose orders have the same verdict (Zheng et al. 2023, Judging LLM-as-a-Judge, section 3.3)."""
    first_shown: Share
    """Answers that prefer the summary shown first, of those that prefer one, over both orders of the answered pairs:
    one half for a judge that does not heed the order."""
    tied: Share
    """Answered pairs that are a tie in both orders."""
    tokens_in: int | None
    """Tokens of the prompts of pairs that have such a number; None where no pair has one."""
    tokens_out: int | None
    cost: float | None
    checks: tuple[int, int]
    """Attention checks passed and answered."""
    answered_by: tuple[str, ...]
    """The models that say they answered."""

    @property
    def without_verdict(self) -> int:
        """Pairs that were asked about and have no verdict."""
        return sum(self.reasons.values())


def summarize_judge(found: Verdicts) -> JudgeSummary:
    """Count what one model said."""
    answered = found.answered
    # As the pair stands, 1 is the summary shown first; swapped, -1 is.
    orders = np.stack([found.straight, -found.swapped], axis=1)[answered]
    firsts, decided = (orders == 1).sum(axis=1), (orders != 0).sum(axis=1)
    ones = np.ones(len(orders))
    ratios = [
        Ratio(found.consistent[answered].astype(np.float64), ones),
        Ratio(firsts.astype(np.float64), decided.astype(np.float64), np.maximum(decided, 1).astype(np.float64)),
        Ratio((orders == 0).all(axis=1).astype(np.float64), ones),
    ]
    intervals = ratio_intervals(ratios, found.documents[answered])
    consistent, first_shown, tied = (
        Share(float(ratio.part.sum() / ratio.whole.sum()) if ratio.whole.any() else None, interval)
        for ratio, interval in zip(ratios, intervals, strict=True)
    )
    tokens_in, tokens_out = (add_known(column) for column in (found.tokens_in, found.tokens_out))
    return JudgeSummary(
        name=found.name,
        signature=found.signature,
        pairs=len(found.documents),
        answered=int(answered.sum()),
        reasons=dict(Counter(reason for reason in found.reasons if reason is not None).most_common()),
        consistent=consistent,
        first_shown=first_shown,
        tied=tied,
        tokens_in=None if tokens_in is None else int(tokens_in),
        tokens_out=None if tokens_out is None else int(tokens_out),
        cost=add_known(found.cost),
        checks=found.checks,
        answered_by=found.answered_by,
    )


def add_known(column: Floats) -> float | None:
    """The sum of the numbers that are known; None where none is."""
    known = column[~np.isnan(column)]
    return float(known.sum()) if len(known) else None
