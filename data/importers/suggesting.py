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

from relevance.data.importers import JUDGED, OF_CHOICES, RANKS, SUFFIXES, TABLES, guess_format
from relevance.data.importers.called import WIDE, fold_name
from relevance.data.importers.choice_columns import find_answers, sides_of
from relevance.data.importers.choices import find_fixed, guess_roles
from relevance.data.importers.columns import TableHead, guess_people
from relevance.data.importers.columns import guess_roles as guess_summary_roles
from relevance.data.importers.described import DESCRIPTIONS, OWN, open_described
from relevance.data.importers.mapping import BEST, CHOICE, WORST, Columns
from relevance.data.importers.pairwise import LEFT, RIGHT
from relevance.data.importers.ranks import find_others, find_rank_roles
from relevance.data.importers.rows import Table, as_text, begins_with_object, open_table

Kind = Literal["summary", "choice", "several"]
"""What a row of a table holds: a summary, two summaries and a choice, or several summaries side by side."""

TEXT_LETTERS = 25
"""The fewest letters of a usual text; what is shorter is a label."""
MOST_CHOICES = 8
"""The most different values of a column of choices."""
LONGER = 1.5
"""How many times as long as all others a source is."""
ALIKE = 0.6
"""The least likeness of the names of two columns with the texts, or the systems, of the two sides."""


class Suggestion(NamedTuple):
    """What the columns of a table may be."""

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
    path: Path

    def format_of(self, columns: Columns | None) -> str:
        """Return the format by which the file is read with these columns; None are the suggested ones."""
        own = DESCRIPTIONS.get(self.format)
        return self.format if columns is None or own else name_format(self.path, self.kind, columns.roles or self.roles)


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

    @property
    def is_text(self) -> bool:
        """True if it holds texts of some length, which are not a few that repeat."""
        return self.length >= TEXT_LETTERS

    @property
    def is_label(self) -> bool:
        """True if it holds short values that are no numbers."""
        return bool(self.given) and not self.is_text and not all(re.fullmatch(r"[\d.,+-]+", one) for one in self.given)


def suggest_columns(path: Path, kind: Kind | None = None, sheet: str | None = None) -> Suggestion | None:
    """Suggest what the columns of a table are; None for a file that is no table, or whose format has its own columns.

    `kind` says what its rows hold; without it, that is suggested, too. Raises `BadRecord`.
    """
    format = find_table_format(path, sheet)
    if format is None:
        return None
    described = DESCRIPTIONS.get(format, OWN)
    if described is not OWN and kind in (None, "choice"):
        table, kind = open_described(path, format), "choice"
    else:
        table = open_table(path, sheet)
    rows = table.head()
    fixed = {role: name for role, name in find_fixed(described, table.names).items() if name}
    known = {of: guess_by_names(of, table, rows, fixed) for of in ("summary", "choice", "several")}
    kind = kind or tell_kind(format, known)
    roles = {**fixed, **known[kind]} if kind == "choice" else known[kind]
    found = {**roles, **suggest_by_contents(kind, table.names, rows, roles)}
    if described is OWN or kind != "choice":
        format = name_format(path, kind, found)
    return Suggestion(format, kind, table.names, rows, found, frozenset(roles), path)


def find_table_format(path: Path, sheet: str | None) -> str | None:
    """Return the format of a table; None for another file. Raises `BadRecord`."""
    if path.is_dir():
        return None
    ending = SUFFIXES.get(path.suffix.lower())
    if sheet is not None:
        return ending
    if ending is None and begins_with_object(path):
        nested = any(isinstance(value, list | dict) for row in open_table(path).head(1) for value in row.values())
        try:
            format = guess_format(path)
        except ValueError:
            return "json"
        return format if format in (*OF_CHOICES, RANKS, "json") or (format not in JUDGED and not nested) else None
    if ending in (*TABLES, "parquet"):
        format = guess_format(path)
        return format if format in (*TABLES, "parquet", *OF_CHOICES, RANKS) else None
    return None


