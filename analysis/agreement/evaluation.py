"""Evaluation of metrics against human preferences."""

from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.counts import Agreement, count_agreement, outcomes
from analysis.agreement.tie_accuracy import TieAccuracy, tie_outcomes
from analysis.arrays import LEVEL, read_numbers, read_weights
from analysis.ratio_intervals import Interval, Intervals, Ratio, agreement_ratios, name_sampled_units, ratio_intervals

BINS = 5


class Bin(NamedTuple):
    """The pairs on which a metric's two scores are about equally far apart."""

    low: float
    """The smallest difference among them, without its sign."""
    high: float
    n: int
    """How many pairs that both people and the metric decide."""
    decided: float
    """The share of them on which the metric prefers what people prefer."""
    interval: Interval


class MetricEvaluation(NamedTuple):
    """One metric against human preferences."""

    agreement: Agreement
    intervals: Intervals
    ties: TieAccuracy
    """Pairwise accuracy with ties, by a threshold fitted on held-out documents."""
    ties_interval: Interval
    """Of that accuracy, the thresholds as they were fitted."""
    bins: tuple[Bin, ...]
    """The agreement by how far apart the metric's scores are, the closest first; empty where nothing is decided."""
    over: str
    """What the intervals take for a sample, in words."""


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
    """Hold the score differences of several metrics against the same human preferences.

    `human` and each of `differences`, shape (n,), are those of `count_agreement`; `documents` and, where people judged,
    `annotators` hold those of each pair; `weights` what each stands for. Raises `ValueError` for other shapes, infinite
    numbers, weights that are not positive and a level outside (0, 1). `seed` is that of `tie_outcomes`.
    """
    documents = list(documents)
    human = read_numbers(human, "human")
    annotators = None if annotators is None else list(annotators)
    weight = read_weights(weights, len(human))
    ratios: list[Ratio] = []
    found = {}
    for name, values in differences.items():
        difference = read_numbers(values, "difference")
        ties, said = tie_outcomes(human, difference, documents, weights=weights, seed=seed)
        places = by_difference(human, difference)
        decided = agreement_ratios(human, difference, weight)
        own = [
            *decided,
            Ratio(weight * (said == 1), weight * ~np.isnan(said)),
            *(
                Ratio(decided[2].part * (places == place), decided[2].whole * (places == place))
                for place in range(BINS)
            ),
        ]
        found[name] = (count_agreement(human, difference, weights), ties, np.abs(difference), places, len(ratios), own)
        ratios += own
    intervals = ratio_intervals(ratios, documents, annotators, level=level)
    over = name_sampled_units(annotators)
    return {
        name: MetricEvaluation(
            counts,
            Intervals(*intervals[start : start + 4]),
            ties,
            intervals[start + 4],
            tuple(
                Bin(
                    float(size[places == place].min()),
                    float(size[places == place].max()),
                    int((places == place).sum()),
                    float(own[5 + place].part.sum() / own[5 + place].whole.sum()),
                    intervals[start + 5 + place],
                )
                for place in range(BINS)
                if (places == place).any()
            ),
            over,
        )
        for name, (counts, ties, size, places, start, own) in found.items()
    }


def by_difference(human: ArrayLike, difference: ArrayLike) -> NDArray[np.intp]:
    """Sort the decided pairs into up to five equal parts by the size of the metric's difference.

    Shape (n,): the number of the part, 0 for the closest scores; -1 for pairs that people or the metric do not decide.
    Pairs that are equally far apart stay together.
    """
    found = outcomes(human, difference)
    places = np.full(len(found.tied), -1, dtype=np.intp)
    decided = np.flatnonzero(found.concordant | found.discordant)
    if len(decided):
        size = np.round(np.abs(np.asarray(difference, dtype=np.float64)[decided]), 9)  # without ROUGE's noise
        edges = np.quantile(size, np.arange(1, BINS) / BINS)
        places[decided] = np.searchsorted(edges, size, side="left")
    return places
