"""Agreement between annotators.

The functions take columns of one length, with one entry for each judgment: `pairs` (the id of the judged pair),
`annotators` (names) and `choices` (above 0 for the first summary, below 0 for the second, 0 for a tie). The first
summary of a pair must be the same for all annotators. All raise `ValueError` for columns that differ in length and for
choices that are not finite; those that take `annotators`, also if an annotator judges a pair more than once.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from relevance.analysis.arrays import LEVEL, Floats, Integers
from relevance.analysis.intervals import clustered_variance, kish, share_interval
from relevance.analysis.people.judgments import Counts, count_choices


class Estimate(NamedTuple):
    """A coefficient with its interval."""

    value: float | None
    """The coefficient: at most 1; below 0 is less than chance for alpha and kappa."""
    low: float | None
    high: float | None
    n: int
    """The pairs that it rests on: those with at least two judgments."""
    documents: int
    level: float
    """The coverage of the interval, such as .95."""
    reason: str | None = None
    """The reason why the value, or only the interval, is undefined, or None."""


class FleissKappa(NamedTuple):
    """Fleiss' kappa of the pairs that were judged equally often."""

    estimate: Estimate
    """Kappa with its interval; `n` counts the pairs that were used."""
    judgments_per_pair: int | None
    """The number of judgments of each used pair: at least 2, or None if no pair could be used."""
    left_out: int
    """Pairs with another number of judgments."""


# --- all annotators together ------------------------------------------------------------------------------


def krippendorff_alpha(
    pairs: Iterable[Hashable], choices: ArrayLike, documents: Iterable[Hashable] | None = None
) -> Estimate:
    """Compute Krippendorff's alpha over the categories first, second and tie: 1 for full agreement, 0 for chance.

    Nominal: a tie is as far from "first" as "second" is (Krippendorff 2019, Content Analysis, ch. 12). "First" is
    decided by the order of the two systems' names, so chance follows from how often the first name wins, not from the
    sides of the screen. Pairs with one judgment are left out; pairs may have different numbers of judgments, from two
    on. Undefined if no pair has two judgments, and if all judgments are of one category.

    `documents`, shape (n,), holds the document of each judgment's pair: pairs of one document are not independent. By
    default, each pair has a document of its own. The interval is that of the share of equal judgments
    (`share_interval`), by the variance of alpha over documents, corrected for the same chance; its ends are at least
    -1.

    >>> krippendorff_alpha(["p", "p", "q", "q"], [1, 1, -1, -1]).value
    1.0
    """
    table, document = count_choices(pairs, choices, documents)
    return estimate_reliability(table, table.sum(axis=1) >= 2, document, krippendorff_chance)


def fleiss_kappa(
    pairs: Iterable[Hashable], choices: ArrayLike, documents: Iterable[Hashable] | None = None
) -> FleissKappa:
    """Compute Fleiss' kappa (Fleiss 1971, Psychological Bulletin 76) over the categories first, second and tie.

    Fleiss' kappa needs the same number of judgments of every pair: the most common number from two on is used (the
    larger one if two are as common), and the other pairs are left out. Undefined if alpha is; documents and interval
    are as for alpha.

    >>> fleiss_kappa(["p", "p", "q", "q"], [1, 1, -1, -1]).estimate.value
    1.0
    """
    table, document = count_choices(pairs, choices, documents)
    judgments = table.sum(axis=1)
    common = Counter(judgments[judgments >= 2].tolist())
    per_pair = max(common, key=lambda number: (common[number], number), default=None)
    used = judgments == (per_pair or -1)  # -1: none
    estimate = estimate_reliability(table, used, document, fleiss_chance)
    return FleissKappa(estimate, per_pair, int((~used).sum()))


