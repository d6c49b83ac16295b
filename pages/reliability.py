"""How far annotators agree with each other, and how they rank the systems."""

from __future__ import annotations

import streamlit as st

from analysis.study import StudyAnalysis
from annotation.demo import MADE_UP
from data.one_line import in_one_line
from data.preferences import Preferences
from pages.components.shared.sources import Source, most_judged_first, preferences_of
from pages.components.shared.stores import open_stores
from pages.components.shared.tables import show_result_table
from reports.charts import ranking_chart
from reports.tables.study import OF_ANNOTATORS, make_table


def main() -> None:
    """Ask for a study, and show what is known of its annotators."""
    st.title("Reliability")
    studies = {study.name: study for study in most_judged_first(open_stores().annotation.studies())}
    if not studies:
        st.info("There is no study yet: create one on the Studies page.")
        st.stop()
    study = studies[st.selectbox("Study", list(studies), format_func=in_one_line, key="study")]
    source = Source(study.dataset, study=study.name)
    analysis = analyze(source, source.version)
    say_what_is_shown(study.name, analysis.preferences)
    if not len(analysis.preferences):
        st.info("No judgments yet: every figure is undefined.")
        st.page_link("annotate.py", label="Annotate", icon=":material/arrow_forward:")
        st.stop()
    for name in OF_ANNOTATORS:
        show_table(name, analysis)


@st.cache_data(max_entries=32, show_spinner="Counting")
def analyze(source: Source, version: object) -> StudyAnalysis:
    """Computed anew when a judgment is made or changed."""
    checks = {
        row.annotator: (row.checks_passed, row.checks)
        for row in open_stores().annotation.annotators(source.study or "")
    }
    return StudyAnalysis(preferences_of(source, version), checks=checks).compute("reliability")


def say_what_is_shown(study: str, preferences: Preferences) -> None:
    """How many judgments there are, and whose."""
    judgments = "made-up judgments" if study == MADE_UP else "judgments"
    st.markdown(
        f"**{len(preferences)} {judgments}** of {len(set(preferences.pair))} pairs by "
        f"{len(set(preferences.annotators))} annotators."
    )


def show_table(name: str, analysis: StudyAnalysis) -> None:
    """One table under its title; the ranking with its chart."""
    section, ranking = make_table(name, analysis), analysis.reliability.ranking
    st.subheader(section.title, anchor=False)
    if name == "ranking" and any(row.strength is not None for row in ranking.rows):
        st.altair_chart(ranking_chart(ranking), key="ranking_chart")
    show_result_table(section)


main()
