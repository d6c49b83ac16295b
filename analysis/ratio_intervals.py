"""Intervals of ratios that also hold near 0 and 1; pairs of one document are not independent, documents are."""

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from relevance.analysis.agreement.counts import outcomes
from relevance.analysis.arrays import LEVEL, check_level, number_by_text, read_weights, same_length
from relevance.analysis.intervals import clustered_variance, kish, share_interval

TOO_FEW = "fewer than 2 documents have pairs to count"
"""The reason why a ratio has no interval."""

FEWEST_ANNOTATORS = 5
"""The fewest annotators that are treated as a sample of all annotators."""

Annotator = TypeVar("Annotator", bound=Hashable)


class Interval(NamedTuple):
    """An interval of a ratio in [0, 1], or of a coefficient in [-1, 1], or the reason why there is none."""

    low: float | None
    high: float | None
    level: float
    """The coverage of the interval, such as .95."""
    resamples: int | None = None
    """The number of times that documents or systems were drawn; None if nothing is drawn, as for ratios."""
    seed: int | None = None
    """The seed of the draws, or None."""
    reason: str | None = None


class Intervals(NamedTuple):
    """The intervals of one metric's agreement, one for each ratio of `Agreement`."""

    strict: Interval
    """The interval of C/n."""
    half: Interval
    """The interval of (C + T/2)/n."""
    decided: Interval
    """The interval of C/(C + D)."""
    coverage: Interval
    """The interval of (C + D)/n."""


class Ratio(NamedTuple):
    """A ratio of two sums over entries such as pairs: each entry's share of the part and of the whole, shapes (n,)."""

    part: NDArray[np.float64]
    """Between 0 and the whole."""
    whole: NDArray[np.float64]
    """The weight of the entry; 0 if it is not counted."""
    size: NDArray[np.float64] | float = 1.0
    """The number of things of equal weight that make up an entry, such as the keywords of a document."""


class RatioEstimate(NamedTuple):
    """A ratio of two sums, with what its variance is made of."""

    value: float
    rest: NDArray[np.float64]
    """Shape (documents,): the sum of a document's part, less `value` times that of its whole."""
    whole: NDArray[np.float64]
    """Shape (documents,): the sum of a document's whole."""
    entries: float
    """The effective number of entries, by their weights."""
    by_annotators: float = 0.0
    """The variance that annotators add to that of documents."""
    annotators: int = 1
    """The number of annotators that are a sample of all."""

    @property
    def clusters(self) -> float:
        """The effective number of documents, by their weights."""
        return kish(self.whole)

    def variance(self, level: float) -> float:
        """Compute the variance, in which annotators are stretched for an interval of this level."""
        variance = float(clustered_variance(self.rest, self.whole))
        if self.annotators > 1:
            tail = (1 - level) / 2
            variance += (special.stdtrit(self.annotators - 1, tail) / special.ndtri(tail)) ** 2 * self.by_annotators
        return variance

    def interval(self, level: float) -> Interval:
        """Compute the interval of `ratio_intervals`."""
        ends = share_interval(self.value, self.variance(level), self.entries, self.clusters, level)
        return Interval(*ends, level)


def ratio_intervals(
    ratios: Sequence[Ratio],
    documents: Iterable[Hashable],
    annotators: Iterable[Hashable] | None = None,
    *,
    level: float = LEVEL,
) -> list[Interval]:
    """Compute intervals of ratios of the entries with the given `documents` and `annotators`, shape (n,).

    These are Clopper and Pearson's intervals for an effective number of pairs (`share_interval`): the number of
    independent pairs that would give the ratio the same variance. The variance is clustered by documents; with several
    annotators, it is V_documents + V_annotators - V_both (Cameron, Gelbach and Miller 2011, Robust Inference With
    Multiway Clustering, section 2), never less than V_documents. As annotators are few, their part is stretched by
    Student's t over the normal quantile.

    An interval is undefined if fewer than two documents have an entry that counts. Raises `ValueError` for columns
    that differ in length and a level outside (0, 1).
    """
    check_level(level)
    document, size = number_by_text(documents)
    annotator, many = number_by_text(np.zeros_like(document) if annotators is None else annotators)
    same_length(documents=document, annotators=annotator)
    for ratio in ratios:
        same_length(pairs=ratio.whole, documents=document)
    estimates = [estimate_ratio(ratio, document, size, annotator, many) for ratio in ratios]
    return [
        Interval(None, None, level, reason=TOO_FEW) if estimate is None else estimate.interval(level)
        for estimate in estimates
    ]


