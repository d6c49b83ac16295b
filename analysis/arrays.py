"""The arrays that the functions of this package take: columns of numbers and columns of labels."""

from collections.abc import Callable, Hashable, Iterable, Sequence, Sized
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from relevance.data.names import NameColumn
from relevance.data.sorting import natural_order

Floats = NDArray[np.float64]

Integers = NDArray[np.intp]

LEVEL = 0.95
"""The default coverage of intervals."""


class Draws(NamedTuple):
    """The settings of an interval from resamples."""

    level: float = LEVEL
    """The coverage of the interval."""
    resamples: int = 2000
    """The number of times that documents or systems are drawn."""
    seed: int = 0

    def check(self) -> None:
        """Raise `ValueError` for a level outside (0, 1) or fewer than one resample."""
        check_level(self.level)
        if self.resamples < 1:
            raise ValueError(f"resamples must be at least 1, not {self.resamples}")


DRAWS = Draws()


def same_length(**columns: Sized) -> None:
    """Raise `ValueError` with all lengths if the columns differ in length."""
    if len({len(column) for column in columns.values()}) > 1:
        lengths = ", ".join(f"{name} {len(column)}" for name, column in columns.items())
        raise ValueError(f"the columns differ in length: {lengths}")


ROUNDING = 1e-12
"""Numbers nearer to 0 or 1 than this differ from it by rounding only."""

LARGEST = 1e100
"""The largest accepted magnitude, so that no square or sum overflows."""


def read_numbers(values: ArrayLike, name: str) -> Floats:
    """Read a column of floats, shape (n,); None and NaN are missing values and both become NaN.

    Raises `ValueError` for other shapes and for numbers that are infinite or beyond 1e100 either way.
    """
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {column.ndim}")
    if (np.abs(column) > LARGEST).any():
        raise ValueError(f"{name} holds a number that is infinite or beyond {LARGEST:g}")
    return column


def list_labels(labels: Iterable[Hashable]) -> list[Hashable]:
    """List labels as Python's own objects: numpy's scalars are slow to hash."""
    return labels.tolist() if isinstance(labels, np.ndarray) else list(labels)


def keep_names(labels: Iterable[Hashable]) -> Sequence[Hashable]:
    """Return the labels as a sequence; a column of names stays one, so that it is not numbered anew."""
    return labels if isinstance(labels, NameColumn) else list(labels)


def sort_labels(labels: Iterable[Hashable]) -> list[Hashable]:
    """List the distinct labels, sorted by their text."""
    return sorted(dict.fromkeys(list_labels(labels)), key=str)


def sort_naturally(labels: Iterable[Hashable]) -> list[Hashable]:
    """List the distinct labels in natural order: M2 before M10."""
    if isinstance(labels, NameColumn):
        return sorted(labels.numbered.known, key=natural_order)
    return sorted(dict.fromkeys(list_labels(labels)), key=natural_order)


def number_naturally(labels: Iterable[Hashable]) -> tuple[Integers, int]:
    """Number the distinct labels from 0, as `number_by_text` does, but in the order of `sort_naturally`."""
    if isinstance(labels, NameColumn):
        numbers, known = labels.numbered
        ranks = np.empty(len(known), dtype=np.intp)
        ranks[sorted(range(len(known)), key=lambda place: natural_order(known[place]))] = np.arange(len(known))
        return ranks[numbers], len(known)
    return number_labels(labels, sort_naturally)


def number_by_text(labels: Iterable[Hashable]) -> tuple[Integers, int]:
    """Number the distinct labels from 0; return the number of each entry, shape (n,), and the count of labels.

    The numbers follow the labels' text, not their order of appearance, so that the same set of labels always gets the
    same numbers.
    """
    if isinstance(labels, NameColumn):
        return labels.numbered.numbers, len(labels.numbered.known)
    return number_labels(labels, sort_labels)


def number_in_order(labels: Iterable[Hashable]) -> tuple[Integers, int]:
    """Number the distinct labels from 0 as they appear; return what `number_by_text` does."""
    return number_labels(labels, dict.fromkeys)


def number_labels(
    labels: Iterable[Hashable], arrange: Callable[[list[Hashable]], Iterable[Hashable]]
) -> tuple[Integers, int]:
    """Number labels by their place among the distinct ones as arranged; also return how many there are."""
    values = list_labels(labels)
    number = {label: index for index, label in enumerate(arrange(values))}
    return np.fromiter(map(number.__getitem__, values), np.intp, len(values)), len(number)


def check_level(level: float) -> None:
    """Raise `ValueError` for a level outside (0, 1)."""
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")


def read_weights(weights: ArrayLike | None, size: int) -> Floats:
    """Read the weights of `size` pairs, shape (size,); None weighs each 1.

    Raises `ValueError` for other shapes and for weights that are not positive numbers.
    """
    if weights is None:
        return np.ones(size)
    column = read_numbers(weights, "weights")
    if len(column) != size:
        raise ValueError(f"the columns differ in length: pairs {size}, weights {len(column)}")
    if not (column > 0).all():
        raise ValueError("weights must be positive")
    return column
