"""The texts of a data set, read once for all sessions, and the openings by which its documents are known."""

from collections.abc import Sequence

from relevance.data.one_line import cut
from relevance.data.records import Document, Example, Summary, make_examples
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.computing.computed import computed, whole

OPENING = 80
"""Characters of a document's opening words."""


@whole("Reading the documents", kept=4)
def records_of(dataset: str, version: object) -> list[tuple[Document, list[Summary]]]:
    """Return a data set's documents with their summaries; read anew when the version changes."""
    return open_stores().data.records(dataset)


@computed("Reading the documents")
def openings_of(dataset: str, ids: tuple[str, ...], version: object) -> dict[str, str]:
    """Return the openings of documents by id, at most a page of them; read anew when the version changes."""
    return {id: opening_of(document) for id, document in open_stores().data.find_documents(dataset, ids).items()}


def opening_of(document: Document | Example, most: int = OPENING) -> str:
    """Return the opening of a document: its title, or its opening words, or those of its first reference."""
    source = document.source_text if isinstance(document, Document) else document.source
    return cut(document.title or source or next(iter(document.references), ""), most)


def name_references(document: Document, summaries: Sequence[Summary]) -> list[tuple[str, str]]:
    """Return a document's references with their names: numbered as metrics compare them, those that judge none last."""
    examples = make_examples(document, summaries)
    judging = [text for text in document.references if not examples or text in examples[0].references]
    withheld = [text for text in document.references if text not in judging]
    single = len(document.references) == 1
    return [
        *(("Reference" if single else f"Reference {number}", text) for number, text in enumerate(judging, 1)),
        *(("Reference that is also a summary, and so judges none", text) for text in withheld),
    ]
