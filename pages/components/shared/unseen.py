"""Warnings about letters that metrics do not see, beside their figures: scores of such texts mean nothing."""

from collections.abc import Iterable

import streamlit as st

from relevance.data.store import Dataset
from relevance.metrics.registry import label_of
from relevance.metrics.unseen import LOOKED_AT, warnings_of_first
from relevance.pages.background.computed import computed
from relevance.pages.background.unfinished import later
from relevance.pages.components.shared.stores import open_stores, version_of
from relevance.reports.escaping import in_markdown


@computed("Reading the documents", kept=16)
def unseen_of(dataset: str, version: object, signatures: tuple[str, ...]) -> list[str]:
    """Return sentences about the metrics that cannot read a data set's first documents."""
    return warnings_of_first(open_stores().data.first_records(dataset, LOOKED_AT), signatures, label_of)


def explain_unseen(dataset: Dataset, signatures: Iterable[str]) -> None:
    """Warn of metrics that cannot read many of a data set's letters."""
    for sentence in later(lambda: unseen_of(dataset.name, version_of(dataset), tuple(signatures))) or ():
        st.warning(f"{in_markdown(sentence)}.")
