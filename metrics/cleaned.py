"""Metrics of texts that were cleaned, which their signatures say."""

from collections.abc import Sequence
from dataclasses import dataclass

from relevance.data.records import Example
from relevance.data.signatures import of_cleaned
from relevance.metrics.base import Metric, Score


@dataclass(frozen=True)
class OfCleaned:
    """A metric whose examples were cleaned before (`relevance.data.cleaning`); its values are otherwise the same."""

    metric: Metric

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.metric.name

    @property
    def signature(self) -> str:
        """The metric's signature with the version of the rules of cleaning."""
        return of_cleaned(self.metric.signature)

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score a batch of cleaned examples."""
        return self.metric.score(examples)


def of_texts(metrics: Sequence[Metric], *, clean: bool) -> list[Metric]:
    """Return metrics for texts that were cleaned, if they were."""
    return [OfCleaned(metric) for metric in metrics] if clean else list(metrics)
