"""Which metric agrees with people on every data set that is here."""

import streamlit as st

from relevance.analysis.corpora import count_leading, list_columns, rank_corpora
from relevance.data.one_line import in_one_line
from relevance.data.signatures import is_length, labels
from relevance.metrics.registry import label_of
from relevance.pages.components.results.corpora import compare_corpora, list_sources
from relevance.pages.components.shared.charts import show_chart
from relevance.pages.components.shared.result_table import show_result_table
from relevance.reports.corpora_chart import corpora_chart
from relevance.reports.escaping import in_markdown
from relevance.reports.tables.corpora import corpora_table, describe_unscored, write_shares

BY_NAME = "name"  # the order of the data sets as they are called


ROW, AROUND = 26, 245  # the pixels of a row of the chart, and of what stands above and below


def name_metric(name: str) -> str:
    """Return what a metric, or a language model that judges, is called in a list."""
    return in_one_line(label_of(name))


def main() -> None:
    """Ask for metrics and an order, and show their agreement with people on every data set."""
    st.title("Corpora")
    st.markdown(
        "How often each metric agrees with people, on every data set that people judged or rated. Each stands by "
        "itself: nothing is pooled."
    )
    judged = list_sources()
    names = [*dict.fromkeys(name for corpus in judged for name in corpus.metrics)]
    if not names:
        st.info("No data set here has both: what people said, and scores.")
        st.page_link("datasets.py", label="Import judgments, or score a data set", icon=":material/database:")
        st.stop()
    with st.container(horizontal=True):
        metrics = st.multiselect("Metrics", names, key="corpora_metrics", format_func=name_metric, placeholder="All")
        compared = compare_corpora(judged, tuple(metrics))
        corpora = [corpus for _, corpus in compared]
        columns = labels(list_columns(corpora), label_of)
        leading = [standing.signature for standing in count_leading(corpora) if not is_length(standing.signature)]
        orders = [*dict.fromkeys([*leading, *columns]), BY_NAME]
        order = st.selectbox(
            "Sorted by",
            orders,
            key="corpora_order",
            format_func=lambda column: "Name" if column == BY_NAME else f"Agreement of {in_one_line(columns[column])}",
        )
    shown = {source for source, _ in compared}
    if unscored := {corpus.source.dataset for corpus in judged if corpus.source not in shown}:
        notice = describe_unscored(sorted(unscored), [*map(name_metric, metrics)])
        st.caption(in_markdown(f"{notice[0].upper()}{notice[1:]}."))
    if order != BY_NAME:
        compared = [compared[place] for place in rank_corpora(corpora, order)]
        corpora = [corpus for _, corpus in compared]
    with st.container(height=AROUND + ROW * len(corpora), border=False):  # in which many panels can be scrolled
        show_chart(corpora_chart(corpora, columns), "corpora", write_shares(corpora, columns), width="content")
    st.caption("Lines are 95 % intervals, upright marks people among themselves; the dashed line is chance.")
    st.caption("Choose a row to open its Overview.")
    event = show_result_table(
        corpora_table(corpora, columns), height="content", on_select="rerun", selection_mode="single-row"
    )
    if event is not None and (rows := event.selection.rows):
        st.switch_page("overview.py", query_params=compared[rows[0]][0].address)


main()
