"""Score summaries by metrics, and list the keywords of documents."""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from relevance.cli.distributed import ShardOptions, check_left_out, find_shard_inputs, run_shards, shard_options
from relevance.cli.metric_options import MetricCommand, chosen_metrics, declared_option, with_metrics
from relevance.cli.printing import print_table
from relevance.cli.shared import (
    FILE,
    Records,
    Refused,
    announce_interrupt,
    check_failures,
    check_output,
    clean_option,
    format_option,
    gathered,
    read_records,
    refuse_clean,
    report_refusals,
    say,
    store_with,
)
from relevance.cli.stored_scores import score_missing
from relevance.data.files import is_replaced, write_whole
from relevance.data.foreign_marks import check_marks
from relevance.data.importers import lines
from relevance.data.one_line import in_one_line
from relevance.data.own_references import describe_own_references
from relevance.data.records import Example
from relevance.distributed.reading import count_scores
from relevance.distributed.running import Outcome
from relevance.distributed.sources import all_records, read_piece
from relevance.distributed.work import ScoreWork
from relevance.metrics.base import Metric, Score
from relevance.metrics.cleaned import of_texts
from relevance.metrics.keywords.extractors import compared_keywords, documents_keywords, shared_keywords
from relevance.metrics.languages import read_by
from relevance.metrics.notices import LOOKED_AT, OF_METRICS, describe_missing, find_notices
from relevance.metrics.scoring import Failures, score_record, score_records
from relevance.reports import formats
from relevance.reports.tables.keywords import extractors_table


@dataclass(frozen=True)
class PlainText:
    """The options of plain text files, which correspond line by line."""

    candidates: Path | None
    references_files: tuple[Path, ...]
    sources: Path | None
    titles: Path | None

    @property
    def files(self) -> list[Path]:
        """The files that are named."""
        return [path for path in (self.candidates, *self.references_files, self.sources, self.titles) if path]


@click.command(cls=MetricCommand)
@click.argument("file", required=False, metavar="FILE|NAME")
@with_metrics
@format_option
@click.option(
    "-o",
    "--output",
    help="File for a line per summary, or folder (DIR/) for a Parquet file per shard.  [default: scores.jsonl]",
)
@click.option("-c", "--candidates", type=FILE, help="Plain text: a system's summaries, one per line.")
@click.option("-r", "--reference", "references_files", type=FILE, multiple=True, help="Plain text: references.")
@click.option("--sources", type=FILE, help="Plain text: the documents, one per line.")
@click.option("--titles", type=FILE, help="Plain text: the titles, one per line.")
@clean_option
@shard_options
@report_refusals
@gathered("texts", PlainText)
@gathered("shards", ShardOptions)
def score(
    file: str | None,
    texts: PlainText,
    chosen: dict[str, Any],
    format: str | None,
    output: str | None,
    clean: bool,
    shards: ShardOptions,
) -> None:
    """Score the summaries of FILE, of plain text files (-c, -r), or of the data set NAME.

    A file's scores go to --output, a line per summary, and the metrics' signatures beside it; a data set's scores
    go into the database, and only missing ones are computed. If a metric fails, its scores are missing, with the
    reason, and the exit code is 1 after all others are done.

    With --on, or if --output is a folder, FILE may be a pattern in quotes, such as 'shards/*.parquet', or an
    address such as s3://bucket/*.jsonl, and each shard of the input becomes a Parquet file in the folder.
    """
    if shards.are_asked(file, output):
        if texts.files:
            raise click.UsageError("a run over shards cannot read plain text (-c, -r): name a FILE")
        score_shards(file, output, chosen, format, shards, clean=clean)
        return
    if file is not None and (not Path(file).exists() or Path(file).is_dir()) and not texts.candidates:
        if output or format:
            raise click.UsageError("--output and --format go with a file; a data set's scores go into the database")
        if clean:
            refuse_clean(file)
        score_stored(file, chosen)
        return
    to = Path(output or "scores.jsonl")
    check_output(to, [*([Path(file)] if file else []), *texts.files])
    records = records_to_score(file, format, texts, clean=clean)
    with announce_interrupt(lambda: "nothing was scored yet"):
        metrics = of_texts(chosen_metrics(chosen, lambda: records), clean=clean)
    score_to_file(records, metrics, to)


