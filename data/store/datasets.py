"""Data sets: their documents with references, and the summaries that systems wrote."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, selectinload

from data.access import visitor_of
from data.records import REFERENCE_SYSTEM, TITLE_SYSTEM, Document, Summary
from data.sorting import natural_order
from data.store.base import (
    NotAllowed,
    StoreError,
    batches,
    checked_name,
    find_named,
    has_named,
    insert_named,
)
from data.store.bulk import Record, insert_records
from data.store.given import keep_given
from data.store.rows import document_row, example_hashes, hash_examples, summary_row, to_record, to_records
from data.store.versions import VersionedStore
from data.tables import DatasetRow, DocumentRow, SummaryRow

PLAYGROUND = "playground"
"""The format of data sets whose documents were written here, one by one."""

NAME_OF_SYSTEM = "the name of a summary's system"


class DatasetExists(StoreError):
    """A data set of that name is already there."""


class UnknownDataset(StoreError):
    """There is no data set of that name."""


class SystemExists(StoreError):
    """The data set already has summaries of that system."""


class DocumentExists(StoreError):
    """The data set already has a document of that id."""


class NotExtensible(StoreError):
    """The data set is a file as it was imported, and takes no further documents."""


class UnknownDocument(StoreError):
    """The data set has no document of that id."""


@dataclass(frozen=True)
class Dataset:
    """A data set as lists show it."""

    name: str
    format: str
    sha256: str
    imported_at: datetime
    documents: int
    summaries: int
    systems: tuple[str, ...]
    aspects: tuple[str, ...]
    """Aspects of the human ratings that came with it."""
    archived_at: datetime | None
    """Since when lists leave it out."""


class DatasetStore(VersionedStore):
    """Data sets over one engine, a short session a call.

    All researchers of a server see its data sets, score them and star examples. What a data set says, its documents and
    summaries, is changed by its owner or the server's only: everybody's results rest on it.
    """

    def add_dataset(
        self,
        *,
        name: str,
        format: str,
        sha256: str,
        records: Iterable[tuple[Document, list[Summary]]],
    ) -> Dataset:
        """Store a data set whole, with the scores that came with it, or nothing of it where `records` raises.

        Raises `DatasetExists`.
        """
        name = checked_name(name)
        if self.has_dataset(name):
            raise taken(name)
        read = list(records)  # before the transaction: a long file must not keep judgments waiting
        hashes = hash_records(read)
        with self.changing("texts") as session:
            insert_dataset(session, name=name, format=format, sha256=sha256, records=read, hashes=hashes)
        return self.dataset(name)

    def has_dataset(self, name: str) -> bool:
        """Whether there is a data set of that name."""
        with self.reading() as session:
            return has_named(session, DatasetRow, name)

    def datasets(self, *, archived: bool = False) -> list[Dataset]:
        """All data sets by name; those that are `archived` only where they are asked for."""
        with self.reading() as session:
            listed = select(DatasetRow.name).order_by(DatasetRow.name)
            names = session.scalars(listed if archived else listed.where(DatasetRow.archived_at.is_(None))).all()
        return [self.dataset(name) for name in names]

    def dataset(self, name: str) -> Dataset:
        """One data set. Raises `UnknownDataset`."""

        def count_dataset(name: str) -> Dataset:
            with self.reading() as session:
                row = find_dataset(session, name)
                documents = session.scalar(select(func.count()).where(DocumentRow.dataset_id == row.id)) or 0
                systems = count_by_system(session, row)
                counts = {"documents": documents, "summaries": sum(systems.values()), "systems": tuple(systems)}
                return to_record(Dataset, row, **counts)

        return self.keep(("texts",), name, count_dataset)

    def may_change(self, name: str) -> bool:
        """Whether the caller may change what a data set says. Raises `UnknownDataset`."""
        with self.reading() as session:
            return visitor_of(session).may_change(find_dataset(session, name).owner_id)

    def records(self, name: str) -> list[tuple[Document, list[Summary]]]:
        """A data set's documents with their summaries, in the order of its file. Raises `UnknownDataset`."""

        def read(session: Session, chosen: ColumnElement[bool]) -> list[tuple[Document, list[Summary]]]:
            return [to_records(row) for row in session.scalars(select_documents(chosen))]

        return [record for part in self.read_in_parts(number_of(name), read) for record in part]

    def first_records(self, name: str, count: int) -> list[tuple[Document, list[Summary]]]:
        """The first documents of a data set with their summaries, `count` at most. Raises `UnknownDataset`."""
        with self.reading() as session:
            first = in_dataset(session, name) & (DocumentRow.position < count)
            return [to_records(row) for row in session.scalars(select_documents(first))]

    def record(self, name: str, document_id: str) -> tuple[Document, list[Summary]]:
        """One document of a data set with its summaries. Raises `UnknownDataset`, `UnknownDocument`."""
        with self.reading() as session:
            row = session.scalar(select_documents(in_dataset(session, name), DocumentRow.key == document_id))
            if row is None:
                raise UnknownDocument(f"data set {name!r} has no document {document_id!r}")
            return to_records(row)

    def add_summaries(
        self, *, dataset: str, summaries: Sequence[Summary], signature: str | None = None, resume: bool = False
    ) -> int:
        """Add the summaries of one or more systems to a data set; returns how many were added.

        With `resume` the systems may be there, written under the same `signature`: a summary that is there stays as it
        is. Raises `UnknownDataset`, `NotAllowed`, and `SystemExists` where a summary of that system and document is
        there; with `resume`, where any summary of the system was imported or has another signature. Nothing is added
        then.
        """
        with self.changing("texts") as session:
            owner = find_dataset(session, dataset, lock=True)
            check_owner(session, owner.owner_id, dataset)
            if resume:
                for system in {summary.system for summary in summaries}:
                    check_signature(session, owner, system, signature)
            rows = find_documents(session, owner, {summary.document_id for summary in summaries})
            added = len(summaries)
            for summary in summaries:
                row = rows[summary.document_id]
                if any(known.system == summary.system for known in row.summaries):
                    if resume:
                        added -= 1
                        continue
                    raise SystemExists(f"data set {dataset!r} already has summaries of the system {summary.system!r}")
                row.summaries.append(summary_row(summary, signature))
            for row in rows.values():
                hash_examples(row)
        return added

    def summarized(self, *, dataset: str, system: str, signature: str | None) -> set[str]:
        """Ids of the documents that have a system's summary under a signature; none without the system.

        Raises `UnknownDataset`, and `SystemExists` where a summary of the system was imported or has another signature.
        """
        with self.reading() as session:
            owner = find_dataset(session, dataset)
            check_signature(session, owner, system, signature)
            return set(
                session.scalars(
                    select(DocumentRow.key)
                    .join(SummaryRow, SummaryRow.document_id == DocumentRow.id)
                    .where(DocumentRow.dataset_id == owner.id, SummaryRow.system == system)
                )
            )

    def written_by(self, dataset: str) -> dict[str, int]:
        """How many summaries each system of a data set wrote, by the systems' names.

        Raises `UnknownDataset`.
        """
        with self.reading() as session:
            return count_by_system(session, find_dataset(session, dataset))

    def count_single_texts(self, name: str) -> int:
        """How many documents have fewer than two texts among references and title, beside those that stand as systems.

        Keywords that two texts share cannot be found in these. Raises `UnknownDataset`.
        """
        human = (SummaryRow.system == TITLE_SYSTEM) | SummaryRow.system.startswith(REFERENCE_SYSTEM)

        def count(session: Session, chosen: ColumnElement[bool]) -> int:
            rows = session.execute(
                select(DocumentRow.reference_texts, DocumentRow.title.is_not(None), func.count(SummaryRow.id))
                .outerjoin(SummaryRow, (SummaryRow.document_id == DocumentRow.id) & human)
                .where(chosen)
                .group_by(DocumentRow.id)
            )
            return sum(len(references) + bool(titled) - standing < 2 for references, titled, standing in rows)

        return sum(self.read_in_parts(number_of(name), count))

    def add_document(self, *, dataset: str, document: Document, summaries: Sequence[Summary]) -> Dataset:
        """Add a document that was written here, with its summaries, to a data set of the format `PLAYGROUND`.

        The data set is made where there is none of that name. Its SHA-256 is that of what was there before and of what
        is added. Raises `NotAllowed`, `DocumentExists`, `NotExtensible` for an imported data set, `StoreError` for a
        bad name of the data set, the document or a summary's system.
        """
        name, key = checked_name(dataset), checked_name(document.id)
        document = replace(document, id=key)
        summaries = [
            replace(summary, system=checked_name(summary.system, NAME_OF_SYSTEM), human=dict(summary.human))
            for summary in summaries
        ]
        added = repr((document, summaries))
        with self.changing("texts") as session:
            if not has_named(session, DatasetRow, name):
                with suppress(IntegrityError), session.begin_nested():  # another session may make it at this moment
                    owner_id = visitor_of(session).user_id
                    session.add(DatasetRow(name=name, format=PLAYGROUND, sha256="", aspects=[], owner_id=owner_id))
            row = find_dataset(session, name, lock=True)
            check_owner(session, row.owner_id, name)
            if row.format != PLAYGROUND:
                raise NotExtensible(f"data set {name!r} was imported and stays as its file is; choose another name")
            of_dataset = select(DocumentRow.id).where(DocumentRow.dataset_id == row.id)
            if session.scalar(of_dataset.where(DocumentRow.key == document.id)) is not None:
                raise DocumentExists(f"data set {name!r} already has a document {document.id!r}; choose another id")
            last = session.scalar(select(func.max(DocumentRow.position)).where(DocumentRow.dataset_id == row.id))
            session.add(document_row(row.id, 0 if last is None else last + 1, document, summaries))
            aspects = (aspect for summary in summaries for aspect in summary.human)
            row.aspects = list(dict.fromkeys([*row.aspects, *aspects]))
            row.sha256 = hashlib.sha256((row.sha256 + added).encode()).hexdigest()
        return self.dataset(name)


