"""Letters that metrics did not see: said where their figures stand, as scores of such texts say nothing."""

from collections.abc import Iterable

import streamlit as st

from data.store import Dataset
from metrics.registry import label_of
from metrics.unseen import LOOKED_AT, warnings_of_first
from pages.background.computed import computed
from pages.background.unfinished import later
from pages.components.shared.stores import open_stores, version_of
from reports.escaping import in_markdown


@computed("Reading the documents", kept=16)
def unseen_of(dataset: str, version: object, signatures: tuple[str, ...]) -> list[str]:
    """Sentences about the metrics that cannot read a data set's first documents."""
    return warnings_of_first(open_stores().data.first_records(dataset, LOOKED_AT), signatures, label_of)


def explain_unseen(dataset: Dataset, signatures: Iterable[str]) -> None:
    """Say which of the metrics cannot read a data set's letters, if they are many."""
    for sentence in later(lambda: unseen_of(dataset.name, version_of(dataset), tuple(signatures))) or ():
        st.warning(f"{in_markdown(sentence)}.")
