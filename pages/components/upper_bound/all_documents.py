"""The view of all documents: how high extracts get, and where systems stand below the bound."""

import shlex
from functools import partial

import streamlit as st

from relevance.data.one_line import in_one_line
from relevance.data.wording import format_count
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.components.upper_bound.cached import count_left_out, count_unsplit
from relevance.pages.components.upper_bound.choice import DOCUMENT
from relevance.pages.components.upper_bound.controls import Shown, go_to_document
from relevance.pages.components.upper_bound.evaluated import PER_PAGE, documents_page, evaluate_documents, tables_as
from relevance.pages.components.upper_bound.one_document import show_table, warn_of_unsplit
from relevance.pages.components.upper_bound.search import await_stopped, search_documents
from relevance.reports.charts import distribution_chart
from relevance.reports.escaping import in_markdown
from relevance.reports.tables.bounds import without_signatures


def show_all(shown: Shown) -> None:
    """Show the distribution of the extracts' F1, and where the systems stand below the bound."""
    choice, dataset, version = shown.choice, shown.dataset, shown.version
    shown.lead_here(**({"document": shown.address["document"]} if "document" in shown.address else {}))
    warn_of_unsplit(count_unsplit(dataset.name, version), dataset.documents)
    await_stopped()
    done = open_stores().data.count_bounds(dataset=dataset.name, signatures=choice.task.signatures.values())
    possible = dataset.documents - sum(count_left_out(choice, version).values())
    if (missing := possible - done) > 0:
        st.markdown(f"**{done} of {possible} documents** have their bound and their greedy extract.")
        st.caption(
            "Results are kept. Leaving this page, or changing something on it, stops the work; press again to "
            "continue where it stopped."
        )
        if st.button(f"Compute for {format_count(missing, 'document')}", type="primary", key="bound_compute"):
            search_documents(dataset, choice.task)
    if done:
        show_evaluation(shown, done)


def show_evaluation(shown: Shown, done: int) -> None:
    """Show the results for the `done` documents of a data set."""
    choice, version = shown.choice, shown.version
    evaluated = evaluate_documents(choice, version, done)
    st.markdown(in_markdown(evaluated.text))
    st.altair_chart(distribution_chart(evaluated.distributions), key="bound_chart")
    st.caption(
        "Box: the middle half of the documents; line in it: the median; diamond: the mean; lines: from the lowest to "
        "the highest. Dashed: the mean of the exact search."
    )
    show_table(without_signatures(evaluated.standings))
    show_by_document(shown, done)
    with st.expander("Statistics of both searches"):
        st.markdown("Other searches, side by side:")
        st.code(f"relevance oracle {shlex.quote(in_one_line(choice.dataset))}", language=None, wrap_lines=True)
        for table in evaluated.oracles:
            show_table(without_signatures(table))
        st.markdown("**Signatures**")
        st.code("\n".join(choice.task.signatures.values()), language=None, wrap_lines=True)
    with st.container(horizontal=True):
        for label, ending in (("CSV", "csv"), ("JSON", "json"), ("LaTeX", "tex")):
            write = partial(tables_as, ending, choice, version, done)
            st.download_button(f"Tables ({label})", write, f"upper-bound.{ending}", on_click="ignore")


def show_by_document(shown: Shown, done: int) -> None:
    """Show the documents, one page of them if there are many; choosing one opens it."""
    pages, pagination = -(-done // PER_PAGE), f"bound_page:{shown.dataset.name}:{done}"
    page = st.session_state.get(pagination, 1)
    table = documents_page(shown.choice, shown.version, done, page)

    def open_chosen() -> None:
        """Open the document whose row was chosen."""
        if chosen := st.session_state[f"section:{key}"].selection.rows:
            go_to_document(str(table.rows[chosen[0]]["id"]))
            st.session_state.bound_view = DOCUMENT

    key = table.name if page == 1 else f"{table.name}:{page}"
    hint = table._replace(notes=["Choose a row to open its document.", *table.notes])
    show_table(hint, key=key, on_select=open_chosen, selection_mode="single-row")
    if pages > 1:
        st.pagination(pages, key=pagination)
