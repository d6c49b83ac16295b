"""How often each metric prefers the summary that people prefer (Table 3 of the ROUGE-K paper, live)."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from analysis.agreement import Rule
from analysis.evaluation import MetricEvaluation
from analysis.metrics_and_people import AgreementAnalysis, analyze_agreement, common_ground
from analysis.significance import SideShare, position_check
from data.one_line import in_one_line
from data.preferences import Preferences
from pages.components.examples.texts import EXAMPLE_STYLE, contradiction_table, pair_scores, show_example
from pages.components.shared.sources import Source, describe_source, first_with_something, preferences_of, sources
from pages.components.shared.stores import open_stores
from pages.components.shared.tables import show_result_table
from reports.charts import agreement_chart, comparison_chart, difference_chart
from reports.study import ceiling_of
from reports.tables.agreement import (
    TIE_RULE_NAMES,
    agreement_table,
    comparison_table,
    difference_table,
    position_table,
    sampling_notes,
)

JUDGMENT, MAJORITY = "per judgment", "by majority"


class AgreementChoice(NamedTuple):
    """What is counted, and how; empty names are all of them."""

    people: tuple[str, ...]
    systems: tuple[str, ...]
    decided: bool
    majority: bool
    rule: Rule


st.title("Agreement")
st.html(EXAMPLE_STYLE)
known = sources()
if not known:
    st.info("There is nothing to compare with yet: import a data set and create a study on the Studies page.")
    st.stop()

# --- what is compared ---------------------------------------------------------------------------------------

datasets = list(dict.fromkeys(source.dataset for source in known))
with st.container(horizontal=True, vertical_alignment="bottom"):
    if len(datasets) > 1:
        dataset = st.selectbox(
            "Data set",
            [None, *datasets],
            format_func=lambda name: "all" if name is None else in_one_line(name),
            key="dataset",
        )
        known = [source for source in known if dataset in {None, source.dataset}]
    first = first_with_something(known)
    source = st.selectbox("Compare metrics with", known, index=first, format_func=lambda s: s.name, key="source")
    filters = st.popover("Filters", icon=":material/filter_alt:")

everything = preferences_of(source, source.version)
people = sorted({name for name in everything.annotators if name is not None})
systems = sorted({*everything.first, *everything.second})
with filters:
    wanted_people = (
        st.multiselect("Annotators", people, format_func=in_one_line, key=f"people:{source.name}") if people else []
    )
    wanted_systems = st.multiselect("Systems", systems, format_func=in_one_line, key=f"systems:{source.name}")
    decided = st.checkbox("Only pairs that all metrics and people decide", key="decided")
    st.caption("Nothing chosen: all annotators, all systems.")


@st.cache_data(max_entries=64, show_spinner="Counting")
def analyze_choice(
    source: Source, version: object, asked: AgreementChoice
) -> tuple[Preferences, AgreementAnalysis, MetricEvaluation | None, list[SideShare]]:
    """The preferences that the filters leave, the analysis of them, people among themselves, and their sides."""
    preferences = preferences_of(source, version)
    if asked.people:
        preferences = preferences.where(np.isin(preferences.annotators, asked.people))
    if asked.systems:
        both = np.isin(preferences.first, asked.systems) & np.isin(preferences.second, asked.systems)
        preferences = preferences.where(both)
    shares = position_check(preferences.left, preferences.annotators) if source.study is not None else []
    if asked.majority:
        preferences = preferences.by_majority()
    if asked.decided:
        preferences = preferences.where(common_ground(preferences))
    ceiling = ceiling_of(preferences) if source.study is not None and not asked.majority else None
    return preferences, analyze_agreement(preferences, rule=asked.rule), ceiling, shares


@st.cache_data(max_entries=64, show_spinner="Looking for contradictions")
def contradicting(
    source: Source, version: object, asked: AgreementChoice
) -> tuple[Preferences, dict[str, pd.DataFrame]]:
    """The majority, or ratings, and by metric the pairs in which it contradicts them."""
    preferences, analysis, *_ = analyze_choice(source, version, asked)
    voted = preferences.by_majority() if source.study is not None else preferences
    return voted, {row.metric: contradiction_table(voted, row.signature) for row in analysis.rows}


unit = JUDGMENT
with st.container(horizontal=True):
    if source.study is not None:
        unit = st.segmented_control("Unit", [JUDGMENT, MAJORITY], default=JUDGMENT, key="unit", required=True)
    rule = st.segmented_control("Rule", list(TIE_RULE_NAMES), default="half", key="rule", required=True)
asked = AgreementChoice(tuple(wanted_people), tuple(wanted_systems), decided, unit == MAJORITY, rule)
filtered = any((asked.people, asked.systems, asked.decided))
key = source, source.version, asked
preferences, analysis, ceiling, shares = analyze_choice(*key)
shown = preferences if filtered else preferences_of(source, source.version)
st.markdown(describe_source(source, shown) + (" *Filtered.*" if filtered else ""))
if not len(preferences) or not analysis.rows:
    if not len(everything):
        st.info("No judgments yet." if source.study is not None else "Undefined: no document has two rated summaries.")
    elif not len(preferences):
        st.info("The filters leave nothing to count.")
    else:
        st.info("These summaries have no scores yet: score them under Data sets.")
    to_judge = source.study is not None and not len(everything)
    there = ("annotate.py", "Annotate") if to_judge else ("studies.py", "Studies")
    st.page_link(there[0], label=there[1], icon=":material/arrow_forward:")
    st.stop()

# --- what is found ------------------------------------------------------------------------------------------

table, comparisons, differences, contradicted, sides = st.tabs(
    ["Rules side by side", "Metric against metric", "By difference", "Contradictions", "Position"], key="section"
)
with table:
    truncated = {entry.signature: entry.truncated for entry in open_stores().data.signatures(source.dataset)}
    counted = "pair by majority" if unit == MAJORITY else "judgment" if source.study else "within-document pair"
    section = agreement_table(analysis, counted, truncated, ceiling, notes=sampling_notes(source.rule))
    st.markdown(f"**{section.title}**")
    show_result_table(section)
    people_agree = getattr(ceiling.agreement, rule) if ceiling else None
    st.altair_chart(agreement_chart(analysis.rows, rule, people_agree), key="chart")
with comparisons:
    if analysis.comparisons:
        st.altair_chart(comparison_chart(analysis), key="comparison_chart")
        st.caption("Row minus column, by the rule chosen above; \\*: p below .05 after Holm's correction.")
    show_result_table(comparison_table(analysis))
with differences:
    section = difference_table(analysis)
    if section.rows:
        st.altair_chart(difference_chart(analysis.rows), key="difference_chart")
    show_result_table(section)
with contradicted:
    voted, against = contradicting(*key)
    metric = st.segmented_control(
        "Pairs in which a metric contradicts " + ("the majority" if source.study is not None else "people"),
        list(against),
        format_func=lambda name: f"{name}: {len(against[name])}",
        default=next(iter(against)),
        key="contradicted_metric",
        required=True,
    )
    pairs = against[metric]
    if pairs.empty:
        st.info("None.")
    else:
        event = st.dataframe(
            pairs,
            hide_index=True,
            column_config={"difference": st.column_config.NumberColumn(format="%.4f")},
            on_select="rerun",
            selection_mode="single-row",
            height=250,
            key=f"contradictions:{metric}",
        )
        row = (event.selection.rows or [0])[0]
        pair = int(pairs.index[min(row, len(pairs) - 1)])
        st.caption("Choose a row to open its example; the first one is open." if not event.selection.rows else "")
        both = [voted.firsts[pair], voted.seconds[pair]]
        st.page_link(
            "examples.py",
            label="What did each metric see?",
            icon=":material/search:",
            query_params={
                **source.address,
                "show": "against",
                "metric": metric,
                "document": voted.documents[pair],
                "a": both[0],
                "b": both[1],
            },
        )
        show_example(source.dataset, voted.documents[pair], both)
        st.html(pair_scores(source, voted, pair))
with sides:
    if source.study is None:
        st.info("Ratings have no sides.")
    else:
        show_result_table(position_table(shares))
