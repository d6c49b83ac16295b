"""Metrics against ratings, on all pairs of summaries of very many documents with few summaries each.

All pairs of all documents are in columns, one metric at a time; of the other metrics, one byte is kept for each pair.
The figures are those of `relevance.analysis.agreement.rated_pairs`, which goes through documents of many summaries one
by one.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from relevance.analysis.agreement.counts import Rule
from relevance.analysis.agreement.evaluation import BINS, Bin, MetricEvaluation
from relevance.analysis.agreement.pairs import PairColumns
from relevance.analysis.agreement.rated_pairs import (
    CONCORDANT,
    DISCORDANT,
    HUMAN_TIE,
    METRIC_TIE,
    MISSING,
    UNSEEN,
    Codes,
    earned_doubled,
    evaluate_counts,
)
from relevance.analysis.agreement.tie_accuracy import tie_counts_of_columns
from relevance.analysis.arrays import LEVEL, Floats, Integers
from relevance.analysis.ratio_intervals import interval_of_counts
from relevance.analysis.significance import Comparison, CreditSums, PairedComparison, compare_sums, correct_family
from relevance.analysis.threads import map_ahead
from relevance.data.ties import TIE

OUTCOMES = np.array(
    [
        [CONCORDANT, METRIC_TIE, DISCORDANT, MISSING],
        [HUMAN_TIE, HUMAN_TIE, HUMAN_TIE, UNSEEN],
        [DISCORDANT, METRIC_TIE, CONCORDANT, MISSING],
    ],
    dtype=np.int8,
)
"""The outcome of a pair, by the `sides` of people (rows: second, neither, first) and of the metric (columns)."""

GAINS = np.array([1, -1, 0, 0, 0, 0], dtype=np.int8)
"""The `gain` of `SortedPairs`, by the outcome of the pair."""


def sides(difference: Floats) -> NDArray[np.int8]:
    """Return the preference of each difference: 0 the second, 1 neither, 2 the first, 3 if it is NaN."""
    codes = (difference > TIE).view(np.int8) - (difference < -TIE).view(np.int8) + np.int8(1)
    codes[np.isnan(difference)] = 3
    return codes


def evaluate_columns(
    pairs: PairColumns, ratings: Floats, scores: Floats, *, level: float = LEVEL, seed: int = 0
) -> tuple[MetricEvaluation, Codes]:
    """Evaluate a metric as `evaluate_rated_pairs` does; also return the outcome of each pair, shape (pairs,)."""
    preferred = sides(ratings[pairs.first] - ratings[pairs.second])
    difference = scores[pairs.first] - scores[pairs.second]
    outcomes = OUTCOMES.ravel()[preferred * np.int8(4) + sides(difference)]
    place = pairs.document * np.int64(UNSEEN + 1) + outcomes
    counts = np.bincount(place, minlength=pairs.documents * (UNSEEN + 1)).reshape(-1, UNSEEN + 1).T
    size = np.abs(difference, out=difference)
    order = np.argsort(size)[: int(counts[:MISSING].sum())]  # NaN is last
    size, outcome, document = size[order], outcomes[order], pairs.document[order]
    ties, right = tie_counts_of_columns(size, GAINS[outcome], document, pairs.documents, seed)
    decided = np.flatnonzero((outcome == CONCORDANT) | (outcome == DISCORDANT))
    bins = make_bins(size[decided], outcome[decided] == CONCORDANT, document[decided], pairs.documents, level)
    return evaluate_counts(counts, ties, right, tuple(bins), level), outcomes


def make_bins(
    size: Floats, agreed: NDArray[np.bool_], document: NDArray[np.int32], documents: int, level: float
) -> Iterator[Bin]:
    """Yield the agreement by the distance of the scores; the columns are of the decided pairs, the closest first."""
    if not len(size):
        return
    rounded = np.round(size, 9)  # without ROUGE's noise
    edges = np.quantile(rounded, np.arange(1, BINS) / BINS)
    ends = [0, *np.searchsorted(rounded, edges, side="right").tolist(), len(size)]
    for part in (slice(start, end) for start, end in pairwise(ends) if end > start):
        n = np.bincount(document[part], minlength=documents)
        right = np.bincount(document[part][agreed[part]], minlength=documents)
        share = int(right.sum()) / int(n.sum())
        yield Bin(
            float(size[part.start]),
            float(size[part.stop - 1]),
            int(n.sum()),
            share,
            interval_of_counts(right, n, level),
        )


def compare_columns(pairs: PairColumns, outcomes: Mapping[str, Codes], rule: Rule, seed: int) -> list[PairedComparison]:
    """Compare metrics as `compare_rated_pairs` does, from the outcome of each pair by metric."""
    earned = {name: earned_doubled(rule)[codes] for name, codes in outcomes.items()}

    def compare(two: tuple[str, str]) -> Comparison:
        x, y = (earned[name] for name in two)
        both = (x >= 0) & (y >= 0)
        difference = (x - y) * both
        counts: Integers = pairs.add_up(both)
        sums = pairs.add_up(difference) / 2
        whole = bool((sums == np.floor(sums)).all())
        of_documents = CreditSums(counts, counts.astype(np.float64), sums, bool(difference.any()), whole)
        return compare_sums(*two, of_documents)

    return correct_family(list(map_ahead(compare, combinations(earned, 2))), None, seed)
