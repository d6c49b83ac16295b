"""JSON lines, or one JSON list, of flat objects: each as a row of CSV, with names of fields that CSV guesses, too.

{"document": "...", "reference": "...", "system": "bart", "summary": "...", "human.relevance": 4}

A field of references may be a list of texts; `summary_a` and the like are summaries of one system each. Without ids
documents are numbered by their texts, and without a system it is named after the file.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from relevance.data import reading
from relevance.data.importers.columns import describe_missing, find_roles, name_systems
from relevance.data.importers.table import HUMAN, NEEDED, WIDE, TableRow, complete_rows, gather
from relevance.data.reading import FileLine, Say, quote_value
from relevance.data.records import Document, Summary

NAMED = 20
"""The most unknown fields that are reported."""


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read flat objects; each has the fields of its own names."""
    return gather(complete_rows(read_rows(path, say), path.stem), say)


def fits(record: Mapping[str, Any]) -> bool:
    """Tell whether a record is flat, and has a reference and a summary by usual names."""
    flat = not any(isinstance(value, dict) for value in record.values()) and "summaries" not in record
    return flat and not lacks(record)


def lacks(record: Mapping[str, Any]) -> list[str]:
    """Return the needed fields that a record does not have."""
    roles = find_roles(record)
    return [field for field in NEEDED if field not in roles and not (field == "summary" and find_systems(record))]


def find_systems(record: Mapping[str, Any]) -> dict[str, str]:
    """Map the fields with summaries of one system each to its name."""
    if not {"system", "summary"}.isdisjoint(find_roles(record)):
        return {}
    return name_systems([name for name, value in record.items() if value is None or isinstance(value, str)])


def read_rows(path: Path, say: Say) -> Iterator[TableRow]:
    """Yield the rows of a table, several for an object with several references."""
    told: set[str] = set()
    for place, record in reading.read_json(path, nan=True):
        if lacks(record):
            place.refuse(f"the object is no row of a table: it lacks {describe_missing(record)}; rename its fields")
        roles = find_roles(record)
        row = {field: record[name] for field, name in roles.items()}
        row |= {f"{WIDE}{system}": record[name] for name, system in find_systems(record).items()}
        row |= {name: value for name, value in record.items() if name.startswith(HUMAN)}
        taken = {*roles.values(), *find_systems(record), *row}
        for name in [name for name in record if name not in taken and name not in told]:
            told.add(name)
            if len(told) <= NAMED:
                say(f"{place}: field passed over: {quote_value(name)}")
        yield from spread_references(place, row)


def spread_references(place: FileLine, row: dict[str, Any]) -> Iterator[TableRow]:
    """Yield a row for each of its references; a summary beside another reference of its document gives that."""
    given = row["reference"]
    if not isinstance(given, list):
        given = [reading.optional_text(place, given, "reference")]
    row["source"] = reading.optional_text(place, row.get("source"), "source")
    for reference in reading.given_texts(place, [one for one in given if one is not None], "reference") or (None,):
        yield place, {**row, "reference": reference}
