"""The tab New study: the form that makes a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from annotation.records import INSTRUCTIONS, MOST_CHECKS, QUESTION, StudySpec
from annotation.sampling import RANDOM_SHARE, SAMPLING_RULES
from data.one_line import in_one_line
from data.signatures import is_length
from data.store import Dataset
from pages.components.shared.stores import open_stores
from pages.components.studies.messages import CREATED, announce
from pages.components.studies.running import left_out


@dataclass(frozen=True)
class Amounts:
    """How many pairs and judgments a study asks for."""

    count: int | None
    per_document: int | None
    judgments: int
    seed: int
    checks: int


def new_study() -> None:
    """Ask for all that a study is made of, and make it."""
    datasets = {dataset.name: dataset for dataset in open_stores().data.datasets()}
    if not datasets:
        st.info("Import a data set first.")
        return
    dataset = datasets[st.selectbox("Data set", list(datasets), format_func=in_one_line, key="new_dataset")]
    if len(dataset.systems) < 2:
        st.warning("This data set has fewer than two systems. Add some under “Data sets”, say lead and textrank.")
        return
    systems = st.multiselect(
        "Systems", dataset.systems, dataset.systems, format_func=in_one_line, key=f"new_systems:{dataset.name}"
    )
    rule = st.radio(
        "Pairs", list(SAMPLING_RULES), format_func=lambda rule: f"{rule}: {SAMPLING_RULES[rule]}", key="new_rule"
    )
    conflicts, random_share = conflict_form(dataset) if rule == "conflicts" else ((), RANDOM_SHARE)
    amounts = amount_form(rule)
    ties = st.checkbox("Annotators may choose a tie", key="new_ties")
    question = st.text_input("Question", QUESTION, key="new_question")
    instructions = st.text_area("Instructions (Markdown)", INSTRUCTIONS, key="new_instructions")
    name = st.text_input("Name of the study", key="new_name", max_chars=200)
    if not st.button("Create the study", type="primary", key="create"):
        return
    from metrics import default_metrics

    signatures = score(dataset, default_metrics())  # so that the agreement table is there with the first judgment
    study = open_stores().annotation.create_study(
        StudySpec(
            name=name,
            dataset=dataset.name,
            systems=tuple(systems),
            rule=rule,
            signature=signatures["rouge_k"] if rule == "rouge_k_differs" else None,
            signatures=conflicts,
            random_share=random_share,
            count=amounts.count,
            per_document=amounts.per_document,
            judgments_per_pair=amounts.judgments,
            ties=ties,
            question=question,
            instructions=instructions,
            seed=amounts.seed,
            checks=amounts.checks,
        )
    )
    st.session_state[CREATED] = study.name
    announce("; ".join((f"Created {study.name} with {study.pairs} pairs", *study.notes, left_out(study))))


def amount_form(rule: str) -> Amounts:
    """Ask how many pairs and judgments are wanted."""
    left, right = st.columns(2)
    count = left.number_input(
        "Pairs in all", 1, None, None if rule == "all" else 100, placeholder="no limit", key=f"new_count:{rule}"
    )
    unlimited = rule in {"all", "conflicts"}
    per_document = right.number_input(
        "At most per document",
        1,
        None,
        None if unlimited else 1,
        placeholder="no limit" if unlimited else "1",
        key=f"new_per_document:{rule}",
    )
    judgments = left.number_input("Judgments wanted per pair", 1, None, 1, key="new_judgments")
    seed = right.number_input("Seed", 0, 2**31 - 1, 0, key="new_seed")
    checks = left.number_input(
        "Attention checks",
        0,
        MOST_CHECKS,
        0,
        key="new_checks",
        help="Pairs of a summary with one of another document, which every annotator gets without knowing it.",
    )
    return Amounts(count, per_document, judgments, seed, checks)


def conflict_form(dataset: Dataset) -> tuple[tuple[str, ...], float]:
    """Signatures of the metrics that may contradict each other, and the share of pairs on which they do not."""
    from metrics import default_metrics, make_metrics

    lexical = {
        metric.signature: metric.name for metric in make_metrics(default_metrics()) if not is_length(metric.name)
    }
    names = lexical | {signature: name for name, signature, *_ in open_stores().data.signatures(dataset.name)}
    ambiguous = {name for name, times in Counter(names.values()).items() if times > 1}
    left, right = st.columns(2)
    signatures = left.multiselect(
        "Metrics that may contradict each other",
        list(names),
        list(lexical),
        format_func=lambda signature: in_one_line(signature if names[signature] in ambiguous else names[signature]),
        key=f"new_conflict_metrics:{dataset.name}",
    )
    share = right.number_input("Share of pairs without a conflict", 0.01, 0.99, RANDOM_SHARE, key="new_random_share")
    return tuple(signatures), share


def score(dataset: Dataset, names: Sequence[str]) -> dict[str, str]:
    """Compute the scores that are missing, showing how far it is; returns the metrics' signatures."""
    from metrics import make_metrics
    from metrics.scoring import score_dataset

    bar = st.progress(0.0, text="Scoring")

    def progress(done: int, total: int) -> None:
        bar.progress(done / max(1, total), text=f"Scoring: {done} of {total}")

    made = make_metrics(names)
    score_dataset(open_stores().data, dataset.name, made, progress)
    bar.empty()
    return {metric.name: metric.signature for metric in made}
