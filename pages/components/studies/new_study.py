"""The form that creates a study."""

from collections import Counter
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any

import streamlit as st

from relevance.analysis.agreement.planning import detectable_difference
from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.pinning import hash_dataset
from relevance.annotation.protocol.records import RATIONALES, Judging, Pinned, StudyProtocol, protocol_of
from relevance.annotation.records import INSTRUCTIONS, MOST_CHECKS, QUESTION, ScoresMissing, StudySpec
from relevance.annotation.sampling import RANDOM_SHARE, SAMPLING_RULES
from relevance.data.one_line import in_one_line
from relevance.data.signatures import is_length
from relevance.data.store import Dataset, StoreError, checked_name
from relevance.data.wording import format_count
from relevance.metrics import default_metrics, make_metrics
from relevance.metrics.registry import label_of, usual_options
from relevance.pages.components.shared.address import choose_named
from relevance.pages.components.shared.counts import signatures_of
from relevance.pages.components.shared.keywords import Keywords, explain_keywords, find_keywords
from relevance.pages.components.shared.messages import keep_message, sentence
from relevance.pages.components.shared.notices import warn_of_suspicious
from relevance.pages.components.shared.quick_scoring import score
from relevance.pages.components.shared.stores import open_stores, version_of
from relevance.pages.components.studies.closing import ask_closing
from relevance.pages.components.studies.rules import ABOUT, RULES, count_pairs, describe_counts, describe_draw
from relevance.pages.components.studies.twice import ask_twice
from relevance.pages.computing.computed import computed
from relevance.reports.escaping import in_markdown
from relevance.reports.formats.cells import format_p

MOST_NUMBER = 2**31 - 1

find_difference = lru_cache(maxsize=256)(detectable_difference)

DATASET = "new_dataset"
"""Session key: the data set of the new study."""


def new_study() -> None:
    """Ask for everything that defines a study, and create it."""
    datasets = {dataset.name: dataset for dataset in open_stores().data.datasets()}
    if not datasets:
        st.info("There is no data set yet.")
        st.page_link("datasets.py", label="Import a data set", icon=":material/arrow_forward:")
        return
    dataset = datasets[choose_named("Data set", list(datasets), "dataset", DATASET)]
    if len(dataset.systems) < 2:
        st.warning("This data set has fewer than two systems, so there are no pairs. Add some: lead and textrank, say.")
        st.page_link(
            "datasets.py", label="Add systems", icon=":material/arrow_forward:", query_params={"dataset": dataset.name}
        )
        return
    spec = ask_spec(dataset)
    judging, closes = ask_judging(spec)
    drawn = show_counts(dataset, spec)
    judging = replace(judging, judged_twice=ask_twice(spec.judgments_per_pair, drawn))
    name = st.text_input("Name of the study", key="new_name", max_chars=200)
    protocol = replace(protocol_of(replace(spec, name=name.strip())), judging=judging, closes=closes)
    warn_of_suspicious(dataset, spec.systems)
    if drawn != 0:
        show_file(dataset, protocol)
    if st.button("Create the study", type="primary", key="create", disabled=drawn == 0):
        create(dataset, protocol)


def ask_spec(dataset: Dataset) -> StudySpec:
    """Ask for everything that defines a study except its name."""
    systems = st.multiselect(
        "Systems", dataset.systems, dataset.systems, format_func=in_one_line, key=f"new_systems:{dataset.name}"
    )
    with st.spinner("Counting the scores"):
        keywords = find_keywords(dataset)
    rule = choose_rule(dataset, keywords)
    conflicts, random_share = ask_conflicts(dataset) if rule == "conflicts" else ((), RANDOM_SHARE)
    amounts = ask_amounts(rule)
    ties = st.checkbox("Annotators may choose a tie", key="new_ties")
    with st.expander("Question and instructions"):
        question = st.text_input("Question", QUESTION, key="new_question")
        instructions = st.text_area("Instructions (Markdown)", INSTRUCTIONS, key="new_instructions")
    return StudySpec(
        name="",
        dataset=dataset.name,
        systems=tuple(systems),
        rule=rule,
        signature=keywords.signature if rule == "rouge_k_differs" else None,
        signatures=conflicts,
        random_share=random_share,
        ties=ties,
        question=question,
        instructions=instructions,
        **amounts,
    )


def ask_judging(spec: StudySpec) -> tuple[Judging, datetime | None]:
    """Ask what annotators give besides their choice, how many pairs one may judge, and when the study closes."""
    with st.expander("More options"):
        left, right = st.columns(2)
        rationale = left.selectbox(
            "Reason for a choice", RATIONALES, RATIONALES.index("optional"), format_func=str.title, key="new_rationale"
        )
        most = right.number_input(
            "Most pairs for one annotator", 1, MOST_NUMBER, None, placeholder="no limit", key="new_most"
        )
        with left:
            both_bad = st.checkbox(
                "Annotators may also say that both are bad",
                key="new_both_bad",
                disabled=not spec.ties,
                help="It counts as a tie, and is kept apart from equal ones. Only where ties are allowed.",
            )
            confidence = st.checkbox("Annotators say how sure they are, from 1 to 5", key="new_confidence")
            marks = st.checkbox("Annotators mark the words that decided", key="new_marks")
        with right:
            closes = ask_closing(None, "new_closes")
        st.caption("Consent, training, surveys, panels and stopping rules are set in study files: see From a file.")
    judging = Judging(
        judgments_per_pair=spec.judgments_per_pair,
        ties=spec.ties,
        both_bad=both_bad and spec.ties,
        most_per_annotator=most,
        rationale=rationale,
        confidence=confidence,
        marks=marks,
    )
    return judging, closes


