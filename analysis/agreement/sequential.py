"""A sequential test that may be looked at after every document: betting against a mean.

Ordinary tests and intervals hold for a number of documents fixed in advance; whoever looks again and again, and stops
when they are pleased, rejects a true null far too often. Here a bettor stakes part of their wealth on each document
before it is known. If the null holds, the game is fair, and the wealth, which starts at 1, ever reaches 1/alpha with a
probability of at most alpha (Ville's inequality). So one may look after each document and stop or continue for any
reason, and the decision holds.

Source: Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting", Journal of the Royal
Statistical Society B 86(1): the capital process and its intervals (section 4), hedged for two sides (theorem 3), with
bets by a grid of fixed shares ("hedged grid Kelly" in the appendix on strategies). Bets that follow the data (PrPl-EB,
theorem 2; aGRAPA) had less power here: docs/statistics.md has the figures.
"""

import math
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from relevance.analysis.agreement.counts import credit_pairs
from relevance.analysis.arrays import Floats, Integers, check_level
from relevance.data.stopping_state import CompleteDocuments, StoppingDecision
from relevance.data.ties import TIE

BETS = (0.1, 0.2, 0.4, 0.8)
"""Stakes as shares of the most that may be staked. They are fixed, so that none depends on its document."""

NEAREST = 1e-9
"""The distance from -1 and 1 within which means are not considered: no bet can be laid against -1 and 1."""

STEPS = 2001
"""The number of means, a thousandth apart, among which the ends of the confidence sequence are looked for."""

NOTHING = 1e-300
"""Replaces a bound of 0, where a document cannot say anything: bets on it neither win nor lose."""

LARGEST = 700
"""The logarithm at which wealth is capped, as more would overflow."""


class SequentialTest(NamedTuple):
    """The state of the test after each document that counts, in the drawn order; all arrays have shape (documents,)."""

    alpha: float
    wealth: Floats
    """The wealth of a bettor against a mean of 0."""
    mean: Floats
    """The mean of the differences so far, weighted if pairs are: in [-1, 1]."""
    low: Floats
    """Lower ends of the confidence sequence: with probability 1 - alpha it always contains the mean."""
    high: Floats
    """Upper ends of the confidence sequence."""

    @property
    def enough(self) -> float:
        """The wealth at which a mean of 0 is rejected."""
        return 1 / self.alpha

    @property
    def decided(self) -> int | None:
        """The number of documents that count after which a mean of 0 was first rejected; None if it never was."""
        reached = np.flatnonzero(self.wealth >= self.enough)
        return int(reached[0]) + 1 if len(reached) else None


class SequentialAnalysis(NamedTuple):
    """The result of a study's stopping rule now, and its stored decision."""

    first: str
    """The signature of the compared metric."""
    second: str | None
    """The signature of the metric that it is compared with; None: one half."""
    drawn: int
    """The number of documents of the study."""
    documents: int
    """The number of complete documents; when all are complete, the study stops."""
    places: Integers
    """The numbers, from 1, of the complete documents with a judgment that counts: shape (counted,)."""
    test: SequentialTest
    """The test after each of these."""
    weighed: bool
    """True if each pair counts as one over the probability with which it was drawn."""
    decision: StoppingDecision | None
    """The stored decision; the test may differ from it, as judgments change and annotators are excluded later."""
    decided_at: datetime | None

    @property
    def stopped_early(self) -> bool:
        """True if the study stopped, or is due to stop, because the wealth is enough."""
        decision = self.decision or self.due
        return decision is not None and decision.rejected

    @property
    def due(self) -> StoppingDecision | None:
        """The decision by the current judgments, at the first document with enough wealth, or at the end; or None.

        Judging may have continued after that document, before anybody looked.
        """
        counted = self.test.decided or len(self.places)
        if self.test.decided is not None:
            documents = int(self.places[counted - 1])
        elif self.documents == self.drawn:
            documents = self.documents
        else:
            return None
        return self.after(documents, counted)

    def after(self, documents: int, counted: int) -> StoppingDecision:
        """Return the state after some complete documents, of which `counted` have a judgment that counts."""
        if not counted:
            return StoppingDecision(documents, 0, 1.0, None, -1.0, 1.0, rejected=False)
        test = self.test
        wealth, mean, low, high = (float(of[counted - 1]) for of in (test.wealth, test.mean, test.low, test.high))
        return StoppingDecision(documents, counted, wealth, mean, low, high, rejected=wealth >= test.enough)

    def after_documents(self, documents: int) -> StoppingDecision:
        """Return the state after some complete documents, or after all if there are fewer, by the current judgments."""
        documents = min(documents, self.documents)
        return self.after(documents, int((self.places <= documents).sum()))

    @property
    def now(self) -> StoppingDecision:
        """The state after all complete documents."""
        return self.after_documents(self.documents)


