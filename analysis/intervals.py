"""The interval of a share whose outcomes come in clusters, such as pairs in documents, near 0 and 1 as elsewhere."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

FEWEST_DOCUMENTS = 10
"""With fewer documents no interval covers as often as it says: 95 % intervals of 5 documents contain the truth in 84 of
100 studies, those of 10 or more in 92 to 97."""

ALIKE = 0.3
"""The intraclass correlation of outcomes that say nothing of it. On SummEval that of ROUGE-1's agreement is .06."""


def share_interval(
    share: float, variance: float, outcomes: float, clusters: float, level: float
) -> tuple[float, float]:
    """Clopper and Pearson's interval, in [0, 1], for an effective number of outcomes (Korn and Graubard 1998).

    The effective number is how many independent outcomes would leave the share as unsure as it is: share(1 - share)
    over its `variance`. Where nearly all `outcomes` are the same, they hardly tell how much those of a cluster are
    alike, so that one outcome is added to both, of clusters that are `ALIKE`: where all are the same, the interval
    rests on that alone, and elsewhere it hardly matters. `outcomes` and `clusters` are above 0 and need not be whole
    (`kish`).
    Source: Survey Methodology 24, Confidence intervals for proportions with small expected number of positive counts.
    """
    added = ((1 - ALIKE) / outcomes + ALIKE / clusters) / outcomes
    n = (share * (1 - share) + 1 / outcomes) / (variance + added)
    tail, hits = (1 - level) / 2, share * n
    low = float(special.betaincinv(hits, n - hits + 1, tail)) if hits > 0 else 0.0
    high = float(special.betainccinv(hits + 1, n - hits, tail)) if n > hits else 1.0
    return min(low, share), max(high, share)


def clustered_variance(rest: ArrayLike, whole: ArrayLike) -> NDArray[np.float64]:
    """The variance of a share or mean, from sums by cluster: shape (clusters,), or (clusters, columns) for several.

    `whole` is what the outcomes of a cluster weigh, `rest` what they have more than the share of it. Clusters that
    weigh nothing are none; a single one has no variance: 0.
    """
    clusters = np.count_nonzero(whole, axis=0)
    spread = np.sum(np.square(rest), axis=0) / np.sum(whole, axis=0) ** 2
    return np.where(clusters > 1, spread * clusters / np.maximum(1, clusters - 1), 0.0)


def kish(weights: ArrayLike) -> float:
    """How many equal weights are as uneven as these: (sum of w)^2 / sum of w^2 (Kish 1965, Survey Sampling)."""
    column = np.asarray(weights, dtype=np.float64)
    return float(column.sum()) ** 2 / float(column @ column)
