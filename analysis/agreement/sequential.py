"""A test that may be looked at after every document: a bettor's wealth against a mean, and what it leaves of the mean.

Ordinary tests and intervals hold for a number of documents that was fixed before; whoever looks again and again, and
stops when they are pleased, rejects a true null far too often. Here a bettor stakes part of their wealth on each
document before it is known. If the mean is as the null says, the game is fair, and the wealth, which starts at 1,
reaches 1/alpha at any time with a probability of at most alpha (Ville's inequality). So one may look after each
document, stop or go on for whatever reason, and the decision holds.

All of it is of Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting", Journal of
the Royal Statistical Society B 86(1): the capital process and its intervals (section 4), hedged for two sides
(theorem 3), with bets by a grid of fixed shares ("hedged grid Kelly" in the appendix on strategies). Bets that follow
the data (PrPl-EB, theorem 2; aGRAPA) were slower here: docs/statistics.md has the figures.
"""

import math
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from analysis.agreement.counts import credit_pairs
from analysis.arrays import Floats, Integers, check_level, same_length
from data.stopping import CompleteDocuments, StoppingDecision

BETS = (0.1, 0.2, 0.4, 0.8)
"""Shares of what may be staked at most. They are fixed, so that none depends on the document that it is laid on."""

NEAREST = 1e-9
"""How near to -1 and 1 means are looked at: no bet can be laid against these themselves."""

LARGEST = 700
"""Logarithm of a wealth beyond which no more of it is counted: it would be no number."""


class SequentialTest(NamedTuple):
    """What was known after each document that counts, in the drawn order; all arrays have shape (documents,)."""

    alpha: float
    wealth: Floats
    """Of who bets against a mean of 0."""
    mean: Floats
    """Of the differences until then, in [-1, 1]."""
    low: Floats
    """Lower ends of the confidence sequence: with probability 1 - alpha the mean is never outside of it."""
    high: Floats
    """Its upper ends."""

    @property
    def enough(self) -> float:
        """The wealth at which a mean of 0 is rejected."""
        return 1 / self.alpha

    @property
    def decided(self) -> int | None:
        """After how many documents that count a mean of 0 was first rejected; None where it never was."""
        reached = np.flatnonzero(self.wealth >= self.enough)
        return int(reached[0]) + 1 if len(reached) else None


