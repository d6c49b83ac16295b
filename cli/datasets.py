"""Data sets: import, list, and the demo."""

from pathlib import Path

import click

from relevance.annotation.demo import create_demo_study, create_made_up_study
from relevance.annotation.importing import import_any
from relevance.cli.printing import print_table
from relevance.cli.shared import (
    FILES,
    check_failures,
    clean_option,
    format_option,
    open_stores,
    report_refusals,
    say,
    tell,
)
from relevance.data.demo import NAME, add_demo
from relevance.data.importing import Reading
from relevance.metrics import METRICS, make_metrics, metric
from relevance.metrics.notices import LOOKED_AT, BrokenWords
from relevance.metrics.scoring import Failures, score_dataset


@click.command("import")
@click.argument("file", type=FILES)
@click.option("--name", required=True, help="Name of the data set; for a file of lines, the one that it joins.")
@click.option("--system", help="Name of the system that wrote a file of lines; the file's name if left out.")
@format_option
@clean_option
@report_refusals
def import_(file: Path, name: str, system: str | None, format: str | None, clean: bool) -> None:
    """Import documents and summaries from FILE, or from the folder of a corpus, completely or not at all.

    People's choices between two summaries (LMArena, human feedback) are imported as the closed study NAME.
    """
    store, annotation = open_stores()
    tell(import_any(store, annotation, file, name=name, system=system, reading=Reading(format, clean=clean), say=say))
    words = BrokenWords()
    for document, summaries in store.first_records(name, LOOKED_AT):
        for text in (document.source_text, *document.references, *(summary.text for summary in summaries)):
            words.add(text)
    if broken := words.describe("its first documents"):
        say(f"when it is scored by ROUGE: {broken}")


@click.command()
@click.option("--archived", is_flag=True, help="List those in the archive, too.")
@report_refusals
def datasets(archived: bool) -> None:
    """List the data sets."""
    store, _ = open_stores()
    print_table(
        ["data set", "format", "documents", "summaries", "systems"],
        [
            (d.name, d.form, d.documents, d.summaries, ", ".join(d.systems) or "-")
            for d in store.datasets(archived=archived)
        ],
    )


@click.command()
@report_refusals
def demo() -> None:
    """Import the demo corpus, score it by all metrics and create its studies, unless this is already done.

    One study is for judging; the other was judged by a program, and shows the pages with judgments.
    """
    data_store, store = open_stores()
    add_demo(data_store)
    failures = Failures()
    score_dataset(data_store, NAME, make_metrics(list(METRICS)), failures=failures)
    signature = metric("rouge_k").signature
    for study in (create_demo_study(store, signature), create_made_up_study(data_store, store, signature)):
        tell(f"the study {study.name} has {study.pairs} pairs and {study.judgments} judgments")
    check_failures(failures)
