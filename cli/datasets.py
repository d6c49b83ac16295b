"""Data sets: import, list, summarize, and the demo."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.oracle import warn_of_unsplit
from cli.shared import (
    FILES,
    MOST_PROCESSES,
    STORED,
    check_failures,
    format_option,
    open_stores,
    print_table,
    report_refusals,
    say,
    show_document_progress,
    split_names,
    tell,
    usual_processes,
)

if TYPE_CHECKING:
    from summarizers.adding import AddedSystem


@click.command("import")
@click.argument("file", type=FILES)
@click.option("--name", required=True, help="Name of the data set; for a file of lines, the one that it joins.")
@click.option("--system", help="Name of the system that wrote a file of lines; the file's name if left out.")
@format_option
@report_refusals
def import_(file: Path, name: str, system: str | None, format: str | None) -> None:
    """Import documents and summaries from FILE, or from a folder of .question files, whole or not at all."""
    from data.importing import import_file

    store, _ = open_stores()
    tell(import_file(store, file, name=name, format=format, system=system, say=say))


@click.command()
@report_refusals
def datasets() -> None:
    """List the data sets."""
    store, _ = open_stores()
    print_table(
        ["data set", "format", "documents", "summaries", "systems"],
        [(d.name, d.format, d.documents, d.summaries, ", ".join(d.systems) or "-") for d in store.datasets()],
    )


def print_systems(context: click.Context, _option: click.Parameter, asked: bool) -> None:
    """Print how all systems are named and end."""
    from summarizers.registry import guide

    if asked and not context.resilient_parsing:
        click.echo(guide())
        context.exit()


@click.command()
@click.argument("name")
@click.option(
    "--system",
    "systems",
    required=True,
    help="Systems, separated by commas: lead, random, textrank, lexrank, tfidf, sumbasic, lsa, each of 3 sentences or "
    "with -K (sentences), -Kw (words) or -ref (words of the first reference) after its name; rake-Kw, rake-ref (key "
    "phrases); upper bounds that read the references, such as oracle-exact-rouge1, oracle-greedy-rouge2-set; and texts "
    "that people wrote: reference:N, title.",
)
@click.option(
    "--list", is_flag=True, is_eager=True, expose_value=False, callback=print_systems, help="Name all systems and exit."
)
@click.option(
    "--processes",
    type=click.IntRange(1, 256),
    help="Documents at once, where a system takes long, as oracles do.  [default: as many as processors, up to "
    f"{MOST_PROCESSES}]",
)
@report_refusals
def summarize(name: str, systems: str, processes: int | None) -> None:
    """Write candidate summaries for the data set NAME.

    Summaries are stored as they are written: the same command goes on where it was stopped, and adds what a system
    lacks. A system that was imported, or written with other settings, is left as it is.
    """
    from summarizers import add_systems

    names = split_names(systems)
    if not names:
        raise click.UsageError("--system names no system")
    store, annotation = open_stores()
    studies = annotation.studies_of(name)
    at_once = processes or usual_processes()
    warn_of_unsplit([document for document, _ in store.records(name)])
    done: list[AddedSystem] = []
    try:
        with show_document_progress("summarizing", name, lambda _: STORED) as progress:
            done.extend(add_systems(store, name, names, studies=studies, processes=at_once, progress=progress))
    finally:
        for added in done:  # not before the bar is gone
            tell(added.words(name))


@click.command()
@report_refusals
def demo() -> None:
    """Import the demo corpus, score it by all metrics and create its studies, unless that is already done.

    One study is there to be judged; the other was judged by a program, and shows what the pages say of judgments.
    """
    from annotation.demo import create_demo_study, create_made_up_study
    from data.demo import NAME, add_demo
    from metrics import METRICS, make_metrics, metric
    from metrics.scoring import Failures, score_dataset

    data_store, store = open_stores()
    add_demo(data_store)
    failures = Failures()
    score_dataset(data_store, NAME, make_metrics(list(METRICS)), failures=failures)
    signature = metric("rouge_k").signature
    for study in (create_demo_study(store, signature), create_made_up_study(data_store, store, signature)):
        tell(f"the study {study.name} has {study.pairs} pairs and {study.judgments} judgments")
    check_failures(failures)
