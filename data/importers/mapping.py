"""Mappings: which column of a table has which role, given by an option or by a file.

```toml
[columns]
reference = "target"
left = "A"
right = "B"
choice = 7

[values]
"Neither is more accurate (use sparingly)" = "tie"
```

In a table of ratings, `[values]` has numbers (`"Strongly agree" = 5`), and `[scales]` may have the lowest and highest
rating of an aspect (`fluency = [1, 5]`): a file with any other is refused. With `guess = false`, only columns that are
named are read.

Rows may lie in several files of a folder, and within objects of JSON (`relevance.data.importers.templates`); a column
may be several, joined; and the texts of documents may have a file of their own, which is read in the same ways:

```toml
files = "{part}.jsonl"
rows = "questions.{question}.reviews.{}"

[columns]
document_id = "part+question"

[documents]
files = "stories.jsonl"

[documents.columns]
document_id = "id"
source = "story"
```
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tomlkit

from relevance.data.importers.called import ANNOTATOR, ASPECT, HUMAN, OPTIONAL, REQUIRED, WIDE
from relevance.data.importers.delimited import NUMBER
from relevance.data.importers.pairwise import LEFT, RIGHT, TIE
from relevance.data.importers.templates import BadTemplate, check_template
from relevance.data.reading import quote_value

BAD, SKIP, BY_SYSTEM = "bad", "skip", "system"
"""Further meanings of a value of a choice: a tie of two bad texts, no judgment, the name of the chosen system."""
MEANINGS = (LEFT, RIGHT, TIE, BAD, SKIP, BY_SYSTEM)

RANK, BEST, WORST = "rank", "best", "worst"
OF_SYSTEM = "system."
"""Prefix of the roles of columns that name the systems of summaries side by side, where rows have them in any order."""
CHOICE = "choice"
QUESTION = "choice."
"""Prefix of the roles of several columns with choices, each of a question of its own."""
OF_SUMMARIES = ("system", "summary", ASPECT)
OF_CHOICES = ("left", "right", "left_system", "right_system", CHOICE, ANNOTATOR, "time", "comment")
"""The roles of a table of summaries, or of choices, beside those with a prefix; both may have annotators."""

OF_RANKS = (RANK, BEST, WORST)
"""The roles that only a table of ranks has, of the best and the worst; each may have a part after a full stop."""

TEXTS_OF_DOCUMENTS = ("title", "source", "reference")
"""The roles that a file of documents may have, beside their ids."""
DOCUMENTS = "documents."
"""Prefix of the columns that a file of documents adds to a table."""
JOINED = "+"
"""The separator of the names of columns that are joined."""

KNOWN = (
    *(*REQUIRED, *OPTIONAL, f"{HUMAN}ASPECT", ASPECT, f"{WIDE}SYSTEM", *OF_CHOICES, f"{QUESTION}QUESTION"),
    *(*OF_RANKS, f"{OF_SYSTEM}SYSTEM"),
)


Keep = Callable[["Columns"], None]
"""A function that receives how the columns of a table are read, said and guessed, when that is known."""


def keep_nothing(columns: "Columns") -> None:
    """Ignore how columns are read."""


class BadColumns(ValueError):
    """A mapping of columns cannot be read, or names what is not there."""


class Columns(NamedTuple):
    """The roles of a table's columns; columns without a role are not read.

    Without a `document_id`, documents are numbered by their sources, or by their references if they have none.
    """

    roles: Mapping[str, str]
    """The column of each role (`KNOWN`), by its name or, if no column has that name, by its position from 1.

    A role without a column, "", is not guessed; a table with several ratings of a summary and no column for the
    annotators says so by an `annotator` without one.
    """
    values: Mapping[str, str] = {}
    """The meanings of values that are not clear by themselves: one of `MEANINGS`, or the number of a rating."""
    system: str | None = None
    """The system of a table of summaries without a column for it; None names it after the file."""
    sheet: str | None = None
    """The sheet of a spreadsheet; None for the first one that is not empty."""
    scales: Mapping[str, tuple[float, float]] = {}
    """By aspect, the lowest and the highest rating that there can be."""
    guess: bool = True
    """Whether roles that are not said are guessed."""
    files: str | None = None
    """Which files of a folder have the rows (`relevance.data.importers.templates.find_files`); None for one file."""
    rows: str | None = None
    """Where the rows lie within an object of JSON (`parse_steps`); None if each object is a row."""
    documents: "Columns | None" = None
    """How a table with the documents' texts is read, in the same folder."""

    @property
    def has_choices(self) -> bool:
        """True if it says which columns are the choices."""
        return any(role == CHOICE or role.startswith(QUESTION) for role in self.roles)

    @property
    def of_choices(self) -> bool:
        """True if it says something that only a table of choices has."""
        has_meanings = any(meaning in MEANINGS and meaning != SKIP for meaning in self.values.values())
        return self.has_choices or has_meanings or any(role in OF_CHOICES and role != ANNOTATOR for role in self.roles)

    @property
    def of_ranks(self) -> bool:
        """True if it says something that only a table of ranks has."""
        return any(role.partition(".")[0] in OF_RANKS or role.startswith(OF_SYSTEM) for role in self.roles)

    @property
    def of_summaries(self) -> bool:
        """True if it says something that only a table of summaries has."""
        has_scales = bool(self.scales) or any(meaning not in MEANINGS for meaning in self.values.values())
        return has_scales or any(role in OF_SUMMARIES or role.startswith((HUMAN, WIDE)) for role in self.roles)

    def find(self, names: Sequence[str]) -> dict[str, str]:
        """Map each role that has a column to its name among `names`. Raises `BadColumns`."""
        return {role: find_column(role, told, names) for role, told in self.roles.items() if told}

    def with_guessed(self, guessed: Mapping[str, str], names: Sequence[str]) -> "Columns":
        """Return a mapping that has guessed roles, too, where it says nothing of them. Raises `BadColumns`."""
        added = {role: name for role, name in guessed.items() if role not in self.roles} if self.guess else {}
        return self._replace(roles={**added, **self.roles, **self.find(names)})


