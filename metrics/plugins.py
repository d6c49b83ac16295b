"""Metrics of others: those that installed packages bring as entry points, and functions that are named."""

import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.metadata import EntryPoint, entry_points, version
from typing import NamedTuple

from relevance.data.one_line import message
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

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.+:/-]*")
"""The names that a metric can have, as they stand in signatures, lists and columns of tables."""

OURS = "this program"


class Plugins(NamedTuple):
    """The metrics of others."""

    found: dict[str, MetricKind]
    origins: dict[str, str]
    """Where each comes from: a package with its version, or what named a function."""
    left_out: dict[str, str]
    """Why some were left out, by their names."""


class Registry(Mapping[str, MetricKind]):
    """All metrics by name: those of this program, then those of others, which are loaded when they are looked for."""

    def __init__(self, ours: Mapping[str, MetricKind]) -> None:
        self.ours = ours

    @cached_property
    def plugins(self) -> Plugins:
        """The metrics of others: of libraries, of packages, and the functions that `RELEVANCE_OWN_METRICS` names."""
        plugins = Plugins({}, {}, {})
        for name, origin, load in (*find_libraries(), *find_entries(), *find_functions()):
            try:
                kind = load()
                check_kind(kind, name, {**self.ours, **plugins.found})
            except (Exception, SystemExit) as error:  # whatever the code of others does
                plugins.left_out[name] = message(f"{origin}: {describe(error)}")
                continue
            plugins.found[name], plugins.origins[name] = kind, origin
        return plugins

    @property
    def others(self) -> Mapping[str, MetricKind]:
        """The metrics of others."""
        return self.plugins.found

    @property
    def left_out(self) -> Mapping[str, str]:
        """Why metrics of others were left out, by their names."""
        return self.plugins.left_out

    def __getitem__(self, name: str) -> MetricKind:
        """Return the description of a metric; those of others are loaded only for a name that is none of ours."""
        return self.ours[name] if name in self.ours else self.others[name]

    def origin(self, name: str) -> str:
        """Say where a metric comes from: this program, a package with its version, or what named a function."""
        return OURS if name in self.ours else self.plugins.origins[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, ours first."""
        return iter((*self.ours, *self.others))

    def __len__(self) -> int:
        """Count the metrics."""
        return len(self.ours) + len(self.others)

    def add_named(self, names: Iterable[str]) -> None:
        """Add those of the names that have a colon, for this process and its children; others are no concern of this.

        They are functions, `MODULE:FUNCTION`, and metrics of libraries, which are tried. Raises ValueError.
        """
        for named in names:
            if ":" not in named or named in self.others:
                continue
            if is_named(named):
                try_named(named)
            origin, load = find_named(named)
            kind = load()
            check_kind(kind, named, self)
            self.plugins.found[named], self.plugins.origins[named] = kind, origin
            os.environ[OWN_METRICS] = ",".join(filter(None, (os.environ.get(OWN_METRICS), named)))

    def make(self, name: str, options: Mapping[str, object]) -> Metric:
        """Make a metric by its name; the signature and scores of those of others are checked. Raises ValueError."""
        return self.ours[name].metric(**options) if name in self.ours else make_checked(self.others[name], options)

    def make_function(self, function: Function) -> Metric:
        """Make a metric of a function, which need not be one that can be named. Raises ValueError."""
        name = name_function(function)
        kind = self.others.get(name) or as_kind(name, function)
        check_kind(kind, name, self.ours)
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
        try:
            with redirect_stdout(sys.stderr):
                scores = list(self.metric.score(examples))
        except SystemExit as error:
            raise RuntimeError("it ended its program") from error
        if len(scores) != len(examples):
            raise ValueError(f"it gave {len(scores)} scores for {len(examples)} summaries")
        if wrong := [type(one).__name__ for one in scores if not isinstance(one, Score)]:
            raise ValueError(f"it gave a {wrong[0]}, which is not a relevance.metrics.Score")
        return scores


def make_checked(kind: MetricKind, options: Mapping[str, object]) -> Metric:
    """Make a metric of somebody else. Raises ValueError."""
    try:
        return Checked(kind.metric(**options), kind.name)
    except ValueError:
        raise
    except Exception as error:  # whatever the code of others does
        raise ValueError(f"the metric {kind.name} cannot be made: {describe(error)}") from error


Found = tuple[str, str, Callable[[], MetricKind]]
"""A metric of others: its name, where it comes from, and a function that loads it."""


def find_entries() -> Iterator[Found]:
    """Yield the metrics that installed packages bring, in the order of their names."""
    for entry in sorted(entry_points(group=GROUP), key=lambda one: (one.name, one.value)):
        yield entry.name, origin_of(entry), entry.load


def origin_of(entry: EntryPoint) -> str:
    """Return the package of an entry point with its version."""
    return entry.value if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def find_functions() -> Iterator[Found]:
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


def check_kind(kind: object, name: str, taken: Collection[str]) -> None:
    """Refuse what is no description of a metric of this name, or a name that is taken. Raises ValueError."""
    if not isinstance(kind, MetricKind):
        raise ValueError(f"it is a {type(kind).__name__}, not a relevance.metrics.MetricKind")
    if kind.name != name:
        raise ValueError(f"it is called {kind.name!r} in its description: give both the same name")
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot be the name of a metric: use letters, digits and _ . + : / -")
    if name in taken:
        raise ValueError(f"the name {name!r} is taken: give the metric another one")


def describe(error: BaseException) -> str:
    """Say what went wrong: the message alone of a `ValueError`, which is written for people."""
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
