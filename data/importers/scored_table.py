"""Tables of scores and ratings without texts: a row per summary, with its document, its system and numbers.

A column `human.<aspect>`, or one that is called as an aspect, has ratings; every other column of numbers has the scores
of a metric. With a column that says who rated, a summary has a row for each annotator.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from relevance.data import reading
from relevance.data.cells import Cells, collect_ratings
from relevance.data.importers.called import (
    ANNOTATOR,
    BY,
    HUMAN,
    find_annotators,
    find_ratings,
    find_ratings_by_person,
    find_roles,
    leave_out,
)
from relevance.data.importers.columns import describe_columns
from relevance.data.importers.delimited import are_numbers
from relevance.data.importers.given_ratings import Annotated, parse_number
from relevance.data.importers.opening import open_table
from relevance.data.importers.rows import Table, as_text
from relevance.data.importers.table import list_names
from relevance.data.reading import FileLine, Say, quote_value, say_nothing
from relevance.data.records import BadRecord
from relevance.data.signatures import given_signature

TEXTS = ("source", "reference", "summary", "title")


def fits(path: Path) -> bool:
    """Tell whether a file is a table with documents and systems, numbers, and no texts."""
    try:
        table = open_table(path)
        if not may_fit(table.names):
            return False
        rows = table.head()
    except BadRecord:
        return False
    return bool(find_numbers(table, find_keys(table, rows), rows))


def may_fit(names: Sequence[str]) -> bool:
    """Tell whether columns of these names may be those of a table without texts; most files are none."""
    roles = find_roles(names)
    return "system" in roles and roles.keys().isdisjoint({"reference", "summary", "title"})


def find_keys(table: Table, rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Map `document_id` and `system` to their columns; an empty mapping for a table without both, or with texts."""
    roles = find_roles(table.names, rows)
    if any(role in roles for role in TEXTS) or not {"document_id", "system"} <= roles.keys():
        return {}
    return {role: roles[role] for role in ("document_id", "system")}


def find_annotator(table: Table, keys: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the column that says who rated; None without one.

    One of numbers, such as `judge`, may have scores: it is none where each summary has one row.
    """
    column = find_annotators(name for name in table.names if name not in keys.values()).get(ANNOTATOR)
    if column is None or not holds_numbers(column, rows):
        return column
    seen = Counter(
        tuple(as_text(row.get(name)) for name in keys.values()) for _, row in table.read(keys.values(), say_nothing)
    )
    return column if max(seen.values(), default=0) > 1 else None


def find_numbers(table: Table, keys: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the columns that hold numbers in some of these rows, and nothing else in any."""
    if not keys:
        return []
    return [name for name in leave_out(table.names, keys.values()) if holds_numbers(name, rows)]


def holds_numbers(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether a column holds numbers, beside what says that there is none."""
    return are_numbers([as_text(row[name]) for row in rows if not reading.is_missing(row.get(name))])


class RatedRows:
    """The scores and ratings of each summary, as the rows of a table are read."""

    def __init__(self, metrics: Sequence[str], rated: Mapping[str, str], annotator: str | None) -> None:
        """Set the columns: `rated` have ratings of an aspect or by somebody (`fluency@Ann`), `annotator` whose."""
        self.metrics, self.annotator = metrics, annotator
        self.rated = {name: (aspect, who) for name, of in rated.items() for aspect, _, who in [of.partition(BY)]}
        self.places: dict[tuple[str, str], FileLine] = {}
        self.scores: dict[tuple[str, str], list[float]] = {}
        self.given: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
        """By summary: the ratings of each annotator."""
        self.annotated = Annotated()

    def add(self, place: FileLine, key: tuple[str, str], row: Mapping[str, Any]) -> None:
        """Add a row. Raises `BadRecord` for a second one of a summary that is not by another annotator."""
        scores = [read_number(place, row.get(name), name) for name in self.metrics]
        first = self.places.setdefault(key, place)
        same = np.array_equal(self.scores.setdefault(key, scores), scores, equal_nan=True)
        named = "" if self.annotator is None else reading.identifier(place, row.get(self.annotator), self.annotator)
        ratings: dict[str, dict[str, float]] = {} if self.rated else {"": {}}
        for name, (aspect, who) in self.rated.items():
            rating = read_number(place, row.get(name), name)
            of_one = ratings.setdefault(self.annotated.name(who or named) if who or named else "", {})
            if not np.isnan(rating):
                of_one[aspect] = rating
        given = self.given.setdefault(key, {})
        if not same or not given.keys().isdisjoint(ratings):
            document, system = map(quote_value, key)
            by = f", both by {quote_value(row[self.annotator])}" if self.annotator is not None and same else ""
            place.refuse(f"the system {system} stands twice for {document}, in {first.beside(place)}, too{by}")
        given |= ratings

    def cells(self) -> Cells:
        """Return the columns, sorted by document and system."""
        keys = list(self.places)
        single = collect_ratings(self.given[key] for key in keys) if self.annotated.people else {}
        means = [self.annotated.add(self.given[key]) for key in keys]
        scores = np.array([self.scores[key] for key in keys], dtype=np.float64).reshape(len(keys), len(self.metrics))
        return Cells(
            documents=tuple(document for document, _ in keys),
            systems=tuple(system for _, system in keys),
            ratings={
                aspect: np.array([mean.get(aspect, np.nan) for mean in means], dtype=np.float64)
                for aspect in dict.fromkeys(aspect for aspect, _ in self.rated.values())
            },
            scores={given_signature(name): scores[:, place] for place, name in enumerate(self.metrics)},
            single=single,
        ).in_order()


def read_cells(path: Path, say: Say) -> Cells:
    """Read the scores and ratings of a table, sorted by document and system.

    Where a column says who rated, a summary has a row for each annotator. Raises `BadRecord` for two rows of one
    document and system that are not by two annotators, and for what is not a number.
    """
    table = open_table(path)
    head = table.head()
    keys = find_keys(table, head)
    annotator = find_annotator(table, keys, head)
    numbers = [name for name in find_numbers(table, keys, head) if name != annotator]
    by_person = find_ratings_by_person(numbers) if annotator is None else {}
    called = by_person or find_ratings(numbers, in_rows=annotator is not None)
    aspects = {name: role.removeprefix(HUMAN) for role, name in called.items()}
    metrics = [name for name in numbers if name not in aspects]
    people = {} if annotator is None or not aspects else {ANNOTATOR: annotator}
    say(describe_columns({**keys, **people}, {**keys, **people}))
    rated = ", ".join(f"{aspect} is {quote_value(name)}" for name, aspect in aspects.items())
    say(f"ratings: {rated or 'none'}; scores: {list_names(metrics) or 'none'}")
    if other := [name for name in table.names if name not in {*keys.values(), *people.values(), *numbers}]:
        say(f"columns passed over: {list_names(other)}")
    rows = RatedRows(metrics, aspects, people.get(ANNOTATOR))
    for place, row in table.read({*keys.values(), *people.values(), *numbers}, say):
        document, system = (reading.identifier(place, row.get(keys[role]), keys[role]) for role in keys)
        rows.add(place, (document, system), row)
    cells = rows.cells()
    if rows.annotated.people:
        for sentence in rows.annotated.describe():
            say(sentence)
    return cells


def read_number(place: FileLine, value: object, name: str) -> float:
    """Read a score or a rating; NaN if there is none."""
    return np.nan if reading.is_missing(value) else parse_number(place, value, name)