NOTHING = Columns({})
"""A mapping that says nothing, so that all is guessed."""


def find_column(role: str, told: str, names: Sequence[str]) -> str:
    """Return the column that somebody means: the one of this name, or of this place. Raises `BadColumns`."""
    if told in names:
        return told
    if told.isdecimal() and 1 <= int(told) <= len(names):
        return names[int(told) - 1]
    listed = ", ".join(f"{place} {quote_value(name)}" for place, name in enumerate(names, 1))
    raise BadColumns(f"there is no column {quote_value(told)} for {role}; the columns are {listed}")


def split_joined(told: str, names: Sequence[str]) -> list[str]:
    """Return the columns that a name such as `part+question` joins; nothing if it is not made of their names."""
    parts = told.split(JOINED)
    return parts if len(parts) > 1 and {*parts} <= {*names} and told not in names else []


def parse_columns(told: str) -> Columns:
    """Read what `--columns` says: `source=article,choice=7`, or the path of a file. Raises `BadColumns`."""
    if "=" not in told or Path(told).is_file():
        return read_columns(Path(told))
    return Columns(check_roles(dict(split_pairs("--columns", told))))


def parse_values(told: str) -> dict[str, str]:
    """Read what `--values` says: `A=left,B=right`. Raises `BadColumns`."""
    return check_meanings(dict(split_pairs("--values", told)))


def split_pairs(option: str, told: str) -> list[tuple[str, str]]:
    """Split `a=b,c=d` at commas, and each part at its last equals sign. Raises `BadColumns`."""
    pairs = []
    for part in filter(None, map(str.strip, told.split(","))):
        before, equals, after = part.rpartition("=")
        if not (equals and before.strip()):
            raise BadColumns(
                f"{option} must be like a=b,c=d, and {quote_value(part)} is not; a column whose name has a comma or an "
                "equals sign goes by its place, or in a file of --columns"
            )
        pairs.append((before.strip(), after.strip()))
    return pairs


def read_columns(path: Path) -> Columns:
    """Read a file of a mapping (`write_columns`). Raises `BadColumns`."""
    try:
        return load_columns(path.read_bytes(), str(path))
    except OSError as error:
        raise BadColumns(f"{path}: cannot be read: {error.strerror}") from error


def load_columns(content: bytes, name: str) -> Columns:
    """Read the content of such a file, called `name` in errors. Raises `BadColumns`."""
    try:
        return to_columns(tomllib.loads(content.decode()))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadColumns(f"{name}: not a mapping in TOML: {error}") from error
    except BadColumns as error:
        raise BadColumns(f"{name}: {error}") from error


KINDS = {dict: "a table", str: "a text", bool: "true or false"}
KEYS = {
    "columns": dict,
    "values": dict,
    "scales": dict,
    "system": str,
    "sheet": str,
    "guess": bool,
    "files": str,
    "rows": str,
    "documents": dict,
}
"""The keys of a mapping, and what each of them is."""
OF_DOCUMENTS = ("columns", "sheet", "files", "rows")
"""The keys of its table of documents."""


def to_columns(told: Mapping[str, Any]) -> Columns:
    """Check the tables of a mapping. Raises `BadColumns`."""
    for key, value in told.items():
        if key not in KEYS:
            raise BadColumns(f"unknown key {quote_value(key)}; known are {', '.join(KEYS)}")
        if not isinstance(value, KEYS[key]):
            raise BadColumns(f"{key} must be {KINDS[KEYS[key]]}")
    roles = {}
    for role, column in told.get("columns", {}).items():
        named = nested(role, column) if isinstance(column, dict) else {role: column}
        for name, name_of_column in named.items():
            if isinstance(name_of_column, bool) or not isinstance(name_of_column, str | int):
                raise BadColumns(f"columns.{name} must be the name of a column or its place")
            roles[name] = str(name_of_column)
    columns = Columns(
        check_roles(roles),
        check_meanings(told.get("values", {})),
        told.get("system"),
        told.get("sheet"),
        check_scales(told.get("scales", {})),
        told.get("guess", True),
        read_template("files", told),
        read_template("rows", told),
    )
    return with_documents(columns, told["documents"]) if "documents" in told else columns


