"""The registry of metrics: each of ours is a file of its own, and packages and functions bring others."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from relevance.data.records import SOURCE
from relevance.data.signatures import Signature, name_of
from relevance.metrics.apes.metric import APES
from relevance.metrics.base import Metric
from relevance.metrics.bertscore import BERTSCORE
from relevance.metrics.carouge import CAROUGE
from relevance.metrics.functions import Function
from relevance.metrics.kind import MetricKind, Option
from relevance.metrics.length import LENGTH
from relevance.metrics.libraries import OF_LIBRARIES, find_lacking
from relevance.metrics.plugins import MetricRegistry
from relevance.metrics.rouge import ROUGE_1, ROUGE_2, ROUGE_L, ROUGE_SU4
from relevance.metrics.rouge_k import ROUGE_K
from relevance.metrics.rouge_lsum import ROUGE_LSUM

OURS: dict[str, MetricKind] = {
    "rouge1": ROUGE_1,
    "rouge2": ROUGE_2,
    "rougeL": ROUGE_L,
    "rougeLsum": ROUGE_LSUM,
    "rougeSU4": ROUGE_SU4,
    "rouge_k": ROUGE_K,
    "bertscore": BERTSCORE,
    "carouge": CAROUGE,
    "apes": APES,
    "length": LENGTH,
}

METRICS = MetricRegistry(OURS)


class UnknownMetric(ValueError):
    """No metric in `METRICS` has this name."""


def metric(name: str | Function, **options: Any) -> Metric:
    """Make a metric by its name, with those of the given options that it has, or of a function (`FunctionMetric`).

    Raises `UnknownMetric`, ValueError for an option out of its range, and TypeError for an option that no metric has.
    """
    if callable(name):
        return METRICS.make_function(name)
    if name not in METRICS:
        needed = find_lacking().get(name)
        how = f": it needs {needed}" if needed else ""
        raise UnknownMetric(f"unknown metric {name!r}{how}; known are {', '.join(METRICS)}")
    if unknown := options.keys() - {known for kind in METRICS.values() for known in kind.option_names}:
        raise TypeError(f"no metric has the option {', '.join(sorted(unknown))}")
    return METRICS.make(name, options)


def make_metrics(names: Sequence[str | Function], **options: Any) -> list[Metric]:
    """Make several metrics in the given order, each name once; each takes those of the options that it has."""
    return [metric(name, **options) for name in dict.fromkeys(names)]


def make_asked(wanted: Sequence[str | Function] | None, **options: Any) -> list[Metric]:
    """Make the metrics that somebody's code asks for, by default the lexical ones; names with a colon are looked up.

    Raises what `metric` raises, and ValueError for a function, or a metric of a library, that there is none of.
    """
    names = lexical_metrics() if wanted is None else wanted
    METRICS.add_named(name for name in names if isinstance(name, str))
    return make_metrics(names, **options)


def usual_options(*, referenced: bool) -> dict[str, str]:
    """Return the options by which texts are scored unless others are asked for.

    Where no document has a reference, summaries are set against their sources.
    """
    return {} if referenced else {"references": SOURCE}


def lexical_metrics() -> tuple[str, ...]:
    """Return the names of our metrics that need no model and take seconds, whatever else is installed."""
    return tuple(name for name, kind in OURS.items() if not kind.needs_model)


def default_metrics() -> tuple[str, ...]:
    """Return the names of the metrics that are scored when nobody names any, whatever else is installed."""
    return tuple(name for name, kind in OURS.items() if kind.by_default)


def available_of_libraries() -> tuple[str, ...]:
    """Return the names of the metrics of libraries that can be computed here."""
    return tuple(name for name in METRICS if name in OF_LIBRARIES)


def usual_metrics() -> tuple[str, ...]:
    """Return the names of the metrics that pages score and show unless others are asked for.

    They are ours, and those that somebody brought for it, by a package or as functions. A library is often installed
    for something else, and its metrics can take hours.
    """
    return tuple(name for name in METRICS if name not in OF_LIBRARIES)


def is_lexical(signature: str) -> bool:
    """Tell whether a signature or name belongs to a metric of ours that needs no model, and is computed on the spot.

    Nobody knows what those of others do, or how long they take: pages have them computed in another process.
    """
    parsed = Signature.parse(signature)
    kind = OURS.get(parsed.name)
    return kind is not None and not kind.needs_model and not kind.loads_model(parsed.values)


def label_of(signature: str) -> str:
    """Return the name in sentences of a signature's metric."""
    kind = METRICS.get(name := name_of(signature))
    return kind.label if kind else name


def options() -> dict[str, Option]:
    """Return the options of all metrics by name, in the order of the metrics; a shared option appears once."""
    described: dict[str, Option] = {}
    for kind in METRICS.values():
        for field in fields(kind.options):
            if "option" in field.metadata:
                described.setdefault(field.name, field.metadata["option"])
    return described
