"""Warnings about texts beside their figures, such as words that metrics break and marks of other programs."""

from collections.abc import Iterable

import streamlit as st

from relevance.data.store import Dataset
from relevance.data.suspicious import describe_suspicious
from relevance.metrics.notices import LOOKED_AT, find_notices
from relevance.metrics.registry import label_of
from relevance.pages.components.shared.messages import sentence
from relevance.pages.components.shared.stores import open_stores, version_of
from relevance.pages.computing.computed import computed
from relevance.pages.computing.waiting import if_ready
from relevance.reports.escaping import in_markdown


@computed("Reading the documents", kept=16)
def notices_of(dataset: str, version: object, signatures: tuple[str, ...]) -> list[str]:
    """Return what is to be known of the texts of a data set's first documents; nothing before it has scores."""
    if not signatures:
        return []
    records = open_stores().data.first_records(dataset, LOOKED_AT)
    notices = find_notices(records, signatures, first=LOOKED_AT, name_of=label_of)
    return [sentence for sentences in notices.values() for sentence in sentences]


@computed("Reading the summaries", kept=16)
def suspicious_of(dataset: str, version: object, systems: tuple[str, ...]) -> list[str]:
    """Return what is suspicious of the summaries of a data set's first documents by some systems, or by all."""
    return describe_suspicious(open_stores().data.first_records(dataset, LOOKED_AT), systems, LOOKED_AT)


def warn_of_suspicious(dataset: Dataset, systems: Iterable[str] = ()) -> None:
    """Warn of suspicious summaries before anybody judges them."""
    for notice in if_ready(lambda: suspicious_of(dataset.name, version_of(dataset), tuple(systems))) or ():
        st.warning(in_markdown(sentence(notice)))


def explain_texts(dataset: Dataset, signatures: Iterable[str]) -> None:
    """Warn of what makes scores of a data set's texts doubtful."""
    for notice in if_ready(lambda: notices_of(dataset.name, version_of(dataset), tuple(signatures))) or ():
        st.warning(in_markdown(sentence(notice)))
