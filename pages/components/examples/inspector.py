"""One pair in full: the texts, every metric's scores and preference, and what metrics saw in both summaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from threading import Timer
from typing import NamedTuple

import numpy as np
import streamlit as st

from relevance.annotation.model_judgments import VerdictsOnPair
from relevance.data.one_line import in_one_line
from relevance.data.records import REMARKS, Document, Example, Summary, make_examples
from relevance.data.signatures import distinct, is_computed, is_judge, is_length, labels, references_rule
from relevance.data.store import StoreError
from relevance.metrics import is_lexical
from relevance.metrics.base import set_against
from relevance.metrics.bertscore import BertScoreEvidence
from relevance.metrics.explained import CannotExplain, Explained
from relevance.metrics.registry import label_of
from relevance.pages.components.evidence.model_scores import LOOK, ModelScores
from relevance.pages.components.evidence.views import evidence_html, explain_lexical, inspector
from relevance.pages.components.examples.pair_list import JudgedPair
from relevance.pages.components.examples.texts import (
    ShownSummary,
    format_scores,
    preferred_side,
    references_html,
    score_rows,
    scores_html,
    section_html,
    sides_html,
    source_html,
    standing_of,
    stored_values,
    summaries_html,
)
from relevance.pages.components.shared.charts import show_chart
from relevance.pages.components.shared.records import name_references, opening_of
from relevance.pages.components.shared.sources import Source
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.charts import similarity_heatmap
from relevance.reports.escaping import esc, in_markdown
from relevance.reports.evidence.bertscore import bertscore_matrix
from relevance.reports.evidence.novelty import ALL, NOVELTY, novelty_html
from relevance.reports.evidence.phrases import overview

AT_FIRST = 0.4
"""Seconds to wait for models before the page is drawn: BERTScore takes about half of it."""

DRAWN = 0.3
"""Seconds after which a browser has drawn an example."""

NAMED = "evidence_named"
"""Session key: the metrics whose evidence opens by default; when these change, the choice made before is forgotten."""


class ExplainableMetric(NamedTuple):
    """A metric whose evidence can be shown."""

    label: str
    signature: str
    stored: tuple[float, float]
    """The stored scores of A and B; NaN is missing."""
    people: str
    """People's preference: `A`, `B`, `tie`, `split`."""
    answers: str = ""
    """The answers of a language model as judge, in each order; empty for metrics."""

    @property
    def lexical(self) -> bool:
        """True if its evidence needs no model, and is there at once."""
        return is_lexical(self.signature) or not is_computed(self.signature)

    @property
    def prefers(self) -> str:
        """The summary that it prefers: `A`, `B`, `tie`, `missing`."""
        return preferred_side(self.stored[0] - self.stored[1], unknown="missing")


def describe_orders(verdicts: VerdictsOnPair) -> str:
    """Say what a language model answered in each order."""
    words = {1.0: "it preferred A", -1.0: "it preferred B", 0.0: "it preferred neither", None: "it gave no verdict"}
    reason = f" ({verdicts.reason})" if verdicts.reason else ""
    return f"With A shown first, {words[verdicts.a_first]}; with B first, {words[verdicts.b_first]}{reason}."


def show_pair(
    source: Source,
    pair: JudgedPair,
    signatures: Sequence[str],
    named: Sequence[str] = (),
    following: JudgedPair | None = None,
) -> None:
    """Show a pair of a source, with its scores under some signatures.

    What metrics saw stands before the source, so that it is in sight without scrolling. Evidence opens for the metrics
    that are `named`; metrics evaluate the `following` pair while one reads.
    """
    document, summaries = open_stores().data.record(source.dataset, pair.document)
    both = examples_of(pair, document, summaries)
    stored = source.stored(pair.document, pair.systems)
    values = stored_values(stored, signatures, pair.systems)
    answers = {name: describe_orders(value) for name, value in source.verdicts_on(pair.document, pair.systems).items()}
    metrics = [
        ExplainableMetric(label, name, values[name], pair.people, answers.get(name, ""))
        for name, label in labels(distinct(signatures), label_of).items()
    ]
    preferred, *others = overview((source.judges, pair.people), {metric.label: metric.prefers for metric in metrics})
    with st.container(key="verdict", gap="small"):
        st.header(in_markdown(document.title or opening_of(document)), anchor=False)
        st.markdown(f"**{in_markdown(preferred)}** {in_markdown(' '.join(others))}")
    remarks = {summary.system: summary.remarks for summary in summaries}
    shown = [
        ShownSummary(
            f"{letter}: {example.system}",
            f"Summary {letter}",
            example.candidate,
            "★ preferred" * (pair.people == letter),
            " ".join(REMARKS[remark] for remark in remarks[example.system]),
        )
        for letter, example in zip("AB", both, strict=True)
    ]
    st.html(summaries_html(shown))
    show_evidence(metrics, both, named, [] if following is None else read_following(source, following))
    st.html(scores_html(score_rows(source, pair, signatures, stored, summaries), pair.systems))
    show_compared(document, name_references(document, summaries))


