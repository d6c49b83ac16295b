"""How far the annotators of a study agree with each other, computed once for all sessions."""

import streamlit as st

from relevance.analysis.study import Inputs, Results
from relevance.annotation.demo import MADE_UP
from relevance.annotation.records import Study
from relevance.annotation.sampling import GIVEN
from relevance.data.wording import format_count
from relevance.pages.components.shared.result_table import show_result_table
from relevance.pages.components.shared.sources import Counts, Source, Version, count_source, preferences_of
from relevance.pages.computing.computed import computed
from relevance.reports.escaping import in_markdown
from relevance.reports.presentation import Presentation
from relevance.reports.tables.registry import make_tables
from relevance.reports.tables.table import Table

OF_PAIRS = ("reliability", "cohen")
"""The tables that need pairs with two judgments."""


def show_annotators_agreement(study: Study) -> None:
    """Show the tables about a study's annotators, or say what their agreement would take."""
    source = Source(study.dataset, study=study.name)
    version = source.read_version()
    counts = count_source(source, version)
    st.header("Agreement between annotators", anchor=False)
    st.markdown(describe_judgments(study.name, counts))
    if not counts.entries:
        st.info("No judgments yet: every figure is undefined.")
        st.page_link("annotate.py", label="Judge pairs", icon=":material/rule:", query_params={"study": study.name})
        return
    twice = counts.entries > counts.pairs
    if not twice:
        say_nobody_twice(study)
    for name, table in analyze_annotators(source, version, (*(OF_PAIRS if twice else ()), "position")).items():
        if name != "reliability":  # its title is the heading above
            st.subheader(in_markdown(table.title), anchor=False)
        show_result_table(table)


def say_nobody_twice(study: Study) -> None:
    """Say that no pair has two judgments, and how a study gets them."""
    if study.rule == GIVEN:
        st.info("No pair was judged by two annotators, so nothing can be said of their agreement.")
    elif study.judgments_wanted > study.pairs:
        st.info(
            f"No pair has been judged by two annotators yet, so nothing can be said of their agreement. Judgments that "
            f"the study wants per pair: {study.judgments_per_pair}{study.about_twice}. Invite another annotator."
        )
    elif study.can_judge_twice:
        st.info(
            "No pair was judged by two annotators, so nothing can be said of their agreement: the study asks for 1 "
            "judgment per pair. On its page, under Design, two people can be asked about a part of the pairs."
        )
        st.page_link("studies.py", label="Studies", icon=":material/tune:", query_params={"study": study.name})
    else:
        st.info(
            "No pair was judged by two annotators, so nothing can be said of their agreement: the study asks for 1 "
            "judgment per pair. Ask for 2 judgments per pair in a new study of this data set."
        )
        st.page_link(
            "new_study.py", label="New study", icon=":material/add_circle:", query_params={"dataset": study.dataset}
        )


def describe_judgments(study: str, counts: Counts) -> str:
    """Say how many judgments there are, and of how many annotators, as Markdown."""
    judgments = format_count(counts.entries, "made-up judgment" if study == MADE_UP else "judgment")
    left_out = f" {counts.left_out}." if counts.left_out else ""
    people = format_count(len(counts.annotators), "annotator")
    return f"**{judgments}** of {format_count(counts.pairs, 'pair')} by {people}.{left_out}"


@computed("Counting", kept=32)
def analyze_annotators(source: Source, version: Version, names: tuple[str, ...]) -> dict[str, Table]:
    """Make tables of annotators' agreement, by name; done anew when a judgment is made or changed."""
    return make_tables(names, Presentation(Results(Inputs(preferences_of(source, version)))))
