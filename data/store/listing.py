"""Documents a page at a time: which stand in some places of a data set, and in which place one stands."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import func, select

from data.records import Document
from data.store.base import Store
from data.store.datasets import find_dataset
from data.store.rows import to_document
from data.tables import DocumentRow, SummaryRow

DIGITS = 9
"""Of the largest number that may be a document's: more of them are words."""


class ListedDocument(NamedTuple):
    """A document as lists show it."""

    position: int
    """In its data set, from 0."""
    document: Document
    summaries: int
    """How many it has."""


class ListingStore(Store):
    """Lists of documents over one engine, a short session a call, which reads no more than is shown."""

    def listed(self, name: str, positions: Sequence[int]) -> list[ListedDocument]:
        """The documents in some positions of a data set, a page of them at most, in order. Raises `UnknownDataset`."""
        with self.reading() as session:
            in_page = DocumentRow.dataset_id == find_dataset(session, name).id, DocumentRow.position.in_(positions)
            written = select(DocumentRow.id, func.count()).join(SummaryRow).where(*in_page).group_by(DocumentRow.id)
            summaries: dict[int, int] = {document: count for document, count in session.execute(written)}  # noqa: C416
            rows = session.scalars(select(DocumentRow).where(*in_page).order_by(DocumentRow.position))
            return [ListedDocument(row.position, to_document(row), summaries.get(row.id, 0)) for row in rows]

    def find_documents(self, name: str, ids: Sequence[str]) -> dict[str, Document]:
        """The documents of those ids, a page of them at most, by id; without unknown ones. Raises `UnknownDataset`."""
        with self.reading() as session:
            of_dataset = DocumentRow.dataset_id == find_dataset(session, name).id
            rows = session.scalars(select(DocumentRow).where(of_dataset, DocumentRow.key.in_(ids)))
            return {row.key: to_document(row) for row in rows}

    def position_of(self, name: str, document_id: str) -> int | None:
        """The position of the document of that id, None without one. Raises `UnknownDataset`."""
        with self.reading() as session:
            of_dataset = select(DocumentRow.position).where(DocumentRow.dataset_id == find_dataset(session, name).id)
            return session.scalar(of_dataset.where(DocumentRow.key == document_id))

    def find_position(self, name: str, wanted: str) -> int | None:
        """The position of the document of that id or number, from 1, or of the first with all the words in its title.

        None without one. Of letters, those of ASCII are found in either case. Raises `UnknownDataset`.
        """
        wanted = wanted.strip()
        with self.reading() as session:
            of_dataset = select(DocumentRow.position).where(DocumentRow.dataset_id == find_dataset(session, name).id)
            ways = [of_dataset.where(DocumentRow.key == wanted)]
            if wanted.isascii() and wanted.isdigit() and len(wanted) <= DIGITS:
                ways.append(of_dataset.where(DocumentRow.position == int(wanted) - 1))
            if wanted:
                words = (DocumentRow.title.icontains(word, autoescape=True) for word in wanted.split())
                ways.append(of_dataset.where(*words).order_by(DocumentRow.position).limit(1))
            return next((found for way in ways if (found := session.scalar(way)) is not None), None)
