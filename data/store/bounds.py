"""Upper bounds: results of oracles for the documents of a data set."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from relevance.data.store.base import batches
from relevance.data.store.datasets import UnknownDocument, find_dataset, in_dataset, number_of
from relevance.data.store.versions import VersionedStore
from relevance.data.tables import BoundRow, DocumentRow

BoundColumns = tuple[str, float, list[int], int, float | None, float]
"""A document's id, and the stored result for it."""


class StoredBound(NamedTuple):
    """The stored result of an oracle for a document."""

    f1: float
    sentences: tuple[int, ...]
    """Positions of its sentences in the source."""
    reference: int
    """The index of the reference of the F1."""
    bound: float | None
    """An upper bound on the score of any extract; None if the oracle has none."""
    seconds: float


class BoundStore(VersionedStore):
    """Upper bounds over one engine, with a short session for each call."""

    def add_bounds(self, *, dataset: str, signature: str, bounds: Mapping[str, StoredBound]) -> None:
        """Store an oracle's results, by document id; existing ones stay as they are.

        Raises `UnknownDataset`, and `UnknownDocument` before anything is stored.
        """
        with self.writing() as session:
            owner = find_dataset(session, dataset, lock=True)  # two searches at once write one after the other
            kept = (BoundRow.document_id == DocumentRow.id) & (BoundRow.signature == signature)
            documents = {
                key: (document_id, bound_id)
                for batch in batches(list(bounds))
                for key, document_id, bound_id in session.execute(
                    select(DocumentRow.key, DocumentRow.id, BoundRow.id)
                    .outerjoin(BoundRow, kept)
                    .where(DocumentRow.dataset_id == owner.id, DocumentRow.key.in_(batch))
                )
            }
            for key, bound in bounds.items():
                if key not in documents:
                    raise UnknownDocument(f"data set {dataset!r} has no document {key!r}")
                document_id, bound_id = documents[key]
                if bound_id is None:
                    columns = bound._asdict() | {"sentences": list(bound.sentences)}
                    session.add(BoundRow(document_id=document_id, signature=signature, **columns))

    def bounds(self, *, dataset: str, signature: str) -> dict[str, StoredBound]:
        """Load an oracle's results by document id, in the documents' order. Raises `UnknownDataset`."""

        def read(session: Session, chosen: ColumnElement[bool]) -> dict[str, StoredBound]:
            return to_bounds(session.execute(select_bounds(signature, chosen).order_by(DocumentRow.position)))

        parts = self.read_in_parts(number_of(dataset), read)
        return {key: bound for part in parts for key, bound in part.items()}

    def bound(self, *, dataset: str, document_id: str, signature: str) -> StoredBound | None:
        """Load an oracle's result for one document, None without one. Raises `UnknownDataset`."""
        with self.reading() as session:
            wanted = select_bounds(signature, in_dataset(session, dataset), DocumentRow.key == document_id)
            return to_bounds(session.execute(wanted)).get(document_id)

    def bound_signatures(self, dataset: str) -> dict[str, int]:
        """Count the documents with a result of each oracle, by its signature. Raises `UnknownDataset`."""
        with self.reading() as session:
            counted = (
                select(BoundRow.signature, func.count())
                .join(DocumentRow, DocumentRow.id == BoundRow.document_id)
                .where(DocumentRow.dataset_id == find_dataset(session, dataset).id)
                .group_by(BoundRow.signature)
                .order_by(BoundRow.signature)
            )
            return dict(session.execute(counted).all())

    def count_bounds(self, *, dataset: str, signatures: Collection[str]) -> int:
        """Count the documents with results of all of the given oracles. Raises `UnknownDataset`."""

        def count(session: Session, chosen: ColumnElement[bool]) -> int:
            known = (
                select(BoundRow.document_id)
                .join(DocumentRow, DocumentRow.id == BoundRow.document_id)
                .where(chosen, BoundRow.signature.in_(signatures))
                .group_by(BoundRow.document_id)
                .having(func.count() == len(signatures))
            )
            return session.scalar(select(func.count()).select_from(known.subquery())) or 0

        return sum(self.read_in_parts(number_of(dataset), count))


def select_bounds(signature: str, *chosen: ColumnElement[bool]) -> Select[*BoundColumns]:
    """Select an oracle's results for some documents, with their ids."""
    columns = BoundRow.f1, BoundRow.sentences, BoundRow.reference, BoundRow.bound, BoundRow.seconds
    return (
        select(DocumentRow.key, *columns)
        .join(BoundRow, BoundRow.document_id == DocumentRow.id)
        .where(*chosen, BoundRow.signature == signature)
    )


def to_bounds(rows: Iterable[BoundColumns]) -> dict[str, StoredBound]:
    """Return stored results by document id."""
    return {
        key: StoredBound(f1, tuple(sentences), reference, bound, seconds)
        for key, f1, sentences, reference, bound, seconds in rows
    }
