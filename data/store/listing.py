"""Lists of documents, a page at a time, and the positions of documents in a data set."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import func, select

from relevance.data.records import Document
from relevance.data.store.base import Store
from relevance.data.store.datasets import find_dataset
from relevance.data.store.rows import to_document
from relevance.data.tables import DocumentRow, SummaryRow

DIGITS = 9
"""The most digits of a document's number; longer ones are searched as words."""


class ListedDocument(NamedTuple):
    """A document as lists show it."""

    position: int
    """The position in its data set, from 0."""
    document: Document
    summaries: int
    """The number of its summaries."""


class ListingStore(Store):
    """Lists of documents over one engine, with a short session for each call that reads no more than is shown."""

    def listed(self, name: str, positions: Sequence[int]) -> list[ListedDocument]:
        """Load the documents at some positions of a data set, at most a page of them, in order.

        Raises `UnknownDataset`.
        """
        with self.reading() as session:
            in_page = DocumentRow.dataset_id == find_dataset(session, name).id, DocumentRow.position.in_(positions)
            written = select(DocumentRow.id, func.count()).join(SummaryRow).where(*in_page).group_by(DocumentRow.id)
            summaries: dict[int, int] = {document: count for document, count in session.execute(written)}  # noqa: C416
            rows = session.scalars(select(DocumentRow).where(*in_page).order_by(DocumentRow.position))
            return [ListedDocument(row.position, to_document(row), summaries.get(row.id, 0)) for row in rows]

    def find_documents(self, name: str, ids: Sequence[str]) -> dict[str, Document]:
        """Load the documents of some ids, at most a page of them, by id; unknown ids are left out.

        Raises `UnknownDataset`.
        """
        with self.reading() as session:
            of_dataset = DocumentRow.dataset_id == find_dataset(session, name).id
            rows = session.scalars(select(DocumentRow).where(of_dataset, DocumentRow.key.in_(ids)))
            return {row.key: to_document(row) for row in rows}

    def position_of(self, name: str, document_id: str) -> int | None:
        """Return the position of the document of this id, or None. Raises `UnknownDataset`."""
        with self.reading() as session:
            of_dataset = select(DocumentRow.position).where(DocumentRow.dataset_id == find_dataset(session, name).id)
            return session.scalar(of_dataset.where(DocumentRow.key == document_id))

    def find_position(self, name: str, wanted: str) -> int | None:
        """Find the position of a document by its id, its number from 1, or words of its title.

        Of several titles with all the words, the first counts; None if nothing matches. Case is ignored for letters of
        ASCII only. Raises `UnknownDataset`.
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
            return next((place for way in ways if (place := session.scalar(way)) is not None), None)
