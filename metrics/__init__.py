"""Metrics of summaries, one file each; `registry.py` names them."""

from relevance.metrics.base import Metric, Score
from relevance.metrics.registry import METRICS, default_metrics, is_lexical, lexical_metrics, make_metrics, metric

__all__ = [
    "METRICS",
    "Metric",
    "Score",
    "default_metrics",
    "is_lexical",
    "lexical_metrics",
    "make_metrics",
    "metric",
]
