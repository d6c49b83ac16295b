"""Browsing and searching the documents of a data set."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from relevance.data.one_line import in_one_line
from relevance.data.records import REMARKS, Document, Summary
from relevance.data.store import Dataset, ListedDocument
from relevance.data.wording import format_count
from relevance.pages.components.shared.database import guard_database
from relevance.pages.components.shared.records import name_references, opening_of, records_of
from relevance.pages.components.shared.stores import open_stores, version_of
from relevance.pages.computing.computed import computed
from relevance.reports.escaping import document_block, in_markdown, text_block

PER_PAGE = 10
"""Documents on one page of the list."""

READABLE = 720
"""Width in pixels of a column of text that is easy to read: about 95 characters."""


@st.fragment
@guard_database
def browse_documents(dataset: Dataset) -> None:
    """List the documents that match a search, page by page; each opens to show its texts."""
    words = st.text_input(
        "Search", key=f"search:{dataset.name}", placeholder="Words of a document, a reference, a summary, or an id"
    )
    data, is_search = open_stores().data, bool(words.strip())
    documents = (
        search_documents(dataset.name, version_of(dataset), words) if is_search else np.arange(dataset.documents)
    )
    pages = max(1, -(-len(documents) // PER_PAGE))
    of_all = f" of {dataset.documents}" if is_search else ""
    st.caption(f"{len(documents)}{of_all} {'document' if dataset.documents == 1 else 'documents'}")
    page = st.pagination(pages, key=f"page:{dataset.name}:{words}") if pages > 1 else 1
    for listed in data.listed(dataset.name, documents[(page - 1) * PER_PAGE : page * PER_PAGE].tolist()):
        opened = st.expander(
            describe_document(listed), key=f"document:{dataset.name}:{listed.position}", on_change="rerun"
        )
        if opened.open:
            with opened, st.container(width=READABLE):
                show_document(*data.record(dataset.name, listed.document.id))


@computed("Searching", kept=64)
def search_documents(dataset: str, version: object, words: str) -> NDArray[np.int32]:
    """Return the positions of the documents whose texts and id, taken together, hold all words of the search."""
    wanted = words.casefold().split()
    rows = [
        position
        for position, (document, summaries) in enumerate(records_of(dataset, version))
        if all(word in text_of(document, summaries) for word in wanted)
    ]
    return np.array(rows, dtype=np.int32)


def text_of(document: Document, summaries: list[Summary]) -> str:
    """Return everything that a search of a document looks at, case folded."""
    texts = (document.id, document.title or "", document.source_text, *document.references)
    return "\n".join((*texts, *(summary.text for summary in summaries))).casefold()


def describe_document(listed: ListedDocument) -> str:
    """Return a document's line in the list, in Markdown: its number, its opening, its numbers of texts."""
    opening = opening_of(listed.document)
    references = format_count(len(listed.document.references), "reference")
    written = format_count(listed.summaries, "summary", "summaries")
    return f"**{listed.position + 1}** · {in_markdown(opening)} · {references}, {written}"


def show_document(document: Document, summaries: list[Summary]) -> None:
    """Show a document with its references and summaries."""
    st.caption(f"Id {in_markdown(document.id)}")
    if document.source:
        st.html(document_block(document.source, document.title))
    else:
        st.caption("The data set does not contain the document's text.")
    for name, reference in name_references(document, summaries):
        st.markdown(f"**{name}**")
        st.html(text_block(reference, label=name))
    for summary in summaries:
        rated = [f"{in_markdown(aspect)} {rating:g}" for aspect, rating in summary.human.items()]
        st.markdown(" · ".join([f"**{in_markdown(summary.system)}**", *rated]))
        st.html(text_block(summary.text, label=f"Summary by {in_one_line(summary.system)}"))
        if summary.remarks:
            st.caption(" ".join(REMARKS[remark] for remark in summary.remarks))
