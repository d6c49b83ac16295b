"""What all commands share: errors in one line, names in options, progress and tables on the terminal."""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Any, TypeAlias

import click
from sqlalchemy.exc import SQLAlchemyError

from annotation.store import AnnotationStore
from data.database import connect
from data.importers import read_documents
from data.one_line import in_one_line
from data.records import Document, Summary
from data.store import DataStore, UnknownDataset

Records: TypeAlias = list[tuple[Document, list[Summary]]]
"""Documents with their summaries."""

Progress: TypeAlias = Callable[[int, int], None]
"""Receives how many are done, and how many there are."""

FILE = click.Path(path_type=Path, exists=True, dir_okay=False, readable=True)

FILES = click.Path(path_type=Path, exists=True, readable=True)  # or the folder of a corpus

SEED = click.IntRange(0, 2**31 - 1)  # what a database's integer holds

COUNT = click.IntRange(1, 2**31 - 1)

BEAMS = click.IntRange(1, 64)  # each takes memory of its own

MOST_PROCESSES = 8
"""Processes that are started without being asked for, at most: each loads the solver."""

STORED = "what was found is stored, and the same command goes on from there"
"""What a run that is stopped says of a data set."""


def report_refusals(command: Callable[..., None]) -> Callable[..., None]:
    """Report refused input as one line on standard error, with exit code 2."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            command(*args, **options)
        except (ValueError, OSError) as error:  # BadRecord, StoreError, UnknownMetric, ... are ValueErrors
            if isinstance(error, OSError) and error.errno and error.filename is None:
                raise  # what failed is no file that was named but our output
            raise Refused(str(error)) from error
        except SQLAlchemyError as error:
            raise Refused(f"the database cannot be used: {getattr(error, 'orig', None) or error}") from error

    return run


def gathered(argument: str, record: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Hand a command some of its options as one argument: a dataclass whose fields have the options' names."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**options: Any) -> None:
            values = {field.name: options.pop(field.name) for field in fields(record)}
            command(**options, **{argument: record(**values)})

        return run

    return decorate


class Refused(click.ClickException):
    """Input that the command refuses."""

    exit_code = 2


format_option = click.option(
    "--format",
    "format",
    help="interchange, scitldr, summeval, csv, tsv, parquet, question, cnn_dailymail, xsum, scisummnet, newsroom, "
    "arxiv, arxiv_papers, multi_xscience, huggingface, realsumm, tac, sacrerouge, mt_metrics_eval, lmarena, "
    "human_feedback or lines; guessed from the file or folder if left out.",
)

input_format_option = click.option("--input-format", "format", help="Format of FILE; guessed if left out.")

table_format_option = click.option(
    "--format",
    "table_format",
    type=click.Choice(["text", "json", "csv", "latex"]),
    default="text",
    show_default=True,
    help="csv: one line a number; latex: booktabs.",
)


def say(message: str) -> None:
    """Print a message that is not part of the result."""
    tell(message, err=True)


def tell(line: str, *, err: bool = False) -> None:
    """Print a line with control characters escaped."""
    click.echo(in_one_line(line), err=err)


def split_names(names: str) -> list[str]:
    """The names in a comma-separated option."""
    return [name.strip() for name in names.split(",") if name.strip()]


class Incomplete(click.ClickException):
    """Scores are missing because metrics failed; all others are there."""

    exit_code = 1


def check_failures(failures: dict[str, str]) -> None:
    """End with exit code 1 where metrics failed, saying why."""
    if failures:
        raise Incomplete("; ".join(f"{name} failed: {reason}" for name, reason in failures.items()))


def read_records(file: Path, format: str | None) -> Records:
    """Read a file whole before anything is done with it."""
    return list(read_documents(file, format, say))


def open_stores() -> tuple[DataStore, AnnotationStore]:
    """The stores over the database, its schema brought up to date."""
    engine = connect(say=say)
    return DataStore(engine), AnnotationStore(engine)


def store_with(name: str) -> DataStore:
    """The store of data sets, refused where it has none of that name, which is no file's either."""
    store, _ = open_stores()
    try:
        store.dataset(name)
    except UnknownDataset as error:
        if any(Path(name).glob("part-*.parquet")):
            raise Refused(
                f"{name} has shards and no manifest: the run has not ended, and goes on when it is started again"
            ) from error
        raise Refused(f"there is no file {name}, and {error}") from error
    return store


def find_documents(name: str) -> list[Document]:
    """The documents of a file or a data set. Raises `BadRecord`, `Refused`."""
    records = read_records(Path(name), None) if is_file(name, None) else store_with(name).records(name)
    return [document for document, _ in records]


def usual_processes() -> int:
    """The default number of processes."""
    return min(os.cpu_count() or 1, MOST_PROCESSES)


@contextmanager
def announce_interrupt(kept: Callable[[], str]) -> Iterator[Callable[[], None]]:
    """On Ctrl-C, say what is `kept` of the work and exit with code 1.

    Yields what raises KeyboardInterrupt if it was pressed before: Python drops the exception, and prints it, where it
    comes in a callback, as there are while libraries are imported.
    """
    was_pressed = False
    print_dropped = sys.unraisablehook

    def press(*_: object) -> None:
        nonlocal was_pressed
        was_pressed = True
        raise KeyboardInterrupt

    def check() -> None:
        if was_pressed:
            raise KeyboardInterrupt

    def pass_over_interrupt(dropped: "sys.UnraisableHookArgs") -> None:
        if not issubclass(dropped.exc_type, KeyboardInterrupt):
            print_dropped(dropped)

    before = signal.signal(signal.SIGINT, press)
    sys.unraisablehook = pass_over_interrupt
    try:
        yield check
    except KeyboardInterrupt:
        say(f"stopped; {kept()}")
        raise click.exceptions.Exit(1) from None
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = print_dropped


@contextmanager
def show_document_progress(doing: str, name: str, kept: Callable[[int], str]) -> Iterator[Progress]:
    """A progress bar that Ctrl-C stops; `kept` says what there is of the work, from how much is done."""
    reached = 0
    with announce_interrupt(lambda: kept(reached)) as check, bar(f"{doing} {name}") as show:

        def progress(done: int, total: int) -> None:
            nonlocal reached
            reached = done
            show(done, total)
            check()

        yield progress


@contextmanager
def bar(label: str) -> Iterator[Progress]:
    """Show a progress bar; yields a function that takes the amount done and the total."""
    with click.progressbar(length=0, label=in_one_line(label), file=sys.stderr) as shown:

        def progress(done: int, total: int) -> None:
            shown.length = total or 1  # nothing to do is done
            shown.update((done if total else 1) - shown.pos)

        yield progress


def check_output(output: Path, inputs: Iterable[Path | None]) -> None:
    """Check that the output can be written and does not overwrite an input, before any work is done."""
    if not output.name or not output.parent.is_dir():
        raise Refused(f"{output} cannot be written: there is no folder {output.parent}")
    if not os.access(output.parent if output.is_file() or not output.exists() else output, os.W_OK):
        raise Refused(f"{output} cannot be written: permission denied")
    if any(path is not None and path.exists() and output.exists() and path.samefile(output) for path in inputs):
        raise Refused(f"{output} is what is to be scored; name another --output")


def is_file(name: str, format: str | None) -> bool:
    """Whether a name is that of a file and not of a data set; only a file has a format."""
    if Path(name).exists() and not Path(name).is_dir():  # a pipe or device is refused where it is opened
        return True
    if format:
        raise click.UsageError(f"--input-format goes with a file, and there is no file {name}")
    return False
