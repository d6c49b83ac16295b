"""Inspection of a text table before its import: its delimiter, the names of its columns, and their likely roles."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from relevance.data.importers.called import (
    ANNOTATOR,
    ASPECT,
    HUMAN,
    REQUIRED,
    WIDE,
    find_annotators,
    find_missing,
    find_ratings,
    find_ratings_by_person,
    find_roles,
    leave_out,
    name_systems,
)
from relevance.data.importers.delimited import DELIMITERS, are_numbers
from relevance.data.importers.given_ratings import read_numbered
from relevance.data.importers.mapping import RANK, Columns
from relevance.data.importers.opening import open_table
from relevance.data.importers.rows import as_text
from relevance.data.importers.table import is_taken
from relevance.data.reading import Say, is_missing, quote_value
from relevance.data.records import BadRecord

TEMPLATE = """document_id,title,source,reference,system,summary,human.relevance
d1,A title if there is one,The text that was summarised.,A summary that a person wrote.,system A,What A wrote.,4
d1,A title if there is one,The text that was summarised.,A summary that a person wrote.,system B,What B wrote.,2.5
d2,,Another text.,Its reference.,system A,What A wrote.,3
d2,,Another text.,Its reference.,system B,What B wrote.,5
"""
"""A table that can be imported, to be filled with one's own texts."""

NOTHING: Mapping[str, str] = {}

ROWS = 5
"""The number of rows that are inspected."""


class TableHead(NamedTuple):
    """The beginning of a text table or a spreadsheet."""

    delimiter: str | None
    """The separator of its columns; None in a spreadsheet."""
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """The first rows, by default at most `ROWS`."""

    @property
    def plain(self) -> bool:
        """True if the table can be read without a mapping of its columns."""
        return not find_missing(self.names, REQUIRED)


def read_head(path: Path, columns: Columns | None = None, *, cells: bool = True, count: int = ROWS) -> TableHead:
    """Read the first rows of a table; with `cells` it is a text table or a spreadsheet. Raises `BadRecord`."""
    table = open_table(path, columns, cells=cells)
    rows = tuple(tuple(as_text(row.get(name)) for name in table.names) for row in table.head(count))
    return TableHead(table.delimiter, table.names, rows)


def guess_columns(head: TableHead) -> dict[str, str]:
    """Map each role to the column of a usual name for it; roles without such a column are absent.

    Columns of ratings keep their names.
    """
    roles = find_roles(head.names, [dict(zip(head.names, row, strict=True)) for row in head.rows])
    return roles | {name: name for name in head.names if name.startswith(HUMAN)}


def guess_systems(head: TableHead) -> dict[str, str]:
    """Map the columns that seem to hold the summaries of one system each to its name."""
    return name_systems([name for place, name in enumerate(head.names) if not holds_numbers(place, head.rows)])


def guess_roles(head: TableHead) -> dict[str, str]:
    """Map each role to the column of a usual name for it, and systems to columns if each has one of its own."""
    roles = guess_columns(head)
    if not {"system", "summary"} & set(roles):
        roles |= {f"{WIDE}{system}": column for column, system in guess_systems(head).items()}
    return roles | guess_rated(head, roles)


def guess_rated(head: TableHead, known: Mapping[str, str]) -> dict[str, str]:
    """Map the roles of ratings and annotators to columns by their names; `known` has the columns of other roles.

    Only columns of numbers are ratings. There are no annotators without ratings or ranks, and no ratings in a table
    with a column for each system.
    """
    if any(role.startswith(WIDE) for role in known):
        return {}
    free = {*leave_out(head.names, known.values())}
    people = find_people(head, known)
    numbers = [name for place, name in enumerate(head.names) if name in free and holds_ratings(place, head.rows)]
    in_rows = bool(people) or not {ANNOTATOR, ASPECT}.isdisjoint(known)
    alone = not in_rows and not any(role.startswith(HUMAN) for role in known)
    if alone and (by_person := find_ratings_by_person(numbers)):
        return by_person
    ratings = find_ratings(leave_out(numbers, people.values()), in_rows=in_rows)
    ratings = {role: name for role, name in ratings.items() if role not in known}
    rated = ratings or any(role.startswith((HUMAN, RANK)) for role in known)
    return {**ratings, **people} if rated else {}


def find_people(head: TableHead, known: Mapping[str, str]) -> dict[str, str]:
    """Map who rated, and which aspect, to the columns that are called so, beside those of the `known` roles."""
    return {
        role: name
        for role, name in find_annotators(leave_out(head.names, known.values())).items()
        if role not in known and not holds_scores(head.names.index(name), head.rows)
    }


def complete_columns(
    path: Path, columns: Columns, say: Say, *, cells: bool, suggested: Mapping[str, str] = NOTHING
) -> Columns:
    """Guess the roles that somebody did not say from the columns that they did not name, and report how it is read.

    `suggested` has roles that are guessed already. Raises `BadRecord` and `BadColumns`.
    """
    head = read_head(path, columns, cells=cells)
    told = columns.find(head.names)
    taken = {*told.values(), *suggested.values()}
    left = [place for place, name in enumerate(head.names) if name not in taken]
    names, *rows = (tuple(row[place] for place in left) for row in (head.names, *head.rows))
    rest = TableHead(head.delimiter, names, tuple(rows))
    guessed = {} if columns.guess else dict(suggested)
    if columns.guess:
        guessed = guess_columns(rest) if {"system", "summary"} & set(columns.roles) else guess_roles(rest)
        guessed |= {**guess_rated(rest, {**guessed, **columns.roles, **suggested}), **suggested}
    complete = columns.with_guessed(guessed, head.names)
    say(describe_columns(complete.roles, set(guessed) - set(columns.roles)))
    return complete


def guess_table(path: Path, delimiter: str | None, say: Say, *, cells: bool) -> Columns | None:
    """Guess how to read a table with other names of columns, and report the guess; None if nothing is to be guessed.

    `delimiter` is the usual one of the file's format; with `cells` it is a text table or a spreadsheet.
    """
    try:
        head = read_head(path, cells=cells)
    except BadRecord:
        return None  # the error is raised when the table is read
    if head.delimiter not in (None, delimiter):
        say(f"the columns are separated by {DELIMITERS[head.delimiter]} (guessed)")
    roles = guess_roles(head)
    if head.plain and all(is_taken(column) for column in roles.values()):
        return None
    if find_missing(roles):
        return None
    say(describe_columns(roles, guessed=roles))
    return Columns(roles)


def describe_columns(roles: Mapping[str, str], guessed: Collection[str]) -> str:
    """Say which column each role is, and which of them were guessed."""
    columns = {role: column for role, column in roles.items() if column}
    told = ", ".join(f"{role} is {quote_value(column)}" for role, column in columns.items())
    if not guessed:
        return f"columns: {told}"
    only = "" if set(columns) == set(guessed) else f": {', '.join(role for role in columns if role in guessed)}"
    return f"columns: {told} (guessed{only})"


def holds_scores(place: int, rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether a column holds scores and not numbers of people, such as 0.73 in a column `judge`."""
    return holds_numbers(place, rows) and any("." in row[place] for row in rows if place < len(row))


def holds_ratings(place: int, rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether a column holds numbers, beside what says that there is none or what they stand for."""
    values = [row[place] for row in rows if place < len(row) and not is_missing(row[place])]
    return bool(values) and all(are_numbers([value]) or read_numbered(value) is not None for value in values)


def holds_numbers(place: int, rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether a column holds numbers and nothing else."""
    return are_numbers([row[place] for row in rows if place < len(row) and row[place].strip()])
