"""Correlation of metrics with people, with length, with ROUGE-K and with each other."""

from functools import partial
from typing import Any, NamedTuple, cast

import streamlit as st

from relevance.analysis.correlation.coefficients import METHODS, Method
from relevance.analysis.correlation.permuted import Permute
from relevance.analysis.correlation.resampled import Resample
from relevance.analysis.metrics_and_people import LEVELS
from relevance.analysis.study import WON
from relevance.annotation.demo import MADE_UP
from relevance.data.signatures import references_rule
from relevance.data.wording import format_count
from relevance.pages.components.examples.texts import EXAMPLE_STYLE, show_example
from relevance.pages.components.results.correlation import (
    POINTS,
    Correlated,
    Outline,
    compare_metrics,
    correlate,
    find_discrepancies,
    find_points,
    outline_correlations,
    scores_of_summary,
)
from relevance.pages.components.results.findings import say_no_scores
from relevance.pages.components.shared.charts import show_chart
from relevance.pages.components.shared.context import Context, ask_context
from relevance.pages.components.shared.notices import explain_texts
from relevance.pages.components.shared.result_table import show_result_table
from relevance.pages.components.shared.sources import describe_source
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.correlation_charts import correlation_chart, correlation_heatmap, get_level, scatter
from relevance.reports.tables.correlation import (
    COEFFICIENTS,
    LEVEL_NAMES,
    PERMUTATION_TESTS,
    TERMS,
    correlation_test_table,
)
from relevance.reports.tables.registry import finish_table
from relevance.reports.tables.table import Table, Undefined

BY_LEVEL = "by level"


class CorrelationChoice(NamedTuple):
    """The correlations to show."""

    context: Context
    method: Method
    level: str
    resample: Resample | None


def main() -> None:
    """Ask what to correlate, and show the results."""
    st.title("Correlation")
    st.html(EXAMPLE_STYLE)
    context = ask_context(judged=False)
    choice = ask(context)
    outline = outline_correlations(context)
    layout = outline.layout
    say_what_is_shown(context, outline)
    if not outline.signatures:
        say_no_scores()
        st.stop()
    explain_texts(context.version.dataset, outline.signatures)
    shown: dict[str, Any] = {
        "Summaries": show_summaries,
        "With people": show_people if layout.human else None,
        "With length": partial(show_correlations, "length") if layout.length else None,
        "With ROUGE-K": show_rouge_k if layout.rouge_k else None,
        "With each other": show_matrix if layout.matrix else None,
    }
    there = {name: show for name, show in shown.items() if show is not None}
    for tab, show in zip(st.tabs(list(there), key="section"), there.values(), strict=True):
        with tab:
            show(choice)


# --- what is correlated -------------------------------------------------------------------------------------


