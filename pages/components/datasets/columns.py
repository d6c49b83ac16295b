"""The roles of a table's columns and the meanings of its values: suggested, shown, and asked about."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from relevance.data.importers.called import ANNOTATOR, ASPECT, HUMAN, WIDE, find_missing, find_ratings, leave_out
from relevance.data.importers.choices import TELLING
from relevance.data.importers.mapping import BEST, CHOICE, MEANINGS, OF_SYSTEM, RANK, SKIP, WORST, Columns
from relevance.data.importers.suggesting import Kind, Suggestion, suggest_meanings
from relevance.data.one_line import cut, in_one_line
from relevance.data.records import UnknownValues
from relevance.pages.components.shared.messages import sentence
from relevance.reports.escaping import in_markdown

MOST_COLUMNS = 2000
"""Columns of the widest table whose columns can be chosen from."""

MOST_VALUES = 40
"""Values of a table that are asked about."""

NOT_THERE = "(none)"
UNNAMED = "(somebody, not named)"
"""The choice for annotators where a summary has several ratings, and no column says whose they are."""

HOLDS: Mapping[Kind, str] = {
    "summary": "One summary",
    "choice": "Two summaries and a choice",
    "several": "Several summaries",
}
"""The kinds of rows."""

DOCUMENT = {"document_id": "Document's id", "title": "Title", "source": "Source", "reference": "Reference"}
SAID = {ANNOTATOR: "Annotator", "time": "Time", "comment": "Comment"}
FIELDS: Mapping[Kind, Mapping[str, str]] = {
    "summary": DOCUMENT
    | {"system": "System", "summary": "Summary", ANNOTATOR: "Annotator", ASPECT: "Aspect of the rating"},
    "choice": DOCUMENT
    | {"left": "Left summary", "right": "Right summary"}
    | {"left_system": "System on the left", "right_system": "System on the right"}
    | SAID,
    "several": DOCUMENT | SAID,
}
"""By what a row holds: the roles that one column has, and what they are called."""

MEANT = {
    "left": "the left one",
    "right": "the right one",
    "tie": "a tie",
    "bad": "a tie, both bad",
    "skip": "no judgment",
    "system": "the system of this name",
}
"""The meanings that values of choices can have, in words."""


class UnclearValue(NamedTuple):
    """A value of a table whose meaning is asked, or was found."""

    column: str
    times: int
    """The number of rows with it; 0 if they were not counted."""
    ratings: bool
    """True if it stands for a number."""
    meaning: str | None
    """Its meaning by itself; None if that is not known."""
    suggested: str | None = None
    """Its suggested meaning, if the meaning is not known."""


def ask_columns(suggestion: Suggestion, stem: str, key: str) -> tuple[Columns | None, list[str]]:
    """Ask which column is which; return how to read the table, and what is lacking to read it.

    The columns are None where everything is called as usual and nothing was changed. `stem` names the system of a table
    without a column for it, and `key` the file.
    """
    guessed = sorted(set(suggestion.roles) - suggestion.told)
    lacks = find_lacking(suggestion.kind, suggestion.roles)
    if len(suggestion.names) > MOST_COLUMNS:
        many = f"the table has {len(suggestion.names):,} columns, too many to choose from"
        if guessed or lacks:
            raise ValueError(f"{many}: give those you need their usual names")
        st.caption(f"{sentence(many)} They are read by their names.")
        return None, []
    with st.expander("Columns", expanded=bool(guessed or lacks), icon=":material/table_chart:"):
        if guessed:
            st.markdown(
                "**Please check the columns.** Some names are not the usual ones, so the contents were looked at."
            )
        roles = ask_fields(suggestion, key)
        roles |= ASKED_MORE[suggestion.kind](suggestion, roles, key)
        system = None
        if suggestion.kind == "summary" and "summary" in roles and "system" not in roles:
            system = st.text_input("System that wrote the summaries", stem, key=f"import_system:{key}").strip() or None
        columns = [column for column in roles.values() if column]
        if twice := sorted({column for column in columns if columns.count(column) > 1}):
            raise ValueError(f"the column {', '.join(twice)} is chosen twice")
        show_columns(suggestion, roles)
    as_suggested = roles == dict(suggestion.roles) and not guessed and system in (None, stem)
    return None if as_suggested else Columns(roles, system=system, guess=False), find_lacking(suggestion.kind, roles)


def ask_fields(suggestion: Suggestion, key: str) -> dict[str, str]:
    """Ask for the columns of the roles that one column has each."""
    roles = {}
    with st.container(horizontal=True):
        for role, label in FIELDS[suggestion.kind].items():
            options = [NOT_THERE, *suggestion.names]
            if role == ANNOTATOR and suggestion.kind == "summary":
                options.insert(1, UNNAMED)
            with st.container(width=185):
                place = options.index(suggestion.roles.get(role, NOT_THERE))
                chosen = st.selectbox(
                    label, options, place, format_func=in_one_line, key=f"import_column:{suggestion.kind}:{role}:{key}"
                )
            if chosen != NOT_THERE:
                roles[role] = "" if chosen == UNNAMED else str(chosen)
    return roles


def choose_columns(
    suggestion: Suggestion, taken: Mapping[str, str], label: str, prefix: str, key: str, help: str | None = None
) -> list[str]:
    """Ask for the columns whose roles begin with a prefix."""
    free = leave_out(suggestion.names, taken.values())
    suggested = [name for role, name in suggestion.roles.items() if role.partition(".")[0] == prefix.rstrip(".")]
    return st.multiselect(
        label,
        free,
        [name for name in suggested if name in free],
        format_func=in_one_line,
        key=f"import_columns:{suggestion.kind}:{prefix}:{key}",
        help=help,
    )


def name_roles(
    suggestion: Suggestion, prefix: str, columns: Sequence[str], *, alone: str | None = None
) -> dict[str, str]:
    """Map the roles of several columns to them: the suggested ones, or such as are called by the column.

    A column that stands `alone` may have a role without a name of its own.
    """
    known = {name: role for role, name in suggestion.roles.items() if role.partition(".")[0] == prefix.rstrip(".")}
    if alone is not None and len(columns) == 1:
        return {known.get(columns[0], alone): columns[0]}
    return {known.get(name, f"{prefix}{name}"): name for name in columns}


def ask_ratings(suggestion: Suggestion, roles: Mapping[str, str], key: str) -> dict[str, str]:
    """Ask for the columns of ratings and of ranks of a table with a row for each summary."""
    ratings = choose_columns(
        suggestion, roles, "Ratings", HUMAN, key, "Columns of numbers, or of answers that stand for numbers."
    )
    by_name = {name: role for role, name in find_ratings(ratings, in_rows=ANNOTATOR in roles).items()}
    rated = {by_name.get(name, role): name for role, name in name_roles(suggestion, HUMAN, ratings).items()}
    ranks = choose_columns(suggestion, {**roles, **rated}, "Ranks", RANK, key, "1 is the best.")
    return rated | name_roles(suggestion, f"{RANK}.", ranks, alone=RANK)


def ask_choices(suggestion: Suggestion, roles: Mapping[str, str], key: str) -> dict[str, str]:
    """Ask for the columns of choices, each of which answers a question of its own."""
    chosen = choose_columns(
        suggestion, roles, "Choices", f"{CHOICE}.", key, "Each column becomes a study of its own question."
    )
    return name_roles(suggestion, f"{CHOICE}.", chosen, alone=CHOICE)


def ask_several(suggestion: Suggestion, roles: Mapping[str, str], key: str) -> dict[str, str]:
    """Ask for the columns of summaries that stand side by side, and of what is said of them."""
    texts = choose_columns(suggestion, roles, "Summaries, a column for each system", WIDE, key)
    named = name_roles(suggestion, WIDE, texts)
    keys = [role.removeprefix(WIDE) for role in named]
    for label, prefix in (
        ("Their ranks, in the same order", f"{RANK}."),
        ("Their systems, in the same order", OF_SYSTEM),
    ):
        chosen = choose_columns(suggestion, {**roles, **named}, label, prefix, key)
        named |= (
            {f"{prefix}{key}": name for key, name in zip(keys, chosen, strict=False)}
            if keys
            else name_roles(suggestion, prefix, chosen)
        )
    for label, prefix in (("The best", BEST), ("The worst", WORST)):
        chosen = choose_columns(suggestion, {**roles, **named}, label, f"{prefix}.", key)
        named |= name_roles(suggestion, f"{prefix}.", chosen, alone=prefix)
    return named


ASKED_MORE = {"summary": ask_ratings, "choice": ask_choices, "several": ask_several}
"""By what a row holds: the function that asks for the roles that several columns may have."""


def find_lacking(kind: Kind, roles: Mapping[str, str]) -> list[str]:
    """List what a table of these roles lacks to be read."""
    told = any(role in roles for role in TELLING)
    telling = [] if told else ["the document's id, the source or the reference"]
    ranked = any(role.partition(".")[0] in (RANK, BEST, WORST) for role in roles)
    if kind == "choice":
        lacking = [] if any(role.partition(".")[0] == CHOICE for role in roles) else ["the choices"]
        if not ("left_system" in roles and "right_system" in roles) or "left" in roles or "right" in roles:
            lacking += [FIELDS[kind][side].lower() for side in ("left", "right") if side not in roles] + telling
        return [role if role.startswith("the ") else f"the {role}" for role in lacking]
    if kind == "several":
        shown = sum(role.startswith((WIDE, f"{RANK}.")) for role in roles)
        lacking = [] if shown > 1 else ["two summaries"]
        compared = [] if {"reference", "source"} & roles.keys() else ["the source or the reference"]
        return lacking + (telling if ranked else compared)
    if ranked and "summary" not in roles:
        return [f"the {FIELDS[kind][role].lower()}" for role in ("document_id", "system") if role not in roles]
    return [f"the {role}" for role in find_missing(roles)]


def show_columns(suggestion: Suggestion, roles: Mapping[str, str]) -> None:
    """Show what each column becomes, with its first values."""
    read_as = {column: role for role, column in roles.items()}
    frame = pd.DataFrame(
        {
            "column": in_one_line(name),
            "is read as": in_one_line(describe_role(read_as[name])) if name in read_as else "not read",
            "first values": cut("  |  ".join(str(row.get(name) or "") for row in suggestion.rows[:3]), 120),
        }
        for name in suggestion.names
    )
    st.dataframe(frame, hide_index=True, key="import_rows")


def describe_role(role: str) -> str:
    """Name a role in words."""
    known = {**FIELDS["summary"], **FIELDS["choice"], CHOICE: "Choice", RANK: "Rank", BEST: "Best", WORST: "Worst"}
    if role in known:
        return known[role]
    first, _, name = role.partition(".")
    called = {"human": "Rating", "summary": "Summary", "system": "System"}.get(first, first.capitalize())
    return f"{called}: {name}"


# --- values -----------------------------------------------------------------------------------------------------


def remember_values(key: str, values: Mapping[str, UnclearValue]) -> bool:
    """Keep values to ask about; return whether there are new ones."""
    kept: dict[str, UnclearValue] = st.session_state.setdefault(f"import_asked:{key}", {})
    new = {value: meaning for value, meaning in values.items() if value not in kept}
    kept |= new
    return bool(new)


def remember_unknown(key: str, error: UnknownValues, roles: Mapping[str, str]) -> bool:
    """Keep the values that nobody knows the meaning of; return whether there are new ones."""
    meant = {} if error.ratings else suggest_meanings(error.values, roles)
    return remember_values(
        key,
        {
            value: UnclearValue(error.column, times, error.ratings, None, meant.get(value))
            for value, times in error.values.items()
        },
    )


def remember_found(key: str, columns: Columns | None) -> bool:
    """Keep the values of choices whose meaning was found; return whether there are new ones."""
    meanings = {} if columns is None else columns.values
    return remember_values(
        key, {value: UnclearValue("", 0, False, meaning) for value, meaning in meanings.items() if meaning in MEANINGS}
    )


def ask_values(key: str) -> dict[str, str]:
    """Ask what values mean; return the meanings that somebody said."""
    kept: dict[str, UnclearValue] = st.session_state.get(f"import_asked:{key}", {})
    shown = dict(sorted(kept.items(), key=lambda item: item[1].meaning is not None)[:MOST_VALUES])
    if not shown:
        return {}
    told: dict[str, str] = {}
    unknown = any(value.meaning is None for value in shown.values())
    with st.expander("Values", expanded=unknown, icon=":material/rule:"):
        if unknown:
            st.markdown("**What do these values mean?** In brackets: how many rows have them.")
        with st.container(horizontal=True):
            for value, unclear in shown.items():
                if (meaning := ask_meaning(value, unclear, key)) is not None and meaning != unclear.meaning:
                    told[value] = meaning
        if more := len(kept) - len(shown):
            st.caption(f"{more:,} more values are not asked here: a mapping can say them, in its part `[values]`.")
    return told


def ask_meaning(value: str, unclear: UnclearValue, key: str) -> str | None:
    """Ask what a value means; None as long as nobody has said it."""
    times = f" ({unclear.times:,})" if unclear.times else ""
    label = in_markdown(f"{cut(value, 60) or '(blank)'}{times}")
    options: list[Any] = [SKIP, *map(str, range(11))] if unclear.ratings else [*MEANINGS]
    with st.container(width=215):
        chosen = st.selectbox(
            label,
            options,
            options.index(meant) if (meant := unclear.meaning or unclear.suggested) in options else None,
            format_func=lambda meaning: (
                "no rating" if unclear.ratings and meaning == SKIP else MEANT.get(meaning, meaning)
            ),
            key=f"import_value:{value}:{key}",
            placeholder="a number" if unclear.ratings else "which one?",
            accept_new_options=unclear.ratings,
        )
    return None if chosen is None else str(chosen)


def with_values(columns: Columns | None, values: Mapping[str, str], sheet: str | None) -> Columns | None:
    """Return how to read a table with the meanings of values, and with its sheet; None if nothing was said."""
    if not values and sheet is None:
        return columns
    told = columns or Columns({})
    return told._replace(values={**told.values, **values}, sheet=sheet or told.sheet)