def name_format(path: Path, kind: Kind, roles: Collection[str]) -> str:
    """Return the format of a table whose columns have these roles."""
    if kind == "choice":
        return "choices"
    if any(role.partition(".")[0] in (BEST, WORST, "rank") for role in roles):
        return RANKS
    ending = SUFFIXES.get(path.suffix.lower())
    return ending if ending in (*TABLES, "parquet") else "json" if begins_with_object(path) else "csv"


def guess_by_names(
    kind: str, table: Table, rows: Sequence[Mapping[str, Any]], fixed: Mapping[str, str]
) -> dict[str, str]:
    """Map the roles of a kind of table to the columns that are called so."""
    if kind == "choice":
        return guess_roles(OWN, table, fixed)
    ranked = find_rank_roles(table.names, rows)
    if kind == "several":
        wide = {role: name for role, name in ranked.items() if role not in ("rank",)}
        free = [name for name in table.names if name not in wide.values()]
        return {**wide, **find_others(free, rows)}
    if any(role.startswith(WIDE) for role in ranked):
        ranked = {}
    left = [name for name in table.names if name not in ranked.values()]
    head = TableHead(None, tuple(left), tuple(tuple(as_text(row.get(name)) for name in left) for row in rows))
    roles = {role: name for role, name in guess_summary_roles(head).items() if not role.startswith(WIDE)}
    return {**roles, **guess_people(head, roles), **ranked}


def tell_kind(format: str, known: Mapping[str, Mapping[str, str]]) -> Kind:
    """Return what the rows of a table seem to hold, by its format and by the roles of each kind."""
    if format in OF_CHOICES:
        return "choice"
    wide = sum(role.startswith(WIDE) for role in known["several"])
    if format == RANKS:
        return "several" if wide or "system" not in known["summary"] else "summary"
    if not {"system", "summary"} & known["summary"].keys():
        if wide > 2 or (wide and CHOICE not in known["choice"]):
            return "several"
        return "choice" if sides_of(known["choice"], "") or CHOICE in known["choice"] else "summary"
    return "summary"


# --- by contents ----------------------------------------------------------------------------------------------------


def suggest_by_contents(
    kind: Kind, names: Sequence[str], rows: Sequence[Mapping[str, Any]], roles: Mapping[str, str]
) -> dict[str, str]:
    """Suggest the roles that names of columns leave open."""
    columns = {name: Column(name, rows) for name in names}
    texts = [columns[name] for name in names if name not in roles.values() and columns[name].is_text]
    found: dict[str, str] = {}
    if kind == "choice":
        if sides_of(roles, "") is None and (sides := find_pair(texts, reserved=count_lacking(roles))):
            found |= {LEFT: sides[0].name, RIGHT: sides[1].name}
            texts = [one for one in texts if one not in sides]
        found |= part_texts(texts, rows, roles)
        return found | suggest_labels(columns, rows, {**roles, **found})
    if kind == "several":
        found |= part_texts(texts if len(texts) < 2 else texts[:0], rows, roles)
        return found
    needed = [role for role in ("source", "reference", "summary") if role not in roles]
    found |= suggest_summary_texts(texts, rows, needed)
    free = [one for one in columns.values() if one.is_label and one.name not in {**roles, **found}.values()]
    repeated = [one for one in free if 1 < len({*one.given}) < max(3, len(one.given))]
    if "system" not in roles and len(repeated) == 1:
        found["system"] = repeated[0].name
    return found


def count_lacking(roles: Mapping[str, str]) -> int:
    """Count the texts of a document that no column is known for."""
    return sum(role not in roles for role in ("source", "reference"))


