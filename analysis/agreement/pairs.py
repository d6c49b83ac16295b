"""Pairs of summaries of one document, a few at a time: two thousand systems make two million for each document."""

from collections.abc import Hashable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.analysis.arrays import Integers, number_by_text
from relevance.data.names import NameColumn

AT_ONCE = 1 << 20
"""Pairs processed together: 8 MiB of differences."""

FEW = 64
"""Cells of a document up to which its pairs are cached by the number of cells."""


def pairs_of(cells: Integers) -> Iterator[tuple[Integers, Integers]]:
    """Yield all pairs of some cells, as two columns: at a time, those of a few cells with all cells after them."""
    n, start = len(cells), 0
    if n <= FEW:
        first, second = pairs_of_few(n)
        yield cells[first], cells[second]
        return
    while start < n - 1:
        end = min(n, start + max(1, AT_ONCE // (n - 1 - start)))
        first, second = np.triu_indices(end - start, 1, n - start)
        yield cells[first + start], cells[second + start]
        start = end


@cache
def pairs_of_few(count: int) -> tuple[Integers, Integers]:
    """Return all pairs of `count` cells, by their positions."""
    return np.triu_indices(count, 1)


def group_by_document(documents: Sequence[Hashable], among: NDArray[np.bool_]) -> list[Integers]:
    """Return the positions of the cells in `among` of each document that has two; documents are sorted as text."""
    cells = np.flatnonzero(among)
    if isinstance(documents, NameColumn):
        known, number = np.unique(documents.numbered.numbers[cells], return_inverse=True)
        count = len(known)
    else:
        number, count = number_by_text([documents[cell] for cell in cells.tolist()])
    order = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number, minlength=count))
    return [group for group in np.split(cells[order], ends[:-1]) if len(group) > 1]


def pairs_by_document(documents: Sequence[Integers]) -> Iterator[tuple[Integers, Integers, Integers]]:
    """Yield all pairs of cells of each document, as two columns, with their document's number, a few at a time."""
    waiting: list[tuple[Integers, Integers, Integers]] = []
    held = 0
    for number, cells in enumerate(documents):
        for first, second in pairs_of(cells):
            waiting.append((first, second, np.full(len(first), number)))
            held += len(first)
            if held >= AT_ONCE:
                yield join(waiting)
                waiting, held = [], 0
    if waiting:
        yield join(waiting)


def join(parts: Sequence[tuple[Integers, Integers, Integers]]) -> tuple[Integers, Integers, Integers]:
    """Concatenate parts of three columns."""
    first, second, document = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return first, second, document


class PairColumns(NamedTuple):
    """All pairs of cells of each document, document by document, for many documents with few cells."""

    first: NDArray[np.int32]
    """The position of each pair's first cell, shape (pairs,)."""
    second: NDArray[np.int32]
    document: NDArray[np.int32]
    """The number of each pair's document, from 0, shape (pairs,)."""
    starts: Integers
    """The position where each document's pairs begin, and where the last ones end, shape (documents + 1,)."""

    @property
    def documents(self) -> int:
        """The number of documents."""
        return len(self.starts) - 1

    def add_up(self, values: NDArray[np.int8] | NDArray[np.bool_]) -> Integers:
        """Sum whole numbers of pairs by document, shape (documents,)."""
        return np.add.reduceat(values, self.starts[:-1], dtype=np.intp)


def list_pairs(documents: Sequence[Hashable], among: NDArray[np.bool_]) -> PairColumns:
    """Return the pairs of `group_by_document` as columns."""
    cells = np.flatnonzero(among)
    number, _ = number_by_text(documents)
    cells = cells[np.argsort(number[cells], kind="stable")]
    _, starts, sizes = np.unique(number[cells], return_index=True, return_counts=True)
    starts, sizes = starts[sizes > 1], sizes[sizes > 1]
    pairs = sizes * (sizes - 1) // 2
    begins = np.cumsum(pairs) - pairs
    first, second = np.empty((2, int(pairs.sum())), dtype=np.int32)
    for size in np.unique(sizes).tolist():
        own = np.flatnonzero(sizes == size)
        first_place, second_place = np.triu_indices(size, 1)
        places = begins[own, None] + np.arange(len(first_place))
        first[places], second[places] = cells[starts[own, None] + first_place], cells[starts[own, None] + second_place]
    document = np.repeat(np.arange(len(sizes), dtype=np.int32), pairs)
    return PairColumns(first, second, document, np.append(begins, len(document)))
