"""One pair whole: the texts, every metric's scores and preference, and what metrics saw in both summaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from data.preferences import Preferences
from data.records import Example, examples
from metrics import LEXICAL
from metrics.analysis import distinct, labels
from metrics.inspection import CannotExplain, Explained
from pages.components.arriving import LOOK, Asking, ask, wait_a_moment
from pages.components.charts import similarity_heatmap
from pages.components.evidence import bertscore_matrix, novelty_html
from pages.components.examples import (
    Shown,
    number,
    pair_scores,
    preferred,
    section_html,
    sides_html,
    texts_html,
)
from pages.components.explaining import evidence_html, explained, inspector
from pages.components.highlight import HIGHLIGHT_STYLE
from pages.components.sources import Source
from pages.components.stores import stores
from pages.components.text import in_markdown, in_one_line

ALL = "all of them"
"""Every metric's evidence on one screen."""

NOVELTY = "words not in the source"

SHOWN_BESIDE = {"source": "the source", "references": "the references"}


class Asked(NamedTuple):
    """A metric whose evidence can be shown."""

    label: str
    signature: str
    stored: tuple[float, float]
    """The scores of A and B that are kept; NaN is missing."""

    @property
    def lexical(self) -> bool:
        """Whether its evidence needs no model, and is there at once."""
        return self.signature.split("|", maxsplit=1)[0] in LEXICAL


def show_pair(source: Source, preferences: Preferences, pair: int) -> None:
    """Show a pair that one entry of the preferences is about."""
    document_id, systems = preferences.documents[pair], (preferences.firsts[pair], preferences.seconds[pair])
    document, summaries = stores().data.record(source.dataset, document_id)
    of_system = {example.system: example for example in examples(document, summaries)}
    both = [of_system[system] for system in systems]

    st.subheader(in_markdown(document.title or f"Document {document_id}"), anchor=False)
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
        Shown(f"{letter}: {example.system}", f"Summary {letter}", example.candidate)
        for letter, example in zip("AB", both, strict=True)
    ]
    texts = texts_html(document, shown, "references" if beside == "references" else "source", titled=False)
    st.html(HIGHLIGHT_STYLE + texts + pair_scores(source, preferences, pair))
    named = labels(distinct(preferences.scores))
    show_evidence([Asked(label, one, as_pair(preferences.scores[one][pair])) for one, label in named.items()], both)


def as_pair(values: NDArray[np.float64]) -> tuple[float, float]:
    """Two scores as plain numbers."""
    one, other = map(float, values)
    return one, other


def show_evidence(metrics: Sequence[Asked], both: Sequence[Example]) -> None:
    """Let the reader choose a metric, or all of them, and show what was seen in both summaries.

    What needs no model is there first; the others have a place of their own, and fill it as they arrive.
    """
    if not all(metric.lexical for metric in metrics):
        with suppress(CannotExplain):  # whoever asks for their evidence is told
            inspector().warm()  # models load while people read
    metrics = [metric for metric in metrics if not metric.signature.startswith("length|")]
    options = list(dict.fromkeys([*(metric.label for metric in metrics), NOVELTY, ALL]))
    what = st.segmented_control("What did it see?", options, default=options[0], key="evidence", required=True)
    wanted = [metric for metric in metrics if what in {metric.label, ALL}]
    for metric in wanted:
        if metric.lexical:
            show_found(metric, both, partial(at_once, metric.signature, both))
    if what in {NOVELTY, ALL}:
        novelty = [novelty_html(example.source, example.candidate) for example in both]
        st.html(section_html(NOVELTY, sides_html(novelty)))
    late = [metric for metric in wanted if not metric.lexical]
    asked = ask([metric.signature for metric in late], both)  # nothing, too: what was asked before is wanted no more
    wait_a_moment(asked)
    if asked.over:
        show_late(late, asked, by_timer=False)
    else:
        st.fragment(show_late, run_every=LOOK)(late, asked, by_timer=True)


def at_once(signature: str, examples: Sequence[Example]) -> list[Explained]:
    """The evidence of a metric without a model. Raises `CannotExplain`."""
    return [explained(signature, example) for example in examples]


def show_late(metrics: Sequence[Asked], asked: Asking, by_timer: bool) -> None:
    """Show what models have answered up to now, and which of them are still waited for."""
    for place, metric in enumerate(metrics):
        if asked.answered(place):
            show_found(metric, asked.examples, partial(asked.found, place))
        else:
            st.info(f"{in_markdown(metric.label)}: its model is looking at both summaries.", icon="spinner")
    if by_timer and asked.over:
        st.rerun()  # which ends the timer


def show_found(metric: Asked, both: Sequence[Example], find: Callable[[], list[Explained]]) -> None:
    """Show what one metric saw in both summaries, or why that cannot be had."""
    one, other = metric.stored
    prefers = preferred(one - other, unknown="missing")
    said = f"A {number(one) or 'missing'}, B {number(other) or 'missing'}; prefers: {prefers}"
    try:
        found = find()
    except CannotExplain as error:
        st.html(section_html(metric.label, "", said, metric.signature))
        st.info(f"Undefined: {in_markdown(error)}.")
        return
    blocks = [evidence_html(metric.signature, example, one) for example, one in zip(both, found, strict=True)]
    st.html(section_html(metric.label, sides_html(blocks), said, metric.signature))
    for letter, value, seen in zip("AB", metric.stored, found, strict=True):
        if seen.truncated:
            st.warning(f"{letter}: a text is longer than the model's limit; its end did not count.")
        if seen.value is not None and not np.isnan(value) and abs(seen.value - value) > 1e-4:
            st.warning(f"{letter}: the stored score is {value:.4f}, what is shown here makes {seen.value:.4f}.")
    if metric.signature.startswith("bertscore|"):
        heatmaps(metric.signature, both, found)


def heatmaps(signature: str, both: Sequence[Example], found: Sequence[Explained]) -> None:
    """BERTScore's similarities, token by token."""
    for column, letter, example, one in zip(st.columns(2), "AB", both, found, strict=True):
        if one.evidence is None:
            continue
        matrix = bertscore_matrix(one.evidence, example.candidate, example.references)
        with column:
            st.altair_chart(similarity_heatmap(matrix.frame), key=f"similarity:{signature}:{letter}")
            st.caption(f"{letter} beside reference {matrix.reference + 1}. {in_one_line(matrix.note)}")
