"""The difference of two ratios, such as a metric's agreement with one judge and with another, with interval and p."""

import math
from typing import NamedTuple

import numpy as np

from relevance.analysis.arrays import LEVEL
from relevance.analysis.intervals import outcome_variance
from relevance.analysis.ratio_intervals import Interval, RatioEstimate

LEAST_P = 1e-9
"""The smallest p that is told from 0."""

HALVINGS = 60
"""Steps in which p is found: its last one is far below the digits that are printed."""


class RatioDifference(NamedTuple):
    """The difference of two ratios, first minus second."""

    value: float
    """In [-1, 1]."""
    interval: Interval
    p: float
    """Two-sided p of no difference: one less the highest level at which the interval leaves out 0."""


def compare_ratios(first: RatioEstimate, second: RatioEstimate, level: float = LEVEL) -> RatioDifference:
    """Compare two ratios, of the same documents or of others.

    Documents are numbered alike in both estimates; those without an entry in one of them have a `whole` of 0 there. The
    interval is made of the intervals of both ratios, so that it also holds near 0 and 1, and of their correlation over
    the documents that they share (Newcombe 1998, method 10, as Zou and Donner 2008 state it for any two estimates).
    Annotators of the two are taken to be different people: where they are the same, the interval is too wide rather
    than too narrow.

    Raises `ValueError` for estimates over different numbers of documents.
    Sources: Newcombe 1998, Improved confidence intervals for the difference between binomial proportions based on
    paired data, Statistics in Medicine 17; Zou and Donner 2008, Construction of confidence limits about effect
    measures, Statistics in Medicine 27.
    """
    if len(first.whole) != len(second.whole):
        raise ValueError(f"documents differ in number: {len(first.whole)}, {len(second.whole)}")
    value = first.value - second.value
    low, high = limits(first, second, level)
    return RatioDifference(value, Interval(low, high, level), find_p(first, second, value))


def limits(first: RatioEstimate, second: RatioEstimate, level: float) -> tuple[float, float]:
    """Return the ends of the difference's interval."""
    alike = correlate(first, second, level)
    (one_low, one_high), (other_low, other_high) = (distances(of, level) for of in (first, second))
    value = first.value - second.value

    def reach(of_first: float, of_second: float) -> float:
        return math.sqrt(max(0.0, of_first**2 - 2 * alike * of_first * of_second + of_second**2))

    return max(-1.0, value - reach(one_low, other_high)), min(1.0, value + reach(one_high, other_low))


def distances(estimate: RatioEstimate, level: float) -> tuple[float, float]:
    """Return how far the ends of a ratio's interval are from it."""
    ends = estimate.interval(level)
    if ends.low is None or ends.high is None:
        raise ValueError(f"a ratio has no interval: {ends.reason}")
    return estimate.value - ends.low, ends.high - estimate.value


def correlate(first: RatioEstimate, second: RatioEstimate, level: float) -> float:
    """Return the correlation of two estimates, which comes from the documents that they share."""
    scale = math.prod(
        math.sqrt(documents / (documents - 1)) / float(of.whole.sum())
        for of in (first, second)
        for documents in [int(np.count_nonzero(of.whole))]
    )
    shared = float(first.rest @ second.rest) * scale
    # with the variance of one more outcome in each, as in the intervals: two judges who never part are not known to be
    # the same
    spread = math.prod(of.variance(level) + outcome_variance(of.entries, of.clusters) for of in (first, second))
    return max(-1.0, min(1.0, shared / math.sqrt(spread)))


def find_p(first: RatioEstimate, second: RatioEstimate, value: float) -> float:
    """Find the level at which the interval just touches 0, by halving on the scale of orders of magnitude."""

    def leaves_out_zero(alpha: float) -> bool:
        low, high = limits(first, second, 1 - alpha)
        return low > 0 or high < 0

    if value == 0 or not leaves_out_zero(1 - LEAST_P):
        return 1.0
    if leaves_out_zero(LEAST_P):
        return LEAST_P
    low, high = math.log(LEAST_P), math.log(1 - LEAST_P)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if leaves_out_zero(math.exp(middle)) else (middle, high)
    return math.exp(high)
