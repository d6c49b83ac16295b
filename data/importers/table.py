"""CSV and TSV: a row per summary, columns `document_id, title, source, reference, system, summary`.

`title` may be left out; `system` and `summary` may both be blank in a row that only gives a document, `summary` alone
where the system wrote nothing. Several references of a document stand in several rows. Human ratings may stand in
columns `human.<aspect>`. Other columns are passed over and named.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data import reading
from data.reading import FileLine, Say
from data.records import BadRecord, Document, Summary

REQUIRED = ("document_id", "source", "reference", "system", "summary")
HUMAN = "human."
NUMBER = re.compile(r"[ \t]*-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?[ \t]*")
"""A number as JSON writes it."""
NAMED = 20
"""Columns passed over that are named."""

TableRow = tuple[FileLine, dict[str, Any]]


def load_csv(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read comma-separated values with a header line."""
    return gather(read_delimited(path, ",", say))


def load_tsv(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read tab-separated values with a header line; quoted as CSV is."""
    return gather(read_delimited(path, "\t", say))


def read_delimited(path: Path, delimiter: str, say: Say) -> Iterator[TableRow]:
    """The rows of a CSV or TSV file, each with the line that it starts in."""
    csv.field_size_limit(reading.MAX_LINE_BYTES)
    place = FileLine(path, 1)

    def ended_lines() -> Iterator[str]:
        nonlocal place
        for place, line in reading.lines(path, keep_ends=True):  # noqa: B007  the reader below asks where it stands
            yield line

    start = 1
    rows = csv.reader(ended_lines(), delimiter=delimiter, strict=True)
    try:
        header = next(rows, None)
        if header is None:
            raise BadRecord(f"{path.name}:1: the file is empty")
        check_columns(place, header, say)
        columns = [(name, index) for index, name in enumerate(header) if is_taken(name)]
        start = rows.line_num + 1
        for values in rows:
            here, start = FileLine(path, start), rows.line_num + 1
            if not values:
                continue
            if len(values) != len(header):
                here.refuse(f"{len(values)} fields where the header has {len(header)}")
            yield here, {name: values[index] for name, index in columns}
    except csv.Error as error:
        said = str(error).replace("\t", "\\t")  # the delimiter of a TSV
        place.refuse(f"not a well-formed table: {said}, in the row that starts in line {start}")


def check_columns(place: FileLine, names: Sequence[str], say: Say) -> None:
    """Refuse a table that lacks a column, has one twice or has ratings of no aspect; name those passed over."""
    times = Counter(names)
    missing = [name for name in REQUIRED if name not in times]
    if missing:
        place.refuse(f"no column {', '.join(missing)}; needed are {', '.join(REQUIRED)} (title if any)")
    twice = next((name for name in names if times[name] > 1), None)
    if twice is not None:
        place.refuse(f"the column {reading.quote_value(twice)} stands twice in the header")
    for name in names:
        if name.startswith(HUMAN):
            reading.identifier(place, name.removeprefix(HUMAN), f"the aspect in the column {reading.quote_value(name)}")
    if other := [name for name in names if not is_taken(name)]:
        more = f" and {len(other) - NAMED} more" if len(other) > NAMED else ""
        say(f"columns passed over: {', '.join(map(reading.quote_value, other[:NAMED]))}{more}")


def is_taken(name: str) -> bool:
    """Whether a column of that name is read."""
    return name in REQUIRED or name == "title" or name.startswith(HUMAN)


@dataclass
class PartialDocument:
    """A document assembled from the rows read so far."""

    title: str | None
    source: str
    references: dict[str, None] = field(default_factory=dict)
    summaries: dict[str, Summary] = field(default_factory=dict)
    seen: set[tuple[str, str]] = field(default_factory=set)


def gather(rows: Iterable[TableRow]) -> Iterator[tuple[Document, list[Summary]]]:
    """Join the rows of each document, in the order of its first row."""
    documents: dict[str, PartialDocument] = {}
    for place, row in rows:
        add_row(place, row, documents)
    for document_id, found in documents.items():
        document = Document(document_id, found.source, tuple(found.references), found.title)
        yield document, list(found.summaries.values())


def add_row(place: FileLine, row: dict[str, Any], documents: dict[str, PartialDocument]) -> None:
    """Add a row to its document."""
    document_id = reading.identifier(place, row["document_id"], "document_id")
    title = reading.optional_text(place, row.get("title"), "title")
    source = reading.text(place, row["source"], "source")
    reference = reading.text(place, row["reference"], "reference")
    found = documents.setdefault(document_id, PartialDocument(title, source))
    for name, value, known in (("title", title, found.title), ("source", source, found.source)):
        if value != known:
            place.refuse(f"the {name} of {reading.quote_value(document_id)} differs from an earlier row's")
    found.references[reference] = None
    system, text = (None if blank(row[name]) else row[name] for name in ("system", "summary"))
    if system is None and text is None:
        return
    summary = Summary(
        document_id=document_id,
        system=reading.identifier(place, system, "system"),
        text=reading.summary_text(place, "" if text is None else text, "summary"),
        human={
            name.removeprefix(HUMAN): parse_rating(place, value, name)
            for name, value in row.items()
            if name.startswith(HUMAN) and value is not None and value != ""
        },
    )
    # The same summary beside another reference gives a reference; anything else twice is a mistake.
    if (summary.system, reference) in found.seen or found.summaries.setdefault(summary.system, summary) != summary:
        place.refuse(
            f"the system {reading.quote_value(summary.system)} stands twice for {reading.quote_value(document_id)}"
        )
    found.seen.add((summary.system, reference))


def blank(value: object) -> bool:
    """Whether a cell holds nothing."""
    return value is None or (isinstance(value, str) and not value.strip())


def parse_rating(place: FileLine, value: object, name: str) -> float:
    """A human rating, which a text table gives as digits, written as in JSON."""
    if isinstance(value, str):
        if not NUMBER.fullmatch(value):
            place.refuse(f"{name} must be a number such as 4 or 3.5, not {reading.quote_value(value)}")
        value = reading.parse_json_value(place, value)
    return reading.parse_number(place, value, name)
