"""Human preferences with the scores of both summaries: the input of agreement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from relevance.data.cells import Cells
from relevance.data.names import NameColumn
from relevance.data.ties import preference_signs

MANY = 1_000_000
"""The most pairs of rated summaries that are kept as columns: each pair takes 160 bytes, and more to analyse."""

Names = NDArray[np.object_]

Numbers = NDArray[np.float64]


def pair_within_documents(cells: Iterable[tuple[int, Hashable]]) -> list[tuple[int, int]]:
    """List all pairs of cells of one document, document by document; `cells` are numbers with documents."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for cell, document in cells:
        groups[document].append(cell)
    return [pair for group in groups.values() for pair in combinations(group, 2)]


@dataclass(frozen=True, eq=False)
class Preferences:
    """Columns of pairs of summaries, and columns of judgments of them.

    An entry of the second kind is a judgment or, for ratings, a pair of rated summaries of one document.
    """

    documents: Names
    """Shape (pairs,): the document of each pair."""
    firsts: Names
    """Shape (pairs,): the system of its first summary; the order of the two has no meaning."""
    seconds: Names
    """Shape (pairs,): the system of its second."""
    inclusion: Numbers
    """Shape (pairs,): the probability with which it was drawn; NaN if all pairs have the same weight."""
    scores: Mapping[str, Numbers]
    """By signature, shape (pairs, 2): the values of both summaries; NaN is missing."""
    pair: NDArray[np.intp]
    """Shape (n,): the pair of an entry."""
    choices: Numbers
    """Shape (n,): positive for the first summary, negative for the second, 0 for a tie, NaN if people are split; for
    ratings their difference."""
    annotators: Names
    """Shape (n,): the annotator; None for ratings."""
    left: Numbers
    """Shape (n,): 1 if the summary on the left was chosen, 0 if the one on the right, NaN for ties, ratings, and
    judgments that came with their file, whose sides nobody drew."""
    took: Numbers
    """Shape (n,): seconds from showing the pair to choosing; NaN for ratings."""
    both_bad: NDArray[np.bool_] | None = None
    """Shape (n,): ties in which the annotator called both summaries bad; None where nobody could."""
    unlisted: Cells | None = None
    """The rated summaries, with this rating alone, if their pairs are too many for columns, which are then empty."""

    def __len__(self) -> int:
        return len(self.pair)

    @property
    def document(self) -> Names:
        """Shape (n,): the document of each entry."""
        return self.documents[self.pair]

    @property
    def first(self) -> Names:
        """Shape (n,): the system of each entry's first summary."""
        return self.firsts[self.pair]

    @property
    def second(self) -> Names:
        """Shape (n,): the system of each entry's second summary."""
        return self.seconds[self.pair]

    @property
    def has_sides(self) -> bool:
        """False if judgments prefer a summary, and none says on which side it stood."""
        return not np.isnan(self.left).all() or not self.choices.any()

    @property
    def bad_ties(self) -> int:
        """The number of ties in which the annotator called both summaries bad."""
        return 0 if self.both_bad is None else int(self.both_bad.sum())

    @property
    def weights(self) -> Numbers | None:
        """Shape (n,): one over the probability with which the pair was drawn; None if all weights are the same."""
        if np.isnan(self.inclusion).all():
            return None
        return np.where(np.isnan(self.inclusion), 1.0, 1 / self.inclusion)[self.pair]

    def differences(self) -> dict[str, Numbers]:
        """Return by signature, shape (n,): the score of the first summary minus that of the second; NaN is missing."""
        return {name: (both[:, 0] - both[:, 1])[self.pair] for name, both in self.scores.items()}

    def where(self, mask: NDArray[np.bool_]) -> Preferences:
        """Select the entries of a mask of shape (n,)."""
        return replace(
            self,
            pair=self.pair[mask],
            choices=self.choices[mask],
            annotators=self.annotators[mask],
            left=self.left[mask],
            took=self.took[mask],
            both_bad=None if self.both_bad is None else self.both_bad[mask],
        )

    def of_pairs(self, pairs: NDArray[np.intp]) -> Preferences:
        """Select some pairs, renumbered in the order given, with their entries."""
        numbers = np.full(len(self.documents), -1)
        numbers[pairs] = np.arange(len(pairs))
        left = self.where(numbers[self.pair] >= 0)
        return replace(
            left,
            documents=self.documents[pairs],
            firsts=self.firsts[pairs],
            seconds=self.seconds[pairs],
            inclusion=self.inclusion[pairs],
            scores={name: both[pairs] for name, both in self.scores.items()},
            pair=numbers[left.pair],
        )

    def of_systems(self, systems: Collection[str]) -> Preferences:
        """Select the entries whose two summaries are both by one of the systems."""
        if self.unlisted is not None:
            return rated_pairs(self.unlisted.of_systems(systems), *self.unlisted.ratings)
        among = [first in systems and second in systems for first, second in zip(self.first, self.second, strict=True)]
        return self.where(np.array(among, dtype=np.bool_))

    def by_majority(self) -> Preferences:
        """Return one entry per pair: the majority choice, 0 if all are ties, NaN if the choices are split."""
        pairs, entry = np.unique(self.pair, return_inverse=True)
        signs = np.sign(self.choices)
        sums, decided = (np.bincount(entry, weights=of, minlength=len(pairs)) for of in (signs, np.abs(signs)))
        return replace(
            self,
            pair=pairs,
            choices=np.where((sums == 0) & (decided > 0), np.nan, np.sign(sums)),
            annotators=np.full(len(pairs), None, dtype=object),
            left=np.full(len(pairs), np.nan),
            took=np.full(len(pairs), np.nan),
            both_bad=None,
        )


