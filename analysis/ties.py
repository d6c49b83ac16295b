"""How often a metric says what people say, ties included: pairwise accuracy with a calibrated tie threshold."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.arrays import number_by_text, read_numbers, read_weights, same_length
from data.preferences import TIE, preference_signs

FOLDS = 10


class Threshold(NamedTuple):
    """A tie threshold fitted on pairs, and its accuracy on the same pairs."""

    threshold: float | None
    """Differences of at most this are ties; 0 or more, in the metric's unit."""
    accuracy: float | None
    """The share of these pairs on which the metric then says what people say, in [0, 1]."""


class TieAccuracy(NamedTuple):
    """Pairwise accuracy with ties (acc_eq), each document judged by a threshold that was fitted on others."""

    accuracy: float | None
    """The share of pairs on which metric and people prefer the same summary or both see a tie, in [0, 1]."""
    threshold: float | None
    """The threshold fitted on all pairs: the one to use on new data."""
    n: int
    """Pairs on which both have a say, human ties included."""
    folds: int
    """Into how many parts the documents were split; each was judged by the threshold of the others."""
    seed: int
    """The seed of the split."""
    reason: str | None = None
    """Why it is undefined, or None."""


def fit_threshold(human: ArrayLike, difference: ArrayLike, weights: ArrayLike | None = None) -> Threshold:
    """Find the tie threshold with the highest accuracy, the smallest of those that are equally good.

    `human` and `difference`, shape (n,), are those of `agreement`; human ties count. Pairs where either is NaN are
    left out. After Deutsch, Foster and Freitag (2023), "Ties Matter", section 5, where the threshold is one of the
    metric's own differences, or 0.
    """
    columns = _Sorted(human, difference, weights)
    return columns.fit(np.ones(len(columns.size), dtype=bool))


def tie_accuracy(
    human: ArrayLike,
    difference: ArrayLike,
    documents: Iterable[Hashable],
    *,
    weights: ArrayLike | None = None,
    folds: int = FOLDS,
    seed: int = 0,
) -> TieAccuracy:
    """Pairwise accuracy with ties, by thresholds fitted on held-out documents.

    Documents are split at random into `folds` parts, or one a document where there are fewer; the pairs of each part
    are judged by the threshold of all others. Takes what `fit_threshold` takes. Undefined for fewer than two
    documents. Raises `ValueError` for other shapes and fewer than two folds.
    """
    accuracy, _ = tie_outcomes(human, difference, documents, weights=weights, folds=folds, seed=seed)
    return accuracy


def tie_outcomes(
    human: ArrayLike,
    difference: ArrayLike,
    documents: Iterable[Hashable],
    *,
    weights: ArrayLike | None = None,
    folds: int = FOLDS,
    seed: int = 0,
) -> tuple[TieAccuracy, NDArray[np.float64]]:
    """Give `tie_accuracy` and what became of each pair, shape (n,): 1 the same, 0 not, NaN not counted."""
    if folds < 2:
        raise ValueError(f"folds must be at least 2, not {folds}")
    columns = _Sorted(human, difference, weights)
    document, _ = number_by_text(documents)
    same_length(human=columns.human, documents=document)
    said = np.full(len(document), np.nan)
    document = document[columns.order]
    present = np.unique(document)
    if len(present) < 2:
        reason = "fewer than 2 documents have pairs to fit a threshold on and to judge"
        return TieAccuracy(None, None, len(columns.size), 0, seed, reason), said
    folds = min(folds, len(present))
    part_of = np.full(present[-1] + 1, -1)
    part_of[np.random.default_rng(seed).permutation(present)] = np.arange(len(present)) % folds
    part = part_of[document]
    right = np.zeros(len(columns.size))
    for fold in range(folds):
        held_out = part == fold
        threshold = columns.fit(~held_out).threshold or 0.0
        right[held_out] = columns.right(threshold)[held_out]
    said[columns.order] = right
    accuracy = float(right @ columns.weight / columns.weight.sum())
    threshold_of_all = columns.fit(np.ones(len(right), dtype=bool)).threshold
    return TieAccuracy(accuracy, threshold_of_all, len(right), folds, seed), said


class _Sorted:
    """The counted pairs by the size of the metric's difference, so that every threshold is a cut."""

    def __init__(self, human: ArrayLike, difference: ArrayLike, weights: ArrayLike | None) -> None:
        self.human, metric = read_numbers(human, "human"), read_numbers(difference, "difference")
        same_length(human=self.human, difference=metric)
        weight = read_weights(weights, len(metric))
        counted = np.flatnonzero(~np.isnan(self.human) & ~np.isnan(metric))
        self.order = counted[np.argsort(np.abs(metric[counted]), kind="stable")]
        self.size = np.abs(metric[self.order])
        preferred = preference_signs(self.human[self.order])
        self.tie_right = preferred == 0
        self.sign_right = ~self.tie_right & (np.sign(metric[self.order]) == preferred)
        self.weight = weight[self.order]
        # a threshold is a cut after the last of the pairs that are equally far apart; the first is the threshold 0
        ends = np.flatnonzero(np.diff(self.size, append=np.inf) > TIE) + 1
        zero = int(np.searchsorted(self.size, TIE, side="right"))
        self.cuts = np.concatenate([[zero], ends[ends > zero]])

    def right(self, threshold: float) -> NDArray[np.bool_]:
        """Whether metric and people say the same about each pair, under a threshold."""
        tied: NDArray[np.bool_] = self.size <= threshold + TIE
        right: NDArray[np.bool_] = np.where(tied, self.tie_right, self.sign_right)
        return right

    def fit(self, among: NDArray[np.bool_]) -> Threshold:
        """The best threshold for some of the pairs."""
        if not among.any():
            return Threshold(None, None)
        weight = self.weight * among  # pairs that weigh nothing only add thresholds that change nothing
        gained = np.concatenate([[0.0], np.cumsum(weight * self.tie_right)])
        lost = np.concatenate([[0.0], np.cumsum(weight * self.sign_right)])
        found = gained[self.cuts] + lost[-1] - lost[self.cuts]
        whole = weight.sum()
        best = int(np.argmax(found >= found.max() - TIE * whole))
        threshold = float(self.size[self.cuts[best] - 1]) if best > 0 else 0.0
        return Threshold(threshold, float(found[best] / whole))
