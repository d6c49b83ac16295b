"""How a metric's scores correlate with human ratings, at three levels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.arrays import read_numbers, same_length
from analysis.coefficients import Method, by_document, coefficients, known_methods, mid_ranks, number_cells
from data.preferences import TIE


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
    """Correlate two scores of the same cells; `kendall` is tau-b, and ties share their mean rank in `spearman`.

    `x` and `y`, shape (n,), hold the scores of each cell, `documents` and `systems` its document and its
    system. A cell where either score is NaN is left out of everything, the systems' means too. A side is
    constant, and the coefficient undefined, where its scores lie within 1e-9 of each other. At the system
    level of the rank methods, means within 1e-9 of the next are tied.

    Otherwise the rank methods take scores as they are, as public libraries do: ROUGE's noise of 1e-16 parts a
    few tied scores. On SummEval that moves tau-b at the input level by at most .0004 (rouge1 against the
    first reference: .1970, without the noise .1972).
    Raises `ValueError` for other shapes, infinite numbers, two cells of one document and system, and unknown
    methods.
    """
    known_methods([method])
    x, y = read_numbers(x, "x"), read_numbers(y, "y")
    document, document_count, system, system_count = number_cells(documents, systems)
    same_length(x=x, y=y, documents=document, systems=system)
    both = in_order(document, system)
    both = both[~(np.isnan(x) | np.isnan(y))[both]]
    x, y, document, system = x[both], y[both], document[both], system[both]

    cells = np.bincount(system, minlength=system_count)
    scored = cells > 0
    x_means, y_means = (np.bincount(system, scores, system_count)[scored] / cells[scored] for scores in (x, y))
    if method != "pearson":  # means carry noise of their own, which parts what is tied
        x_means, y_means = (mid_ranks(means[None], np.ones((1, len(means))), TIE)[0] for means in (x_means, y_means))
    return Levels(
        global_=_correlation(x, y, "cells", method),
        input=_within(x, y, document, document_count, method),
        system=_correlation(x_means, y_means, "systems", method),
    )


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64], unit: str, method: Method) -> Correlation:
    if len(x) < 2:
        return Correlation(None, len(x), reason=f"fewer than 2 {unit} have both scores")
    r = float(coefficients(x[None], y[None], np.ones((1, len(x))), method)[0])
    if np.isnan(r):
        return Correlation(None, len(x), reason="either side is constant")
    return Correlation(r, len(x))


def _within(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    document: NDArray[np.intp],
    document_count: int,
    method: Method,
) -> Correlation:
    """Average over documents; `document_count` includes those that have no cell left."""
    x_rows, y_rows = by_document(document, document_count, x, y)
    found = coefficients(x_rows, y_rows, (~np.isnan(x_rows)).astype(np.float64), method)
    defined = found[~np.isnan(found)]
    left_out = len(found) - len(defined)
    if len(defined) == 0:
        reason = "in every document either side is constant or has fewer than 2 cells"
        return Correlation(None, 0, left_out, reason)
    return Correlation(float(np.mean(defined)), len(defined), left_out)


def in_order(document: NDArray[np.intp], system: NDArray[np.intp]) -> NDArray[np.intp]:
    """Sort cells by document, then by system, so that sums and draws do not depend on the order of a file's rows."""
    return np.lexsort((system, document))
