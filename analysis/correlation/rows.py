"""Correlations of many pairs of columns, row by row: a column is ranked and standardized once for all of its pairs."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from relevance.analysis.arrays import Floats
from relevance.analysis.correlation.coefficients import (
    Method,
    coefficients,
    correlate_standardized,
    is_varied,
    mid_ranks,
    pair_signs,
    ratio,
    slice_rows,
    standardize,
)

WIDE = 64
"""Cells per row above which two columns are compared at a time: signs of all pairs of cells would be too many."""


def correlate_rows(columns: Floats, weights: Floats, pairs: Sequence[tuple[int, int]], method: Method) -> Floats:
    """Compute the `coefficients` of pairs of columns, shape (columns, rows, n): shape (pairs, rows).

    `weights`, of shape (rows, n), are 1 for a value and 0 for a missing one.
    """
    _, rows, n = columns.shape
    if method == "kendall" and n > WIDE:
        with ThreadPoolExecutor(2) as threads:
            of_pairs = threads.map(
                lambda pair: coefficients(columns[pair[0]], columns[pair[1]], weights, method), pairs
            )
            return np.array(list(of_pairs)).reshape(len(pairs), rows)
    r = np.empty((len(pairs), rows))
    width = len(columns) * (n * (n - 1) // 2 if method == "kendall" else n)
    with ThreadPoolExecutor(2) as threads:
        # the row of all cells is as wide as a table, and is not cut
        for part in slice_rows(rows, width):
            r[:, part] = correlate_part(columns[:, part], weights[part], pairs, method, threads)
    return r


def correlate_part(
    columns: Floats, weights: Floats, pairs: Sequence[tuple[int, int]], method: Method, threads: ThreadPoolExecutor
) -> Floats:
    """Compute the coefficients of pairs of columns in some resamples, shape (pairs, resamples)."""
    coefficients = np.empty((len(pairs), len(weights)))
    vary = list(threads.map(lambda side: is_varied(side, weights), columns))
    if method == "kendall":
        first, second = np.triu_indices(weights.shape[1], 1)
        there = (weights[:, first] * weights[:, second]).astype(np.int8)
        signs = list(threads.map(lambda side: pair_signs(side) * there, columns))
        untied = [np.count_nonzero(sign, axis=1).astype(np.float64) for sign in signs]

        def correlate(pair: tuple[int, int]) -> Floats:
            x, y = pair
            return ratio((signs[x] * signs[y]).sum(axis=1, dtype=np.int16), untied[x], untied[y])
    else:

        def prepare(side: Floats) -> Floats:
            return standardize(side if method == "pearson" else mid_ranks(side, weights), weights)

        sides = list(threads.map(prepare, columns))

        def correlate(pair: tuple[int, int]) -> Floats:
            x, y = pair
            return correlate_standardized(sides[x], sides[y], weights)

    for place, ((x, y), r) in enumerate(zip(pairs, threads.map(correlate, pairs), strict=True)):
        coefficients[place] = np.where(vary[x] & vary[y], r, np.nan)
    return coefficients