def taken(name: str) -> DatasetExists:
    """What is raised where a data set's name is taken."""
    return DatasetExists(f"there is already a data set {name!r}; choose another name")


def hash_records(records: Iterable[Record]) -> list[list[str]]:
    """The hashes of all examples of documents, before the transaction that stores them."""
    return [example_hashes(*record) for record in records]


def insert_dataset(
    session: Session,
    *,
    name: str,
    format: str,
    sha256: str,
    records: Sequence[Record],
    hashes: Sequence[Sequence[str]],
) -> DatasetRow:
    """Insert a data set, which is the caller's, with its documents and the scores that came with them.

    Raises `DatasetExists`.
    """
    if has_named(session, DatasetRow, name):
        raise taken(name)
    aspects = dict.fromkeys(aspect for _, summaries in records for summary in summaries for aspect in summary.human)
    row = DatasetRow(name=name, format=format, sha256=sha256, aspects=list(aspects))
    row.owner_id = visitor_of(session).user_id
    insert_named(session, row, taken(name))
    insert_records(session, row.id, records, hashes)
    keep_given(session, records, hashes, f"{format}-{sha256[:12]}")
    return row


def find_dataset(session: Session, name: str, *, lock: bool = False) -> DatasetRow:
    """The row of a data set, with `lock` while its summaries change. Raises `UnknownDataset`."""
    return find_named(session, DatasetRow, name, what="data set", unknown=UnknownDataset, lock=lock)


