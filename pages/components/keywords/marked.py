"""Words that annotators marked compared with ROUGE-K's keywords: the tables, and one document with both."""

from collections.abc import Sequence

import streamlit as st

from relevance.annotation.marked_words import load_marks
from relevance.annotation.records import Study
from relevance.data.one_line import in_one_line
from relevance.metrics.from_signature import metric_of
from relevance.metrics.rouge_k import RougeK
from relevance.pages.components.shared.result_table import show_result_table
from relevance.pages.components.shared.sources import Source, Version
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.computing.computed import computed
from relevance.reports.escaping import in_markdown
from relevance.reports.evidence.blocks import passage
from relevance.reports.evidence.highlighting import Mark
from relevance.reports.marked_words import MarkedWords, ShownText, find_rouge_k, read_marked_words, show_texts
from relevance.reports.tables.marked_words import marked_documents_table, marked_words_table

LEGEND = (
    '<p class="legend whole"><mark class="k-marked">marked by people</mark> '
    '<mark class="k-keyword">keyword</mark> <mark class="k-keyword k-marked">both</mark></p>'
)


@computed("Comparing marked words with keywords", kept=16)
def count_marked_words(study: str, version: Version, signature: str) -> MarkedWords:
    """Count the words that a study's annotators marked, and the keywords by a signature of ROUGE-K."""
    stores = open_stores()
    return read_marked_words(stores.data, stores.annotation, study, made_again(signature))


@computed("Looking for marked words", kept=64)
def find_marked_texts(
    source: Source, version: Version, signature: str, document: str
) -> tuple[str | None, list[ShownText]]:
    """Return why a document has no keywords, if so, and the texts in which its annotators could mark words."""
    stores = open_stores()
    marks = [mark for mark in load_marks(stores.annotation, source.study or "") if mark.document == document]
    record = stores.data.record(source.dataset, document)
    return show_texts([mark for mark in marks if mark.ranges], *record, made_again(signature))


def made_again(signature: str) -> RougeK:
    """Make the ROUGE-K of a signature that was offered."""
    metric = metric_of(signature)
    if not isinstance(metric, RougeK):
        raise ValueError(f"no ROUGE-K can be made of {signature!r}")
    return metric


def show_marks_of(study: Study) -> None:
    """Show a study's marked words: the view without the choice of the study."""
    source = Source(study.dataset, study=study.name)
    version = source.read_version()
    known = [metric.signature for metric in find_rouge_k(signature.signature for signature in version.signatures)]
    signature = known[0]
    if len(known) > 1:
        signature = st.selectbox("Keywords by", known, format_func=in_one_line, key="keywords_signature")
    marked_words = count_marked_words(study.name, version, signature)
    if not marked_words.judgments:
        unmarked = f" {marked_words.unmarked} were asked to." if marked_words.unmarked else ""
        st.info(
            f"No annotator of {in_markdown(study.name)} has marked words.{unmarked} A study asks for them where its "
            "study file says `marks = true` under `[judging]`."
        )
        return
    for table in (marked_words_table(marked_words), marked_documents_table(marked_words)):
        st.header(table.title, anchor=False)
        show_result_table(table)
    st.header("In the texts", anchor=False)
    documents = [document.document for document in marked_words.summaries.documents]
    document = st.selectbox("Document", documents, format_func=in_one_line, key="keywords_marked_document")
    missing, texts = find_marked_texts(source, version, signature, document)
    if missing is not None:
        st.info(in_markdown(missing[:1].upper() + missing[1:]) + ".")
    st.html(marked_html(texts))


def marked_html(texts: Sequence[ShownText]) -> str:
    """Write texts with marked words and keywords as HTML, systems before the document; empty ones are left out."""
    shown = "".join(
        passage(text.text, marks_of(text), "Document" if text.system is None else text.system)
        for text in texts
        if text.text.strip()
    )
    return f'<div class="evidence">{shown}{LEGEND}</div>'


def marks_of(text: ShownText) -> list[Mark]:
    """Return marks on the words that somebody marked, and on the keywords."""
    spans = text.places.spans
    by_people = [span for span, marked in zip(spans, text.marked, strict=True) if marked]
    keywords = [(spans[start][0], spans[end - 1][1]) for start, end in text.places.occurrences]
    return [
        *(Mark(start, end, "marked", "marked by people") for start, end in by_people),
        *(Mark(start, end, "keyword", "keyword") for start, end in keywords),
    ]
