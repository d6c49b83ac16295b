"""The commands of APES: its tables, its entities, and the training of its models."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from relevance.analysis.trials import Trial, hold_trials, summarize_trials
from relevance.cli.distributed import ShardOptions, check_left_out, find_shard_inputs, run_shards, shard_options
from relevance.cli.metric_options import MetricCommand, declared_option, device_option
from relevance.cli.printing import print_table
from relevance.cli.score import check_weights, print_score_counts
from relevance.cli.shared import (
    COUNT,
    FILE,
    FILES,
    SEED,
    check_failures,
    format_option,
    gathered,
    read_records,
    report_refusals,
    say,
    tell,
)
from relevance.data.reading import lines
from relevance.data.records import SOURCE
from relevance.distributed.work import QuestionWork
from relevance.metrics.apes import training
from relevance.metrics.apes.assessors import score_by_assessor
from relevance.metrics.apes.conditions import Condition, conditions
from relevance.metrics.apes.entities import find_entities
from relevance.metrics.apes.entity_finders import finder
from relevance.metrics.apes.metric import QUESTIONS, Apes, ApesOptions, check_source_questions, make_apes, read_types
from relevance.metrics.apes.readers.attentive_training import Hyperparameters, train
from relevance.metrics.apes.report import trace_records
from relevance.metrics.models.vectors import FileVectors
from relevance.metrics.scoring import Failures


@dataclass(frozen=True)
class SeedOptions:
    """The options of shuffling references for the table of conditions."""

    seed: int
    seeds: int


@click.command(cls=MetricCommand)
@click.argument("file")
@click.option("--conditions", "table", is_flag=True, help="Print the table of the paper instead of the traces.")
@click.option(
    "--trials",
    "aspect",
    metavar="ASPECT",
    help="Print how APES and ROUGE, with one reference at a time, agree with the ratings of ASPECT, instead of the "
    "traces.",
)
@click.option(
    "--questions",
    "references",
    type=click.Choice([*QUESTIONS, SOURCE]),
    help="The questions that are asked: those of all references, of the first one, or of the source.  [default: all; "
    "source where no document has a reference]",
)
@declared_option("source_questions", "--source-questions")
@declared_option("entities")
@declared_option("reader")
@declared_option("types")
@declared_option("ask")
@declared_option("apes_value", "--value")
@click.option("--seed", type=SEED, default=0, show_default=True, help="First seed of the shuffled references.")
@click.option("--seeds", type=COUNT, default=5, show_default=True, help="Number of shuffles.")
@click.option("-o", "--output", metavar="DIR/", help="The folder of a run over shards.")
@shard_options
@device_option
@format_option
@report_refusals
@gathered("options", ApesOptions)
@gathered("drawing", SeedOptions)
@gathered("shards", ShardOptions)
def apes(
    file: str,
    options: ApesOptions,
    table: bool,
    aspect: str | None,
    drawing: SeedOptions,
    format: str | None,
    output: str | None,
    shards: ShardOptions,
) -> None:
    """Print what a reader answers from each summary in FILE, a JSON object per line.

    With --conditions, print APES and ROUGE of the sources, of the references, of references with all words shuffled and
    with only names interchanged, of the sources' first three sentences and of each system: do not trust a reader that
    does not rank them so. With --trials, print how APES and ROUGE agree with people, with the first reference alone,
    the second alone and so on.

    With --on, or with -o DIR/, FILE may be a pattern in quotes or an address, and the answers of each shard go into a
    Parquet file in the folder.
    """
    if table and aspect is not None:
        raise click.UsageError("--conditions and --trials are two tables: name one")
    if options.references == SOURCE and (table or aspect is not None):
        raise click.UsageError("--conditions and --trials are of references: leave out --questions source")
    if shards.are_asked(file, output) or output is not None:
        if table or aspect is not None:
            raise click.UsageError("--conditions and --trials do not go with a run over shards")
        read_shards(file, output, make_metric(options), format, shards)
        return
    records = read_records(FILES.convert(file, None, click.get_current_context()), format)
    of_references = table or aspect is not None or options.references is not None
    if not of_references and not any(document.references for document, _ in records):
        say("no document has a reference: the questions are those of the sources")
        options = replace(options, references=SOURCE)
    metric = make_metric(options)
    if table:
        print_conditions(conditions(metric, records, drawing.seed, drawing.seeds), drawing.seeds)
    elif aspect is not None:
        print_trials(hold_trials(score_by_assessor(metric, records, aspect), aspect), aspect)
    else:
        failures = Failures()
        for record in trace_records(metric, records, failures):
            click.echo(json.dumps(record, ensure_ascii=False))
        check_failures(failures)
        return
    tell(metric.signature)


def make_metric(options: ApesOptions) -> Apes:
    """Make APES from the options of the command."""
    given = vars(options)
    check_source_questions(options.source_questions)
    return make_apes(**given | {"types": read_types(given["types"])})


def read_shards(file: str, output: str | None, metric: Apes, format: str | None, options: ShardOptions) -> None:
    """Write the answers for shards into a folder, and print the mean."""
    inputs, folder = find_shard_inputs(file, output)
    outcome = run_shards(QuestionWork(metric), inputs, folder, format, options)
    print_score_counts(outcome, [metric.name])
    check_left_out(outcome)


def print_conditions(rows: Sequence[Condition], seeds: int) -> None:
    """Print the table of conditions: shares in per cent, counts, ROUGE."""

    def percent(share: float | None) -> str:
        return "-" if share is None else f"{100 * share:.1f}"

    shares = ["APES %", "sd", "micro %", "occurs %", "perfect %", "zero %"]
    header = ["condition", "n", *shares, "questions", "entities", "salient", "density", "R-1 %", "R-2 %", "R-L %"]
    print_table(
        header,
        [
            (
                row.name,
                row.n,
                *map(percent, (row.apes, row.sd, row.micro, row.occurs, row.perfect, row.zero)),
                *(f"{count:.2f}" for count in (row.questions, row.entities, row.salient)),
                "-" if row.density is None else f"{row.density:.2f}",
                *map(percent, (row.rouge1, row.rouge2, row.rougeL)),
            )
            for row in rows
        ],
    )
    click.echo(
        "\nn: documents with questions; APES: mean of the documents' values; sd: over "
        f"{seeds} seeds, where a seed decides; micro: over all questions together; occurs: the text mentions the "
        "answer; perfect, zero: texts whose questions earn everything, or nothing; salient: entities asked for; "
        "density: salient / entities; shuffled: all words; interchanged: names alone; R: ROUGE F1, a reference's own "
        "against itself."
    )


def print_trials(trials_run: Sequence[Trial], aspect: str) -> None:
    """Print each metric with one reference at a time, then means and standard deviations."""
    rows: list[Sequence[object]] = [(trial.metric, trial.reference, trial.n, *trial[3:]) for trial in trials_run]
    for spread in summarize_trials(trials_run):
        rows.append((spread.metric, f"mean of {spread.trials}", "", *spread.means))
        rows.append((spread.metric, "sd", "", *spread.sds))
    print_table(["metric", "reference", "n", "pooled", "within", "systems", "half"], rows)
    click.echo(
        f"\nCompared with {aspect}, one reference at a time. n: summaries; pooled, within, systems: Pearson's r "
        "pooled, within documents, at the system level; half: share of pairs on which metric and people agree, ties "
        "half."
    )


@click.command(cls=MetricCommand)
@click.argument("file", type=FILE)
@declared_option("entities")
@device_option
@report_refusals
def entities(file: Path, entities: str) -> None:
    """Print the entities of FILE, which has a text per line, as a JSON object per line."""
    texts = [line for _, line in lines(file)]
    for text, entity in zip(texts, find_entities(finder(entities), texts), strict=True):
        click.echo(json.dumps({"text": text, "entities": [e._asdict() for e in entity]}, ensure_ascii=False))


@click.command("tagger")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The weights.")
@click.option("--seed", type=SEED, default=0, show_default=True)
@click.option("--epochs", type=COUNT, help="Passes over the data; those of the model card if left out.")
@report_refusals
def train_tagger(folder: Path, output: Path, seed: int, epochs: int | None) -> None:
    """Train the embedded entity finder on the CoNLL files in DIR, and on invented sport with the names in these."""
    check_weights(output)
    training.train_tagger(folder, output, seed=seed, epochs=epochs or training.EPOCHS, say=say)
    tell(f"wrote {output}")


@click.command("attentive-reader")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), default=Path("attentive.safetensors"))
@click.option("--epochs", type=COUNT, default=30, show_default=True, help="Most passes over the questions.")
@click.option("--batch-size", type=COUNT, default=32, show_default=True)
@click.option("--hidden", type=COUNT, default=128, show_default=True, help="States of each GRU direction.")
@click.option("--embedding", type=COUNT, default=100, show_default=True, help="Numbers in a word vector.")
@click.option("--vocabulary", type=COUNT, default=50_000, show_default=True, help="Words with a vector.")
@click.option("--learning-rate", type=float, default=1e-3, show_default=True)
@click.option("--vectors", type=FILE, help="Word vectors to begin with, a GloVe or word2vec text file.")
@click.option("--seed", type=SEED, default=0, show_default=True)
@click.option(
    "--resume", is_flag=True, help="Continue the training of OUTPUT after its last epoch, to the same result."
)
@device_option
@report_refusals
def train_attentive_reader(
    folder: Path, output: Path, vectors: Path | None, seed: int, resume: bool, **sizes: Any
) -> None:
    """Train an attentive reader (Chen et al. 2016) on the .question files in DIR.

    They are those of CNN / Daily Mail, or what relevance convert --to question writes of one's own documents; DIR may
    have folders training, validation and test.
    """
    check_weights(output)
    words = FileVectors(vectors) if vectors else None
    result = train(folder, output, Hyperparameters(**sizes), vectors=words, seed=seed, resume=resume, say=say)
    test = "" if result.test_accuracy is None else f", {result.test_accuracy:.3f} on the test questions"
    tell(f"wrote {output}: accuracy {result.accuracy:.3f} on {result.validation} held-out questions{test}")
    tell(f"read with it: --reader attentive-reader:{output}")
