"""Training by the papers' methods: a command for each method."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from inspect import getdoc
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from relevance.cli.shared import BEAMS, COUNT, SEED, find_documents, report_refusals, say, show_document_progress
from relevance.data.records import Document
from relevance.metrics.models.files import device
from relevance.summarizers.methods.base import Decoding, Method
from relevance.summarizers.methods.published import PUBLISHED, SCHEDULERS, TO_THE_END, Training
from relevance.summarizers.methods.registry import METHODS, read_method
from relevance.summarizers.training.grid import search_grid
from relevance.summarizers.training.run import train
from relevance.summarizers.training.runs import train_runs
from relevance.summarizers.training.task import DTYPES, MEASURES, Task, check_installed
from relevance.summarizers.training_documents import TrainingDocuments

NUMBER = click.FloatRange(0, min_open=True)

NOT_NEGATIVE = click.FloatRange(0)

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

OPTIONAL = ("model", "grid", "num_beams", "min_new_tokens", "max_new_tokens", "no_repeat_ngram_size")
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
        if method.inherits and given["model"]:
            settings |= inherited(method, given["model"])
        absent: dict[str, Any] = dict.fromkeys(OPTIONAL)
        train_method(method, settings, Given(**absent | given))

    about = (getdoc(method) or "").partition("\n")[0] + f"\n\n{ABOUT.format(target=method.target, kind=method.kind)}"
    options = [setting_option(field) for field in fields(method)]
    return click.Command(method.name, params=[*shared_options(method), *options], callback=run, help=about)


def inherited(method: type[Method], folder: Path) -> dict[str, Any]:
    """Return the settings that come from the folder to go on from, without those that are given.

    Raises what `read_method` does.
    """
    source_of = click.get_current_context().get_parameter_source
    there = read_method(folder).settings
    left = [name for name in method.inherits if source_of(name) is not ParameterSource.COMMANDLINE]
    return {name: there[name] for name in left if name in there}


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
    patience: int | None
    weight_decay: float | None
    clip: float | None
    scheduler: str | None
    warmup: int | None
    num_beams: int | None
    min_new_tokens: int | None
    max_new_tokens: int | None
    no_repeat_ngram_size: int | None


def shared_options(method: type[Method]) -> list[click.Parameter]:
    """Make the options of all methods, with this method's published settings as defaults."""
    published = PUBLISHED[method.name]
    described = f"Search the published grid by dev: {describe_grid(published.grid)}."
    grid = click.Option(["--grid"], is_flag=True, help=described)
    return [
        click.Argument(["dataset"], metavar="FILE|NAME"),
        click.Option(
            ["--dev"],
            required=True,
            metavar="FILE|NAME",
            help="Documents that decide when training stops; not learned from.",
        ),
        *start_options(method),
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
            help="Metric of the dev summaries by which the best epoch is kept.",
        ),
        *([grid] if published.grid else []),
        click.Option(["--resume"], is_flag=True, help="Continue the run in OUTPUT, with the same result."),
        click.Option(["--dtype"], type=click.Choice(DTYPES), default=DTYPES[0], show_default=True, help="Precision."),
        click.Option(["--device"], type=click.Choice(["cpu", "cuda"]), help="[default: CUDA if available]"),
        *training_options(published.training),
        *(decoding_options(published.decoding) if method.searches else []),
    ]


def published_option(flag: str, name: str, default: object, help: str, type: Any = COUNT) -> click.Option:
    """Make an option without a value of its own: where it is not given, the published one stays."""
    return click.Option([flag, name], type=type, help=f"{help}  [default: {default}]")


def training_options(training: Training) -> list[click.Parameter]:
    """Make the options of the optimizer, its learning rate and the length of training."""
    longest = f"{training.updates} updates" if training.updates else training.epochs
    patience = training.patience if training.patience < TO_THE_END else "no limit"
    schedulers, rising = click.Choice(SCHEDULERS), "Updates in which the learning rate rises; not if constant."
    return [
        published_option("--learning-rate", "learning_rate", training.learning_rate, "Learning rate.", NUMBER),
        published_option("--batch", "batch", training.batch, "Documents at a time."),
        published_option("--accumulation", "accumulation", training.accumulation, "Batches that make one update."),
        published_option("--epochs", "epochs", longest, "Most passes over the documents."),
        published_option("--patience", "patience", patience, "Epochs without a better score on dev that end training."),
        published_option("--weight-decay", "weight_decay", training.weight_decay, "Weight decay.", NOT_NEGATIVE),
        published_option("--clip", "clip", training.clip, "Largest norm of a gradient; 0: no limit.", NOT_NEGATIVE),
        published_option("--scheduler", "scheduler", training.scheduler, "Learning rate over the updates.", schedulers),
        published_option("--warmup", "warmup", training.warmup, rising, LEAST),
    ]


