"""Data sets: their documents with references, and the systems' summaries."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from sqlalchemy import ColumnElement, Select, Text, cast, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, aliased, selectinload

from relevance.data.records import REFERENCE_SYSTEM, TITLE_SYSTEM, Document, Summary
from relevance.data.rights import visitor_of
from relevance.data.sorting import natural_order
from relevance.data.store.base import (
    NotAllowed,
    StoreError,
    batches,
    checked_name,
    find_named,
    has_named,
    insert_named,
)
from relevance.data.store.bulk import Record, insert_records
from relevance.data.store.given import carry_given, keep_given
from relevance.data.store.rows import document_row, example_hashes, hash_examples, summary_row, to_record, to_records
from relevance.data.store.versions import VersionedStore
from relevance.data.tables import DatasetRow, DocumentRow, SummaryRow
from relevance.data.training_history import TrainingEntry

PLAYGROUND = "playground"
"""The format of data sets whose documents were entered here, one by one."""

NAME_OF_SYSTEM = "the name of a summary's system"


class DatasetExists(StoreError):
    """There is already a data set of this name."""


class UnknownDataset(StoreError):
    """There is no data set of this name."""


class SystemExists(StoreError):
    """The data set already has summaries of this system."""


class DocumentExists(StoreError):
    """The data set already has a document of this id."""


class NotExtensible(StoreError):
    """The data set was imported from a file, and takes no further documents."""


class UnknownDocument(StoreError):
    """The data set has no document of this id."""


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
    annotated: tuple[str, ...] | None
    """The aspects of which the ratings of each person are known; None if there are none."""
    cleaned: str | None
    """The version of the rules by which its texts were cleaned when they were imported; None if they were not."""
    referenced: bool
    """True if some document has a reference."""
    columns: str | None
    """How the columns of its table were read, as a file of the option `--columns`; None if they had the usual names."""
    archived_at: datetime | None
    """The time since when lists leave it out; None if they do not."""

    @property
    def form(self) -> str:
        """Its format, and whether its texts were cleaned."""
        return self.format if self.cleaned is None else f"{self.format}, cleaned"


class DatasetStore(VersionedStore):
    """Data sets over one engine, with a short session for each call.

    All researchers of a server see its data sets, score them and star examples. Only the owner of a data set, or the
    server's, can change its documents and summaries, as everybody's results depend on them.
    """

    def add_dataset(
        self,
        *,
        name: str,
        format: str,
        sha256: str,
        records: Iterable[tuple[Document, list[Summary]]],
        cleaned: str | None = None,
        columns: str | None = None,
    ) -> Dataset:
        """Store a whole data set with the scores that came with it, or nothing if `records` raises.

        `cleaned` is the version of the rules by which its texts were cleaned, `columns` says how the columns of its
        table were read. Raises `DatasetExists`.
        """
        name = checked_name(name)
        if self.has_dataset(name):
            raise taken(name)
        read = list(records)  # before the transaction: a long file must not keep judgments waiting
        hashes = hash_records(read)
        with self.changing("texts") as session:
            insert_dataset(
                session,
                name=name,
                format=format,
                sha256=sha256,
                records=read,
                hashes=hashes,
                cleaned=cleaned,
                columns=columns,
            )
        return self.dataset(name)

    def has_dataset(self, name: str) -> bool:
        """Tell whether there is a data set of this name."""
        with self.reading() as session:
            return has_named(session, DatasetRow, name)

    def datasets(self, *, archived: bool = False) -> list[Dataset]:
        """List the data sets by name, with archived ones only if `archived`."""
        with self.reading() as session:
            listed = select(DatasetRow.name).order_by(DatasetRow.name)
            names = session.scalars(listed if archived else listed.where(DatasetRow.archived_at.is_(None))).all()
        return [self.dataset(name) for name in names]

    def dataset(self, name: str) -> Dataset:
        """Load one data set. Raises `UnknownDataset`."""

        def count_dataset(name: str) -> Dataset:
            with self.reading() as session:
                row = find_dataset(session, name)
                documents = session.scalar(select(func.count()).where(DocumentRow.dataset_id == row.id)) or 0
                systems = count_by_system(session, row)
                written = select(DocumentRow.id).where(DocumentRow.dataset_id == row.id)
                references = written.where(cast(DocumentRow.reference_texts, Text) != "[]").limit(1)
                return to_record(
                    Dataset,
                    row,
                    documents=documents,
                    summaries=sum(systems.values()),
                    systems=tuple(systems),
                    referenced=session.scalar(references) is not None,
                )

        return self.keep(("texts",), name, count_dataset)

    def may_change(self, name: str) -> bool:
        """Tell whether the caller may change a data set's documents and summaries. Raises `UnknownDataset`."""
        with self.reading() as session:
            return visitor_of(session).may_change(find_dataset(session, name).owner_id)

    def records(self, name: str) -> list[tuple[Document, list[Summary]]]:
        """Load a data set's documents with their summaries, in the order of its file. Raises `UnknownDataset`."""

        def read(session: Session, chosen: ColumnElement[bool]) -> list[tuple[Document, list[Summary]]]:
            return [to_records(row) for row in session.scalars(select_documents(chosen))]

        return [record for part in self.read_in_parts(number_of(name), read) for record in part]

    def same_summaries(self, name: str, other: str) -> frozenset[tuple[str, str]]:
        """Return the summaries of a data set, by document and system, that another one has with the same text.

        Whatever else they say of the document, such as references, need not be the same. Raises `UnknownDataset`.
        """
        document, summary = aliased(DocumentRow), aliased(SummaryRow)
        number = number_of(other)

        def read(session: Session, chosen: ColumnElement[bool]) -> list[tuple[str, str]]:
            wanted = (
                select(DocumentRow.key, SummaryRow.system)
                .join(SummaryRow, SummaryRow.document_id == DocumentRow.id)
                .join(document, (document.key == DocumentRow.key) & (document.dataset_id == number(session)))
                .join(summary, (summary.document_id == document.id) & (summary.system == SummaryRow.system))
                .where(chosen, SummaryRow.text == summary.text, SummaryRow.text != "")
            )
            return [(key, system) for key, system in session.execute(wanted)]

        return frozenset(record for part in self.read_in_parts(number_of(name), read) for record in part)

    def has_texts(self, name: str) -> bool:
        """Tell whether some summary of a data set has a text. Raises `UnknownDataset`."""
        with self.reading() as session:
            row = find_dataset(session, name)
            written = select(SummaryRow.id).join(DocumentRow, SummaryRow.document_id == DocumentRow.id)
            some = written.where(DocumentRow.dataset_id == row.id, SummaryRow.text != "").limit(1)
            return session.scalar(some) is not None

    def first_records(self, name: str, count: int) -> list[tuple[Document, list[Summary]]]:
        """Load the first `count` documents of a data set with their summaries. Raises `UnknownDataset`."""
        with self.reading() as session:
            first = in_dataset(session, name) & (DocumentRow.position < count)
            return [to_records(row) for row in session.scalars(select_documents(first))]

    def record(self, name: str, document_id: str) -> tuple[Document, list[Summary]]:
        """Load one document of a data set with its summaries. Raises `UnknownDataset`, `UnknownDocument`."""
        with self.reading() as session:
            row = session.scalar(select_documents(in_dataset(session, name), DocumentRow.key == document_id))
            if row is None:
                raise UnknownDocument(f"data set {name!r} has no document {document_id!r}")
            return to_records(row)

    def add_summaries(
        self, *, dataset: str, summaries: Sequence[Summary], signature: str | None = None, resume: bool = False
    ) -> int:
        """Add the summaries of one or more systems to a data set; return how many were added.

        With `resume` the systems may exist, written under the same `signature`: existing summaries stay as they are.
        Raises `UnknownDataset`, `NotAllowed`, and `SystemExists` if a summary of a system and document exists; with
        `resume`, if any summary of the system was imported or has another signature. Nothing is added then.
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
            before = {summary: summary.example for row in rows.values() for summary in row.summaries}
            for row in rows.values():
                hash_examples(row)
            carry_given(session, {old: old_summary.example for old_summary, old in before.items()})
        return added

    def summarized(self, *, dataset: str, system: str, signature: str | None) -> set[str]:
        """Return the ids of the documents with a system's summary; none if there is no such system.

        Raises `UnknownDataset`, and `SystemExists` if a summary of the system was imported or has another signature.
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

    def keep_history(self, *, dataset: str, system: str, history: Sequence[TrainingEntry]) -> None:
        """Keep the history of a system's training, in place of one that is there.

        Raises `UnknownDataset`, `NotAllowed`.
        """
        with self.writing() as session:
            owner = find_dataset(session, dataset, lock=True)
            check_owner(session, owner.owner_id, dataset)
            owner.trained = {**(owner.trained or {}), system: [asdict(entry) for entry in history]}

    def histories(self, dataset: str) -> dict[str, list[TrainingEntry]]:
        """Load the histories of a data set's systems that were trained here, by the systems' names.

        Raises `UnknownDataset`.
        """
        with self.reading() as session:
            trained = find_dataset(session, dataset).trained or {}
            return {system: [TrainingEntry(**entry) for entry in trained[system]] for system in sorted(trained)}

    def written_by(self, dataset: str) -> dict[str, int]:
        """Count the summaries of each system of a data set, by the systems' names.

        Raises `UnknownDataset`.
        """
        with self.reading() as session:
            return count_by_system(session, find_dataset(session, dataset))

    def count_single_texts(self, name: str) -> int:
        """Count the documents with fewer than two references and titles that are not themselves candidates.

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
        """Add a document that was entered here, with its summaries, to a data set of the format `PLAYGROUND`.

        The data set is created if there is none of this name. Its SHA-256 is computed from the previous one and the new
        document. Raises `NotAllowed`, `DocumentExists`, `NotExtensible` for an imported data set, `StoreError` for a
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
    """Return the error for a data set's name that is taken."""
    return DatasetExists(f"there is already a data set {name!r}; choose another name")


