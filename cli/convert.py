"""The command `convert`: data sets in other formats."""

from dataclasses import replace
from pathlib import Path

import click

from cli.shared import Records, Refused, input_format_option, read_records, report_refusals, say, store_with, tell
from data.exporters import write_records
from data.signatures import labels

TO = ("interchange", "csv", "parquet", "sacrerouge", "mt_metrics_eval")
"""The formats of `data.exporters`, which is imported where it is used."""


@click.command()
@click.argument("file", metavar="FILE|NAME")
@click.argument("output", type=click.Path(path_type=Path))
@click.option("--to", "to", type=click.Choice(TO), required=True, help="Format of OUTPUT; the last two are folders.")
@input_format_option
@report_refusals
def convert(file: str, output: Path, to: str, format: str | None) -> None:
    """Write a file, the folder of a corpus or the data set NAME as OUTPUT, with its ratings and scores.

    An existing OUTPUT is not replaced. Anything that the format cannot hold is reported.
    """
    if Path(file).exists():
        records = read_records(Path(file), format)
    elif format:
        raise click.UsageError(f"--input-format goes with a file, and there is no file {file}")
    else:
        records = stored_records(file)
    if not records:
        raise Refused(f"the data set {file} has no documents")
    write_records(records, output, to, say)
    summaries = sum(len(written) for _, written in records)
    tell(f"wrote {len(records)} documents and {summaries} summaries to {output}")


def stored_records(name: str) -> Records:
    """Read the documents and summaries of a data set, with their stored scores."""
    store = store_with(name)
    called = labels([one.signature for one in store.signatures(name)])
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
        (document, [replace(one, given=tuple(given.get((document.id, one.system), ()))) for one in written])
        for document, written in store.records(name)
    ]
