"""The command `convert`: data sets in other formats."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click

from relevance.cli.shared import (
    COUNT,
    Records,
    Refused,
    clean_option,
    input_format_option,
    refuse_clean,
    report_refusals,
    say,
    store_with,
    tell,
)
from relevance.data.exporters import write_beside, write_records, write_shards
from relevance.data.importers import read_documents
from relevance.data.records import Document, Summary
from relevance.data.signatures import labels
from relevance.data.wording import format_count
from relevance.distributed.sources import all_records, find_inputs, is_pattern, is_remote

QUESTION = "question"
"""The format of the questions that APES asks, which are made here."""

TO = ("interchange", "csv", "parquet", "sacrerouge", "mt_metrics_eval", QUESTION)
"""The formats of `relevance.data.exporters`, which is imported where it is used, and that of questions."""


@click.command()
@click.argument("file", metavar="FILE|NAME")
@click.argument("output", type=click.Path(path_type=Path))
@click.option("--to", "to", type=click.Choice(TO), required=True, help="Format of OUTPUT; the last three are folders.")
@click.option(
    "--rows-per-shard",
    type=COUNT,
    help="Write a folder of Parquet files, each with about this many rows (one for each summary), of whole documents.",
)
@input_format_option
@clean_option
@report_refusals
def convert(file: str, output: Path, to: str, rows_per_shard: int | None, format: str | None, clean: bool) -> None:
    """Write a file, the folder of a corpus or the data set NAME as OUTPUT, with its ratings and scores.

    FILE may be a pattern in quotes or an address, such as 'shards/*.parquet': all files are written as one data set. An
    existing OUTPUT is not replaced. Anything that the format cannot hold is reported. With --to question, OUTPUT has
    the questions that APES asks about each document, to train a reader on: relevance train attentive-reader.
    """
    if rows_per_shard is not None and to != "parquet":
        raise click.UsageError("--rows-per-shard goes with --to parquet")
    if rows_per_shard is not None:
        records = find_records(file, format, clean=clean)
        documents, summaries, shards = write_shards(records, output, rows_per_shard, say)
        tell(f"wrote {documents} documents and {summaries} summaries to {format_count(shards, 'file')} in {output}")
        return
    if to == QUESTION:
        convert_to_questions(find_records(file, format, clean=clean), output)
        return
    records = list(find_records(file, format, clean=clean))
    if not records:
        raise Refused(f"the data set {file} has no documents")
    write_records(records, output, to, say)
    summaries = sum(len(written) for _, written in records)
    tell(f"wrote {len(records)} documents and {summaries} summaries to {output}")


def convert_to_questions(records: Iterable[tuple[Document, list[Summary]]], output: Path) -> None:
    """Write the questions that APES asks about documents."""
    from relevance.metrics.apes.question_files import write_question_files

    with write_beside(output) as folder:
        made = write_question_files((document for document, _ in records), folder)
        if not made.questions:
            raise Refused("no document has both a source and a reference that mentions an entity: nothing to ask")
    if made.unasked:
        say(f"without a source, or an entity in a reference, so that nothing is asked: {made.unasked}")
    if made.unanswerable:
        say(f"questions whose answer the source does not mention, which training leaves out: {made.unanswerable}")
    say("summaries, ratings, titles and scores are not written")
    tell(
        f"wrote {format_count(made.questions, 'question')} about {format_count(made.documents, 'document')} to {output}"
    )


def find_records(name: str, format: str | None, *, clean: bool) -> Iterable[tuple[Document, list[Summary]]]:
    """Find the documents and summaries of a file, a pattern of files, an address or a data set."""
    if Path(name).exists():
        return read_documents(Path(name), format, say, clean=clean)
    if is_remote(name) or is_pattern(name):
        return all_records(find_inputs(name), format, clean=clean)
    if format:
        raise click.UsageError(f"--input-format goes with a file, and there is no file {name}")
    if clean:
        refuse_clean(name)
    return stored_records(name)


def stored_records(name: str) -> Records:
    """Read the documents and summaries of a data set, with their stored scores."""
    store = store_with(name)
    called = labels([signature.signature for signature in store.signatures(name)])
    given: dict[tuple[str, str], list[tuple[str, float]]] = {}
    missing = 0
    for signature, metric in called.items():
        for key, score in store.scores(dataset=name, signature=signature).items():
            missing += score.value is None
            if score.value is not None:
                given.setdefault(key, []).append((metric, score.value))
    if missing:
        say(f"missing scores, whose reasons no format can hold: {missing}")
    return [
        (document, [replace(summary, given=tuple(given.get((document.id, summary.system), ()))) for summary in written])
        for document, written in store.records(name)
    ]
