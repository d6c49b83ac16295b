"""Williams' test of two correlations that share one side."""

import math
from typing import NamedTuple

from scipy import stats

from relevance.analysis.arrays import ROUNDING
from relevance.data.ties import TIE


class WilliamsTest(NamedTuple):
    """Williams' test of two dependent correlations."""

    t: float | None
    """The statistic, with n - 3 degrees of freedom: above 0 if r12 is higher than r13."""
    p: float | None
    """The two-sided p-value in [0, 1]."""
    reason: str | None = None


def williams(r12: float, r13: float, r23: float, n: int) -> WilliamsTest:
    """Test whether two correlations that share one side differ, such as those of two metrics with human ratings.

    1 is the shared side: `r12` and `r13` are the two metrics' correlations with the human ratings, `r23` is that of the
    metrics with each other, all over the same n. The test is for Pearson's coefficients and assumes n independent draws
    of three normal variables (Williams 1959; Steiger 1980, "Tests for comparing elements of a correlation matrix",
    equation 7, which R's psych::r.test computes). Signs count: if lower is better for one metric only, reverse it
    first. Undefined, with the reason, for fewer than four observations, if two of the three agree perfectly, and if no
    three columns can have these coefficients. Raises `ValueError` for numbers outside [-1, 1].
    """
    for name, r in (("r12", r12), ("r13", r13), ("r23", r23)):
        if not -1 <= r <= 1:
            raise ValueError(f"{name} must lie between -1 and 1, not {r}")
    if n < 4:
        return WilliamsTest(None, None, "fewer than 4 observations")
    if max(abs(r12), abs(r13), abs(r23)) >= 1 - ROUNDING:
        return WilliamsTest(None, None, "two of the three agree perfectly")
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if determinant < -TIE:
        return WilliamsTest(None, None, "no three columns have these coefficients")
    spread = 2 * (n - 1) / (n - 3) * max(determinant, 0.0) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if spread <= ROUNDING:
        return WilliamsTest(None, None, "the two metrics' coefficients leave nothing to chance")
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / spread)
    return WilliamsTest(t, float(2 * stats.t.sf(abs(t), n - 3)))
