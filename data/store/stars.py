"""Starred examples: two summaries of a document that somebody marked to find them again, with a note."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from relevance.data.one_line import in_one_line
from relevance.data.store.base import Store, StoreError
from relevance.data.store.datasets import UnknownDocument, find_dataset
from relevance.data.tables import DocumentRow, StarRow

LONGEST_NOTE = 500
"""The most characters of a note."""


class StarredExample(NamedTuple):
    """A starred example of a data set."""

    document: str
    systems: tuple[str, str]
    """In sorted order."""
    note: str = ""
    """A line of text; empty without a note."""


class StarStore(Store):
    """Starred examples over one engine, with a short session for each call."""

    def star(self, *, dataset: str, document: str, systems: Iterable[str], note: str | None = None) -> None:
        """Star an example and set its note to `note`, folded into one line; None keeps an existing note.

        Raises `UnknownDataset`, `UnknownDocument`, StoreError for a note that is too long.
        """
        line = None if note is None else in_one_line(note.encode(errors="replace").decode())
        if line is not None and len(line) > LONGEST_NOTE:
            raise StoreError(f"a note has at most {LONGEST_NOTE} characters, this one has {len(line)}")
        with self.writing() as session:
            columns = star_columns(session, dataset, document, systems)
            row = session.scalar(select(StarRow).filter_by(**columns)) or StarRow(**columns, note="")
            row.note = row.note if line is None else line
            session.add(row)

    def unstar(self, *, dataset: str, document: str, systems: Iterable[str]) -> None:
        """Remove the star and the note of an example, if it has them. Raises `UnknownDataset`, `UnknownDocument`."""
        with self.writing() as session:
            session.execute(delete(StarRow).filter_by(**star_columns(session, dataset, document, systems)))

    def starred(self, dataset: str) -> tuple[StarredExample, ...]:
        """List the starred examples of a data set, in the order of its documents. Raises `UnknownDataset`."""
        with self.reading() as session:
            rows = session.execute(
                select(DocumentRow.key, StarRow)
                .join(StarRow, StarRow.document_id == DocumentRow.id)
                .where(DocumentRow.dataset_id == find_dataset(session, dataset).id)
                .order_by(DocumentRow.position, StarRow.id)
            )
            return tuple(StarredExample(key, (row.first, row.second), row.note) for key, row in rows)


def star_columns(session: Session, dataset: str, document: str, systems: Iterable[str]) -> dict[str, Any]:
    """Return the columns that identify a star's example. Raises `UnknownDataset`, `UnknownDocument`."""
    owner = find_dataset(session, dataset, lock=True)  # two calls at once write one after the other
    of_dataset = select(DocumentRow.id).where(DocumentRow.dataset_id == owner.id)
    document_id = session.scalar(of_dataset.where(DocumentRow.key == document))
    if document_id is None:
        raise UnknownDocument(f"data set {dataset!r} has no document {document!r}")
    first, second = sorted(systems)
    return {"document_id": document_id, "first": first, "second": second}
