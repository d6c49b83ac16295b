"""Plug-ins of installed packages, found by entry points: metrics, systems that write summaries, and file formats."""

import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, NamedTuple, TypeVar

from relevance.data.one_line import message

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.+:/-]*")
"""The names that can be brought, as they stand in signatures, lists and columns of tables."""

OURS = "this program"

T = TypeVar("T")

PluginEntry = tuple[str, str, Callable[[], object]]
"""Something that others bring: its name, where it comes from, and a function that loads it."""


class Plugins(NamedTuple, Generic[T]):
    """The plug-ins of other packages."""

    loaded: dict[str, T]
    origins: dict[str, str]
    """Where each comes from, such as a package with its version."""
    left_out: dict[str, str]
    """The reasons why some were left out, by their names."""


class Registry(Mapping[str, T]):
    """All of a kind by name: those of this program, then plug-ins, which are loaded when they are looked for.

    One that cannot be loaded, or whose name is taken, is left out with the reason, and stops nothing.
    """

    def __init__(self, ours: Mapping[str, T], group: str, check: Callable[[str, object], T]) -> None:
        self.ours = ours
        self.group = group
        """The group of entry points."""
        self.check = check
        """A function that returns what was loaded under a name. Raises ValueError if it is nothing of the kind."""

    def find(self) -> Iterable[PluginEntry]:
        """Find what others bring."""
        return find_entries(self.group)

    @cached_property
    def plugins(self) -> Plugins[T]:
        """The plug-ins of other packages."""
        plugins = Plugins[T]({}, {}, {})
        for name, origin, load in self.find():
            try:
                check_name(name, {**self.ours, **plugins.loaded})
                with held_apart():
                    plugins.loaded[name] = self.check(name, load())
            except Exception as error:  # whatever the code of others does
                plugins.left_out[name] = message(f"{origin}: {describe(error)}")
            else:
                plugins.origins[name] = origin
        return plugins

    @property
    def others(self) -> Mapping[str, T]:
        """The plug-ins that can be used."""
        return self.plugins.loaded

    @property
    def left_out(self) -> Mapping[str, str]:
        """The reasons why some plug-ins cannot be used, by their names."""
        return self.plugins.left_out

    def __getitem__(self, name: str) -> T:
        """Return what has a name; others are loaded only for a name that is none of ours."""
        return self.ours[name] if name in self.ours else self.others[name]

    def origin(self, name: str) -> str:
        """Say where something comes from: this program, a package with its version, or whatever named it."""
        return OURS if name in self.ours else self.plugins.origins[name]

    def tell_why(self, name: str) -> str:
        """Say why a name is left out, as the end of a message; empty if nobody brings it."""
        return f", left out because of {self.left_out[name]}" if name in self.left_out else ""

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, ours first."""
        return iter((*self.ours, *self.others))

    def __len__(self) -> int:
        """Count the names."""
        return len(self.ours) + len(self.others)


def find_entries(group: str) -> Iterator[PluginEntry]:
    """Yield what installed packages bring in a group, in the order of their names."""
    for entry in sorted(entry_points(group=group), key=lambda entry_point: (entry_point.name, entry_point.value)):
        yield entry.name, origin_of(entry), entry.load


def origin_of(entry: EntryPoint) -> str:
    """Return the package of an entry point with its version."""
    return entry.value if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def check_name(name: str, taken: Collection[str]) -> None:
    """Refuse a name that cannot be one, or that is taken. Raises ValueError."""
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot be a name: use letters, digits and _ . + : / -")
    if name in taken:
        raise ValueError(f"the name {name!r} is taken: use another one")


def check_callable(name: str, loaded: object) -> Callable[..., Any]:
    """Return what was loaded under a name. Raises ValueError if it is not a function."""
    if not callable(loaded):
        raise ValueError(f"{name} is a {type(loaded).__name__}, not a function")
    return loaded


@contextmanager
def held_apart() -> Iterator[None]:
    """Run code of others: what it prints goes to standard error, and `sys.exit` in it is an error as any other.

    Raises what the code raises, and RuntimeError if it ends its program.
    """
    try:
        with redirect_stdout(sys.stderr):
            yield
    except SystemExit as error:
        raise RuntimeError("it ended its program") from error


def describe(error: Exception) -> str:
    """Say what went wrong: the message alone of a `ValueError`, which is written for people."""
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