def find_pair(columns: Sequence[Column], reserved: int = 0) -> tuple[Column, Column] | None:
    """Return the two columns that are the two sides: those called most alike, or the only two; None if nothing says it.

    `reserved` is the number of others that there may be beside them.
    """
    if len(columns) < 2:
        return None
    likeness = {pair: compare_names(pair[0].name, pair[1].name) for pair in combinations(columns, 2)}
    best = max(likeness, key=lambda pair: likeness[pair])
    if likeness[best] >= ALIKE:
        return best
    return (columns[-2], columns[-1]) if len(columns) == 2 + reserved else None


def compare_names(one: str, other: str) -> float:
    """Return how much two names are alike, from 0 to 1: those that differ in one word most."""
    first, second = (re.findall(r"\d+|[^\W\d_]+", fold_name(name)) for name in (one, other))
    if len(first) == len(second) > 1 and sum(a != b for a, b in zip(first, second, strict=True)) == 1:
        return 1.0
    return SequenceMatcher(None, fold_name(one), fold_name(other), autojunk=False).ratio()


def part_texts(texts: Sequence[Column], rows: Sequence[Mapping[str, Any]], roles: Mapping[str, str]) -> dict[str, str]:
    """Tell the source and the reference apart, the longest text being the source."""
    needed = [role for role in ("source", "reference") if role not in roles]
    longest = sorted(texts, key=lambda one: -one.length)
    if len(needed) == 2 and len(longest) == 1:
        known = [Column(roles[side], rows).length for side in (LEFT, RIGHT) if side in roles]
        is_source = bool(known) and longest[0].length > 3 * fmean(known)
        return {"source" if is_source else "reference": longest[0].name}
    return {role: one.name for role, one in zip(needed, longest, strict=False)}


def suggest_summary_texts(
    texts: Sequence[Column], rows: Sequence[Mapping[str, Any]], needed: Sequence[str]
) -> dict[str, str]:
    """Tell source, reference and summary apart: the source is the longest, summaries differ most."""
    found: dict[str, str] = {}
    left = sorted(texts, key=lambda one: -one.length)
    others = [role for role in needed if role != "source"]
    if "source" in needed and len(left) > len(others) and left[0].length >= LONGER * left[1].length:
        found["source"] = left.pop(0).name
    in_order = [one for one in texts if one in left]  # a reference usually stands before what is compared with it
    if "summary" in others and in_order:
        most = max(in_order, key=lambda one: (len({*one.values}), in_order.index(one)))
        found["summary"] = most.name
        in_order = [one for one in in_order if one is not most]
    if "reference" in others and in_order:
        found["reference"] = in_order[0].name
    return found


def suggest_labels(
    columns: Mapping[str, Column], rows: Sequence[Mapping[str, Any]], roles: Mapping[str, str]
) -> dict[str, str]:
    """Suggest the systems of the two sides, and the choices."""
    found: dict[str, str] = {}

    def free() -> list[Column]:
        return [one for one in columns.values() if one.name not in {**roles, **found}.values() and one.given]

    labels = [one for one in free() if one.is_label]
    if sides_of(roles, "_system") is None:
        shared = [
            (one, other)
            for one, other in combinations(labels, 2)
            if {*one.given} & {*other.given} or compare_names(one.name, other.name) >= ALIKE
        ]
        shared = [
            pair
            for pair in shared
            if all(len({*one.given}) < max(3, len(one.given)) for one in pair)
            and all(first != second for first, second in zip(pair[0].values, pair[1].values, strict=True))
        ]
        if shared:
            best = max(shared, key=lambda pair: compare_names(pair[0].name, pair[1].name))
            found |= {"left_system": best[0].name, "right_system": best[1].name}
    if any(role == CHOICE or role.startswith(f"{CHOICE}.") for role in roles):
        return found
    answers = find_answers({**roles, **found}, list(columns), rows)
    few = [one.name for one in free() if 1 < len({*one.given}) <= MOST_CHOICES and len({*one.given}) < len(one.given)]
    named = [one for one in few if columns[one].is_label or {*columns[one].given} <= {"0", "1", "2", "3"}]
    for candidates in (answers, named):
        if len(candidates) == 1:
            found[CHOICE] = candidates[0]
            break
    return found
