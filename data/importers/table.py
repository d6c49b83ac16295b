"""CSV and TSV: a row per summary, columns `document_id, title, source, reference, system, summary`.

`title` may be left out; `system` and `summary` may both be blank in a row that only gives a document, `summary` alone
if the system wrote nothing. Instead of these two there may be a column `summary.<system>` for each system, blank if it
has no summary. Several references of a document are given in several rows. Human ratings may be given in columns
`human.<aspect>`. Other columns are skipped and listed.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from relevance.data import reading
from relevance.data.reading import FileLine, Say
from relevance.data.records import BadRecord, Document, Summary

REQUIRED = ("document_id", "source", "reference", "system", "summary")
NEEDED = ("source", "reference", "summary")
"""The columns required in a table with a mapping."""
OF_ONE_SYSTEM = ("system", "summary")
HUMAN, WIDE = "human.", "summary."
"""Prefixes of columns of ratings, and of summaries if each system has its own column."""
NUMBER = re.compile(r"[ \t]*-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?[ \t]*")
"""A number as JSON writes it."""
NAMED = 20
"""The most skipped columns that are listed."""

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
"""Separators of the columns of text tables, with their names."""

ASPECTS = ("relevance", "coherence", "consistency", "fluency", "informativeness", "faithfulness", "quality", "overall")
"""Aspects of ratings that are recognized in a column's name without `HUMAN`."""

TableRow = tuple[FileLine, dict[str, Any]]


class TableColumns(NamedTuple):
    """A mapping for a table with another delimiter or other names of columns."""

    delimiter: str
    """One of `DELIMITERS`."""
    read_as: Mapping[str, str]
    """The role of each column by its name in the file; columns that are not listed are skipped.

    Without a `document_id`, documents are numbered by their texts.
    """
    system: str | None = None
    """The system of a table without a column for it; None names it after the file."""

    def name(self, column: str) -> str:
        """Return the role of a column, or a name without a role."""
        return self.read_as.get(column, f"{column} (not read)" if is_taken(column) else column)


