"""The report on what a page of results shows, made and downloaded there, and the paragraph on methods to copy."""

from dataclasses import replace

import streamlit as st

from relevance.analysis.study import Results
from relevance.annotation.results import pseudonyms
from relevance.annotation.study_data import read_study, rename_annotators, without_names
from relevance.bundles.changes import describe_registration
from relevance.pages.components.shared.context import Context
from relevance.pages.components.shared.records import records_of
from relevance.pages.components.shared.stores import open_stores, version_of
from relevance.pages.computing.computed import computed
from relevance.reports.html_report import report_html
from relevance.reports.methods import ratings_methods, sources, study_methods
from relevance.reports.presentation import READER_NAMES, Presentation
from relevance.reports.report.study import describe_ratings, describe_study, with_warnings
from relevance.reports.report.system_figures import add_system_figures
from relevance.reports.report.texts import with_marked_words
from relevance.summarizers.registry import baselines_among

MADE = "report_made"
"""Session key: the source, by its address, whose report somebody asked for."""


def offer_report(context: Context) -> None:
    """Make the report when asked, and offer it with the paragraph on methods and the works to cite."""
    with st.expander("Report, methods and citation", icon=":material/description:"):
        st.caption("All tables and charts in one HTML file: first what was found, then how, then the tables.")
        of = str(context.source.address)
        if st.button("Make the report", icon=":material/description:", key=f"report:{of}"):
            st.session_state[MADE] = of
        if st.session_state.get(MADE) != of:
            return
        source = context.source
        decided = 0 if source.study is None else open_stores().adjudication.version(source.study)
        html, methods, cited = make_report(context, decided)
        name = source.study or f"{source.dataset} {source.aspect}"
        name += " adjudicated" if source.adjudicated else ""
        st.download_button(
            "Download the report", html, file_name=f"{name} report.html", key="report", on_click="ignore"
        )
        st.markdown("**Methods**")
        st.code(methods, language=None, wrap_lines=True)
        st.markdown("**To cite**")
        st.code("\n".join(cited), language=None, wrap_lines=True)


@computed("Computing all tables, with intervals and tests", kept=8)
def make_report(context: Context, decided: int) -> tuple[str, str, list[str]]:
    """Return the report as HTML, the paragraph on methods, and the works to cite.

    `decided` grows with adjudicators' decisions.
    """
    source, stores = context.source, open_stores()
    dataset = context.version.dataset
    inputs = context.analyze_cells(baselines=baselines_among(context.version.systems)).inputs
    if source.study is not None:
        study = read_study(stores.data, stores.annotation, source.study, adjudicated=source.adjudicated)
        called = pseudonyms(annotator.annotator for annotator in study.annotators)
        study = without_names(study)
        inputs = replace(inputs, checks=study.checks, complete=study.complete)
        if not source.adjudicated:
            inputs = replace(inputs, preferences=rename_annotators(inputs.preferences, called))
    results = Results(inputs)
    shown = Presentation(results, READER_NAMES)
    if source.study is not None:
        report, methods = describe_study(study, shown), study_methods(study, results)
    else:
        aspect = source.aspect or ""
        report, methods = describe_ratings(dataset, aspect, shown), ratings_methods(dataset, aspect, results)
    report = add_system_figures(report, records_of(dataset.name, version_of(dataset)), stores.data, dataset.name)
    report = with_warnings(report, stores.data, dataset.name)
    if source.study is not None:
        report = with_marked_words(report, stores.data, stores.annotation, source.study)
        report = report.with_facts(describe_registration(stores.data, stores.annotation, source.study))
    return report_html(report, methods), methods, sources(results)
