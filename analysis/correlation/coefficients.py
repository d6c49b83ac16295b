"""Pearson's, Spearman's and Kendall's coefficients of many columns at once."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from relevance.analysis.arrays import LARGEST, Floats, keep_names, number_by_text
from relevance.data.ties import TIE

Method = Literal["pearson", "spearman", "kendall"]

METHODS: tuple[Method, ...] = get_args(Method)

BATCH = 1 << 21
"""The most numbers in an intermediate array: 16 MiB."""

WIDE = 200
"""Cells per row above which sorting (scipy, row by row) beats comparing all pairs of cells."""


def known_methods(methods: Sequence[str]) -> None:
    """Raise `ValueError` naming the first unknown method."""
    for method in methods:
        if method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method}")


def number_cells(
    documents: Iterable[Hashable], systems: Iterable[Hashable]
) -> tuple[NDArray[np.intp], int, NDArray[np.intp], int]:
    """Number the documents and the systems of cells: two columns, shape (n,), each with the count of its labels.

    Raises `ValueError` for columns of different lengths and two cells of one document and system.
    """
    documents, systems = keep_names(documents), keep_names(systems)
    document, document_count = number_by_text(documents)
    system, system_count = number_by_text(systems)
    if len(documents) == len(systems):  # otherwise the caller's own check names all columns
        place = np.sort(document * system_count + system)
        twice = place[1:][np.diff(place) == 0]
        if len(twice):
            at = int(np.flatnonzero(document * system_count + system == twice[0])[0])
            raise ValueError(f"document {documents[at]} has more than one cell of system {systems[at]}")
    return document, document_count, system, system_count


def by_document(
    document: NDArray[np.intp], document_count: int, *columns: NDArray[np.float64]
) -> tuple[NDArray[np.float64], ...]:
    """Arrange columns of cells, shape (..., n), in one row for each document, filled up with NaN.

    The shape of each result is (..., documents, most cells of a document).
    """
    order = np.argsort(document, kind="stable")
    cells = np.bincount(document, minlength=document_count)
    row = document[order]
    column = np.arange(len(order)) - (np.cumsum(cells) - cells)[row]
    arranged = []
    for values in columns:
        rows = np.full((*values.shape[:-1], document_count, int(cells.max(initial=0))), np.nan)
        rows[..., row, column] = values[..., order]
        arranged.append(rows)
    return tuple(arranged)


def coefficients(
    x: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64], method: Method
) -> NDArray[np.float64]:
    """Correlate each row of x with that of y, both of shape (rows, n); NaN where either side is constant.

    `weights`, of the same shape, is the number of times that each value counts in its row, mostly 0 or 1; values of
    weight 0 do not matter.
    """
    if method == "pearson":
        return pearson(x, y, weights)
    if method == "spearman":
        r = pearson(mid_ranks(x, weights), mid_ranks(y, weights), weights)
    else:
        r = compute_kendall(x, y, weights)
    return np.where(is_varied(x, weights) & is_varied(y, weights), r, np.nan)


def is_varied(values: NDArray[np.float64], weights: NDArray[np.float64] | NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell whether the values with a weight differ by more than 1e-9, for each row: shape (rows,)."""
    there = weights > 0
    high = np.where(there, values, -np.inf).max(axis=-1, initial=-np.inf)
    low = np.where(there, values, np.inf).min(axis=-1, initial=np.inf)
    return np.asarray(high - low > TIE)


