"""Intervals by bootstrap over documents: pairs of one document are not independent, documents are."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from metrics.meta_evaluation.agreement import outcomes
from metrics.meta_evaluation.arrays import numbered, same_length, weighing

CELLS = 1 << 22
"""Numbers in one block of draws: 32 MB."""


class Interval(NamedTuple):
    """An interval of a ratio in [0, 1], or of a coefficient in [-1, 1], or the reason why there is none."""

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


class Ratio(NamedTuple):
    """A ratio of two sums over pairs: shapes (n,), what a pair adds to the part and to the whole."""

    part: NDArray[np.float64]
    whole: NDArray[np.float64]


class Bootstrap:
    """Draws of whole documents with replacement; intervals are widened by what several annotators add.

    Everything that is asked of one `Bootstrap` rests on the same draws. They depend on the seed and on the set of
    documents alone, those without a pair to count included: metrics compared on the same documents are compared on
    the same draws. Raises `ValueError` for a level outside (0, 1) and less than one resample.

    Drawing annotators as well, and counting a judgment as often as its document and its annotator are drawn together,
    counts the variance of single judgments three times: with one judgment a pair, such intervals were 1.6 times too
    wide. Instead both ends move away from the ratio by the square root of (V_documents + V_annotators - V_both) /
    V_documents, the variances clustered by documents, by annotators, and by both (Cameron, Gelbach and Miller 2011,
    Robust Inference With Multiway Clustering, section 2); never towards it. As annotators are few, what they add is
    stretched by Student's t over the normal quantile. Simulated coverage is 92 to 97 %, with and without differences
    between 3 to 10 annotators; of documents alone it is as low as 58 %.
    """

    def __init__(
        self,
        documents: Iterable[Hashable],
        annotators: Iterable[Hashable] | None = None,
        *,
        level: float = 0.95,
        resamples: int = 2000,
        seed: int = 0,
    ) -> None:
        """`documents` and `annotators` hold those of each pair, shape (n,)."""
        if not 0 < level < 1:
            raise ValueError(f"level must lie between 0 and 1, not {level}")
        if resamples < 1:
            raise ValueError(f"resamples must be at least 1, not {resamples}")
        self.level, self.resamples, self.seed = level, resamples, seed
        self.document, self.documents = numbered(documents)
        self.annotator, self.annotators = np.zeros_like(self.document), 1
        if annotators is not None:
            annotator, many = numbered(annotators)
            same_length(documents=self.document, annotators=annotator)
            if many > 1:
                self.annotator, self.annotators = annotator, many

    @property
    def over(self) -> str:
        """What is taken for a sample, in words."""
        return "documents" if self.annotators == 1 else "documents, widened by how far annotators differ"

    def intervals(self, ratios: Sequence[Ratio]) -> list[Interval]:
        """Percentile intervals of ratios of the pairs given at the start.

        An interval is undefined where fewer than two documents have a pair to count, by the whole of its ratio.
        """
        if not ratios:
            return []
        for ratio in ratios:
            same_length(pairs=ratio.whole, documents=self.document)
        cell = self.document * self.annotators + self.annotator
        size = self.documents * self.annotators
        columns = [np.bincount(cell, weights=column, minlength=size) for ratio in ratios for column in ratio]
        sums = np.stack(columns, dtype=np.float64).reshape(len(ratios), 2, self.documents, self.annotators)
        of_documents = sums.sum(axis=3)  # shape (ratios, part and whole, documents)
        drawn = np.zeros((self.resamples, *sums.shape[:2]))
        if self.documents:
            flat = of_documents.reshape(2 * len(ratios), self.documents).T
            for rows, weights in document_draws(self.documents, self.resamples, self.seed):
                drawn[rows] = (weights @ flat).reshape(-1, *sums.shape[:2])
        return [self._interval(sums[place], drawn[:, place, 0], drawn[:, place, 1]) for place in range(len(ratios))]

    def _interval(self, sums: NDArray[np.float64], parts: NDArray[np.float64], wholes: NDArray[np.float64]) -> Interval:
        """From the sums of part and whole, shape (2, documents, annotators), and what the resamples make of them."""
        settings = (self.level, self.resamples, self.seed)
        if np.count_nonzero(sums[1].sum(axis=1)) < 2:
            return Interval(None, None, *settings, "fewer than 2 documents have pairs to count")
        defined = wholes > 0
        if not defined.any():
            return Interval(None, None, *settings, "no resample has pairs to count")
        tail = (1 - self.level) / 2
        ends = np.quantile(parts[defined] / wholes[defined], [tail, 1 - tail])
        middle = sums[0].sum() / sums[1].sum()
        low, high = np.clip(middle + self._widening(sums, middle) * (ends - middle), 0, 1)
        return Interval(float(low), float(high), *settings)

    def _widening(self, sums: NDArray[np.float64], middle: float) -> float:
        """How much further the ends lie from the ratio, because annotators are a sample, too: 1 or more."""
        if self.annotators == 1:
            return 1.0
        by_document, by_annotator, by_both = (
            clustered(of[0], of[1], middle) for of in (sums.sum(axis=2), sums.sum(axis=1), sums.reshape(2, -1))
        )
        if by_document <= 0:
            return 1.0
        tail = (1 - self.level) / 2
        few = stats.t.isf(tail, self.annotators - 1) / stats.norm.isf(tail)
        return float(np.sqrt(1 + few**2 * max(0.0, by_annotator - by_both) / by_document))


def clustered(part: NDArray[np.float64], whole: NDArray[np.float64], ratio: float) -> float:
    """The variance of a ratio's part around its share of the whole, from the sums of clusters, shape (clusters,).

    Clusters with nothing to count are no clusters; 0 for a single one.
    """
    clusters = int(np.count_nonzero(whole))
    rest = part - ratio * whole
    return float(rest @ rest) * clusters / (clusters - 1) if clusters > 1 else 0.0


def document_draws(documents: int, resamples: int, seed: int) -> Iterable[tuple[slice, NDArray[np.float64]]]:
    """Yield how often each resample draws each document, block by block: its rows, and shape (rows, documents)."""
    random = np.random.default_rng(seed)
    step = max(1, CELLS // max(1, documents))
    for start in range(0, resamples, step):
        stop = min(start + step, resamples)
        yield slice(start, stop), draw_weights(random, documents, stop - start)


def draw_weights(random: np.random.Generator, size: int, draws: int) -> NDArray[np.float64]:
    """How often each of `size` things is drawn in each of `draws` resamples of that size: shape (draws, size)."""
    picked = random.integers(size, size=(draws, size)) + np.arange(draws)[:, None] * size
    return np.bincount(picked.ravel(), minlength=draws * size).reshape(draws, size).astype(np.float64)


def agreement_ratios(human: ArrayLike, difference: ArrayLike, weights: ArrayLike | None = None) -> list[Ratio]:
    """The ratios of `Agreement` as sums over pairs: strict, half, decided. Takes what `agreement` takes."""
    found = outcomes(human, difference)
    weight = weighing(weights, len(found.tied))
    c, d, t = (weight * mask for mask in (found.concordant, found.discordant, found.tied))
    return [Ratio(c, c + d + t), Ratio(c + t / 2, c + d + t), Ratio(c, c + d)]


def agreement_intervals(
    human: ArrayLike,
    difference: ArrayLike,
    documents: Iterable[Hashable],
    *,
    annotators: Iterable[Hashable] | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Intervals:
    """Percentile intervals of one metric's agreement, drawing whole documents; several annotators widen them.

    `human`, `difference` and `weights` are those of `agreement`, shape (n,); `documents` and `annotators` hold those
    of each pair. An interval is undefined where fewer than two documents have a pair that its rule counts.
    Raises `ValueError` as `agreement` and `Bootstrap`.
    """
    ratios = agreement_ratios(human, difference, weights)
    draws = Bootstrap(documents, annotators, level=level, resamples=resamples, seed=seed)
    same_length(pairs=ratios[0].whole, documents=draws.document)
    return Intervals(*draws.intervals(ratios))