def score_shards(
    file: str | None,
    output: str | None,
    chosen: dict[str, Any],
    format: str | None,
    options: ShardOptions,
    *,
    clean: bool,
) -> None:
    """Score shards into a folder, and print the means."""
    inputs, folder = find_shard_inputs(file, output)
    metrics = of_texts(chosen_metrics(chosen, lambda: all_records(inputs, format, clean=clean)), clean=clean)
    outcome = run_shards(ScoreWork(tuple(metrics)), inputs, folder, format, options, clean=clean)
    records = (record for piece in outcome.pieces for record in read_piece(piece))
    say_notices(find_notices(records, outcome.manifest.signatures.values(), first=LOOKED_AT))
    print_score_counts(outcome, [metric.name for metric in metrics])
    check_left_out(outcome)


def print_score_counts(outcome: Outcome, names: Sequence[str]) -> None:
    """Print the means of columns of scores, and end with exit code 1 if a metric failed."""
    counts = {name: count_scores(outcome, name) for name in names}
    rows = [(name, count.mean, count.scores, count.missing) for name, count in counts.items()]
    print_table(["metric", "mean", "n", "missing"], rows)
    reasons = {name: {**count.reasons, None: count.scores} for name, count in counts.items()}
    say_notices({"missing": describe_missing(reasons)})
    for name, count in counts.items():
        if count.truncated:
            say(f"{name}: {count.truncated} scores of texts longer than the model's limit, whose end was not seen")
    again = f"to try again, delete their files in {outcome.folder} and start the same command"
    check_failures(
        {
            name: f"{count.failures.most_common(1)[0][0]} ({count.failures.total()} scores; {again})"
            for name, count in counts.items()
            if count.failures
        }
    )


def records_to_score(file: str | None, format: str | None, texts: PlainText, *, clean: bool) -> Records:
    """Read a file, or plain text files, and say what is to be known of their texts, whatever scores them."""
    if texts.files:
        if file is not None or texts.candidates is None or not (texts.references_files or texts.sources):
            raise click.UsageError("plain text needs -c and at least one -r, or --sources, and no FILE")
        joined = lines.parallel(texts.candidates, texts.references_files, texts.sources, texts.titles)
        joined = list(check_marks(joined, say, clean=clean))
        for sentence in describe_own_references(joined):
            say(sentence)
        return joined
    if file is None:
        raise click.UsageError("name a FILE, a data set, or plain text by -c and -r")
    records = read_records(Path(file), format, clean=clean)
    if not any(summaries for _, summaries in records):
        raise Refused(f"{file} has no summaries to score; import it and use relevance summarize")
    return records


def check_weights(output: Path) -> None:
    """Refuse an output that weights cannot be written to: a device or a descriptor cannot be replaced."""
    check_output(output, [])
    if not is_replaced(output):
        raise Refused(f"{output} is not a file, and weights need one")


def score_stored(name: str, chosen: dict[str, Any]) -> None:
    """Score a data set in the database."""
    store = store_with(name)
    failures = Failures()
    with announce_interrupt(lambda: "nothing was scored yet"):
        metrics = chosen_metrics(chosen, lambda: store.records(name))
    computed = score_missing(store, name, metrics, failures)
    for metric in metrics:
        click.echo(f"{metric.name}: {computed[metric.name]} computed  {in_one_line(metric.signature)}")
    reasons = {metric.name: store.reasons(dataset=name, signature=metric.signature) for metric in metrics}
    notices = find_notices(store.records(name), [metric.signature for metric in metrics])
    say_notices({"missing": describe_missing(reasons), **notices})
    check_failures(failures)


