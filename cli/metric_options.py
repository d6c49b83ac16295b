"""The options of metrics, as their files declare them, and the metrics that are chosen by them."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from relevance.cli.shared import FILE, say, split_names
from relevance.data.records import Document, Summary
from relevance.metrics import METRICS, default_metrics, make_metrics
from relevance.metrics.base import Metric
from relevance.metrics.kind import Option
from relevance.metrics.languages import ENGLISH
from relevance.metrics.notices import ENGLISH_ONLY
from relevance.metrics.registry import available_of_libraries, options, usual_options
from relevance.metrics.rouge import PRESETS

DEVICE: dict[str, Any] = {
    "expose_value": False,
    "callback": lambda _context, _option, device: set_device(device),
    "help": "Where models run: cpu, cuda, cuda:1; as RELEVANCE_DEVICE.  [default: CUDA if available]",
}

device_option = click.option("--device", **DEVICE)


class Declared(click.Option):
    """A placeholder for an option that a metric declares, or for all of them."""


def declared_option(name: str, flag: str = "") -> Callable[..., Any]:
    """Add the option of metrics with this name, as `flag`, to a `MetricCommand`."""
    return click.option(flag or f"--{name}", name, cls=Declared)


with_metrics = click.option("--metrics", "chosen", cls=Declared)
"""Adds the options of all metrics to a `MetricCommand`, which receives their values as `chosen`."""


class MetricCommand(click.Command):
    """A command with options that metrics declare; metrics are imported only when it runs or shows its help."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, with those of metrics in their places."""
        params: list[click.Parameter] = []
        for param in super().get_params(ctx):
            if not isinstance(param, Declared):
                params.append(param)
            elif param.name == "chosen":
                params += metric_options()
            else:
                params.append(as_click(str(param.name), param.opts[-1]))
        return params

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command with the values of metrics' options as `chosen`."""
        if any(param.name == "chosen" for param in self.params):
            ctx.params["chosen"] = {name: ctx.params.pop(name) for name in metric_option_names()}
        return super().invoke(ctx)


def metric_options() -> Iterator[click.Parameter]:
    """Yield the options of all metrics, in the order of the metrics."""
    models = [name for name, kind in METRICS.items() if kind.needs_model]
    yield click.Option(
        ["--metrics", "names"],
        default=",".join(default_metrics()),
        show_default=True,
        help=f"Metrics, separated by commas; {', '.join(models[:-1])} and {models[-1]} load a model{of_others()}. A "
        "function of your own is MODULE:FUNCTION. relevance metrics lists all.",
    )
    yield click.Option(
        ["--preset"],
        type=click.Choice(tuple(PRESETS)),
        help="ROUGE as another library computes it; sets "
        + "; ".join(
            f"{name}: {' '.join(f'{flag_of(name)} {value}' for name, value in of.items())}"
            for name, of in PRESETS.items()
        )
        + ".",
    )
    for name in options():
        yield as_click(name)
        if name == "download":
            yield click.Option(["--device"], **DEVICE)


def metric_option_names() -> list[str]:
    """List the names of the options of all metrics."""
    return ["names", "preset", *options()]


def as_click(name: str, flag: str = "") -> click.Option:
    """Make the click option that metrics declare, with the given or its own flag."""
    option = options()[name]
    flag = flag or flag_of(name)
    default = option.default if isinstance(option.default, option.given_as) else None
    if option.given_as is bool:
        return click.Option([flag, name], is_flag=True, help=option.help)
    return click.Option(
        [flag, name], type=type_of(option), default=default, show_default=default is not None, help=option.help
    )


def flag_of(name: str) -> str:
    """Return the flag of an option that metrics declare."""
    return options()[name].flag or f"--{name.replace('_', '-')}"


def with_preset(chosen: dict[str, Any]) -> dict[str, Any]:
    """Return the chosen options with those of the preset that were not given themselves."""
    context = click.get_current_context()
    preset = PRESETS.get(chosen["preset"], {})
    free = [name for name in preset if context.get_parameter_source(name) != ParameterSource.COMMANDLINE]
    return chosen | {name: preset[name] for name in free}


def type_of(option: Option) -> click.ParamType[Any] | None:
    """Return the type of an option; None for any text."""
    if option.choices:
        return click.Choice(option.choices)
    if option.given_as is int:
        return click.IntRange(option.least, option.most)
    return FILE if option.given_as is Path else None


def set_device(device: str | None) -> None:
    """Set where models run, for this process and its children."""
    if device:
        os.environ["RELEVANCE_DEVICE"] = device


def chosen_metrics(
    chosen: dict[str, Any], records: Callable[[], Iterable[tuple[Document, Sequence[Summary]]]]
) -> list[Metric]:
    """Make the chosen metrics; `records` give the texts to score, for --idf references and list:FILE."""
    names = split_names(chosen["names"])
    METRICS.add_named(names)
    say_left_out(names)
    chosen = with_preset(chosen)
    if "lsum_sentences" in PRESETS.get(chosen["preset"], {}) and "rougeL" in names:
        raise click.UsageError(
            f"what the library {chosen['preset']} calls ROUGE-L is rougeLsum here: put that into --metrics for rougeL"
        )
    if not names:
        raise click.UsageError("--metrics names no metric")
    if chosen["language"] != ENGLISH and (english := [name for name in names if name in ENGLISH_ONLY]):
        raise click.UsageError(
            f"{', '.join(english)} can read English only: leave it out of --metrics for --language {chosen['language']}"
        )
    context = click.get_current_context()
    if chosen["references"] == "max" and context.get_parameter_source("references") != ParameterSource.COMMANDLINE:
        chosen |= usual_options(referenced=any(document.references for document, _ in records()))
    taken = {option for name in names if name in METRICS for option in METRICS[name].option_names}
    given = {name: chosen[name] for name in options() if chosen[name] is not None}
    for name, option in options().items():
        if name in given and option.read is not None:
            given[name] = option.read(given[name], records if name in taken else None, chosen["language"])
    return make_metrics(names, **given)


def of_others() -> str:
    """Name the metrics of others in words that follow those of ours; empty for none."""
    libraries = available_of_libraries()
    others = [name for name in METRICS.others if name not in libraries]
    named = {"of libraries": libraries, "from other packages": others}
    return "".join(f"; {where}: {', '.join(names)}" for where, names in named.items() if names)


def say_left_out(names: Iterable[str] | None = None) -> None:
    """Say which metrics of others, or which of those named, cannot be used, and why."""
    for name in METRICS.left_out if names is None else METRICS.left_out.keys() & set(names):
        say(f"the metric {name} is left out: {METRICS.left_out[name]}")


def refuse_metric_options(kept: Sequence[str] = (), beside: str = "--study") -> None:
    """Refuse options of metrics, except those `kept`, for a study or folder, whose stored scores are used."""
    context = click.get_current_context()
    refused = {name for name in metric_option_names() if name not in kept}
    given = [
        param.opts[-1]
        for param in context.command.get_params(context)
        if param.name in refused and context.get_parameter_source(param.name) == ParameterSource.COMMANDLINE
    ]
    if given:
        raise click.UsageError(f"{', '.join(given)} cannot be given with {beside}: its stored scores are used")
