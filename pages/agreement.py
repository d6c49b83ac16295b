"""The agreement of metrics with people on which summary is better (Table 3 of the ROUGE-K paper, live)."""

from collections.abc import Callable, Sequence

import streamlit as st

from relevance.analysis.agreement.counts import Rule
from relevance.analysis.leaders import without_scarce
from relevance.data.one_line import in_one_line
from relevance.data.preferences import Preferences
from relevance.pages.components.datasets.progress import watch_scoring
from relevance.pages.components.examples.texts import EXAMPLE_STYLE, pair_scores, show_example
from relevance.pages.components.results.agreement import (
    AgreementChoice,
    AgreementResult,
    analyze_agreement_by,
    analyze_raters,
    find_contradictions,
)
from relevance.pages.components.results.findings import say_nothing_to_count, show_agreement_chart
from relevance.pages.components.shared.charts import show_chart
from relevance.pages.components.shared.context import Context, ask_context
from relevance.pages.components.shared.keywords import explain_keywords
from relevance.pages.components.shared.messages import show_messages
from relevance.pages.components.shared.notices import explain_texts
from relevance.pages.components.shared.result_table import show_result_table
from relevance.pages.components.shared.sources import describe_source
from relevance.reports.agreement_charts import comparison_chart, difference_chart
from relevance.reports.escaping import in_markdown
from relevance.reports.tables.agreement import short_agreement_table

JUDGMENT, MAJORITY = "per judgment", "by majority"

# How a metric's tie counts, by rule.
RULES: dict[Rule, str] = {"half": "counts half", "strict": "is a miss", "decided": "is left out"}


def main() -> None:
    """Ask what to compare, and show the results."""
    st.title("Agreement")
    show_messages()
    st.html(EXAMPLE_STYLE)
    context = ask_context()
    watch_scoring(context.source.dataset)
    choice = ask(context)
    agreement, counts = analyze_agreement_by(choice), context.counts
    left = agreement.counts
    shown = left._replace(left_out=counts.left_out) if choice.filtered else counts
    st.markdown(describe_source(context.source, shown) + (" *Filtered.*" if choice.filtered else ""))
    explain_keywords(context.version.dataset, context.version.signatures)
    explain_texts(context.version.dataset, [signature.signature for signature in context.version.signatures])
    if not agreement.agreement.rows or not left.entries:
        if counts.entries and not left.entries:
            st.info("The filters leave nothing to count.")
        else:
            say_nothing_to_count(context)
        st.stop()
    shows: dict[str, Callable[[], object]] = {
        "Metrics with people": lambda: show_agreement(agreement, choice),
        "Metric against metric": lambda: show_comparisons(agreement),
        "By difference": lambda: show_differences(agreement),
        "Contradictions": lambda: show_contradictions(choice),
    }
    if "position" in agreement.tables:
        shows["Position"] = lambda: show_result_table(agreement.tables["position"])
    if context.source.aspect in (context.version.dataset.annotated or ()):
        shows["Annotators"] = lambda: show_raters(context)
    if "judges" in agreement.tables:
        shows["Judges"] = lambda: show_judges(agreement, choice)
    for tab, show in zip(st.tabs(list(shows), key="section"), shows.values(), strict=True):
        with tab:
            show()


# --- what is compared ---------------------------------------------------------------------------------------


def ask(context: Context) -> AgreementChoice:
    """Ask for filters, and for how ties count."""
    source, counts = context.source, context.counts
    unit = JUDGMENT
    with st.popover("Filters and rules", icon=":material/filter_alt:", key="filters"):
        rule = st.segmented_control(
            "A metric's tie", list(RULES), default="half", key="rule", required=True, format_func=lambda r: RULES[r]
        )
        if source.several:
            unit = st.segmented_control("Unit", [JUDGMENT, MAJORITY], default=JUDGMENT, key="unit", required=True)
        wanted_people = (
            st.multiselect(
                "Annotators", counts.annotators, format_func=in_one_line, key=f"people:{source.study or source.name}"
            )
            if counts.annotators and not source.adjudicated
            else []
        )
        wanted_systems = st.multiselect(
            "Systems", counts.systems, format_func=in_one_line, key=f"systems:{source.dataset}:{source.name}"
        )
        few = counts.listed or bool(wanted_systems)
        decided = st.checkbox("Only pairs that all metrics and people decide", key="decided", disabled=not few)
        st.caption("Nothing chosen: all annotators, all systems.")
    wanted = tuple(wanted_people), tuple(wanted_systems)
    return AgreementChoice(context, *wanted, decided and few, unit == MAJORITY, rule)