def analyze_sequentially(complete: CompleteDocuments) -> SequentialAnalysis:
    """Test after each complete document of a study whether two metrics agree with people equally often."""
    sums = sum_documents(complete)
    return SequentialAnalysis(
        first=complete.first,
        second=complete.second,
        drawn=complete.drawn,
        documents=complete.documents,
        places=sums.places,
        test=sequential_test(sums.differences, alpha=complete.alpha, weights=sums.weights, bounds=sums.bounds),
        weighed=complete.weights is not None,
        decision=complete.decision,
        decided_at=complete.decided_at,
    )


def decide_to_stop(complete: CompleteDocuments) -> StoppingDecision | None:
    """Decide whether a study stops, or return None; intervals, which are slow, are computed only for one that stops."""
    sums = sum_documents(complete)
    wealth = log_wealth(sums.differences, weights=sums.weights, bounds=sums.bounds)
    if complete.documents < complete.drawn and (wealth < -math.log(complete.alpha)).all():
        return None
    return analyze_sequentially(complete).due


class Bounds(NamedTuple):
    """The pairs that a study drew, which bound what a document can say before anybody has judged it."""

    most: Floats
    """Shape (kinds,): the largest difference that a judgment of a pair can make, such as 0 for the pairs of which both
    metrics prefer the same summary."""
    weights: Floats
    """Shape (documents, kinds): the weight of a document's pairs of each kind."""

    def largest(self, means: ArrayLike) -> tuple[Floats, Floats]:
        """Return how far any document can fall short of each mean, and how far it can exceed it: the means' shape."""
        values = np.asarray(means, dtype=np.float64)

        def largest(means: Floats) -> Floats:
            by_document = self.weights @ np.maximum(0, np.add.outer(self.most, means.ravel()))
            return np.asarray(by_document.max(axis=0, initial=NOTHING)).reshape(means.shape)

        return largest(values), largest(-values)


EVEN = Bounds(np.ones(1), np.ones((1, 1)))
"""Documents that count the same, each with a difference in [-1, 1]."""


class DocumentSums(NamedTuple):
    """Differences of complete documents with a judgment that counts, and the largest that a document could have."""

    places: Integers
    """Shape (counted,): the numbers of these documents in the drawn order, from 1."""
    differences: Floats
    """Shape (counted,): the sum of weighted differences."""
    weights: Floats
    """Shape (counted,): the sum of the weights."""
    bounds: Bounds


def sum_documents(complete: CompleteDocuments) -> DocumentSums:
    """Sum up by document how much more often a metric is right than another or a coin.

    A metric is right, wrong or, if it ties, half right (the rule `half`); a judgment's difference is the first's credit
    minus the second's or, without a second, twice the credit minus 1. It does not count if people prefer neither or a
    metric has no score.

    Where all pairs were drawn alike, a document's difference is the mean over its judgments, and documents count the
    same. A document without a judgment that counts is left out of the sequence. This depends on the document's own
    judgments only, so that the test holds for the mean over documents with a judgment that counts.

    Where some pairs were more likely drawn than others, such as those on which metrics contradict each other, each
    counts as one over its probability: a document's sum is then on average that over all of its pairs, drawn or not
    (Horvitz and Thompson 1952), and their ratio is the weighted estimate of the tables of agreement. What a document
    can say is bounded by its weights and by the signs of the metrics' differences, which are known before it is judged.
    """
    difference = credit_difference(
        complete.choices,
        complete.first_differences[complete.pair],
        None if complete.second_differences is None else complete.second_differences[complete.pair],
    )
    counts = ~np.isnan(difference)
    document, size = complete.document[complete.pair[counts]], complete.documents
    numbers = np.bincount(document, minlength=size)
    if complete.weights is None:
        share, bounds = 1 / numbers[document], EVEN
    else:
        share = complete.weights[complete.pair[counts]] / complete.wanted
        most = np.abs(
            credit_difference(np.ones(len(complete.document)), complete.first_differences, complete.second_differences)
        )
        bounds = bound_documents(complete.document, most, complete.weights)
    counted = np.flatnonzero(numbers)
    differences, weights = (
        np.bincount(document, of, size).astype(np.float64)[counted] for of in (share * difference[counts], share)
    )
    return DocumentSums(counted + 1, differences, weights, bounds)


def bound_documents(document: Integers, most: Floats, weights: Floats) -> Bounds:
    """Return the bounds of documents from their pairs: all shapes (pairs,); `most` is NaN where a score is missing."""
    known = ~np.isnan(most)
    kinds, kind = np.unique(most[known], return_inverse=True)
    sums = np.zeros((int(document.max(initial=-1)) + 1, len(kinds)))
    np.add.at(sums, (document[known], kind), weights[known])
    return Bounds(kinds, sums)


def credit_difference(choices: ArrayLike, first: ArrayLike, second: ArrayLike | None) -> Floats:
    """Compute the credit of a metric minus that of another, or twice its credit minus 1 where there is none: (n,).

    `choices` and the score differences `first` and `second`, shape (n,), are as in `credit_pairs`; in [-1, 1], or NaN.
    """
    credit = credit_pairs(choices, first, "half")
    return 2 * credit - 1 if second is None else credit - credit_pairs(choices, second, "half")


