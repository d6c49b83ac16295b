"""What language models say of a study's pairs, as columns."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.preferences import Names, Numbers
from data.signatures import JUDGE, name_of


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Columns of pairs, shape (pairs,), with what one model says of each in both orders; attention checks aside."""

    signature: str
    documents: Names
    firsts: Names
    """The system of each pair's first summary."""
    seconds: Names
    straight: Numbers
    """What is better as the pair stands: 1 the first summary, -1 the second, 0 neither; NaN is no verdict."""
    swapped: Numbers
    """The same where the second summary was shown first."""
    reasons: Names
    """Why a pair that was asked about has no verdict in both orders; None elsewhere."""
    tokens_in: Numbers
    """Tokens of both prompts; NaN where they are not known."""
    tokens_out: Numbers
    """Tokens of both answers, likewise."""
    cost: Numbers
    """Of both calls, by the prices that were given; NaN where none were."""
    checks: tuple[int, int] = (0, 0)
    """Attention checks passed and answered."""
    answered_by: tuple[str, ...] = ()
    """The models that say they answered."""

    @property
    def name(self) -> str:
        """What the model is called in the study."""
        return name_of(self.signature).removeprefix(JUDGE)

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Where both orders have a verdict."""
        return ~np.isnan(self.straight + self.swapped)

    @property
    def consistent(self) -> NDArray[np.bool_]:
        """Where both orders have the same verdict."""
        return np.asarray(self.straight == self.swapped)

    @property
    def scores(self) -> Numbers:
        """Shape (pairs, 2): the verdict as scores of both summaries, 1 and 0, .5 each for neither; NaN is no verdict.

        Orders that disagree decide nothing, so that neither summary is ahead: by half such a pair earns what one order
        drawn at random would be expected to earn.
        """
        preferred = np.where(self.consistent, self.straight, np.where(self.answered, 0.0, np.nan))
        return np.stack([(1 + preferred) / 2, (1 - preferred) / 2], axis=1)

    def of_systems(self, systems: Collection[str]) -> Verdicts:
        """The pairs whose two summaries are both by one of the systems."""
        among = [
            first in systems and second in systems for first, second in zip(self.firsts, self.seconds, strict=True)
        ]
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        kept: dict[str, Any] = {
            name: of[np.array(among, dtype=np.bool_)] for name, of in columns.items() if isinstance(of, np.ndarray)
        }
        return replace(self, **kept)
