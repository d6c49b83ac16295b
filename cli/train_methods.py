"""Training by the papers' methods: a command for each method."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from inspect import getdoc
from pathlib import Path
from typing import Any

import click

from relevance.cli.shared import BEAMS, COUNT, SEED, find_documents, report_refusals, say, show_document_progress
from relevance.data.records import Document
from relevance.metrics.models.files import device
from relevance.summarizers.methods.base import Method
from relevance.summarizers.methods.published import PUBLISHED, TO_THE_END
from relevance.summarizers.methods.registry import METHODS
from relevance.summarizers.training.grid import search_grid
from relevance.summarizers.training.run import train
from relevance.summarizers.training.runs import train_runs
from relevance.summarizers.training.task import DTYPES, MEASURES, Task, check_installed
from relevance.summarizers.training_documents import TrainingDocuments

NUMBER = click.FloatRange(0, min_open=True)

LEAST = click.IntRange(0, 2**31 - 1)


class Numbers(click.ParamType[Any]):
    """Whole numbers, separated by commas."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Read them."""
        if isinstance(value, tuple):
            return value
        if not re.fullmatch("[0-9]{1,9}(,[0-9]{1,9})*", value):
            self.fail(f"{value!r} is not a list of whole numbers such as 0,4,8", param, ctx)
        return tuple(map(int, value.split(",")))


MOST_RUNS = 100
"""The most runs of one command."""


class Seeds(Numbers):
    """Seeds such as 1-10 or 1,2,7."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Read them."""
        if isinstance(value, str) and (span := re.fullmatch("([0-9]{1,9})-([0-9]{1,9})", value)):
            first, last = int(span[1]), int(span[2])
            if not first <= last < first + MOST_RUNS:
                self.fail(f"{value!r} is not a range of 1 to {MOST_RUNS} seeds such as 1-10", param, ctx)
            return tuple(range(first, last + 1))
        return super().convert(value, param, ctx)


ABOUT = """Learns the {target} of each document in FILE, or in the data set NAME, and writes a folder that relevance
summarize takes as {kind}:OUTPUT. Defaults are the published settings. Training that was stopped continues with --resume
from the last epoch, or the last ten minutes."""

OPTIONAL = ("model", "grid", "warmup", "num_beams", "min_new_tokens", "max_new_tokens")
"""Options that some methods do not have."""


