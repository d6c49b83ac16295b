"""Counts of pairs on which a metric and people prefer the same summary."""

from collections.abc import Hashable, Iterable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from relevance.analysis.arrays import read_numbers, read_weights, same_length
from relevance.data.preferences import pair_within_documents
from relevance.data.ties import preference_signs

Rule = Literal["half", "strict", "decided"]
"""The rules of `Agreement` for a pair that people decide and the metric does not."""

TIED: dict[Rule, float] = {"half": 0.5, "strict": 0.0, "decided": np.nan}
"""The credit of a metric's tie; NaN is not counted."""


class Agreement(NamedTuple):
    """Counts of pairs, and their ratios: in [0, 1], or None if the divisor is 0.

    Never show a ratio without the name of its rule: with many metric ties, the rule decides the winner.
    """

    pairs: int
    """The pairs that ratios rest on: concordant + discordant + tied."""
    human_ties: int
    """Pairs in which people prefer neither, left out whether or not the metric has a value."""
    concordant: int
    """Pairs in which the metric prefers what people prefer."""
    discordant: int
    """Pairs in which the metric prefers the other one."""
    tied: int
    """Pairs that people decide and the metric does not."""
    missing: int
    """Pairs that people decide and the metric does not score."""
    weighed: tuple[float, float, float] | None = None
    """The sums of weights of the concordant, discordant and tied pairs, on which the ratios rest; None if each pair
    counts once."""

    @property
    def masses(self) -> tuple[float, float, float]:
        """C, D and T, counted or weighted, on which the ratios rest."""
        return self.weighed or (self.concordant, self.discordant, self.tied)

    @property
    def strict(self) -> float | None:
        """C/n: a metric tie is a miss, as in the ROUGE-K paper."""
        c, d, t = self.masses
        return ratio(c, c + d + t)

    @property
    def half(self) -> float | None:
        """(C + T/2)/n: a metric tie is a coin flip."""
        c, d, t = self.masses
        return ratio(c + t / 2, c + d + t)

    @property
    def decided(self) -> float | None:
        """C/(C + D): metric ties are left out."""
        c, d, _ = self.masses
        return ratio(c, c + d)

    @property
    def coverage(self) -> float | None:
        """(C + D)/n: the share of pairs that the metric decides."""
        c, d, t = self.masses
        return ratio(c + d, c + d + t)


class Outcomes(NamedTuple):
    """The outcome of each pair: boolean masks of shape (n,), at most one of them true for a pair."""

    human_ties: NDArray[np.bool_]
    concordant: NDArray[np.bool_]
    discordant: NDArray[np.bool_]
    tied: NDArray[np.bool_]
    missing: NDArray[np.bool_]


def count_agreement(human: ArrayLike, difference: ArrayLike, weights: ArrayLike | None = None) -> Agreement:
    """Count how often the sign of a metric's difference is the sign of the human preference.

    `human`, shape (n,), is a signed choice or a difference of ratings, first minus second; NaN if nobody judged the
    pair, which is then not counted. `difference`, shape (n,), is metric(first) minus metric(second); NaN if the metric
    is missing for either. On both sides, values within 1e-9 of 0 are ties. `weights`, shape (n,), are those of the
    pairs, such as one over the probability of being drawn: the ratios are then those of all pairs that could have been
    drawn (Hajek's estimate).
    Raises `ValueError` for other shapes, infinite numbers, and weights that are not positive.
    """
    masks = outcomes(human, difference)
    human_ties, concordant, discordant, tied, missing = (int(mask.sum()) for mask in masks)
    weighed = None
    if weights is not None:
        weight = read_weights(weights, len(masks.tied))
        c, d, t = (float(weight[mask].sum()) for mask in (masks.concordant, masks.discordant, masks.tied))
        weighed = (c, d, t)
    return Agreement(
        concordant + discordant + tied,
        human_ties,
        concordant,
        discordant,
        tied=tied,
        missing=missing,
        weighed=weighed,
    )


def credit_pairs(human: ArrayLike, difference: ArrayLike, rule: Rule = "half") -> NDArray[np.float64]:
    """Compute a metric's credit on each pair, shape (n,): 1 for agreeing with people, 0 for disagreeing, .5 for a tie.

    By the rule `strict` a tie earns 0, by `decided` it is not counted. Pairs that are not counted are NaN, including
    those on which people prefer neither or the metric is missing. Takes what `count_agreement` takes; the mean credit
    is the ratio of the rule. Raises `ValueError` as `count_agreement` does, and for an unknown rule.
    """
    if rule not in TIED:
        raise ValueError(f"rule must be one of {', '.join(TIED)}, not {rule}")
    masks = outcomes(human, difference)
    return np.select([masks.concordant, masks.tied, masks.discordant], [1.0, TIED[rule], 0.0], default=np.nan)


def outcomes(human: ArrayLike, difference: ArrayLike) -> Outcomes:
    """Sort the pairs by outcome; takes what `count_agreement` takes."""
    preferred, scored = (
        preference_signs(read_numbers(values, name)) for values, name in ((human, "human"), (difference, "difference"))
    )
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
    """Return all pairs of cells of one document, as two index arrays (i, j) of one length.

    `documents` holds the document of each cell, in any order. Each pair occurs once, with i < j; pairs are sorted by i,
    then j.
    """
    pairs = sorted(pair_within_documents(enumerate(documents)))
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return first, second


def ratio(part: float, whole: float) -> float | None:
    """Divide; None if the whole is 0."""
    return part / whole if whole else None
