"""Tables of scores and ratings without texts: a row per summary, with its document, its system and numbers.

A column `human.<aspect>`, or one that is called as an aspect, has ratings; every other column of numbers has the scores
of a metric.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from relevance.data import reading
from relevance.data.cells import Cells
from relevance.data.importers.called import ASPECTS, HUMAN, find_roles
from relevance.data.importers.columns import describe_columns
from relevance.data.importers.delimited import are_numbers
from relevance.data.importers.rows import Table, as_text, open_table
from relevance.data.importers.table import list_names, parse_rating
from relevance.data.reading import FileLine, Say, quote_value
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


def find_numbers(table: Table, keys: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the columns that hold numbers in some of these rows, and nothing else in any."""
    if not keys:
        return []
    return [name for name in table.names if name not in keys.values() and holds_numbers(name, rows)]


def holds_numbers(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether a column holds numbers, beside what says that there is none."""
    return are_numbers([as_text(row[name]) for row in rows if not reading.is_missing(row.get(name))])


def read_cells(path: Path, say: Say) -> Cells:
    """Read the scores and ratings of a table, sorted by document and system.

    Raises `BadRecord` for two rows of one document and system, and for what is no number.
    """
    table = open_table(path)
    head = table.head()
    keys = find_keys(table, head)
    numbers = find_numbers(table, keys, head)
    aspects = {
        name: name.removeprefix(HUMAN) for name in numbers if name.startswith(HUMAN) or name.casefold() in ASPECTS
    }
    metrics = [name for name in numbers if name not in aspects]
    say(describe_columns(keys, keys))
    say(f"ratings: {list_names(list(aspects)) or 'none'}; scores: {list_names(metrics) or 'none'}")
    if other := [name for name in table.names if name not in {*keys.values(), *numbers}]:
        say(f"columns passed over: {list_names(other)}")
    places: dict[tuple[str, str], FileLine] = {}
    values: list[list[float]] = []
    for place, row in table.read({*keys.values(), *numbers}, say):
        key = tuple(reading.identifier(place, row.get(keys[role]), keys[role]) for role in ("document_id", "system"))
        if (first := places.setdefault((key[0], key[1]), place)) is not place:
            place.refuse(
                f"the system {quote_value(key[1])} stands twice for {quote_value(key[0])}, in line {first.line}, too"
            )
        values.append([read_number(place, row.get(name), name) for name in numbers])
    columns = dict(zip(numbers, np.array(values, dtype=np.float64).reshape(-1, len(numbers)).T, strict=True))
    return Cells(
        documents=tuple(document for document, _ in places),
        systems=tuple(system for _, system in places),
        ratings={aspect: columns[name] for name, aspect in aspects.items()},
        scores={given_signature(name): columns[name] for name in metrics},
    ).in_order()


def read_number(place: FileLine, value: object, name: str) -> float:
    """Read a score or a rating; NaN if there is none."""
    return np.nan if reading.is_missing(value) else parse_rating(place, value, name)
