"""Scores that are computed while somebody waits, by metrics that take seconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from relevance.pages.components.shared.stores import open_stores

if TYPE_CHECKING:  # loaded where they are used
    from relevance.metrics import Metric


def score(dataset: str, names: Sequence[str], **options: Any) -> dict[str, str]:
    """Compute missing scores while showing progress; return the metrics' signatures by name.

    `options` are those of the metrics, by default the usual ones of the data set.
    """
    from relevance.metrics.registry import make_metrics, usual_options

    usual = usual_options(referenced=open_stores().data.dataset(dataset).referenced)
    made = make_metrics(names, **usual | options)
    score_by(dataset, made)
    return {metric.name: metric.signature for metric in made}


def score_by(dataset: str, metrics: Sequence[Metric]) -> None:
    """Compute missing scores of some metrics while showing progress."""
    from relevance.metrics.scoring import score_dataset

    bar = st.progress(0.0, text="Scoring")

    def progress(done: int, total: int) -> None:
        bar.progress(done / max(1, total), text=f"Scoring: {done} of {total}")

    score_dataset(open_stores().data, dataset, metrics, progress)
    bar.empty()