def hash_records(records: Iterable[Record]) -> list[list[str]]:
    """Compute the hashes of all examples of documents, before the transaction that stores them."""
    return [example_hashes(*record) for record in records]


def insert_dataset(
    session: Session,
    *,
    name: str,
    format: str,
    sha256: str,
    records: Sequence[Record],
    hashes: Sequence[Sequence[str]],
    cleaned: str | None,
    columns: str | None,
) -> DatasetRow:
    """Insert a data set, owned by the caller, with its documents and the scores that came with them.

    Raises `DatasetExists`.
    """
    if has_named(session, DatasetRow, name):
        raise taken(name)
    aspects = dict.fromkeys(aspect for _, summaries in records for summary in summaries for aspect in summary.human)
    row = DatasetRow(name=name, format=format, sha256=sha256, aspects=list(aspects), cleaned=cleaned, columns=columns)
    row.annotated = list_annotated(summary for _, summaries in records for summary in summaries) or None
    row.owner_id = visitor_of(session).user_id
    insert_named(session, row, taken(name))
    insert_records(session, row.id, records, hashes)
    keep_given(session, records, hashes, f"{format}-{sha256[:12]}")
    return row


def list_annotated(summaries: Iterable[Summary]) -> list[str]:
    """List the aspects of which the ratings of each person are known, in the order in which they come."""
    rated = (ratings for summary in summaries for ratings in summary.annotators.values())
    return list(dict.fromkeys(aspect for ratings in rated for aspect in ratings))


