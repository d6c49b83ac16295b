"""Make a metric again from its signature."""

from collections.abc import Iterable
from contextlib import suppress
from functools import cache

from relevance.data.signatures import Signature
from relevance.metrics.base import Metric
from relevance.metrics.registry import METRICS, default_metrics, make_metrics, metric, usual_metrics, usual_options

NOT_MADE_AGAIN = (
    "this score was computed from a file of its own (word vectors, keywords, word frequencies), with another model, or "
    "by another version of this program, so that it can be shown but not explained here"
)
"""The reason, for people, when `metric_of` returns None."""


@cache
def signatures(*, referenced: bool = True, also: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the signature of each metric of `usual_metrics`, and of some `also`, with its usual settings, by its name.

    `referenced` texts have references. A metric of another package that cannot be made has none.
    """
    metrics = {}
    for name in (*usual_metrics(), *also):
        with suppress(ValueError):
            metrics[name] = metric(name, **usual_options(referenced=referenced)).signature
    return metrics


def metric_of(signature: str) -> Metric | None:
    """Make the metric of a signature again, or return None if the signature does not give all settings; loads no model.

    Metrics that read files (word vectors, baselines, inverse document frequencies), use another model than the embedded
    one or are of another version cannot be made again.
    """
    parsed = Signature.parse(signature)
    if parsed.name not in METRICS:
        return None
    try:
        made = metric(parsed.name, **METRICS[parsed.name].options_of(parsed.values))
    except (KeyError, ValueError):
        return None
    return made if made.signature == signature else None


def metrics_for(signatures: Iterable[str], *, referenced: bool) -> list[Metric]:
    """Return the default metrics of texts with or without references, and those of some signatures.

    Metrics of signatures are returned as far as they can be made again.
    """
    made = (
        *make_metrics(default_metrics(), **usual_options(referenced=referenced)),
        *filter(None, map(metric_of, signatures)),
    )
    return list({metric.signature: metric for metric in made}.values())