def decoding_options(decoding: Decoding) -> list[click.Parameter]:
    """Make the options of the search that writes."""
    repeated = "Length of n-grams that a summary may not repeat; 0: no limit."
    return [
        published_option("--beams", "num_beams", decoding.num_beams, "Width of beam search.", BEAMS),
        published_option(
            "--min-tokens", "min_new_tokens", decoding.min_new_tokens, "Fewest tokens of a summary.", LEAST
        ),
        published_option("--max-tokens", "max_new_tokens", decoding.max_new_tokens, "Most tokens of a summary."),
        published_option("--no-repeat", "no_repeat_ngram_size", decoding.no_repeat_ngram_size, repeated, LEAST),
    ]


def start_options(method: type[Method]) -> list[click.Parameter]:
    """Make the option of the folder that training starts from, if there can be one."""
    if method.inherits:
        flag, help = "--from", "Folder of a trained system whose words and weights training goes on from."
    elif method.needs_model:
        flag, help = "--model", "Folder of the checkpoint that is trained."
    else:
        return []
    return [click.Option([flag, "model"], type=click.Path(path_type=Path), required=method.needs_model, help=help)]


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
            train(task, given.output, say=say, **options)
            folders = [given.output]
    for folder in folders:
        click.echo(describe(folder))


def make_task(method: Method, given: Given) -> Task:
    """Make the task that the options describe, with published settings by default."""
    check_installed()
    published = PUBLISHED[method.name]

    def given_of(*names: str) -> dict[str, Any]:
        return {name: value for name in names if (value := getattr(given, name)) is not None}

    dev = tuple(method.documents(find_documents(given.dev)))
    check_unknown(dev, given)
    settings = given_of(*(field.name for field in fields(Training) if field.name != "updates"))
    if given.epochs:
        settings["updates"] = None
    return Task(
        method,
        given.model,
        choose_learned(method, dev, given),
        dev,
        replace(published.training, **settings),
        replace(
            published.decoding, **given_of("num_beams", "min_new_tokens", "max_new_tokens", "no_repeat_ngram_size")
        ),
        given.seed,
        given.early_stop,
        given.dtype,
        device(given.device).partition(":")[0],
    )


def check_unknown(dev: Sequence[Document], given: Given) -> None:
    """Refuse documents of dev that the system to start from was trained on. Raises ValueError."""
    known = TrainingDocuments.in_folder(given.model)
    if there := sum(document in known for document in dev):
        raise ValueError(
            f"{given.model} was trained on {there} of the {len(dev)} documents of {given.dev}: name other documents "
            "for --dev"
        )


def choose_learned(method: Method, dev: Sequence[Document], given: Given) -> tuple[Document, ...]:
    """Leave out documents that the method does not learn from, and those of dev, whose scores would mean nothing."""
    everything, held_out = method.documents(find_documents(given.dataset)), TrainingDocuments.of(dev)
    learned = [document for document in everything if document not in held_out]
    if everything and not learned:
        raise ValueError(f"all documents of {given.dataset} are also in {given.dev}: name other documents for --dev")
    if count := len(everything) - len(learned):
        say(f"{count} of {len(everything)} documents are not learned from, as {given.dev} has them, too")
    with show_document_progress("checking", given.dataset, lambda _: "nothing was trained yet") as progress:
        remarks = method.remarks(learned, progress)
        progress(len(learned), len(learned))
    for remark in remarks:
        say(remark)
    return tuple(document for document in learned if method.learns_from(document))


def describe(folder: Path) -> str:
    """Describe the result in a finished folder."""
    record = json.loads((folder / "method.json").read_text())
    return f"{folder}: {record['measure']} {record['best']['score']:.4f} on dev after {record['best']['step']} updates"
