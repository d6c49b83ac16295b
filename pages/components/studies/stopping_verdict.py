"""The stopping rule of a study: its verdict, the wealth after each document, and what was registered."""

import streamlit as st

from relevance.analysis.agreement.sequential import SequentialAnalysis
from relevance.annotation.records import Study
from relevance.data.one_line import in_one_line
from relevance.metrics.registry import label_of
from relevance.pages.components.shared.charts import show_chart
from relevance.pages.components.shared.result_table import show_result_table
from relevance.pages.components.shared.stopping_rule import follow_stopping
from relevance.reports.escaping import in_markdown
from relevance.reports.stopping import describe_stopping, name_metrics
from relevance.reports.stopping_charts import difference_chart, wealth_chart
from relevance.reports.tables.stopping import sequential_table


def show_stopping(study: Study) -> None:
    """Show the rule's verdict, how it was reached, and what was registered before the first judgment."""
    analysis = follow_stopping(study)
    if analysis is None:
        st.info("The study has no stopping rule.")
        return
    sentences = describe_stopping(analysis, label_of)
    verdict, _, why = sentences.partition(": ")
    st.subheader(in_markdown(verdict), anchor=False)
    st.markdown(in_markdown(f"{why[0].upper()}{why[1:]}"))
    if len(analysis.places):
        show_chart(wealth_chart(analysis), "wealth", sentences)
        st.caption(
            "The wealth of somebody who bets that the two differ. If they do not, it reaches the line in at most "
            f"{analysis.test.alpha:.0%} of studies, however often one looks."
        )
        show_chart(difference_chart(analysis, label_of), "difference", sentences)
        st.caption(
            "The difference, and a range that in "
            f"{1 - analysis.test.alpha:.0%} of studies contains the true difference at every look."
        )
    st.markdown(describe_rule(analysis))
    with st.expander("All figures"):
        show_result_table(sequential_table(analysis, label_of))


def describe_rule(analysis: SequentialAnalysis) -> str:
    """Return what was registered, in Markdown."""
    first, second = name_metrics(analysis, label_of)
    facts = {
        "Compared": f"{in_one_line(first)} with {'one half' if second is None else in_one_line(second)}",
        "alpha": f"{analysis.test.alpha:g}",
        "Documents at most": f"{analysis.drawn:,}",
    }
    return "**Registered before the first judgment**\n\n" + "\n".join(
        f"- {name}: {in_markdown(fact)}" for name, fact in facts.items()
    )
