"""The pairs that a filter leaves, as columns, which take a few bytes per pair even for a large data set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from relevance.data.one_line import in_one_line
from relevance.data.preferences import Preferences
from relevance.data.store import StarredExample
from relevance.pages.components.examples.pairs import PairFilter, Verdicts, filter_pairs, firmest

PEOPLE = ("tie", "A", "split", "B")
"""People's preferences, indexed by the numbers 0, 1, 2 and -1."""

SPLIT = 2
DECIDED = (1, -1)

PART = 500
"""The most documents that a page lists at once: the browser gets them anew whenever one is opened."""


class JudgedPair(NamedTuple):
    """Two summaries of one document, and people's preference."""

    document: str
    systems: tuple[str, str]
    """The systems of A and B."""
    people: str
    """The preference: `A`, `B`, `tie`, `split`."""

    @property
    def address(self) -> dict[str, str]:
        """The parts of an address that name it."""
        return dict(zip(("document", "a", "b"), (self.document, *self.systems), strict=True))


class PairColumns(NamedTuple):
    """The facts of each pair, shape (pairs,) each but for `wrong`."""

    firsts: NDArray[np.integer]
    """The number of A's system."""
    seconds: NDArray[np.integer]
    """The number of B's system."""
    people: NDArray[np.int8]
    """People's preference, as an index of `PEOPLE`."""
    strengths: NDArray[np.float32]
    """The strength with which the pair shows what the filter is about, in [0, 1]."""
    wrong: NDArray[np.bool_]
    """Which metrics prefer the summary that people do not, shape (pairs, metrics)."""

    def at(self, pairs: NDArray[np.integer]) -> PairColumns:
        """Return the columns of some pairs, in that order."""
        firsts, seconds, people, strengths, wrong = (column[pairs] for column in self)
        return PairColumns(firsts, seconds, people, strengths, wrong)


class PairList(NamedTuple):
    """Pairs by document, documents in the order of their first pairs.

    Pairs that people decide come before the others, and in both groups the strongest comes first.
    """

    documents: pa.StringArray
    """The documents' names."""
    starts: NDArray[np.int32]
    """Shape (documents + 1,): the index of each document's first pair, and last the number of pairs."""
    systems: tuple[str, ...]
    """The systems' names by number."""
    metrics: tuple[str, ...]
    """The metrics' labels, in the order of `PairColumns.wrong`."""
    columns: PairColumns

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return len(self.columns.people)

    def of_document(self, place: int) -> range:
        """Return the pairs of the document at a place."""
        return range(int(self.starts[place]), int(self.starts[place + 1]))

    def place_of(self, pair: int) -> int:
        """Return the place of a pair's document."""
        return int(np.searchsorted(self.starts, pair, side="right")) - 1

    def systems_of(self, pair: int) -> tuple[str, str]:
        """Return the systems of a pair's summaries A and B."""
        return self.systems[self.columns.firsts[pair]], self.systems[self.columns.seconds[pair]]

    def pair(self, pair: int) -> JudgedPair:
        """Return one of the pairs."""
        document = self.documents[self.place_of(pair)].as_py()
        return JudgedPair(document, self.systems_of(pair), PEOPLE[self.columns.people[pair]])

    def first_of(self, place: int) -> JudgedPair:
        """Return the first pair of the document at a place."""
        return self.pair(int(self.starts[place]))

    def find(self, document: str, first: str, second: str) -> int:
        """Return the index of a pair, given its names.

        If the document has no such pair, it is the document's first pair; if there is no such document, the first pair
        of all.
        """
        place = pc.index(self.documents, pa.scalar(document, pa.string())).as_py()
        return 0 if place < 0 else next(iter(self.find_systems(place, first, second)), int(self.starts[place]))

    def find_systems(self, place: int, first: str, second: str) -> list[int]:
        """Return the pair of two systems, A and B, of the document at a place, or an empty list."""
        if first not in self.systems or second not in self.systems:
            return []
        start, end = self.starts[place : place + 2]
        same = (self.columns.firsts[start:end] == self.systems.index(first)) & (
            self.columns.seconds[start:end] == self.systems.index(second)
        )
        return [int(start + pair) for pair in np.flatnonzero(same)]

    def find_starred(self, starred: Sequence[StarredExample]) -> list[int]:
        """Return the listed pairs that are starred, whichever of their summaries is A."""
        documents = pa.array([star.document for star in starred], pa.string())
        places = pc.index_in(documents, value_set=self.documents).to_pylist()
        return [
            pair
            for place, star in zip(places, starred, strict=True)
            if place is not None
            for first, second in (star.systems, star.systems[::-1])
            for pair in self.find_systems(place, first, second)
        ]

    def only(self, pairs: Iterable[int]) -> PairList:
        """Return a list of some of the pairs."""
        chosen = np.array(sorted(pairs), dtype=np.intp)
        chosen = chosen[order_pairs(self.columns.at(chosen))]
        place = np.searchsorted(self.starts, chosen, side="right") - 1
        return group_pairs(self.documents, place, self.systems, self.metrics, self.columns.at(chosen))

    def table(self, start: int, end: int) -> pd.DataFrame:
        """Return a table of some documents, with facts of the first pair of each.

        Its columns are `document` (the id), `wrong` (the metrics that are) and `how strongly`.
        """
        first = self.columns.at(self.starts[start : end + 1][:-1])
        decided = np.isin(first.people, DECIDED)
        return pd.DataFrame(
            {
                "document": self.documents[start:end].to_pylist(),
                "wrong": [
                    name_wrong(self.metrics, wrong) if people else ""
                    for wrong, people in zip(first.wrong, decided, strict=True)
                ],
                "how strongly": first.strengths,
            }
        )