def number_of(name: str) -> Callable[[Session], int]:
    """What finds the number of a data set, for `read_in_parts`; it raises `UnknownDataset`."""
    return lambda session: find_dataset(session, name).id


def check_owner(session: Session, owner_id: int | None, dataset: str) -> None:
    """Raise `NotAllowed` where a data set belongs to another account, or to nobody's."""
    if not visitor_of(session).may_change(owner_id):
        raise NotAllowed(f"the data set {dataset!r} belongs to somebody else; ask them, or import a copy of your own")


def count_by_system(session: Session, dataset: DatasetRow) -> dict[str, int]:
    """A data set's systems by their names, and how many summaries each wrote."""
    rows = session.execute(
        select(SummaryRow.system, func.count())
        .join(DocumentRow)
        .where(DocumentRow.dataset_id == dataset.id)
        .group_by(SummaryRow.system)
    )
    counts: dict[str, int] = {system: count for system, count in rows}  # noqa: C416  dict() would ask for its keys
    return {system: counts[system] for system in sorted(counts, key=natural_order)}


def in_dataset(session: Session, name: str) -> ColumnElement[bool]:
    """What chooses the documents of a data set. Raises `UnknownDataset`."""
    return DocumentRow.dataset_id == find_dataset(session, name).id


def select_documents(*chosen: ColumnElement[bool]) -> Select[DocumentRow]:
    """Select documents in order, their summaries loaded with them."""
    in_order = select(DocumentRow).where(*chosen).order_by(DocumentRow.position)
    return in_order.options(selectinload(DocumentRow.summaries))


def find_documents(session: Session, dataset: DatasetRow, keys: Iterable[str]) -> dict[str, DocumentRow]:
    """Documents of a data set by their ids, without those that it does not have."""
    return {
        row.key: row
        for batch in batches(list(keys))
        for row in session.scalars(select_documents(DocumentRow.dataset_id == dataset.id, DocumentRow.key.in_(batch)))
    }


def check_signature(session: Session, dataset: DatasetRow, system: str, signature: str | None) -> None:
    """Raise `SystemExists` where a data set has summaries of a system that were not written under a signature."""
    of_system = select(SummaryRow.signature).join(DocumentRow).where(DocumentRow.dataset_id == dataset.id)
    for known in session.scalars(of_system.where(SummaryRow.system == system).distinct()):
        if known != signature:
            raise SystemExists(
                f"data set {dataset.name!r} already has summaries of the system {system!r}, "
                + ("which were imported" if known is None else f"written as {known} and not as {signature}")
            )
