"""Overview: which metric agrees best with people, how sure that is, and where to go from here."""

from collections.abc import Sequence

import streamlit as st

from relevance.analysis.leaders import Leaders, find_wanting, rank_metrics
from relevance.annotation.records import OPEN, Study
from relevance.pages.components.datasets.importing import IMPORT
from relevance.pages.components.datasets.progress import watch_scoring
from relevance.pages.components.examples.sides import show_sides
from relevance.pages.components.results.agreement import AgreementChoice, AgreementResult, analyze_agreement_by
from relevance.pages.components.results.findings import (
    explain_intervals,
    say_nothing_to_count,
    say_too_little,
    show_agreement_chart,
    show_finding,
    show_stopping_of,
)
from relevance.pages.components.results.report import offer_report
from relevance.pages.components.shared.context import Context, ask_context
from relevance.pages.components.shared.keywords import explain_keywords
from relevance.pages.components.shared.messages import show_messages
from relevance.pages.components.shared.notices import explain_texts
from relevance.pages.components.shared.result_table import show_result_table
from relevance.pages.components.shared.sources import describe_source
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.components.studies.cards import describe_progress
from relevance.pages.components.studies.demo import offer_demo
from relevance.pages.components.studies.planner import PLAN
from relevance.reports.escaping import in_markdown
from relevance.reports.findings import MOST_PAIRS
from relevance.reports.tables.agreement import short_agreement_table


def main() -> None:
    """Show the answer for the data set and the judges that are chosen, and the ways on."""
    st.title("Which metric agrees with people?")
    st.markdown(
        "People choose the more relevant of two summaries of a document. This app counts how often each automatic "
        "metric prefers the same one, and shows why metrics disagree."
    )
    show_messages()
    context = ask_context(empty=offer_demo)
    watch_scoring(context.source.dataset)
    studies = [study for study in open_stores().annotation.studies() if study.state == OPEN]
    show_answer(context, studies)
    show_open_studies(studies)


def show_answer(context: Context, studies: Sequence[Study]) -> None:
    """Show which metric agrees best, in words, in a chart and in a table, or say why nothing can be said yet."""
    agreement = analyze_agreement_by(AgreementChoice(context))
    wanting = find_wanting(agreement.agreement)
    if wanting is not None:
        say_too_little(wanting, context)
    elif agreement.leaders is None:
        say_nothing_to_count(context)
    else:
        show_finding(agreement.leaders, context)
    show_stopping_of(context)
    offer_ways(context, studies)
    if wanting is None and agreement.leaders is not None:
        show_figures(agreement, agreement.leaders, context)
    say_what_is_shown(context)
    if agreement.agreement.rows:
        offer_report(context)


def show_figures(result: AgreementResult, leaders: Leaders, context: Context) -> None:
    """Show the chart, and the table with the same figures."""
    show_agreement_chart(result, context)
    st.caption(
        f"{explain_intervals(result.agreement)} A metric's tie counts half. Click a metric to see the pairs that it "
        "gets wrong."
    )
    short = short_agreement_table(result.tables["agreement"], result.agreement, "half")
    show_result_table(short, height="content", key="agreement:short")
    show_disagreements(result, context)
    with st.container(horizontal=True):
        st.page_link("agreement.py", label="Agreement in detail", icon=":material/bar_chart:")
        st.page_link(
            "compare.py",
            label="Compare with other judgments",
            icon=":material/compare_arrows:",
            query_params=context.address,
        )
        if leaders.rivals and leaders.plan is not None and (leaders.plan.pairs or 0) <= MOST_PAIRS:
            two = {"first": leaders.best.metric, "second": leaders.rivals[0].row.metric}
            st.page_link(
                "new_study.py",
                label="Plan a study that settles it",
                icon=":material/calculate:",
                query_params={PLAN: "1", **context.source.address, **two},
            )


def show_disagreements(result: AgreementResult, context: Context) -> None:
    """Show how often each metric is right where another one is wrong; a click lists these pairs."""
    metrics = [row.metric for row in rank_metrics(result.agreement)]
    if not context.counts.listed or len(metrics) < 2:
        return
    st.subheader("Where one metric is right and another is wrong", anchor=False)
    chosen = show_sides(context, metrics)
    if chosen is not None:
        st.switch_page("examples.py", query_params={**context.address, **chosen.address})


def say_what_is_shown(context: Context) -> None:
    """Say whose preferences the figures rest on, and what makes scores of these texts doubtful."""
    st.markdown(describe_source(context.source, context.counts))
    explain_keywords(context.version.dataset, context.version.signatures)
    explain_texts(context.version.dataset, [signature.signature for signature in context.version.signatures])


def offer_ways(context: Context, studies: Sequence[Study]) -> None:
    """Offer the three things people come for; the pairs are those of the study shown, or another of its data set."""
    source = context.source
    judged = [study for study in studies if study.dataset == source.dataset and describe_progress(study)[0] < 1]
    judged.sort(key=lambda study: study.name != source.study)
    ways: tuple[tuple[str, str, str, dict[str, str]], ...] = (
        ("See why metrics disagree", ":material/call_split:", "disagreements.py", source.address),
        ("Judge pairs", ":material/rule:", "annotate.py", {"study": judged[0].name} if judged else {}),
        ("Use my data", ":material/upload_file:", "datasets.py", {IMPORT: "1"}),
    )
    with st.container(horizontal=True, key="ways"):
        for label, icon, page, address in ways:
            if st.button(label, icon=icon, type="primary" if page == "disagreements.py" else "secondary", key=page):
                st.switch_page(page, query_params=address)


def show_open_studies(studies: Sequence[Study]) -> None:
    """List up to five open studies, with their progress."""
    if not studies:
        return
    st.header("Open studies", anchor=False)
    for study in studies[:5]:
        st.markdown(f"**{in_markdown(study.name)}**: {describe_progress(study)[1]}")
    st.page_link("studies.py", label="Studies", icon=":material/arrow_forward:")


main()