def ask(context: Context) -> CorrelationChoice:
    """Ask for the coefficient, the level and the intervals."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = st.segmented_control(
            "Coefficient",
            METHODS,
            default="pearson",
            key="method",
            required=True,
            format_func=lambda method: COEFFICIENTS[method],
        )
        level = st.segmented_control(
            "Level",
            LEVELS,
            default="global",
            key="level",
            required=True,
            format_func=lambda level: LEVEL_NAMES[level],
            help="Pooled: all summaries together. Within documents: the mean of each document's coefficient, called "
            "summary level in papers. System level: of the systems' means.",
        )
        with st.popover("Intervals", icon=":material/tune:", key="intervals"):
            drawn = st.segmented_control(
                "Intervals draw",
                [BY_LEVEL, "documents", "systems", "both"],
                default=BY_LEVEL,
                key="resample",
                required=True,
                help="Intervals hold for what they draw anew: documents, systems or both. By level: documents for "
                "pooled and within documents, documents and systems for the system level.",
            )
    return CorrelationChoice(context, method, level, None if drawn == BY_LEVEL else cast(Resample, drawn))


def compare_two(choice: CorrelationChoice, first: str, second: str, permute: Permute | None) -> Table:
    """Compare two metrics by their correlation with people.

    By Pearson's r all metrics are compared, for Holm's correction.
    """
    context, method = choice.context, choice.method
    layout = outline_correlations(context).layout
    people, metrics = layout.human[0][0], layout.metrics
    among = tuple(metrics) if method == "pearson" else (first, second)
    rows = [
        row
        if row.first == first or row.test.difference is None
        else row._replace(first=first, second=second, test=row.test._replace(difference=-row.test.difference))
        for row in compare_metrics(context, method, among, permute)
        if {row.first, row.second} == {first, second}
    ]
    table = correlation_test_table(rows, people, method, TERMS)
    if method == "pearson":
        return table
    alone = "only this comparison was made"
    return table._replace(rows=[{**row, "p (Holm)": Undefined(alone)} for row in table.rows])


# --- what is shown ------------------------------------------------------------------------------------------


def say_what_is_shown(context: Context, outline: Outline) -> None:
    """Say how many summaries are rated, and which human figures their scores are compared with."""
    st.markdown(describe_source(context.source, context.counts))
    if context.version.judges:
        st.caption("Language models that judge give verdicts on pairs and no scores, so they have no correlations.")
    human = context.source.human
    if human is None:
        return
    of = f"{format_count(outline.rated, 'summary', 'summaries')} of {outline.summaries:,}"
    if human == WON:
        judgments = "made-up judgments" if context.source.study == MADE_UP else "judgments"
        st.caption(f"Scores are compared with the share of {judgments} that a summary won: {of} were judged.")
    elif outline.rated < outline.summaries:
        st.caption(f"{of} are rated.")


def show_people(choice: CorrelationChoice) -> None:
    """Show the correlation of metrics with people, and whether one correlates better than another."""
    show_correlations("human", choice)
    metrics = [metric for _, metric in outline_correlations(choice.context).layout.human]
    if len(metrics) > 1:
        with st.expander("Does one metric correlate better than another?", icon=":material/compare_arrows:"):
            show_test(choice, metrics)


def show_correlations(table: str, choice: CorrelationChoice) -> None:
    """Show the correlation of metrics with one other column: a chart of the chosen level, and the table."""
    pairs = getattr(outline_correlations(choice.context).layout, table)
    by_level = sort_by_level(correlate(choice.context, table, choice.method, choice.resample), choice.level)
    other = pairs[0][0] if table == "human" else pairs[0][1]
    show_chart(
        correlation_chart(by_level.rows, choice.level, other),
        f"correlation_{table}",
        f"Correlation of metrics with {other}, {LEVEL_NAMES[choice.level]}; the table below has the same figures.",
    )
    show_result_table(say_constants(by_level.table), height="content")


def sort_by_level(correlated: Correlated, level: str) -> Correlated:
    """Sort rows by their coefficient at a level, the highest first, and undefined ones last."""
    coefficients = [get_level(row.levels, level).r for row in correlated.rows]
    order = sorted(range(len(correlated.rows)), key=lambda at: (coefficients[at] is None, -(coefficients[at] or 0)))
    rows = [correlated.table.rows[at] for at in order]
    return Correlated([correlated.rows[at] for at in order], correlated.table._replace(rows=rows))


def say_constants(table: Table) -> Table:
    """Return the table without columns that are the same in all rows; a note says what they hold."""
    if not table.rows:
        return table
    constant = {
        name: cell
        for name, cell in table.rows[0].items()
        if isinstance(cell, str | int) and len(table.rows) > 1 and all(row[name] == cell for row in table.rows)
    }
    names = {name: name for name in table.rows[0] if name not in constant}
    if len(constant.keys() & {"first", "second"}) == 1:  # metrics with one other column
        names = {name: "metric" if name in {"first", "second"} else name for name in names}
    constant = {"with" if name in {"first", "second"} else name: cell for name, cell in constant.items()}
    constants = "; ".join(
        f"{name}: {cell:,}" if isinstance(cell, int) else f"{name}: {cell}" for name, cell in constant.items()
    )
    notes = [f"In all rows: {constants}."] if constant else []
    return table.select(names)._replace(notes=[*notes, *table.notes])


def show_test(choice: CorrelationChoice, metrics: list[str]) -> None:
    """Ask for two metrics and a test, and show whether one correlates better with people."""
    with st.container(horizontal=True):
        first = st.selectbox("First metric", metrics, key="tested_first")
        other = st.selectbox("Second metric", [m for m in metrics if m != first], key="tested_second")
        permute = st.segmented_control(
            "Test",
            [BY_LEVEL, *PERMUTATION_TESTS],
            default=BY_LEVEL,
            format_func=lambda name: PERMUTATION_TESTS.get(name, name),
            key="permute",
            required=True,
            help="A test holds for new systems, new documents (inputs) or both: whichever it swaps as a whole. "
            "By level: both for the pooled coefficient, documents within documents, systems for the system level. "
            "PERM-BOTH swaps each summary by itself and takes systems and documents as fixed.",
        )
    table = compare_two(choice, first, other, None if permute == BY_LEVEL else cast(Permute, permute))
    show_result_table(finish_table(table, outline_correlations(choice.context).about), height="content")


def show_rouge_k(choice: CorrelationChoice) -> None:
    """Show metrics with ROUGE-K, and on how many pairs they differ; offer to add ROUGE by the mean over references."""
    show_correlations("rouge_k", choice)
    st.markdown("**On how many pairs do ROUGE-K and another metric disagree?**")
    show_result_table(find_discrepancies(choice.context), height="content")
    if any(references_rule(signature) == "mean" for signature in outline_correlations(choice.context).signatures):
        return
    st.caption("The paper's table has ROUGE by the mean and by the maximum over references.")
    if st.button("Score ROUGE by the mean over references, too", key="score_mean"):
        from relevance.metrics import make_metrics
        from relevance.metrics.scoring import score_dataset

        with st.spinner("Scoring", show_time=True):
            by_mean = make_metrics(["rouge1", "rouge2", "rougeL"], references="mean")
            score_dataset(open_stores().data, choice.context.source.dataset, by_mean)
        st.rerun()


def show_matrix(choice: CorrelationChoice) -> None:
    """Show the correlation of each pair of metrics."""
    rows = correlate(choice.context, "matrix", choice.method, choice.resample)
    show_chart(
        correlation_heatmap(rows.rows, choice.level),
        "correlation_matrix",
        f"Correlation of each pair of metrics, {LEVEL_NAMES[choice.level]}; the table below has the same figures.",
    )
    show_result_table(say_constants(rows.table), height="content")


# --- summary by summary -------------------------------------------------------------------------------------


def show_summaries(choice: CorrelationChoice) -> None:
    """Plot two columns against each other, a point for each summary, which opens when clicked."""
    layout = outline_correlations(choice.context).layout
    names, human = list(layout.columns), layout.human
    with st.container(horizontal=True):
        x = st.selectbox("x axis", names, index=len(names) - 1 if human else 0, key="x")
        y = st.selectbox("y axis", names, index=0 if human else min(1, len(names) - 1), key="y")
    points = find_points(choice.context, x, y)
    drawn, r = points.drawn, points.r
    if drawn.empty:
        st.info("No summary has both.")
        return
    described = f"{points.total:,} summaries by {x} and {y}" + ("" if r is None else f"; Pearson's r is {r:.3f}")
    event = show_chart(scatter(drawn, x, y, r), "summaries", described, on_select="rerun", selection_mode="point")
    st.caption(
        f"{points.total:,} summaries have both"
        + (f"; {POINTS:,} of them are drawn, chosen at random with seed 0" if len(drawn) < points.total else "")
        + (". Summaries that share a value are drawn a little apart" if points.spread else "")
        + ". Click a point to open its example."
    )
    if selected := event.selection.get("point"):
        show_summary(choice.context, selected[0]["document"], selected[0]["system"])


def show_summary(context: Context, document: str, system: str) -> None:
    """Show one summary with its scores, if it still exists."""
    scores = scores_of_summary(context, document, system)
    if scores is None:
        return
    show_example(context.source.dataset, document, [system])
    st.dataframe(
        scores,
        hide_index=True,
        column_config={"value": st.column_config.NumberColumn(format="%.3f")},
        placeholder="",
        key=f"scores:{document}:{system}",
    )


main()
