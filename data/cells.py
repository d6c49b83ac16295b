"""Scores and ratings of a data set's summaries as columns: the input of correlations and comparisons."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.data.names import NameColumn


class SingleRatings(NamedTuple):
    """The ratings of an aspect that each annotator gave: columns with an entry for each rating."""

    names: tuple[str, ...]
    """The annotators."""
    cell: NDArray[np.intp]
    """Shape (n,): the number of the rated summary."""
    annotator: NDArray[np.intp]
    """Shape (n,): the number of the annotator among the names."""
    value: NDArray[np.float64]

    def at(self, places: Sequence[int], cells: int) -> SingleRatings:
        """Select the ratings of some of so many cells, which are renumbered in the order given."""
        numbers = np.full(cells, -1)
        numbers[list(places)] = np.arange(len(places))
        cell = numbers[self.cell]
        kept = cell >= 0
        return SingleRatings(self.names, cell[kept], self.annotator[kept], self.value[kept])


def collect_ratings(summaries: Iterable[Mapping[str, Mapping[str, float]]]) -> dict[str, SingleRatings]:
    """Make columns of the ratings of each annotator, by aspect; `summaries` have those of each cell, by annotator.

    >>> found = collect_ratings([{"Ann": {"fluency": 4.0}}, {"Ann": {"fluency": 2.0}, "Ben": {"fluency": 3.0}}])
    >>> found["fluency"].cell.tolist(), found["fluency"].value.tolist()
    ([0, 1, 1], [4.0, 2.0, 3.0])
    """
    numbers: dict[str, int] = {}
    rows: dict[str, list[tuple[int, int, float]]] = {}
    for cell, given in enumerate(summaries):
        for name, ratings in given.items():
            number = numbers.setdefault(name, len(numbers))
            for aspect, value in ratings.items():
                rows.setdefault(aspect, []).append((cell, number, value))
    by_aspect = {}
    for aspect, entries in rows.items():
        cells, people, values = zip(*entries, strict=True)
        columns = np.array(cells, np.intp), np.array(people, np.intp), np.array(values, np.float64)
        by_aspect[aspect] = SingleRatings(tuple(numbers), *columns)
    return by_aspect


@dataclass(frozen=True, eq=False)
class Cells:
    """Columns with an entry for each summary: all have one length, and missing numbers are NaN."""

    documents: tuple[str, ...]
    """The id of the summary's document."""
    systems: tuple[str, ...]
    ratings: Mapping[str, NDArray[np.float64]]
    """Human ratings, by aspect, such as relevance."""
    scores: Mapping[str, NDArray[np.float64]]
    """Scores of metrics, by signature."""
    single: Mapping[str, SingleRatings] = field(default_factory=dict)
    """The ratings of each annotator, by aspect, where they are known; `ratings` has their means."""

    def __post_init__(self) -> None:
        for name in ("documents", "systems"):
            object.__setattr__(self, name, NameColumn(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.documents)

    def of_systems(self, systems: Collection[str]) -> Cells:
        """Select the entries of some systems."""
        kept = set(systems)
        if kept.issuperset(self.systems):
            return self
        return self.at([place for place, system in enumerate(self.systems) if system in kept])

    def in_order(self) -> Cells:
        """Sort the entries by document and system, so that no figure depends on the order of a file's rows."""
        return self.at(sorted(range(len(self)), key=lambda place: (self.documents[place], self.systems[place])))

    def at(self, places: Sequence[int]) -> Cells:
        """Select the entries at the given positions, in that order."""
        return Cells(
            documents=tuple(self.documents[place] for place in places),
            systems=tuple(self.systems[place] for place in places),
            ratings={aspect: values[places] for aspect, values in self.ratings.items()},
            scores={signature: values[places] for signature, values in self.scores.items()},
            single={aspect: ratings.at(places, len(self)) for aspect, ratings in self.single.items()},
        )
