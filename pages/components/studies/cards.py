"""Cards of all studies, with the progress and pace of each."""

from collections.abc import Sequence

import streamlit as st

from relevance.annotation.records import CLOSED, OPEN, Study, StudyPace
from relevance.annotation.sampling import GIVEN
from relevance.data.wording import format_count, format_duration
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.components.studies.rules import RULES
from relevance.reports.escaping import in_markdown


def show_cards(studies: Sequence[Study]) -> None:
    """Show a card for each study, with a button that opens it."""
    with st.container(horizontal=True, key="cards"):
        for study in studies:
            with st.container(border=True, width=360):
                show_card(study)


def show_card(study: Study) -> None:
    """Show a study's state, progress and pace."""
    state = "" if study.state == OPEN else f" · {study.state}"
    state += " · stopped" if study.stopped_at else ""
    state += " · archived" if study.archived_at else ""
    st.markdown(f"**{in_markdown(study.name)}**{state}")
    st.caption(f"{in_markdown(study.dataset)} · {RULES[study.rule]}")
    st.progress(*describe_progress(study))
    st.caption(describe_pace(study, open_stores().annotation.pace(study.name)))
    if st.button("Open", key=f"open:{study.id}", icon=":material/folder_open:", help=f"Open {in_markdown(study.name)}"):
        st.query_params["study"] = study.name
        st.rerun()


def describe_progress(study: Study) -> tuple[float, str]:
    """Return the share of the wanted judgments that have been made, and the counts in words."""
    if study.rule == GIVEN:
        return 1.0, f"{study.judgments:,} judgments"
    wanted = study.judgments_wanted
    return min(1.0, study.judgments / max(1, wanted)), f"{study.judgments:,} of {wanted:,} judgments"


def describe_pace(study: Study, pace: StudyPace) -> str:
    """Say how many annotate a study, and how much there is left to judge, in working time at their pace."""
    people = format_count(pace.annotators, "annotator") if pace.annotators else "No annotators yet"
    if study.rule == GIVEN:
        return people
    if pace.latest is None:
        return f"{people} · no judgment yet"
    left = study.judgments_wanted - study.judgments
    if study.state == CLOSED or study.stopped_at is not None or left <= 0:
        return f"{people} · the latest judgment on {pace.latest:%Y-%m-%d}"
    if not pace.last_day:
        return f"{people} · none in the last 24 hours, the latest on {pace.latest:%Y-%m-%d}"
    pace_text = f"{people} · {pace.last_day:,} in the last 24 hours"
    return (
        pace_text
        if pace.seconds is None
        else f"{pace_text} · about {format_duration(left * pace.seconds)} of judging left"
    )
