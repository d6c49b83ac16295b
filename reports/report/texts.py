"""Tables of texts, without scores, judgments or ratings: keywords by source and by length, and lengths of texts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from relevance.analysis.study import check_systems
from relevance.annotation.store import AnnotationStore
from relevance.data.sorting import natural_order
from relevance.data.store import DataStore
from relevance.metrics.dataset_statistics import keyword_statistics, length_statistics
from relevance.metrics.keywords.recall import Records, by_length, by_source, search_keywords
from relevance.metrics.rouge_k import RougeK
from relevance.reports.marked_words import read_marked_words
from relevance.reports.report import Report, versions
from relevance.reports.tables.keywords import (
    by_length_table,
    by_source_table,
    keyword_statistics_table,
    length_statistics_table,
)
from relevance.reports.tables.marked_words import marked_documents_table, marked_words_table
from relevance.reports.tables.table import Table

OF_TEXTS = {
    "keywords": ("keywords_by_source", "keywords_by_length"),
    "dataset": ("dataset_keywords", "dataset_lengths"),
}
"""The tables, which are made only on request, by the name that asks for a group of them."""

OF_MARKS = {"marked": ("marked_words", "marked_words_by_document")}
"""The tables of words that a study's annotators marked, likewise."""

KEYWORDS_BY = "keywords by"
"""The name of the fact that gives the signature of the tables' ROUGE-K."""


def make_text_report(
    records: Records, metric: RougeK, names: Collection[str], facts: Mapping[str, str], systems: Sequence[str] = ()
) -> Report:
    """Make those of the tables `OF_TEXTS` that are among `names`.

    `records` have all summaries of each document; the tables of keywords cover `systems`, by default all of them.
    Raises `UnknownSystem`, and ValueError if `metric` looks for only some of the keywords.
    """
    records = list(records)
    check_systems(systems, (summary.system for _, summaries in records for summary in summaries), "--systems")
    tables: list[Table] = []
    more = {}
    if not {*names}.isdisjoint(OF_TEXTS["keywords"]):
        keywords = search_keywords(records, metric, systems or None)
        tables += [by_source_table(by_source(keywords)), by_length_table(by_length(keywords))]
        more = {
            "systems": ", ".join(sorted({summary.system for summary in keywords}, key=natural_order)),
            KEYWORDS_BY: metric.signature,
        }
    if not {*names}.isdisjoint(OF_TEXTS["dataset"]):
        counted = keyword_statistics((document for document, _ in records), metric.title, metric.language)
        tables += [
            keyword_statistics_table(counted),
            length_statistics_table(length_statistics(records, systems or None)),
        ]
    chosen = {table.name: table for table in tables if table.name in names}
    return Report(
        heading="Texts",
        facts={**facts, "documents": str(len(records)), **more, "versions": versions()},
        names=tuple(chosen),
        gaps={},
        of_texts=chosen,
    )


def with_texts(report: Report, texts: Report) -> Report:
    """Append the tables made by `make_text_report`."""
    facts = {**report.facts, **texts.facts, **report.facts}  # in the order of the first, with its values
    return replace(
        report, names=(*report.names, *texts.names), facts=facts, of_texts={**report.of_texts, **texts.of_texts}
    )


def with_marked_words(
    report: Report, data: DataStore, annotation: AnnotationStore, study: str, names: Collection[str] = ()
) -> Report:
    """Append the tables of marked words to the report of a study.

    They are appended if they are among `names` or, without names, if there are marked words.
    """
    wanted = not {*names}.isdisjoint(OF_MARKS["marked"])
    if names and not wanted:
        return report
    marked_words = read_marked_words(data, annotation, study)
    if not (wanted or marked_words.judgments):
        return report
    tables = {table.name: table for table in (marked_words_table(marked_words), marked_documents_table(marked_words))}
    return replace(report, names=(*report.names, *tables), of_texts={**report.of_texts, **tables})
