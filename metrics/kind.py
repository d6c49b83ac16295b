"""What a metric's file says of it: how it is named and chosen, which options it has, and how its evidence is shown."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from data.records import Document, Summary
from metrics.base import Metric

Records = Callable[[], Iterable[tuple[Document, Sequence[Summary]]]]
"""Gives the documents that are scored, with their summaries."""


class Option(NamedTuple):
    """An option of metrics as people give it, on the command line by `--name value`."""

    default: Any
    help: str
    flag: str
    """What it is called there, such as `--ngram`; empty where that is the field's name."""
    given_as: type
    """What is given: str, int, Path, or bool for a flag without a value."""
    choices: tuple[str, ...]
    """The values that there are; none where any will do."""
    least: int | None
    most: int | None
    """The range of a number."""
    read: Callable[[str, Records | None, str], Any] | None
    """Makes the value of what was given; the last argument is the language of the texts. The records are None where no
    metric is asked for that has the option: then what is given is checked, but no file of records read. Raises
    ValueError."""


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
    """A field of a metric's options that people can give.

    Several metrics may have a field of one name: they share the option, which the first of them describes. A field
    without a description takes what is given for another metric's.
    """
    described = Option(default, help, flag, given_as, tuple(choices), least, most, read)
    return field(default=default, metadata={"option": described})


@dataclass(frozen=True)
class NoOptions:
    """Of a metric that has none."""


@dataclass(frozen=True)
class MetricKind:
    """All that is known of a metric before it is made; `metrics.registry.METRICS` names all of them."""

    name: str
    label: str
    """What sentences call it, such as `ROUGE-1`."""
    about: str
    """What it is, in one line."""
    make: Callable[..., Metric]
    """Makes it; takes the options by name. Raises ValueError for one out of its range."""
    options: type = NoOptions
    """A frozen dataclass, whose fields are the metric's options."""
    options_of: Callable[[Mapping[str, str]], Mapping[str, Any]] = lambda settings: {}
    """The options that led to a signature's settings, as far as they tell them. Raises KeyError, ValueError."""
    evidence: type | None = None
    """The record that its scores give as evidence; None for a metric that has nothing to show."""
    renderer: str | None = None
    """What shows that evidence: a name in `reports.evidence.renderers`."""
    needs_model: bool = False
    """Whether it loads a model; metrics that do not take seconds, and answer in the process that asks."""
    by_default: bool = False
    """Whether it is scored where nobody names metrics."""
    source: str = ""
    """The paper that defines it, as it is cited."""

    @property
    def option_names(self) -> tuple[str, ...]:
        """The names of its options."""
        return tuple(one.name for one in fields(self.options))

    def metric(self, **given: Any) -> Metric:
        """Make the metric by those of the given options that it has. Raises ValueError."""
        options = self.options(**{name: given[name] for name in self.option_names if name in given})
        return self.make(**vars(options))