def read_template(key: str, told: Mapping[str, Any]) -> str | None:
    """Return a template of a mapping. Raises `BadColumns`."""
    try:
        return check_template(told[key]) if key in told else None
    except BadTemplate as error:
        raise BadColumns(f"{key}: {error}") from error


def with_documents(columns: Columns, told: Mapping[str, Any]) -> Columns:
    """Add how a table of documents is read, and the roles of its texts. Raises `BadColumns`."""
    if other := [key for key in told if key not in OF_DOCUMENTS]:
        raise BadColumns(f"documents: unknown key {quote_value(other[0])}; known are {', '.join(OF_DOCUMENTS)}")
    try:
        documents = to_columns(told)
    except BadColumns as error:
        raise BadColumns(f"documents: {error}") from error
    known = ("document_id", *TEXTS_OF_DOCUMENTS)
    if other := [role for role in documents.roles if role not in known]:
        raise BadColumns(f"documents have the roles {', '.join(known)}, not {quote_value(other[0])}")
    for where, roles in (("columns", columns.roles), ("documents.columns", documents.roles)):
        if not roles.get("document_id"):
            raise BadColumns(f"{where} must have document_id, by which rows find their documents")
    if documents.files is None and documents.rows is None:
        raise BadColumns("documents must have files, the file of their texts, or rows, where they lie in the same file")
    added = {role: f"{DOCUMENTS}{role}" for role in TEXTS_OF_DOCUMENTS if role in documents.roles}
    if both := [role for role in added if columns.roles.get(role, added[role]) != added[role]]:
        raise BadColumns(f"{both[0]} is among the columns and those of documents")
    return columns._replace(roles={**columns.roles, **added}, documents=documents)


def nested(role: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return roles such as `human.fluency`, which TOML reads as a table if they stand without quotation marks."""
    return {f"{role}.{name}": column for name, column in table.items()}


def check_roles(roles: Mapping[str, str]) -> Mapping[str, str]:
    """Return roles that are known. Raises `BadColumns`."""
    for role in roles:
        prefixes = (HUMAN, WIDE, QUESTION, OF_SYSTEM, *(f"{role}." for role in OF_RANKS))
        prefix = next((prefix for prefix in prefixes if role.startswith(prefix) and role != prefix), None)
        if prefix is None and role not in (*REQUIRED, *OPTIONAL, ASPECT, *OF_CHOICES, *OF_RANKS):
            raise BadColumns(f"there is no role {quote_value(role)} for a column; there are {', '.join(KNOWN)}")
    return roles


def check_meanings(values: Mapping[str, Any]) -> dict[str, str]:
    """Return meanings that are known, or numbers. Raises `BadColumns`."""
    meanings = {value: str(meaning) for value, meaning in values.items()}
    for value, meaning in meanings.items():
        if meaning not in MEANINGS and not NUMBER.fullmatch(meaning):
            known = ", ".join(MEANINGS)
            raise BadColumns(
                f"{quote_value(value)} cannot mean {quote_value(meaning)}; a choice means {known}, a rating a number"
            )
    return meanings


def check_scales(scales: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Return scales of ratings. Raises `BadColumns` for one that is not a list of a lowest and a highest number."""
    for aspect, ends in scales.items():
        numbers = isinstance(ends, list) and [type(end) in (int, float) for end in ends] == [True, True]
        if not numbers or not ends[0] < ends[1]:
            raise BadColumns(f"scales.{aspect} must be a list of its lowest and its highest number, such as [1, 5]")
    return {aspect: (float(low), float(high)) for aspect, (low, high) in scales.items()}


def write_columns(columns: Columns) -> str:
    """Return a mapping as the text of a file that `read_columns` reads."""
    document = tomlkit.document()
    if not columns.guess:
        document.add("guess", False)
    for key in ("system", "sheet", "files", "rows"):
        if (value := getattr(columns, key)) is not None:
            document.add(key, value)
    document.add("columns", {role: name for role, name in columns.roles.items() if not is_added(columns, name)})
    if columns.values:
        document.add("values", dict(columns.values))
    if columns.scales:
        document.add("scales", {aspect: list(ends) for aspect, ends in columns.scales.items()})
    if (texts := columns.documents) is not None:
        told = {key: value for key in ("sheet", "files", "rows") if (value := getattr(texts, key)) is not None}
        document.add("documents", {**told, "columns": dict(texts.roles)})
    return tomlkit.dumps(document).rstrip("\n") + "\n"


def is_added(columns: Columns, name: str) -> bool:
    """Tell whether a column is one that the table of documents adds."""
    return columns.documents is not None and name.startswith(DOCUMENTS)
