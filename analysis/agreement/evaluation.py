"""Evaluations of metrics against human preferences."""

from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from relevance.analysis.agreement.counts import Agreement, count_agreement, outcomes
from relevance.analysis.agreement.tie_accuracy import TieAccuracy, tie_outcomes
from relevance.analysis.arrays import LEVEL, number_by_text, read_numbers, read_weights
from relevance.analysis.ratio_intervals import (
    Interval,
    Intervals,
    Ratio,
    agreement_ratios,
    name_sampled_units,
    ratio_intervals,
)
from relevance.analysis.significance import fewest_documents

BINS = 5

ENOUGH_JUDGMENTS = 20
"""The fewest judgments (or pairs) that a finding about a metric rests on: with 20, a ratio is unsure by about .22."""

ENOUGH_DOCUMENTS = fewest_documents()
"""The fewest documents, likewise: of fewer, no difference between two metrics can be significant."""


class Bin(NamedTuple):
    """Pairs with similar differences between a metric's two scores."""

    low: float
    """The smallest absolute difference among them."""
    high: float
    n: int
    """The number of pairs that both people and the metric decide."""
    decided: float
    """The share of them on which the metric prefers what people prefer."""
    interval: Interval


class MetricEvaluation(NamedTuple):
    """The evaluation of one metric against human preferences."""

    agreement: Agreement
    documents: int
    """Documents with a pair on which people and the metric have a say."""
    intervals: Intervals
    ties: TieAccuracy
    """Pairwise accuracy with ties, by a threshold fitted on held-out documents."""
    ties_interval: Interval
    """The interval of that accuracy, given the fitted thresholds."""
    bins: tuple[Bin, ...]
    """The agreement by the distance of the metric's scores, the closest first; empty if no pair is decided."""
    over: str
    """The units that the intervals treat as a sample, in words."""

    @property
    def is_enough(self) -> bool:
        """Whether there are enough judgments and documents for a finding about the metric."""
        return self.agreement.pairs >= ENOUGH_JUDGMENTS and self.documents >= ENOUGH_DOCUMENTS


def evaluate_metrics(
    human: ArrayLike,
    differences: Mapping[str, ArrayLike],
    documents: Iterable[Hashable],
    *,
    annotators: Iterable[Hashable] | None = None,
    weights: ArrayLike | None = None,
    level: float = LEVEL,
    seed: int = 0,
) -> dict[str, MetricEvaluation]:
    """Compare the score differences of several metrics with the same human preferences.

    `human`, each of `differences` and `weights`, shape (n,), are those of `count_agreement`; `documents` and, if people
    judged, `annotators` hold those of each pair. Raises `ValueError` for other shapes, infinite numbers, weights that
    are not positive and a level outside (0, 1). `seed` is that of `tie_outcomes`.
    """
    documents = list(documents)
    human = read_numbers(human, "human")
    annotators = None if annotators is None else list(annotators)
    document, size = number_by_text(documents)
    weight = read_weights(weights, len(human))
    ratios: list[Ratio] = []
    evaluations = {}
    for name, values in differences.items():
        difference = read_numbers(values, "difference")
        ties, credit = tie_outcomes(human, difference, documents, weights=weights, seed=seed)
        places = by_difference(human, difference)
        decided = agreement_ratios(human, difference, weight)
        own = [
            *decided,
            Ratio(weight * (credit == 1), weight * ~np.isnan(credit)),
            *(
                Ratio(decided[2].part * (places == place), decided[2].whole * (places == place))
                for place in range(BINS)
            ),
        ]
        counts = count_agreement(human, difference, weights)
        counted = int(np.count_nonzero(np.bincount(document, weights=decided[0].whole, minlength=size)))
        evaluations[name] = (counts, counted, ties, np.abs(difference), places, len(ratios), own)
        ratios += own
    intervals = ratio_intervals(ratios, documents, annotators, level=level)
    over = name_sampled_units(annotators)
    return {
        name: MetricEvaluation(
            counts,
            counted,
            Intervals(*intervals[start : start + 4]),
            ties,
            intervals[start + 4],
            tuple(
                Bin(
                    float(distance[places == place].min()),
                    float(distance[places == place].max()),
                    int((places == place).sum()),
                    float(own[5 + place].part.sum() / own[5 + place].whole.sum()),
                    intervals[start + 5 + place],
                )
                for place in range(BINS)
                if (places == place).any()
            ),
            over,
        )
        for name, (counts, counted, ties, distance, places, start, own) in evaluations.items()
    }


def by_difference(human: ArrayLike, difference: ArrayLike) -> NDArray[np.intp]:
    """Sort the decided pairs into up to five equal parts by the absolute difference of the metric's scores.

    Returns the number of each pair's part, shape (n,): 0 for the closest scores, -1 for pairs that people or the metric
    do not decide. Pairs of equal distance stay together.
    """
    masks = outcomes(human, difference)
    places = np.full(len(masks.tied), -1, dtype=np.intp)
    decided = np.flatnonzero(masks.concordant | masks.discordant)
    if len(decided):
        size = np.round(np.abs(np.asarray(difference, dtype=np.float64)[decided]), 9)  # without ROUGE's noise
        edges = np.quantile(size, np.arange(1, BINS) / BINS)
        places[decided] = np.searchsorted(edges, size, side="left")
    return places
