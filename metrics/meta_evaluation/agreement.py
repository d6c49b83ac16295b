"""How often a metric prefers what people prefer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.base import TIE
from metrics.meta_evaluation.arrays import numbers, same_length


class Agreement(NamedTuple):
    """Counts of pairs, and the ratios made of them: in [0, 1], or None where nothing can be divided by.

    No ratio is to be shown without the name of its rule: with many metric ties, the rule decides the winner.
    """

    pairs: int
    """Pairs that a ratio rests on: concordant + discordant + tied."""
    human_ties: int
    """Pairs in which people prefer neither, left out whether or not the metric has a value."""
    concordant: int
    """Pairs in which the metric prefers what people prefer."""
    discordant: int
    """Pairs in which the metric prefers the other one."""
    tied: int
    """Pairs that people decide and the metric does not."""
    missing: int
    """Pairs that people decide and for which the metric has no value."""

    @property
    def strict(self) -> float | None:
        """C/n: a metric tie is a miss, as in the ROUGE-K paper."""
        return _ratio(self.concordant, self.pairs)

    @property
    def half(self) -> float | None:
        """(C + T/2)/n: a metric tie is a coin flip."""
        return _ratio(self.concordant + self.tied / 2, self.pairs)

    @property
    def decided(self) -> float | None:
        """C/(C + D): metric ties are left out."""
        return _ratio(self.concordant, self.concordant + self.discordant)

    @property
    def coverage(self) -> float | None:
        """(C + D)/n: the share of pairs that the metric decides."""
        return _ratio(self.concordant + self.discordant, self.pairs)


class Outcomes(NamedTuple):
    """What became of each pair: boolean masks of shape (n,), at most one of them true for a pair."""

    human_ties: NDArray[np.bool_]
    concordant: NDArray[np.bool_]
    discordant: NDArray[np.bool_]
    tied: NDArray[np.bool_]
    missing: NDArray[np.bool_]


def agreement(human: ArrayLike, difference: ArrayLike) -> Agreement:
    """Count how often the sign of a metric's difference is the sign of the human preference.

    `human`, shape (n,), is a signed choice or a difference of ratings, first minus second; NaN where nobody
    judged the pair, which is then counted nowhere. `difference`, shape (n,), is metric(first) minus
    metric(second); NaN where the metric is missing for either. On both sides, anything within 1e-9 of 0 is a
    tie. Raises `ValueError` for other shapes and infinite numbers.
    """
    found = outcomes(human, difference)
    human_ties, concordant, discordant, tied, missing = (int(mask.sum()) for mask in found)
    return Agreement(concordant + discordant + tied, human_ties, concordant, discordant, tied=tied, missing=missing)


def outcomes(human: ArrayLike, difference: ArrayLike) -> Outcomes:
    """Sort the pairs by what became of them; takes what `agreement` takes."""
    preferred, scored = _signs(numbers(human, "human")), _signs(numbers(difference, "difference"))
    same_length(human=preferred, difference=scored)
    decided = np.abs(preferred) == 1
    return Outcomes(
        human_ties=preferred == 0,
        concordant=decided & (scored == preferred),
        discordant=decided & (scored == -preferred),
        tied=decided & (scored == 0),
        missing=decided & np.isnan(scored),
    )


def within_document_pairs(documents: Iterable[Hashable]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All pairs of cells of one document, as two index arrays (i, j) of one length.

    `documents` holds the document of each cell, in any order. Every pair has i < j and stands once; pairs are
    sorted by i, then j.
    """
    cells: dict[Hashable, list[int]] = defaultdict(list)
    for cell, document in enumerate(documents):
        cells[document].append(cell)
    pairs = sorted(pair for group in cells.values() for pair in combinations(group, 2))
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return first, second


def _signs(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """-1, 0 for a tie, 1, or NaN."""
    return np.where(np.abs(values) <= TIE, 0.0, np.sign(values))


def _ratio(part: float, whole: int) -> float | None:
    return part / whole if whole else None
