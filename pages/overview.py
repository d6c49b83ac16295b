"""The answer at a glance: which metric agrees best with people, and how sure that is."""

import streamlit as st

from relevance.analysis.leaders import find_wanting
from relevance.pages.components.datasets.progress import watch_scoring
from relevance.pages.components.results.agreement import AgreementChoice, analyze_agreement_by
from relevance.pages.components.results.finding import (
    explain_intervals,
    say_nothing_to_count,
    say_too_little,
    show_agreement_chart,
    show_finding,
    show_stopping_of,
)
from relevance.pages.components.results.report import offer_report
from relevance.pages.components.shared.context import ask_context
from relevance.pages.components.shared.keywords import explain_keywords
from relevance.pages.components.shared.messages import show_messages
from relevance.pages.components.shared.notices import explain_texts
from relevance.pages.components.shared.sources import describe_source
from relevance.pages.components.studies.planner import PLAN
from relevance.reports.finding import MOST_PAIRS

st.title("Overview")
show_messages()
context = ask_context()
watch_scoring(context.source.dataset)
st.markdown(describe_source(context.source, context.counts))
explain_keywords(context.version.dataset, context.version.signatures)
explain_texts(context.version.dataset, [one.signature for one in context.version.signatures])
found = analyze_agreement_by(AgreementChoice(context))
leaders, wanting = found.leaders, find_wanting(found.agreement)
if wanting is not None:
    say_too_little(wanting, context)
    show_stopping_of(context)
    offer_report(context)
    st.stop()
if leaders is None:
    say_nothing_to_count(context)
    st.stop()
show_finding(leaders, context)
show_stopping_of(context)
show_agreement_chart(found, context)
st.caption(
    f"{explain_intervals(found.agreement)} A metric's tie counts half. Click a metric to see the pairs that it gets "
    "wrong."
)
with st.container(horizontal=True):
    st.page_link("agreement.py", label="All figures of agreement", icon=":material/bar_chart:")
    st.page_link("disagreements.py", label="See why metrics disagree", icon=":material/call_split:")
    if leaders.rivals and leaders.plan is not None and (leaders.plan.pairs or 0) <= MOST_PAIRS:
        two = {"first": leaders.best.metric, "second": leaders.rivals[0].row.metric}
        st.page_link(
            "new_study.py",
            label="Plan a study that settles it",
            icon=":material/calculate:",
            query_params={PLAN: "1", **context.source.address, **two},
        )
offer_report(context)
