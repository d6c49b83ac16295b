"""Suggestions of what the columns of a table are, for whoever is asked about them.

Names of columns say it first, as in an import without a mapping. What they leave open is told from the contents: which
columns hold long texts, which of these are the two sides, which labels are systems, and which are choices. Such a
suggestion is shown before anything is imported, and never taken without being seen.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, NamedTuple

from relevance.data.importers import MAPPED, OF_CHOICES, RANKS, SUFFIXES, TABLES, guess_format
from relevance.data.importers.called import ASPECTS, CALLED, HUMAN, WIDE, fold_name, leave_out
from relevance.data.importers.choice_columns import find_answers, sides_of
from relevance.data.importers.choices import find_fixed, guess_roles
from relevance.data.importers.columns import TableHead, guess_rated
from relevance.data.importers.columns import guess_roles as guess_summary_roles
from relevance.data.importers.delimited import are_numbers
from relevance.data.importers.described import DESCRIPTIONS, OWN, open_described
from relevance.data.importers.given_ratings import read_numbered
from relevance.data.importers.mapping import BEST, CHOICE, RANK, WORST, Columns
from relevance.data.importers.opening import open_table
from relevance.data.importers.pairwise import LEFT, RIGHT
from relevance.data.importers.rank_columns import find_others, find_rank_roles
from relevance.data.importers.rows import Table, as_text, begins_with_object
from relevance.data.importers.spreading import is_whole_object
from relevance.data.reading import MAX_NAME, is_missing
from relevance.data.records import BadRecord

Kind = Literal["summary", "choice", "several"]
"""The contents of a row of a table: a summary, two summaries and a choice, or several summaries side by side."""
HOLDINGS: tuple[Kind, ...] = ("summary", "choice", "several")

TEXT_LETTERS = 25
"""The fewest letters of a usual text; what is shorter is a label."""
LONG = 200
"""The mean letters of texts that are not answers, however few they are."""
MOST_CHOICES = 8
"""The most different values of a column of choices."""
MOST_OF_ONE = 100
"""The most columns of a table with a single row."""
MOST_RATINGS = 11
"""The most different ratings on a scale."""
LONGER = 1.5
"""How many times as long as all others a source is."""
ALIKE = 0.6
"""The least likeness of the names of two columns with the texts, or the systems, of the two sides."""


FIELDS: Mapping[Kind, tuple[str, ...]] = {
    "summary": ("reference", "source", "summary"),
    "choice": ("reference", "source"),
    "several": ("reference", "source"),
}
"""The texts that a word of a column's name may tell."""


class Suggestion(NamedTuple):
    """Suggested roles of the columns of a table."""

    format: str
    """The format by which a file with these columns is read."""
    kind: Kind
    names: tuple[str, ...]
    """The names of the columns; one without a name is called by its place."""
    rows: Sequence[Mapping[str, Any]]
    """The first rows."""
    roles: Mapping[str, str]
    """The column of each role that is known or suggested."""
    told: frozenset[str]
    """The roles that names of columns tell; what the others are is told from the contents."""
    of_summaries: str
    """The format of the file as a table of summaries."""

    def format_of(self, columns: Columns | None) -> str:
        """Return the format by which the file is read with these columns; None are the suggested ones."""
        if columns is None or self.format in DESCRIPTIONS:
            return self.format
        return name_format(self.of_summaries, self.kind, columns.roles or self.roles)


