"""Judgments as arrays: choices as signs, pairs and annotators as numbers."""

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from relevance.analysis.arrays import Floats, Integers, list_labels, number_in_order, same_length

Counts = NDArray[np.int64]

CATEGORIES = 3
"""First, second and tie: the columns of a table of counts, in this order."""


def number_documents(pairs: Iterable[Hashable], documents: Iterable[Hashable] | None) -> Integers:
    """Return the number of each pair's document, shape (pairs,), with pairs in order of appearance."""
    pair, size = number_in_order(pairs)
    if documents is None:
        return np.arange(size)
    document, _ = number_in_order(documents)
    same_length(pairs=pair, documents=document)
    of_pair = np.empty(size, dtype=np.intp)
    of_pair[pair] = document
    if (of_pair[pair] != document).any():
        raise ValueError("a pair is of two documents")
    return of_pair


def read_choices(choices: ArrayLike) -> Floats:
    """Read choices as 1, -1 and 0 for a tie, shape (n,). Raises `ValueError` for other shapes and for NaN."""
    column = np.asarray(choices, dtype=np.float64)
    if column.ndim != 1:
        raise ValueError(f"choices must have one dimension, not {column.ndim}")
    if not np.isfinite(column).all():
        raise ValueError("choices must be finite: leave out what was not judged")
    return np.sign(column)


def number_annotators(annotators: Iterable[str]) -> tuple[Integers, list[str]]:
    """Return the number of each entry's annotator, shape (n,), and the sorted names."""
    values = list(annotators)
    names = sorted(set(values))
    number = {name: index for index, name in enumerate(names)}
    return np.fromiter(map(number.__getitem__, values), np.intp, len(values)), names


def check_judged_once(pair: Integers, annotator: Integers, names: list[str]) -> None:
    """Raise `ValueError` if an annotator judges a pair twice."""
    judgments = np.sort(pair * len(names) + annotator)
    twice = judgments[1:][judgments[1:] == judgments[:-1]]
    if len(twice):
        raise ValueError(f"{names[int(twice[0]) % len(names)]} judged the same pair more than once")


def number_categories(signs: Floats) -> Integers:
    """Number the categories of choices: 0 for the first, 1 for the second, 2 for a tie."""
    return np.where(signs > 0, 0, np.where(signs < 0, 1, 2)).astype(np.intp)


def count_choices(
    pairs: Iterable[Hashable], choices: ArrayLike, documents: Iterable[Hashable] | None
) -> tuple[Counts, Integers]:
    """Count each pair's choices of first, second and tie, shape (pairs, 3); also number its document, (pairs,)."""
    pairs, signs = list_labels(pairs), read_choices(choices)
    pair, size = number_in_order(pairs)
    same_length(pairs=pair, choices=signs)
    cells = np.bincount(pair * CATEGORIES + number_categories(signs), minlength=size * CATEGORIES)
    return cells.reshape(size, CATEGORIES).astype(np.int64), number_documents(pairs, documents)
