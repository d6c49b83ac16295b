"""Whether a difference is more than chance: metric against metric, left against right, paired values."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from metrics.base import TIE
from metrics.meta_evaluation.arrays import numbered, numbers, same_length

SIGN_FLIP = "sign-flip over documents"
MCNEMAR = "exact McNemar"

SIGNS_AT_ONCE = 2**21
"""How many signs are held at once: 16 MiB as floats, however many documents and flips there are."""


class PairedComparison(NamedTuple):
    """One metric against another on the pairs of summaries for which both have a credit."""

    first: str
    """The metric that comes first in the credits."""
    second: str
    """The other one."""
    difference: float | None
    """Weighted mean credit of the first minus that of the second, in [-1, 1]; None without a pair."""
    n: int
    """Pairs for which both have a credit."""
    documents: int
    """Documents of those pairs."""
    test: str | None
    """Where p comes from, "sign-flip over documents" or "exact McNemar"; None where it is undefined."""
    p: float | None
    """Two-sided p of no difference."""
    p_holm: float | None
    """The same, adjusted for all comparisons of the call."""
    wilcoxon_p: float | None
    """Two-sided p of the signed-rank test over the documents' mean credits, not adjusted."""
    wilcoxon_reason: str | None
    """Why the signed-rank test is undefined, or None."""
    seed: int | None
    """The seed of the flips; None where none were drawn."""
    flips: int | None
    """How many flips were drawn; None where none were."""
    reason: str | None = None
    """Why p is undefined, or None."""


class SideShare(NamedTuple):
    """How often the summary on the left was chosen."""

    annotator: Hashable | None
    """Who chose; None for all together."""
    left: int
    """Choices of the left summary."""
    n: int
    """Choices of either; ties are left out."""
    share: float | None
    """left / n, in [0, 1]."""
    low: float | None
    """Lower end of the 95 % Wilson interval of the share."""
    high: float | None
    """Its upper end."""
    p: float | None
    """Two-sided p of the exact binomial test against 1/2."""
    p_holm: float | None
    """The same, adjusted for the number of annotators; None in the row of all together, which stands alone."""
    reason: str | None = None
    """Why nothing could be computed, or None."""


class SignedRank(NamedTuple):
    """Wilcoxon's signed-rank test of paired values."""

    statistic: float | None
    """The smaller of the two sums of ranks."""
    p: float | None
    """Two-sided p of differences symmetric about 0."""
    n: int
    """Pairs that differ: what the test rests on."""
    median: float | None
    """Median of all differences, first minus second, those of 0 too; None without a pair."""
    reason: str | None = None
    """Why statistic and p are undefined, or None."""


class _Sums(NamedTuple):
    """A comparison whose p may still be to be drawn."""

    comparison: PairedComparison
    documents: NDArray[np.float64]
    """The summed credit differences of each document, shape (documents,)."""


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjust p values for their number, so that the chance of any false one among them keeps the level.

    None stays None and does not count. Raises `ValueError` for anything else outside [0, 1].
    Source: Holm 1979, A simple sequentially rejective multiple test procedure.
    """
    for p in p_values:
        if p is not None and not 0 <= p <= 1:
            raise ValueError(f"a p value must lie in [0, 1], not {p}")
    ascending = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, index) in enumerate(ascending):
        largest = max(largest, min(1.0, (len(ascending) - rank) * p))
        adjusted[index] = largest
    return adjusted


def draws_for(comparisons: int, alpha: float = 0.05) -> int:
    """How many random draws a family of `comparisons` needs, so that Holm's smallest p can be told from its threshold.

    Of m draws, p is at least 1/(m + 1), and Holm asks alpha / comparisons of the smallest one: at that threshold, p
    rests on 20 draws as far off as what was observed, so that its standard error is less than a quarter of it.
    """
    return math.ceil(20 * comparisons / alpha)


def exact_mcnemar(first_only: int, second_only: int) -> float:
    """Two-sided p of as many successes of the one alone as of the other alone: the binomial test against 1/2.

    1 where there are none of either. Raises `ValueError` for negative counts.
    Source: McNemar 1947, Note on the sampling error of the difference between correlated proportions.
    """
    if first_only < 0 or second_only < 0:
        raise ValueError(f"counts must not be negative: {first_only}, {second_only}")
    if first_only + second_only == 0:
        return 1.0
    return float(stats.binomtest(first_only, first_only + second_only).pvalue)


def earned(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Read a metric's credits, shape (n,): 1 agrees, 0 disagrees, .5 ties, NaN where there is none to count.

    Raises `ValueError` for other shapes and for numbers outside [0, 1].
    """
    column = numbers(values, name)
    if ((column < 0) | (column > 1)).any():
        raise ValueError(f"{name} must lie in [0, 1]")
    return column


