"""A score with the evidence that it was computed from."""

from typing import Any, NamedTuple

from relevance.data.records import Example
from relevance.metrics.base import Metric, score_candidates
from relevance.metrics.evidence import check_evidence
from relevance.metrics.registry import METRICS, lexical_metrics, metric

WARMING = Example("warm", "up", "Anna left Paris.", ("Anna went to Paris.",), "Paris", "Anna was in Paris.")
"""An example in which every metric finds something, so that scoring it loads all that they need."""


class CannotExplain(ValueError):
    """The evidence is not available; the message says why."""


class RequestCancelled(CannotExplain):
    """The request was cancelled before it was sent."""


class ModelsBusy(CannotExplain):
    """The models are loading or busy; try again later."""


class Explained(NamedTuple):
    """A score with its evidence, from one pass."""

    value: float | None
    missing: str | None
    truncated: bool
    """True if a text was longer than a model's limit, so that its end did not count."""
    evidence: Any
    """The metric's evidence, of the type `MetricKind.evidence`; None if the value is missing."""


def explain(metric: Metric, example: Example) -> Explained:
    """Score one example and take its evidence. Raises what the metric raises, such as `ModelUnavailable`.

    Raises ValueError for evidence that the metric's description does not promise.
    """
    (score,) = score_candidates(metric, [example])
    kind = METRICS.get(metric.name)
    check_evidence(score.evidence, None if kind is None else kind.evidence, example)
    return Explained(score.value, score.missing, score.truncated, score.evidence)


def load_dictionaries() -> None:
    """Load in advance what the lexical metrics need, which takes a second."""
    for name in lexical_metrics():
        explain(metric(name), WARMING)