class SequentialAnalysis(NamedTuple):
    """What a study's stopping rule says now, and what it said when it decided."""

    first: str
    """Signature of the metric that is compared."""
    second: str | None
    """Signature of that which it is compared with; None is one half."""
    drawn: int
    """Documents of the study."""
    documents: int
    """Those of them that are complete; where they are all, the study stops."""
    places: Integers
    """Which of the complete documents have a judgment that counts, from 1: shape (counted,)."""
    test: SequentialTest
    """After each of these."""
    decision: StoppingDecision | None
    """As it was taken: judgments that change later, and annotators who are excluded, make the test another one."""
    decided_at: datetime | None

    @property
    def due(self) -> StoppingDecision | None:
        """What the judgments as they stand decide: at the first document at which the wealth is enough, or at the end.

        People may have gone on after that document, before anybody looked.
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
        """What was known after so many complete documents, of which `counted` have a judgment that counts."""
        if not counted:
            return StoppingDecision(documents, 0, 1.0, None, -1.0, 1.0, rejected=False)
        test = self.test
        wealth, mean, low, high = (float(of[counted - 1]) for of in (test.wealth, test.mean, test.low, test.high))
        return StoppingDecision(documents, counted, wealth, mean, low, high, rejected=wealth >= test.enough)

    def after_documents(self, documents: int) -> StoppingDecision:
        """What is known by now of the first complete documents, of as many as there are."""
        documents = min(documents, self.documents)
        return self.after(documents, int((self.places <= documents).sum()))

    @property
    def now(self) -> StoppingDecision:
        """What is known after all documents that are complete."""
        return self.after_documents(self.documents)


def analyze_sequentially(found: CompleteDocuments) -> SequentialAnalysis:
    """Test after each complete document of a study whether two metrics agree with people equally often."""
    differences = differences_of(found)
    return SequentialAnalysis(
        first=found.first,
        second=found.second,
        drawn=found.drawn,
        documents=found.documents,
        places=np.flatnonzero(~np.isnan(differences)) + 1,
        test=sequential_test(differences, alpha=found.alpha),
        decision=found.decision,
        decided_at=found.decided_at,
    )


def decide_to_stop(found: CompleteDocuments) -> StoppingDecision | None:
    """Decide whether a study stops; where it does not, which is asked after every document, no interval is computed."""
    differences = differences_of(found)
    wealth = log_wealth(differences[~np.isnan(differences)])
    if found.documents < found.drawn and (wealth < -math.log(found.alpha)).all():
        return None
    return analyze_sequentially(found).due


def differences_of(found: CompleteDocuments) -> Floats:
    """How much more often the first metric is right than the second by document, as `document_differences` says."""
    return document_differences(
        found.document, found.choices, found.first_differences, found.second_differences, documents=found.documents
    )


def document_differences(
    document: Integers, choices: ArrayLike, first: ArrayLike, second: ArrayLike | None, *, documents: int
) -> Floats:
    """How much more often one metric is right than another or than a coin, by document: (documents,), in [-1, 1].

    `document`, shape (n,), is the place of each judgment's document among `documents`; `choices` and the scores'
    differences `first` and `second`, shape (n,), are as in `credit_pairs`. A metric is right, wrong or, where it ties,
    half right (the rule `half`); a document's value is the mean over its judgments of the first's credit minus the
    second's or, without a second, of twice the credit minus 1.

    Where people prefer neither, or a metric has no score, a judgment is not counted. A document without any that
    counts is NaN and left out of the sequence: which ones are is known only from their judgments, so that the mean is
    that of documents with a judgment that counts. Of them it holds, as each is left out by what it says itself.
    """
    credit = credit_pairs(choices, first, "half")
    difference = 2 * credit - 1 if second is None else credit - credit_pairs(choices, second, "half")
    same_length(document=document, choices=difference)
    counts = ~np.isnan(difference)
    sums = np.bincount(document[counts], difference[counts], documents)
    numbers = np.bincount(document[counts], minlength=documents)
    found: Floats = np.divide(sums, numbers, out=np.full(documents, np.nan), where=numbers > 0)
    return found


def sequential_test(differences: ArrayLike, *, alpha: float = 0.05) -> SequentialTest:
    """Test after each document whether the mean of all documents' differences can be 0.

    `differences`, shape (n,), are those of documents in an order that was drawn at random, whatever their number of
    pairs, in [-1, 1]; those that are NaN are left out. Judgments of one document may depend on each other in any way,
    as the document is the unit. The mean is that of the source from which the data set's documents come, as with all
    intervals of this package, and not that of the data set, whose documents are drawn without replacement.

    Raises `ValueError` for numbers outside of [-1, 1] and an alpha outside of (0, 1).
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
    """The logarithm of the wealth after each document of who bets against a mean, shape (..., n) as the differences.

    Half of the wealth of 1 bets on more than the mean m and half on less; either half is split evenly over `BETS`, and
    each part stakes its share c of what may be staked: it is multiplied by 1 + c (x - m) / (1 + m), or
    1 - c (x - m) / (1 - m), which is never negative and 1 on average if the mean is m. So each part is a test
    martingale, and so is the sum of the parts, as their shares were fixed before the first document.
    """
    won = log_factors(differences, mean).cumsum(axis=-1)
    return np.asarray(np.logaddexp.reduce(won, axis=0) - math.log(len(won)))


def log_factors(differences: NDArray[np.float64], mean: float) -> Floats:
    """The logarithm of what each part of the wealth is multiplied by, shape (parts, ...) over the differences'."""
    return np.stack(
        [np.log1p(share * side * (differences - mean) / (1 + side * mean)) for side in (1, -1) for share in BETS]
    )


def confidence_sequence(differences: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Both ends, after each document, of the means against which nobody's wealth has reached 1/alpha: shape (n,) each.

    The wealth's logarithm is convex in the mean, as that of each part is and sums of such functions are; so what stays
    below is an interval, and its ends are where the wealth is 1/alpha. It holds the mean until then, against which no
    part has won anything. Ends move only inwards: who was ruled out once stays so.
    """
    lows, highs = np.empty(len(differences)), np.empty(len(differences))
    low, high = -1 + NEAREST, 1 - NEAREST
    values, place = np.unique(differences, return_inverse=True)
    counts = np.zeros(len(values))  # in whatever order they came, documents of the same values win the same

    def excess(mean: float) -> float:
        won = log_factors(values, mean) @ counts
        return float(np.logaddexp.reduce(won)) - math.log(len(won)) + math.log(alpha)

    for number, value in enumerate(place):
        counts[value] += 1
        middle = float(np.clip(values @ counts / (number + 1), low, high))
        if excess(middle) < 0:  # or the interval has become empty, in alpha of all studies at most, and stays as it was
            low = brentq(excess, low, middle) if excess(low) > 0 else low
            high = brentq(excess, middle, high) if excess(high) > 0 else high
        lows[number], highs[number] = low, high
    return lows, highs
