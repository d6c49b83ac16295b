"""How a metric's scores correlate with human ratings, at three levels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from metrics.base import TIE
from metrics.meta_evaluation.arrays import numbered, numbers, same_length

Method = Literal["pearson", "kendall"]


class Correlation(NamedTuple):
    """A coefficient in [-1, 1], or the reason why there is none."""

    r: float | None
    """The coefficient."""
    n: int
    """What it rests on: cells at the global level, documents at the input, systems at the system level."""
    left_out: int = 0
    """Documents left out at the input level, because either side is constant or has fewer than two cells."""
    reason: str | None = None
    """Why it is undefined, or None."""


class Levels(NamedTuple):
    """One coefficient at the three levels of aggregation."""

    global_: Correlation
    """Over all cells pooled."""
    input: Correlation
    """The mean over documents of the coefficient within each."""
    system: Correlation
    """Over the systems' means."""


def correlate(
    x: ArrayLike,
    y: ArrayLike,
    documents: Iterable[Hashable],
    systems: Iterable[Hashable],
    *,
    method: Method = "pearson",
) -> Levels:
    """Correlate two scores of the same cells; `kendall` is tau-b.

    `x` and `y`, shape (n,), hold the scores of each cell, `documents` and `systems` its document and its
    system. A cell where either score is NaN is left out of everything, the systems' means too. A side is
    constant, and the coefficient undefined, where its scores lie within 1e-9 of each other.

    Otherwise Kendall takes scores as they are, as public libraries do: ROUGE's noise of 1e-16 parts a few
    tied scores. On SummEval that moves tau-b at the input level by at most .0004 (rouge1 against the first
    reference: .1970, without the noise .1972).
    Raises `ValueError` for other shapes, infinite numbers and unknown methods.
    """
    if method not in get_args(Method):
        raise ValueError(f"method must be one of {', '.join(get_args(Method))}, not {method}")
    x, y = numbers(x, "x"), numbers(y, "y")
    document, document_count = numbered(documents)
    system, _ = numbered(systems)
    same_length(x=x, y=y, documents=document, systems=system)
    both = ~(np.isnan(x) | np.isnan(y))
    x, y, document, system = x[both], y[both], document[both], system[both]

    cells_of_systems = np.bincount(system)
    scored = cells_of_systems > 0
    x_means, y_means = (np.bincount(system, weights=scores)[scored] / cells_of_systems[scored] for scores in (x, y))
    if method == "kendall":  # means carry noise of their own: it depends on the order of the cells
        x_means, y_means = _ranks(x_means), _ranks(y_means)
    return Levels(
        global_=_correlation(x, y, "cells", method),
        input=_within(x, y, document, document_count, method),
        system=_correlation(x_means, y_means, "systems", method),
    )


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64], unit: str, method: Method) -> Correlation:
    if len(x) < 2:
        return Correlation(None, len(x), reason=f"fewer than 2 {unit} have both scores")
    r = _coefficient(x, y, method)
    return Correlation(r, len(x), reason="either side is constant" if r is None else None)


def _within(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    document: NDArray[np.intp],
    document_count: int,
    method: Method,
) -> Correlation:
    """Average over documents; `document_count` includes those that have no cell left."""
    order = np.argsort(document, kind="stable")
    starts = np.flatnonzero(np.diff(document[order])) + 1
    found = [_coefficient(x[cells], y[cells], method) for cells in np.split(order, starts)]
    defined = [r for r in found if r is not None]
    left_out = document_count - len(defined)
    if not defined:
        reason = "in every document either side is constant or has fewer than 2 cells"
        return Correlation(None, 0, left_out, reason)
    return Correlation(float(np.mean(defined)), len(defined), left_out)


def _coefficient(x: NDArray[np.float64], y: NDArray[np.float64], method: Method) -> float | None:
    """Compute the coefficient; None where either side is constant or has fewer than two values."""
    if len(x) < 2 or np.ptp(x) <= TIE or np.ptp(y) <= TIE:
        return None
    if method == "kendall":
        return float(stats.kendalltau(x, y, variant="b").statistic)
    # centred, because scipy warns of values that differ by little beside their mean
    return float(stats.pearsonr(x - x.mean(), y - y.mean()).statistic)


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank values from 1 without gaps; neighbours within 1e-9 share a rank."""
    order = np.argsort(values)
    ranks = np.empty_like(values)
    ranks[order] = np.cumsum(np.diff(values[order], prepend=-np.inf) > TIE)
    return ranks
