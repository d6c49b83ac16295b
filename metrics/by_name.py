"""Metrics of torchmetrics and of Hugging Face evaluate by their names: `torchmetrics:CHRFScore`, `evaluate:bleurt`."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from relevance.data.plugins import describe, held_apart
from relevance.data.records import Example
from relevance.data.signatures import signature
from relevance.data.wording import join_items
from relevance.metrics.base import REFERENCES, Score, check_option, set_against, written_references
from relevance.metrics.composing import compose
from relevance.metrics.functions import hash_code
from relevance.metrics.kind import MetricKind, ReferenceOptions

ERROR_RATES = ("cer", "character", "charcut_mt", "ter", "wer")
"""The modules of evaluate whose values are lower for better texts, which the library does not say."""

OFFLINE = {"HF_EVALUATE_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}
"""The variables by which libraries of Hugging Face fetch nothing."""

TRIED = ("the cat sat", "the cat sat")
"""A summary and a reference by which a metric is tried before anything is scored."""

Pairs = Sequence[tuple[str, str]]
"""Summaries, each with a reference."""


class Loaded(NamedTuple):
    """A metric of a library."""

    compute: Callable[[list[str], list[Any]], Any]
    """A function of summaries and their references that returns a value of all of them, several by name, or lists."""
    takes_lists: bool
    """True if each summary has a list of references."""
    lower_is_better: bool


@dataclass(frozen=True)
class NamedMetric:
    """A metric `LIBRARY:METRIC` or `LIBRARY:METRIC:KEY`, where the metric gives several values.

    A summary is compared with each reference by itself: the value is the best one (`max`) or the mean, or that of the
    first reference or of the source. Where lower is better, values are negated. The library is imported when a summary
    is scored. Nothing is fetched: a metric that needs a model finds it on this machine, or has no value.
    """

    name: str
    references: str = "max"
    version: str | None = None
    """The version that was read when the metric was described; None to read it now. A file may change afterwards."""

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown rule."""
        check_option(f"references of {self.name}", self.references, REFERENCES)

    @property
    def signature(self) -> str:
        """The rule for several references, and the versions of the library and of the metric's code."""
        return signature(self.name, self.version or read_version(self.name), refs=self.references)

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score a batch. Raises what the library raises, and ValueError for a result without one value."""
        compared = set_against(examples, self.references)
        references = [written_references(example, self.references) for example in compared]
        pairs = [
            (compose(example.candidate).text, compose(example.references[index]).text)
            for example, indices in zip(compared, references, strict=True)
            for index in indices
        ]
        values = iter(find_values(self.name, pairs))
        combine = fmean if self.references == "mean" else max
        return [
            Score(combine([next(values) for _ in indices]))
            if indices
            else Score(None, f"there is no {example.against}")
            for example, indices in zip(compared, references, strict=True)
        ]


def find_values(name: str, pairs: Pairs) -> list[float]:
    """Return a metric's value for each pair, higher for better; all in one call if the library gives a list.

    Raises what the library raises, and ValueError for a metric that cannot be loaded or a result without one value.
    """
    library, metric, _ = split_name(name)
    loaded = load(library, metric)

    def compute(some: Pairs) -> Any:
        references = [[text] if loaded.takes_lists else text for _, text in some]
        return choose_value(name, loaded.compute([summary for summary, _ in some], references))

    together = pairs and isinstance(compute(pairs[:1]), list)
    results = compute(pairs) if together else [compute([pair]) for pair in pairs]
    return [-float(value) if loaded.lower_is_better else float(value) for value in results]


def choose_value(name: str, result: Any) -> Any:
    """Return the value of a result that a name asks for. Raises ValueError if there is none, or several.

    Without a key it is the only one, or that of the metric's own name, or the `score`.
    """
    _, metric, key = split_name(name)
    if not isinstance(result, Mapping):
        return result
    numbers = {name: value for name, value in result.items() if is_value(value)}
    if key in numbers:
        return numbers[key]
    usual = [name for name in (Path(metric).name, "score") if name in numbers] or (
        list(numbers) if len(numbers) == 1 else []
    )
    if usual and not key:
        return numbers[usual[0]]
    example = f": name one of them, as in {name.removesuffix(f':{key}')}:{next(iter(numbers))}" if numbers else ""
    raise ValueError(f"it gives {join_items(list(numbers)) or 'no number'}{example}")


def is_value(value: Any) -> bool:
    """Tell whether a part of a result is a number, or a list of numbers."""
    if isinstance(value, list):
        return bool(value) and is_value(value[0])
    return not isinstance(value, str | bool) and hasattr(value, "__float__")


def split_name(name: str) -> tuple[str, str, str]:
    """Return the library, the metric and the key of a name; the key is empty if there is none.

    >>> split_name("evaluate:rouge:rougeL")
    ('evaluate', 'rouge', 'rougeL')
    """
    library, _, rest = name.partition(":")
    metric, _, key = rest.partition(":")
    return library, metric, key


@cache
def load(library: str, metric: str) -> Loaded:
    """Load a metric of a library, once a process. Raises ValueError."""
    os.environ.update(OFFLINE)
    try:
        with held_apart():
            return LOADERS[library](metric)
    except ValueError:
        raise
    except Exception as error:  # whatever a library or a module of evaluate does
        raise ValueError(f"{library}:{metric} cannot be loaded: {describe(error)}") from error


def load_torchmetrics(metric: str) -> Loaded:
    """Load a metric of `torchmetrics.text` by its class."""
    from torchmetrics import text

    if metric not in text.__all__:
        raise ValueError(f"torchmetrics.text has no metric {metric!r}; it has {', '.join(text.__all__)}")
    made = getattr(text, metric)()
    target = inspect.signature(made.update).parameters["target"].annotation  # one that takes lists reads texts wrongly

    def compute(summaries: list[str], references: list[Any]) -> Any:
        made.reset()
        made.update(summaries, references)
        return made.compute()

    return Loaded(compute, "Sequence[str]]" in str(target), made.higher_is_better is False)


def load_evaluate(metric: str) -> Loaded:
    """Load a module of evaluate that lies in a folder."""
    import datasets
    import evaluate

    find_module(metric)
    module = evaluate.load(metric, keep_in_memory=True)
    accepted = module.features if isinstance(module.features, list) else [module.features]

    def compute(summaries: list[str], references: list[Any]) -> Any:
        return module.compute(predictions=summaries, references=references)

    takes_texts = any(isinstance(features.get("references"), datasets.Value) for features in accepted)
    return Loaded(compute, not takes_texts, Path(metric).name in ERROR_RATES)


LOADERS: dict[str, Callable[[str], Loaded]] = {"torchmetrics": load_torchmetrics, "evaluate": load_evaluate}
"""The libraries whose metrics can be named."""


def find_module(metric: str) -> Path:
    """Return the folder of a module of evaluate: `metric`, with `metric.py` in it. Raises ValueError."""
    folder = Path(metric)
    if not (folder / f"{folder.name}.py").is_file():
        raise ValueError(
            f"there is no module {folder.name}.py in the folder {folder}: put the module of evaluate there, which is "
            "not fetched"
        )
    return folder


def read_version(name: str) -> str:
    """Return the version of a metric's library, and for evaluate that of the module's code. Raises ValueError."""
    library, metric, _ = split_name(name)
    if library != "evaluate":
        return version(library)
    code = b"\0".join(file.read_bytes() for file in sorted(find_module(metric).glob("*.py")))
    return f"{version(library)}-{hash_code(code)}"


def is_named(name: str) -> bool:
    """Tell whether a name is that of a metric of a library that is installed."""
    library = split_name(name)[0]
    return library in LOADERS and find_spec(library) is not None


def describe_named(name: str) -> MetricKind:
    """Describe a metric of a library, which is not imported. Raises ValueError for a module that is not there."""
    library, metric, _ = split_name(name)
    return MetricKind(
        name,
        name,
        f"{metric} by {library}",
        make=partial(NamedMetric, name, version=read_version(name)),
        options=ReferenceOptions,
        options_of=lambda settings: {"references": settings["refs"]},
    )


def try_named(name: str) -> None:
    """Load a metric of a library and try it. Raises ValueError if it cannot score a summary by a reference."""
    load(*split_name(name)[:2])
    try:
        with held_apart():
            find_values(name, [TRIED])
    except Exception as error:  # whatever a library does
        raise ValueError(f"{name} cannot score a summary by a reference: {error}") from error
