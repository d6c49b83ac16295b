"""The stores that all sessions share."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st
from sqlalchemy.exc import DBAPIError

from annotation.keyword_reviews import KeywordReviewStore
from annotation.store import AnnotationStore
from data.database import UnusableDatabase, connect
from data.demo import NAME as DEMO
from data.store import DatabaseFailed, Dataset, DataStore


def known_datasets() -> list[Dataset]:
    """All data sets that have documents, the demo corpus first."""
    found = [dataset for dataset in open_stores().data.datasets() if dataset.documents]
    return sorted(found, key=lambda dataset: dataset.name != DEMO)


def version_of(dataset: Dataset) -> object:
    """Changes with the data set's documents and summaries."""
    return dataset.sha256, dataset.documents, dataset.summaries


class Stores(NamedTuple):
    """The stores over one engine."""

    data: DataStore
    annotation: AnnotationStore
    keyword_reviews: KeywordReviewStore


@st.cache_resource(show_spinner=False)
def open_stores() -> Stores:
    """Open the database once a process. Raises `DatabaseFailed`, and is then asked again."""
    try:
        engine = connect()
    except (DBAPIError, UnusableDatabase) as error:
        raise DatabaseFailed(error) from error
    return Stores(DataStore(engine), AnnotationStore(engine), KeywordReviewStore(engine))
