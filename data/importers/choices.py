"""Tables of choices: a row for each judgment, with the two texts of a document and which of them somebody chose.

Any table that `relevance.data.importers.rows` reads will do: text tables, spreadsheets, Parquet, JSON. Columns are
recognized by names that people use (`find_choice_roles`), or said (`relevance.data.importers.mapping`). Every value of
a choice is said with its count and its meaning; an unknown one refuses the file.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from relevance.data import reading
from relevance.data.importers.called import CALLED, find_roles, fold_name
from relevance.data.importers.columns import describe_columns
from relevance.data.importers.mapping import (
    BAD,
    CHOICE,
    OF_CHOICES,
    QUESTION,
    SKIP,
    BadColumns,
    Columns,
    Keep,
    keep_nothing,
)
from relevance.data.importers.meanings import SIDES, Meanings
from relevance.data.importers.pairwise import LEFT, RIGHT, TIE, Comparison, Question, count, parse_moment, records_of
from relevance.data.importers.rows import Table, open_table
from relevance.data.importers.table import list_names
from relevance.data.reading import FileLine, Say, quote_value
from relevance.data.records import Document, Summary

CALLED_HERE = {
    "choice": (
        *("choice", "preference", "preferred", "winner", "judgment", "judgement", "verdict", "vote", "better", "best"),
        *("selected", "selection", "decision", "overall_preference", "human_preference"),
    ),
    "annotator": (
        *("annotator", "annotator_id", "worker", "worker_id", "workerid", "rater", "rater_id", "judge", "judge_id"),
        *("evaluator", "evaluator_id", "participant", "participant_id", "user", "user_id", "coder", "assessor"),
        *("labeler", "person", "username"),
    ),
    "time": (
        *("time", "timestamp", "tstamp", "decided_at", "judged_at", "submitted_at", "created_at", "date"),
        *("submit_time", "end_time"),
    ),
    "comment": (
        *("comment", "comments", "note", "notes", "rationale", "reason", "explanation", "justification", "remark"),
        *("remarks", "feedback"),
    ),
}
"""Usual names of the columns of a judgment, the likeliest first."""
DOCUMENT_IDS = ("review_id", "post_id", "question_id", "prompt_id", "item_id", "sample_id", "story_id", "document_key")
"""More names of a document's column, beside `CALLED`."""

TEXTS = (
    *("summary", "text", "output", "response", "answer", "candidate", "completion", "generation", "hypothesis"),
    *("prediction", "option", "system_summary", "generated_summary", ""),
)
SYSTEMS = (
    *("system", "model", "sys", "system_id", "model_id", "system_name", "model_name", "generator", "summarizer"),
    *("policy", "method"),
)
"""What stands before or after a side (`SIDES`) in names of columns, the likeliest first."""

SYSTEM_ROLES = ("left_system", "right_system")

LOOKED_AT = 5
"""The number of rows by which names with two meanings are told."""


def find_choice_roles(names: Collection[str], rows: Sequence[Mapping[str, Any]] = ()) -> dict[str, str]:
    """Map the roles that names of columns tell to these names; `rows` are some of the table.

    >>> find_choice_roles(["article", "summary_a", "summary_b", "model_a", "model_b", "winner", "worker"])
    ... # doctest: +NORMALIZE_WHITESPACE
    {'source': 'article', 'left': 'summary_a', 'right': 'summary_b', 'left_system': 'model_a',
    'right_system': 'model_b', 'choice': 'winner', 'annotator': 'worker'}
    """
    folded = {fold_name(name): name for name in reversed(list(names))}
    found = find_roles(names, rows)
    roles = {role: name for role, name in found.items() if role not in ("system", "summary")}
    if "document_id" not in roles and (known := next((one for one in DOCUMENT_IDS if one in folded), None)):
        roles["document_id"] = folded[known]
    for suffix, stems in (("", TEXTS), ("_system", SYSTEMS)):
        if (sides := find_sides(folded, stems)) is not None:
            roles |= {f"left{suffix}": sides[0], f"right{suffix}": sides[1]}
    for role, called in CALLED_HERE.items():
        free = [folded[one] for one in called if one in folded and folded[one] not in roles.values()]
        if free:
            roles[role] = free[0]
    return {role: roles[role] for role in (*CALLED, *OF_CHOICES) if role in roles}


def find_sides(folded: Mapping[str, str], stems: Sequence[str]) -> tuple[str, str] | None:
    """Return the names of two columns such as `model_a` and `model_b`, the left one first; None without such."""
    for stem in stems:
        for left, right in SIDES:
            if not stem and left.isdigit():
                continue
            for form in ("{0}_{1}", "{0}{1}", "{1}_{0}") if stem else ("{1}",):
                names = [folded.get(form.format(stem, side)) for side in (left, right)]
                if names[0] is not None and names[1] is not None:
                    return names[0], names[1]
    return None


def fits(names: Collection[str]) -> bool:
    """Tell whether columns of these names are those of a table of choices."""
    return {"left", "right", CHOICE} <= find_choice_roles(names).keys()


class Choices(NamedTuple):
    """A table of choices whose columns are known."""

    path: Path
    table: Table
    columns: Columns
    """Everything that was said and guessed."""
    roles: Mapping[str, str]
    """The columns of the roles that have one."""
    questions: Mapping[str, Question]
    """By column: the question whose answers it holds."""


