"""The list of data sets, and one of them: its contents, what it lacks, and what comes next."""

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
from pages.components.shared.archive import choose_shown
from pages.components.shared.counts import signatures_of
from pages.components.shared.keywords import explain_keywords
from pages.components.shared.messages import errors_shown
from pages.components.shared.stores import open_stores
from pages.components.shared.tables import COUNT

COLUMNS = {
    "scored by": st.column_config.TextColumn(
        help="Metrics that have scored every summary. Some scores may be undefined: Scores, below, says how many."
    ),
    "ratings": st.column_config.TextColumn(help="Human ratings that came with the data set."),
    "imported": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
}

OF_SCORES = {
    "summaries": st.column_config.TextColumn(help="Summaries that were scored."),
    "undefined": st.column_config.NumberColumn(help="How many of these have no value: ROUGE-K without keywords, say."),
    "truncated": st.column_config.NumberColumn(help="How many of these have a text whose end the model did not see."),
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
            "scored by": "…" if (done := scored_by(dataset)) is None else f"{len(done)} of {len(METRICS)}",
            "ratings": in_one_line(", ".join(dataset.aspects)) or "—",
            "format": dataset.format,
            "imported": dataset.imported_at,
        }
        for dataset in datasets
    )


def scored_by(dataset: Dataset) -> list[str] | None:
    """Return the names of the metrics that have given every summary a score, or a reason for having none.

    None while they are being counted.
    """
    signatures = later(lambda: signatures_of(dataset))
    if signatures is None:
        return None
    done = {one.metric for one in signatures if one.scored == dataset.summaries}
    return [name for name in METRICS if name in done]


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
        elif len(done) < len(METRICS):
            if not tell_running(dataset):
                by = f"Scored by {len(done)} of {len(METRICS)} metrics." if done else "No metric has scored them yet."
                st.markdown(f"**Next:** score the summaries. {by}", width="content")
                if st.button("Score by all metrics", type="primary", icon=":material/calculate:", key="score"):
                    with suppress(RunGoingOn):  # somebody else was faster: the page then shows their run
                        start_scoring(dataset.name)
                    st.rerun()
            if done:
                offer_study(dataset, studies)
        else:
            said = studies or dataset.aspects
            st.markdown("**Next:** see what the scores say." if said else "**Next:** ask people.", width="content")
            offer_study(dataset, studies)


def offer_study(dataset: Dataset, studies: Sequence[str]) -> None:
    """Offer the way to a new study of the data set, or to its results."""
    said = bool(studies or dataset.aspects)
    if said and st.button("See results", icon=":material/insights:", key="next_results"):
        st.switch_page("overview.py", query_params={"dataset": dataset.name})
    if not studies and st.button("Create a study", icon=":material/add_circle:", key="next_study"):
        st.switch_page("new_study.py", query_params={"dataset": dataset.name})


def tell_running(dataset: Dataset) -> bool:
    """Say what is running for a data set; return whether something is."""
    run = open_stores().data.last_run(dataset.name)
    if run is None or run.state != "going":
        return False
    doing = "Systems are being added" if run.systems else "Scoring is running"
    st.markdown(f"{doing}. You can leave this page: it continues.", width="content")
    return True


def show_scores(dataset: Dataset) -> None:
    """Show which metrics have scored a data set, and how many of its summaries."""
    if not dataset.summaries:
        st.info("There are no summaries to score: add systems first.")
        return
    signatures = later(lambda: signatures_of(dataset))
    if signatures is None:
        st.caption("The scores are being counted.")
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
