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
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from relevance.analysis.agreement.counts import credit_pairs
from relevance.analysis.arrays import Floats, Integers, check_level, same_length
from relevance.data.stopping import CompleteDocuments, StoppingDecision

BETS = (0.1, 0.2, 0.4, 0.8)
"""Stakes as shares of the most that may be staked. They are fixed, so that none depends on its document."""

NEAREST = 1e-9
"""The distance from -1 and 1 within which means are not considered: no bet can be laid against -1 and 1."""

LARGEST = 700
"""The logarithm at which wealth is capped, as more would overflow."""


class SequentialTest(NamedTuple):
    """The state of the test after each document that counts, in the drawn order; all arrays have shape (documents,)."""

    alpha: float
    wealth: Floats
    """The wealth of a bettor against a mean of 0."""
    mean: Floats
    """The mean of the differences so far, in [-1, 1]."""
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
    decision: StoppingDecision | None
    """The stored decision; the test may differ from it, as judgments change and annotators are excluded later."""
    decided_at: datetime | None

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
    differences = differences_of(complete)
    return SequentialAnalysis(
        first=complete.first,
        second=complete.second,
        drawn=complete.drawn,
        documents=complete.documents,
        places=np.flatnonzero(~np.isnan(differences)) + 1,
        test=sequential_test(differences, alpha=complete.alpha),
        decision=complete.decision,
        decided_at=complete.decided_at,
    )


def decide_to_stop(complete: CompleteDocuments) -> StoppingDecision | None:
    """Decide whether a study stops, or return None; no interval is computed unless it does, as every document asks."""
    differences = differences_of(complete)
    wealth = log_wealth(differences[~np.isnan(differences)])
    if complete.documents < complete.drawn and (wealth < -math.log(complete.alpha)).all():
        return None
    return analyze_sequentially(complete).due


def differences_of(complete: CompleteDocuments) -> Floats:
    """Compute the `document_differences` of the complete documents."""
    return document_differences(
        complete.document,
        complete.choices,
        complete.first_differences,
        complete.second_differences,
        documents=complete.documents,
    )


def document_differences(
    document: Integers, choices: ArrayLike, first: ArrayLike, second: ArrayLike | None, *, documents: int
) -> Floats:
    """Compute how much more often a metric is right than another or a coin, by document: (documents,), in [-1, 1].

    `document`, shape (n,), is the position of each judgment's document among `documents`; `choices` and the score
    differences `first` and `second`, shape (n,), are as in `credit_pairs`. A metric is right, wrong or, if it ties,
    half right (the rule `half`); a document's value is the mean over its judgments of the first's credit minus the
    second's or, without a second, of twice the credit minus 1.

    A judgment does not count if people prefer neither or a metric has no score. A document without a judgment that
    counts is NaN and left out of the sequence. This depends on the document's own judgments only, so that the test
    holds for the mean over documents with a judgment that counts.
    """
    credit = credit_pairs(choices, first, "half")
    difference = 2 * credit - 1 if second is None else credit - credit_pairs(choices, second, "half")
    same_length(document=document, choices=difference)
    counts = ~np.isnan(difference)
    sums = np.bincount(document[counts], difference[counts], documents)
    numbers = np.bincount(document[counts], minlength=documents)
    means: Floats = np.divide(sums, numbers, out=np.full(documents, np.nan), where=numbers > 0)
    return means


def sequential_test(differences: ArrayLike, *, alpha: float = 0.05) -> SequentialTest:
    """Test after each document whether the mean of all documents' differences can be 0.

    `differences`, shape (n,), in [-1, 1], are those of documents in random order, regardless of their number of pairs;
    NaN is left out. Judgments of one document may depend on each other in any way, as the document is the unit. The
    mean is that of the source of the data set's documents, as with all intervals of this package, and not that of the
    data set, whose documents are drawn without replacement.

    Raises `ValueError` for numbers outside [-1, 1] and an alpha outside (0, 1).
    """
    check_level(1 - alpha)
    values = np.asarray(differences, dtype=np.float64)
    values = values[~np.isnan(values)]
    if (np.abs(values) > 1).any():
        raise ValueError("differences must lie between -1 and 1")
    low, high = confidence_sequence(values, alpha)
    number = np.arange(1, len(values) + 1)
    return SequentialTest(alpha, np.exp(np.minimum(log_wealth(values), LARGEST)), np.cumsum(values) / number, low, high)


def log_wealth(differences: NDArray[np.float64], mean: float = 0.0) -> Floats:
    """Compute the log wealth of a bettor against a mean after each document, in the differences' shape (..., n).

    Half of the wealth of 1 bets on more than the mean m and half on less; either half is split evenly over `BETS`, and
    each part stakes its share c of the most that may be staked: it is multiplied by 1 + c (x - m) / (1 + m), or 1 - c
    (x - m) / (1 - m), which is never negative, and 1 on average if the mean is m. So each part is a test martingale,
    and so is the sum of the parts, as their shares are fixed before the first document.
    """
    won = log_factors(differences, mean).cumsum(axis=-1)
    return np.asarray(np.logaddexp.reduce(won, axis=0) - math.log(len(won)))


def log_factors(differences: NDArray[np.float64], mean: float) -> Floats:
    """Compute the log factor by which each part of the wealth changes: shape (parts, *shape of the differences)."""
    return np.stack(
        [np.log1p(share * side * (differences - mean) / (1 + side * mean)) for side in (1, -1) for share in BETS]
    )


def confidence_sequence(differences: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Compute both ends, after each document, of the means at which the wealth is below 1/alpha: shape (n,) each.

    The log wealth is convex in the mean, as it is for each part and for sums of such functions. So the means below the
    threshold are an interval, and at its ends the wealth is 1/alpha. It contains the mean so far, against which no part
    has won anything. The ends only move inwards: a mean once ruled out stays so.
    """
    lows, highs = np.empty(len(differences)), np.empty(len(differences))
    low, high = -1 + NEAREST, 1 - NEAREST
    values, place = np.unique(differences, return_inverse=True)
    counts = np.zeros(len(values))  # documents of the same values win the same in any order

    def excess(mean: float) -> float:
        won = log_factors(values, mean) @ counts
        return float(np.logaddexp.reduce(won)) - math.log(len(won)) + math.log(alpha)

    for number, value in enumerate(place):
        counts[value] += 1
        middle = float(np.clip(values @ counts / (number + 1), low, high))
        if excess(middle) < 0:  # otherwise the interval is empty, in at most alpha of all studies, and stays as it was
            low = brentq(excess, low, middle) if excess(low) > 0 else low
            high = brentq(excess, middle, high) if excess(high) > 0 else high
        lows[number], highs[number] = low, high
    return lows, highs
