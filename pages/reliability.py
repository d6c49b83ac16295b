"""How far annotators agree with each other, and how they rank the systems."""

import streamlit as st

from annotation.demo import MADE_UP
from data.one_line import in_one_line
from pages.components.shared.sources import Source, most_judged_first, preferences_of
from pages.components.shared.stores import open_stores
from pages.components.shared.tables import show_result_table
from reports.charts import ranking_chart
from reports.study import Reliability, reliability_of, reliability_tables

st.title("Reliability")
studies = {study.name: study for study in most_judged_first(open_stores().annotation.studies())}
if not studies:
    st.info("There is no study yet: create one on the Studies page.")
    st.stop()
study = studies[st.selectbox("Study", list(studies), format_func=in_one_line, key="study")]


@st.cache_data(max_entries=32, show_spinner="Counting")
def reliability(source: Source, version: object) -> Reliability:
    """Computed anew when a judgment is made or changed."""
    checks = {
        row.annotator: (row.checks_passed, row.checks)
        for row in open_stores().annotation.annotators(source.study or "")
    }
    return reliability_of(preferences_of(source, version), checks)


source = Source(study.dataset, study=study.name)
found = reliability(source, source.version)
preferences = preferences_of(source, source.version)
judgments = "made-up judgments" if study.name == MADE_UP else "judgments"
st.markdown(
    f"**{len(preferences)} {judgments}** of {len(set(preferences.pair))} pairs by "
    f"{len(set(preferences.annotators))} annotators."
)
if not len(preferences):
    st.info("No judgments yet: every figure is undefined.")
    st.page_link("annotate.py", label="Annotate", icon=":material/arrow_forward:")
    st.stop()

for section in reliability_tables(found, weighed=preferences.weights is not None):
    st.subheader(section.title, anchor=False)
    if section.name == "ranking" and any(row.strength is not None for row in found.ranking.rows):
        st.altair_chart(ranking_chart(found.ranking), key="ranking_chart")
    show_result_table(section)
