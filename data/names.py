"""A column of names that is numbered once, as comparing the names of a million summaries takes seconds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Numbered(NamedTuple):
    """The distinct names of a column, and the number of each entry's name."""

    numbers: NDArray[np.intp]
    """Shape (n,)."""
    known: tuple[str, ...]
    """The names, sorted as text."""


class NameColumn(tuple[str, ...]):
    """A column of names, such as the document of each summary."""

    def __new__(cls, names: Iterable[str] = ()) -> NameColumn:
        """Make a column of names; an existing column is returned as it is."""
        return names if isinstance(names, NameColumn) else super().__new__(cls, names)

    @classmethod
    def of_numbers(cls, numbers: NDArray[np.integer], known: Iterable[str]) -> NameColumn:
        """Make a column from indices into `known`, whose names are sorted as text and all occur."""
        numbered = Numbered(numbers.astype(np.intp), tuple(known))
        column = cls(map(numbered.known.__getitem__, numbers.tolist()))
        column.numbered = numbered
        return column

    @cached_property
    def numbered(self) -> Numbered:
        """The numbers of the entries, in the order of their names as text."""
        known = sorted(set(self))
        number = {name: place for place, name in enumerate(known)}
        return Numbered(np.fromiter(map(number.__getitem__, self), np.intp, len(self)), tuple(known))
