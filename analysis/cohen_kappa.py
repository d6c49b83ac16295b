"""Cohen's kappa of every two annotators."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from analysis.arrays import ROUNDING, Floats, Integers, check_level, list_labels, number_in_order, same_length
from analysis.judgments import (
    CATEGORIES,
    check_judged_once,
    divide,
    number_annotators,
    number_categories,
    number_documents,
    read_choices,
    read_counts,
)
from analysis.reliability import corrected_interval


class Kappa(NamedTuple):
    """Cohen's kappa of two annotators, over the pairs that both judged."""

    first: str
    """One annotator."""
    second: str
    """The other one."""
    kappa: float | None
    """The coefficient, in [-1, 1]."""
    low: float | None
    """The lower end of its interval."""
    high: float | None
    """The upper end of its interval."""
    n: int
    """Pairs that both judged."""
    agreement: float | None
    """The share of them with the same category (first, second or tie), in [0, 1]."""
    level: float
    """The coverage of the interval, such as .95."""
    reason: str | None = None
    """Why kappa, or only the interval, is undefined, or None."""


def cohen_kappas(
    pairs: Iterable[Hashable],
    annotators: Iterable[str],
    choices: ArrayLike,
    documents: Iterable[Hashable] | None = None,
    *,
    level: float = 0.95,
) -> list[Kappa]:
    """Cohen's kappa (categories first, second and tie) of every two annotators who judged a pair in common.

    Sorted by the two names, the earlier one first in each. See `cohen` for what is undefined, and
    `krippendorff_alpha` for the interval and `documents`.
    """
    pairs = list_labels(pairs)
    of_pair = number_documents(pairs, documents)
    signs = read_choices(choices)
    pair, size = number_in_order(pairs)
    annotator, names = number_annotators(annotators)
    same_length(pairs=pair, annotators=annotator, choices=signs)
    check_judged_once(pair, annotator, names)
    # one column for each annotator and category: the product counts the pairs in which two of them meet
    cells = csr_array(
        (np.ones(len(pair)), (pair, annotator * CATEGORIES + number_categories(signs))),
        shape=(size, len(names) * CATEGORIES),
    )
    met = (cells.T @ cells).toarray().reshape(len(names), CATEGORIES, len(names), CATEGORIES).swapaxes(1, 2)
    first, second = np.nonzero(np.triu(met.sum(axis=(2, 3)), k=1))
    tables = met[first, second]
    who = [(names[i], names[j]) for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    judged = [np.flatnonzero(annotator == number) for number in range(len(names))]
    categories = number_categories(signs)
    results = []
    for found, one, other in zip(_cohens(who, tables, level), first.tolist(), second.tolist(), strict=True):
        shared, here, there = np.intersect1d(
            pair[judged[one]], pair[judged[other]], assume_unique=True, return_indices=True
        )
        rows, columns = categories[judged[one][here]], categories[judged[other][there]]
        results.append(_over_documents(found, rows, columns, of_pair[shared]))
    return results


def _over_documents(found: Kappa, rows: Integers, columns: Integers, document: Integers) -> Kappa:
    """A kappa with the interval over documents, from the two categories and the document of each pair, shapes (n,)."""
    if found.kappa is None or found.agreement is None:
        return found
    if len(np.unique(document)) < 2:
        return found._replace(low=None, high=None, reason="no interval: fewer than 2 documents have shared pairs")
    of_rows, of_columns = (np.bincount(chosen, minlength=CATEGORIES) / len(rows) for chosen in (rows, columns))
    chance = float(of_rows @ of_columns)
    rest = (rows == columns) - found.agreement - (1 - found.kappa) * (of_columns[rows] + of_rows[columns] - 2 * chance)
    low, high = corrected_interval(found.agreement, chance, rest, np.ones(len(rows)), document, found.level)
    return found._replace(low=min(low, found.kappa), high=max(high, found.kappa), reason=None)


def cohen(table: ArrayLike, *, level: float = 0.95, first: str = "first", second: str = "second") -> Kappa:
    """Cohen's kappa of counts, shape (categories, categories): rows are one annotator's choice, columns the other's.

    The interval is asymptotic, from the standard error under the alternative (Fleiss, Cohen & Everitt 1969,
    Psychological Bulletin 72, formula 13). Kappa is undefined with fewer than two items and where both use one and the
    same category only, the interval alone where the variance comes out as 0: there the formula says nothing.
    Raises `ValueError` for tables that are not square and for counts that are not whole numbers from 0 on.
    """
    counts = read_counts(table)
    if counts.shape[0] != counts.shape[1]:
        raise ValueError(f"the table must be square, not of shape {counts.shape}")
    return _cohens([(first, second)], counts[None].astype(np.float64), level)[0]


def _cohens(who: list[tuple[str, str]], tables: Floats, level: float) -> list[Kappa]:
    """The kappas of tables, shape (len(who), categories, categories)."""
    check_level(level)
    n = tables.sum(axis=(1, 2))
    shares = divide(tables, n[:, None, None])
    rows, columns = shares.sum(axis=2), shares.sum(axis=1)
    agreed = np.trace(tables, axis1=1, axis2=2)
    agreement = divide(agreed, n)
    # in whole numbers, so that a chance agreement of 1 is found exactly
    chance = divide((tables.sum(axis=2) * tables.sum(axis=1)).sum(axis=1), n**2)
    kappa = divide(agreement - chance, 1 - chance)
    rest = (1 - kappa)[:, None]
    diagonal = np.diagonal(shares, axis1=1, axis2=2)
    on = (diagonal * (1 - (rows + columns) * rest) ** 2).sum(axis=1)
    crossed = (columns[:, :, None] + rows[:, None, :]) ** 2
    off = (shares * crossed).sum(axis=(1, 2)) - (diagonal * np.diagonal(crossed, axis1=1, axis2=2)).sum(axis=1)
    spread = on + rest[:, 0] ** 2 * off - (kappa - chance * rest[:, 0]) ** 2
    variance = divide(spread, (1 - chance) ** 2 * n)
    half = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(np.where(spread > ROUNDING, variance, 0))
    results = []
    for names, value, width, count, share in zip(
        who, kappa.tolist(), half.tolist(), n.tolist(), agreement.tolist(), strict=True
    ):
        raw = share if count else None
        if count < 2:
            results.append(Kappa(*names, None, None, None, int(count), raw, level, "fewer than 2 shared pairs"))
        elif np.isnan(value):
            reason = "both chose one and the same category throughout"
            results.append(Kappa(*names, None, None, None, int(count), raw, level, reason))
        elif width == 0:
            reason = "no interval: the asymptotic variance is 0"
            results.append(Kappa(*names, value, None, None, int(count), raw, level, reason))
        else:
            results.append(Kappa(*names, value, value - width, value + width, int(count), raw, level))
    return results
