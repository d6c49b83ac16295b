"""Scores and ratings of a data set's summaries as columns: the input of correlations and comparisons."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relevance.data.names import NameColumn


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
        )
