"""Metrics of summaries, one file each; `registry.py` names them."""

from __future__ import annotations

from metrics.base import Metric, Score
from metrics.registry import METRICS, UnknownMetric, default_metrics, is_lexical, lexical_metrics, make_metrics, metric

__all__ = [
    "METRICS",
    "Metric",
    "Score",
    "UnknownMetric",
    "default_metrics",
    "is_lexical",
    "lexical_metrics",
    "make_metrics",
    "metric",
]
