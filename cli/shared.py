"""Helpers of all commands: errors in one line, names in options, stores, progress on the terminal."""

import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import click
from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from relevance.annotation.store import AnnotationStore
from relevance.data.database import URL_VARIABLE, connect, database_url, file_url, sqlite_file
from relevance.data.importers import IMPORTERS, LINES, read_documents
from relevance.data.one_line import in_one_line
from relevance.data.places import DATABASE, data_folder, default_file, left_in_environment
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, UnknownDataset
from relevance.data.suspicious import describe_suspicious

Records: TypeAlias = list[tuple[Document, list[Summary]]]
"""Documents with their summaries."""

Progress: TypeAlias = Callable[[int, int], None]
"""A function that receives the numbers of done and of all items."""

FILE = click.Path(path_type=Path, exists=True, dir_okay=False, readable=True)

FILES = click.Path(path_type=Path, exists=True, readable=True)  # or the folder of a corpus

SEED = click.IntRange(0, 2**31 - 1)  # the range of a database's integer

COUNT = click.IntRange(1, 2**31 - 1)

BEAMS = click.IntRange(1, 64)  # each takes memory of its own

MOST_PROCESSES = 8
"""The most processes started by default: each loads the solver."""

STORED = "the results so far are stored, and the same command continues from there"
"""The message of a stopped run about a data set."""


def report_refusals(command: Callable[..., None]) -> Callable[..., None]:
    """Report refused input as one line on standard error, with exit code 2."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            command(*args, **options)
        except (ValueError, OSError) as error:  # BadRecord, StoreError, UnknownMetric, ... are ValueErrors
            if isinstance(error, OSError) and error.errno and error.filename is None:
                raise  # not about a named file, but about our output
            raise Refused(str(error)) from error
        except SQLAlchemyError as error:
            raise Refused(f"the database cannot be used: {getattr(error, 'orig', None) or error}") from error

    return run


def gathered(argument: str, record: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Pass some of a command's options as one argument: a dataclass whose fields have the options' names."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**options: Any) -> None:
            values = {field.name: options.pop(field.name) for field in fields(record)}
            command(**options, **{argument: record(**values)})

        return run

    return decorate


class Refused(click.ClickException):
    """The command refuses its input."""

    exit_code = 2


format_option = click.option(
    "--format",
    "format",
    help=f"{', '.join(IMPORTERS.ours)}, {LINES}, or a format of an installed package; guessed from the file or folder "
    "if left out.",
)

input_format_option = click.option("--input-format", "format", help="Format of FILE; guessed if left out.")

clean_option = click.option(
    "--clean",
    is_flag=True,
    help="Remove marks of other programs from FILE's texts, such as <q>, <unk>, -LRB- and &amp;, and write letters in "
    "their usual forms. Data sets are cleaned when they are imported.",
)

table_format_option = click.option(
    "--format",
    "table_format",
    type=click.Choice(["text", "json", "csv", "latex"]),
    default="text",
    show_default=True,
    help="csv: one line per number; latex: booktabs.",
)


def say(message: str) -> None:
    """Print a message that is not part of the result, on a terminal in the place of a progress bar, which goes on."""
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)
    tell(message, err=True)


def tell(line: str, *, err: bool = False) -> None:
    """Print a line with control characters escaped."""
    click.echo(in_one_line(line), err=err)


def say_suspicious(store: DataStore, dataset: str, systems: Collection[str] = ()) -> None:
    """Print what is suspicious of a data set's summaries by some systems, or by all."""
    for sentence in describe_suspicious(store.records(dataset), systems):
        say(sentence)


def split_names(names: str) -> list[str]:
    """Split a comma-separated option into names."""
    return [name.strip() for name in names.split(",") if name.strip()]


class Incomplete(click.ClickException):
    """Scores are missing because metrics failed; all other scores exist."""

    exit_code = 1


def check_failures(failures: dict[str, str]) -> None:
    """End with exit code 1 and the reasons if metrics failed."""
    if failures:
        raise Incomplete("; ".join(f"{name} failed: {reason}" for name, reason in failures.items()))


def read_records(file: Path, format: str | None, *, clean: bool = False) -> Records:
    """Read a whole file before anything is done with it; its texts lose the marks of other programs if `clean`."""
    return list(read_documents(file, format, say, clean=clean))


