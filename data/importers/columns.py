"""Inspection of a text table before its import: its delimiter, the names of its columns, and their likely roles."""

import csv
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from relevance.data import reading
from relevance.data.importers.table import (
    ASPECTS,
    DELIMITERS,
    HUMAN,
    NEEDED,
    NUMBER,
    REQUIRED,
    WIDE,
    TableColumns,
    is_taken,
)
from relevance.data.reading import Say, quote_value
from relevance.data.records import BadRecord

TEMPLATE = """document_id,title,source,reference,system,summary,human.relevance
d1,A title if there is one,The text that was summarised.,A summary that a person wrote.,system A,What A wrote.,4
d1,A title if there is one,The text that was summarised.,A summary that a person wrote.,system B,What B wrote.,2.5
d2,,Another text.,Its reference.,system A,What A wrote.,3
d2,,Another text.,Its reference.,system B,What B wrote.,5
"""
"""A table that can be imported, to be filled with one's own texts."""

ROWS = 5
"""The number of rows that are inspected."""

CALLED = {
    "document_id": (
        "document_id",
        "id",
        "doc_id",
        "docid",
        "document id",
        "article_id",
        "instance_id",
        "example_id",
        "doc",
    ),
    "title": ("title", "headline"),
    "source": ("source", "document", "article", "text", "src", "input", "source_text", "full_text"),
    "reference": ("reference", "ref", "target", "gold", "highlights", "reference_summary", "gold_summary", "tldr"),
    "system": ("system", "model", "summarizer", "model_id", "system_id", "method", "summarizer_id"),
    "summary": ("summary", "candidate", "output", "prediction", "generated", "hypothesis", "system_summary", "decoded"),
}
"""Usual names of the columns, the likeliest first."""

OF_SYSTEM = re.compile(
    r"(?:(?P<before>.+)[ _.-])?(?:summary|output|candidate|prediction|generated)(?:[ _.-](?P<after>.+))?", re.IGNORECASE
)
"""Usual names of a column with the summaries of one system."""


class TableHead(NamedTuple):
    """The beginning of a text table."""

    delimiter: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """The first rows, at most `ROWS`."""

    @property
    def plain(self) -> bool:
        """True if the table can be read without a mapping of its columns."""
        return set(REQUIRED) <= set(self.names)


def read_head(path: Path) -> TableHead:
    """Read the beginning of a text table. Raises `BadRecord`."""
    first = next((line for _, line in reading.lines(path)), "")
    delimiter = max(DELIMITERS, key=first.count)
    csv.field_size_limit(reading.MAX_LINE_BYTES)
    rows = csv.reader((line for _, line in reading.lines(path, keep_ends=True)), delimiter=delimiter, strict=True)
    try:
        head = [tuple(row) for row in islice(rows, ROWS + 1) if row]
    except csv.Error as error:
        raise BadRecord(f"{path.name}:{rows.line_num}: not a well-formed table: {error}") from error
    if not head:
        raise BadRecord(f"{path.name}:1: the file is empty")
    return TableHead(delimiter, head[0], tuple(head[1:]))


def guess_columns(head: TableHead) -> dict[str, str]:
    """Map each role to the column of a usual name for it; roles without such a column are absent.

    Columns of ratings keep their names.
    """
    folded = {name.strip().casefold(): name for name in reversed(head.names)}
    roles = {
        field: next(folded[known] for known in called if known in folded)
        for field, called in CALLED.items()
        if any(known in folded for known in called)
    }
    return roles | {name: name for name in head.names if name.startswith(HUMAN)}


def guess_systems(head: TableHead) -> dict[str, str]:
    """Map the columns that seem to hold the summaries of one system each to its name."""
    known = {name for called in CALLED.values() for name in called}
    systems: dict[str, str] = {}
    for place, name in enumerate(head.names):
        named = OF_SYSTEM.fullmatch(name.strip())
        if named and name.strip().casefold() not in known and not holds_numbers(place, head.rows):
            system = named["before"] or named["after"]
            systems[name] = name if system in systems.values() else system
    return systems


def guess_table(path: Path, delimiter: str, say: Say) -> TableColumns | None:
    """Guess how to read a table with other names of columns, and report the guess.

    Return None if the table has the expected names, or cannot be guessed.
    """
    try:
        head = read_head(path)
    except BadRecord:
        return None  # the error is raised when the table is read
    read_as = guess_columns(head)
    if not {"system", "summary"} & set(read_as):
        read_as |= {f"{WIDE}{system}": column for column, system in guess_systems(head).items()}
    if head.plain or head.delimiter != delimiter or list_missing(read_as):
        return None
    say(f"columns: {', '.join(f'{field} is {quote_value(column)}' for field, column in read_as.items())} (guessed)")
    return tell_columns(head, read_as, [])


def list_missing(fields: Collection[str]) -> list[str]:
    """List the required columns that are not among these fields."""
    wide = any(field.startswith(WIDE) for field in fields)
    return [field for field in NEEDED if field not in fields and not (wide and field == "summary")]


def guess_ratings(head: TableHead) -> list[str]:
    """List the columns that seem to be ratings: numbers in all inspected rows, and a name like that of an aspect."""
    known = set(guess_columns(head).values())
    return [
        name
        for place, name in enumerate(head.names)
        if not is_taken(name)
        and name not in known
        and holds_numbers(place, head.rows)
        and name.casefold().rpartition("_")[2] in {*ASPECTS, "rating", "score", "human"}
    ]


def holds_numbers(place: int, rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether a column holds numbers and nothing else."""
    values = [row[place] for row in rows if place < len(row) and row[place].strip()]
    return bool(values) and all(NUMBER.fullmatch(value) for value in values)


def tell_columns(
    head: TableHead, read_as: Mapping[str, str], ratings: Sequence[str], system: str | None = None
) -> TableColumns:
    """Return how to read a table: columns by their roles, and ratings by the names of their columns.

    `system` is the name of the system in a table without a column for it.
    """
    told = {column: field for field, column in read_as.items()}
    return TableColumns(head.delimiter, told | {column: f"{HUMAN}{column}" for column in ratings}, system)
