"""The finding of a study or a data set about metrics: a sentence, and the chart that goes with it."""

from typing import Any

import streamlit as st

from relevance.analysis.leaders import Leaders, Wanting, without_scarce
from relevance.analysis.metrics_and_people import AgreementAnalysis
from relevance.pages.components.results.agreement import AgreementResult
from relevance.pages.components.shared.charts import show_chart
from relevance.pages.components.shared.context import Context
from relevance.pages.components.shared.sources import Source
from relevance.pages.components.shared.stopping_rule import say_stopping
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.agreement_charts import agreement_chart
from relevance.reports.escaping import in_markdown
from relevance.reports.findings import TOO_LITTLE, write_details, write_headline, write_wanting
from relevance.reports.presentation import name_people
from relevance.reports.tables.agreement import sampling_notes, scarce_notes
from relevance.reports.tables.table import few_annotators_notes


def show_finding(leaders: Leaders, context: Context) -> None:
    """Show the finding under its headline, and how the choice of pairs affects it."""
    people, unit = name_people_of(context.source), context.source.unit
    st.header(in_markdown(write_headline(leaders, people, unit)), anchor=False)
    st.markdown(in_markdown(write_details(leaders, unit)))
    for note in sampling_notes(context.version.rule):
        st.caption(in_markdown(note))


def explain_intervals(agreement: AgreementAnalysis) -> str:
    """Say whom the chart's intervals speak of, and which metrics are not in it, as Markdown."""
    notes = [
        "Dots: agreement; lines: 95 % intervals.",
        *few_annotators_notes(agreement.annotators),
        *scarce_notes(agreement),
    ]
    return in_markdown(" ".join(notes))


def name_people_of(source: Source) -> str:
    """Name those whose preferences a source holds, as the object of a sentence."""
    return name_people(source.study, source.aspect, adjudicated=source.adjudicated)


def show_stopping_of(context: Context) -> None:
    """Show what the study's stopping rule says, where it has one."""
    if context.source.study is not None and context.version.in_drawn_order:
        sentence = say_stopping(open_stores().annotation.study(context.source.study))
        st.markdown(in_markdown(sentence or ""))


def show_agreement_chart(result: AgreementResult, context: Context, rule: str = "half") -> Any:
    """Chart each metric's agreement as a dot with its interval; a click opens the metric's contradictions.

    Without leaders, all dots are alike.
    """
    people = getattr(result.ceiling.agreement, rule) if result.ceiling else None
    rivals = None if result.leaders is None else [rival.row.metric for rival in result.leaders.rivals]
    rows = without_scarce(result.agreement)
    described = "; ".join(
        f"{row.metric} {value:.3f}" for row in rows if (value := getattr(row.evaluation.agreement, rule)) is not None
    )
    event = show_chart(
        agreement_chart(rows, rule, people, rivals=rivals, name=name_people_of(context.source)),
        "agreement",
        f"Agreement of metrics with people: {described}. Chance is 0.5.",
        on_select="rerun",
        selection_mode="metric",
    )
    if clicked := event.selection.get("metric"):
        st.switch_page(
            "examples.py",
            query_params={**context.address, "show": "against", "metric": clicked[0]["metric"]},
        )
    return event


def say_too_little(wanting: Wanting, context: Context) -> None:
    """Say why no metric is called the best, and where to go."""
    st.header(TOO_LITTLE, anchor=False)
    st.markdown(in_markdown(write_wanting(wanting, context.source.unit)))
    st.page_link("agreement.py", label="Agreement in detail", icon=":material/bar_chart:")


def say_nothing_to_count(context: Context) -> None:
    """Say why there are no figures, and where to go."""
    source = context.source
    if source.study is not None and not context.counts.entries:
        st.info("Nobody has judged a pair of this study yet.")
        st.page_link("annotate.py", label="Judge pairs", icon=":material/arrow_forward:")
    elif source.study is None and source.aspect is None:
        st.info("Nobody has judged or rated these summaries yet. A study asks annotators.")
        st.page_link("new_study.py", label="New study", icon=":material/arrow_forward:")
    elif not context.counts.listed:
        st.info("These pairs are too many to be listed. All figures count them.")
        st.page_link("agreement.py", label="Agreement in detail", icon=":material/arrow_forward:")
    elif not context.counts.entries:
        st.info("No document has two rated summaries, so there are no pairs to compare.")
        st.page_link("new_study.py", label="New study", icon=":material/arrow_forward:")
    elif context.counts.signatures:
        st.info("No pair that people decide has scores by a metric.")
        st.page_link("agreement.py", label="Agreement in detail", icon=":material/arrow_forward:")
    else:
        say_no_scores()


def say_no_scores() -> None:
    """Say that there are no scores, and where to compute them."""
    st.info("These summaries have no scores yet.")
    st.page_link("datasets.py", label="Score them under Data sets", icon=":material/arrow_forward:")
