"""Make a metric again from its signature."""

from collections.abc import Iterable
from functools import cache

from data.signatures import Signature
from metrics.base import Metric
from metrics.registry import METRICS, default_metrics, make_metrics, metric

NOT_MADE_AGAIN = (
    "this score was computed from a file of its own (word vectors, keywords, word frequencies), with another model, or "
    "by another version of this program, so that it can be shown but not explained here"
)
"""Why `metric_of` finds no metric, for people."""


@cache
def signatures() -> dict[str, str]:
    """The signature of each metric with its default settings, by its name."""
    return {name: metric(name).signature for name in METRICS}


def metric_of(signature: str) -> Metric | None:
    """Recreate the metric of a signature, or None if the signature does not give all settings; loads no model.

    Metrics that take files (word vectors, baselines, inverse document frequencies) or another model than the embedded
    one cannot be made again, nor those of another version.
    """
    parsed = Signature.parse(signature)
    if parsed.name not in METRICS:
        return None
    try:
        made = metric(parsed.name, **METRICS[parsed.name].options_of(parsed.values))
    except (KeyError, ValueError):
        return None
    return made if made.signature == signature else None


def metrics_for(signatures: Iterable[str]) -> list[Metric]:
    """The metrics that are scored by default, and those of some signatures as far as they can be made again."""
    found = {made.signature: made for made in (*make_metrics(default_metrics()), *map(metric_of, signatures)) if made}
    return list(found.values())
