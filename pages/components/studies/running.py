"""The tab Studies: one study's progress, its annotators, its exports."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from annotation.records import AnnotatorProgress, Study
from annotation.results import export_judgments, export_scores
from data.export import export
from data.one_line import in_one_line
from pages.components.shared.stores import open_stores
from pages.components.studies.messages import CREATED
from reports.escaping import in_markdown

STUDY = "study"
"""Session key: the study that is shown."""


ANNOTATOR_COLUMNS = {
    "median seconds": st.column_config.NumberColumn(format="%.1f"),
    "chose left": st.column_config.NumberColumn(format="percent"),
    "latest": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
}


def show_study() -> None:
    """One study: its progress, its annotators, its exports."""
    store = open_stores().annotation
    studies = {study.name: study for study in store.studies()}
    if not studies:
        st.info("There is no study yet. Create one under “New study”.")
        return
    if created := st.session_state.pop(CREATED, None):
        st.session_state[STUDY] = created
    study = studies[st.selectbox("Study", list(studies), format_func=in_one_line, key=STUDY)]
    wanted = study.pairs * study.judgments_per_pair
    st.progress(min(1.0, study.judgments / wanted), text=f"{study.judgments} of {wanted} judgments wanted")
    st.markdown(
        f"Data set {in_markdown(study.dataset)}; {study.pairs} pairs of {in_markdown(', '.join(study.systems))}; "
        f"rule `{study.rule}`, seed {study.seed}; {'; '.join((*study.notes, left_out(study)))}; "
        f"ties {'allowed' if study.ties else 'not allowed'}; **{'closed' if study.closed_at else 'open'}**."
    )
    if annotators := store.annotators(study.name):
        st.dataframe(make_progress_frame(annotators), hide_index=True, column_config=ANNOTATOR_COLUMNS, key="progress")
    else:
        st.caption("Nobody has joined yet.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        exports(study)
        if st.button("Reopen the study" if study.closed_at else "Close the study", key="close"):
            store.close_study(study.name, closed=study.closed_at is None)
            st.rerun()
    invite(study)


def left_out(study: Study) -> str:
    """Which pairs the study does not ask about, and why."""
    unscored = f", {study.unscored} without a score" if study.unscored else ""
    return f"left out: {study.identical} pairs of identical texts{unscored}"


def make_progress_frame(annotators: Sequence[AnnotatorProgress]) -> pd.DataFrame:
    """What the progress table of a study shows."""
    return pd.DataFrame(
        {
            "annotator": in_one_line(row.annotator),
            "judged": row.judged,
            "skipped": row.skipped,
            "median seconds": row.seconds,
            "ties": row.ties,
            "chose left": row.left / decided if (decided := row.judged - row.ties) else None,
            "checks passed": f"{row.checks_passed} of {row.checks}" if row.checks else None,
            "latest": row.latest,
        }
        for row in annotators
    )


def exports(study: Study) -> None:
    """Downloads, made when they are asked for."""
    for what in ("judgments", "scores"):
        for format in ("jsonl", "csv"):

            def text(what: str = what, format: str = format) -> str:
                records = (
                    export_judgments(open_stores().annotation, study.name)
                    if what == "judgments"
                    else export_scores(open_stores().data, study.dataset)
                )
                return export(records, format)

            label, key = f"{what.capitalize()} ({format.upper()})", f"export:{what}.{format}"
            st.download_button(label, text, file_name=f"{study.name} {what}.{format}", key=key)


def invite(study: Study) -> None:
    """A personal link for an annotator."""
    with st.form("invite", width=520):
        label = f"Invite somebody to {in_markdown(study.name)}, by name"
        name = st.text_input(label, key="invite_name", max_chars=200, help="The same name gives the same link again.")
        if st.form_submit_button("Make a personal link"):
            token = open_stores().annotation.invite(study=study.name, name=name).token
            st.markdown(f"Whoever opens this link judges as {in_markdown(name)}:")
            app = (st.context.url or "").rsplit("/", 1)[0]
            st.code(f"{app}/annotate?invite={token}", language=None, wrap_lines=True)