def compare_metrics(
    credits: Mapping[str, ArrayLike],
    documents: Iterable[Hashable],
    *,
    weights: ArrayLike | None = None,
    flips: int = 10_000,
    seed: int = 0,
) -> list[PairedComparison]:
    """Compare the credits of every two metrics, in the order of `credits`.

    `credits` holds, of shape (n,), what each metric earned on each pair of summaries that people decided: 1
    agrees, 0 disagrees, .5 ties, NaN missing. `documents` holds the document of each pair, `weights` what it
    weighs, 1 by default; a pair of weight 0 is not counted. Two metrics are compared on the pairs for which
    both have a credit.

    Pairs of one document are not independent, so the test flips the sign of whole documents: with b of m
    flips whose summed difference is at least as far from 0 as the observed one, p = (b + 1)/(m + 1). Where
    every document gives exactly one pair and all weigh the same, it is the exact McNemar test instead, on the
    pairs where the first earns more against those where the second does. The flips depend on the seed and the
    set of documents alone, so that all comparisons share them. With k documents p hardly falls below
    2/2^k, whatever the difference: six are needed for .05. p is 1 where no pair differs, and undefined for
    fewer than 2 pairs or documents.
    Raises `ValueError` for other shapes, credits outside [0, 1], negative or missing weights and less than
    one flip.
    Source: Edgington and Onghena 2007, Randomization Tests; (b + 1)/(m + 1): Phipson and Smyth 2010.
    """
    if flips < 1:
        raise ValueError(f"flips must be at least 1, not {flips}")
    columns = {name: earned(values, f"credits of {name}") for name, values in credits.items()}
    document, size = numbered(documents)
    weight = np.ones(len(document)) if weights is None else numbers(weights, "weights")
    if not (weight >= 0).all():
        raise ValueError("weights must not be negative or missing")
    for column in [weight, *columns.values()]:
        same_length(credits=column, documents=document, weights=weight)

    found = [
        _compare(first, second, columns[first], columns[second], document, weight, size)
        for first, second in combinations(columns, 2)
    ]
    drawn = [index for index, sums in enumerate(found) if sums.comparison.test and sums.comparison.p is None]
    comparisons = [sums.comparison for sums in found]
    if drawn:
        p_values = _sign_flips(np.column_stack([found[index].documents for index in drawn]), flips, seed)
        for index, p in zip(drawn, p_values, strict=True):
            comparisons[index] = comparisons[index]._replace(p=p, seed=seed, flips=flips)
    adjusted = holm([comparison.p for comparison in comparisons])
    return [comparison._replace(p_holm=p) for comparison, p in zip(comparisons, adjusted, strict=True)]


def position_check(left: ArrayLike, annotators: Iterable[Hashable]) -> list[SideShare]:
    """Test whether people choose the left summary more or less often than half of the time.

    `left`, shape (n,), is 1 where the left summary was chosen, 0 for the right one and NaN for a tie;
    `annotators` holds who chose. The first row is for all together, with annotator None and no p_holm; the
    rows of the annotators follow, sorted by their labels as text.
    Raises `ValueError` for other shapes, other numbers and an annotator None.
    """
    choices, annotators = numbers(left, "left"), list(annotators)
    same_length(left=choices, annotators=annotators)
    if not np.isin(choices[~np.isnan(choices)], (0, 1)).all():
        raise ValueError("left must be 1, 0 or NaN")
    if None in annotators:
        raise ValueError("an annotator must not be None: that names all together")
    number, _ = numbered(annotators)
    labels = sorted(dict.fromkeys(annotators), key=str)  # the order of `numbered`
    rows = [_side_share(label, choices[number == index]) for index, label in enumerate(labels)]
    adjusted = holm([row.p for row in rows])
    return [
        _side_share(None, choices),
        *(row._replace(p_holm=p) for row, p in zip(rows, adjusted, strict=True)),
    ]


def wilcoxon(first: ArrayLike, second: ArrayLike) -> SignedRank:
    """Test paired values with Wilcoxon's signed-rank test, two-sided.

    `first` and `second`, shape (n,), are paired; a pair in which either is NaN is left out. Differences
    within 1e-9 of 0 are 0 and do not count; others are rounded to 9 decimals, so that noise does not part
    tied ranks. p is scipy's: exact up to 50 differing pairs without ties and up to 13 with ties, otherwise
    from the normal approximation.
    Raises `ValueError` for other shapes and infinite numbers.
    Source: Wilcoxon 1945, Individual comparisons by ranking methods.
    """
    x, y = numbers(first, "first"), numbers(second, "second")
    same_length(first=x, second=y)
    differences = x - y
    return signed_rank(differences[~np.isnan(differences)], "pair")


