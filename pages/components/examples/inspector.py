"""One pair whole: the texts, every metric's scores and preference, and what metrics saw in both summaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from threading import Timer
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from data.one_line import in_one_line
from data.preferences import Preferences
from data.records import Document, Example, make_examples
from data.signatures import distinct, is_length, labels, name_of
from data.store import StoreError
from metrics import is_lexical
from metrics.explained import CannotExplain, Explained
from pages.components.evidence.bertscore import bertscore_matrix
from pages.components.evidence.model_scores import LOOK, ModelScores
from pages.components.evidence.novelty import ALL, NOVELTY, novelty_html
from pages.components.evidence.views import evidence_html, explain_lexical, inspector
from pages.components.examples.texts import (
    ShownSummary,
    format_number,
    pair_scores,
    preferred_side,
    section_html,
    sides_html,
    texts_html,
)
from pages.components.shared.sources import Source
from pages.components.shared.stores import open_stores
from reports.charts import similarity_heatmap
from reports.escaping import in_markdown

AT_FIRST = 0.4
"""Seconds that models are waited for at once: BERTScore takes about half of it."""


DRAWN = 0.3
"""Seconds after which a browser has drawn an example."""


SHOWN_BESIDE = {"source": "the source", "references": "the references"}


class ExplainableMetric(NamedTuple):
    """A metric whose evidence can be shown."""

    label: str
    signature: str
    stored: tuple[float, float]
    """The scores of A and B that are kept; NaN is missing."""

    @property
    def lexical(self) -> bool:
        """Whether its evidence needs no model, and is there at once."""
        return is_lexical(self.signature)


def show_pair(source: Source, preferences: Preferences, pair: int, following: int | None = None) -> None:
    """Show a pair that one entry of the preferences is about; metrics look at the `following` one meanwhile."""
    document, both = pair_of(source, preferences, pair)
    st.subheader(in_markdown(document.title or f"Document {document.id}"), anchor=False)
    beside = st.segmented_control(
        "Beside the summaries",
        list(SHOWN_BESIDE),
        format_func=lambda name: SHOWN_BESIDE[name],
        default="source",
        key="beside",
        required=True,
        label_visibility="collapsed",
    )
    shown = [
        ShownSummary(f"{letter}: {example.system}", f"Summary {letter}", example.candidate)
        for letter, example in zip("AB", both, strict=True)
    ]
    texts = texts_html(document, shown, "references" if beside == "references" else "source", titled=False)
    st.html(texts + pair_scores(source, preferences, pair))
    named = labels(distinct(preferences.scores))
    show_evidence(
        [ExplainableMetric(label, one, as_pair(preferences.scores[one][pair])) for one, label in named.items()],
        both,
        [] if following is None else read_following(source, preferences, following),
    )


def read_following(source: Source, preferences: Preferences, pair: int) -> list[Example]:
    """The two summaries of a pair that may be opened next; none where they cannot be read."""
    with suppress(StoreError, KeyError):  # whoever opens it is told
        return pair_of(source, preferences, pair)[1]
    return []


def pair_of(source: Source, preferences: Preferences, pair: int) -> tuple[Document, list[Example]]:
    """The document of a pair, and its two summaries beside it."""
    document, summaries = open_stores().data.record(source.dataset, preferences.documents[pair])
    of_system = {example.system: example for example in make_examples(document, summaries)}
    return document, [of_system[system] for system in (preferences.firsts[pair], preferences.seconds[pair])]


def as_pair(values: NDArray[np.float64]) -> tuple[float, float]:
    """Two scores as plain numbers."""
    one, other = map(float, values)
    return one, other


def show_evidence(metrics: Sequence[ExplainableMetric], both: Sequence[Example], following: Sequence[Example]) -> None:
    """Let the reader choose a metric, or all of them, and show what was seen in both summaries.

    What needs no model is there first; the others have a place of their own, and fill it as they arrive. Metrics look
    at the `following` examples while one reads.
    """
    if not all(metric.lexical for metric in metrics):
        with suppress(CannotExplain):  # whoever asks for their evidence is told
            inspector().warm()  # models load while people read
    metrics = [metric for metric in metrics if not is_length(metric.signature)]
    options = list(dict.fromkeys([*(metric.label for metric in metrics), NOVELTY, ALL]))
    what = st.segmented_control("What did it see?", options, default=options[0], key="evidence", required=True)
    wanted = [metric for metric in metrics if what in {metric.label, ALL}]
    early, late = ([metric for metric in wanted if metric.lexical is lexical] for lexical in (True, False))
    sections = [make_evidence_section(metric, both, partial(at_once, metric.signature, both)) for metric in early]
    if what in {NOVELTY, ALL}:
        novelty = [novelty_html(example.source, example.candidate) for example in both]
        sections.append(EvidenceSection(section_html(NOVELTY, sides_html(novelty))))
    show_sections(sections)
    models: ModelScores = st.session_state.setdefault("inspected", ModelScores())
    # Nothing, too: what was asked before is wanted no more.
    models.want(*([(metric.signature, example) for metric in late for example in those] for those in (both, following)))
    models.ask(inspector())
    models.wait(AT_FIRST)
    if models.open:
        st.fragment(show_late, run_every=LOOK)(late, both, models, by_timer=True)
    else:
        show_late(late, both, models, by_timer=False)
    get_ready([metric.signature for metric in early], following)


def get_ready(signatures: Sequence[str], following: Sequence[Example]) -> None:
    """Have lexical metrics look at the examples that follow, once these have been drawn."""

    def look() -> None:
        for signature in signatures:
            with suppress(Exception):  # whoever comes to see it is told
                at_once(signature, following)

    if (earlier := st.session_state.pop("looks_ahead", None)) is not None:
        earlier.cancel()
    if signatures and following:
        timer = st.session_state["looks_ahead"] = Timer(DRAWN, look)
        timer.daemon = True
        timer.start()


def at_once(signature: str, examples: Sequence[Example]) -> list[Explained]:
    """The evidence of a metric without a model. Raises `CannotExplain`."""
    return [explain_lexical(signature, example) for example in examples]


def answers(models: ModelScores, signature: str, examples: Sequence[Example]) -> list[Explained]:
    """What the models saw in examples, all of which they have answered. Raises `CannotExplain`."""
    found = []
    for example in examples:
        answer = models.answer(signature, example)
        if not isinstance(answer, Explained):
            raise answer or CannotExplain("it was not asked for")
        found.append(answer)
    return found


def show_late(
    metrics: Sequence[ExplainableMetric], both: Sequence[Example], models: ModelScores, by_timer: bool
) -> None:
    """Show what models have answered up to now, and which of them are still waited for."""
    models.collect()
    for metric in metrics:
        if any(models.answer(metric.signature, example) is None for example in both):
            st.info(f"{in_markdown(metric.label)}: its model is looking at both summaries.", icon="spinner")
        else:
            section = make_evidence_section(metric, both, partial(answers, models, metric.signature, both))
            show_sections([section])
            if section.found and name_of(metric.signature) == "bertscore":
                heatmaps(metric.signature, both, section.found)
    if by_timer and not models.open:
        st.rerun()  # which ends the timer


class EvidenceSection(NamedTuple):
    """What one metric saw in both summaries."""

    html: str
    notes: Sequence[str] = ()
    """What is to be said of it, in Markdown."""
    found: Sequence[Explained] = ()


def make_evidence_section(
    metric: ExplainableMetric, both: Sequence[Example], find: Callable[[], list[Explained]]
) -> EvidenceSection:
    """What one metric saw in both summaries, or why that cannot be had."""
    one, other = metric.stored
    prefers = preferred_side(one - other, unknown="missing")
    said = f"A {format_number(one) or 'missing'}, B {format_number(other) or 'missing'}; prefers: {prefers}"
    try:
        found = find()
    except CannotExplain as error:
        return EvidenceSection(
            section_html(metric.label, "", said, metric.signature), [f"Undefined: {in_markdown(error)}."]
        )
    blocks = [evidence_html(metric.signature, example, one) for example, one in zip(both, found, strict=True)]
    notes = []
    for letter, value, seen in zip("AB", metric.stored, found, strict=True):
        if seen.truncated:
            notes.append(f"{letter}: a text is longer than the model's limit; its end did not count.")
        if seen.value is not None and not np.isnan(value) and abs(seen.value - value) > 1e-4:
            notes.append(f"{letter}: the stored score is {value:.4f}, what is shown here makes {seen.value:.4f}.")
    return EvidenceSection(section_html(metric.label, sides_html(blocks), said, metric.signature), notes, found)


def show_sections(sections: Sequence[EvidenceSection]) -> None:
    """Show sections, as one piece up to where something is to be said: browsers are slower with many."""
    waiting = ""
    for section in sections:
        waiting += section.html
        if section.notes:
            st.html(waiting)
            waiting = ""
        for note in section.notes:
            (st.warning if section.found else st.info)(note)
    if waiting:
        st.html(waiting)


def heatmaps(signature: str, both: Sequence[Example], found: Sequence[Explained]) -> None:
    """BERTScore's similarities, token by token."""
    for column, letter, example, one in zip(st.columns(2), "AB", both, found, strict=True):
        if one.evidence is None:
            continue
        matrix = bertscore_matrix(one.evidence, example)
        with column:
            st.altair_chart(similarity_heatmap(matrix.frame), key=f"similarity:{signature}:{letter}")
            st.caption(f"{letter} beside reference {matrix.reference + 1}. {in_one_line(matrix.note)}")