def load_csv(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read comma-separated values with a header line."""
    return gather(read_delimited(path, ",", say))


def load_tsv(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read tab-separated values with a header line; quoted as CSV is."""
    return gather(read_delimited(path, "\t", say))


def load_columns(path: Path, columns: TableColumns, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a text table with a mapping of its columns."""
    return gather(complete_rows(read_delimited(path, columns.delimiter, say, columns), columns.system or path.stem))


def complete_rows(rows: Iterable[TableRow], system: str) -> Iterator[TableRow]:
    """Number the documents by their texts and name the system, if the table has no columns for them."""
    numbers: dict[str, str] = {}
    for place, row in rows:
        if "document_id" not in row:
            row["document_id"] = numbers.setdefault(row["source"], str(len(numbers) + 1))
        if "summary" in row:
            row.setdefault("system", system)
        yield place, row


def read_delimited(
    path: Path, delimiter: str, say: Say, columns_told: TableColumns | None = None
) -> Iterator[TableRow]:
    """Yield the rows of a CSV or TSV file, each with the line that it starts in."""
    rows = delimited_rows(path, delimiter)
    first = next(rows, None)
    if first is None:
        raise BadRecord(f"{path.name}:1: the file is empty")
    place, header = first
    if columns_told is not None:
        header = [columns_told.name(name) for name in header]
    else:
        check_delimiter(place, header, delimiter)
    check_columns(place, header, say, REQUIRED if columns_told is None else NEEDED)
    columns = [(name, index) for index, name in enumerate(header) if is_taken(name)]
    for place, values in rows:
        if len(values) != len(header):
            place.refuse(f"{len(values)} fields where the header has {len(header)}")
        yield place, {name: values[index] for name, index in columns}


def delimited_rows(path: Path, delimiter: str) -> Iterator[tuple[FileLine, list[str]]]:
    """Yield the header and the rows of a text table that are not blank, each with the line that it starts in.

    Raises `BadRecord` for a malformed table.
    """
    csv.field_size_limit(reading.MAX_LINE_BYTES)
    place = FileLine(path, 1)

    def ended_lines() -> Iterator[str]:
        nonlocal place
        for place, line in reading.lines(path, keep_ends=True):  # noqa: B007  read for the error below
            yield line

    start = 1
    rows = csv.reader(ended_lines(), delimiter=delimiter, strict=True)
    try:
        for values in rows:
            here, start = FileLine(path, start), rows.line_num + 1
            if values or here.line == 1:
                yield here, values
    except csv.Error as error:
        said = str(error).replace("\t", "\\t")  # the delimiter of a TSV
        place.refuse(f"not a well-formed table: {said}, in the row that starts in line {start}")


def check_delimiter(place: FileLine, header: Sequence[str], delimiter: str) -> None:
    """Refuse a header that is one column only because the columns have another separator."""
    others = [other for other in DELIMITERS if other != delimiter and len(header) == 1 and other in header[0]]
    if others:
        place.refuse(
            f"the columns are separated by {DELIMITERS[others[0]]}, not by {DELIMITERS[delimiter]}: save the file with "
            "commas as .csv, or with tabs as .tsv; the page Data sets reads it as it is"
        )


def check_columns(place: FileLine, names: Sequence[str], say: Say, required: Sequence[str] = REQUIRED) -> None:
    """Refuse a table that lacks a column, has one twice or ratings without an aspect; list the skipped columns."""
    times = Counter(names)
    if wide := [name for name in times if name.startswith(WIDE)]:
        required = [name for name in required if name not in OF_ONE_SYSTEM]
        if other := [name for name in times if name in OF_ONE_SYSTEM or name.startswith(HUMAN)]:
            place.refuse(
                f"the columns {reading.quote_value(wide[0])} and {reading.quote_value(other[0])} do not go together: a "
                "table has a row for each summary, or a column for each system"
            )
    missing = [name for name in required if name not in times]
    if missing:
        place.refuse(f"no column {', '.join(missing)}; needed are {', '.join(required)} (title if any)")
    twice = next((name for name in names if times[name] > 1), None)
    if twice is not None:
        place.refuse(f"the column {reading.quote_value(twice)} stands twice in the header")
    for name in names:
        if name.startswith(HUMAN):
            reading.identifier(place, name.removeprefix(HUMAN), f"the aspect in the column {reading.quote_value(name)}")
    if other := [name for name in names if not is_taken(name)]:
        more = f" and {len(other) - NAMED} more" if len(other) > NAMED else ""
        say(f"columns passed over: {', '.join(map(reading.quote_value, other[:NAMED]))}{more}")
    if ratings := [name for name in other if name.casefold() in ASPECTS]:
        named = ", ".join(f"{HUMAN}{name}" for name in ratings)
        say(f"ratings are read from columns called {named}: rename {' and '.join(ratings)} to have them")


def is_taken(name: str) -> bool:
    """Tell whether a column of this name is read."""
    return name in REQUIRED or name == "title" or name.startswith((HUMAN, WIDE))


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
        for one in spread_row(row):
            add_row(place, one, documents)
    for document_id, partial in documents.items():
        document = Document(document_id, partial.source, tuple(partial.references), partial.title)
        yield document, list(partial.summaries.values())


def spread_row(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Split a row with the summaries of several systems into one row for each."""
    wide = [name for name in row if name.startswith(WIDE)]
    if not wide:
        return [row]
    shared = {name: value for name, value in row.items() if name not in wide}
    written = [name for name in wide if not blank(row[name])]
    of_each = [{"system": name.removeprefix(WIDE), "summary": row[name]} for name in written]
    return [{**shared, **one} for one in of_each or [{"system": None, "summary": None}]]


def add_row(place: FileLine, row: dict[str, Any], documents: dict[str, PartialDocument]) -> None:
    """Add a row to its document."""
    document_id = reading.identifier(place, row["document_id"], "document_id")
    title = reading.optional_text(place, row.get("title"), "title")
    source = reading.text(place, row["source"], "source")
    reference = reading.text(place, row["reference"], "reference")
    partial = documents.setdefault(document_id, PartialDocument(title, source))
    for name, value, known in (("title", title, partial.title), ("source", source, partial.source)):
        if value != known:
            place.refuse(f"the {name} of {reading.quote_value(document_id)} differs from an earlier row's")
    partial.references[reference] = None
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
    if (summary.system, reference) in partial.seen or partial.summaries.setdefault(summary.system, summary) != summary:
        place.refuse(
            f"the system {reading.quote_value(summary.system)} stands twice for {reading.quote_value(document_id)}"
        )
    partial.seen.add((summary.system, reference))


def blank(value: object) -> bool:
    """Tell whether a cell is empty."""
    return value is None or (isinstance(value, str) and not value.strip())


def parse_rating(place: FileLine, value: object, name: str) -> float:
    """Read a human rating; a text table has it as digits, written as in JSON."""
    if isinstance(value, str):
        if not NUMBER.fullmatch(value):
            place.refuse(f"{name} must be a number such as 4 or 3.5, not {reading.quote_value(value)}")
        value = reading.parse_json_value(place, value)
    return reading.parse_number(place, value, name)
