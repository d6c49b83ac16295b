"""The description of a metric: its names, its options, how it is made and how its evidence is shown."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from relevance.data.records import Document, Summary
from relevance.metrics.base import Metric

Records = Callable[[], Iterable[tuple[Document, Sequence[Summary]]]]
"""A function that returns the documents to score, with their summaries."""


class Option(NamedTuple):
    """An option of metrics, given as `--name value` on the command line."""

    default: Any
    help: str
    flag: str
    """The name of the flag if it is not the field's name, such as `--ngram`; otherwise empty."""
    given_as: type
    """The type of the given value: str, int, Path, or bool for a flag without a value."""
    choices: tuple[str, ...]
    """The allowed values; empty if any value will do."""
    least: int | None
    most: int | None
    """The range of a number."""
    read: Callable[[str, Records | None, str], Any] | None
    """A function that turns the given value into the option's. Its arguments are the given value, the records and the
    language of the texts. The records are None if no requested metric has the option: then the value is checked, but no
    file is read against the records. Raises ValueError."""


def option(
    default: Any,
    help: str,
    *,
    flag: str = "",
    given_as: type = str,
    choices: Iterable[str] = (),
    least: int | None = None,
    most: int | None = None,
    read: Callable[[str, Records | None, str], Any] | None = None,
) -> Any:
    """Make a field of a metric's options that people can set.

    Several metrics may have a field of the same name: they share the option, and the first metric describes it. A field
    without a description takes the value that is given for another metric's.
    """
    described = Option(default, help, flag, given_as, tuple(choices), least, most, read)
    return field(default=default, metadata={"option": described})


@dataclass(frozen=True)
class NoOptions:
    """The options of a metric that has none."""


@dataclass(frozen=True)
class ReferenceOptions:
    """The options of a metric that can only be told which references count, by a rule of `metrics.base.REFERENCES`."""

    references: str = "max"


@dataclass(frozen=True)
class MetricKind:
    """The description of a metric; all are listed in `relevance.metrics.registry.METRICS`."""

    name: str
    label: str
    """The name in sentences, such as `ROUGE-1`."""
    about: str
    """A description of one line."""
    make: Callable[..., Metric]
    """A function that makes the metric from its options, given by name. Raises ValueError for an option out of its
    range."""
    options: type = NoOptions
    """A frozen dataclass, whose fields are the metric's options."""
    options_of: Callable[[Mapping[str, str]], Mapping[str, Any]] = lambda settings: {}
    """A function that returns the options behind a signature's settings, as far as these tell them. Raises KeyError,
    ValueError."""
    evidence: type | None = None
    """The type of the evidence of its scores; None for a metric that has nothing to show."""
    renderer: str | None = None
    """The renderer of its evidence: a name in `relevance.reports.evidence.renderers`."""
    needs_model: bool = False
    """True if it loads a model. Metrics without one take seconds and are computed in the process that asks."""
    loads_model: Callable[[Mapping[str, str]], bool] = lambda settings: False
    """A function that tells whether a metric with a signature's settings loads a model, where others load none."""
    by_default: bool = False
    """True if it is scored when nobody names metrics; of no effect in a metric of another package."""
    source: str = ""
    """A citation of the paper that defines it."""

    @property
    def option_names(self) -> tuple[str, ...]:
        """The names of its options."""
        return tuple(option.name for option in fields(self.options))

    def metric(self, **given: Any) -> Metric:
        """Make the metric with those of the given options that it has. Raises ValueError."""
        options = self.options(**{name: given[name] for name in self.option_names if name in given})
        return self.make(**vars(options))