def signed_rank(differences: NDArray[np.float64], unit: str) -> SignedRank:
    """Test differences as `wilcoxon` does, without NaN, shape (n,); `unit` names one of them in the reasons."""
    rounded = np.where(np.abs(differences) <= TIE, 0.0, np.round(differences, 9))
    median = float(np.median(rounded)) if len(rounded) else None
    differing = rounded[rounded != 0]
    n = len(differing)
    if len(rounded) < 2:
        return SignedRank(None, None, n, median, f"fewer than 2 {unit}s have both values")
    if n == 0:
        return SignedRank(None, None, 0, median, f"the two differ in no {unit}")
    ranks = stats.rankdata(np.abs(differing))
    plus = float(ranks[differing > 0].sum())
    statistic = min(plus, n * (n + 1) / 2 - plus)
    if n <= 13 and len(np.unique(ranks)) < n:
        p = _enumerated(ranks, plus)
    else:
        p = float(stats.wilcoxon(differing, zero_method="wilcox").pvalue)
    return SignedRank(statistic, p, n, median)


def _enumerated(ranks: NDArray[np.float64], plus: float) -> float:
    """Go through all signs of the ranks: scipy's p, but in a millisecond where scipy takes .7 s for 13 ranks."""
    signs = (np.arange(2 ** len(ranks))[:, np.newaxis] >> np.arange(len(ranks))) & 1
    sums = signs @ ranks  # halves at most, so exact
    return float(min(1.0, 2 * min((sums <= plus).mean(), (sums >= plus).mean())))


def _compare(
    first: str,
    second: str,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    document: NDArray[np.intp],
    weight: NDArray[np.float64],
    size: int,
) -> _Sums:
    """Compare two metrics as far as that needs no flips: p is None and test is given where it does."""
    both = ~(np.isnan(x) | np.isnan(y)) & (weight > 0)
    x, y, document, weight = x[both], y[both], document[both], weight[both]
    difference = np.where(np.abs(x - y) <= TIE, 0.0, x - y)
    pairs = np.bincount(document, minlength=size)
    counted = pairs > 0
    weights = np.bincount(document, weights=weight, minlength=size)
    sums = np.bincount(document, weights=weight * difference, minlength=size).astype(np.float64)
    n, documents = len(x), int(np.count_nonzero(counted))
    mean = float(sums.sum() / weights.sum()) if n else None
    ranked = signed_rank(sums[counted] / weights[counted], "document")

    test, p, reason = None, None, None
    if n < 2:
        reason = "fewer than 2 pairs have credits of both"
    elif documents < 2:
        reason = "fewer than 2 documents have pairs with credits of both"
    elif n == documents and np.ptp(weight) == 0 and np.isin(np.abs(difference), (0, 1)).all():
        test, p = MCNEMAR, exact_mcnemar(int((difference > 0).sum()), int((difference < 0).sum()))
    else:
        test, p = SIGN_FLIP, None if difference.any() else 1.0
    comparison = PairedComparison(
        first, second, mean, n, documents, test, p, p_holm=None,
        wilcoxon_p=ranked.p, wilcoxon_reason=ranked.reason, seed=None, flips=None, reason=reason,
    )  # fmt: skip
    return _Sums(comparison, sums)


def _sign_flips(sums: NDArray[np.float64], flips: int, seed: int) -> list[float]:
    """Two-sided p of each column of `sums`, shape (documents, comparisons), under flips of whole documents."""
    size, comparisons = sums.shape
    observed = sums.sum(axis=0)
    # a flip that only rounding puts below the observed sum counts
    least = np.abs(observed) - TIE * np.abs(sums).sum(axis=0)
    random = np.random.default_rng(seed)
    beyond = np.zeros(comparisons, dtype=np.intp)
    at_once = max(1, SIGNS_AT_ONCE // size)
    for done in range(0, flips, at_once):
        # one random bit a document; whole words for each flip, so that at_once does not change the bits
        words = random.integers(2**64, size=(min(at_once, flips - done), -(-size // 64)), dtype=np.uint64)
        flipped = np.unpackbits(words.view(np.uint8), axis=1, count=size).astype(np.float64)
        beyond += (np.abs(observed - 2 * (flipped @ sums)) >= least).sum(axis=0)
    return [(int(b) + 1) / (flips + 1) for b in beyond]


def _side_share(annotator: Hashable | None, choices: NDArray[np.float64]) -> SideShare:
    n, left = int(np.count_nonzero(~np.isnan(choices))), int(np.count_nonzero(choices == 1))
    if n == 0:
        return SideShare(annotator, 0, 0, None, None, None, None, None, "no choice is decided")
    test = stats.binomtest(left, n)
    interval = test.proportion_ci(confidence_level=0.95, method="wilson")
    return SideShare(annotator, left, n, left / n, float(interval.low), float(interval.high), float(test.pvalue), None)
