"""Rows that lie within objects of JSON: a list of reviews in each question, systems by name in each document."""

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from relevance.data import reading
from relevance.data.importers.templates import Step
from relevance.data.reading import FileLine, quote_value
from relevance.data.records import BadRecord

VALUE = "value"
"""The field of a row that is not an object, where no step names a field."""


class FileRow(FileLine):
    """The place of a row within JSON: the number of the row in the file, and the keys that lead to it."""

    def __init__(self, path: Path, row: int, keys: tuple[str, ...]) -> None:
        super().__init__(path, row)
        self.keys = keys

    def __str__(self) -> str:
        return f"{self.path.name}:{self.in_file()}"

    def in_file(self) -> str:
        """Say where the row is in its file."""
        return f"row {self.line} ({'.'.join(self.keys)})"


def flatten(record: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the fields of an object, those of an object within it under names such as `data.text`.

    >>> flatten({"id": 1, "data": {"text": "A ferry."}})
    {'id': 1, 'data.text': 'A ferry.'}
    """
    row: dict[str, Any] = {}
    for name, value in record.items():
        row |= flatten(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return row


def spread_rows(
    place: FileLine, record: Mapping[str, Any], steps: tuple[Step, ...]
) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield the rows within an object, each with the keys that lead to it.

    A row has the fields of the objects that it lies in, beside those of its own, which stand for outer ones that are
    called the same; one that is not an object has one field, called like the last field on the way. Where a field is
    missing or null, no row lies in it. Raises `BadRecord`.

    >>> from relevance.data.importers.templates import parse_steps
    >>> rows = spread_rows(FileLine(Path("a.json"), 1), {"id": 7, "by": {"A": "Rain."}}, parse_steps("by.{system}"))
    >>> list(rows)
    [(('by', 'A'), {'id': 7, 'system': 'A', 'by': 'Rain.'})]
    """
    called = next((step.field for step in reversed(steps) if step.field is not None), VALUE)
    columns = {step.column for step in steps if step.column}

    def own_fields(value: Mapping[str, Any]) -> dict[str, Any]:
        fields = flatten(value)
        if both := columns & fields.keys():
            name = quote_value(min(both))
            place.refuse(f"{name} is a field, too: call {{{min(both)}}} something else in rows of the mapping")
        return fields

    def go(value: Any, at: int, outer: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[Any]:
        if at == len(steps):
            yield keys, {**outer, **(own_fields(value) if isinstance(value, dict) else {called: value})}
            return
        step = steps[at]
        if step.field is None:
            for key, inner in list_values(place, value, keys):
                yield from go(inner, at + 1, {**outer, step.column: key} if step.column else outer, (*keys, key))
            return
        if not isinstance(value, dict):
            place.refuse(f"{name_place(keys)} must be an object that has {quote_value(step.field)}")
        beside = own_fields({name: inner for name, inner in value.items() if name != step.field})
        if (inner := value.get(step.field)) is not None:
            yield from go(inner, at + 1, {**outer, **beside}, (*keys, step.field))

    yield from go(record, 0, {}, ())


def list_values(place: FileLine, value: Any, keys: Collection[str]) -> Iterator[tuple[str, Any]]:
    """Yield the values of an object with their names, or those of a list with their numbers from 0."""
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from ((str(number), item) for number, item in enumerate(value))
    else:
        place.refuse(f"{name_place(keys)} must be an object or a list, as the mapping's rows lie in it")


def name_place(keys: Collection[str]) -> str:
    """Return what the keys that lead to a value are in a sentence."""
    return quote_value(".".join(keys)) if keys else "what stands there"


def read_json_objects(path: Path) -> Iterator[tuple[FileLine, dict[str, Any]]]:
    """Yield the JSON objects of a file as `read_json` does, or the one object of a file that has it in several lines.

    NaN is read.
    """
    if begins_in_line(path):
        yield read_whole_object(path)
    else:
        yield from reading.read_json(path, nan=True)


def is_whole_object(path: Path) -> bool:
    """Tell whether a file is one JSON object in several lines."""
    try:
        if not begins_in_line(path):
            return False
        read_whole_object(path)
    except BadRecord:
        return False
    return True


def begins_in_line(path: Path) -> bool:
    """Tell whether a file begins with a line that is the beginning of a JSON object, and not all of it."""
    line = next((line for _, line in reading.lines(path) if line.strip()), "")
    if not line.lstrip().startswith("{"):
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return True
    return False


def read_whole_object(path: Path) -> tuple[FileLine, dict[str, Any]]:
    """Read a file that is one JSON object, and where it begins. Raises `BadRecord`."""
    place = FileLine(path, 1)
    with reading.open_text(place) as file:
        text, at = reading.skip_blanks(file, file.read(reading.CHUNK), 0, place)
        begins = FileLine(path, place.line)
        record, text, at, lines_read = reading.read_object(file, text, at, begins, nan=True)
        place.line += lines_read
        text, at = reading.skip_blanks(file, text, at, place)
        if at < len(text):
            place.refuse(f"something follows the object: {quote_value(text[at:][:20])}")
    return begins, record