def sequential_test(
    differences: ArrayLike, *, alpha: float = 0.05, weights: ArrayLike | None = None, bounds: Bounds = EVEN
) -> SequentialTest:
    """Test after each document whether the mean of all documents' differences can be 0.

    `differences`, shape (n,), in [-1, 1], are those of documents in random order, regardless of their number of pairs.
    With `weights`, shape (n,), they are the sums of `DocumentSums` within its `bounds`, and the mean is the ratio of
    sums of differences and weights. Judgments of one document may depend on each other in any way, as
    the document is the unit. The mean is that of the source of the data set's documents, as with all intervals of this
    package, and not that of the data set, whose documents are drawn without replacement.

    Raises `ValueError` for numbers outside their bounds and an alpha outside (0, 1).
    """
    check_level(1 - alpha)
    values = np.asarray(differences, dtype=np.float64)
    weight = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    below, above = bounds.largest(0.0)
    if not ((values >= -below * (1 + TIE)) & (values <= above * (1 + TIE))).all():
        raise ValueError(f"differences must lie between {-below:g} and {above:g}")
    wealth = log_wealth(values, weights=weight, bounds=bounds)
    low, high = confidence_sequence(values, weight, bounds, alpha)
    mean = np.cumsum(values) / np.cumsum(weight)
    return SequentialTest(alpha, np.exp(np.minimum(wealth, LARGEST)), mean, low, high)


def log_wealth(
    differences: NDArray[np.float64],
    mean: float = 0.0,
    *,
    weights: NDArray[np.float64] | float = 1.0,
    bounds: Bounds = EVEN,
) -> Floats:
    """Compute the log wealth of a bettor against a mean after each document, in the differences' shape (..., n).

    Half of the wealth of 1 bets on more than the mean m and half on less; either half is split evenly over `BETS`, and
    each part stakes its share c of the most that may be staked: for a document with the difference x and the weight w
    it is multiplied by 1 + c (x - m w) / b or 1 - c (x - m w) / a, where no document can fall short of the mean by more
    than b, or exceed it by more than a (1 + m and 1 - m for documents that count the same). So it is never negative,
    and 1 on average if the mean is m: each part is a test martingale, and so is the sum of the parts, as their shares
    are fixed before the first document.
    """
    below, above = bounds.largest(mean)
    won = log_factors(differences - mean * weights, below, above).cumsum(axis=-1)
    return np.asarray(np.logaddexp.reduce(won, axis=0) - math.log(len(won)))


def log_factors(gains: Floats, below: Floats, above: Floats) -> Floats:
    """Compute the log factor by which each part of the wealth changes: shape (parts, *shape of the gains)."""
    return np.stack([np.log1p(share * part) for part in (gains / below, -gains / above) for share in BETS])


def confidence_sequence(differences: Floats, weights: Floats, bounds: Bounds, alpha: float) -> tuple[Floats, Floats]:
    """Compute both ends, after each document, of the means at which the wealth is below 1/alpha: shape (n,) each.

    The interval is the smallest that holds all means of a grid (`STEPS`) below the threshold, and ends where the wealth
    is 1/alpha between the last of them and the next one. The ends only move inwards: a mean once ruled out stays so.
    """
    log_enough = -math.log(alpha)
    both, kind = np.unique(np.stack([differences, weights]), axis=1, return_inverse=True)
    seen = np.zeros(both.shape[1])  # equal documents are counted, so that a mean between two of the grid costs little

    def excess_at(mean: float) -> float:
        below, above = bounds.largest(mean)
        won = log_factors(both[0] - mean * both[1], below, above) @ seen
        return float(np.logaddexp.reduce(won)) - math.log(len(won)) - log_enough

    means = np.linspace(-1 + NEAREST, 1 - NEAREST, STEPS)
    below, above = bounds.largest(means)
    won = np.zeros((2 * len(BETS), STEPS))
    lows, highs = np.empty(len(differences)), np.empty(len(differences))
    low, high = -1.0, 1.0
    for number, (value, weight) in enumerate(zip(differences, weights, strict=True)):
        seen[kind[number]] += 1
        won += log_factors(value - weight * means, below, above)
        excess = np.logaddexp.reduce(won, axis=0) - math.log(len(won)) - log_enough
        held = np.flatnonzero(excess < 0)
        if len(held):  # otherwise the interval is empty, in at most alpha of all studies, and stays as it was
            if held[0] > 0 and means[held[0]] > low:
                low = max(low, find_end(excess_at, float(means[held[0]]), float(means[held[0] - 1])))
            if held[-1] < STEPS - 1 and means[held[-1]] < high:
                high = min(high, find_end(excess_at, float(means[held[-1]]), float(means[held[-1] + 1])))
        lows[number], highs[number] = low, high
    return lows, highs


def find_end(excess_at: Callable[[float], float], held: float, ruled_out: float) -> float:
    """Return the mean at which the excess is 0, between one below the threshold and one above it."""
    if excess_at(held) >= 0:  # a mean of the grid is the end, but for rounding
        return held
    return ruled_out if excess_at(ruled_out) <= 0 else float(brentq(excess_at, held, ruled_out, xtol=NEAREST / 1000))
