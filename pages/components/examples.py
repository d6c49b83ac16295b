"""One document with some of its summaries, their scores and what people said: what stands behind a number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from data.cells import Cells
from data.preferences import Preferences
from metrics.analysis import contradictions, labels
from pages.components.stores import stores
from pages.components.text import STYLE, document_block, in_markdown, in_one_line, text_block


def show_example(dataset: str, document_id: str, systems: Sequence[str], scores: pd.DataFrame) -> None:
    """Show a document, the summaries of some systems beside each other, and a table of their scores."""
    document, summaries = stores().data.record(dataset, document_id)
    found = [summary for system in systems for summary in summaries if summary.system == system]
    st.markdown(f"**Document {in_markdown(document_id)}**")
    st.html(STYLE + document_block(document.source or "(the data set does not contain its documents)", document.title))
    for column, summary in zip(st.columns(max(1, len(found)), border=True), found, strict=False):
        with column:
            st.markdown(f"**{in_markdown(summary.system)}**")
            st.html(STYLE + text_block(summary.text, f"Summary of {summary.system}"))
    with st.expander(f"References ({len(document.references)})"):
        for number, reference in enumerate(document.references, 1):
            st.html(STYLE + text_block(reference, f"Reference {number}"))
    st.dataframe(scores, hide_index=True, key=f"scores:{document_id}:{','.join(systems)}")


def pair_scores(preferences: Preferences, pair: int) -> pd.DataFrame:
    """What each metric says of a pair, and which of the two it prefers."""
    first, second = preferences.firsts[pair], preferences.seconds[pair]
    rows = []
    named = labels(list(preferences.scores))
    for signature, both in preferences.scores.items():
        one, other = both[pair]
        prefers = (
            None if np.isnan(one - other) else "a tie" if abs(one - other) <= 1e-9 else first if one > other else second
        )
        rows.append(
            {
                "metric": named[signature],
                in_one_line(first): None if np.isnan(one) else one,
                f"{in_one_line(second)} ": None if np.isnan(other) else other,  # systems may look alike in one line
                "prefers": "missing" if prefers is None else in_one_line(prefers),
            }
        )
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
    difference = preferences.differences()[signature]
    return pd.DataFrame(
        [
            {
                "document": in_one_line(preferences.document[entry]),
                "people prefer": in_one_line(winner(preferences, entry, preferences.choices[entry])),
                "the metric prefers": in_one_line(winner(preferences, entry, difference[entry])),
                "difference": abs(float(difference[entry])),
            }
            for entry in entries
        ],
        columns=["document", "people prefer", "the metric prefers", "difference"],
        index=preferences.pair[entries],
    )


def winner(preferences: Preferences, entry: int, sign: float) -> str:
    """The system that a signed preference prefers."""
    return str(preferences.first[entry] if sign > 0 else preferences.second[entry])
