"""The number of pairs and judgments that a study needs, from assumed or observed ratios."""

import streamlit as st

from relevance.analysis.agreement.counts import credit_pairs
from relevance.analysis.agreement.planning import (
    ObservedMetrics,
    Plan,
    observe_metrics,
    pairs_for_interval,
    pairs_to_separate,
)
from relevance.analysis.agreement.planning import icc as icc_of
from relevance.annotation.sampling import SAMPLING_RULES
from relevance.data.one_line import in_one_line
from relevance.data.signatures import labels
from relevance.metrics.registry import label_of
from relevance.pages.components.shared.context import find_source
from relevance.pages.components.shared.result_table import show_result_table
from relevance.pages.components.shared.sources import Source, Version, preferences_of, sources
from relevance.pages.computing.computed import computed
from relevance.reports.escaping import in_markdown
from relevance.reports.tables.planning import observed_table, plan_table

SEPARATE, MEASURE = "compare two metrics", "measure one metric's agreement"

ASSUMED = "assumed"

PLAN = "plan"
"""Part of an address that opens the planner; others name a source of observed ratios, and `first`, `second`."""


def planner() -> None:
    """Offer to find out how many pairs a study takes, folded unless the address asks for it."""
    with st.expander("How many pairs does it take?", expanded=PLAN in st.query_params, icon=":material/calculate:"):
        plan_study()


def plan_study() -> None:
    """Ask what the study is for and what is known, and show how many pairs that takes."""
    goal = st.radio("The study is to", [SEPARATE, MEASURE], horizontal=True, key="plan_goal")
    observed = ask_observed(goal) or ObservedMetrics(None, None, None, None, None, 0)
    # The keys change with the observed values, so that these become the defaults. They are not rounded: phi may be
    # the largest possible.
    key = f"{goal}:{observed.n}:{observed.first}:{observed.second}"
    first, second, third = st.columns(3)
    if goal == SEPARATE:
        first_ratio = ratio_input(first, "Agreement of the first metric", observed.first, 0.61, f"plan_first:{key}")
        other = ratio_input(second, "Agreement of the second metric", observed.second, 0.72, f"plan_second:{key}")
        phi = third.number_input(
            "phi",
            -1.0,
            1.0,
            observed.phi or 0.0,
            0.05,
            format="%.3f",
            key=f"plan_phi:{key}",
            help="Correlation of the two metrics in being right: the more alike they are, the fewer pairs it takes.",
        )
    else:
        first_ratio = ratio_input(first, "Agreement of the metric", observed.first, 0.6, f"plan_ratio:{key}")
        half_width = second.number_input("Half width of its interval", 0.005, 0.49, 0.05, 0.005, key="plan_width")
    first, second, third = st.columns(3)  # a new row, as a small screen shows one column after another
    per_document = first.number_input(
        "Pairs per document", 1.0, None, observed.pairs_per_document or 1.0, 1.0, key=f"plan_per_document:{key}"
    )
    icc = second.number_input(
        "ICC",
        0.0,
        1.0,
        observed.icc or 0.0,
        0.01,
        format="%.3f",
        key=f"plan_icc:{key}",
        help="Correlation of pairs of the same document: 0 where each pair says something new.",
    )
    judgments = third.number_input("Judgments per pair", 1, None, 1, key="plan_judgments")
    first, second, _ = st.columns(3)
    alpha = first.number_input("alpha", 0.001, 0.5, 0.05, 0.01, format="%.3f", key="plan_alpha")
    shape = {"pairs_per_document": per_document, "icc": icc, "judgments_per_pair": judgments}
    if goal == SEPARATE:
        power = second.number_input("Power", 0.1, 0.999, 0.8, 0.05, key="plan_power")
        show_plan(pairs_to_separate(first_ratio, other, phi=phi, alpha=alpha, power=power, **shape))
    else:
        show_plan(pairs_for_interval(first_ratio, half_width, level=1 - alpha, **shape))


def ratio_input(
    column: st.delta_generator.DeltaGenerator, label: str, observed: float | None, assumed: float, key: str
) -> float:
    """Ask for a ratio: at first the one observed, or else one to assume."""
    value = assumed if observed is None else observed
    return float(column.number_input(label, 0.0, 1.0, value, 0.01, format="%.3f", key=key))


