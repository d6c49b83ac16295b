"""The view of one document: its best extract, every algorithm and every system beside it."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.components.shared.stores import open_stores
from pages.components.shared.tables import show_result_table, table_height
from pages.components.upper_bound.cached import (
    names_of,
    optimum_of,
    row_of,
    unsplit_of,
)
from pages.components.upper_bound.choice import (
    ROWS,
    no_such,
)
from pages.components.upper_bound.controls import Shown, choose_document, segments
from pages.components.upper_bound.extract import extract_html, extract_words
from reports.escaping import in_markdown
from reports.tables.bounds import (
    ALGORITHM_ORDER,
    algorithms_table,
    systems_table,
)
from reports.tables.table import Table
from summarizers.oracles.evaluation import (
    OracleRow,
    why_left_out,
)
from summarizers.oracles.standing import bounds_of, score_systems
from summarizers.sentences import unsplit_words


def warn_of_unsplit(unsplit: int, documents: int) -> None:
    """Say that long texts are one sentence, where some are."""
    if said := unsplit_words(unsplit, documents):
        st.warning(f"{said[0].upper()}{said[1:]}")


def show_document(shown: Shown, ways: DeltaGenerator) -> list[str]:
    """Show the optimum of a document, or what another algorithm takes; every algorithm and every system beside it.

    The choice of a document is drawn in `ways`. Returns what the address names and there is not.
    """
    asked, dataset, version = shown.asked, shown.dataset, shown.version
    names = names_of(dataset.name, version)
    named = shown.address.get("document")
    unknown = [no_such("document", named)] if shown.arrived and named is not None and named not in names else []
    with ways:
        key = choose_document(shown, names)
    algorithm = segments(
        "Extract of", {name: name for name in ALGORITHM_ORDER}, "algorithm", shown.address.get("algorithm")
    )
    shown.lead_here(document=key, algorithm=algorithm)
    document, summaries = open_stores().data.record(dataset.name, key)
    warn_of_unsplit(unsplit_of(dataset.name, version).count(key), 1)
    with st.spinner("Looking for the optimum"):
        optimum = optimum_of(dataset.name, document, asked.target, asked.length)
    if optimum is None:
        st.info(f"No upper bound: {why_left_out(document, shown.task)}.")
        return unknown

    def found_by(name: str) -> OracleRow:
        """What an algorithm takes."""
        with st.spinner(f"Running: {name}"):  # where the run ends if something else is wanted meanwhile
            return optimum if name == "exact" else row_of(document, asked.target, asked.length, name) or optimum

    row = found_by(algorithm)
    st.markdown(f"**{in_markdown(algorithm)}:** {in_markdown(extract_words(row, optimum, document, asked))}")
    st.html(extract_html(document, row, asked.target))
    (bound,) = bounds_of([optimum]).values()
    systems, algorithms = st.columns(2)
    with systems:
        show_table(systems_table(score_systems(document, summaries, asked.target), bound))
    with algorithms:
        show_table(algorithms_table([found_by(name) for name in ALGORITHM_ORDER]))
    return unknown


def show_table(section: Table, **more: Any) -> None:
    """A table under its title; `more` goes to it."""
    st.subheader(section.title, anchor=False)
    show_result_table(section, table_height(len(section.rows), ROWS), **more)