def prefer_by_scores(preferences: Preferences, signature: str) -> Preferences:
    """Return what scores under a signature prefer, an entry for each pair that has them, as if somebody judged by them.

    Verdicts of a language model become preferences, also on pairs that nobody else judged, and are no longer among the
    scores.
    """
    difference = preferences.scores[signature][:, 0] - preferences.scores[signature][:, 1]
    pair = np.flatnonzero(~np.isnan(difference))
    unknown = np.full(len(pair), np.nan)
    return replace(
        preferences,
        scores={name: column for name, column in preferences.scores.items() if name != signature},
        pair=pair,
        choices=preference_signs(difference[pair]),
        annotators=to_name_column([None] * len(pair)),
        left=unknown,
        took=unknown,
        both_bad=None,
    )


def rated_pairs(cells: Cells, aspect: str) -> Preferences:
    """Make all within-document pairs of summaries with a rating of an aspect, in the order of the cells.

    If there are more than `MANY`, the pairs are not listed.
    """
    ratings = cells.ratings.get(aspect, np.full(len(cells), np.nan))
    of_document = np.bincount(NameColumn(cells.documents).numbered.numbers[~np.isnan(ratings)])
    if int((of_document * (of_document - 1) // 2).sum()) > MANY:
        return replace(rated_pairs(cells.at([]), aspect), unlisted=replace(cells, ratings={aspect: ratings}, single={}))
    pairs = pair_within_documents((cell, cells.documents[cell]) for cell in np.flatnonzero(~np.isnan(ratings)).tolist())
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    nobody: list[str | None] = [None] * len(pairs)
    return prefer_cells(cells, first, second, np.arange(len(pairs)), ratings[first] - ratings[second], nobody)


def pairs_by_annotator(cells: Cells, aspect: str) -> Preferences:
    """Make all pairs of summaries of a document that an annotator rated on an aspect, an entry for each annotator.

    A choice is the sign of the difference of the annotator's two ratings: 0 where they are the same. Pairs come in the
    order of the cells. Without ratings of single annotators there are no pairs.
    """
    ratings = cells.single.get(aspect)
    if ratings is None:
        return rated_pairs(cells.at([]), aspect)
    documents = NameColumn(cells.documents).numbered.numbers
    order = np.lexsort((ratings.cell, ratings.annotator, documents[ratings.cell]))
    cell, annotator, value = ratings.cell[order], ratings.annotator[order], ratings.value[order]
    starts = np.flatnonzero(
        np.diff(documents[cell], prepend=-1).astype(bool) | np.diff(annotator, prepend=-1).astype(bool)
    )
    first, second = pair_in_runs(starts, np.diff(starts, append=len(cell)))
    codes, pair = np.unique(cell[first] * len(cells) + cell[second], return_inverse=True)
    names = np.array([*ratings.names, None], dtype=np.object_)
    return prefer_cells(
        cells,
        codes // max(len(cells), 1),
        codes % max(len(cells), 1),
        pair,
        preference_signs(value[first] - value[second]),
        names[annotator[first]].tolist(),
    )


def pair_in_runs(starts: NDArray[np.intp], sizes: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """List all pairs of places within runs that begin at `starts` and have these sizes, a run at a time.

    >>> [side.tolist() for side in pair_in_runs(np.array([0, 2]), np.array([2, 3]))]
    [[0, 2, 2, 3], [1, 3, 4, 4]]
    """
    firsts, seconds = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
    for size in np.unique(sizes).tolist():
        lower, upper = np.triu_indices(size, 1)
        of_size = starts[sizes == size, None]
        firsts.append((of_size + lower).ravel())
        seconds.append((of_size + upper).ravel())
    first, second = np.concatenate(firsts), np.concatenate(seconds)
    order = np.lexsort((second, first))
    return first[order], second[order]


def prefer_cells(
    cells: Cells,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    pair: NDArray[np.intp],
    choices: Numbers,
    annotators: Sequence[str | None],
) -> Preferences:
    """Make preferences between cells, without sides and times.

    `first` and `second`, shape (pairs,), are the cells of each pair; `pair`, `choices` and `annotators`, shape (n,),
    are those of `Preferences`.
    """
    systems, documents = to_name_column(cells.systems), to_name_column(cells.documents)
    return Preferences(
        documents=documents[first],
        firsts=systems[first],
        seconds=systems[second],
        inclusion=np.full(len(first), np.nan),
        scores={name: np.stack([values[first], values[second]], axis=1) for name, values in cells.scores.items()},
        pair=pair,
        choices=choices,
        annotators=to_name_column(annotators),
        left=np.full(len(pair), np.nan),
        took=np.full(len(pair), np.nan),
    )


def to_name_column(values: Sequence[str | None]) -> Names:
    """Return a column of names, shape (n,)."""
    return np.array([*values, None], dtype=np.object_)[:-1]  # without None, NumPy may split a text into letters
