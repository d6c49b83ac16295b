"""CSV and TSV: a row per summary, columns `document_id, title, source, reference, system, summary`.

`title` and `source` may be left out, and cells of theirs and of `reference` may be blank. `system` and `summary` may
both be blank in a row that only gives a document, `summary` alone if the system wrote nothing. Instead of these two
there may be a column `summary.<system>` for each system, blank if it wrote nothing. Several references of a document
are given in several rows. Human ratings may be given in columns `human.<aspect>`, blank or such as N/A where there is
none. Other columns are skipped and listed. In CSV, a cell loses the apostrophe that keeps a spreadsheet from running it
as a formula (`relevance.data.export`). TSV is read without quotation marks, unless all of its texts are in them.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from relevance.data import reading
from relevance.data.export import unguard_formula
from relevance.data.reading import FileLine, Say
from relevance.data.records import BadRecord, Document, Summary

REQUIRED = ("document_id", "reference", "system", "summary")
NEEDED = ("reference", "summary")
"""The columns required in a table with a mapping."""
OPTIONAL = ("source", "title")
OF_ONE_SYSTEM = ("system", "summary")
HUMAN, WIDE = "human.", "summary."
"""Prefixes of columns of ratings, and of summaries if each system has its own column."""
NUMBER = re.compile(r"[ \t]*-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?[ \t]*")
"""A number as JSON writes it."""
QUOTED = re.compile(r'"(?:[^"]|"")*"')
"""A cell in quotation marks, with those of its text doubled."""
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

    Without a `document_id`, documents are numbered by their sources, or by their references if they have none.
    """
    system: str | None = None
    """The system of a table without a column for it; None names it after the file."""

    def name(self, column: str) -> str:
        """Return the role of a column, or a name without a role."""
        return self.read_as.get(column, f"{column} (not read)" if is_taken(column) else column)


