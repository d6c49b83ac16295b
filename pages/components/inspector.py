"""One pair whole: the texts, every metric's scores and preference, and what a metric saw in both summaries."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import streamlit as st

from data.preferences import Preferences
from data.records import Example, examples
from metrics import LEXICAL
from metrics.analysis import distinct, labels
from metrics.inspection import CannotExplain, Explained
from pages.components.charts import similarity_heatmap
from pages.components.evidence import bertscore_matrix, novelty_html
from pages.components.examples import pair_scores
from pages.components.explaining import evidence_html, explained, inspector, side_by_side
from pages.components.stores import stores
from pages.components.text import STYLE, document_block, in_markdown, in_one_line, text_block

NOVELTY = "words not in the source"


def show_pair(dataset: str, preferences: Preferences, pair: int) -> None:
    """Show a pair that one entry of the preferences is about."""
    document_id = preferences.documents[pair]
    document, summaries = stores().data.record(dataset, document_id)
    of_system = {example.system: example for example in examples(document, summaries)}
    both = [of_system[system] for system in (preferences.firsts[pair], preferences.seconds[pair])]
    st.subheader(in_markdown(document.title or f"Document {document_id}"), anchor=False)
    with st.expander("Source", expanded=False):
        source = document.source or "(the data set does not contain its documents)"
        st.html(STYLE + document_block(source, document.title))
    with st.expander(f"References ({len(document.references)})"):
        for number, reference in enumerate(document.references, 1):
            st.html(STYLE + text_block(reference, f"Reference {number}"))
    for column, letter, example in zip(st.columns(2, border=True), "AB", both, strict=True):
        with column:
            st.markdown(f"**{letter}: {in_markdown(example.system)}**")
            st.html(STYLE + text_block(example.candidate, f"Summary {letter}"))
    scores = pair_scores(preferences, pair)
    formats = {name: st.column_config.NumberColumn(format="%.4g") for name in scores.select_dtypes("float")}
    st.dataframe(scores, hide_index=True, column_config=formats, placeholder="", key="pair_scores")

    named = {label: signature for signature, label in labels(distinct(preferences.scores)).items()}
    if any(signature.split("|", maxsplit=1)[0] not in LEXICAL for signature in named.values()):
        with suppress(CannotExplain):  # whoever asks for their evidence is told
            inspector().warm()  # models load while people read
    shown = [name for name, signature in named.items() if not signature.startswith("length|")]
    asked = st.segmented_control(
        "What did it see?", [*shown, NOVELTY], default=(shown or [NOVELTY])[0], key="evidence", required=True
    )
    if asked == NOVELTY:
        side_by_side([novelty_html(example.source, example.candidate) for example in both], "AB")
        return
    signature = named[asked]
    st.caption(in_markdown(signature))
    try:
        found = [explained(signature, example) for example in both]
    except CannotExplain as error:
        st.info(f"Undefined: {in_markdown(error)}.")
        return
    stored = [float(value) for value in preferences.scores[signature][pair]]
    side_by_side([evidence_html(signature, example, one) for example, one in zip(both, found, strict=True)], "AB")
    for letter, value, one in zip("AB", stored, found, strict=True):
        if one.truncated:
            st.warning(f"{letter}: a text is longer than the model's limit; its end did not count.")
        if one.value is not None and not np.isnan(value) and abs(one.value - value) > 1e-4:
            st.warning(f"{letter}: the stored score is {value:.4f}, what is shown here makes {one.value:.4f}.")
    if signature.startswith("bertscore|"):
        heatmaps(both, found)


def heatmaps(both: list[Example], found: list[Explained]) -> None:
    """BERTScore's similarities, token by token."""
    for column, letter, example, one in zip(st.columns(2), "AB", both, found, strict=True):
        if one.evidence is None:
            continue
        matrix = bertscore_matrix(one.evidence, example.candidate, example.references)
        with column:
            st.altair_chart(similarity_heatmap(matrix.frame), key=f"similarity:{letter}")
            st.caption(f"{letter} beside reference {matrix.reference + 1}. {in_one_line(matrix.note)}")