def name_wrong(metrics: Sequence[str], wrong: NDArray[np.bool_]) -> str:
    """Name the metrics that are wrong, or all but those that are not, whichever are fewer; `wrong` is one per metric.

    Example: `name_wrong(["ROUGE-1", "ROUGE-2", "APES"], np.array([True, True, False]))` is `all but APES`.
    """
    names, others = ([name for name, of in zip(metrics, wrong == is_wrong, strict=True) if of] for is_wrong in (1, 0))
    if not names:
        return "none"
    if len(names) <= len(others):
        return ", ".join(names)
    return f"all but {', '.join(others)}" if others else f"all {len(names)}" if len(names) > 1 else names[0]


def make_pair_list(preferences: Preferences, verdicts: Verdicts, chosen: PairFilter) -> PairList:
    """List the pairs that a filter leaves; `preferences` have one entry per pair, and `verdicts` are their verdicts."""
    keep = filter_pairs(verdicts, chosen)
    document, documents = pd.factorize(preferences.document)
    system, systems = pd.factorize(np.concatenate([preferences.first, preferences.second]))
    firsts, seconds = np.split(system.astype(np.min_scalar_type(len(systems))), 2)
    if chosen.search:
        wanted = in_one_line(chosen.search).casefold()
        named, written = (
            np.array([wanted in in_one_line(name).casefold() for name in names], dtype=bool)
            for names in (documents, systems)
        )
        keep &= named[document] | written[firsts] | written[seconds]
    people = np.where(np.isnan(verdicts.people), SPLIT, verdicts.people).astype(np.int8)
    strength = firmest(verdicts, chosen)
    wrong = np.array([filter_pairs(verdicts, PairFilter("against", metric)) for metric in verdicts.signs], dtype=bool)
    wrong = wrong.reshape(len(verdicts.signs), len(people)).T
    entries = np.flatnonzero(keep)
    columns = PairColumns(firsts, seconds, people, strength.astype(np.float32), wrong)
    entries = entries[order_pairs(columns.at(entries))]
    columns = columns.at(entries)
    names = pa.array(documents, pa.string())
    return group_pairs(names, document[entries], tuple(systems), tuple(verdicts.signs), columns)


def order_pairs(columns: PairColumns) -> NDArray[np.intp]:
    """Return the order of pairs, shape (pairs,): decided ones first, the strongest first; ties keep their order."""
    return np.lexsort((-columns.strengths, ~np.isin(columns.people, DECIDED)))


def group_pairs(
    documents: pa.StringArray,
    document: NDArray[np.intp],
    systems: tuple[str, ...],
    metrics: tuple[str, ...],
    columns: PairColumns,
) -> PairList:
    """Group pairs that come in order by document; `document` is the place of each in `documents`, shape (pairs,)."""
    place, listed = pd.factorize(document)  # documents in the order of their first pairs
    starts = np.concatenate([[0], np.cumsum(np.bincount(place, minlength=len(listed)))])
    in_order = columns.at(np.argsort(place, kind="stable"))
    taken = documents.take(pa.array(listed, pa.int64()))
    return PairList(taken, starts.astype(np.int32), systems, metrics, in_order)
