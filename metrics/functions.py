"""Functions of one's own as metrics: `MODULE:FUNCTION`, or any function that a notebook passes."""

import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from relevance.data.plugins import describe, held_apart
from relevance.data.records import Example
from relevance.data.signatures import signature
from relevance.metrics.base import Score
from relevance.metrics.kind import MetricKind

Function = Callable[..., Any]
"""A function that gives a summary's value, a number or None, with the parameters that `FunctionMetric` names."""

SOURCE_PARAMETER = "source"

HASHED = 12
"""The digits of a source file's SHA-256 in a signature."""


@dataclass(frozen=True)
class FunctionMetric:
    """A function as a metric: `function(candidate, references)` gives the value of a summary, or None for no value.

    The first argument is the summary, the second, if there is one, the list of references; a parameter called `source`
    gets the source, wherever it stands. A summary without a reference or a source that the function asks for has no
    value. The signature has the version that the function's attribute `version` or its module's `__version__` says, or
    else a hash of the source file.

    >>> def overlap(candidate: str, references: list[str]) -> float:
    ...     return len(set(candidate.split()) & set(references[0].split()))
    >>> overlap.version = "1"
    >>> metric = FunctionMetric("overlap", overlap)
    >>> metric.signature
    'overlap|version:1'
    >>> metric.score([Example("d", "system", "a b c", ("b c d",), None, "")])[0].value
    2.0
    """

    name: str
    function: Function
    version: str | None = None
    """The version that was read when the function was loaded; None to read it now. A file may change afterwards."""

    def __post_init__(self) -> None:
        """Raise ValueError for a function with other parameters."""
        if not 1 <= len(self.texts) <= 2:
            raise ValueError(
                f"{self.name} must be a function of a summary and its references, and of the source if a parameter has "
                f"that name; it asks for {', '.join(self.required) or 'nothing'}"
            )

    @property
    def required(self) -> list[str]:
        """The names of the parameters without a default, and `source`."""
        parameters = inspect.signature(self.function).parameters.values()
        named = [
            parameter
            for parameter in parameters
            if parameter.kind in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}
        ]
        return [
            parameter.name
            for parameter in named
            if parameter.default is parameter.empty or parameter.name == SOURCE_PARAMETER
        ]

    @property
    def texts(self) -> list[str]:
        """The names of the parameters for the summary and the references."""
        return [name for name in self.required if name != SOURCE_PARAMETER]

    @property
    def signature(self) -> str:
        """The name, and the version that the function says or the hash of its source file."""
        return signature(self.name, self.version or version_of(self.function))

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score a batch. Raises what the function raises, and TypeError or ValueError for what is not a number."""
        arguments, texts = self.required, self.texts
        return [self.score_one(example, arguments, texts) for example in examples]

    def score_one(self, example: Example, arguments: Sequence[str], texts: Sequence[str]) -> Score:
        """Score one summary."""
        values: dict[str, Any] = dict(zip(texts, (example.candidate, list(example.references)), strict=False))
        if len(texts) > 1 and not example.references:
            return Score(None, "there are no references")
        if SOURCE_PARAMETER in arguments:
            if not example.source:
                return Score(None, "there is no source")
            values[SOURCE_PARAMETER] = example.source
        value = self.function(**values)
        return Score(None, "the function gives no value") if value is None else Score(float(value))


def version_of(function: Function) -> str:
    """Return the version that a function or its module says, or else a hash of the source. Raises ValueError."""
    module = inspect.getmodule(function)
    version = getattr(function, "version", None) or getattr(module, "__version__", None)
    if version is not None:
        return str(version)
    try:
        file = None if module is None or module.__name__ == "__main__" else inspect.getsourcefile(function)
        source = Path(file).read_bytes() if file else inspect.getsource(function).encode()
    except (OSError, TypeError) as error:  # of a built-in function, or of a file that is gone
        name = name_function(function)
        raise ValueError(f"{name} has no source that can be read: set {name}.version to its version") from error
    return hash_code(source)


def hash_code(code: bytes) -> str:
    """Return the beginning of a SHA-256, which stands for the version of code that says none."""
    return f"sha256-{hashlib.sha256(code).hexdigest()[:HASHED]}"


def name_function(function: Function) -> str:
    """Return the name of a function as a metric: `MODULE:FUNCTION`, or its own where no other process can import it."""
    name = str(getattr(function, "__qualname__", type(function).__qualname__))
    importable = function.__module__ != "__main__" and "<locals>" not in name
    return f"{function.__module__}:{name}" if importable else name.rpartition(".")[2]


def load_function(named: str) -> MetricKind:
    """Return the metric of a function that is named `MODULE:FUNCTION`, in the working folder or installed.

    Raises ValueError where there is none, or where it has other parameters than a metric.
    """
    module_name, _, function_name = named.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # at the end, so that no file there hides a module that others import
    try:
        with held_apart():
            function = getattr(import_module(module_name), function_name, None)
    except Exception as error:  # whatever a module does when it is imported
        raise ValueError(f"{named}: {module_name} cannot be imported: {describe(error)}") from error
    if not callable(function):
        raise ValueError(f"{named}: {module_name} has no function {function_name!r}")
    return as_kind(named, function)


def as_kind(name: str, function: Function) -> MetricKind:
    """Describe a function as a metric. Raises ValueError for a function with other parameters than a metric."""
    make = partial(FunctionMetric, name, function, version_of(function))
    make()
    about = (inspect.getdoc(function) or "a function of one's own").splitlines()[0]
    return MetricKind(name, name, about, make=make)