class TrainGroup(click.Group):
    """The group `train`; methods are imported only for their commands and the help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands of the file, then the methods."""
        return [*super().list_commands(ctx), *METHODS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command of the file, or that of a method."""
        if known := super().get_command(ctx, cmd_name):
            return known
        return method_command(METHODS[cmd_name]) if cmd_name in METHODS else None


def method_command(method: type[Method]) -> click.Command:
    """Make the command of a method, with its settings as options."""

    @report_refusals
    def run(**given: Any) -> None:
        settings = {field.name: given.pop(field.name) for field in fields(method)}
        absent: dict[str, Any] = dict.fromkeys(OPTIONAL)
        train_method(method, settings, Given(**absent | given))

    about = (getdoc(method) or "").partition("\n")[0] + f"\n\n{ABOUT.format(target=method.target, kind=method.kind)}"
    options = [setting_option(field) for field in fields(method)]
    return click.Command(method.name, params=[*shared_options(method), *options], callback=run, help=about)


def setting_option(field: Any) -> click.Option:
    """Return the option of a method's setting, of the type of its default."""
    flag = f"--{field.name.replace('_', '-')}"
    default, choices = field.default, field.metadata["choices"]
    kind: Any = click.Choice(choices) if choices else type(default)
    if isinstance(default, tuple):
        kind, default = Numbers(), ",".join(map(str, default))
    return click.Option([flag, field.name], type=kind, default=default, show_default=True, help=field.metadata["help"])


@dataclass(frozen=True)
class Given:
    """The options of a run with any method; None: as published."""

    dataset: str
    dev: str
    output: Path
    model: Path | None
    seed: int
    seeds: tuple[int, ...] | None
    early_stop: str
    grid: bool | None
    resume: bool
    dtype: str
    device: str | None
    learning_rate: float | None
    batch: int | None
    accumulation: int | None
    epochs: int | None
    warmup: int | None
    num_beams: int | None
    min_new_tokens: int | None
    max_new_tokens: int | None


def shared_options(method: type[Method]) -> list[click.Parameter]:
    """Make the options of all methods, with this method's published settings as defaults."""
    folder = click.Path(path_type=Path)
    published = PUBLISHED[method.name]
    training, decoding = published.training, published.decoding

    longest = f"{training.updates} updates" if training.updates else training.epochs

    def number(flag: str, name: str, default: object, help: str, type: Any = COUNT) -> click.Option:
        return click.Option([flag, name], type=type, help=f"{help}  [default: {default}]")

    described = f"Search the published grid by dev: {describe_grid(published.grid)}."
    grid = click.Option(["--grid"], is_flag=True, help=described)
    warmup = number("--warmup", "warmup", training.warmup, "Updates in which the learning rate rises.", LEAST)
    searching = [
        number("--beams", "num_beams", decoding.num_beams, "Width of beam search.", BEAMS),
        number("--min-tokens", "min_new_tokens", decoding.min_new_tokens, "Fewest tokens of a summary.", LEAST),
        number("--max-tokens", "max_new_tokens", decoding.max_new_tokens, "Most tokens of a summary."),
    ]
    model = click.Option(["--model"], type=folder, required=True, help="Folder of the checkpoint that is trained.")
    return [
        click.Argument(["dataset"], metavar="FILE|NAME"),
        click.Option(
            ["--dev"],
            required=True,
            metavar="FILE|NAME",
            help="Documents that decide when training stops; not learned from.",
        ),
        *([model] if method.needs_model else []),
        click.Option(
            ["-o", "--output"],
            type=click.Path(path_type=Path, file_okay=False),
            required=True,
            help="Folder of the trained system; new or empty.",
        ),
        click.Option(["--seed"], type=SEED, default=0, show_default=True, help="Random seed."),
        click.Option(["--seeds"], type=Seeds(), help="Runs, such as 1-10: folders OUTPUT#1 and so on, one system."),
        click.Option(
            ["--early-stop"],
            type=click.Choice(MEASURES),
            default=MEASURES[0],
            show_default=True,
            help=f"Metric of the dev summaries by which the best epoch is kept{describe_patience(training.patience)}.",
        ),
        *([grid] if published.grid else []),
        click.Option(["--resume"], is_flag=True, help="Continue the run in OUTPUT, with the same result."),
        click.Option(["--dtype"], type=click.Choice(DTYPES), default=DTYPES[0], show_default=True, help="Precision."),
        click.Option(["--device"], type=click.Choice(["cpu", "cuda"]), help="[default: CUDA if available]"),
        number("--learning-rate", "learning_rate", training.learning_rate, "Learning rate.", NUMBER),
        number("--batch", "batch", training.batch, "Documents at a time."),
        number("--accumulation", "accumulation", training.accumulation, "Batches that make one update."),
        number("--epochs", "epochs", longest, "Most passes over the documents."),
        *([warmup] if training.warmup else []),
        *(searching if method.searches else []),
    ]


def describe_patience(patience: int) -> str:
    """Describe what ends training."""
    return f"; {patience} epochs without a better one end training" if patience < TO_THE_END else ""


def describe_grid(grid: Any) -> str:
    """Describe a grid."""
    named = (f"{name.replace('_', ' ')} {', '.join(f'{value:g}' for value in values)}" for name, values in grid.items())
    return "; ".join(named)


def train_method(method: type[Method], settings: dict[str, Any], given: Given) -> None:
    """Train a system, or several over seeds."""

    def kept(_: int) -> str:
        return "--resume continues from the last checkpoint"

    task = make_task(method(**settings), given)
    grid = PUBLISHED[method.name].grid if given.grid else None
    with show_document_progress("training", method.name, kept) as progress:
        options: dict[str, Any] = {"resume": given.resume, "progress": progress}
        if given.seeds:
            folders = train_runs(task, given.output, given.seeds, grid=grid, say=say, **options)
        elif grid:
            search_grid(task, given.output, grid, say=say, **options)
            folders = [given.output]
        else:
            train(task, given.output, **options)
            folders = [given.output]
    for folder in folders:
        click.echo(describe(folder))


def make_task(method: Method, given: Given) -> Task:
    """Make the task that the options describe, with published settings by default."""
    check_installed()
    published = PUBLISHED[method.name]

    def said(*names: str) -> dict[str, Any]:
        return {name: value for name in names if (value := getattr(given, name)) is not None}

    dev = tuple(method.documents(find_documents(given.dev)))
    unlimited: dict[str, Any] = {"updates": None} if given.epochs else {}
    return Task(
        method,
        given.model,
        leave_out(method.documents(find_documents(given.dataset)), dev, given),
        dev,
        replace(published.training, **said("learning_rate", "batch", "accumulation", "epochs", "warmup"), **unlimited),
        replace(published.decoding, **said("num_beams", "min_new_tokens", "max_new_tokens")),
        given.seed,
        given.early_stop,
        given.dtype,
        device(given.device).partition(":")[0],
    )


def leave_out(documents: Iterable[Document], dev: Sequence[Document], given: Given) -> tuple[Document, ...]:
    """Leave out documents that are also in dev: scores of memorised documents would mean nothing."""
    everything, held_out = tuple(documents), TrainingDocuments.of(dev)
    learned = tuple(document for document in everything if document not in held_out)
    if everything and not learned:
        raise ValueError(f"all documents of {given.dataset} are also in {given.dev}: name other documents for --dev")
    if count := len(everything) - len(learned):
        say(f"{count} of {len(everything)} documents are not learned from, as {given.dev} has them, too")
    return learned


def describe(folder: Path) -> str:
    """Describe the result in a finished folder."""
    said = json.loads((folder / "method.json").read_text())
    return f"{folder}: {said['measure']} {said['best']['score']:.4f} on dev after {said['best']['step']} updates"