def mid_ranks(values: NDArray[np.float64], weights: NDArray[np.float64], tie: float = 0.0) -> NDArray[np.float64]:
    """Rank each row from 1, shape (rows, n); values within `tie` of the next one share their mean rank.

    A value of weight 2 takes two ranks and gets the mean of them.
    """
    if values.size == 0:
        return np.zeros_like(weights)
    # values without weight go to the end, beyond any other value
    values = np.where(weights > 0, values, 10 * LARGEST)
    order = np.argsort(values, axis=1)
    values = np.take_along_axis(values, order, axis=1)
    ordered = np.take_along_axis(weights, order, axis=1)
    through = np.cumsum(ordered, axis=1)
    first = np.diff(values, axis=1, prepend=-np.inf) > tie
    last = np.ones_like(first)
    last[:, :-1] = first[:, 1:]
    # the weight before each run of tied values and that through its end
    start = np.maximum.accumulate(np.where(first, through - ordered, 0), axis=1)
    end = np.minimum.accumulate(np.where(last, through, np.inf)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty_like(values)
    np.put_along_axis(ranks, order, (start + end + 1) / 2, axis=1)
    return ranks


def pearson(x: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute Pearson's coefficient of each row; takes and returns what `coefficients` does."""
    return correlate_standardized(standardize(x, weights), standardize(y, weights), weights)


def standardize(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centre each row and scale it to length 1, shape (rows, n); constant rows become NaN."""
    varied = is_varied(values, weights)
    total = np.where(varied, weights.sum(axis=1), 1.0)[:, None]
    there = weights > 0
    centred = np.where(there, values, 0.0)
    for _ in range(2):  # twice, because the mean is rounded where values differ little relative to it
        centred = np.where(there, centred - (weights * centred).sum(axis=1, keepdims=True) / total, 0.0)
    length = np.sqrt((weights * centred**2).sum(axis=1))
    return np.asarray(centred / np.where(varied, length, np.nan)[:, None])


def correlate_standardized(
    x: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute Pearson's coefficient of rows that were standardized under the same weights."""
    if x.shape[1] == 0:
        return np.full(len(x), np.nan)
    return np.asarray(np.clip((weights * x * y).sum(axis=1), -1, 1))


def coefficients_of_means(columns: Floats, weights: Floats, pairs: Sequence[tuple[int, int]], method: Method) -> Floats:
    """Correlate pairs of columns of means, shape (columns, rows, n), as `coefficients` does: shape (rows, pairs).

    Means within 1e-9 of the next are tied. Each column is ranked and standardized once for all of its pairs.
    """
    r = np.empty((len(weights), len(pairs)))
    for rows in slice_rows(len(weights), len(columns) * weights.shape[1]):
        times, sides = weights[rows], columns[:, rows]
        if method != "pearson":
            sides = np.stack([mid_ranks(values, times, TIE) for values in sides])
        if method != "kendall":
            sides = np.stack([standardize(values, times) for values in sides])
        for pair, (x, y) in enumerate(pairs):
            if method == "kendall":
                r[rows, pair] = coefficients(sides[x], sides[y], times, method)
            else:
                r[rows, pair] = correlate_standardized(sides[x], sides[y], times)
    return r


def pair_signs(values: NDArray[np.float64]) -> NDArray[np.int8]:
    """Compare all pairs (s, t) of a row, s < t: 1 if s is higher, -1 if t is, otherwise 0, also for NaN.

    The shape (..., n) becomes (..., n (n - 1) / 2).
    """
    first, second = np.triu_indices(values.shape[-1], 1)
    left, right = np.take(values, first, axis=-1), np.take(values, second, axis=-1)
    return (left > right).view(np.int8) - (left < right).view(np.int8)


def compute_kendall(
    x: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute tau-b of each row, as `coefficients` does, but without a tolerance: any difference counts."""
    rows, n = weights.shape
    if n > WIDE:
        return np.array([sorted_kendall(*row) for row in zip(x, y, weights.astype(np.intp), strict=True)])
    r = np.full(rows, np.nan)
    first, second = np.triu_indices(n, 1)
    for part in slice_rows(rows, len(first)):
        x_signs, y_signs = pair_signs(x[part]), pair_signs(y[part])
        pairs = weights[part, first] * weights[part, second]  # copies of one cell tie on both sides
        r[part] = ratio(
            np.einsum("rp,rp->r", pairs, x_signs * y_signs),
            np.einsum("rp,rp->r", pairs, np.abs(x_signs)),
            np.einsum("rp,rp->r", pairs, np.abs(y_signs)),
        )
    return r


def sorted_kendall(x: NDArray[np.float64], y: NDArray[np.float64], times: NDArray[np.intp]) -> float:
    """Compute tau-b of one draw, in which each cell stands `times` times, by sorting."""
    x, y = np.repeat(x, times), np.repeat(y, times)  # copies of one cell tie on both sides
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(stats.kendalltau(x, y, variant="b").statistic)


def ratio(joint: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide a joint sum by the root of both sides' sums: a coefficient, or NaN if either sum is 0."""
    defined = (x > 0) & (y > 0)
    sizes = np.sqrt(np.where(defined, x, 1)) * np.sqrt(np.where(defined, y, 1))
    return np.where(defined, np.clip(joint / sizes, -1, 1), np.nan)


def slice_rows(rows: int, width: int) -> Iterator[slice]:
    """Cut rows of some width into slices of at most two million numbers, or of one row."""
    step = max(1, BATCH // max(1, width))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


SURE = 1e-3
"""The share of the mean square below which a variance has too few digits left."""


def from_sums(n: Floats, x: Floats, y: Floats, xx: Floats, yy: Floats, xy: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Compute Pearson's r from sums; also tell where it has enough digits and neither side can be constant."""
    x_variance, y_variance = n * xx - x**2, n * yy - y**2
    sure = (x_variance > np.maximum(SURE * n * xx, (n * TIE) ** 2)) & (
        y_variance > np.maximum(SURE * n * yy, (n * TIE) ** 2)
    )
    return ratio(n * xy - x * y, x_variance, y_variance), sure
