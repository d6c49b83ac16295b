"""The metrics: one file each, this dict names them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metrics.base import Metric, Score
from metrics.length import Length
from metrics.rouge import RougeL, RougeN
from metrics.rouge_k import RougeK

__all__ = ["LEXICAL", "METRICS", "Metric", "Options", "Score", "UnknownMetric", "metric", "metrics"]


class UnknownMetric(ValueError):  # noqa: N818  named for the situation
    """A metric name that is not in `METRICS`."""


@dataclass(frozen=True)
class Options:
    """What a user can set for all metrics at once; a metric takes what its definition has room for.

    `references`: how the scores against several references become one: `max` (default), `mean`, `first`.
    `tokenizer` of the ROUGE metrics: `ascii` (a-z0-9, as everybody reports) or `unicode` (any script).
    `title` in ROUGE-K's keywords: `always` counts as a reference, `single` only beside a single one.
    """

    references: str = "max"
    tokenizer: str = "ascii"
    title: str = "always"


METRICS: dict[str, Callable[[Options], Metric]] = {
    "rouge1": lambda options: RougeN(1, references=options.references, tokenizer=options.tokenizer),
    "rouge2": lambda options: RougeN(2, references=options.references, tokenizer=options.tokenizer),
    "rougeL": lambda options: RougeL(references=options.references, tokenizer=options.tokenizer),
    "rouge_k": lambda options: RougeK(title=options.title),
    "length": lambda options: Length(),
}


LEXICAL = ("rouge1", "rouge2", "rougeL", "rouge_k", "length")
"""The metrics that need no model and take seconds: what is scored where nobody names metrics."""


def metric(name: str, options: Options | None = None) -> Metric:
    """Make a metric by its name. Raises `UnknownMetric`, or ValueError for an option out of its range."""
    if name not in METRICS:
        raise UnknownMetric(f"unknown metric {name!r}; known are {', '.join(METRICS)}")
    return METRICS[name](options or Options())


def metrics(names: Sequence[str], options: Options | None = None) -> list[Metric]:
    """Make several metrics, each name once, in the order given."""
    return [metric(name, options) for name in dict.fromkeys(names)]
