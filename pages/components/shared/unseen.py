"""Warnings about texts beside their figures: letters that metrics do not see, summaries that are references."""

from collections.abc import Iterable

import streamlit as st

from relevance.data.own_references import describe_own_references
from relevance.data.store import Dataset
from relevance.metrics.registry import label_of
from relevance.metrics.unseen import LOOKED_AT, warnings_of_first
from relevance.pages.background.computed import computed
from relevance.pages.background.unfinished import later
from relevance.pages.components.shared.stores import open_stores, version_of
from relevance.reports.escaping import in_markdown


@computed("Reading the documents", kept=16)
def unseen_of(dataset: str, version: object, signatures: tuple[str, ...]) -> list[str]:
    """Return sentences about the metrics that cannot read a data set's first documents, and about own references."""
    records = list(open_stores().data.first_records(dataset, LOOKED_AT))
    own = describe_own_references(records, LOOKED_AT) if signatures else []
    return [*warnings_of_first(records, signatures, label_of), *(f"{one[0].upper()}{one[1:]}" for one in own)]


def explain_unseen(dataset: Dataset, signatures: Iterable[str]) -> None:
    """Warn of metrics that cannot read many of a data set's letters, and of references that are summaries, too."""
    for sentence in later(lambda: unseen_of(dataset.name, version_of(dataset), tuple(signatures))) or ():
        st.warning(f"{in_markdown(sentence)}.")
