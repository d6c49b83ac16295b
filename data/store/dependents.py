"""Rows deleted with all that refers to them, in whatever tables that is: the database itself knows its foreign keys."""

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, column, delete, inspect, select, table
from sqlalchemy.orm import Session
from sqlalchemy.sql.selectable import Select

References = dict[str, list[tuple[str, str]]]
"""By table: the tables and columns that refer to its rows."""


def delete_dependents(session: Session, name: str, ids: Sequence[int], *, only: Collection[str] | None = None) -> None:
    """Delete what refers to the rows of a table with these numbers, and all that refers to that in turn.

    `only` names the tables that refer to these rows of which rows are deleted; by default all. So a package deletes
    what belongs to its rows in tables of packages that it does not know.
    """
    session.flush()
    references = read_references(session)
    known = {child for child, _ in references.get(name, [])}
    for child, of in references.get(name, []):
        if only is None or child in only:
            delete_chosen(session, references, child, column(of).in_(ids))
    if only is not None and not known >= set(only):
        raise LookupError(f"{sorted(set(only) - known)} do not refer to {name}")


def delete_chosen(session: Session, references: References, name: str, chosen: ColumnElement[bool]) -> None:
    """Delete the chosen rows of a table, after all that refers to them."""
    chosen_ids: Select[int] = select(column("id")).select_from(table(name)).where(chosen)
    for child, of in references.get(name, []):
        delete_chosen(session, references, child, column(of).in_(chosen_ids))
    session.execute(delete(table(name)).where(chosen))


def read_references(session: Session) -> References:
    """Which columns of the database refer to the rows of each table."""
    found: References = {}
    for (_, child), keys in inspect(session.connection()).get_multi_foreign_keys().items():
        for key in keys:
            if key["referred_columns"] == ["id"]:
                found.setdefault(key["referred_table"], []).append((child, key["constrained_columns"][0]))
    return found
