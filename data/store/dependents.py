"""Deletion of rows with all that refer to them, in any table, by the database's own foreign keys."""

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, column, delete, inspect, select, table
from sqlalchemy.orm import Session
from sqlalchemy.sql.selectable import Select

References = dict[str, list[tuple[str, str]]]
"""By table: the tables and columns that refer to its rows."""


def delete_dependents(session: Session, name: str, ids: Sequence[int], *, only: Collection[str] | None = None) -> None:
    """Delete the rows that refer to the rows of a table with these numbers, and all that refer to those.

    `only` names the referring tables to delete from; by default all. So a package can delete rows that belong to its
    own in tables of packages that it does not know. Raises LookupError if a table in `only` does not refer to `name`.
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
    """Delete the chosen rows of a table, after all that refer to them."""
    chosen_ids: Select[int] = select(column("id")).select_from(table(name)).where(chosen)
    for child, of in references.get(name, []):
        delete_chosen(session, references, child, column(of).in_(chosen_ids))
    session.execute(delete(table(name)).where(chosen))


def read_references(session: Session) -> References:
    """Find the columns of the database that refer to the rows of each table."""
    references: References = {}
    for (_, child), keys in inspect(session.connection()).get_multi_foreign_keys().items():
        for key in keys:
            if key["referred_columns"] == ["id"]:
                references.setdefault(key["referred_table"], []).append((child, key["constrained_columns"][0]))
    return references
