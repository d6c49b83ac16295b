"""What the page Upper bound looks up and computes, once for all sessions."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from data.records import Document, Summary
from pages.components.shared.stores import open_stores
from pages.components.upper_bound.choice import WAIT, name_documents
from summarizers.base import SummaryLength
from summarizers.oracles import Target
from summarizers.oracles.evaluation import OracleRow, OracleTask, known_bounds, rows_of, to_row, why_left_out
from summarizers.oracles.extracts import Extracts, look_into
from summarizers.oracles.problem import is_proven
from summarizers.oracles.standing import has_bound, judged_all
from summarizers.sentences import unsplit


@st.cache_resource(max_entries=4, show_spinner="Reading")  # not copied: nobody changes them
def records_of(dataset: str, version: object) -> list[tuple[Document, list[Summary]]]:
    """A data set's documents with their summaries; read anew when the version moves."""
    return open_stores().data.records(dataset)


@st.cache_resource(max_entries=4, show_spinner=False)
def names_of(dataset: str, version: object) -> dict[str, str]:
    """What a data set's documents are called in lists, by their ids."""
    return name_documents(document for document, _ in records_of(dataset, version))


@st.cache_data(max_entries=512, show_spinner=False)
def row_of(document: Document, target: Target, length: SummaryLength | None, algorithm: str) -> OracleRow | None:
    """What an algorithm finds for a document in `WAIT` seconds; None where the document has no oracle."""
    counted = 1 if target.references == "first" else max(1, len(document.references))
    rows = rows_of(OracleTask(target, (algorithm,), length, seconds=WAIT / counted), document)
    return rows[0] if rows else None


def optimum_of(dataset: str, document: Document, target: Target, length: SummaryLength | None) -> OracleRow | None:
    """The optimum of a document, or the best extract found; None where it has no oracle.

    Where the time was over, the longer search over all documents may have stored a better one, or a lower bound: both
    bounds hold.
    """
    row = row_of(document, target, length, "exact")
    if row is not None and not row.proven:
        task = OracleTask(target, ("exact",), length)
        kept = known_bounds(open_stores().data, dataset, task)["exact"].get(document.id)
        if kept is not None:
            bound = min(found.bound for found in (row, kept) if found.bound is not None)
            best = to_row(document.id, "exact", kept) if kept.f1 >= row.f1 else row
            return best._replace(bound=bound, proven=is_proven(best.f1, bound))
    return row


@st.cache_resource(max_entries=8, show_spinner="Scoring the systems")
def scores_of(dataset: str, version: object, target: Target) -> dict[str, dict[str, float]]:
    """The F1 of each system by document."""
    return judged_all(records_of(dataset, version), target)


@st.cache_data(max_entries=16, show_spinner=False)
def count_left_out(dataset: str, version: object, target: Target, length: SummaryLength | None) -> dict[str, int]:
    """How many documents have no oracle, by the reason."""
    task = OracleTask(target, length=length)
    without = [document for document, _ in records_of(dataset, version) if not has_bound(document, target, length)]
    return dict(Counter(why_left_out(document, task) for document in without))


@st.cache_data(max_entries=16, show_spinner=False)
def extracts_of(
    dataset: str, version: object, target: Target, length: SummaryLength | None, rows: tuple[OracleRow, ...]
) -> Extracts:
    """What else is known of the extracts that were found."""
    return look_into(rows, (document for document, _ in records_of(dataset, version)), target)


@st.cache_data(max_entries=16, show_spinner=False)
def unsplit_of(dataset: str, version: object) -> list[str]:
    """The ids of the documents whose long source is one sentence."""
    return unsplit(document for document, _ in records_of(dataset, version))
