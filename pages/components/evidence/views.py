"""Recompute and show a metric's evidence from its signature, for every page that shows evidence."""

from collections.abc import Sequence
from functools import lru_cache

import streamlit as st

from relevance.data.records import Example
from relevance.metrics.background.explaining import Inspector
from relevance.metrics.explained import Explained
from relevance.reports.evidence.blocks import no_evidence
from relevance.reports.evidence.renderers import renderer_of


@st.cache_resource(show_spinner=False)
def inspector() -> Inspector:
    """Return the model process, shared by all sessions."""
    return Inspector()


@lru_cache(maxsize=512)
def explain_lexical(signature: str, example: Example) -> Explained:
    """Return the score of a metric that needs no model, with its evidence. Raises `CannotExplain`."""
    return inspector().explain(signature, example)


def evidence_html(signature: str, example: Example, explained: Explained) -> str:
    """Write the evidence of one summary as HTML, or that there is none."""
    renderer = renderer_of(signature)
    if renderer is None or explained.evidence is None:
        return no_evidence(explained.missing)
    return renderer.html(explained.evidence, example)


def side_by_side(blocks: Sequence[str], letters: Sequence[str]) -> None:
    """Show the evidence of several summaries in columns under their letters."""
    for column, letter, block in zip(st.columns(len(blocks), border=True), letters, blocks, strict=True):
        with column:
            st.markdown(f"**{letter}**")
            st.html(block)