def refuse_clean(name: str) -> NoReturn:
    """Refuse to clean what is stored. Raises UsageError."""
    raise click.UsageError(
        f"--clean goes with a file, and {name} is stored: import its file again with --clean, under another name"
    )


def open_stores() -> tuple[DataStore, AnnotationStore]:
    """Open the stores over the database, after bringing its schema up to date; say where a new one is."""
    if (remark := remark_on_place()) is not None:
        say(remark)
    new = find_new_file()
    engine = connect(say=say)
    if new is not None:
        say(f"the new database is {new}")
    return DataStore(engine), AnnotationStore(engine)


def find_new_file() -> Path | None:
    """Return the file that will be made for the database; None if it is there, or if none will be."""
    file = sqlite_file(make_url(database_url()))
    return None if file is None or file.exists() else file.absolute()


def remark_on_place() -> str | None:
    """Tell what to do about a database among the installed packages, where earlier versions made one."""
    left = left_in_environment()
    if os.environ.get(URL_VARIABLE) or left is None:
        return None
    used = default_file(DATABASE)
    if used != left:
        return f"{left}, of an earlier version, is not in use, but {used} is; {URL_VARIABLE}={file_url(left)} opens it"
    place = shlex.quote(str(data_folder() / DATABASE))
    return f"the database {left} goes when the environment is deleted: relevance backup {place} makes one that stays"


def store_with(name: str) -> DataStore:
    """Open the store of data sets. Raises `Refused` if it has none of that name, which is not a file's either."""
    store, _ = open_stores()
    try:
        store.dataset(name)
    except UnknownDataset as error:
        if any(Path(name).glob("part-*.parquet")):
            raise Refused(
                f"{name} has shards but no manifest: the run has not finished; start it again to continue"
            ) from error
        raise Refused(f"there is no file {name}, and {error}") from error
    return store


def find_documents(name: str) -> list[Document]:
    """Read the documents of a file or a data set. Raises `BadRecord`, `Refused`."""
    records = read_records(Path(name), None) if is_file(name, None) else store_with(name).records(name)
    return [document for document, _ in records]


def usual_processes() -> int:
    """Return the default number of processes."""
    return min(os.cpu_count() or 1, MOST_PROCESSES)


@contextmanager
def announce_interrupt(kept: Callable[[], str]) -> Iterator[Callable[[], None]]:
    """On Ctrl-C, say what is `kept` of the work and exit with code 1.

    Yields a function that raises KeyboardInterrupt if Ctrl-C was pressed before: Python drops and prints an exception
    in a callback, such as those during imports of libraries.
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
    """Show a progress bar that Ctrl-C stops; `kept` tells what is kept of the work, from the number of done items."""
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
    """Show a progress bar with rate and time left; yield a function that takes the numbers of done and of all items."""
    began = time.monotonic()

    def rate(done: int | None) -> str:
        rate = (done or 0) / max(time.monotonic() - began, 1e-3)
        return f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.2g}/s" if rate else ""

    with click.progressbar(
        length=0, label=in_one_line(label), file=sys.stderr, show_pos=True, item_show_func=rate
    ) as shown:

        def progress(done: int, total: int) -> None:
            shown.length = total or 1  # no work is finished work
            shown.update((done if total else 1) - shown.pos, done)

        yield progress


def check_output(output: Path, inputs: Iterable[Path | None]) -> None:
    """Check that the output can be written and does not overwrite an input, before any work is done."""
    if not output.name or not output.parent.is_dir():
        raise Refused(f"{output} cannot be written: there is no folder {output.parent}")
    if not os.access(output.parent if output.is_file() or not output.exists() else output, os.W_OK):
        raise Refused(f"{output} cannot be written: permission denied")
    if any(path is not None and path.exists() and output.exists() and path.samefile(output) for path in inputs):
        raise Refused(f"{output} is an input; name another --output")


def is_file(name: str, format: str | None) -> bool:
    """Tell whether a name is that of a file and not of a data set; only a file has a format."""
    if Path(name).exists() and not Path(name).is_dir():  # a pipe or device is refused when it is opened
        return True
    if format:
        raise click.UsageError(f"--input-format goes with a file, and there is no file {name}")
    return False