# --- what is shown ------------------------------------------------------------------------------------------


def show_agreement(result: AgreementResult, choice: AgreementChoice) -> None:
    """Show the chart, the figures that most readers want, and all others behind Details."""
    if any(getattr(row.evaluation.agreement, choice.rule) is not None for row in result.agreement.rows):
        show_agreement_chart(result, choice.context, choice.rule)
    table = result.tables["agreement"]
    short = short_agreement_table(table, result.agreement, choice.rule)
    show_result_table(short, height="content", key="agreement:short")
    with st.expander("Details: all rules, counts and signatures"):
        st.markdown(f"**{in_markdown(table.title)}**")
        show_result_table(table)


def show_comparisons(result: AgreementResult) -> None:
    """Compare each pair of metrics."""
    if result.agreement.comparisons:
        show_chart(
            comparison_chart(result.agreement),
            "comparisons",
            "Differences of agreement between every two metrics; the table below has the same figures.",
        )
        st.caption("Row minus column; \\*: p below .05 after Holm's correction.")
    show_result_table(result.tables["comparisons"])


def show_differences(result: AgreementResult) -> None:
    """Show the agreement by how far apart a metric's scores are."""
    table = result.tables["by_difference"]
    if table.rows:
        show_chart(
            difference_chart(without_scarce(result.agreement)),
            "by_difference",
            "Agreement by how far apart a metric's two scores are; the table below has the same figures.",
        )
    show_result_table(table)


def show_raters(context: Context) -> None:
    """Show how far those who rated agree with each other, and how each of them rates."""
    for table in analyze_raters(context).values():
        st.header(in_markdown(table.title), anchor=False)
        show_result_table(table)
    if not context.source.by_annotator:
        st.caption(
            "The other tabs compare metrics with the means of these ratings. To compare them with each annotator, or "
            f"with their majority, choose *Ratings of {in_markdown(context.source.aspect)}, by annotator* above."
        )


def show_judges(result: AgreementResult, choice: AgreementChoice) -> None:
    """Show what language models answered, and whether the order of the summaries mattered."""
    if choice.filtered:
        st.caption("Filters change the agreement with people, not what the models answered.")
    show_result_table(result.tables["judges"])


def show_contradictions(choice: AgreementChoice) -> None:
    """Show the pairs in which a metric contradicts people, and one of them in full."""
    context = choice.context
    against = find_contradictions(choice)
    if not against:
        st.info("These pairs are too many to be listed. Choose some systems under Filters and rules.")
        return
    metric = st.segmented_control(
        "Pairs in which a metric contradicts " + ("the majority" if context.source.several else "people"),
        list(against),
        format_func=lambda name: f"{name}: {against[name].total:,}",
        default=next(iter(against)),
        key="contradicted_metric",
        required=True,
    )
    listed, pairs, count = against[metric]
    if pairs.empty:
        st.info("There are none.")
        return
    event = st.dataframe(
        pairs,
        hide_index=True,
        column_config={"difference": st.column_config.NumberColumn(format="%.3f")},
        on_select="rerun",
        selection_mode="single-row",
        height=250,
        key=f"contradictions:{metric}",
    )
    rows: Sequence[int] = event.selection.rows
    st.caption("Choose a row to open its example; the first one is open." if not rows else "")
    if count > len(pairs):
        st.caption(f"Of {count:,} pairs, the {len(pairs):,} on which {metric} is surest are listed.")
    show_pair(context, metric, listed, int(pairs.index[min((rows or [0])[0], len(pairs) - 1)]))


def show_pair(context: Context, metric: str, voted: Preferences, pair: int) -> None:
    """Show one pair in which a metric contradicts people, with a link to what the metric saw."""
    document, a, b = voted.documents[pair], voted.firsts[pair], voted.seconds[pair]
    st.page_link(
        "examples.py",
        label="What did each metric see?",
        icon=":material/search:",
        query_params={**context.address, "show": "against", "metric": metric, "document": document, "a": a, "b": b},
    )
    show_example(context.source.dataset, document, [a, b])
    st.html(pair_scores(context.source, voted, pair))


main()
