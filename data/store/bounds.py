"""Upper bounds: what oracles reached on the documents of a data set."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from data.store.base import batches
from data.store.datasets import UnknownDocument, find_dataset, in_dataset, number_of
from data.store.versions import VersionedStore
from data.tables import BoundRow, DocumentRow

BoundColumns = tuple[str, float, list[int], int, float | None, float]
"""A document's id, and what was stored of it."""


class StoredBound(NamedTuple):
    """What an oracle reached on a document, as it is kept."""

    f1: float
    sentences: tuple[int, ...]
    """Places of its sentences in the source."""
    reference: int
    """Index of the reference whose F1 it is."""
    bound: float | None
    """No extract scores higher; None where the oracle cannot tell."""
    seconds: float


class BoundStore(VersionedStore):
    """Upper bounds over one engine, a short session a call."""

    def add_bounds(self, *, dataset: str, signature: str, bounds: Mapping[str, StoredBound]) -> None:
        """Keep what an oracle reached, by the id of its document; what is already there stays as it is.

        Raises `UnknownDataset`, and `UnknownDocument` before anything is kept.
        """
        with self.writing() as session:
            owner = find_dataset(session, dataset, lock=True)  # of two that search at once, one writes after the other
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
        """What an oracle reached, by document id, in the documents' order. Raises `UnknownDataset`."""

        def read(session: Session, chosen: ColumnElement[bool]) -> dict[str, StoredBound]:
            return to_bounds(session.execute(select_bounds(signature, chosen).order_by(DocumentRow.position)))

        parts = self.read_in_parts(number_of(dataset), read)
        return {key: bound for part in parts for key, bound in part.items()}

    def bound(self, *, dataset: str, document_id: str, signature: str) -> StoredBound | None:
        """What an oracle reached on one document, None where it has not been asked. Raises `UnknownDataset`."""
        with self.reading() as session:
            found = select_bounds(signature, in_dataset(session, dataset), DocumentRow.key == document_id)
            return to_bounds(session.execute(found)).get(document_id)

    def bound_signatures(self, dataset: str) -> dict[str, int]:
        """Of how many documents there is what each oracle reached, by its signature. Raises `UnknownDataset`."""
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
        """How many documents have what each of some oracles reached. Raises `UnknownDataset`."""

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
    """Select what an oracle reached on some documents, with their ids."""
    columns = BoundRow.f1, BoundRow.sentences, BoundRow.reference, BoundRow.bound, BoundRow.seconds
    return (
        select(DocumentRow.key, *columns)
        .join(BoundRow, BoundRow.document_id == DocumentRow.id)
        .where(*chosen, BoundRow.signature == signature)
    )


def to_bounds(rows: Iterable[BoundColumns]) -> dict[str, StoredBound]:
    """What was stored, by document id."""
    return {
        key: StoredBound(f1, tuple(sentences), reference, bound, seconds)
        for key, f1, sentences, reference, bound, seconds in rows
    }
