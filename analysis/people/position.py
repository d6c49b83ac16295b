"""The side on which people choose: whether the left summary is chosen more or less often than half of the time."""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from relevance.analysis.arrays import number_by_text, read_numbers, same_length, sort_labels
from relevance.analysis.significance import holm


class SideShare(NamedTuple):
    """The share of choices of the summary on the left."""

    annotator: Hashable | None
    """The annotator; None for all together."""
    left: int
    """Choices of the left summary."""
    n: int
    """Choices of either; ties are left out."""
    share: float | None
    """left / n, in [0, 1]."""
    low: float | None
    """Lower end of the 95 % Wilson interval of the share."""
    high: float | None
    p: float | None
    """Two-sided p of the exact binomial test against 1/2."""
    p_holm: float | None
    """The p value adjusted for the number of annotators; None in the row for all together, which stands alone."""
    reason: str | None = None
    """The reason why nothing could be computed, or None."""


def position_check(left: ArrayLike, annotators: Iterable[Hashable]) -> list[SideShare]:
    """Test whether people choose the left summary more or less often than half of the time.

    `left`, shape (n,), is 1 if the left summary was chosen, 0 for the right one and NaN for a tie; `annotators` holds
    the annotator of each choice. The first row is for all together, with annotator None and no p_holm; the rows of the
    annotators follow, sorted by their labels' text.
    Raises `ValueError` for other shapes, other numbers and an annotator None.
    """
    choices, annotators = read_numbers(left, "left"), list(annotators)
    same_length(left=choices, annotators=annotators)
    if not np.isin(choices[~np.isnan(choices)], (0, 1)).all():
        raise ValueError("left must be 1, 0 or NaN")
    if None in annotators:
        raise ValueError("an annotator must not be None: that names all together")
    number, _ = number_by_text(annotators)
    labels = sort_labels(annotators)
    rows = [side_share(label, choices[number == index]) for index, label in enumerate(labels)]
    adjusted = holm([row.p for row in rows])
    return [
        side_share(None, choices),
        *(row._replace(p_holm=p) for row, p in zip(rows, adjusted, strict=True)),
    ]


def side_share(annotator: Hashable | None, choices: NDArray[np.float64]) -> SideShare:
    """Count an annotator's choices of the left side, with Wilson's interval and the binomial test against one half."""
    n, left = int(np.count_nonzero(~np.isnan(choices))), int(np.count_nonzero(choices == 1))
    if n == 0:
        return SideShare(annotator, 0, 0, None, None, None, None, None, "no choice is decided")
    test = stats.binomtest(left, n)
    interval = test.proportion_ci(confidence_level=0.95, method="wilson")
    return SideShare(annotator, left, n, left / n, float(interval.low), float(interval.high), float(test.pvalue), None)
