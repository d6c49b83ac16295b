"""Inspection of a text table before its import: its delimiter, the names of its columns, and their likely roles."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
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
    delimited_rows,
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
        *("document_id", "id", "doc_id", "docid", "document id", "article_id", "article id", "instance_id"),
        *("example_id", "doc", "guid"),
    ),
    "title": ("title", "headline"),
    "source": (
        *("source", "document", "article", "text", "src", "input", "source_text", "full_text", "story", "dialogue"),
        *("context", "passage"),
    ),
    "reference": (
        *("reference", "references", "ref", "refs", "target", "gold", "highlights", "reference_summary"),
        *("gold_summary", "ground_truth", "tldr"),
    ),
    "system": ("system", "model", "summarizer", "model_id", "system_id", "method", "summarizer_id"),
    "summary": (
        *("summary", "candidate", "output", "prediction", "generated", "hypothesis", "system_summary", "decoded"),
        *("generated_summary", "model_output", "pred", "hyp", "hypo", "response"),
    ),
}
"""Usual names of the columns, the likeliest first."""

OF_SYSTEM = re.compile(
    r"(?:(?P<before>.+)[ _.-])?(?:summary|output|candidate|prediction|generated)(?:[ _.-](?P<after>.+))?", re.IGNORECASE
)
"""Usual names of a column with the summaries of one system."""


def find_roles(names: Iterable[str]) -> dict[str, str]:
    """Map the fields that names of columns tell to these names; of several names of a field, the likeliest is taken."""
    folded = {name.strip().casefold(): name for name in reversed(list(names))}
    return {
        field: next(folded[known] for known in called if known in folded)
        for field, called in CALLED.items()
        if any(known in folded for known in called)
    }


def describe_missing(names: Collection[str]) -> str:
    """Say which fields a table lacks to be read, and how they may be called."""
    roles = find_roles(names)
    return " and ".join(f"a {field} ({', '.join(CALLED[field][:5])} ...)" for field in NEEDED if field not in roles)


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
    """Read the beginning of a text table, whose header tells its delimiter. Raises `BadRecord`."""
    first = next((line for _, line in reading.lines(path)), "")
    delimiter = guess_delimiter(first)
    head = [tuple(row) for _, row in islice(delimited_rows(path, delimiter, reading.say_nothing), ROWS + 1)]
    if not head or head == [("",)]:
        raise BadRecord(f"{path.name}:1: the file is empty")
    return TableHead(delimiter, head[0], tuple(head[1:]))


def guess_delimiter(header: str) -> str:
    """Return the delimiter by which a header has the most usual names and the fewest others, or else the most names."""

    def rank(delimiter: str) -> tuple[int, int]:
        names = [reading.trim_name(name.strip().strip('"')) for name in header.split(delimiter)]
        usual = len(find_roles(names)) + sum(name.startswith((HUMAN, WIDE)) for name in names)
        return usual, -len(names) if usual else len(names)

    return max(DELIMITERS, key=rank)


def guess_columns(head: TableHead) -> dict[str, str]:
    """Map each role to the column of a usual name for it; roles without such a column are absent.

    Columns of ratings keep their names.
    """
    roles = find_roles(head.names)
    return roles | {name: name for name in head.names if name.startswith(HUMAN)}


def guess_systems(head: TableHead) -> dict[str, str]:
    """Map the columns that seem to hold the summaries of one system each to its name."""
    return name_systems([name for place, name in enumerate(head.names) if not holds_numbers(place, head.rows)])


def name_systems(names: Sequence[str]) -> dict[str, str]:
    """Map names such as `summary_a` to the system that they name."""
    known = {name for called in CALLED.values() for name in called}
    systems: dict[str, str] = {}
    for name in names:
        named = OF_SYSTEM.fullmatch(name.strip())
        if named and name.strip().casefold() not in known:
            system = named["before"] or named["after"]
            systems[name] = name if system in systems.values() else system
    return systems


def guess_table(path: Path, delimiter: str, say: Say) -> TableColumns | None:
    """Guess how to read a table with other names of columns or another delimiter, and report the guess.

    Return None if the table has the expected names and delimiter, or if names cannot be guessed.
    """
    try:
        head = read_head(path)
    except BadRecord:
        return None  # the error is raised when the table is read
    other = head.delimiter != delimiter
    if other:
        say(f"the columns are separated by {DELIMITERS[head.delimiter]} (guessed)")
    if head.plain:
        return tell_columns(head, {name: name for name in head.names if is_taken(name)}, []) if other else None
    read_as = guess_columns(head)
    if not {"system", "summary"} & set(read_as):
        read_as |= {f"{WIDE}{system}": column for column, system in guess_systems(head).items()}
    if list_missing(read_as):
        return tell_columns(head, {name: name for name in head.names if is_taken(name)}, []) if other else None
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
