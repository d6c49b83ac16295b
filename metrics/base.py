"""The interface of metrics: batches of examples in, scores with evidence out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from relevance.data.records import SOURCE, Example, set_against_source

VERSION = "0.2.0"
"""The version of the metrics' definitions, part of every signature; it changes whenever a value may change."""

MODEL_DECIMALS = 6
"""The decimals of a model's scores: in single precision, a text's neighbours in its batch move them by up to 1e-7."""


@dataclass(frozen=True)
class Score:
    """A metric's value for one example, or the reason why there is none.

    `value` is higher for better summaries, in [0, 1] unless the metric's definition says otherwise. If the score could
    not be computed it is None, and `missing` says why. `parts` are the figures behind the value, by name, such as
    precision and recall. `evidence` shows what the metric saw, in character offsets into the original texts; it is
    derived from the same tokens as the value, on first use, so that scoring a whole data set does not pay for what
    nobody opens.

    >>> Score(0.4).value, Score(None, "there is no reference").missing
    (0.4, 'there is no reference')
    """

    value: float | None
    missing: str | None = None
    truncated: bool = False
    """True if a text was longer than a model's limit, so that its end did not count."""
    parts: dict[str, float] = field(default_factory=dict)
    explain: Callable[[], Any] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if (self.value is None) == (self.missing is None):
            raise ValueError("a score has either a value or the reason why it is missing")

    @cached_property
    def evidence(self) -> Any:
        """The metric's own evidence record, or None if the score is missing or has nothing to show."""
        return self.explain() if self.explain is not None else None


EMPTY = "the summary is empty"
"""The reason why a candidate without a text has no score."""


def score_candidates(metric: Metric, examples: Sequence[Example]) -> list[Score]:
    """Score a batch with a metric; empty candidates get no score, nor do those whose value is not finite.

    >>> from relevance.metrics.rouge import RougeN
    >>> examples = [Example("d", "A", text, ("The flood rose fast.",), None, "") for text in ("The flood rose.", " ")]
    >>> [score.value or score.missing for score in score_candidates(RougeN(1), examples)]
    [0.8571428571428571, 'the summary is empty']
    """
    written = [example for example in examples if example.candidate.strip()]
    scores = iter(map(finite, metric.score(written) if written else ()))
    return [next(scores) if example.candidate.strip() else Score(None, EMPTY) for example in examples]


def finite(score: Score) -> Score:
    """Return the score, or a missing one if the value is not finite, which no table or database could store."""
    return score if score.value is None or math.isfinite(score.value) else Score(None, "the metric gave no number")


REFERENCES = ("max", "mean", "first", SOURCE)
"""The ways to combine the values against several references; `source` sets a summary against its source instead."""


def set_against(examples: Sequence[Example], rule: str | None) -> Sequence[Example]:
    """Return the examples as a rule of `REFERENCES` compares them: by `source`, the source is the only reference."""
    return list(map(set_against_source, examples)) if rule == SOURCE else examples


def asked_references(example: Example, rule: str) -> tuple[str, ...]:
    """Return the references that a rule of `REFERENCES` uses."""
    return example.references[:1] if rule == "first" else example.references


def written_references(example: Example, rule: str) -> list[int]:
    """Return the indices of the references with a text that a rule of `REFERENCES` uses."""
    return [index for index, text in enumerate(asked_references(example, rule)) if text.strip()]


def score_each(examples: Sequence[Example], rule: str, score: Callable[[Example, Sequence[int]], Score]) -> list[Score]:
    """Score each summary by itself with a function of an example and the indices of the references that count.

    Examples are set against what a rule of `REFERENCES` says; where that has no text, there is no score.
    """
    compared = set_against(examples, rule)
    references = [written_references(example, rule) for example in compared]
    return [
        score(example, indices) if indices else Score(None, f"there is no {example.against}")
        for example, indices in zip(compared, references, strict=True)
    ]


def check_option(name: str, value: object, known: Iterable[object]) -> None:
    """Refuse an option that is not among the known ones. Raises ValueError."""
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(str, known))}, not {value!r}")


def round_model_value(value: float) -> float:
    """Round a model's value so that noise in the last digits does not matter."""
    return round(value, MODEL_DECIMALS)


class Metric(Protocol):
    """The interface of a metric.

    >>> class Words:
    ...     name, signature = "words", f"words|version:{VERSION}"
    ...
    ...     def score(self, examples):
    ...         return [Score(len(example.candidate.split())) for example in examples]
    >>> metric: Metric = Words()
    >>> [score.value for score in score_candidates(metric, [Example("d", "A", "The flood rose.", (), None, "")])]
    [3]
    """

    @property
    def name(self) -> str:
        """The metric's name in tables and on the command line, such as `rouge1`."""

    @property
    def signature(self) -> str:
        """Everything that the metric's values depend on, such as `rouge1|refs:max|...|version:0.2.0`."""

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score a batch; the scores are in the order of the examples."""
