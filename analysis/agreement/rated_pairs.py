"""Metrics against ratings, on all pairs of summaries of documents with very many summaries.

Two thousand systems make two million pairs for each document, whose columns would not fit into memory. So only counts
by document are kept and, one metric at a time, the distances of its scores. The figures are those of `evaluate_metrics`
and `compare_metrics`.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.analysis.agreement.counts import TIED, Agreement, Rule
from relevance.analysis.agreement.evaluation import BINS, Bin, MetricEvaluation
from relevance.analysis.agreement.pairs import pairs_of
from relevance.analysis.agreement.tie_accuracy import SortedPairs, TieAccuracy, tie_counts
from relevance.analysis.arrays import LEVEL, Floats, Integers
from relevance.analysis.ratio_intervals import Intervals, interval_of_counts, name_sampled_units
from relevance.analysis.significance import CreditSums, PairedComparison, compare_sums, correct_family
from relevance.data.ties import preference_signs

Codes = NDArray[np.int8]
"""The outcome of each pair, shape (pairs,)."""

HUMAN_TIE, CONCORDANT, DISCORDANT, METRIC_TIE, MISSING, UNSEEN = range(6)
"""The outcomes of a pair; `UNSEEN` is a pair that people do not decide and the metric does not score."""


class Comparing(NamedTuple):
    """The pairs of a document by one metric."""

    outcomes: Codes
    """The outcomes in the order of the pairs."""
    by_size: SortedPairs
    """The pairs for which the metric has a value."""
    decided: Floats
    """The distances of the scores on pairs that both decide, the closest first."""
    agreed: NDArray[np.bool_]
    """Whether people prefer the same summary, for each of these pairs."""


def compare_pairs(cells: Integers, ratings: Floats, scores: Floats) -> Comparing:
    """Compare ratings and scores of all pairs of a document."""
    parts = []
    for first, second in pairs_of(cells):
        preferred = preference_signs(ratings[first] - ratings[second])
        difference = scores[first] - scores[second]
        scored = preference_signs(difference)
        code = np.full(len(first), METRIC_TIE, dtype=np.int8)
        code[scored == preferred] = CONCORDANT
        code[scored == -preferred] = DISCORDANT
        code[scored == 0] = METRIC_TIE
        code[preferred == 0] = HUMAN_TIE
        missing = np.isnan(difference)
        code[missing] = np.where(preferred[missing] == 0, UNSEEN, MISSING)
        parts.append((code, np.abs(difference)))
    outcomes, size = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    there = outcomes < MISSING
    code, size = outcomes[there], size[there]
    order = np.argsort(size)
    code, size = code[order], size[order]
    gain = (code == HUMAN_TIE).view(np.int8) - (code == CONCORDANT).view(np.int8)
    decided = (code == CONCORDANT) | (code == DISCORDANT)
    return Comparing(outcomes, SortedPairs(size, gain), size[decided], code[decided] == CONCORDANT)


def evaluate_rated_pairs(
    documents: Sequence[Integers], ratings: Floats, scores: Floats, *, level: float = LEVEL, seed: int = 0
) -> tuple[MetricEvaluation, list[Codes]]:
    """Evaluate one metric against ratings on all pairs of each document; also return the pairs' outcomes by document.

    `ratings` and `scores`, shape (cells,), are those of the cells, `documents` the positions of each document's cells.
    """
    with ThreadPoolExecutor(2) as threads:
        compared = list(threads.map(partial(compare_pairs, ratings=ratings, scores=scores), documents))
    outcomes = [document.outcomes for document in compared]
    counts = np.array([np.bincount(codes, minlength=UNSEEN + 1) for codes in outcomes]).reshape(-1, UNSEEN + 1).T
    ties, right = tie_counts([document.by_size for document in compared], seed)
    return evaluate_counts(counts, ties, right, tuple(make_bins(compared, level)), level), outcomes


def evaluate_counts(
    counts: Integers, ties: TieAccuracy, right: Integers, bins: tuple[Bin, ...], level: float
) -> MetricEvaluation:
    """Make the evaluation from counts of outcomes, shape (outcomes, documents)."""
    c, d, t = counts[CONCORDANT], counts[DISCORDANT], counts[METRIC_TIE]
    with_value = counts[[HUMAN_TIE, CONCORDANT, DISCORDANT, METRIC_TIE]].sum(axis=0)
    return MetricEvaluation(
        Agreement(
            int((c + d + t).sum()),
            int(counts[[HUMAN_TIE, UNSEEN]].sum()),
            int(c.sum()),
            int(d.sum()),
            tied=int(t.sum()),
            missing=int(counts[MISSING].sum()),
        ),
        int(np.count_nonzero(c + d + t)),
        Intervals(
            interval_of_counts(c, c + d + t, level),
            interval_of_counts(c + t / 2, c + d + t, level),
            interval_of_counts(c, c + d, level),
            interval_of_counts(c + d, c + d + t, level),
        ),
        ties,
        interval_of_counts(right, with_value if ties.accuracy is not None else 0 * right, level),
        bins,
        name_sampled_units(None),
    )


def make_bins(compared: Sequence[Comparing], level: float) -> Iterator[Bin]:
    """Yield the agreement by the distance of the scores, in the parts of `by_difference`."""
    size = np.concatenate([np.empty(0), *(document.decided for document in compared)])
    if not len(size):
        return
    np.round(size, 9, out=size)  # without ROUGE's noise
    edges = np.quantile(size, np.arange(1, BINS) / BINS, overwrite_input=True)
    ends = [
        [0, *np.searchsorted(np.round(document.decided, 9), edges, side="right").tolist(), len(document.decided)]
        for document in compared
    ]
    for place in range(BINS):
        parts = [slice(*of[place : place + 2]) for of in ends]
        sizes = [document.decided[part] for document, part in zip(compared, parts, strict=True)]
        n = np.array(list(map(len, sizes)))
        if not n.any():
            continue
        agreed = np.array(
            [np.count_nonzero(document.agreed[part]) for document, part in zip(compared, parts, strict=True)]
        )
        yield Bin(
            float(min(some[0] for some in sizes if len(some))),
            float(max(some[-1] for some in sizes if len(some))),
            int(n.sum()),
            int(agreed.sum()) / int(n.sum()),
            interval_of_counts(agreed, n, level),
        )


def earned_doubled(rule: Rule) -> Codes:
    """Return twice a metric's credit by the outcome of a pair, so that halves are whole; -1 is not counted."""
    tie = -1 if np.isnan(TIED[rule]) else round(2 * TIED[rule])
    return np.array([-1, 2, 0, tie, -1, -1], dtype=np.int8)


def compare_rated_pairs(outcomes: Mapping[str, Sequence[Codes]], rule: Rule, seed: int) -> list[PairedComparison]:
    """Compare every two metrics by the outcomes of all pairs, given by metric and document."""
    earned = earned_doubled(rule)
    comparisons = []
    for first, second in combinations(outcomes, 2):
        pairs, sums, differ = [], [], False
        for of_first, of_second in zip(outcomes[first], outcomes[second], strict=True):
            x, y = earned[of_first], earned[of_second]
            both = (x >= 0) & (y >= 0)
            difference = (x - y)[both]
            pairs.append(len(difference))
            sums.append(int(difference.sum()) / 2)
            differ = differ or bool(difference.any())
        whole = all(total.is_integer() for total in sums)  # matters only if no document has two pairs
        counts = np.array(pairs, dtype=np.intp)
        of_documents = CreditSums(counts, counts.astype(np.float64), np.array(sums, dtype=np.float64), differ, whole)
        comparisons.append(compare_sums(first, second, of_documents))
    return correct_family(comparisons, None, seed)
