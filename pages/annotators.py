"""The agreement of annotators with each other, and how each of them judges."""

import streamlit as st

from relevance.annotation.demo import MADE_UP
from relevance.pages.components.results.annotators import analyze_annotators
from relevance.pages.components.shared.context import ask_study
from relevance.pages.components.shared.sources import Counts, Source, count_source
from relevance.pages.components.shared.tables import show_result_table
from relevance.reports.escaping import format_count, in_markdown


def main() -> None:
    """Ask for a study, and show the tables about its annotators."""
    st.title("Annotators")
    study = ask_study()
    source = Source(study.dataset, study=study.name)
    version = source.read_version()
    counts = count_source(source, version)
    say_what_is_shown(study.name, counts)
    if not counts.entries:
        st.info("No judgments yet: every figure is undefined.")
        st.page_link("annotate.py", label="Annotate", icon=":material/arrow_forward:")
        st.stop()
    for name, table in analyze_annotators(source, version).items():
        st.header("Each annotator" if name == "annotators" else in_markdown(table.title), anchor=False)
        show_result_table(table)


def say_what_is_shown(study: str, counts: Counts) -> None:
    """Say how many judgments there are, and of how many annotators."""
    judgments = "made-up judgments" if study == MADE_UP else "judgments"
    left_out = f" {counts.left_out}." if counts.left_out else ""
    people = format_count(len(counts.annotators), "annotator")
    st.markdown(f"**{counts.entries} {judgments}** of {format_count(counts.pairs, 'pair')} by {people}.{left_out}")


main()
