"""The view of all documents: how high each algorithm gets, and where systems stand below the bound."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import streamlit as st

from pages.components.shared.stores import open_stores
from pages.components.upper_bound.cached import (
    count_left_out,
    extracts_of,
    names_of,
    scores_of,
    unsplit_of,
)
from pages.components.upper_bound.choice import (
    DOCUMENT,
    describe_best_system,
)
from pages.components.upper_bound.controls import Shown, turn_to
from pages.components.upper_bound.one_document import show_table, warn_of_unsplit
from reports.charts import distribution_chart
from reports.escaping import format_count, in_markdown
from reports.formats import as_json, as_latex, as_one_csv
from reports.tables.bounds import (
    ALGORITHM_ORDER,
    documents_table,
    score_distributions,
    standings_table,
    without_signatures,
)
from reports.tables.oracles import oracle_sections, oracles_as_latex
from reports.tables.table import Table
from summarizers.oracles.evaluation import (
    OracleEvaluation,
    OracleTask,
    evaluate_stored,
    load_evaluation,
    summarize_algorithms,
)
from summarizers.oracles.standing import standings_of


def compute(dataset: str, task: OracleTask) -> None:
    """Run every algorithm on the documents that were not asked yet, and tell how far that is."""
    bar = st.progress(0.0, "Starting")

    def tell(done: int, total: int) -> None:
        bar.progress(done / max(1, total), f"{done} of {total} documents")  # which ends the run where nobody looks on

    evaluate_stored(open_stores().data, dataset, task, processes=1, progress=tell)
    st.rerun()


def show_all(shown: Shown) -> None:
    """Show the distribution of each algorithm's F1, and where the systems stand below the bound."""
    asked, dataset, version, task = shown.asked, shown.dataset, shown.version, shown.task
    shown.lead_here(**{part: shown.address[part] for part in ("document", "algorithm") if part in shown.address})
    warn_of_unsplit(len(unsplit_of(dataset.name, version)), dataset.documents)
    evaluation = load_evaluation(open_stores().data, dataset.name, task)
    without = count_left_out(dataset.name, version, asked.target, asked.length)
    done = len({row.document_id for row in evaluation.rows})
    possible = dataset.documents - sum(without.values())
    if (missing := possible - done) > 0:
        st.markdown(f"**{done} of {possible} documents** have their bound and every algorithm's extract.")
        st.caption(
            "What is found is kept. Leaving this page, or changing something on it, stops the work; pressed again, it "
            "goes on where it stopped."
        )
        if st.button(f"Compute for {format_count(missing, 'document')}", type="primary", key="bound_compute"):
            compute(dataset.name, task)
    if done:
        show_evaluation(shown, evaluation, without)


def show_evaluation(shown: Shown, evaluation: OracleEvaluation, without: Mapping[str, int]) -> None:
    """Show what was found for a data set, `without` documents that have no oracle, which are counted by the reason."""
    asked, dataset, version, task = shown.asked, shown.dataset, shown.version, shown.task
    scores = scores_of(dataset.name, version, asked.target)
    standings = standings_of(scores, evaluation.rows)
    st.markdown(in_markdown(describe_best_system(standings, evaluation.rows, asked)))
    st.altair_chart(distribution_chart(score_distributions(evaluation.rows, scores)), key="bound_chart")
    st.caption(
        "Box: the middle half of the documents; line in it: the median; diamond: the mean; lines: from the lowest to "
        "the highest. Dashed: the mean of the exact search."
    )
    by_document = documents_table(evaluation.rows, scores, names_of(dataset.name, version))
    figures = sorted(summarize_algorithms(evaluation.rows), key=lambda found: ALGORITHM_ORDER.index(found.algorithm))
    extracts = extracts_of(dataset.name, version, asked.target, asked.length, evaluation.rows)
    beside, oracles = standings_table(standings), oracle_sections(figures, task, without, extracts)

    def open_chosen() -> None:
        """Open the document whose row was chosen."""
        if chosen := st.session_state[f"section:{by_document.name}"].selection.rows:
            turn_to(str(by_document.rows[chosen[0]]["id"]))
            st.session_state.bound_view = DOCUMENT

    show_table(without_signatures(beside))
    hint = by_document._replace(notes=["Choose a row to open its document.", *by_document.notes])
    show_table(hint, on_select=open_chosen, selection_mode="single-row")
    for section in oracles:
        show_table(without_signatures(section))
    with st.expander("Signatures of the algorithms"):
        st.code("\n".join(task.signatures.values()), language=None, wrap_lines=True)
    facts = [*asked.address.items(), ("documents", str(len({row.document_id for row in evaluation.rows})))]
    comments = [*(f"{fact}: {value}" for fact, value in facts), *task.signatures.values()]
    latex = [
        oracles_as_latex(oracles, figures, dataset.name, comments),
        as_latex(beside, label="tab:oracle-standings"),
    ]
    offer_files([beside, by_document, *oracles], facts, "\n".join(latex))


def offer_files(sections: Sequence[Table], facts: Sequence[tuple[str, str]], latex: str) -> None:
    """The tables as files."""
    as_one_json = json.dumps({section.name: as_json(section) for section in sections}, indent=2)
    with st.container(horizontal=True):
        for label, text, ending in (
            ("CSV", as_one_csv(sections, facts), "csv"),
            ("JSON", as_one_json, "json"),
            ("LaTeX", latex, "tex"),
        ):
            st.download_button(f"Tables ({label})", text, f"upper-bound.{ending}", on_click="ignore")
