"""Intervals by bootstrap over documents: pairs of one document are not independent, documents are."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.meta_evaluation.agreement import outcomes
from metrics.meta_evaluation.arrays import numbered, same_length


class Interval(NamedTuple):
    """An interval of a ratio in [0, 1], or the reason why there is none."""

    low: float | None
    """Its lower end."""
    high: float | None
    """Its upper end."""
    level: float
    """The share of resamples within it, such as .95."""
    resamples: int
    """How many times the documents were drawn; draws without a pair to count are passed over."""
    seed: int
    """The seed of the draws."""
    reason: str | None = None
    """Why it is undefined, or None."""


class Intervals(NamedTuple):
    """The intervals of one metric's agreement, one for each rule of `Agreement`, from the same draws."""

    strict: Interval
    """Of C/n."""
    half: Interval
    """Of (C + T/2)/n."""
    decided: Interval
    """Of C/(C + D)."""


def agreement_intervals(
    human: ArrayLike,
    difference: ArrayLike,
    documents: Iterable[Hashable],
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Intervals:
    """Percentile intervals of the agreement, drawing whole documents with replacement.

    `human` and `difference` are those of `agreement`, shape (n,), and `documents` holds the document of each
    pair. The draws depend on the seed and the set of documents alone, those without a pair to count included:
    metrics compared on the same documents are compared on the same draws. An interval is undefined where
    fewer than two documents have a pair that its rule counts.
    Raises `ValueError` for other shapes, a level outside (0, 1) and less than one resample.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, not {resamples}")
    found = outcomes(human, difference)
    document, size = numbered(documents)
    same_length(pairs=found.tied, documents=document)
    counts = np.column_stack(
        [np.bincount(document[mask], minlength=size) for mask in (found.concordant, found.discordant, found.tied)]
    )
    drawn = _draw(counts, resamples, seed)

    def interval(part: list[float], whole: list[int]) -> Interval:
        if np.count_nonzero(counts @ whole) < 2:
            return Interval(None, None, level, resamples, seed, "fewer than 2 documents have pairs to count")
        parts, wholes = drawn @ part, drawn @ whole
        defined = wholes > 0
        if not defined.any():
            return Interval(None, None, level, resamples, seed, "no resample has pairs to count")
        tail = (1 - level) / 2
        low, high = np.quantile(parts[defined] / wholes[defined], [tail, 1 - tail])
        return Interval(float(low), float(high), level, resamples, seed)

    # the weights of concordant, discordant and tied pairs in the two parts of each ratio
    return Intervals(
        strict=interval([1, 0, 0], [1, 1, 1]),
        half=interval([1, 0, 0.5], [1, 1, 1]),
        decided=interval([1, 0, 0], [1, 1, 0]),
    )


def _draw(counts: NDArray[np.intp], resamples: int, seed: int) -> NDArray[np.float64]:
    """Sum the counts of each document, shape (documents, 3), over each resample, shape (resamples, 3)."""
    size = len(counts)
    sums = np.zeros((resamples, counts.shape[1]))
    if size == 0:
        return sums
    random = np.random.default_rng(seed)
    weighed = counts.astype(np.float64)  # exact, and a faster product than that of integers
    for resample in range(resamples):
        weights = np.bincount(random.integers(size, size=size), minlength=size)
        sums[resample] = weights @ weighed
    return sums
