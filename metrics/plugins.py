"""Metrics of others: those that installed packages bring as entry points, and functions that are named."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version

from relevance.data.plugins import PluginEntry, Registry, check_name, describe, held_apart
from relevance.data.records import Example
from relevance.data.signatures import Signature
from relevance.metrics.base import Metric, Score
from relevance.metrics.by_name import describe_named, is_named, split_name, try_named
from relevance.metrics.functions import Function, as_kind, load_function, name_function
from relevance.metrics.kind import MetricKind
from relevance.metrics.libraries import find_libraries

GROUP = "relevance.metrics"
"""The group of entry points; each names a `MetricKind` by the name of its metric."""

OWN_METRICS = "RELEVANCE_OWN_METRICS"
"""The variable that names functions as metrics, `MODULE:FUNCTION,...`, for a process and its children."""


class MetricRegistry(Registry[MetricKind]):
    """All metrics by name: ours, those of libraries and of packages, and functions that are named."""

    def __init__(self, ours: Mapping[str, MetricKind]) -> None:
        super().__init__(ours, GROUP, check_kind)

    def find(self) -> Iterable[PluginEntry]:
        """Find the metrics of libraries and of packages, and the functions that `RELEVANCE_OWN_METRICS` names."""
        return (*find_libraries(), *super().find(), *find_functions())

    def add_named(self, names: Iterable[str]) -> None:
        """Add those of the names that have a colon, for this process and its children; others are no concern of this.

        They are functions, `MODULE:FUNCTION`, and metrics of libraries, which are tried. Raises ValueError.
        """
        for named in names:
            if ":" not in named or named in self.others:
                continue
            origin, load = find_named(named)
            check_name(named, self)
            if is_named(named):
                try_named(named)
            self.plugins.loaded[named], self.plugins.origins[named] = check_kind(named, load()), origin
            os.environ[OWN_METRICS] = ",".join(filter(None, (os.environ.get(OWN_METRICS), named)))

    def make(self, name: str, options: Mapping[str, object]) -> Metric:
        """Make a metric by its name; the signature and scores of those of others are checked. Raises ValueError."""
        return self.ours[name].metric(**options) if name in self.ours else make_checked(self.others[name], options)

    def make_function(self, function: Function) -> Metric:
        """Make a metric of a function, which need not be one that can be named. Raises ValueError."""
        name = name_function(function)
        kind = self.others.get(name) or as_kind(name, function)
        check_name(name, self.ours)
        return make_checked(kind, {})


@dataclass(frozen=True)
class Checked:
    """A metric of somebody else, which is held to the contract."""

    metric: Metric
    name: str

    def __post_init__(self) -> None:
        """Raise ValueError for a signature that does not say the metric and its version."""
        read = Signature.parse(self.metric.signature)
        if read.name != self.name or not read.version:
            raise ValueError(
                f"the metric {self.name} has the signature {self.metric.signature!r}; it must begin with its name and "
                "end with |version: and its version"
            )

    @property
    def signature(self) -> str:
        """The metric's signature."""
        return self.metric.signature

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score a batch; what the metric prints goes to standard error. Raises what it raises, and ValueError."""
        with held_apart():
            scores = list(self.metric.score(examples))
        if len(scores) != len(examples):
            raise ValueError(f"it gave {len(scores)} scores for {len(examples)} summaries")
        if wrong := [type(score).__name__ for score in scores if not isinstance(score, Score)]:
            raise ValueError(f"it gave a {wrong[0]}, which is not a relevance.metrics.Score")
        return scores


def make_checked(kind: MetricKind, options: Mapping[str, object]) -> Metric:
    """Make a metric of somebody else. Raises ValueError."""
    try:
        with held_apart():
            return Checked(kind.metric(**options), kind.name)
    except ValueError:
        raise
    except Exception as error:  # whatever the code of others does
        raise ValueError(f"the metric {kind.name} cannot be made: {describe(error)}") from error


def find_functions() -> Iterator[PluginEntry]:
    """Yield the functions that `RELEVANCE_OWN_METRICS` names."""
    for named in filter(None, map(str.strip, os.environ.get(OWN_METRICS, "").split(","))):
        origin, load = find_named(named)
        yield named, origin if is_named(named) else OWN_METRICS, load


def find_named(named: str) -> tuple[str, Callable[[], MetricKind]]:
    """Return where a metric with a `:` in its name comes from, and a function that loads it."""
    if is_named(named):
        library = split_name(named)[0]
        return f"{library} {version(library)}", partial(describe_named, named)
    return "a function", partial(load_function, named)


def check_kind(name: str, kind: object) -> MetricKind:
    """Return the description of a metric of this name. Raises ValueError for anything else."""
    if not isinstance(kind, MetricKind):
        raise ValueError(f"it is a {type(kind).__name__}, not a relevance.metrics.MetricKind")
    if kind.name != name:
        raise ValueError(f"it is called {kind.name!r} in its description: give both the same name")
    return kind
