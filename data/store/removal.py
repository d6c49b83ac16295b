"""Renaming, archiving, deletion and restoration of data sets."""

from typing import Any, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from relevance.data.database import now
from relevance.data.store.base import StoreError, checked_name, has_named, insert_named
from relevance.data.store.datasets import DatasetExists, check_owner, find_dataset, select_documents
from relevance.data.store.runs import RunGoingOn, select_runs, to_run
from relevance.data.store.versions import VersionedStore
from relevance.data.tables import BoundRow, DatasetRow, DocumentRow, RunRow, StarRow, SummaryRow

Columns = dict[str, Any]
"""A row's columns by name, without its own number and those of the rows that it belongs to."""

OfDocument = TypeVar("OfDocument", BoundRow, StarRow)

NUMBERS = {"id", "dataset_id", "document_id"}


class DatasetInUse(StoreError):
    """Studies or reviews of keywords depend on the data set."""


class DeletedDocument(NamedTuple):
    """A deleted document with all that belonged to it."""

    document: Columns
    summaries: list[Columns]
    bounds: list[Columns]
    stars: list[Columns]


class DeletedDataset(NamedTuple):
    """A deleted data set, complete, so that it can be restored."""

    name: str
    columns: Columns
    documents: list[DeletedDocument]


class RemovalStore(VersionedStore):
    """Operations on whole data sets, over one engine, for their owner or the server's."""

    def rename_dataset(self, name: str, new: str) -> None:
        """Rename a data set.

        Raises `UnknownDataset`, `NotAllowed`, `DatasetExists`, StoreError for a bad name.
        """
        new = checked_name(new)
        if new == name:
            return
        exists = DatasetExists(f"there is already a data set {new!r}; choose another name")
        with self.changing("texts") as session:
            row = find_dataset(session, name, lock=True)
            check_owner(session, row.owner_id, name)
            if has_named(session, DatasetRow, new):
                raise exists
            row.name = new
            try:
                session.flush()
            except IntegrityError as error:  # another session took the name at this moment
                raise exists from error

    def archive_dataset(self, name: str, *, archived: bool = True) -> None:
        """Leave a data set out of lists, or list it again; nothing else changes.

        Raises `UnknownDataset`, `NotAllowed`.
        """
        with self.changing("texts") as session:
            row = find_dataset(session, name, lock=True)
            check_owner(session, row.owner_id, name)
            row.archived_at = (row.archived_at or now()) if archived else None

    def delete_dataset(self, name: str) -> DeletedDataset:
        """Delete a data set with its documents, summaries, bounds, stars and runs.

        Return the input of `restore_dataset`. Scores stay: they belong to the texts, and are there if these are
        imported again. Raises `UnknownDataset`, `NotAllowed`, `RunGoingOn`, and `DatasetInUse` if studies or reviews of
        keywords depend on it; nothing is deleted then.
        """
        try:
            with self.changing("texts") as session:
                row = find_dataset(session, name, lock=True)
                check_owner(session, row.owner_id, name)
                refuse_running(session, row)
                deleted = DeletedDataset(name, columns_of(row), read_documents(session, row))
                delete_rows(session, row)
        except IntegrityError as error:
            raise DatasetInUse(f"studies or reviews of keywords depend on the data set {name!r}; it stays") from error
        return deleted

    def restore_dataset(self, deleted: DeletedDataset) -> None:
        """Restore a deleted data set, for the account that owned it.

        Raises `DatasetExists` if its name has been taken, and `NotAllowed` for other callers.
        """
        exists = DatasetExists(f"there is a data set {deleted.name!r} again; rename that first")
        with self.changing("texts") as session:
            check_owner(session, deleted.columns["owner_id"], deleted.name)
            if has_named(session, DatasetRow, deleted.name):
                raise exists
            owner = DatasetRow(**deleted.columns)
            insert_named(session, owner, exists)
            for document, summaries, bounds, stars in deleted.documents:
                row = DocumentRow(dataset_id=owner.id, **document)
                row.summaries = [SummaryRow(**summary) for summary in summaries]
                session.add(row)
                if bounds or stars:
                    session.flush()
                    session.add_all(BoundRow(document_id=row.id, **bound) for bound in bounds)
                    session.add_all(StarRow(document_id=row.id, **star) for star in stars)


def refuse_running(session: Session, dataset: DatasetRow) -> None:
    """Refuse to delete a data set with a run in progress. Raises `RunGoingOn`."""
    if any(to_run(run).state == "going" for run in session.scalars(select_runs(dataset))):
        raise RunGoingOn(f"data set {dataset.name!r} is being scored, or gets further systems; cancel that first")


def columns_of(row: DatasetRow | DocumentRow | SummaryRow | BoundRow | StarRow) -> Columns:
    """Return a row's columns, without numbers that only this database knows."""
    return {name: getattr(row, name) for name in row.__table__.columns.keys() if name not in NUMBERS}  # noqa: SIM118


def read_documents(session: Session, dataset: DatasetRow) -> list[DeletedDocument]:
    """Load all that belongs to a data set's documents, in their order."""
    bounds, stars = rows_by_document(session, BoundRow, dataset), rows_by_document(session, StarRow, dataset)
    return [
        DeletedDocument(
            columns_of(row),
            [columns_of(summary) for summary in row.summaries],
            bounds.get(row.id, []),
            stars.get(row.id, []),
        )
        for row in session.scalars(select_documents(DocumentRow.dataset_id == dataset.id))
    ]


def rows_by_document(session: Session, table: type[OfDocument], dataset: DatasetRow) -> dict[int, list[Columns]]:
    """Load the rows of a table that belong to a data set's documents, by the number of the document."""
    by_document: dict[int, list[Columns]] = {}
    for row in session.scalars(select(table).where(table.document_id.in_(ids_of(dataset))).order_by(table.id)):
        by_document.setdefault(row.document_id, []).append(columns_of(row))
    return by_document


def ids_of(dataset: DatasetRow) -> Any:
    """Select the numbers of a data set's documents."""
    return select(DocumentRow.id).where(DocumentRow.dataset_id == dataset.id)


def delete_rows(session: Session, dataset: DatasetRow) -> None:
    """Delete all rows of a data set, beginning with those that refer to others; stars go with their documents."""
    documents = ids_of(dataset)
    doomed: tuple[tuple[Any, ColumnElement[bool]], ...] = (
        (BoundRow, BoundRow.document_id.in_(documents)),
        (RunRow, RunRow.dataset_id == dataset.id),
        (SummaryRow, SummaryRow.document_id.in_(documents)),
        (DocumentRow, DocumentRow.dataset_id == dataset.id),
        (DatasetRow, DatasetRow.id == dataset.id),
    )
    for table, condition in doomed:
        session.execute(delete(table).where(condition).execution_options(synchronize_session=False))