def show_compared(document: Document, references: Sequence[tuple[str, str]]) -> None:
    """Show the source and, if there are any, its references, in tabs."""
    tabs = {"Source": source_html(document, titled=False)}
    if references:
        tabs["References"] = references_html(references)
    for tab, html in zip(st.tabs(list(tabs), key="compared"), tabs.values(), strict=True):
        tab.html(html)


def read_following(source: Source, pair: JudgedPair) -> list[Example]:
    """Read the two summaries of a pair that may be opened next; none if they cannot be read."""
    with suppress(StoreError, KeyError):  # reported when the pair is opened
        return examples_of(pair, *open_stores().data.record(source.dataset, pair.document))
    return []


def examples_of(pair: JudgedPair, document: Document, summaries: Sequence[Summary]) -> list[Example]:
    """Return a pair's two summaries, which are among `summaries`, as examples."""
    of_system = {example.system: example for example in make_examples(document, summaries)}
    return [of_system[system] for system in pair.systems]


def choose_evidence(options: Sequence[str], named: Sequence[str]) -> list[str]:
    """Ask for the metrics whose evidence to show, by default those that are `named`."""
    state = st.session_state
    wanted = [name for name in named if name in options] or list(options[:1])
    chosen = state.get("evidence")
    if state.get(NAMED) != wanted or chosen is None or (chosen and not set(chosen) & {*options}):
        state[NAMED], state["evidence"] = wanted, wanted
    state["evidence"] = [name for name in state["evidence"] if name in options]
    return list(st.pills("What metrics saw", options, selection_mode="multi", key="evidence"))


def show_evidence(
    metrics: Sequence[ExplainableMetric], both: Sequence[Example], named: Sequence[str], following: Sequence[Example]
) -> None:
    """Ask for metrics, or all of them, and show what they saw in both summaries.

    Evidence that needs no model is shown at once, the rest as it arrives. Metrics evaluate the `following` examples
    while one reads.
    """
    if not all(metric.lexical for metric in metrics):
        with suppress(CannotExplain):  # reported when their evidence is wanted
            inspector().warm()  # models load while people read
    metrics = [metric for metric in metrics if not is_length(metric.signature)]
    chosen = choose_evidence([*(metric.label for metric in metrics), NOVELTY, ALL], named)
    wanted = [metric for metric in metrics if metric.label in chosen or ALL in chosen]
    if ALL not in chosen:
        wanted.sort(key=lambda metric: chosen.index(metric.label))
    novelty = NOVELTY in chosen or ALL in chosen
    early, late = ([metric for metric in wanted if metric.lexical is lexical] for lexical in (True, False))
    models: ModelScores = st.session_state.setdefault("inspected", ModelScores())
    # Also with nothing to want, as this cancels earlier requests.
    models.want(*([(metric.signature, example) for metric in late for example in those] for those in (both, following)))
    models.ask(inspector())
    models.wait(AT_FIRST)
    if models.open:
        st.fragment(show_seen, run_every=LOOK)(wanted, both, models, novelty=novelty, by_timer=True)
    else:
        show_seen(wanted, both, models, novelty=novelty, by_timer=False)
    get_ready([metric.signature for metric in early if is_computed(metric.signature)], following)


def get_ready(signatures: Sequence[str], following: Sequence[Example]) -> None:
    """Have lexical metrics evaluate the following examples, once these have been drawn."""

    def look() -> None:
        for signature in signatures:
            with suppress(Exception):  # reported when the example is opened
                at_once(signature, following)

    if (earlier := st.session_state.pop("looks_ahead", None)) is not None:
        earlier.cancel()
    if signatures and following:
        timer = st.session_state["looks_ahead"] = Timer(DRAWN, look)
        timer.daemon = True
        timer.start()


def at_once(signature: str, examples: Sequence[Example]) -> list[Explained]:
    """Return the evidence of a metric without a model. Raises `CannotExplain`."""
    return [explain_lexical(signature, example) for example in examples]


def answers(models: ModelScores, signature: str, examples: Sequence[Example]) -> list[Explained]:
    """Return the models' evidence for examples, all of which are answered. Raises `CannotExplain`."""
    metrics = []
    for example in examples:
        answer = models.answer(signature, example)
        if not isinstance(answer, Explained):
            raise answer or CannotExplain("it was not asked for")
        metrics.append(answer)
    return metrics


