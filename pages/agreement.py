"""How often each metric prefers the summary that people prefer (Table 3 of the ROUGE-K paper, live)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from analysis.agreement import Rule
from analysis.metrics_and_people import common_ground
from analysis.significance import SideShare, position_check
from analysis.study import Settings, StudyAnalysis
from data.one_line import in_one_line
from data.preferences import Preferences
from pages.components.examples.texts import EXAMPLE_STYLE, contradiction_table, pair_scores, show_example
from pages.components.shared.sources import Source, describe_source, first_with_something, preferences_of, sources
from pages.components.shared.stores import open_stores
from pages.components.shared.tables import show_result_table
from reports.charts import agreement_chart, comparison_chart, difference_chart
from reports.tables.agreement import TIE_RULE_NAMES, position_table
from reports.tables.study import make_table

JUDGMENT, MAJORITY = "per judgment", "by majority"


class AgreementChoice(NamedTuple):
    """What is counted, and how; empty names are all of them."""

    source: Source
    people: tuple[str, ...]
    systems: tuple[str, ...]
    decided: bool
    majority: bool
    rule: Rule

    @property
    def filtered(self) -> bool:
        """Whether something may be left out."""
        return any((self.people, self.systems, self.decided))


def main() -> None:
    """Ask what is to be compared, and show what is found."""
    st.title("Agreement")
    st.html(EXAMPLE_STYLE)
    known = sources()
    if not known:
        st.info("There is nothing to compare with yet: import a data set and create a study on the Studies page.")
        st.stop()
    asked = ask(known)
    analysis, shares = analyze(asked, asked.source.version)
    everything = preferences_of(asked.source, asked.source.version)
    shown = analysis.preferences if asked.filtered else everything
    st.markdown(describe_source(asked.source, shown) + (" *Filtered.*" if asked.filtered else ""))
    if not len(analysis.preferences) or not analysis.agreement.rows:
        say_nothing_to_count(asked.source, everything, analysis.preferences)
        st.stop()
    rules, comparisons, differences, contradicted, sides = st.tabs(
        ["Rules side by side", "Metric against metric", "By difference", "Contradictions", "Position"], key="section"
    )
    with rules:
        show_rules(analysis, asked.rule)
    with comparisons:
        show_comparisons(analysis)
    with differences:
        show_differences(analysis)
    with contradicted:
        show_contradictions(asked)
    with sides:
        if asked.source.study is None:
            st.info("Ratings have no sides.")
        else:
            show_result_table(position_table(shares))


# --- what is compared ---------------------------------------------------------------------------------------


def ask(known: list[Source]) -> AgreementChoice:
    """The choices above the tables."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = choose_source(known)
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
    unit = JUDGMENT
    with st.container(horizontal=True):
        if source.study is not None:
            unit = st.segmented_control("Unit", [JUDGMENT, MAJORITY], default=JUDGMENT, key="unit", required=True)
        rule = st.segmented_control("Rule", list(TIE_RULE_NAMES), default="half", key="rule", required=True)
    return AgreementChoice(source, tuple(wanted_people), tuple(wanted_systems), decided, unit == MAJORITY, rule)


def choose_source(known: list[Source]) -> Source:
    """The judgments or ratings that metrics are compared with, of one data set or all."""
    datasets = list(dict.fromkeys(source.dataset for source in known))
    if len(datasets) > 1:
        dataset = st.selectbox(
            "Data set",
            [None, *datasets],
            format_func=lambda name: "all" if name is None else in_one_line(name),
            key="dataset",
        )
        known = [source for source in known if dataset in {None, source.dataset}]
    first = first_with_something(known)
    return st.selectbox("Compare metrics with", known, index=first, format_func=lambda s: s.name, key="source")


# --- what is computed ---------------------------------------------------------------------------------------


