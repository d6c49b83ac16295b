"""The list of data sets, and one of them: what it holds, what it lacks, and what comes next."""

from collections.abc import Sequence
from contextlib import suppress

import pandas as pd
import streamlit as st

from data.one_line import in_one_line
from data.store import Dataset, RunGoingOn
from metrics.registry import METRICS
from pages.background.unfinished import later
from pages.components.datasets.choice import choose_dataset
from pages.components.datasets.documents import browse_documents
from pages.components.datasets.importing import IMPORT, offer_import
from pages.components.datasets.managing import manage, offer_undo
from pages.components.datasets.runs import start_scoring, watch_runs
from pages.components.datasets.systems import add_form
from pages.components.shared.counts import signatures_of
from pages.components.shared.keywords import explain_keywords
from pages.components.shared.messages import errors_shown
from pages.components.shared.stores import open_stores
from pages.components.shared.tables import COUNT

COLUMNS = {
    "scored by": st.column_config.TextColumn(
        help="Metrics by which all summaries were scored. Some scores may be undefined: Scores, below, says how many."
    ),
    "ratings": st.column_config.TextColumn(help="Human ratings that came with the data set."),
    "imported": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
}

OF_SCORES = {
    "summaries": st.column_config.TextColumn(help="Summaries that were scored."),
    "undefined": st.column_config.NumberColumn(help="Of these, without a value, such as ROUGE-K without keywords."),
    "truncated": st.column_config.NumberColumn(help="Of these, with a text whose end the model did not see."),
}


def show_datasets() -> None:
    """All data sets, and what can be done with one of them."""
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


def choose_shown(datasets: Sequence[Dataset]) -> list[Dataset]:
    """The data sets that are listed: those of the archive, where there are any, only when they are asked for."""
    archived = sum(dataset.archived_at is not None for dataset in datasets)
    show = bool(archived) and st.toggle(f"Show archived ({archived})", key="show_archived")
    return [dataset for dataset in datasets if show or dataset.archived_at is None]


def dataset_table(datasets: Sequence[Dataset]) -> pd.DataFrame:
    """What the list of data sets shows."""
    return pd.DataFrame(
        {
            "data set": in_one_line(dataset.name),
            "documents": dataset.documents,
            "summaries": dataset.summaries,
            "systems": len(dataset.systems),
            "scored by": "…" if (done := scored_by(dataset)) is None else f"{len(done)} of {len(METRICS)}",
            "ratings": in_one_line(", ".join(dataset.aspects)) or "—",
            "format": dataset.format,
            "imported": dataset.imported_at,
        }
        for dataset in datasets
    )


def scored_by(dataset: Dataset) -> list[str] | None:
    """The names of the metrics by which all summaries of a data set have scores, or a reason why there is none.

    None while they are being counted.
    """
    signatures = later(lambda: signatures_of(dataset))
    if signatures is None:
        return None
    done = {one.metric for one in signatures if one.scored == dataset.summaries}
    return [name for name in METRICS if name in done]


def show_dataset(dataset: Dataset) -> None:
    """One data set: what comes next, its documents, scores, systems and name."""
    offer_next_step(dataset)
    explain_keywords(dataset)
    labels = ["Documents", "Scores", "Systems", "Rename or delete"]
    documents, scores, systems, naming = st.tabs(labels, key="part", on_change="rerun")
    if documents.open:
        with documents:
            browse_documents(dataset)
    if scores.open:
        with scores, errors_shown():
            show_scores(dataset)
    if systems.open:
        with systems, errors_shown():
            add_form(dataset)
    if naming.open:
        with naming:
            manage(dataset)


def offer_next_step(dataset: Dataset) -> None:
    """What a researcher does next with a data set: add systems, score, ask people, look at results."""
    studies = open_stores().annotation.studies_of(dataset.name)
    done = scored_by(dataset)
    with st.container(horizontal=True, vertical_alignment="center", key="next"), errors_shown():
        if len(dataset.systems) < 2:
            st.markdown("**Next:** add systems. A study compares at least two.", width="content")
            st.button("Add systems", key="next_systems", on_click=lambda: st.session_state.update(part="Systems"))
        elif done is None:
            st.caption("What comes next is said when the scores are counted.")
        elif len(done) < len(METRICS):
            if not tell_running(dataset):
                st.markdown(f"**Next:** score the summaries. {tell_scored(done)}", width="content")
                offer_scoring(dataset)
            if done:
                offer_study(dataset, studies)
        else:
            said = studies or dataset.aspects
            st.markdown("**Next:** see what the scores say." if said else "**Next:** ask people.", width="content")
            offer_study(dataset, studies)


def offer_study(dataset: Dataset, studies: Sequence[str]) -> None:
    """The way to a study of the data set, or to its results."""
    said = bool(studies or dataset.aspects)
    if said and st.button("See results", icon=":material/insights:", key="next_results"):
        st.switch_page("overview.py", query_params={"dataset": dataset.name})
    if not studies and st.button("Create a study", icon=":material/add_circle:", key="next_study"):
        st.switch_page("new_study.py", query_params={"dataset": dataset.name})


def tell_scored(done: Sequence[str]) -> str:
    """By how many metrics a data set is scored, in Markdown."""
    return f"Scored by {len(done)} of {len(METRICS)} metrics." if done else "No metric has scored them yet."


def tell_running(dataset: Dataset) -> bool:
    """Say what is running for a data set; returns whether something is."""
    run = open_stores().data.last_run(dataset.name)
    if run is None or run.state != "going":
        return False
    doing = "Systems are being added" if run.systems else "Scoring is running"
    st.markdown(f"{doing}. You can leave this page: it continues.", width="content")
    return True


def offer_scoring(dataset: Dataset) -> None:
    """The button that scores by all metrics."""
    if st.button("Score by all metrics", type="primary", icon=":material/calculate:", key="score"):
        with suppress(RunGoingOn):  # somebody else was faster: the page then shows their run
            start_scoring(dataset.name)
        st.rerun()


def show_scores(dataset: Dataset) -> None:
    """By which metrics a data set is scored, and how much of it."""
    if not dataset.summaries:
        st.info("There are no summaries to score: add systems first.")
        return
    signatures = later(lambda: signatures_of(dataset))
    if signatures is None:
        st.caption("They are being counted.")
        return
    rows: list[dict[str, object]] = [
        {
            "metric": METRICS[one.metric].label if one.metric in METRICS else one.metric,
            "summaries": f"{one.scored:,} of {dataset.summaries:,}",
            "undefined": one.undefined,
            "truncated": one.truncated,
            "signature": in_one_line(one.signature),
        }
        for one in signatures
    ]
    scored = {one.metric for one in signatures}
    rows += [
        {"metric": kind.label, "summaries": f"0 of {dataset.summaries:,}"}
        for name, kind in METRICS.items()
        if name not in scored
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, placeholder="—", height="content", column_config=OF_SCORES)
