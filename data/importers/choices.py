"""Tables of choices: a row for each judgment, with the two texts of a document and which of them somebody chose.

Any table that `relevance.data.importers.rows` reads will do: text tables, spreadsheets, Parquet, JSON. Columns are
recognized by names that people use (`find_choice_roles`), or said (`relevance.data.importers.mapping`). Every value of
a choice is said with its count and its meaning; an unknown one refuses the file.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from relevance.data import reading
from relevance.data.importers.called import leave_out
from relevance.data.importers.choice_columns import find_answers, find_choice_roles, sides_of
from relevance.data.importers.columns import describe_columns
from relevance.data.importers.described import DESCRIPTIONS, OWN, Description, open_described
from relevance.data.importers.mapping import (
    BAD,
    CHOICE,
    NOTHING,
    QUESTION,
    SKIP,
    BadColumns,
    Columns,
    Keep,
    keep_nothing,
)
from relevance.data.importers.meanings import SIDES, Meanings
from relevance.data.importers.opening import open_table
from relevance.data.importers.pairwise import (
    BOTH_BAD,
    LEFT,
    RIGHT,
    TIE,
    Comparison,
    Question,
    count,
    parse_moment,
    records_of,
)
from relevance.data.importers.rows import Table
from relevance.data.importers.table import list_names
from relevance.data.reading import FileLine, Say, quote_value
from relevance.data.records import Document, Summary

SYSTEM_ROLES = ("left_system", "right_system")
TELLING = ("document_id", "source", "reference")
"""The roles by any of which documents are told apart."""


class Choices(NamedTuple):
    """A table of choices whose columns are known."""

    table: Table
    columns: Columns
    """Everything that was said and guessed."""
    roles: Mapping[str, str]
    """The columns of the roles that have one."""
    questions: Mapping[str, Question]
    """By column: the question whose answers it holds."""


def open_choices(path: Path, columns: Columns | None, say: Say, format: str = "choices") -> Choices:
    """Find out what the columns of a table of choices are, as `columns` say it and as names and values tell; say that.

    `format` is another program's (`relevance.data.importers.described`), if it is none of people's own. Raises
    `BadRecord` and `BadColumns`.
    """
    columns = columns or NOTHING
    described = DESCRIPTIONS.get(format, OWN)
    table = open_table(path, columns) if described is OWN else open_described(path, format)
    told = columns.find(table.names)
    if columns.of_summaries:
        raise BadColumns("columns of a table of summaries and of one of choices do not go together: " + ", ".join(told))
    fixed = find_fixed(described, table.names)
    guessed = guess_roles(described, table, {**fixed, **told}) if columns.guess else {}
    if columns.has_choices:
        guessed = {role: name for role, name in guessed.items() if not is_question(role)}
    complete = columns.with_guessed({**guessed, **fixed}, table.names)
    roles = complete.find(table.names)
    if roles.keys().isdisjoint(TELLING) or sides_of(roles, "_system") is None:  # the same text may be shown twice
        instead = {role: name for role, name in described.otherwise.items() if name in table.names and columns.guess}
        complete = complete.with_guessed(instead, table.names)
        roles = complete.find(table.names)
    check_roles(path, table, roles)
    say(describe_columns(roles, set(guessed) - set(columns.roles)))
    if described is OWN and (other := leave_out(table.names, roles.values())):
        say(f"columns passed over: {list_names(other)}")
    if described.says:
        say(described.says)
    complete = complete._replace(values={**described.values, **columns.values})
    questions = {
        column: Question(role.removeprefix(CHOICE).removeprefix("."), column if "?" in column else None)
        for role, column in roles.items()
        if is_question(role)
    }
    return Choices(table, complete, roles, questions)


def is_question(role: str) -> bool:
    """Tell whether a role is that of a column of choices."""
    return role == CHOICE or role.startswith(QUESTION)


def guess_roles(described: Description, table: Table, known: Mapping[str, str]) -> dict[str, str]:
    """Guess the roles beside those that are known; several columns of choices of another program are its questions."""
    free = leave_out(table.names, [*known.values(), *described.otherwise.values()])
    rows = table.head()
    guessed = {role: name for role, name in find_choice_roles(free, rows, known).items() if role not in known}
    if described is not OWN and CHOICE not in guessed and CHOICE not in known:
        answers = find_answers({**guessed, **known}, free, rows)
        guessed |= {f"{QUESTION}{name}": name for name in answers}
    return guessed


def find_fixed(described: Description, names: Sequence[str]) -> dict[str, str]:
    """Map the roles of a description to their fields; "" if it has none."""
    return {role: next((field for field in fields if field in names), "") for role, fields in described.roles.items()}


def check_roles(path: Path, table: Table, roles: Mapping[str, str]) -> None:
    """Refuse a table without what a judgment needs. Raises `BadRecord`."""
    lacking = []
    if sides_of(roles, "_system") is None or sides_of(roles, "") is not None or "left" in roles or "right" in roles:
        lacking += [role for role in ("left", "right") if role not in roles]
        if roles.keys().isdisjoint(TELLING):
            lacking.append(f"{', '.join(TELLING[:-1])} or {TELLING[-1]}")
    if not Columns(roles).has_choices:
        lacking.append(CHOICE)
    if lacking:
        FileLine(path, 1).refuse(
            f"it is not known which column is {' and which is '.join(lacking)}; there are {list_names(table.names)}",
            f"; say it by --columns {lacking[0].split(',')[0]}=COLUMN,...",
        )


def load(
    path: Path, say: Say, columns: Columns | None = None, keep: Keep = keep_nothing, *, format: str = "choices"
) -> Iterator[tuple[Document, list[Summary]]]:
    """Read the documents and texts of a table of choices, as `read` does."""
    return records_of(partial(read, columns=columns, keep=keep, format=format), path, say)


def read(
    path: Path, say: Say, columns: Columns | None = None, keep: Keep = keep_nothing, *, format: str = "choices"
) -> Iterator[Comparison]:
    """Read a table of choices. What all of its values mean is known before the first judgment is given.

    A text without a column for its system is by a system called after its column; without texts, each row is of a
    document of its own, unless a column names it. `keep` gets the columns and the values as they are read, `format` is
    another program's. Raises `BadRecord` and `BadColumns`.
    """
    choices = open_choices(path, columns, say, format)
    roles, told = choices.roles, choices.columns.values
    rows = RowReader(roles, with_texts="left" in roles)
    if rows.by_column is not None:
        named = " and ".join(map(quote_value, rows.by_column))
        say(f"no columns name the systems: the texts are by the systems {named}, as their columns are called")
    if sides_of(roles, "") is None:
        say(
            "the file has no texts: its judgments rank systems, and metrics have scores to compare with them only if "
            "they are of a data set that is here (--of NAME)"
        )
    meanings = {column: Meanings(told, sides_of(roles, "") or ("", "")) for column in choices.questions}
    judged = []
    for place, cells in choices.table.read(set(roles.values()), say):
        choice = rows.read(place, cells)
        for column, question in choices.questions.items():
            meaning = meanings[column].find(place, cells.get(column), choice.systems, choice.texts or ("", ""))
            if meaning != SKIP:
                judged.append(choice._replace(choice=BOTH_BAD if meaning == BAD else meaning, question=question))
    for column, of_column in meanings.items():
        of_column.check(column)
        say(of_column.describe(column))
    seen = {value for of_column in meanings.values() for value in of_column.seen}
    if unused := [value for value in (columns or Columns({})).values if value not in seen]:
        say(f"values that were explained, and that no row has: {', '.join(map(quote_value, unused))}")
    if rows.timeless:
        say(rows.describe_timeless())
    by_value = {
        value: meaning
        for meanings_of_column in meanings.values()
        for value, meaning in meanings_of_column.understood.items()
    }
    keep(choices.columns._replace(values={**by_value, **told}))
    yield from judged


class RowReader:
    """Reads the rows of a table of choices; names, texts and documents, which rows repeat, are kept once."""

    def __init__(self, roles: Mapping[str, str], *, with_texts: bool) -> None:
        self.roles, self.with_texts = roles, with_texts
        self.by_column = name_systems(roles) if "left" in roles else None
        self.timeless: Counter[str] = Counter()
        """The times that cannot be read."""
        self.numbers: dict[object, str] = {}
        """The numbers of documents without an id, by their sources or references."""
        self.documents: dict[tuple[object, ...], Document] = {}
        self.names: dict[tuple[str, object], str] = {}
        self.texts: dict[str, str] = {}

    def read(self, place: FileLine, cells: Mapping[str, Any]) -> Comparison:
        """Read a row, with a tie in the place of its choices. Raises `BadRecord`."""
        row = {role: cells.get(column) for role, column in self.roles.items()}
        texts = None
        if "left" in row:
            texts = self.text(place, row, LEFT), self.text(place, row, RIGHT)
        systems = self.by_column or (self.name(place, row, "left_system"), self.name(place, row, "right_system"))
        return Comparison(
            place,
            self.document(place, row),
            systems,
            texts,
            TIE,
            None if row.get("annotator") in (None, "") else self.name(place, row, "annotator"),
            self.time(row.get("time")),
            reading.optional_text(place, row.get("comment"), "the comment"),
        )

    def text(self, place: FileLine, row: Mapping[str, Any], side: str) -> str:
        """Read one of the two texts, which may be empty."""
        value = row[side]
        if value is None:
            return ""
        text = reading.summary_text(place, value, self.roles[side])
        return self.texts.setdefault(text, text)

    def name(self, place: FileLine, row: Mapping[str, Any], role: str) -> str:
        """Read the name of a system, an annotator or a document."""
        key = role, row[role]
        if type(row[role]) not in (str, int):
            return reading.identifier(place, row[role], self.roles[role])  # which refuses it
        if key not in self.names:
            self.names[key] = reading.identifier(place, row[role], self.roles[role])
        return self.names[key]

    def document(self, place: FileLine, row: Mapping[str, Any]) -> Document:
        """Read the document of a row, with the references that stand in it."""
        values = tuple(row.get(role) for role in ("document_id", "title", "source", "reference"))
        shared = self.with_texts or "document_id" in row
        if not shared or not all(isinstance(value, str | int | None) for value in values):
            return self.check_document(place, row)
        if values not in self.documents:
            self.documents[values] = self.check_document(place, row)
        return self.documents[values]

    def check_document(self, place: FileLine, row: Mapping[str, Any]) -> Document:
        """Check the document of a row. Raises `BadRecord`."""
        source, reference = row.get("source"), row.get("reference")
        if isinstance(source, list):
            source = reading.parse_texts(place, source, "source")
        else:
            source = reading.optional_text(place, source, "source") or ""
        if not isinstance(reference, list):
            reference = [as_written] if (as_written := reading.optional_text(place, reference, "reference")) else []
        references = reading.given_texts(place, reference, "reference")
        if "document_id" in row:
            name = self.name(place, row, "document_id")
        elif not self.with_texts:
            name = str(len(self.numbers) + 1)
            self.numbers[name] = name
        elif not (text := source or references):
            place.refuse("the row has no id, and neither a source nor a reference that says which document it is of")
        else:
            name = self.numbers.setdefault(text, str(len(self.numbers) + 1))
        return Document(name, source, references, reading.optional_text(place, row.get("title"), "title"))

    def time(self, value: object) -> datetime | None:
        """Read the time of a judgment; one that cannot be read is counted."""
        if value in (None, ""):
            return None
        moment = parse_moment(value)
        if moment is None:
            self.timeless[str(value)] += 1
        return moment

    def describe_timeless(self) -> str:
        """Say how many times cannot be read."""
        first = quote_value(next(iter(self.timeless)))
        return f"{count(self.timeless.total(), 'time')} that cannot be read, such as {first}: left out"


def name_systems(roles: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the names of the systems where no columns have them: those of the texts' columns; None where they do.

    >>> name_systems({"left": "Summary A", "right": "Summary B"})
    ('A', 'B')
    """
    if all(role in roles for role in SYSTEM_ROLES):
        return None
    sides = {word for pair in SIDES for word in pair}
    names = [reading.trim_name(roles[side]) for side in (LEFT, RIGHT)]
    last = [re.split(r"[ _.\-]", name)[-1] for name in names]
    left, right = last if all(part.casefold() in sides for part in last) else names
    return left, right
