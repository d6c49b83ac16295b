"""Upper bounds: what oracles reached on the documents of a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import select

from data.store.base import Store
from data.store.datasets import UnknownDocument, find_dataset
from data.tables import BoundRow, DocumentRow


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


class BoundStore(Store):
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
                for key, document_id, bound_id in session.execute(
                    select(DocumentRow.key, DocumentRow.id, BoundRow.id)
                    .outerjoin(BoundRow, kept)
                    .where(DocumentRow.dataset_id == owner.id)
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
        with self.reading() as session:
            rows = session.execute(
                select(DocumentRow.key, BoundRow)
                .join(BoundRow, BoundRow.document_id == DocumentRow.id)
                .where(
                    DocumentRow.dataset_id == find_dataset(session, dataset).id,
                    BoundRow.signature == signature,
                )
                .order_by(DocumentRow.position)
            )
            return {
                key: StoredBound(row.f1, tuple(row.sentences), row.reference, row.bound, row.seconds)
                for key, row in rows
            }
