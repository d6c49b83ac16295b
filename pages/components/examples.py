"""One document with some of its summaries, their scores and what people said: what stands behind a number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from data.cells import Cells
from data.preferences import Preferences
from metrics.analysis import contradictions, labels
from metrics.base import TIE
from pages.components.stores import stores
from pages.components.text import STYLE, document_block, in_markdown, in_one_line, text_block


def show_example(dataset: str, document_id: str, systems: Sequence[str], scores: pd.DataFrame) -> None:
    """Show a document, the summaries of some systems beside each other, and a table of their scores."""
    document, summaries = stores().data.record(dataset, document_id)
    found = [summary for system in systems for summary in summaries if summary.system == system]
    st.markdown(f"**Document {in_markdown(document_id)}**")
    with st.container(border=True):
        source = document.source or "(the data set does not contain its documents)"
        st.html(STYLE + document_block(source, document.title))
    for column, summary in zip(st.columns(max(1, len(found)), border=True), found, strict=False):
        with column:
            st.markdown(f"**{in_markdown(summary.system)}**")
            st.html(STYLE + text_block(summary.text, f"Summary of {summary.system}"))
    with st.expander(f"References ({len(document.references)})"):
        for number, reference in enumerate(document.references, 1):
            st.html(STYLE + text_block(reference, f"Reference {number}"))
    formats = {name: st.column_config.NumberColumn(format="%.4g") for name in scores.select_dtypes("float")}
    st.dataframe(
        scores, hide_index=True, column_config=formats, placeholder="", key=f"scores:{document_id}:{','.join(systems)}"
    )


def pair_scores(preferences: Preferences, pair: int) -> pd.DataFrame:
    """What people and each metric say of a pair that one entry is about, and which of the two they prefer."""
    first, second = preferences.firsts[pair], preferences.seconds[pair]

    def row(label: str, one: float, other: float, difference: float, missing: str = "missing") -> dict[str, object]:
        prefers = "a tie" if abs(difference) <= TIE else first if difference > 0 else second
        return {
            "metric": label,
            f"A: {in_one_line(first)}": one,
            f"B: {in_one_line(second)}": other,
            "prefers": missing if np.isnan(difference) else in_one_line(prefers),
        }

    (choice,) = preferences.choices[preferences.pair == pair]
    rows = [row("people", np.nan, np.nan, choice, missing="split")]
    named = labels(list(preferences.scores))
    for signature, both in preferences.scores.items():
        one, other = both[pair]
        rows.append(row(named[signature], one, other, one - other))
    return pd.DataFrame(rows)


def cell_scores(cells: Cells, cell: int) -> pd.DataFrame:
    """All scores and ratings of one summary."""
    named = labels(list(cells.scores))
    rows = [(named[signature], values[cell]) for signature, values in cells.scores.items()]
    rows += [(f"human: {aspect}", values[cell]) for aspect, values in cells.ratings.items()]
    return pd.DataFrame(
        {"of": in_one_line(name), "value": None if np.isnan(value) else float(value)} for name, value in rows
    )


def contradiction_table(preferences: Preferences, signature: str) -> pd.DataFrame:
    """The pairs in which a metric prefers what people do not, its firmest preferences first; `pair` is the index."""
    entries = contradictions(preferences, signature)
    difference = preferences.differences()[signature][entries]
    first, second = preferences.first[entries], preferences.second[entries]
    return pd.DataFrame(
        {
            "document": map(in_one_line, preferences.document[entries]),
            "people prefer": map(in_one_line, np.where(preferences.choices[entries] > 0, first, second)),
            "the metric prefers": map(in_one_line, np.where(difference > 0, first, second)),
            "difference": np.abs(difference),
        },
        index=preferences.pair[entries],
    )