def load_csv(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read comma-separated values with a header line."""
    return gather(read_delimited(path, ",", say), say)


def load_tsv(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read tab-separated values with a header line."""
    return gather(read_delimited(path, "\t", say), say)


def load_columns(path: Path, columns: TableColumns, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a text table with a mapping of its columns."""
    rows = read_delimited(path, columns.delimiter, say, columns)
    return gather(complete_rows(rows, columns.system or path.stem), say)


def complete_rows(rows: Iterable[TableRow], system: str) -> Iterator[TableRow]:
    """Number the documents by their texts and name the system, if the table has no columns for them."""
    numbers: dict[str, str] = {}
    for place, row in rows:
        if "document_id" not in row:
            text = row["reference"] if blank(row.get("source")) else row["source"]
            row["document_id"] = numbers.setdefault(text, str(len(numbers) + 1))
        if "summary" in row:
            row.setdefault("system", system)
        yield place, row


def read_delimited(
    path: Path, delimiter: str, say: Say, columns_told: TableColumns | None = None
) -> Iterator[TableRow]:
    """Yield the rows of a CSV or TSV file, each with the line that it starts in."""
    rows = delimited_rows(path, delimiter, say)
    first = next(rows, None)
    if first is None:
        raise BadRecord(f"{path.name}:1: the file is empty")
    place, header = first
    if columns_told is not None:
        header = [columns_told.name(name) for name in header]
    check_columns(place, header, say, REQUIRED if columns_told is None else NEEDED)
    columns = [(name, index) for index, name in enumerate(header) if is_taken(name)]
    for place, values in rows:
        if len(values) != len(header):
            place.refuse(f"{len(values)} fields where the header has {len(header)}")
        yield place, {name: values[index] for name, index in columns}


def delimited_rows(path: Path, delimiter: str, say: Say) -> Iterator[tuple[FileLine, list[str]]]:
    """Yield the header and the rows of a text table that are not blank, each with the line that it starts in.

    The header's names have no white space around them. Raises `BadRecord` for a malformed table.
    """
    quoted = delimiter != "\t" or has_quoted_cells(path)
    rows = quoted_rows(path, delimiter, say) if quoted else plain_rows(path, delimiter)
    guarded = 0
    for number, (place, values) in enumerate(rows):
        cells = values if delimiter == "\t" else [unguard_formula(value) for value in values]
        guarded += sum(cell != value for cell, value in zip(cells, values, strict=True))
        yield place, cells if number else [reading.trim_name(name) for name in cells]
    if guarded:
        say(f"cells with an apostrophe before what a spreadsheet would run as a formula, read without it: {guarded}")


def plain_rows(path: Path, delimiter: str) -> Iterator[tuple[FileLine, list[str]]]:
    """Yield the rows of a table whose quotation marks are those of its texts."""
    for place, line in reading.lines(path):
        if line or place.line == 1:
            yield place, line.split(delimiter)


def has_quoted_cells(path: Path) -> bool:
    """Tell whether cells of a TSV file are in quotation marks, which are no part of their texts then.

    That is so if all of its texts are, or if its lines are no rows otherwise. Most programs write no quotation marks
    into TSV, so that one at the beginning of a cell is usually the text's own.
    """
    width, all_quoted, all_rows = 0, True, True
    for _, line in reading.lines(path):
        if not line:
            continue
        cells = line.split("\t")
        width = width or len(cells)
        all_rows = all_rows and len(cells) == width
        all_quoted = all_quoted and all(QUOTED.fullmatch(cell) or NUMBER.fullmatch(cell) or not cell for cell in cells)
    return all_quoted or not all_rows


def quoted_rows(path: Path, delimiter: str, say: Say) -> Iterator[tuple[FileLine, list[str]]]:
    """Yield the rows of a table whose cells may be in quotation marks."""
    csv.field_size_limit(reading.MAX_LINE_BYTES)
    place = FileLine(path, 1)
    spanned: list[str] = []

    def ended_lines() -> Iterator[str]:
        nonlocal place
        for place, line in reading.lines(path, keep_ends=True):  # noqa: B007  read for the error below
            spanned.append(line)
            yield line

    start, width = 1, 0
    rows = csv.reader(ended_lines(), delimiter=delimiter, strict=True)
    try:
        for values in rows:
            here, start = FileLine(path, start), rows.line_num + 1
            width = width or len(values)
            if len(spanned) > 1 and all(line.count(delimiter) == width - 1 > 0 for line in spanned):
                swallowed(here, spanned, delimiter, say)
            spanned.clear()
            if values or here.line == 1:
                yield here, values
    except csv.Error as error:
        place.refuse(explain_error(str(error), start))


def swallowed(place: FileLine, lines: Sequence[str], delimiter: str, say: Say) -> None:
    """Refuse a cell that holds whole rows, or say so where its text may have as many delimiters by chance."""
    said = (
        f"lines {place.line} to {place.line + len(lines) - 1} are one row, as a quotation mark opens in the first and "
        "closes in the last of them, but each looks like a row of its own"
    )
    remedy = "if they are rows, write each quotation mark of a text twice, and one around its cell"
    if delimiter == "\t":
        place.refuse(f"{said}; {remedy}")
    say(f"{place}: {said}; {remedy}")


def explain_error(error: str, start: int) -> str:
    """Say what is wrong with a table, given the error of Python's reader and the line in which the row begins."""
    where = f"in the row that starts in line {start}"
    if "expected after" in error:
        return f'a quotation mark stands within a cell that is in quotation marks, {where}: write it twice ("")'
    if "unexpected end" in error:
        return f"a quotation mark opens {where}, and none closes before the end of the file"
    if "field limit" in error:
        return f"a cell is over 32 MiB {where}; does a quotation mark open there that is not closed?"
    if "new-line" in error:
        return f"a carriage return stands within a cell, {where}: save the file with usual line ends"
    return f"this is no table, {where}: {error}"


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
        place.refuse(
            f"no column {', '.join(missing)}; needed are {', '.join(required)} (source and title if any); there are "
            f"{list_names(names)}"
        )
    twice = next((name for name in names if name and times[name] > 1), None)
    if twice is not None:
        place.refuse(f"the column {reading.quote_value(twice)} stands twice in the header")
    for name in names:
        if name.startswith(HUMAN):
            reading.identifier(place, name.removeprefix(HUMAN), f"the aspect in the column {reading.quote_value(name)}")
    if other := [name for name in names if not is_taken(name)]:
        say(f"columns passed over: {list_names(other)}")
    if ratings := [name for name in other if name.casefold() in ASPECTS]:
        named = ", ".join(f"{HUMAN}{name}" for name in ratings)
        say(f"ratings are read from columns called {named}: rename {' and '.join(ratings)} to have them")


def list_names(names: Sequence[str]) -> str:
    """List the names of columns."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(map(reading.quote_value, names[:NAMED])) + more


def is_taken(name: str) -> bool:
    """Tell whether a column of this name is read."""
    return name in (*REQUIRED, *OPTIONAL) or name.startswith((HUMAN, WIDE))


@dataclass
class PartialDocument:
    """A document assembled from the rows read so far."""

    title: str | None
    source: str
    references: dict[str, None] = field(default_factory=dict)
    summaries: dict[str, Summary] = field(default_factory=dict)
    seen: dict[tuple[str, str], int] = field(default_factory=dict)
    """The line of each summary beside a reference."""


@dataclass
class Gathered:
    """The documents of a table, as its rows are read."""

    documents: dict[str, PartialDocument] = field(default_factory=dict)
    unrated: int = 0
    """Cells that say that there is no rating."""


def gather(rows: Iterable[TableRow], say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Join the rows of each document, in the order of its first row."""
    gathered = Gathered()
    for place, row in rows:
        for one in spread_row(row):
            add_row(place, one, gathered)
    for document_id, partial in gathered.documents.items():
        document = Document(document_id, partial.source, tuple(partial.references), partial.title)
        yield document, list(partial.summaries.values())
    if gathered.unrated:
        say(reading.describe_unrated(gathered.unrated))


def spread_row(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Split a row with the summaries of several systems into one row for each; all blank, it only gives a document."""
    wide = [name for name in row if name.startswith(WIDE)]
    if not wide:
        return [row]
    shared = {name: value for name, value in row.items() if name not in wide}
    if all(blank(row[name]) for name in wide):
        return [{**shared, "system": None, "summary": None}]
    return [{**shared, "system": name.removeprefix(WIDE), "summary": row[name]} for name in wide]


def add_row(place: FileLine, row: dict[str, Any], gathered: Gathered) -> None:
    """Add a row to its document."""
    document_id = reading.identifier(place, row["document_id"], "document_id")
    title = reading.optional_text(place, row.get("title"), "title")
    source = reading.optional_text(place, row.get("source"), "source") or ""
    reference = reading.optional_text(place, row["reference"], "reference")
    partial = gathered.documents.setdefault(document_id, PartialDocument(title, source))
    for name, value, known in (("title", title, partial.title), ("source", source, partial.source)):
        if value != known:
            place.refuse(f"the {name} of {reading.quote_value(document_id)} differs from an earlier row's")
    if reference is not None:
        partial.references[reference] = None
    system, text = (None if blank(row[name]) else row[name] for name in ("system", "summary"))
    if system is None and text is None:
        return
    rated = {name: value for name, value in row.items() if name.startswith(HUMAN)}
    gathered.unrated += sum(map(reading.is_missing, rated.values()))
    summary = Summary(
        document_id=document_id,
        system=reading.identifier(place, system, "system"),
        text=reading.summary_text(place, "" if text is None else text, "summary"),
        human={
            name.removeprefix(HUMAN): parse_rating(place, value, name)
            for name, value in rated.items()
            if not reading.is_missing(value)
        },
    )
    # The same summary beside another reference gives a reference; anything else twice is a mistake.
    key = summary.system, reference or ""
    known_line = partial.seen.setdefault(key, place.line)
    if known_line != place.line or partial.summaries.setdefault(summary.system, summary) != summary:
        first = min(line for (name, _), line in partial.seen.items() if name == summary.system)
        place.refuse(
            f"the system {reading.quote_value(summary.system)} stands twice for {reading.quote_value(document_id)}, in "
            f"line {first}, too"
        )


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