def find_dataset(session: Session, name: str, *, lock: bool = False) -> DatasetRow:
    """Find the row of a data set; `lock` locks it while its summaries change. Raises `UnknownDataset`."""
    return find_named(session, DatasetRow, name, what="data set", unknown=UnknownDataset, lock=lock)


def number_of(name: str) -> Callable[[Session], int]:
    """Return a function for `read_in_parts` that finds the number of a data set; it raises `UnknownDataset`."""
    return lambda session: find_dataset(session, name).id


def check_owner(session: Session, owner_id: int | None, dataset: str) -> None:
    """Refuse changes to a data set of another account, or of no account. Raises `NotAllowed`."""
    if not visitor_of(session).may_change(owner_id):
        raise NotAllowed(f"the data set {dataset!r} belongs to somebody else; ask them, or import a copy of your own")


def count_by_system(session: Session, dataset: DatasetRow) -> dict[str, int]:
    """Count a data set's summaries by system, in the order of the systems' names."""
    rows = session.execute(
        select(SummaryRow.system, func.count())
        .join(DocumentRow)
        .where(DocumentRow.dataset_id == dataset.id)
        .group_by(SummaryRow.system)
    )
    counts: dict[str, int] = {system: count for system, count in rows}  # noqa: C416  dict() would ask for its keys
    return {system: counts[system] for system in sorted(counts, key=natural_order)}


def in_dataset(session: Session, name: str) -> ColumnElement[bool]:
    """Return the condition that selects the documents of a data set. Raises `UnknownDataset`."""
    return DocumentRow.dataset_id == find_dataset(session, name).id


def select_documents(*chosen: ColumnElement[bool]) -> Select[DocumentRow]:
    """Select documents in order, with their summaries."""
    in_order = select(DocumentRow).where(*chosen).order_by(DocumentRow.position)
    return in_order.options(selectinload(DocumentRow.summaries))


def find_documents(session: Session, dataset: DatasetRow, keys: Iterable[str]) -> dict[str, DocumentRow]:
    """Load documents of a data set by their ids; unknown ids are left out."""
    return {
        row.key: row
        for batch in batches(list(keys))
        for row in session.scalars(select_documents(DocumentRow.dataset_id == dataset.id, DocumentRow.key.in_(batch)))
    }


def check_signature(session: Session, dataset: DatasetRow, system: str, signature: str | None) -> None:
    """Refuse a system whose summaries in a data set were not all written under a signature. Raises `SystemExists`."""
    of_system = select(SummaryRow.signature).join(DocumentRow).where(DocumentRow.dataset_id == dataset.id)
    for known in session.scalars(of_system.where(SummaryRow.system == system).distinct()):
        if known != signature:
            raise SystemExists(
                f"data set {dataset.name!r} already has summaries of the system {system!r}, "
                + ("which were imported" if known is None else f"written as {known} and not as {signature}")
            )
