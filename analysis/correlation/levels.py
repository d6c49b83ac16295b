"""Correlations of a metric's scores with human ratings, at three levels."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from relevance.analysis.arrays import Floats, Integers, read_numbers, same_length
from relevance.analysis.correlation.coefficients import Method, by_document, known_methods, mid_ranks, number_cells
from relevance.analysis.correlation.rows import correlate_rows
from relevance.data.ties import TIE


class Correlation(NamedTuple):
    """A coefficient in [-1, 1], or the reason why there is none."""

    r: float | None
    n: int
    """The number of cells at the global level, of documents at the input level, of systems at the system level."""
    left_out: int = 0
    """Documents left out at the input level, because either side is constant or has fewer than two cells."""
    reason: str | None = None


class Levels(NamedTuple):
    """One coefficient at the three levels of aggregation."""

    global_: Correlation
    """Over all cells pooled."""
    input: Correlation
    """The mean over documents of the coefficient within each."""
    system: Correlation
    """Over the systems' means."""


class Correlated(NamedTuple):
    """Pairs of columns, correlated by some methods."""

    levels: dict[tuple[str, str], dict[Method, Levels]]
    within: dict[tuple[tuple[str, str], Method], Floats]
    """The coefficient within each document, shape (documents,) in the order of `number_cells`, NaN if undefined."""


def correlate(
    x: ArrayLike,
    y: ArrayLike,
    documents: Iterable[Hashable],
    systems: Iterable[Hashable],
    *,
    method: Method = "pearson",
) -> Levels:
    """Correlate two scores of the same cells; `kendall` is tau-b, and ties share their mean rank in `spearman`.

    `x` and `y`, shape (n,), hold the scores of each cell, `documents` and `systems` its document and its system. A cell
    is left out of everything, including the systems' means, if either score is NaN. A side is constant, and the
    coefficient undefined, if its scores are within 1e-9 of each other. At the system level of the rank methods, means
    within 1e-9 of the next are tied. Otherwise the rank methods take scores as they are, as public libraries do:
    ROUGE's noise separates a few tied scores.
    Raises `ValueError` for other shapes, infinite numbers, two cells of one document and system, and unknown
    methods.

    >>> found = correlate([1, 2, 4], [0.1, 0.3, 0.4], ["a", "b", "c"], ["S", "S", "S"])
    >>> round(found.global_.r, 3), found.system.reason
    (0.929, 'fewer than 2 systems have both scores')
    """
    correlations = correlate_pairs({"x": x, "y": y}, [("x", "y")], documents, systems, methods=[method])
    return correlations.levels["x", "y"][method]


def correlate_pairs(
    columns: Mapping[str, ArrayLike],
    pairs: Iterable[tuple[str, str]],
    documents: Iterable[Hashable],
    systems: Iterable[Hashable],
    *,
    methods: Sequence[Method] = ("pearson",),
) -> Correlated:
    """Correlate pairs of columns of the same cells, as `correlate` does, by each of some methods."""
    known_methods(methods)
    scores = {name: read_numbers(values, name) for name, values in columns.items()}
    document, document_count, system, system_count = number_cells(documents, systems)
    same_length(**scores, documents=document, systems=system)
    order = in_order(document, system)
    document, system = document[order], system[order]
    scores = {name: values[order] for name, values in scores.items()}
    pairs = list(dict.fromkeys(pairs))
    alike: dict[bytes, list[tuple[str, str]]] = {}
    for first, second in pairs:
        there = ~(np.isnan(scores[first]) | np.isnan(scores[second]))
        alike.setdefault(np.packbits(there).tobytes(), []).append((first, second))
    levels: dict[tuple[str, str], dict[Method, Levels]] = {}
    within: dict[tuple[tuple[str, str], Method], Floats] = {}
    for packed, group in alike.items():
        both = np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=len(document)).astype(np.bool_)
        names = list(dict.fromkeys(name for pair in group for name in pair))
        cells = np.stack([scores[name][both] for name in names])
        places = [(names.index(first), names.index(second)) for first, second in group]
        of_pairs, of_documents = correlate_complete(
            cells, places, document[both], document_count, system[both], system_count, tuple(methods)
        )
        levels.update(zip(group, of_pairs, strict=True))
        for method, coefficients in of_documents.items():
            within.update(((pair, method), r) for pair, r in zip(group, coefficients, strict=True))
    return Correlated({pair: levels[pair] for pair in pairs}, within)


def correlate_complete(
    cells: Floats,
    pairs: Sequence[tuple[int, int]],
    document: Integers,
    document_count: int,
    system: Integers,
    system_count: int,
    methods: Sequence[Method],
) -> tuple[list[dict[Method, Levels]], dict[Method, Floats]]:
    """Correlate pairs of columns, shape (columns, cells), that have no missing values, by each of some methods.

    `document` and `system` number the document and the system of each cell. Also returns the coefficients within
    documents, shape (pairs, documents), by method.
    """
    means = np.stack([system_means(side, system, system_count) for side in cells])
    ranks = mid_ranks(means, np.ones(means.shape), TIE)  # means have noise of their own, which would separate ties
    (rows,) = by_document(document, document_count, cells)
    weights = (~np.isnan(rows[0])).astype(np.float64)
    of_documents: dict[Method, Floats] = {}
    results: list[dict[Method, Levels]] = [{} for _ in pairs]
    for method in methods:
        of_cells = correlations(cells, pairs, "cells", method)
        of_documents[method] = correlate_rows(rows, weights, pairs, method)
        within = [average(coefficients) for coefficients in of_documents[method]]
        of_systems = correlations(means if method == "pearson" else ranks, pairs, "systems", method)
        for place, levels in enumerate(zip(of_cells, within, of_systems, strict=True)):
            results[place][method] = Levels(*levels)
    return results, of_documents


def system_means(scores: Floats, system: Integers, system_count: int) -> Floats:
    """Average the cells of each system with cells."""
    cells = np.bincount(system, minlength=system_count)
    scored = cells > 0
    return np.asarray(np.bincount(system, scores, system_count)[scored] / cells[scored])


def correlations(columns: Floats, pairs: Sequence[tuple[int, int]], unit: str, method: Method) -> list[Correlation]:
    """Correlate pairs of columns, shape (columns, units), or say why a coefficient is undefined."""
    n = columns.shape[1]
    if n < 2:
        return [Correlation(None, n, reason=f"fewer than 2 {unit} have both scores")] * len(pairs)
    coefficients = correlate_rows(columns[:, None], np.ones((1, n)), pairs, method)[:, 0].tolist()
    constant = Correlation(None, n, reason="either side is constant")
    return [constant if math.isnan(r) else Correlation(r, n) for r in coefficients]


def average(coefficients: Floats) -> Correlation:
    """Average coefficients over documents, of which those without cells have none."""
    defined = coefficients[~np.isnan(coefficients)]
    left_out = len(coefficients) - len(defined)
    if len(defined) == 0:
        reason = "in every document either side is constant or has fewer than 2 cells"
        return Correlation(None, 0, left_out, reason)
    return Correlation(float(np.mean(defined)), len(defined), left_out)


def in_order(document: NDArray[np.intp], system: NDArray[np.intp]) -> NDArray[np.intp]:
    """Sort cells by document, then by system, so that sums and draws do not depend on the order of a file's rows."""
    return np.lexsort((system, document))