def open_choices(path: Path, columns: Columns | None, say: Say) -> Choices:
    """Find out what the columns of a table of choices are, as `columns` say it and as their names tell; say that.

    Raises `BadRecord` and `BadColumns`.
    """
    columns = columns or Columns({})
    table = open_table(path, columns.sheet)
    told = columns.find(table.names)
    guessed = find_choice_roles([name for name in table.names if name not in told.values()], table.head(LOOKED_AT))
    if columns.has_choices:
        guessed.pop(CHOICE, None)
    complete = columns.with_guessed(guessed, table.names)
    roles = complete.find(table.names)
    if columns.of_summaries:
        raise BadColumns("columns of a table of summaries and of one of choices do not go together: " + ", ".join(told))
    lacking = [role for role in ("left", "right") if role not in roles]
    if not any(role in roles for role in ("document_id", "source", "reference")):
        lacking.append("document_id, source or reference")
    if not Columns(roles).has_choices:
        lacking.append(CHOICE)
    if lacking:
        FileLine(path, 1).refuse(
            f"it is not known which column is {' and which is '.join(lacking)}: say it by --columns "
            f"{lacking[0].split(',')[0]}=COLUMN,...; there are {list_names(table.names)}"
        )
    say(describe_columns(roles, set(guessed) - set(columns.roles)))
    taken = set(roles.values())
    if other := [name for name in table.names if name not in taken]:
        say(f"columns passed over: {list_names(other)}")
    questions = {
        column: Question(role.removeprefix(CHOICE).removeprefix("."), column if "?" in column else None)
        for role, column in roles.items()
        if role == CHOICE or role.startswith(QUESTION)
    }
    return Choices(path, table, complete, roles, questions)


def load(
    path: Path, say: Say, columns: Columns | None = None, keep: Keep = keep_nothing
) -> Iterator[tuple[Document, list[Summary]]]:
    """Read the documents and texts of a table of choices, as `read` does."""
    return records_of(partial(read, columns=columns, keep=keep), path, say)


def read(path: Path, say: Say, columns: Columns | None = None, keep: Keep = keep_nothing) -> Iterator[Comparison]:
    """Read a table of choices. What all of its values mean is known before the first judgment is given.

    A text without a column for its system is by a system called after its column. `keep` gets the columns and the
    values as they are read. Raises `BadRecord` and `BadColumns`.
    """
    choices = open_choices(path, columns, say)
    roles, told = choices.roles, choices.columns.choices
    rows = RowReader(roles)
    if rows.by_column is not None:
        named = " and ".join(map(quote_value, rows.by_column))
        say(f"no columns name the systems: the texts are by the systems {named}, as their columns are called")
    meanings = {column: Meanings(told, (roles["left"], roles["right"])) for column in choices.questions}
    judged = []
    for place, cells in choices.table.read(set(roles.values()), say):
        one = rows.read(place, cells)
        for column, question in choices.questions.items():
            meaning = meanings[column].find(place, cells.get(column), one.systems, one.texts)
            if meaning != SKIP:
                judged.append(one._replace(choice=TIE if meaning == BAD else meaning, question=question))
    for column, of_column in meanings.items():
        of_column.check(column)
        say(of_column.describe(column))
    seen = {value for of_column in meanings.values() for value in of_column.seen}
    if unused := [value for value in told if value not in seen]:
        say(f"values of --choices that no row has: {', '.join(map(quote_value, unused))}")
    if rows.timeless:
        first = next(iter(rows.timeless))
        say(f"{count(rows.timeless.total(), 'time')} that cannot be read, such as {quote_value(first)}: left out")
    found = {value: meaning for one in meanings.values() for value, meaning in one.found.items()}
    keep(choices.columns._replace(choices={**found, **told}))
    yield from judged


class RowReader:
    """Reads the rows of a table of choices; names, texts and documents, which rows repeat, are kept once."""

    def __init__(self, roles: Mapping[str, str]) -> None:
        self.roles = roles
        self.by_column = name_systems(roles)
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
        left, right = ("" if row[side] is None else self.text(place, row[side], side) for side in (LEFT, RIGHT))
        systems = self.by_column or (self.name(place, row, "left_system"), self.name(place, row, "right_system"))
        return Comparison(
            place,
            self.document(place, row),
            systems,
            (left, right),
            TIE,
            None if row.get("annotator") in (None, "") else self.name(place, row, "annotator"),
            self.time(row.get("time")),
            reading.optional_text(place, row.get("comment"), "the comment"),
        )

    def text(self, place: FileLine, value: object, side: str) -> str:
        """Read one of the two texts, which may be empty."""
        text = reading.summary_text(place, value, self.roles[side])
        return self.texts.setdefault(text, text)

    def name(self, place: FileLine, row: Mapping[str, Any], role: str) -> str:
        """Read the name of a system, an annotator or a document."""
        key = role, row[role]
        if key not in self.names:
            self.names[key] = reading.identifier(place, row[role], self.roles[role])
        return self.names[key]

    def document(self, place: FileLine, row: Mapping[str, Any]) -> Document:
        """Read the document of a row, with the references that stand in it."""
        reference = row.get("reference")
        values = tuple(row.get(role) for role in ("document_id", "title", "source"))
        key = *values, tuple(reference) if isinstance(reference, list) else reference
        if key not in self.documents:
            self.documents[key] = self.check_document(place, row)
        return self.documents[key]

    def check_document(self, place: FileLine, row: Mapping[str, Any]) -> Document:
        """Check the document of a row. Raises `BadRecord`."""
        source = reading.optional_text(place, row.get("source"), "source") or ""
        reference = row.get("reference")
        if not isinstance(reference, list):
            reference = [one] if (one := reading.optional_text(place, reference, "reference")) else []
        references = reading.given_texts(place, reference, "reference")
        if "document_id" in row:
            name = self.name(place, row, "document_id")
        elif not (text := source or references):
            place.refuse("the row has neither a source nor a reference, by which documents without ids are told apart")
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
    left, right = last if all(one.casefold() in sides for one in last) else names
    return left, right