def raw_agreement(
    pairs: Iterable[Hashable], choices: ArrayLike, documents: Iterable[Hashable] | None = None
) -> Estimate:
    """Compute the share of two judgments of the same pair that have the same category, in [0, 1].

    A pair with m judgments gives m(m - 1)/2 of them, all of the same weight. There is no correction for chance.
    Undefined if no pair has two judgments; documents and interval are as for alpha.
    """
    table, document = count_choices(pairs, choices, documents)
    return estimate_reliability(table, table.sum(axis=1) >= 2, document, None)


Chance = Callable[[Counts], float]
"""A function from the counts of each category, shape (categories,), to the chance that two judgments are equal."""


def krippendorff_chance(totals: Counts) -> float:
    """Compute the chance that two judgments drawn without replacement are equal."""
    n = int(totals.sum())
    return float((totals * (totals - 1)).sum() / (n * (n - 1)))


def fleiss_chance(totals: Counts) -> float:
    """Compute the chance that two judgments drawn with replacement are equal."""
    return float((totals**2).sum() / int(totals.sum()) ** 2)


def count_equal(counts: Counts, chance: Chance | None) -> tuple[Floats, Floats]:
    """Return each item's equal judgments and weight, shapes (items,): the ratio of sums is the observed agreement.

    With a chance, an item weighs as much as it has judgments (the diagonal of Krippendorff's coincidence matrix);
    without, as much as it has pairs of them.
    """
    judgments = counts.sum(axis=1)
    equal = (counts * (counts - 1)).sum(axis=1)
    per = 1 if chance else judgments - 1
    return equal / (judgments - 1) * per, (judgments * per).astype(np.float64)


def correct_for_chance(counts: Counts, chance: Chance | None) -> float | None:
    """Compute the coefficient of items with two judgments or more; None if undefined."""
    if not len(counts):
        return None
    part, whole = count_equal(counts, chance)
    by_chance = chance(counts.sum(axis=0)) if chance else 0.0
    # counts are whole, so chance is 1 exactly where one category has them all
    return None if by_chance == 1 else float((part.sum() / whole.sum() - by_chance) / (1 - by_chance))


def estimate_reliability(table: Counts, used: NDArray[np.bool_], document: Integers, chance: Chance | None) -> Estimate:
    """Compute the coefficient, with its interval, of the table's rows that are used."""
    counts, document = table[used], document[used]
    n, documents = len(counts), len(np.unique(document))

    def undefined(reason: str, value: float | None = None) -> Estimate:
        return Estimate(value, None, None, n, documents, LEVEL, reason)

    if not len(table):
        return undefined("there are no judgments")
    if not n:
        return undefined("nothing was judged by 2 annotators or more")
    value = correct_for_chance(counts, chance)
    if value is None:
        return undefined("all judgments are of one category")
    if documents < 2:
        return undefined("no interval: fewer than 2 documents have a pair with 2 judgments or more", value)
    part, whole = count_equal(counts, chance)
    observed = float(part.sum() / whole.sum())
    rest, by_chance = part - observed * whole, 0.0
    if chance:
        # a pair's contribution to chance agreement moves the coefficient, too
        totals = counts.sum(axis=0)
        shares = totals / totals.sum()
        rest -= (1 - value) * 2 * (counts @ shares - float(shares @ shares) * whole)
        by_chance = chance(totals)
    low, high = corrected_interval(observed, by_chance, rest, whole, document)
    return Estimate(value, min(low, value), max(high, value), n, documents, LEVEL)


def corrected_interval(
    observed: float, chance: float, rest: Floats, whole: Floats, document: Integers
) -> tuple[float, float]:
    """Compute the interval of (observed - chance)/(1 - chance), at least -1.

    `whole`, shape (items,), is the items' weight in the observed agreement; `rest` is each weighted item's contribution
    to the coefficient, times 1 - chance.
    """
    rests, wholes = (np.bincount(document, weights=column) for column in (rest, whole))
    variance = float(clustered_variance(rests, wholes))
    ends = share_interval(observed, variance, kish(whole), kish(wholes), LEVEL)
    low, high = (max(-1.0, (end - chance) / (1 - chance)) for end in ends)
    return low, high
