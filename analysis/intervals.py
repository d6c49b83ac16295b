"""Intervals of a share whose outcomes come in clusters, such as pairs in documents, that also hold near 0 and 1."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

FEWEST_DOCUMENTS = 10
"""With fewer documents intervals miss their nominal coverage: 95 % intervals of 5 documents contain the truth in 84 of
100 studies, those of 10 or more in 92 to 97."""

ALIKE = 0.3
"""The intraclass correlation assumed where outcomes do not show it. On SummEval, that of ROUGE-1's agreement is .06."""


def share_interval(
    share: float, variance: float, outcomes: float, clusters: float, level: float
) -> tuple[float, float]:
    """Compute Clopper and Pearson's interval, in [0, 1], for an effective number of outcomes (Korn and Graubard 1998).

    The effective number is the number of independent outcomes that would give the share the same variance: share(1 -
    share) / `variance`. If nearly all `outcomes` are the same, they hardly show how alike those of a cluster are. So
    one outcome is added to both numerator and denominator, from clusters with the intraclass correlation `ALIKE`: if
    all outcomes are the same, the interval rests on it alone; otherwise it hardly matters. `outcomes` and `clusters`
    are above 0 and need not be whole (`kish`).
    Source: Survey Methodology 24, Confidence intervals for proportions with small expected number of positive counts.
    """
    n = (share * (1 - share) + 1 / outcomes) / (variance + outcome_variance(outcomes, clusters))
    tail, hits = (1 - level) / 2, share * n
    low = float(special.betaincinv(hits, n - hits + 1, tail)) if hits > 0 else 0.0
    high = float(special.betainccinv(hits + 1, n - hits, tail)) if n > hits else 1.0
    return min(low, share), max(high, share)


def outcome_variance(outcomes: float, clusters: float) -> float:
    """Return the variance by which `share_interval` adds one outcome."""
    return ((1 - ALIKE) / outcomes + ALIKE / clusters) / outcomes


def clustered_variance(rest: ArrayLike, whole: ArrayLike) -> NDArray[np.float64]:
    """Compute the variance of a share or mean from sums by cluster, shape (clusters,) or (clusters, columns).

    `whole` is the total weight of a cluster's outcomes, `rest` their sum less the share of that weight. Clusters
    without weight do not count; the variance of a single cluster is 0.
    """
    clusters = np.count_nonzero(whole, axis=0)
    spread = np.sum(np.square(rest), axis=0) / np.sum(whole, axis=0) ** 2
    return np.where(clusters > 1, spread * clusters / np.maximum(1, clusters - 1), 0.0)


def kish(weights: ArrayLike) -> float:
    """Compute the effective number of weights, (sum of w)^2 / sum of w^2 (Kish 1965, Survey Sampling)."""
    column = np.asarray(weights, dtype=np.float64)
    return float(column.sum()) ** 2 / float(column @ column)
