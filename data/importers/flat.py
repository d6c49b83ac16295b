"""JSON lines, or one JSON list, of flat objects: each as a row of CSV, with names of fields that CSV guesses, too.

{"document": "...", "reference": "...", "system": "bart", "summary": "...", "human.relevance": 4}

A field of references may be a list of texts; `summary_a` and the like are summaries of one system each. Without ids
documents are numbered by their texts, and without a system it is named after the file.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from relevance.data import reading
from relevance.data.importers.called import HUMAN, WIDE, describe_missing, find_missing, find_roles, name_systems
from relevance.data.importers.columns import describe_columns, guess_rated, read_head
from relevance.data.importers.rows import INSPECTED, TableRow
from relevance.data.importers.table import complete_rows, gather, spread_references
from relevance.data.reading import Say, quote_value
from relevance.data.records import Document, Summary

NAMED = 20
"""The most unknown fields that are reported."""


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read flat objects; each has the fields of its own names."""
    return gather(complete_rows(read_rows(path, say), path.stem), say)


def fits(record: Mapping[str, Any]) -> bool:
    """Tell whether a record is flat, and has a reference and a summary by usual names."""
    flat = not any(isinstance(value, dict) for value in record.values()) and "summaries" not in record
    return flat and not find_missing(name_fields(record, record))


def name_fields(record: Mapping[str, Any], first: Mapping[str, Any]) -> dict[str, str]:
    """Map what the fields of a record are in a row of a table to their names, as the columns of CSV are guessed.

    The `first` record tells for all whether a field `document` has ids or texts.
    """
    named = find_roles(record, [first]) | {name: name for name in record if name.startswith(HUMAN)}
    if {"system", "summary"}.isdisjoint(named):
        texts = [name for name, value in record.items() if value is None or isinstance(value, str)]
        named |= {f"{WIDE}{system}": name for name, system in name_systems(texts).items()}
    return named


def read_rows(path: Path, say: Say) -> Iterator[TableRow]:
    """Yield the rows of a table, several for an object with several references."""
    told: set[str] = set()
    head = read_head(path, cells=False, count=INSPECTED)
    first: dict[str, Any] = {}
    rated: dict[str, str] = {}
    names: dict[tuple[tuple[str, bool], ...], dict[str, str]] = {}  # most records have the same fields
    for place, record in reading.read_json(path, nan=True):
        if not first:
            first, rated = record, guess_rated(head, name_fields(record, record))
            if rated:
                say(describe_columns(rated, guessed=rated))
        fields = tuple((name, isinstance(value, str | None)) for name, value in record.items())
        if fields not in names:
            names[fields] = name_fields(record, first)
        named = names[fields]
        if find_missing(named):
            place.refuse(f"the object is not a row of a table: it lacks {describe_missing(record)}; rename its fields")
        taken = {*named.values(), *rated.values()}
        for name in [name for name in record if name not in taken and name not in told]:
            told.add(name)
            if len(told) <= NAMED:
                say(f"{place}: field passed over: {quote_value(name)}")
        row = {field: record.get(name) for field, name in (named | rated).items()}
        yield from spread_references(place, row)