def ask_observed(goal: str) -> ObservedMetrics | None:
    """Ask for a study or data set, and return what it shows of one or two metrics; None where ratios are assumed."""
    known: list[Source | None] = [
        None,
        *(source for source in sources() if source.study is not None or source.aspect is not None),
    ]
    address = st.query_params.to_dict() if PLAN in st.query_params else {}
    source = st.selectbox(
        "Ratios",
        known,
        index=known.index(find_source([value for value in known if value is not None], address)) if address else 0,
        format_func=lambda source: ASSUMED if source is None else f"observed in {source.full_name}",
        key="plan_source",
    )
    if source is None:
        return None
    version = source.read_version()
    named = {label: signature for signature, label in labels(scored_metrics(source, version), label_of).items()}
    wanted = 2 if goal == SEPARATE else 1
    if len(named) < wanted:
        st.info("Fewer than two metrics have scores there." if wanted > 1 else "No metric has scores there.")
        return None

    def choose_observed(
        column: st.delta_generator.DeltaGenerator, label: str, names: list[str], key: str, part: str
    ) -> str:
        index = names.index(address[part]) if address.get(part) in names else 0
        return str(column.selectbox(label, names, index=index, format_func=in_one_line, key=key))

    left, right = st.columns(2)
    first = choose_observed(left, "First metric" if goal == SEPARATE else "Metric", list(named), "plan_metric", "first")
    if goal == SEPARATE:
        second = choose_observed(
            right, "Second metric", [name for name in named if name != first], "plan_other", "second"
        )
        observed = observe(source, version, named[first], named[second])
        show_result_table(observed_table(first, second, observed))
        return observed
    observed = observe(source, version, named[first], None)
    if observed.first is None:
        st.info("Undefined: no pair has both a value of this metric and a decision of people.")
    else:
        within = "undefined" if observed.icc is None else f"{observed.icc:.3f}"
        st.caption(f"Observed: agreement {observed.first:.3f}, ICC {within}, {observed.n} pairs.")
    return observed


@computed("Reading the scores")
def scored_metrics(source: Source, version: Version) -> list[str]:
    """Return the signatures of the metrics that have scores of a source's pairs."""
    return list(preferences_of(source, version).scores)


@computed("Looking at earlier judgments")
def observe(source: Source, version: Version, first: str, second: str | None) -> ObservedMetrics:
    """Return what a source shows of two metrics, or of one and how its agreement differs between documents.

    Where a pair has several judgments the majority counts, as the plan is in pairs.
    """
    preferences = preferences_of(source, version)
    if source.several:
        preferences = preferences.by_majority()
    differences = preferences.differences()
    first_credits, second_credits = (
        credit_pairs(preferences.choices, differences[name]) for name in (first, second or first)
    )
    observed = observe_metrics(first_credits, second_credits, preferences.document, preferences.weights)
    if second is not None:
        return observed
    return observed._replace(second=None, phi=None, reason=None, icc=icc_of(first_credits, preferences.document))


def show_plan(plan: Plan) -> None:
    """Show the answer in large figures, or why there is none."""
    table = plan_table(plan)
    if plan.reason is not None:
        show_result_table(table)
        return
    with st.container(horizontal=True):
        numbers = ("Pairs", plan.pairs), ("Judgments", plan.judgments), ("Documents", plan.documents)
        for name, number in (*numbers, ("Independent pairs", plan.independent_pairs)):
            st.metric(name, f"{number:,}", border=True)
        st.metric("Design effect", f"{plan.design_effect:.2f}", border=True)
    st.caption(in_markdown(" ".join(table.notes)))
    st.button("Use these numbers below", key="plan_taken", on_click=take_plan, args=(plan,))


def take_plan(plan: Plan) -> None:
    """Enter the planned numbers into the form of a new study."""
    for rule in SAMPLING_RULES:
        st.session_state[f"new_count:{rule}"] = plan.pairs
    st.session_state.new_judgments = max(1, (plan.judgments or 0) // (plan.pairs or 1))