class Column:
    """The values of a column in the first rows."""

    def __init__(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        self.name = name
        self.values = [as_text(row.get(name)) for row in rows if not isinstance(row.get(name), list | dict)]

    @cached_property
    def given(self) -> list[str]:
        """The values that are not blank."""
        return [value for value in self.values if value]

    @cached_property
    def length(self) -> float:
        """The mean length of its values in letters."""
        return fmean(map(len, self.given)) if self.given else 0.0

    @cached_property
    def is_text(self) -> bool:
        """True if it holds texts of some length, which are not a few answers that repeat, and no ids."""
        if self.length < TEXT_LETTERS or not any(re.search(r"\s|[^\x00-\x7f]", value) for value in self.given):
            return False
        different = len({*self.given})
        return self.length >= LONG or different > MOST_CHOICES or 2 * different >= len(self.given)

    @property
    def may_be_text(self) -> bool:
        """True if it holds texts, even short ones, and no answers or numbers."""
        return self.is_text or (self.is_label and len({*self.given}) > len(self.given) // 2)

    @property
    def is_label(self) -> bool:
        """True if it holds short values that are not numbers."""
        return (
            bool(self.given) and not self.is_text and not all(re.fullmatch(r"[\d.,+-]+", value) for value in self.given)
        )

    @property
    def repeats(self) -> bool:
        """True if it has several values, and some of them several times."""
        return 1 < len({*self.given}) < len(self.given)

    def goes_with(self, other: "Column") -> bool:
        """Tell whether it has one value for each value of another column."""
        return len({*zip(self.values, other.values, strict=False)}) <= len({*other.values})

    @property
    def is_likert(self) -> bool:
        """True if its numbers look like those of a scale: few, from 0 to 10, whole or halves."""
        if not self.repeats or not all(re.fullmatch(r"10|\d(\.[05])?", value) for value in self.given):
            return False
        return len({*self.given}) <= MOST_RATINGS

    @property
    def is_called_rating(self) -> bool:
        """True if it holds numbers, and its name ends with an aspect: `expert relevance`."""
        return split_words(self.name)[-1:] in [[aspect] for aspect in (*ASPECTS, "rating")] and are_numbers(self.given)

    @property
    def is_numbered(self) -> bool:
        """True if it holds ratings that say what they stand for: `2: Yes`."""
        values = [value for value in self.given if not is_missing(value)]
        return bool(values) and all(read_numbered(value) is not None for value in values)


def suggest_columns(path: Path, kind: Kind | None = None, sheet: str | None = None) -> Suggestion | None:
    """Suggest the roles of a table's columns; None for a file that is not a table, or whose format has its own columns.

    `kind` says what its rows hold; without it, that is suggested, too. Raises `BadRecord`.
    """
    format = find_table_format(path, sheet)
    if format is None:
        return None
    described = DESCRIPTIONS.get(format, OWN)
    if described is not OWN and kind in (None, "choice"):
        table, kind = open_described(path, format), "choice"
    else:
        table = open_table(path, Columns({}, sheet=sheet))
    rows = table.head()
    if len(rows) < 2 and len(table.names) > MOST_OF_ONE and begins_with_object(path):
        return None  # an object that holds all records
    fixed = {role: name for role, name in find_fixed(described, table.names).items() if name}
    known = {of: guess_by_names(of, table, rows, fixed) for of in HOLDINGS}
    kind = kind or tell_kind(format, known, table.names, rows)
    roles = {**fixed, **known[kind]} if kind == "choice" else known[kind]
    suggested = {**roles, **suggest_by_contents(kind, table.names, rows, roles)}
    ending = SUFFIXES.get(path.suffix.lower())
    of_summaries = ending if ending in (*TABLES, "parquet") else "json" if begins_with_object(path) else "csv"
    if described is OWN or kind != "choice":
        format = name_format(of_summaries, kind, suggested)
    return Suggestion(format, kind, table.names, rows, suggested, frozenset(roles), of_summaries)


def find_table_format(path: Path, sheet: str | None) -> str | None:
    """Return the format of a table; None for another file. Raises `BadRecord`."""
    if path.is_dir() or is_whole_object(path):
        return None
    ending = SUFFIXES.get(path.suffix.lower())
    if sheet is not None:
        return ending
    if ending not in (*TABLES, "parquet") and not (ending is None and begins_with_object(path)):
        return None
    try:
        format = guess_format(path)
    except BadRecord:
        if ending is None:
            return "json"  # objects whose fields have other names than ours
        raise
    return format if format in MAPPED else None


def name_format(of_summaries: str, kind: Kind, roles: Collection[str]) -> str:
    """Return the format of a table whose columns have these roles; `of_summaries` is that of one of summaries."""
    if kind == "choice":
        return "choices"
    if any(role.partition(".")[0] in (BEST, WORST, RANK) for role in roles):
        return RANKS
    return of_summaries


def guess_by_names(
    kind: Kind, table: Table, rows: Sequence[Mapping[str, Any]], fixed: Mapping[str, str]
) -> dict[str, str]:
    """Map the roles of a kind of table to the columns that are called so."""
    if kind == "choice":
        return guess_roles(OWN, table, fixed)
    ranked = find_rank_roles(table.names, rows)
    if kind == "several":
        wide = {
            role: name
            for role, name in ranked.items()
            if role != RANK and (not role.startswith(WIDE) or Column(name, rows).may_be_text)
        }
        texts = [Column(name, rows) for role, name in wide.items() if role.startswith(WIDE)]
        told = suggest_by_words(texts, ("reference", "source")).values()
        wide = {role: name for role, name in wide.items() if name not in told}
        return {**wide, **find_others(leave_out(table.names, wide.values()), rows, {})}
    if any(role.startswith(WIDE) for role in ranked):
        ranked = {}
    left = leave_out(table.names, ranked.values())
    head = TableHead(None, tuple(left), tuple(tuple(as_text(row.get(name)) for name in left) for row in rows))
    roles = {role: name for role, name in guess_summary_roles(head).items() if not role.startswith(WIDE)}
    return {**roles, **guess_rated(head, {**roles, **ranked}), **ranked}


def tell_kind(
    format: str, known: Mapping[Kind, Mapping[str, str]], names: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> Kind:
    """Return what the rows of a table seem to hold, by its format, and by the roles of each kind."""
    if format in OF_CHOICES:
        return "choice"
    wide = sum(role.startswith(WIDE) for role in known["several"])
    if format == RANKS:
        return "several" if wide or "system" not in known["summary"] else "summary"
    if {"system", "summary"} & known["summary"].keys():
        return "summary"
    if wide > 2 or (wide == 2 and CHOICE not in known["choice"]):
        return "several"
    if sides_of(known["choice"], "") or CHOICE in known["choice"]:
        return "choice"
    of_choice = suggest_by_contents("choice", names, rows, known["choice"])
    return "choice" if sides_of(of_choice, "") and CHOICE in of_choice else "summary"


# --- by contents ----------------------------------------------------------------------------------------------------


def suggest_by_contents(
    kind: Kind, names: Sequence[str], rows: Sequence[Mapping[str, Any]], roles: Mapping[str, str]
) -> dict[str, str]:
    """Suggest the roles that names of columns leave open."""
    columns = {name: Column(name, rows) for name in names}
    texts = [columns[name] for name in leave_out(names, roles.values()) if columns[name].is_text]
    suggested = suggest_by_words(texts, [role for role in FIELDS[kind] if role not in roles])
    texts = [column for column in texts if column.name not in suggested.values()]
    roles = {**roles, **suggested}
    if kind == "choice":
        if sides_of(roles, "") is None and (sides := find_pair(texts, reserved=count_lacking(roles))):
            suggested |= {LEFT: sides[0].name, RIGHT: sides[1].name}
            texts = [column for column in texts if column not in sides]
        suggested |= part_texts(texts, columns, {**roles, **suggested})
        suggested |= suggest_ids(columns, {**roles, **suggested})
        return suggested | suggest_labels(columns, rows, {**roles, **suggested})
    if kind == "several":
        return suggested | part_texts(texts if len(texts) == 1 else (), columns, roles)
    suggested |= suggest_summary_texts(
        texts, [role for role in ("source", "reference", "summary") if role not in roles]
    )
    suggested |= suggest_ids(columns, {**roles, **suggested})
    free = [columns[name] for name in leave_out(columns, {**roles, **suggested}.values())]
    repeated = [column.name for column in free if column.is_label and not column.is_numbered and column.repeats]
    if "system" not in roles and len(repeated) == 1:
        suggested["system"] = repeated[0]
    rated = any(role.startswith(HUMAN) for role in roles)
    ratings = [
        column.name
        for column in free
        if column.is_numbered or column.is_called_rating or (column.is_likert and not rated)
    ]
    return suggested | {f"{HUMAN}{trim_question(name)}": name for name in ratings}


def suggest_ids(columns: Mapping[str, Column], roles: Mapping[str, str]) -> dict[str, str]:
    """Suggest the documents' ids: values of which each goes with one text of the documents, which repeat."""
    text = columns.get(roles.get("source", roles.get("reference", "")))
    if "document_id" in roles or text is None or not text.repeats:
        return {}
    number = len({*text.values})
    names = [
        column.name
        for column in map(columns.__getitem__, leave_out(columns, roles.values()))
        if not column.is_text and len(column.given) == len(column.values)
        if len({*column.values}) == number == len({*zip(column.values, text.values, strict=True)})
    ]
    return {"document_id": names[0]} if names else {}


def suggest_by_words(texts: Sequence[Column], lacking: Sequence[str]) -> dict[str, str]:
    """Map roles to texts of whose names a word says it: `Target Summary` is a reference."""
    roles: dict[str, str] = {}
    for role in lacking:
        known = {called for called in CALLED[role] if re.fullmatch("[a-z]{3,}", called)}
        named = [column.name for column in texts if known & {*re.findall("[a-z]+", fold_name(column.name))}]
        named = leave_out(named, roles.values())
        if len(named) == 1:
            roles[role] = named[0]
    return roles


def trim_question(name: str) -> str:
    """Return the name of a column as that of an aspect."""
    return " ".join(re.sub(r"[^\w\s-]", "", name).split())[:MAX_NAME]


def count_lacking(roles: Mapping[str, str]) -> int:
    """Count the texts of a document that no column is known for."""
    return sum(role not in roles for role in ("source", "reference"))


def find_pair(columns: Sequence[Column], reserved: int = 0) -> tuple[Column, Column] | None:
    """Return the two columns that are the two sides: those called most alike, or the only two; None if nothing says it.

    `reserved` is the number of others that there may be beside them.
    """
    if len(columns) < 2:
        return None
    longest = max(columns, key=lambda column: column.length)
    likeness = {
        pair: compare_names(pair[0].name, pair[1].name)
        for pair in combinations(columns, 2)
        # a text that goes with the source, beside one that does not, is a reference beside a summary
        if longest in pair or len({column.goes_with(longest) for column in pair}) == 1
    }
    best = max(likeness, key=lambda pair: (likeness[pair], compare_lengths(*pair)), default=None)
    if best is None:
        return None
    if likeness[best] >= ALIKE:
        return best
    return (columns[-2], columns[-1]) if len(columns) == 2 + reserved else None


def compare_lengths(first: Column, second: Column) -> float:
    """Return how much the mean lengths of two columns of texts are alike, from 0 to 1."""
    return min(first.length, second.length) / max(first.length, second.length)


def compare_names(name: str, other_name: str) -> float:
    """Return how much two names are alike, from 0 to 1: those that differ in one word most."""
    first, second = split_words(name), split_words(other_name)
    if len(first) == len(second) > 1 and sum(a != b for a, b in zip(first, second, strict=True)) == 1:
        return 1.0
    return SequenceMatcher(None, fold_name(name), fold_name(other_name), autojunk=False).ratio()


def part_texts(texts: Sequence[Column], columns: Mapping[str, Column], roles: Mapping[str, str]) -> dict[str, str]:
    """Tell the source and the reference apart, the longest text being the source."""
    needed = [role for role in ("source", "reference") if role not in roles]
    longest = sorted(texts, key=lambda column: -column.length)
    if len(needed) == 2 and len(longest) == 1:
        known = [columns[roles[side]].length for side in (LEFT, RIGHT) if side in roles]
        is_source = bool(known) and longest[0].length > 3 * fmean(known)
        return {"source" if is_source else "reference": longest[0].name}
    return {role: column.name for role, column in zip(needed, longest, strict=False)}


def suggest_summary_texts(texts: Sequence[Column], needed: Sequence[str]) -> dict[str, str]:
    """Tell source, reference and summary apart: the source is the longest, summaries differ most."""
    roles: dict[str, str] = {}
    left = sorted(texts, key=lambda column: -column.length)
    others = [role for role in needed if role != "source"]
    if "source" in needed and len(left) > len(others) and left[0].length >= LONGER * left[1].length:
        roles["source"] = left.pop(0).name
    # a reference usually stands before what is compared with it
    in_order = [column for column in texts if column in left]
    if "summary" in others and in_order:
        most = max(in_order, key=lambda column: (len({*column.values}), in_order.index(column)))
        roles["summary"] = most.name
        in_order = [column for column in in_order if column is not most]
    if "reference" in others and in_order:
        roles["reference"] = in_order[0].name
    return roles


def suggest_labels(
    columns: Mapping[str, Column], rows: Sequence[Mapping[str, Any]], roles: Mapping[str, str]
) -> dict[str, str]:
    """Suggest the systems of the two sides, and the choices."""
    suggested: dict[str, str] = {}

    def free() -> list[Column]:
        return [columns[name] for name in leave_out(columns, {**roles, **suggested}.values()) if columns[name].given]

    labels = [column for column in free() if column.is_label]
    if sides_of(roles, "_system") is None:
        shared = [
            (first, second)
            for first, second in combinations(labels, 2)
            if {*first.given} & {*second.given} or compare_names(first.name, second.name) >= ALIKE
        ]
        shared = [
            pair
            for pair in shared
            if all(column.repeats or len(column.given) < 3 for column in pair)
            and all(first != second for first, second in zip(pair[0].values, pair[1].values, strict=True))
        ]
        if shared:
            best = max(shared, key=lambda pair: compare_names(pair[0].name, pair[1].name))
            suggested |= {"left_system": best[0].name, "right_system": best[1].name}
    if any(role == CHOICE or role.startswith(f"{CHOICE}.") for role in roles):
        return suggested
    answers = find_answers({**roles, **suggested}, list(columns), rows)
    few = [column for column in free() if column.repeats and len({*column.given}) <= MOST_CHOICES]
    by_words = [column.name for column in few if {LEFT, RIGHT} <= {*suggest_meanings(column.given, roles).values()}]
    by_number = [column.name for column in few if {*column.given} <= {"0", "1", "2", "3"}]
    for candidates in (answers, by_words, by_number, [column.name for column in few if column.is_label]):
        if len(candidates) == 1:
            return {**suggested, CHOICE: candidates[0]}
    return suggested


def suggest_meanings(values: Iterable[str], roles: Mapping[str, str]) -> dict[str, str]:
    """Suggest which side values name that share a word with the column of one text only.

    >>> suggest_meanings(["links besser", "gleich gut"], {"left": "Text links", "right": "Text rechts"})
    {'links besser': 'left'}
    """
    if (sides := sides_of(roles, "")) is None:
        return {}
    left, right = ({*split_words(name)} for name in sides)
    meanings = {}
    for value in values:
        words = {*split_words(value)}
        if bool(words & (left - right)) != bool(words & (right - left)):
            meanings[value] = LEFT if words & (left - right) else RIGHT
    return meanings


def split_words(text: str) -> list[str]:
    """Return the words and numbers of a name or a value."""
    return re.findall(r"\d+|[^\W\d_]+", fold_name(text))