def show_seen(
    metrics: Sequence[ExplainableMetric],
    both: Sequence[Example],
    models: ModelScores,
    *,
    novelty: bool,
    by_timer: bool,
) -> None:
    """Show what metrics saw, as far as models have answered, and which of them are still being computed.

    Two metrics stand side by side, more below each other.
    """
    models.collect()
    sections = [find_section(metric, both, models) for metric in metrics]
    if novelty:
        seen = [novelty_html(example.source, example.candidate) for example in both]
        sections.append(EvidenceSection(NOVELTY, section_html(NOVELTY, sides_html(seen))))
    if len(sections) == 2:
        for column, section in zip(st.columns(2, gap="small"), sections, strict=True):
            with column:
                show_sections([section])
    else:
        show_sections(sections)
    if by_timer and not models.open:
        st.rerun()  # which ends the timer


def find_section(metric: ExplainableMetric, both: Sequence[Example], models: ModelScores) -> EvidenceSection:
    """Return the evidence of one metric, or that it is being computed; for a language model, its answers."""
    if is_judge(metric.signature):
        answer = metric.answers or "It was not asked about this pair."
        body = f"<p>{esc(answer)}</p>"
        return EvidenceSection(
            metric.label, section_html(metric.label, body, standing=standing_of(metric.prefers, metric.people))
        )
    if metric.lexical:
        return make_evidence_section(metric, both, partial(at_once, metric.signature, both))
    if any(models.answer(metric.signature, example) is None for example in both):
        return EvidenceSection(metric.label, "", waiting=f"{in_markdown(metric.label)} is being computed.")
    return make_evidence_section(metric, both, partial(answers, models, metric.signature, both))


class EvidenceSection(NamedTuple):
    """The evidence of one metric for both summaries."""

    label: str
    html: str
    notes: Sequence[str] = ()
    """Notes on it, in Markdown."""
    compared: Sequence[Example] = ()
    """Both summaries with the texts that they were compared with."""
    scores: Sequence[Explained] = ()
    waiting: str = ""
    """The message, in Markdown, while its model is computing."""


def make_evidence_section(
    metric: ExplainableMetric, both: Sequence[Example], find: Callable[[], list[Explained]]
) -> EvidenceSection:
    """Make the evidence of one metric for both summaries, or say why there is none."""
    first, second, _ = format_scores(*metric.stored)
    scores, standing = f"A {first}, B {second}", standing_of(metric.prefers, metric.people)
    try:
        explained = find()
    except CannotExplain as error:
        html = section_html(metric.label, "", scores, standing)
        return EvidenceSection(metric.label, html, [f"Undefined: {in_markdown(error)}."])
    blocks = [evidence_html(metric.signature, example, score) for example, score in zip(both, explained, strict=True)]
    notes = []
    for letter, value, seen in zip("AB", metric.stored, explained, strict=True):
        if seen.truncated:
            notes.append(f"{letter}: a text is longer than the model's limit; its end did not count.")
        if seen.value is not None and not np.isnan(value) and abs(seen.value - value) > 1e-4:
            notes.append(f"{letter}: the stored score is {value:.4f}, the evidence shown here gives {seen.value:.4f}.")
    compared = set_against(both, references_rule(metric.signature))
    html = section_html(metric.label, sides_html(blocks), scores, standing)
    return EvidenceSection(metric.label, html, notes, compared, explained)


def show_sections(sections: Sequence[EvidenceSection]) -> None:
    """Show sections, in as few pieces as notes allow: browsers are slower with many."""
    gathered = ""
    for section in sections:
        matrices = any(isinstance(score.evidence, BertScoreEvidence) for score in section.scores)
        gathered += section.html
        if gathered and (section.notes or section.waiting or matrices):
            st.html(gathered)
            gathered = ""
        if section.waiting:
            st.info(section.waiting, icon="spinner")
        for note in section.notes:
            (st.warning if section.scores else st.info)(note)
        if matrices:
            show_matrices(section)
    if gathered:
        st.html(gathered)


def show_matrices(section: EvidenceSection) -> None:
    """Show BERTScore's similarities, token by token, in parts to unfold."""
    label = section.label
    for letter, example, score in zip("AB", section.compared, section.scores, strict=True):
        if score.evidence is None:
            continue
        matrix = bertscore_matrix(score.evidence, example)
        with st.expander(f"Similarities of {letter}, token by token", key=f"similarity:{label}:{letter}"):
            st.caption(f"{letter} beside {matrix.beside}. {in_one_line(matrix.note)}")
            show_chart(
                similarity_heatmap(matrix.frame),
                f"{label}-{letter}",
                f"How similar each token of summary {letter} is to each of {matrix.beside}.",
            )
