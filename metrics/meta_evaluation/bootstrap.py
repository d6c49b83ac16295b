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
        self.annotator: NDArray[np.intp] | None = None
        if annotators is not None:
            annotator, many = numbered(annotators)
            same_length(documents=self.document, annotators=annotator)
            if many > 1:
                self.annotator, self.annotators = annotator, many

    @property
    def over(self) -> str:
        """What is taken for a sample, in words."""
        return "documents" if self.annotator is None else "documents, widened by how far annotators differ"

    def intervals(self, ratios: Sequence[Ratio]) -> list[Interval]:
        """Percentile intervals of ratios of the pairs given at the start.

        An interval is undefined where fewer than two documents have a pair to count, by the whole of its ratio.
        """
        if not ratios:
            return []
        for ratio in ratios:
            same_length(pairs=ratio.whole, documents=self.document)
        sums = np.stack(
            [
                np.bincount(self.document, weights=column, minlength=self.documents)
                for ratio in ratios
                for column in ratio
            ],
            axis=1,
            dtype=np.float64,
        )
        drawn = np.zeros((self.resamples, sums.shape[1]))
        if self.documents:
            for rows, weights in document_draws(self.documents, self.resamples, self.seed):
                drawn[rows] = weights @ sums
        return [
            self._interval(ratio, sums[:, 2 * place + 1], drawn[:, 2 * place], drawn[:, 2 * place + 1])
            for place, ratio in enumerate(ratios)
        ]

    def _interval(
        self,
        ratio: Ratio,
        whole: NDArray[np.float64],
        parts: NDArray[np.float64],
        wholes: NDArray[np.float64],
    ) -> Interval:
        settings = (self.level, self.resamples, self.seed)
        if np.count_nonzero(whole) < 2:
            return Interval(None, None, *settings, "fewer than 2 documents have pairs to count")
        defined = wholes > 0
        if not defined.any():
            return Interval(None, None, *settings, "no resample has pairs to count")
        tail = (1 - self.level) / 2
        ends = np.quantile(parts[defined] / wholes[defined], [tail, 1 - tail])
        middle = ratio.part.sum() / ratio.whole.sum()
        low, high = np.clip(middle + self._widening(ratio, middle) * (ends - middle), 0, 1)
        return Interval(float(low), float(high), *settings)

    def _widening(self, ratio: Ratio, middle: float) -> float:
        """How much further the ends lie from the ratio, because annotators are a sample, too: 1 or more."""
        if self.annotator is None:
            return 1.0
        counted = ratio.whole > 0
        rest = (ratio.part - middle * ratio.whole)[counted]
        document, annotator = self.document[counted], self.annotator[counted]
        of_documents, of_annotators, of_both = (
            clustered(rest, cluster) for cluster in (document, annotator, document * self.annotators + annotator)
        )
        if of_documents <= 0:
            return 1.0
        added = max(0.0, of_annotators - of_both)
        few = stats.t.isf((1 - self.level) / 2, self.annotators - 1) / stats.norm.isf((1 - self.level) / 2)
        return float(np.sqrt(1 + few**2 * added / of_documents))


def clustered(rest: NDArray[np.float64], cluster: NDArray[np.intp]) -> float:
    """The variance of a sum of residuals, shape (n,), which are alike within clusters; 0 for a single cluster."""
    _, cluster = np.unique(cluster, return_inverse=True)
    sums = np.bincount(cluster, weights=rest)
    return float(sums @ sums) * len(sums) / (len(sums) - 1) if len(sums) > 1 else 0.0


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
