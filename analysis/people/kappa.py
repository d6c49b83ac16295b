"""Cohen's kappa of every two annotators."""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from relevance.analysis.arrays import LEVEL, Integers, list_labels, number_in_order, same_length
from relevance.analysis.people.judgments import (
    CATEGORIES,
    check_judged_once,
    number_annotators,
    number_categories,
    number_documents,
    read_choices,
)
from relevance.analysis.people.reliability import corrected_interval


class Kappa(NamedTuple):
    """Cohen's kappa of two annotators, over the pairs that both judged."""

    first: str
    second: str
    kappa: float | None
    low: float | None
    high: float | None
    n: int
    """Pairs that both judged."""
    agreement: float | None
    """The share of them with the same category (first, second or tie), in [0, 1]."""
    level: float
    """The coverage of the interval, such as .95."""
    reason: str | None = None
    """The reason why kappa, or only the interval, is undefined, or None."""


def cohen_kappas(
    pairs: Iterable[Hashable],
    annotators: Iterable[str],
    choices: ArrayLike,
    documents: Iterable[Hashable] | None = None,
) -> list[Kappa]:
    """Compute Cohen's kappa (categories first, second and tie) of every two annotators who share a pair.

    Sorted by the two names, the earlier one first in each. Undefined for fewer than two shared pairs, and if both use
    one and the same category only; see `krippendorff_alpha` for the interval and `documents`.

    >>> found = cohen_kappas(["p", "p", "q", "q"], ["Ann", "Ben", "Ann", "Ben"], [1, 1, -1, -1])
    >>> [(one.first, one.second, one.kappa) for one in found]
    [('Ann', 'Ben', 1.0)]
    """
    pairs = list_labels(pairs)
    of_pair = number_documents(pairs, documents)
    signs = read_choices(choices)
    pair, size = number_in_order(pairs)
    annotator, names = number_annotators(annotators)
    same_length(pairs=pair, annotators=annotator, choices=signs)
    check_judged_once(pair, annotator, names)
    seen = csr_array((np.ones(len(pair)), (pair, annotator)), shape=(size, len(names)))
    met = np.nonzero(np.triu((seen.T @ seen).toarray(), k=1))
    judged = [np.flatnonzero(annotator == number) for number in range(len(names))]
    categories = number_categories(signs)
    kappas = []
    for first, second in np.transpose(met).tolist():
        shared, here, there = np.intersect1d(
            pair[judged[first]], pair[judged[second]], assume_unique=True, return_indices=True
        )
        rows, columns = categories[judged[first][here]], categories[judged[second][there]]
        kappas.append(compute_kappa(names[first], names[second], rows, columns, of_pair[shared]))
    return kappas


def compute_kappa(first: str, second: str, rows: Integers, columns: Integers, document: Integers) -> Kappa:
    """Compute two annotators' kappa from their categories and the document of each shared pair, shapes (n,)."""
    n = len(rows)
    agreement = int(np.count_nonzero(rows == columns)) / n

    def undefined(reason: str, kappa: float | None = None) -> Kappa:
        return Kappa(first, second, kappa, None, None, n, agreement, LEVEL, reason)

    if n < 2:
        return undefined("fewer than 2 shared pairs")
    of_rows, of_columns = (np.bincount(chosen, minlength=CATEGORIES) for chosen in (rows, columns))
    chance = int(of_rows @ of_columns) / n**2  # in whole numbers, so that a chance agreement of 1 is found exactly
    if chance == 1:
        return undefined("both chose one and the same category throughout")
    kappa = (agreement - chance) / (1 - chance)
    if len(np.unique(document)) < 2:
        return undefined("no interval: fewer than 2 documents have shared pairs", kappa)
    rest = (rows == columns) - agreement - (1 - kappa) * ((of_columns[rows] + of_rows[columns]) / n - 2 * chance)
    low, high = corrected_interval(agreement, chance, rest, np.ones(n), document)
    return Kappa(first, second, kappa, min(low, kappa), max(high, kappa), n, agreement, LEVEL)