def choose_rule(dataset: Dataset, keywords: Keywords) -> str:
    """Ask for the rule; a rule that cannot draw a pair is not offered, and the reason is shown."""
    unusable = {} if keywords.signature else {"rouge_k_differs": "ROUGE-K has no keywords in any document."}
    usable = [rule for rule in SAMPLING_RULES if rule not in unusable]
    rule = st.radio(
        "Pairs", usable, format_func=RULES.__getitem__, captions=[ABOUT[rule] for rule in usable], key="new_rule"
    )
    for other, reason in unusable.items():
        st.caption(f":material/block: {RULES[other]}: not possible here. {reason}")
    explain_keywords(dataset)
    return str(rule)


def show_counts(dataset: Dataset, spec: StudySpec) -> int | None:
    """Say how many pairs there are and how many are drawn; return the latter, None where that is unknown."""
    if len(spec.systems) == 1:
        st.warning("Choose at least two systems.")
        return 0
    try:
        counts = count_pairs(dataset, spec)
    except ScoresMissing:
        st.caption("Pairs can be counted once the summaries are scored. Creating the study scores them first.")
        if st.button("Score and count now", key="score_and_count"):
            score(dataset.name, default_metrics())
            st.rerun()
        return None
    except StoreError as error:
        st.warning(in_markdown(sentence(str(error))))
        return 0
    st.markdown(describe_counts(spec, counts))
    drawn = counts.drawn(spec.count, spec.most_per_document)
    if drawn:
        explain_power(spec, drawn)
    else:
        st.warning("No pair is left to ask about. Choose another rule.")
    return drawn


def explain_power(spec: StudySpec, pairs: int) -> None:
    """Say what so many pairs can show of metrics."""
    difference = find_difference(pairs)
    sentences = [
        f"{format_count(pairs, 'pair')} can detect a difference of about {format_p(difference, 2)} between two "
        "metrics' agreement with people"
        if difference is not None
        else f"{format_count(pairs, 'pair')} cannot detect a difference between any two metrics",
        "(power .80, alpha .05, for metrics that agree on about .65 and are right independently of each other).",
    ]
    if spec.most_per_document != 1:
        sentences.append("Pairs of one document are often alike: then it takes more of them.")
    st.caption(" ".join(sentences))


def show_file(dataset: Dataset, protocol: StudyProtocol) -> None:
    """Show the study file that the form makes, once it is opened, as the texts have to be hashed for it."""
    part = st.expander("Study file", icon=":material/description:", key="new_file", on_change="rerun")
    if part.open:
        with part:
            st.caption("Everything that defines the study. To add to it, download it and go to From a file.")
            text = write_protocol(pin(dataset, protocol))
            st.code(text, language="toml", height=320)
            st.download_button("Download", text, file_name="study.toml", key="new_file_text", on_click="ignore")


def pin(dataset: Dataset, protocol: StudyProtocol) -> StudyProtocol:
    """Return the protocol with its systems named and its texts pinned."""
    systems = protocol.dataset.systems or dataset.systems
    sha256 = hash_texts(dataset.name, systems, version_of(dataset))
    return replace(protocol, dataset=Pinned(name=dataset.name, sha256=sha256, systems=systems))


@computed("Reading the texts", kept=16)
def hash_texts(dataset: str, systems: tuple[str, ...], version: object) -> str:
    """Return the hash of what a study shows of a data set."""
    return hash_dataset(open_stores().data, dataset, systems)


def create(dataset: Dataset, protocol: StudyProtocol) -> None:
    """Compute missing scores, create the study, and show its page."""
    checked_name(protocol.name)  # before anything is read
    score(dataset.name, default_metrics())  # so that the agreement table is there with the first judgment
    study = open_stores().annotation.create_study(protocol.spec, write_protocol(pin(dataset, protocol)))
    keep_message(f"Created {study.name}. {describe_draw(study)}")
    st.switch_page("studies.py", query_params={"study": study.name})


def ask_amounts(rule: str) -> dict[str, Any]:
    """Ask how many pairs and judgments are wanted; return them by the names of the fields of `StudySpec`."""
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
    seed = right.number_input("Seed", 0, MOST_NUMBER, 0, key="new_seed")
    checks = left.number_input(
        "Attention checks",
        0,
        MOST_CHECKS,
        0,
        key="new_checks",
        help="Each pairs a summary with one of another document. Annotators get them all, unannounced.",
    )
    return {
        "count": count,
        "per_document": per_document,
        "judgments_per_pair": judgments,
        "seed": seed,
        "checks": checks,
    }


def ask_conflicts(dataset: Dataset) -> tuple[tuple[str, ...], float]:
    """Ask for the metrics that may contradict each other, and the share of pairs on which none does.

    Return the metrics' signatures and the share.
    """
    usual = make_metrics(default_metrics(), **usual_options(referenced=dataset.referenced))
    lexical = {metric.signature: metric.name for metric in usual if not is_length(metric.name)}
    names = lexical | {signature: name for name, signature, *_ in signatures_of(dataset)}
    ambiguous = {name for name, times in Counter(names.values()).items() if times > 1}
    left, right = st.columns(2)
    signatures = left.multiselect(
        "Metrics that may contradict each other",
        list(names),
        list(lexical),
        format_func=lambda signature: in_one_line(signature if names[signature] in ambiguous else label_of(signature)),
        key=f"new_conflict_metrics:{dataset.name}",
    )
    share = right.number_input("Share of pairs without a conflict", 0.01, 0.99, RANDOM_SHARE, key="new_random_share")
    return tuple(signatures), share