@st.cache_data(max_entries=64, show_spinner="Counting")
def analyze(asked: AgreementChoice, version: object) -> tuple[StudyAnalysis, list[SideShare]]:
    """The analysis of the preferences that the filters leave, and how often these annotators chose the left side."""
    source, preferences = asked.source, preferences_of(asked.source, version)
    if asked.people:
        preferences = preferences.where(np.isin(preferences.annotators, asked.people))
    if asked.systems:
        preferences = preferences.of_systems(asked.systems)
    shares = position_check(preferences.left, preferences.annotators) if source.study is not None else []
    if asked.majority:
        preferences = preferences.by_majority()
    if asked.decided:
        preferences = preferences.where(common_ground(preferences))
    analysis = StudyAnalysis(
        preferences,
        settings=Settings(rule=asked.rule),
        unit="pair by majority" if asked.majority else "judgment" if source.study else "within-document pair",
        truncated={entry.signature: entry.truncated for entry in open_stores().data.signatures(source.dataset)},
        sampling=source.rule,
    )
    return analysis.compute("agreement", "ceiling"), shares


@st.cache_data(max_entries=64, show_spinner="Looking for contradictions")
def find_contradictions(asked: AgreementChoice, version: object) -> tuple[Preferences, dict[str, pd.DataFrame]]:
    """The majority, or ratings, and by metric the pairs in which it contradicts them."""
    analysis, _ = analyze(asked, version)
    voted = analysis.preferences.by_majority() if asked.source.study is not None else analysis.preferences
    return voted, {row.metric: contradiction_table(voted, row.signature) for row in analysis.agreement.rows}


# --- what is shown ------------------------------------------------------------------------------------------


def say_nothing_to_count(source: Source, everything: Preferences, preferences: Preferences) -> None:
    """Why there are no figures, and where to go."""
    if not len(everything):
        st.info("No judgments yet." if source.study is not None else "Undefined: no document has two rated summaries.")
    elif not len(preferences):
        st.info("The filters leave nothing to count.")
    else:
        st.info("These summaries have no scores yet: score them under Data sets.")
    to_judge = source.study is not None and not len(everything)
    page, label = ("annotate.py", "Annotate") if to_judge else ("studies.py", "Studies")
    st.page_link(page, label=label, icon=":material/arrow_forward:")


def show_rules(analysis: StudyAnalysis, rule: Rule) -> None:
    """The table of all rules, and the chart of one."""
    section = make_table("agreement", analysis)
    st.markdown(f"**{section.title}**")
    show_result_table(section)
    people_agree = getattr(analysis.ceiling.agreement, rule) if analysis.ceiling else None
    st.altair_chart(agreement_chart(analysis.agreement.rows, rule, people_agree), key="chart")


def show_comparisons(analysis: StudyAnalysis) -> None:
    """Every two metrics."""
    if analysis.agreement.comparisons:
        st.altair_chart(comparison_chart(analysis.agreement), key="comparison_chart")
        st.caption("Row minus column, by the rule chosen above; \\*: p below .05 after Holm's correction.")
    show_result_table(make_table("comparisons", analysis))


def show_differences(analysis: StudyAnalysis) -> None:
    """The agreement by how far apart a metric's scores are."""
    section = make_table("by_difference", analysis)
    if section.rows:
        st.altair_chart(difference_chart(analysis.agreement.rows), key="difference_chart")
    show_result_table(section)


def show_contradictions(asked: AgreementChoice) -> None:
    """The pairs in which a metric contradicts people, and one of them."""
    source = asked.source
    voted, against = find_contradictions(asked, source.version)
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
        return
    event = st.dataframe(
        pairs,
        hide_index=True,
        column_config={"difference": st.column_config.NumberColumn(format="%.4f")},
        on_select="rerun",
        selection_mode="single-row",
        height=250,
        key=f"contradictions:{metric}",
    )
    rows: Sequence[int] = event.selection.rows
    st.caption("Choose a row to open its example; the first one is open." if not rows else "")
    show_pair(source, metric, voted, int(pairs.index[min((rows or [0])[0], len(pairs) - 1)]))


def show_pair(source: Source, metric: str, voted: Preferences, pair: int) -> None:
    """One pair in which a metric contradicts people, with the way to what it saw."""
    document, both = voted.documents[pair], [voted.firsts[pair], voted.seconds[pair]]
    st.page_link(
        "examples.py",
        label="What did each metric see?",
        icon=":material/search:",
        query_params={
            **source.address,
            "show": "against",
            "metric": metric,
            "document": document,
            "a": both[0],
            "b": both[1],
        },
    )
    show_example(source.dataset, document, both)
    st.html(pair_scores(source, voted, pair))


main()
