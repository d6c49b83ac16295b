"""Tables (CSV, TSV, spreadsheets): a row per summary, columns `document_id, title, source, reference, system, summary`.

`title` and `source` may be left out, and cells of theirs and of `reference` may be blank. `system` and `summary` may
both be blank in a row that only gives a document, `summary` alone if the system wrote nothing. Instead of these two
there may be a column `summary.<system>` for each system, blank if it wrote nothing. Several references of a document
are given in several rows. Human ratings may be given in columns `human.<aspect>`, blank or such as N/A where there is
none. Other columns are skipped and listed. In CSV, a cell loses the apostrophe that keeps a spreadsheet from running it
as a formula (`relevance.data.export`). TSV is read without quotation marks, unless all of its texts are in them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from relevance.data import reading
from relevance.data.importers.called import ASPECTS, HUMAN, NEEDED, OPTIONAL, REQUIRED, WIDE
from relevance.data.importers.delimited import NUMBER
from relevance.data.importers.mapping import Columns
from relevance.data.importers.rows import TableRow, open_table
from relevance.data.reading import FileLine, Say
from relevance.data.records import Document, Summary

OF_ONE_SYSTEM = ("system", "summary")
NAMED = 20
"""The most skipped columns that are listed."""


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a text table or a spreadsheet whose columns have the expected names."""
    table = open_table(path, cells=True)
    check_columns(FileLine(path, 1), table.header, say)
    return gather(table.read([name for name in table.names if is_taken(name)], say), say)


def load_columns(path: Path, say: Say, columns: Columns, *, cells: bool) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a table with a mapping of its columns; with `cells` it is a text table or a spreadsheet.

    Raises `BadRecord` and `BadColumns`.
    """
    table = open_table(path, columns.sheet, cells=cells)
    found = {column: role for role, column in columns.find(table.names).items()}
    not_read = [f"{name} (not read)" if is_taken(name) else name for name in table.names]
    header = [found.get(name, other) for name, other in zip(table.names, not_read, strict=True)]
    check_columns(FileLine(path, 1), header, say, NEEDED)
    named = ((place, {found[name]: row.get(name) for name in found}) for place, row in table.read(found, say))
    rows = (one for place, row in named for one in spread_references(place, row))
    return gather(complete_rows(rows, columns.system or path.stem), say)


def spread_references(place: FileLine, row: dict[str, Any]) -> Iterator[TableRow]:
    """Yield a row for each of its references; a summary beside another reference of its document gives that."""
    given = row["reference"]
    if not isinstance(given, list):
        given = [reading.optional_text(place, given, "reference")]
    row["source"] = reading.optional_text(place, row.get("source"), "source")
    for reference in reading.given_texts(place, [one for one in given if one is not None], "reference") or (None,):
        yield place, {**row, "reference": reference}


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
