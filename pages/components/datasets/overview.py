"""The list of data sets, and one of them: its contents, what it lacks, and what comes next."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from relevance.data.one_line import in_one_line
from relevance.data.store import Dataset
from relevance.metrics.registry import usual_metrics
from relevance.pages.components.datasets.choice import choose_dataset
from relevance.pages.components.datasets.documents import browse_documents
from relevance.pages.components.datasets.importing import IMPORT, offer_import
from relevance.pages.components.datasets.managing import manage, offer_undo
from relevance.pages.components.datasets.progress import watch_runs
from relevance.pages.components.datasets.scoring import offer_scoring, scored_by, show_scores
from relevance.pages.components.datasets.systems import add_form
from relevance.pages.components.shared.archive import choose_shown
from relevance.pages.components.shared.keywords import explain_keywords
from relevance.pages.components.shared.messages import errors_shown
from relevance.pages.components.shared.result_table import COUNT
from relevance.pages.components.shared.stores import open_stores

COLUMNS = {
    "scored by": st.column_config.TextColumn(
        help="Metrics that have scored every summary. Some scores may be undefined: Scores, below, says how many."
    ),
    "ratings": st.column_config.TextColumn(help="Human ratings that came with the data set."),
    "imported": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
}


def show_datasets() -> None:
    """Show all data sets, and what can be done with one of them."""
    known = choose_shown(open_stores().data.datasets(archived=True))
    offer_undo()
    if known:
        written = dataset_table(known).style.format(COUNT, subset=["documents", "summaries", "systems"])
        st.dataframe(written, hide_index=True, column_config=COLUMNS, key="datasets")
    watch_runs([dataset.name for dataset in known])
    offer_import(opened=not known or IMPORT in st.query_params)
    if known:
        names = {dataset.name: dataset for dataset in known}
        show_dataset(names[choose_dataset(list(names))])


def dataset_table(datasets: Sequence[Dataset]) -> pd.DataFrame:
    """Return the table of data sets."""
    return pd.DataFrame(
        {
            "data set": in_one_line(dataset.name),
            "documents": dataset.documents,
            "summaries": dataset.summaries,
            "systems": len(dataset.systems),
            "scored by": "…" if (done := scored_by(dataset)) is None else f"{len(done)} of {len(usual_metrics())}",
            "ratings": in_one_line(", ".join(dataset.aspects)) or "—",
            "format": dataset.form,
            "imported": dataset.imported_at,
        }
        for dataset in datasets
    )


def show_dataset(dataset: Dataset) -> None:
    """Show one data set: what comes next, its documents, scores, systems and name."""
    offer_next_step(dataset)
    explain_keywords(dataset)
    shows = {"Documents": browse_documents, "Scores": show_scores, "Systems": add_form, "Rename or delete": manage}
    for part, show in zip(st.tabs(list(shows), key="part", on_change="rerun"), shows.values(), strict=True):
        if part.open:
            with part, errors_shown():
                show(dataset)


def offer_next_step(dataset: Dataset) -> None:
    """Offer a researcher the next step: adding systems, scoring, asking people, or looking at results."""
    studies = open_stores().annotation.studies_of(dataset.name)
    done = scored_by(dataset)
    with st.container(horizontal=True, vertical_alignment="center", key="next"), errors_shown():
        if len(dataset.systems) < 2:
            st.markdown("**Next:** add systems. A study compares at least two.", width="content")
            st.button("Add systems", key="next_systems", on_click=lambda: st.session_state.update(part="Systems"))
        elif done is None:
            st.caption("The next step appears here when the scores are counted.")
        elif not open_stores().data.has_texts(dataset.name):
            st.markdown(
                "**Next:** see which summaries people prefer. Without texts, no metric has scores.", width="content"
            )
            offer_study(dataset, studies)
        elif len(done) < len(usual_metrics()):
            offer_scoring(dataset, done)
            if done:
                offer_study(dataset, studies)
        else:
            telling = studies or dataset.aspects
            st.markdown("**Next:** see what the scores say." if telling else "**Next:** ask people.", width="content")
            offer_study(dataset, studies)


def offer_study(dataset: Dataset, studies: Sequence[str]) -> None:
    """Offer the way to a new study of the data set, or to its results."""
    is_judged = bool(studies or dataset.aspects)
    if is_judged and st.button("See results", icon=":material/insights:", key="next_results"):
        st.switch_page("overview.py", query_params={"dataset": dataset.name})
    if not studies and st.button("Create a study", icon=":material/add_circle:", key="next_study"):
        st.switch_page("new_study.py", query_params={"dataset": dataset.name})
