"""Two studies, data sets or judges side by side: with which each metric agrees more often, and where they part."""

from typing import Any

import streamlit as st

from relevance.analysis.two_sources import BothSources, TwoSources
from relevance.data.signatures import distinct, labels
from relevance.data.wording import format_count
from relevance.metrics.registry import label_of
from relevance.pages.components.compare.choice import SourcePair, ask_sources, choose_pairs
from relevance.pages.components.compare.compared import compare_two
from relevance.pages.components.compare.parting import show_opposite
from relevance.pages.components.shared.charts import show_chart
from relevance.pages.components.shared.context import Context
from relevance.pages.components.shared.messages import show_messages
from relevance.pages.components.shared.result_table import show_result_table
from relevance.reports.escaping import in_markdown
from relevance.reports.tables.two_sources import two_sources_table
from relevance.reports.two_sources import write_both, write_differences, write_headline, write_people, write_rivals
from relevance.reports.two_sources_chart import two_sources_chart


def main() -> None:
    """Ask for two sources of preferences, and compare them."""
    st.title("Compare")
    st.markdown(
        "Two studies, two data sets, or two who judged, such as people and a language model: with which of them does "
        "each metric agree more often?"
    )
    show_messages()
    sources = ask_sources()
    if sources is None:
        say_only_one()
        st.stop()
    comparison, shared = compare_two(sources)
    show_finding(comparison, sources, shared=shared)
    if not comparison.rows:
        st.page_link("datasets.py", label="Score both by the same metrics", icon=":material/database:")
    else:
        show_figures(comparison, sources)
    if comparison.both is not None:
        show_opposite(sources, comparison.rows[0].metric if comparison.rows else None)


def show_finding(comparison: TwoSources, sources: SourcePair, *, shared: bool) -> None:
    """Say what was found, and of which pairs."""
    first, second = sources.names
    st.header(in_markdown(write_headline(comparison, first, second)), anchor=False)
    sentences = [write_differences(comparison, first, second), write_rivals(comparison, first, second)]
    st.markdown(in_markdown(" ".join(filter(None, sentences))))
    st.markdown(in_markdown(f"{write_both(comparison, first, second)} {write_people(comparison, first, second)}"))
    if comparison.both is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            choose_pairs(shared=shared)
            st.caption(in_markdown(describe_pairs(comparison.both, sources, shared=shared)))


def describe_pairs(both: BothSources, sources: SourcePair, *, shared: bool) -> str:
    """Say on which pairs the two are compared."""
    of_first, of_second = (context.counts.pairs for context in (sources.first, sources.second))
    if shared:
        return f"Compared on the {format_count(both.pairs, 'pair')} that both have, of {of_first:,} and {of_second:,}."
    few = "" if sources.pairs else f"Both have only {format_count(both.pairs, 'pair')} in common. "
    return (
        f"{few}All pairs of each count, {of_first:,} and {of_second:,}: a difference may come from the pairs, not from "
        "those who judged."
    )


def show_figures(comparison: TwoSources, sources: SourcePair) -> None:
    """Show the chart, and the table with the same figures."""
    event = show_chart(
        two_sources_chart(comparison, sources.names),
        "compare",
        describe_chart(comparison, sources.names),
        on_select="rerun",
        selection_mode="mark",
    )
    open_clicked(event, sources)
    stars = " * Significantly more often with one than with the other." if comparison.parting else ""
    st.caption(
        f"Marks: agreement; lines: 95 % intervals.{stars} Click a mark to see the pairs that the metric gets wrong."
    )
    offer_examples(comparison, sources)
    rules = sources.first.version.rule, sources.second.version.rule
    show_result_table(two_sources_table(comparison, sources.names, rules), height="content", key="two_sources")


def offer_examples(comparison: TwoSources, sources: SourcePair) -> None:
    """Offer the pairs that the metric of the largest difference gets wrong by each source, but for models."""
    row = comparison.rows[0]
    with st.container(horizontal=True):
        for context, name in zip((sources.first, sources.second), sources.names, strict=True):
            if context.source.model is None:
                st.page_link(
                    "examples.py",
                    label=f"Pairs that {in_markdown(row.metric)} gets wrong by “{in_markdown(name)}”",
                    icon=":material/search:",
                    query_params=address_of_wrong(context, row.signature),
                )


def open_clicked(event: Any, sources: SourcePair) -> None:
    """Open the pairs that a metric gets wrong by the source whose mark was clicked; models have no such list."""
    if not (clicked := event.selection.get("mark")):
        return
    context = sources.first if clicked[0]["source"] == "first" else sources.second
    if context.source.model is None:
        st.switch_page("examples.py", query_params=address_of_wrong(context, clicked[0]["signature"]))


def address_of_wrong(context: Context, signature: str) -> dict[str, str]:
    """Return the address of the pairs that a metric gets wrong by a source, which may call it by another label."""
    named = labels(distinct(context.counts.signatures), label_of)
    return {**context.source.address, "show": "against", "metric": named[signature]}


def describe_chart(comparison: TwoSources, names: tuple[str, str]) -> str:
    """Say in words what the chart shows."""
    notes = "; ".join(
        f"{row.metric} {row.first.agreement.half:.3f} and {row.second.agreement.half:.3f}"
        for row in comparison.rows
        if row.first.agreement.half is not None and row.second.agreement.half is not None
    )
    return f"Agreement of metrics with {names[0]} and with {names[1]}: {notes}. Chance is 0.5."


def say_only_one() -> None:
    """Say what a comparison takes, and where to get it."""
    st.info(
        "A comparison takes two: two studies, two kinds of ratings, two data sets that were judged or rated, or people "
        "and a language model that judged the same study."
    )
    with st.container(horizontal=True):
        st.page_link("new_study.py", label="New study", icon=":material/add_circle:")
        st.page_link("datasets.py", label="Import judgments or ratings", icon=":material/upload_file:")


main()
