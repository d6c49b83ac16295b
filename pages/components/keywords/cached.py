"""The keywords of a data set for every view of the page Keywords: found once, for all sessions."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from relevance.analysis.people.false_discovery import FalseDiscovery
from relevance.annotation.keyword_records import FoundKeyword, Review, ReviewSpec
from relevance.annotation.keyword_reviews import draw_documents
from relevance.data.store import Dataset
from relevance.metrics.keywords.extractors import (
    ExtractorOverlap,
    Rarity,
    compared_keywords,
    count_rarity,
    documents_texts,
    shared_keywords,
)
from relevance.metrics.keywords.overlap import Keyword
from relevance.metrics.keywords.recall import LengthRecall, by_length, by_source, search_keywords
from relevance.metrics.rouge_k import RougeK
from relevance.pages.components.keywords.lists import document_label, review_keywords, review_signature
from relevance.pages.components.shared.records import records_of
from relevance.pages.components.shared.stores import open_stores, version_of
from relevance.pages.computing.computed import computed, whole
from relevance.reports.tables.keywords import by_length_table, by_source_table, discoveries, discovery_tables
from relevance.reports.tables.table import Table

Lists = Mapping[str, Sequence[Keyword]]
"""The keywords of a document, by extractor."""


@computed("Reading the documents", kept=4)
def labels_of(dataset: str, version: object) -> dict[str, str]:
    """Return the names of a data set's documents in a list, by id."""
    return {document.id: document_label(document.id, document.title) for document, _ in records_of(dataset, version)}


@whole("Counting words", kept=4)
def rarity_of(dataset: str, version: object, language: str) -> Rarity:
    """Count the documents that have each phrase; texts are in the language of that code."""
    documents = [document for document, _ in records_of(dataset, version)]
    return count_rarity(documents_texts(documents, "always"), language)


@whole("Looking for keywords", kept=4)
def compare_dataset(dataset: str, version: object, language: str) -> dict[str, Lists]:
    """Find the keywords of all documents by id, in order."""
    documents = [document for document, _ in records_of(dataset, version)]
    keywords = compared_keywords(documents, language=language, rare=rarity_of(dataset, version, language))
    return {
        document.id: {extractor: lists[place] for extractor, lists in keywords.items()}
        for place, document in enumerate(documents)
    }


@computed("Looking for keywords", kept=256)
def lists_of(dataset: str, version: object, language: str, document_id: str) -> Lists:
    """Return the keywords of one document, for which the others need only be counted."""
    document, _ = open_stores().data.record(dataset, document_id)
    keywords = compared_keywords([document], language=language, rare=rarity_of(dataset, version, language))
    return {extractor: lists for extractor, (lists,) in keywords.items()}


@computed("Comparing keywords", kept=16)
def overlaps_of(dataset: str, version: object, language: str) -> list[ExtractorOverlap]:
    """Return how much the extractors' keywords have in common."""
    by_document = list(compare_dataset(dataset, version, language).values())
    return shared_keywords({name: [lists[name] for lists in by_document] for name in next(iter(by_document), {})})


@computed("Counting keywords in summaries", kept=8)
def keyword_recall(dataset: str, version: object, language: str) -> tuple[list[Table], list[LengthRecall]]:
    """Compute ROUGE-K of systems by where keywords occur and how long they are: tables, and rows for the plot."""
    keywords = search_keywords(records_of(dataset, version), RougeK(language=language))
    rows = by_length(keywords)
    return [by_source_table(by_source(keywords)), by_length_table(rows)], rows


@computed("Counting", kept=16)
def discoveries_of(review: str, version: int) -> tuple[list[Table], dict[str, FalseDiscovery]]:
    """Return the tables and figures of a review; computed anew when something is saved in it."""
    extractors = open_stores().keyword_reviews.review(review).extractors
    discovered = discoveries(open_stores().keyword_reviews.counts(review), extractors)
    return discovery_tables(discovered, open_stores().keyword_reviews.decisions(review)), discovered


class Draw(NamedTuple):
    """The contents of a review."""

    signature: str
    """The settings by which its keywords were found."""
    keywords: Mapping[str, Sequence[FoundKeyword]]
    """The keywords of the documents that were drawn, by id."""


@computed("Looking for keywords", kept=4)
def draw_keywords(
    dataset: str, version: object, language: str, extractors: tuple[str, ...], count: int, seed: int
) -> Draw:
    """Draw documents with their keywords as found now. Raises `StoreError`."""
    lists_of_dataset = compare_dataset(dataset, version, language)
    # without those that the playground has added meanwhile
    documents = [document for document, _ in records_of(dataset, version) if document.id in lists_of_dataset]
    places = {document.id: place for place, document in enumerate(documents)}
    drawn = [documents[places[key]] for key in draw_documents(list(places), count, seed)]
    lists = {extractor: [lists_of_dataset[document.id][extractor] for document in drawn] for extractor in extractors}
    return Draw(review_signature(documents, language), review_keywords(drawn, lists, language))


def create_review(
    *, name: str, dataset: Dataset, language: str, extractors: Sequence[str], count: int, seed: int
) -> Review:
    """Make a review of a data set's keywords as found now. Raises `StoreError`."""
    drawn = draw_keywords(dataset.name, version_of(dataset), language, tuple(extractors), count, seed)
    return open_stores().keyword_reviews.create_review(
        ReviewSpec(
            name=name,
            dataset=dataset.name,
            extractors=tuple(extractors),
            signature=drawn.signature,
            keywords=drawn.keywords,
            seed=seed,
        )
    )
