"""Inspection of a text table before its import: its delimiter, the names of its columns, and their likely roles."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from relevance.data.importers.called import ASPECTS, HUMAN, NEEDED, REQUIRED, WIDE, find_roles, name_systems
from relevance.data.importers.delimited import DELIMITERS, NUMBER
from relevance.data.importers.mapping import Columns
from relevance.data.importers.rows import find_delimiter, open_table
from relevance.data.importers.sheets import is_spreadsheet
from relevance.data.importers.table import is_taken
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


class TableHead(NamedTuple):
    """The beginning of a text table or a spreadsheet."""

    delimiter: str | None
    """What separates its columns; None in a spreadsheet."""
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """The first rows, at most `ROWS`."""

    @property
    def plain(self) -> bool:
        """True if the table can be read without a mapping of its columns."""
        return set(REQUIRED) <= set(self.names)


def read_head(path: Path) -> TableHead:
    """Read the beginning of a text table or a spreadsheet. Raises `BadRecord`."""
    table = open_table(path)
    rows = tuple(tuple(row.values()) for row in table.head(ROWS))
    return TableHead(None if is_spreadsheet(path) else find_delimiter(path), table.names, rows)


def guess_columns(head: TableHead) -> dict[str, str]:
    """Map each role to the column of a usual name for it; roles without such a column are absent.

    Columns of ratings keep their names.
    """
    roles = find_roles(head.names)
    return roles | {name: name for name in head.names if name.startswith(HUMAN)}


def guess_systems(head: TableHead) -> dict[str, str]:
    """Map the columns that seem to hold the summaries of one system each to its name."""
    return name_systems([name for place, name in enumerate(head.names) if not holds_numbers(place, head.rows)])


def guess_table(path: Path, delimiter: str | None, say: Say) -> Columns | None:
    """Guess how to read a table with other names of columns, and report the guess; None if nothing is to be guessed.

    `delimiter` is the usual one of the file's format.
    """
    try:
        head = read_head(path)
    except BadRecord:
        return None  # the error is raised when the table is read
    if head.delimiter not in (None, delimiter):
        say(f"the columns are separated by {DELIMITERS[head.delimiter]} (guessed)")
    if head.plain:
        return None
    roles = guess_columns(head)
    if not {"system", "summary"} & set(roles):
        roles |= {f"{WIDE}{system}": column for column, system in guess_systems(head).items()}
    if list_missing(roles):
        return None
    say(describe_columns(roles, guessed=roles))
    return Columns(roles)


def describe_columns(roles: Mapping[str, str], guessed: Collection[str] = ()) -> str:
    """Say which column each role is, and which of them were guessed."""
    told = ", ".join(f"{role} is {quote_value(column)}" for role, column in roles.items())
    if not guessed:
        return f"columns: {told}"
    only = "" if set(roles) == set(guessed) else f": {', '.join(guessed)}"
    return f"columns: {told} (guessed{only})"


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


def tell_columns(roles: Mapping[str, str], ratings: Sequence[str], system: str | None = None) -> Columns:
    """Return how to read a table: columns by their roles, and ratings by the names of their columns.

    `system` is the name of the system in a table without a column for it.
    """
    return Columns({**roles, **{f"{HUMAN}{column}": column for column in ratings}}, system=system)