def score_to_file(records: Records, metrics: Sequence[Metric], output: Path) -> None:
    """Score records, write a line per summary and the signatures, print the means.

    If the run is stopped, the scores so far go into a file with `partial` in its name.
    """
    failures = Failures()
    beside = output.with_suffix(".signatures.json")
    total = sum(len(summaries) for _, summaries in records)
    rows: list[tuple[Example, dict[str, Score]]] = []

    def write(path: Path) -> None:
        write_whole(path, (json.dumps(score_record(e, s), ensure_ascii=False) + "\n" for e, s in rows))

    def kept() -> str:
        if not rows or not is_replaced(output):
            return f"{len(rows) or 'no'} summaries were scored, and nothing is kept"
        partial = output.with_suffix(f".partial{output.suffix}")
        write(partial)
        return f"the scores of {len(rows)} of {total} summaries are in {partial}; the same command starts again"

    scoring = score_records(records, metrics, failures)
    shown = click.progressbar(scoring, length=total, label="scoring", file=sys.stderr)
    with announce_interrupt(kept) as check, shown as scored:
        for row in scored:
            rows.append(row)
            check()
    write(output)
    signatures = {metric.name: metric.signature for metric in metrics}
    written = [output]
    if is_replaced(output):  # no file can be beside /dev/stdout
        write_whole(beside, [json.dumps(signatures, indent=2) + "\n"])
        written.append(beside)
    print_table(
        ["metric", "mean", "n", "missing"],
        [mean_row(metric.name, [scores[metric.name].value for _, scores in rows]) for metric in metrics],
    )
    reasons = {
        metric.name: Counter(scores[metric.name].missing for _, scores in rows)
        for metric in metrics
        if metric.name not in failures
    }
    say_notices({"missing": describe_missing(reasons)})
    for name in (metric.name for metric in metrics):
        if cut := sum(scores[name].truncated for _, scores in rows):
            say(f"{name}: {cut} scores of texts longer than the model's limit, whose end was not seen")
    notices = find_notices(records, [metric.signature for metric in metrics])
    # the other notices were given when the file was read
    say_notices({kind: sentences for kind, sentences in notices.items() if kind in OF_METRICS})
    say(f"wrote {' and '.join(map(str, written))}")
    check_failures(failures)


def say_notices(notices: Mapping[str, Sequence[str]]) -> None:
    """Print what is to be known of texts."""
    for sentences in notices.values():
        for sentence in sentences:
            say(sentence)


def mean_row(name: str, values: list[float | None]) -> tuple[str, float | None, int, int]:
    """Return a metric's mean over its defined scores, with the counts of scores and of missing ones."""
    known = [value for value in values if value is not None]
    return name, sum(known) / len(known) if known else None, len(known), len(values) - len(known)


@click.command(cls=MetricCommand)
@click.argument("file", type=FILE)
@click.option(
    "--extractor",
    default="overlap",
    show_default=True,
    help="overlap; tfidf or textrank, as many as overlap finds; tfidf:K or textrank:K, K keywords.",
)
@click.option("--compare", is_flag=True, help="Print the keywords of all three extractors, an object per document.")
@declared_option("title")
@declared_option("language")
@declared_option("lemmas")
@format_option
@clean_option
@report_refusals
def keywords(
    file: Path, extractor: str, compare: bool, title: str, language: str, lemmas: str, format: str | None, clean: bool
) -> None:
    """Print the keywords that ROUGE-K looks for, a JSON list per document, as in score --keywords with the extractor.

    With tfidf, phrases are rare among the sentences of the document's own references and title.

    With --compare, print a JSON object per document, {"id", "overlap", "tfidf", "textrank"}, each with as many
    keywords, and on standard error how many of them two extractors share. Its TF-IDF is that of a data set, as on the
    page Keywords: phrases are rare among the documents of FILE, so that the keywords differ from --extractor tfidf.
    """
    if compare and click.get_current_context().get_parameter_source("extractor") == ParameterSource.COMMANDLINE:
        raise click.UsageError("--compare prints all extractors: leave out --extractor")
    words = read_by(language, lemmas)
    documents = [document for document, _ in read_records(file, format, clean=clean)]
    if not compare:
        for keywords in documents_keywords(documents, extractor, title, words):
            click.echo(json.dumps(list(map(str, keywords)), ensure_ascii=False))
        return
    compared = compared_keywords(documents, title, words)
    for document, *of_all in zip(documents, *compared.values(), strict=True):
        lists = {name: list(map(str, names)) for name, names in zip(compared, of_all, strict=True)}
        click.echo(json.dumps({"id": document.id, **lists}, ensure_ascii=False))
    click.echo(formats.as_text(extractors_table(shared_keywords(compared))), err=True)