def sampled_annotators(annotators: Iterable[Annotator] | None) -> list[Annotator] | None:
    """Return the annotators of the entries if they can speak for others; None if they are fewer than five, or nobody.

    The spread of annotators is estimated from as many values as there are annotators. Two values give no estimate: the
    interval of one metric then reaches from 0 to 1 and that of the next one does not, on the same judgments. With fewer
    than five, intervals and tests hold for other documents only, judged by the same annotators; one rule for all
    metrics, whatever their variances come to. Coverage is simulated in docs/statistics.md.

    >>> sampled_annotators(["Ann", "Ben", "Ann"])
    >>> sampled_annotators("abcdea")
    ['a', 'b', 'c', 'd', 'e', 'a']
    """
    listed = None if annotators is None else list(annotators)
    return listed if listed is not None and len(set(listed)) >= FEWEST_ANNOTATORS else None


def name_sampled_units(annotators: Iterable[Hashable] | None) -> str:
    """Name the units that `ratio_intervals` treats as sampled."""
    return "documents" if annotators is None or len(set(annotators)) < 2 else "documents and annotators"


def estimate_ratio(
    ratio: Ratio, document: NDArray[np.intp], size: int, annotator: NDArray[np.intp], many: int
) -> RatioEstimate | None:
    """Estimate a ratio with its variance, given the numbers of the entries' documents and annotators, shape (n,).

    Numbers are below `size` and `many`. None if fewer than two documents have an entry that counts.
    """
    # sums first: those of counts are exact in any order of the entries
    part, whole = (np.bincount(document, weights=column, minlength=size) for column in (ratio.part, ratio.whole))
    counted = ratio.whole > 0
    estimate = estimate_from_sums(part, whole, float((ratio.whole**2 / ratio.size)[counted].sum()))
    if estimate is None or many < 2:
        return estimate

    def variance_by(cluster: NDArray[np.intp]) -> float:
        parts, wholes = (np.bincount(cluster, weights=column) for column in (ratio.part, ratio.whole))
        return float(clustered_variance(parts - estimate.value * wholes, wholes))

    added = max(0.0, variance_by(annotator) - variance_by(document * many + annotator))
    return estimate._replace(by_annotators=added, annotators=many)


def estimate_from_sums(parts: ArrayLike, wholes: ArrayLike, squares: float | None = None) -> RatioEstimate | None:
    """Estimate a ratio from the sums of its part and its whole by document, shape (documents,).

    `squares` is the sum of the entries' squared weights, by default that of entries of weight 1. None if fewer than two
    documents have an entry that counts.
    """
    part, whole = np.asarray(parts, dtype=np.float64), np.asarray(wholes, dtype=np.float64)
    if np.count_nonzero(whole) < 2:
        return None
    total = float(whole.sum())
    value = min(1.0, float(part.sum()) / total)
    entries = total if squares is None else total**2 / squares
    return RatioEstimate(value, part - value * whole, whole, entries)


def interval_of_counts(parts: ArrayLike, wholes: ArrayLike, level: float = LEVEL) -> Interval:
    """Compute the interval of `ratio_intervals` for entries of equal weight, from sums by document.

    `wholes`, shape (documents,), is the number of entries that count, `parts` their sum of the ratio's part.
    """
    estimate = estimate_from_sums(parts, wholes)
    return Interval(None, None, level, reason=TOO_FEW) if estimate is None else estimate.interval(level)


def agreement_ratios(human: ArrayLike, difference: ArrayLike, weights: ArrayLike | None = None) -> list[Ratio]:
    """Return the ratios strict, half, decided and coverage as sums over pairs; takes what `count_agreement` does."""
    masks = outcomes(human, difference)
    weight = read_weights(weights, len(masks.tied))
    c, d, t = (weight * mask for mask in (masks.concordant, masks.discordant, masks.tied))
    return [Ratio(c, c + d + t), Ratio(c + t / 2, c + d + t), Ratio(c, c + d), Ratio(c + d, c + d + t)]
