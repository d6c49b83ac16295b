"""The keywords of a data set as every view of the page Keywords takes them: found once, for all sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from analysis.false_discovery import FalseDiscovery
from annotation.keyword_records import Review, ReviewSpec
from data.store import Dataset
from metrics.keywords.extractors import ExtractorOverlap, compared_keywords, shared_keywords
from metrics.keywords.overlap import Keyword
from metrics.keywords.recall import LengthRecall, by_length, by_source, search_keywords
from pages.components.keywords.lists import review_keywords, review_signature
from pages.components.shared.stores import open_stores, version_of
from reports.tables.keywords import by_length_table, by_source_table, discoveries, discovery_sections
from reports.tables.table import Table


class ExtractorComparison(NamedTuple):
    """What the extractors find in a data set."""

    titles: Mapping[str, str | None]
    """The title of each document, by its id, in order."""
    lists: Mapping[str, Mapping[str, Sequence[Keyword]]]
    """By document id and extractor."""
    shared: Sequence[ExtractorOverlap]
    """How much they have in common."""


# Not `cache_data`, which would copy the keywords of all documents at every click. Nobody changes them.
@st.cache_resource(max_entries=4, show_spinner="Looking for keywords")
def compare_dataset(dataset: str, version: object) -> ExtractorComparison:
    """The keywords of all documents; looked for anew when the version moves."""
    documents = [document for document, _ in open_stores().data.records(dataset)]
    found = compared_keywords(documents)
    return ExtractorComparison(
        {document.id: document.title for document in documents},
        {
            document.id: {extractor: lists[place] for extractor, lists in found.items()}
            for place, document in enumerate(documents)
        },
        shared_keywords(found),
    )


@st.cache_data(max_entries=8, show_spinner="Counting keywords in summaries")
def keyword_recall(dataset: str, version: object) -> tuple[list[Table], list[LengthRecall]]:
    """ROUGE-K of a data set's systems by where keywords occur and how long they are: tables, and rows for the plot."""
    records = list(open_stores().data.records(dataset))
    found = search_keywords(records)
    rows = by_length(found)
    return [by_source_table(by_source(found)), by_length_table(rows)], rows


@st.cache_data(max_entries=16, show_spinner="Counting")
def discoveries_of(review: str, version: int) -> tuple[list[Table], dict[str, FalseDiscovery]]:
    """Tables and figures of a review; computed anew when something is saved in it."""
    extractors = open_stores().keyword_reviews.review(review).extractors
    found = discoveries(open_stores().keyword_reviews.counts(review), extractors)
    return discovery_sections(found, open_stores().keyword_reviews.decisions(review)), found


def create_review(*, name: str, dataset: Dataset, extractors: Sequence[str], count: int, seed: int) -> Review:
    """Make a review of a data set's keywords as they are found now. Raises `StoreError`."""
    lists = compare_dataset(dataset.name, version_of(dataset)).lists
    # what the playground added meanwhile is not in the lists
    documents = [document for document, _ in open_stores().data.records(dataset.name) if document.id in lists]
    return open_stores().keyword_reviews.create_review(
        ReviewSpec(
            name=name,
            dataset=dataset.name,
            extractors=tuple(extractors),
            signature=review_signature(documents),
            keywords=review_keywords(
                documents,
                {extractor: [lists[document.id][extractor] for document in documents] for extractor in extractors},
            ),
            count=count,
            seed=seed,
        )
    )
