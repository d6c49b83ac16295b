"""What a metric saw in a summary, had again from its signature, and rendered: for every page that shows evidence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import streamlit as st

from data.records import Example
from metrics.background.explaining import Inspector
from metrics.explained import Explained
from pages.components.evidence.apes import apes_html
from pages.components.evidence.bertscore import bertscore_html
from pages.components.evidence.blocks import no_evidence
from pages.components.evidence.carouge import carouge_html
from pages.components.evidence.rouge import ROUGE_UNITS, rouge_html
from pages.components.evidence.rouge_k import rouge_k_html


@st.cache_resource(show_spinner=False)
def inspector() -> Inspector:
    """The process in which models explain, for all sessions."""
    return Inspector()


@lru_cache(maxsize=512)
def explain_lexical(signature: str, example: Example) -> Explained:
    """The score of a metric that needs no model, with its evidence. Raises `CannotExplain`."""
    return inspector().explain(signature, example)


def evidence_html(signature: str, example: Example, found: Explained) -> str:
    """The evidence of one summary."""
    name = signature.split("|", maxsplit=1)[0]
    candidate, references, missing = example.candidate, example.references, found.missing
    match name:
        case _ if name in ROUGE_UNITS:
            return rouge_html(found.evidence, candidate, references, name, missing)
        case "rouge_k":
            return rouge_k_html(found.evidence, candidate, example.title, missing)
        case "bertscore":
            return bertscore_html(found.evidence, candidate, references, missing=missing)
        case "carouge":
            against = [example.source] if "|important:tfidf" in signature else references
            return carouge_html(found.evidence, candidate, against, missing)
        case "apes":
            return apes_html(found.evidence, candidate, missing)
    return no_evidence(missing)


def side_by_side(blocks: Sequence[str], letters: Sequence[str]) -> None:
    """The evidence of several summaries in columns under their letters."""
    for column, letter, block in zip(st.columns(len(blocks), border=True), letters, blocks, strict=True):
        with column:
            st.markdown(f"**{letter}**")
            st.html(block)
