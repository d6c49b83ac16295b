"""Intervals by bootstrap over documents: pairs of one document are not independent, documents are."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
    """Draws of whole documents with replacement, and of annotators too, where there are several.

    Everything that is asked of one `Bootstrap` rests on the same draws. They depend on the seed and on the sets of
    documents and annotators alone, those without a pair to count included: metrics compared on the same documents are
    compared on the same draws. Raises `ValueError` for a level outside (0, 1) and less than one resample.
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
        """What is drawn, in words."""
        return "documents and annotators" if self.annotators > 1 else "documents"

    def intervals(self, ratios: Sequence[Ratio]) -> list[Interval]:
        """Percentile intervals of ratios of the pairs given at the start.

        An interval is undefined where fewer than two documents have a pair to count, by the whole of its ratio.
        """
        if not ratios:
            return []
        for ratio in ratios:
            same_length(pairs=ratio.whole, documents=self.document)
        columns = [column for ratio in ratios for column in ratio]
        cell = self.document * self.annotators + self.annotator
        size = self.documents * self.annotators
        sums: NDArray[np.float64] = np.stack(
            [np.bincount(cell, weights=column, minlength=size) for column in columns], axis=1, dtype=np.float64
        ).reshape(self.documents, self.annotators, len(columns))
        drawn = self._drawn(sums)
        return [
            self._interval(sums[:, :, 2 * place + 1], drawn[:, 2 * place], drawn[:, 2 * place + 1])
            for place in range(len(ratios))
        ]

    def _drawn(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up the sums of documents and annotators, shape (documents, annotators, k), over each resample."""
        documents, annotators, k = sums.shape
        drawn = np.zeros((self.resamples, k))
        if documents == 0:
            return drawn
        of_annotators = np.random.default_rng([self.seed, 2])
        flat = np.ascontiguousarray(sums.reshape(documents, annotators * k))
        for rows, weights in document_draws(documents, self.resamples, self.seed):
            block = (weights @ flat).reshape(-1, annotators, k)
            if annotators == 1:
                drawn[rows] = block[:, 0]
            else:
                picked = draw_weights(of_annotators, annotators, len(block))
                drawn[rows] = np.einsum("ra,rak->rk", picked, block)
        return drawn

    def _interval(
        self, whole: NDArray[np.float64], parts: NDArray[np.float64], wholes: NDArray[np.float64]
    ) -> Interval:
        settings = (self.level, self.resamples, self.seed)
        if np.count_nonzero(whole.sum(axis=1)) < 2:
            return Interval(None, None, *settings, "fewer than 2 documents have pairs to count")
        defined = wholes > 0
        if not defined.any():
            return Interval(None, None, *settings, "no resample has pairs to count")
        tail = (1 - self.level) / 2
        low, high = np.quantile(parts[defined] / wholes[defined], [tail, 1 - tail])
        return Interval(float(low), float(high), *settings)


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
    """Percentile intervals of one metric's agreement, drawing whole documents, and annotators where there are several.

    `human`, `difference` and `weights` are those of `agreement`, shape (n,); `documents` and `annotators` hold those
    of each pair. An interval is undefined where fewer than two documents have a pair that its rule counts.
    Raises `ValueError` as `agreement` and `Bootstrap`.
    """
    ratios = agreement_ratios(human, difference, weights)
    draws = Bootstrap(documents, annotators, level=level, resamples=resamples, seed=seed)
    same_length(pairs=ratios[0].whole, documents=draws.document)
    return Intervals(*draws.intervals(ratios))
