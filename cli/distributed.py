"""Runs over shards on the command line: their options, inputs, folders and progress."""

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from relevance.cli.shared import COUNT, Incomplete, announce_interrupt, bar, say
from relevance.data.cleaning import describe_cleaning
from relevance.data.wording import format_count
from relevance.distributed.on_ray import RayOptions, on_ray
from relevance.distributed.running import Here, Outcome, Place, Progress, compute, find_shards, prepare
from relevance.distributed.sources import PER_SHARD, Planner, find_inputs, is_pattern, is_remote
from relevance.distributed.work import Work

UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}


class Memory(click.ParamType[int]):
    """An amount of memory such as 500M or 4G."""

    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read an amount in bytes."""
        match = re.fullmatch(r"([1-9][0-9]{0,14})([KMGT]?)(?:i?B)?", str(value), re.IGNORECASE)
        if match is None:
            self.fail(f"{value!r} is not an amount of memory, such as 500M or 4G", param, ctx)
        return int(match[1]) * UNITS[match[2].upper()]


OPTIONS = (
    click.option(
        "--on",
        metavar="ray[:ADDRESS]",
        help="Run over shards on Ray: on this machine, or on the cluster at ADDRESS, such as 10.0.0.1:6379 or auto. "
        "Each shard becomes a Parquet file in --output, and the same command computes only missing ones.",
    ),
    click.option(
        "--workers", type=COUNT, help="Shards at once on Ray.  [default: Ray's processors, or its GPUs for models]"
    ),
    click.option("--memory", type=Memory(), help="Memory that Ray reserves for each worker, such as 4G."),
    click.option(
        "--shard-documents",
        type=COUNT,
        help="Documents per shard, if the input has a document per line or is a Parquet table; any other file is one "
        "shard.  [default: 512]",
    ),
    click.option(
        "--keep-going",
        is_flag=True,
        help="Leave out shards whose input is damaged, compute the others, and name them at the end (exit code 1).",
    ),
)


def shard_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of runs over shards to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class ShardOptions:
    """The options of runs over shards."""

    on: str | None
    workers: int | None
    memory: int | None
    shard_documents: int | None
    keep_going: bool

    def are_asked(self, input: str | None, output: str | None) -> bool:
        """Tell whether a run is over shards: with --on, a folder as --output, or an input of many files."""
        arguments = (
            self.on is not None
            or (output is not None and (output.endswith("/") or Path(output).is_dir()))
            or (input is not None and (is_remote(input) or is_pattern(input)))
        )
        for name in ("workers", "memory", "shard_documents"):
            if getattr(self, name) is not None and not (arguments if name == "shard_documents" else self.on):
                option = f"--{name.replace('_', '-')}"
                raise click.UsageError(f"{option} goes with --on ray" + " or a folder" * (name == "shard_documents"))
        if self.keep_going and not arguments:
            raise click.UsageError("--keep-going goes with --on ray or a folder")
        return arguments

    @contextmanager
    def place(self) -> Iterator[Place]:
        """Open the place where shards are made, until the block is left. Raises UsageError, `RayMissing`, OSError."""
        if self.on is None:
            yield Here()
            return
        kind, _, address = self.on.partition(":")
        if kind != "ray" or self.on.endswith(":"):
            raise click.UsageError(f"--on must be ray, or ray:ADDRESS of a cluster, not {self.on!r}")
        with on_ray(RayOptions(address or None, self.workers, self.memory, say)) as place:
            yield place


def find_shard_inputs(input: str | None, output: str | None) -> tuple[list[str], Path]:
    """Find the files that a run over shards reads, and its folder. Raises UsageError, `NoInput`."""
    if input is None:
        raise click.UsageError("name a FILE, or a pattern of files in quotes")
    if output is None:
        raise click.UsageError("a run over shards needs a folder: --output DIR/")
    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise click.UsageError(f"--output {output} is a file, and shards go into a folder")
    if not folder.absolute().parent.is_dir():
        raise click.UsageError(f"--output {output} cannot be made: there is no folder {folder.parent}")
    return find_inputs(input), folder


def run_shards(
    work: Work, inputs: list[str], folder: Path, format: str | None, options: ShardOptions, *, clean: bool = False
) -> Outcome:
    """Run over shards, with the progress on the terminal; Ctrl-C stops it and says what is kept.

    With `clean`, texts lose the marks of other programs first.
    """
    if clean:
        say(f"texts are {describe_cleaning()}")
    planner = Planner(format, options.shard_documents or PER_SHARD, clean)
    began = 0.0
    documents = 0

    def rate(_: Any = None) -> str:
        seconds = time.monotonic() - began
        return f"{documents / seconds:,.1f} documents/s" if documents else ""

    def kept() -> str:
        done = len(find_shards(folder))  # one may have been written since the last progress
        there = f"{folder} has {format_count(done, 'shard')}, and the same command continues from there"
        return there if done else "no shard is done yet"

    files = format_count(len(inputs), "file")
    with announce_interrupt(kept) as check, options.place() as place:
        with bar(f"reading {files}") as show_read:

            def checking(read: int, total: int) -> None:
                show_read(read, total)
                check()

            prepared = prepare(work, inputs, folder, planner, place, checking, keep_going=options.keep_going)
        began = time.monotonic()
        with click.progressbar(
            length=0, label=f"{work.kind} of {files}", file=sys.stderr, item_show_func=rate, show_pos=True
        ) as shown:

            def progress(now: Progress) -> None:
                nonlocal documents
                if not documents and not now.documents:
                    shown.start = time.time()  # earlier shards tell nothing about the remaining time
                shown.length = now.total
                documents = now.documents
                shown.update(now.done - shown.pos)
                check()

            outcome = compute(prepared, place, progress)
    if documents:
        say(f"{documents:,} documents in {time.monotonic() - began:.1f} s: {rate()}")
    shards = len(outcome.manifest.shards)
    now = f"{outcome.computed} computed now, {shards - outcome.computed} computed before"
    say(f"{folder} has {format_count(shards, 'shard')}: {now}")
    for part in outcome.manifest.left_out:
        say(f"left out: {part.where}: {part.reason}")
    return outcome


def check_left_out(outcome: Outcome) -> None:
    """End with exit code 1 if parts of the input have no shard; `run_shards` has named them."""
    if left_out := len(outcome.manifest.left_out):
        shards = format_count(left_out + len(outcome.manifest.shards), "shard")
        raise Incomplete(
            f"{left_out} of {shards} left out: mend their input and start the same command again, into another "
            "--output if a file changed that has other shards, too"
        )
