"""Metrics of summaries, one file each; `registry.py` names them, and those that other packages bring."""

from relevance.metrics.base import Metric, Score
from relevance.metrics.evidence import MatchedEvidence, TextMatch
from relevance.metrics.kind import MetricKind, option
from relevance.metrics.registry import METRICS, default_metrics, is_lexical, lexical_metrics, make_metrics, metric

__all__ = [
    "METRICS",
    "MatchedEvidence",
    "Metric",
    "MetricKind",
    "Score",
    "TextMatch",
    "default_metrics",
    "is_lexical",
    "lexical_metrics",
    "make_metrics",
    "metric",
    "option",
]
