"""Data sets: import, list, and the demo."""

from dataclasses import dataclass
from pathlib import Path

import click

from relevance.annotation.demo import create_demo_study, create_made_up_study
from relevance.annotation.importing import import_any
from relevance.cli.printing import print_table
from relevance.cli.shared import (
    FILES,
    Refused,
    check_failures,
    check_output,
    clean_option,
    format_option,
    gathered,
    open_stores,
    report_refusals,
    say,
    tell,
)
from relevance.data.demo import NAME, add_demo
from relevance.data.files import write_whole
from relevance.data.importers.mapping import Columns, parse_columns, parse_values, write_columns
from relevance.data.importing import Reading
from relevance.data.previewing import preview_file
from relevance.metrics import make_metrics, metric
from relevance.metrics.notices import LOOKED_AT, BrokenWords
from relevance.metrics.registry import usual_metrics
from relevance.metrics.scoring import Failures, score_dataset

NEW_FILE = click.Path(path_type=Path, dir_okay=False)


@dataclass(frozen=True)
class TableOptions:
    """The options about the columns of a table."""

    columns: str | None
    values: str | None
    sheet: str | None
    preview: bool
    save_columns: Path | None

    def mapping(self) -> Columns | None:
        """Put together what was said; None if nothing was. Raises `BadColumns`."""
        if self.columns is self.values is self.sheet is None:
            return None
        told = Columns({}) if self.columns is None else parse_columns(self.columns)
        values = {} if self.values is None else parse_values(self.values)
        return told._replace(values={**told.values, **values}, sheet=self.sheet or told.sheet)


def preview_import(file: Path, reading: Reading, saved: Path | None) -> None:
    """Print how a file would be read, and its first rows."""
    preview = preview_file(file, reading, say)
    if preview.rows:
        print_table(list(preview.rows[0]), [list(row.values()) for row in preview.rows])
    if saved is not None:
        save_columns(saved, None if preview.columns is None else write_columns(preview.columns))


def save_columns(path: Path, columns: str | None) -> None:
    """Write how columns were read to a file."""
    if columns is None:
        say("there is nothing to save: the columns have the usual names")
        return
    write_whole(path, [columns])
    say(f"the columns are in {path}; --columns {path} reads another file so")


@click.command("import")
@click.argument("file", type=FILES)
@click.option("--name", help="Name of the data set; for a file of lines, the one that it joins.")
@click.option("--system", help="Name of the system that wrote a file of lines; the file's name if left out.")
@format_option
@clean_option
@click.option(
    "--columns",
    metavar="ROLE=COLUMN,...",
    help="Columns of a table, by name or position (source=article,left=A,right=B,choice=7), or a file with a mapping. "
    "Others are guessed. Roles are document_id, title, source, reference; system, summary, human.ASPECT, "
    "aspect, summary.SYSTEM; left, right, left_system, right_system, choice, choice.QUESTION; rank, best, worst, also "
    ".QUESTION, system.SYSTEM; annotator, time, comment.",
)
@click.option(
    "--values",
    metavar="VALUE=MEANING,...",
    help="Meanings of values. For a choice (A=left,Neutral=tie): left, right, tie, bad, skip, or system for the name "
    "of the chosen system. For a rating (Agree=4,Unsure=skip): its number, or skip.",
)
@click.option("--sheet", help="The sheet of a spreadsheet; the first one that is not empty if left out.")
@click.option(
    "--of", metavar="NAME", help="The data set whose summaries FILE's choices are of, by document and system."
)
@click.option("--preview", is_flag=True, help="Say how FILE is read, show its first rows, and import nothing.")
@click.option("--save-columns", type=NEW_FILE, help="Write how the columns were read to a file for --columns.")
@gathered("table", TableOptions)
@report_refusals
def import_(
    file: Path,
    name: str | None,
    system: str | None,
    of: str | None,
    format: str | None,
    clean: bool,
    table: TableOptions,
) -> None:
    """Import documents and summaries from FILE, or from the folder of a corpus, completely or not at all.

    People's choices between two summaries (a table with a row for each, ranks, LMArena, human feedback) are
    imported as the closed study NAME; with --of, it is one of the summaries of a data set that is here.
    """
    reading = Reading(format, table.mapping(), clean)
    if table.save_columns is not None:
        check_output(table.save_columns, [file])
    if table.preview:
        preview_import(file, reading, table.save_columns)
        return
    if name is None:
        raise click.UsageError("Missing option '--name'.")
    if of is not None and table.save_columns is not None:
        raise click.UsageError("--save-columns goes with --preview, or with a data set that is imported, not with --of")
    store, annotation = open_stores()
    tell(import_any(store, annotation, file, name=name, system=system, of=of, reading=reading, say=say))
    if of is not None:
        return
    if table.save_columns is not None:
        save_columns(table.save_columns, store.dataset(name.strip()).columns)
    words = BrokenWords()
    for document, summaries in store.first_records(name, LOOKED_AT):
        for text in (document.source_text, *document.references, *(summary.text for summary in summaries)):
            words.add(text)
    if broken := words.describe("its first documents"):
        say(f"when it is scored by ROUGE: {broken}")


@click.command()
@click.option("--archived", is_flag=True, help="List those in the archive, too.")
@click.option("--columns", "name", metavar="NAME", help="Print how the columns of NAME's table were read, instead.")
@report_refusals
def datasets(archived: bool, name: str | None) -> None:
    """List the data sets."""
    store, _ = open_stores()
    if name is not None:
        columns = store.dataset(name).columns
        if columns is None:
            raise Refused(f"the columns of {name} had the usual names, or it was not a table")
        click.echo(columns, nl=False)
        return
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
    score_dataset(data_store, NAME, make_metrics(usual_metrics()), failures=failures)
    signature = metric("rouge_k").signature
    for study in (create_demo_study(store, signature), create_made_up_study(data_store, store, signature)):
        tell(f"the study {study.name} has {study.pairs} pairs and {study.judgments} judgments")
    check_failures(failures)
