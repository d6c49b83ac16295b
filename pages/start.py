"""Home: what this database says about metrics, and where to go from here."""

from collections.abc import Sequence

import streamlit as st

from relevance.analysis.leaders import find_wanting
from relevance.annotation.records import OPEN, Study
from relevance.pages.components.datasets.importing import IMPORT
from relevance.pages.components.results.agreement import AgreementChoice, analyze_agreement_by
from relevance.pages.components.results.finding import (
    explain_intervals,
    say_too_little,
    show_agreement_chart,
    show_finding,
)
from relevance.pages.components.shared.context import Context, default_context
from relevance.pages.components.shared.messages import show_messages
from relevance.pages.components.shared.sources import describe_source
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.components.studies.cards import describe_progress
from relevance.pages.components.studies.demo import offer_demo
from relevance.reports.escaping import in_markdown


def main() -> None:
    """Show this database's answer, and three ways on."""
    st.title("Which metric agrees with people?")
    st.markdown(
        "People choose the more relevant of two summaries of a document. This app counts how often each automatic "
        "metric prefers the same one, and shows why metrics disagree."
    )
    show_messages()
    context = default_context()
    if context is None:
        offer_demo()
        return
    studies = [study for study in open_stores().annotation.studies() if study.state == OPEN]
    offer_ways(context, studies)
    show_answer(context)
    show_open_studies(studies)


def offer_ways(context: Context, studies: Sequence[Study]) -> None:
    """Offer the three things people come for; the pairs are those of the study shown, or another of its data set."""
    source = context.source
    judged = [one for one in studies if one.dataset == source.dataset and describe_progress(one)[0] < 1]
    judged.sort(key=lambda one: one.name != source.study)
    ways: tuple[tuple[str, str, str, dict[str, str]], ...] = (
        ("See why metrics disagree", ":material/call_split:", "disagreements.py", source.address),
        ("Judge pairs", ":material/rule:", "annotate.py", {"study": judged[0].name} if judged else {}),
        ("Use my data", ":material/upload_file:", "datasets.py", {IMPORT: "1"}),
    )
    with st.container(horizontal=True, key="ways"):
        for label, icon, page, address in ways:
            if st.button(label, icon=icon, type="primary" if page == "disagreements.py" else "secondary", key=page):
                st.switch_page(page, query_params=address)


def show_answer(context: Context) -> None:
    """Show which metric agrees best, in a chart and in words."""
    found = analyze_agreement_by(AgreementChoice(context))
    leaders, wanting = found.leaders, find_wanting(found.agreement)
    if wanting is not None:
        say_too_little(wanting, context)
        st.caption(describe_source(context.source, context.counts))
        return
    if leaders is None:
        st.info("No metric can be compared with people yet: that takes scores, and judgments or ratings.")
        return
    show_finding(leaders, context)
    show_agreement_chart(found, context)
    st.caption(f"{describe_source(context.source, context.counts)} {explain_intervals(found.agreement)}")
    st.page_link("overview.py", label="All results", icon=":material/arrow_forward:")


def show_open_studies(studies: Sequence[Study]) -> None:
    """List up to five open studies, with their progress."""
    if not studies:
        return
    st.header("Open studies", anchor=False)
    for study in studies[:5]:
        st.markdown(f"**{in_markdown(study.name)}**: {describe_progress(study)[1]}")
    st.page_link("studies.py", label="Studies", icon=":material/arrow_forward:")


main()
