"""Verdicts of language models on a study's pairs, as columns."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relevance.data.preferences import Names, Numbers
from relevance.data.signatures import JUDGE, name_of


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Columns of pairs, shape (pairs,), with one model's verdicts in both orders, without attention checks."""

    signature: str
    documents: Names
    firsts: Names
    """The system of each pair's first summary."""
    seconds: Names
    straight: Numbers
    """The better summary, with the first shown first: 1 the first, -1 the second, 0 neither; NaN without a verdict."""
    swapped: Numbers
    """The same, with the second summary shown first."""
    reasons: Names
    """The reason why a pair that was asked about lacks a verdict in both orders; otherwise None."""
    tokens_in: Numbers
    """Tokens of both prompts; NaN if unknown."""
    tokens_out: Numbers
    """Tokens of both answers; NaN if unknown."""
    cost: Numbers
    """The cost of both calls, by the given prices; NaN without prices."""
    checks: tuple[int, int] = (0, 0)
    """Attention checks passed and answered."""
    answered_by: tuple[str, ...] = ()
    """The names that the answering models gave themselves."""

    @property
    def name(self) -> str:
        """The name of the model in the study."""
        return name_of(self.signature).removeprefix(JUDGE)

    @property
    def answered(self) -> NDArray[np.bool_]:
        """True for pairs with a verdict in both orders."""
        return ~np.isnan(self.straight + self.swapped)

    @property
    def consistent(self) -> NDArray[np.bool_]:
        """True for pairs with the same verdict in both orders."""
        return np.asarray(self.straight == self.swapped)

    @property
    def scores(self) -> Numbers:
        """Shape (pairs, 2): the verdict as scores of both summaries, 1 and 0, .5 each for neither; NaN without one.

        Orders that disagree decide nothing, so that neither summary is ahead: such a pair gets one half, the expected
        result of one order drawn at random.
        """
        preferred = np.where(self.consistent, self.straight, np.where(self.answered, 0.0, np.nan))
        return np.stack([(1 + preferred) / 2, (1 - preferred) / 2], axis=1)

    def of_systems(self, systems: Collection[str]) -> Verdicts:
        """Select the pairs whose two summaries are both by one of the systems."""
        among = [
            first in systems and second in systems for first, second in zip(self.firsts, self.seconds, strict=True)
        ]
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        kept: dict[str, Any] = {
            name: of[np.array(among, dtype=np.bool_)] for name, of in columns.items() if isinstance(of, np.ndarray)
        }
        return replace(self, **kept)
