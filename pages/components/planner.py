"""How many pairs and judgments a study needs, from assumed or observed ratios."""

from __future__ import annotations

import streamlit as st

from metrics.analysis import labels
from metrics.meta_evaluation import Observed, Plan, credit, observed, pairs_for_interval, pairs_to_separate
from pages.components.sections import observed_section, plan_section
from pages.components.sources import Source, preferences_of, sources
from pages.components.tables import show_section
from pages.components.text import in_markdown, in_one_line

SEPARATE, MEASURE = "tell two metrics apart", "measure one metric's agreement"
ASSUMED = "assumed"


def planner() -> None:
    """Ask what is wanted and what is known, and say what it takes."""
    goal = st.radio("The study is to", [SEPARATE, MEASURE], horizontal=True, key="plan_goal")
    found = observation() or Observed(None, None, None, None, None, 0)
    # other defaults for other observations, hence the keys
    key = f"{found.n}:{found.first}:{found.second}"
    first, second, third = st.columns(3)
    if goal == SEPARATE:
        one = ratio_input(first, "Agreement of the first metric", found.first or 0.61, f"plan_first:{key}")
        other = ratio_input(second, "Agreement of the second metric", found.second or 0.72, f"plan_second:{key}")
        phi = third.number_input(
            "phi",
            -1.0,
            1.0,
            round(found.phi or 0.0, 2),
            0.05,
            key=f"plan_phi:{key}",
            help="Correlation of the two metrics' being right on the same pairs: alike metrics need fewer pairs.",
        )
    else:
        one = ratio_input(first, "Agreement of the metric", found.first or 0.6, f"plan_ratio:{key}")
        half_width = second.number_input("Half width of its interval", 0.005, 0.49, 0.05, 0.005, key="plan_width")
    per_document = first.number_input(
        "Pairs per document", 1.0, None, round(found.pairs_per_document or 1.0, 1), 1.0, key=f"plan_per_document:{key}"
    )
    icc = second.number_input(
        "ICC",
        0.0,
        1.0,
        round(found.icc or 0.0, 3),
        0.01,
        key=f"plan_icc:{key}",
        help="Correlation of pairs of the same document: 0 where each pair says something new.",
    )
    judgments = third.number_input("Judgments per pair", 1, None, 1, key="plan_judgments")
    alpha = first.number_input("alpha", 0.001, 0.5, 0.05, 0.01, format="%.3f", key="plan_alpha")
    shape = {"pairs_per_document": per_document, "icc": icc, "judgments_per_pair": judgments}
    if goal == SEPARATE:
        power = second.number_input("Power", 0.1, 0.999, 0.8, 0.05, key="plan_power")
        show_plan(pairs_to_separate(one, other, phi=phi, alpha=alpha, power=power, **shape))
    else:
        show_plan(pairs_for_interval(one, half_width, level=1 - alpha, **shape))


def ratio_input(column: st.delta_generator.DeltaGenerator, label: str, value: float, key: str) -> float:
    """A ratio to assume."""
    return float(column.number_input(label, 0.0, 1.0, round(value, 3), 0.01, format="%.3f", key=key))


def observation() -> Observed | None:
    """What a study or a data set shows of two metrics, where one is chosen; None where ratios are assumed."""
    known: list[Source | None] = [None, *sources()]
    source = st.selectbox(
        "Ratios",
        known,
        format_func=lambda source: ASSUMED if source is None else f"observed in {source.name}",
        key="plan_source",
    )
    if source is None:
        return None
    preferences = preferences_of(source, source.version)
    named = {label: signature for signature, label in labels(list(preferences.scores)).items()}
    if len(named) < 2:
        st.info("Fewer than two metrics have scores there.")
        return None
    left, right = st.columns(2)
    first = left.selectbox("First metric", list(named), format_func=in_one_line, key="plan_metric")
    second = right.selectbox("Second metric", [name for name in named if name != first], key="plan_other")
    differences = preferences.differences()
    earned = [credit(preferences.choices, differences[named[name]]) for name in (first, second)]
    found = observed(*earned, preferences.document)
    show_section(observed_section(first, second, found))
    return found


def show_plan(plan: Plan) -> None:
    """The answer, large, or why there is none."""
    section = plan_section(plan)
    if plan.reason is not None:
        show_section(section)
        return
    with st.container(horizontal=True):
        for name, number in (("Pairs", plan.pairs), ("Judgments", plan.judgments), ("Documents", plan.documents)):
            st.metric(name, f"{number:,}", border=True)
        st.metric("Design effect", f"{plan.design_effect:.2f}", border=True)
    st.caption(in_markdown(" ".join(section.notes)))
