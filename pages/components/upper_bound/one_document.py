"""The view of one document: its best extract, and every system beside it."""

from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from relevance.pages.components.shared.documents import Choice, choose_document
from relevance.pages.components.shared.result_table import show_result_table, table_height
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.components.upper_bound.cached import names_of, open_document
from relevance.pages.components.upper_bound.choice import ROWS, no_such
from relevance.pages.components.upper_bound.controls import Shown, note_change
from relevance.reports.escaping import in_markdown
from relevance.reports.tables.bounds import systems_table
from relevance.reports.tables.table import Table
from relevance.summarizers.oracles.standing import bounds_of
from relevance.summarizers.sentences import unsplit_words


def warn_of_unsplit(unsplit: int, documents: int) -> None:
    """Warn about long texts that are one sentence, if there are any."""
    if notice := unsplit_words(unsplit, documents):
        st.warning(f"{notice[0].upper()}{notice[1:]}")


def show_document(shown: Shown, ways: DeltaGenerator) -> list[str]:
    """Show a document's best extract, and every system beside it.

    The choice of a document is drawn in `ways`. Return a sentence for each thing that the address names and that does
    not exist.
    """
    asked_choice, dataset, version, data = shown.choice, shown.dataset, shown.version, open_stores().data
    named = shown.address.get("document")
    is_unknown = shown.arrived and named is not None and data.position_of(dataset.name, named) is None
    unknown = [no_such("document", named or "")] if is_unknown else []
    with ways:
        choice = Choice("bound_document", named, note_change, ("p", "n"))
        key = choose_document(dataset, partial(names_of, dataset.name, version), choice)
    shown.lead_here(document=key)
    known = data.bound(dataset=dataset.name, document_id=key, signature=asked_choice.task.signatures["exact"])
    document = open_document(asked_choice, version, key, known)
    warn_of_unsplit(int(document.unsplit), 1)
    if document.optimum is None:
        st.info(f"No upper bound: {document.lacks}.")
        return unknown
    st.markdown(in_markdown(document.words))
    st.html(document.extract)
    (bound,) = bounds_of([document.optimum]).values()
    show_table(systems_table(document.systems, bound))
    return unknown


def show_table(table: Table, **more: Any) -> None:
    """Show a table under its title; `more` are options of the table."""
    st.header(table.title, anchor=False)
    show_result_table(table, table_height(len(table.rows), ROWS), **more)
