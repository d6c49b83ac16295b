"""A score with the evidence that it was computed from."""

from __future__ import annotations

from typing import Any, NamedTuple

from data.records import Example
from metrics.base import Metric, score_candidates
from metrics.registry import lexical_metrics, metric

WARMING = Example("warm", "up", "Anna left Paris.", ("Anna went to Paris.",), "Paris", "Anna was in Paris.")
"""What every metric finds something in, and so loads all that it needs."""


class CannotExplain(ValueError):
    """There is no evidence to be had now; the message says why."""


class RequestCancelled(CannotExplain):
    """Whoever asked gave the question up before it was put."""


class ModelsBusy(CannotExplain):
    """The models are being loaded, or busy with other examples: it is worth asking again."""


class Explained(NamedTuple):
    """A score with what it was computed from, of one pass."""

    value: float | None
    missing: str | None
    """Why there is no value."""
    truncated: bool
    """Whether a text was longer than a model's limit, so that its end did not count."""
    evidence: Any
    """The metric's `MetricKind.evidence`; None where the value is missing."""


def explain(metric: Metric, example: Example) -> Explained:
    """Score one example and take its evidence. Raises what the metric raises, such as `ModelUnavailable`."""
    (score,) = score_candidates(metric, [example])
    return Explained(score.value, score.missing, score.truncated, score.evidence)


def load_dictionaries() -> None:
    """Have the lexical metrics load what they need, a second's work, before somebody waits for it."""
    for name in lexical_metrics():
        explain(metric(name), WARMING)
