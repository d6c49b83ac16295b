"""The command `oracle`: extracts with the highest ROUGE."""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from relevance.cli.distributed import ShardOptions, check_left_out, find_shard_inputs, run_shards, shard_options
from relevance.cli.metric_options import MetricCommand, declared_option
from relevance.cli.printing import print_results, print_table
from relevance.cli.shared import (
    COUNT,
    MOST_PROCESSES,
    SEED,
    STORED,
    check_output,
    gathered,
    input_format_option,
    is_file,
    read_records,
    report_refusals,
    say,
    show_document_progress,
    split_names,
    store_with,
    table_format_option,
    usual_processes,
)
from relevance.data.files import sha256, write_whole
from relevance.data.records import Document
from relevance.distributed.reading import count_oracles
from relevance.distributed.work import OracleWork
from relevance.metrics.languages import ENGLISH
from relevance.reports.tables.oracles import (
    facts_of,
    oracle_as_latex,
    oracle_tables,
    oracles_as_json,
    reasons_left_out,
    row_records,
)
from relevance.summarizers.base import SummaryLength, read_length
from relevance.summarizers.oracles import ALGORITHMS, BY_DEFAULT, Target
from relevance.summarizers.oracles.evaluation import (
    OracleEvaluation,
    OracleTask,
    evaluate,
    evaluate_stored,
    summarize_algorithms,
)
from relevance.summarizers.oracles.extracts import look_into
from relevance.summarizers.sentences import unsplit, unsplit_words


@dataclass(frozen=True)
class SearchOptions:
    """The options of the search."""

    metric: str
    algorithms: str
    definition: str
    references: str
    tokenizer: str
    language: str
    length: str | None
    seed: int
    seconds: float
    sentences: str | None

    def task(self) -> OracleTask:
        """Return the task that the options describe."""
        algorithms = chosen_algorithms(self.algorithms)
        if math.isnan(self.seconds):  # click takes it to be in every range
            raise click.UsageError("--seconds must be a number of seconds, not nan")
        words = self.tokenizer if self.language == ENGLISH else self.language
        target = Target(int(self.metric.removeprefix("rouge")), self.definition, self.references, words)
        length, sentences = extract_length(self.length), sentence_range(self.sentences)
        return OracleTask(target, algorithms, length, self.seed, self.seconds, sentences)


@click.command(cls=MetricCommand)
@click.argument("file", metavar="FILE|NAME")
@click.option(
    "--metric",
    type=click.Choice(["rouge1", "rouge2"]),
    default="rouge1",
    show_default=True,
    help="Metric whose F1 is maximised. For rouge2, bigrams inside sentences count; ordinary ROUGE-2, which also "
    "counts those across sentence ends, is another number and may be higher.",
)
@click.option(
    "--algorithms",
    default=",".join(BY_DEFAULT),
    show_default=True,
    help="Searches, separated by commas: greedy and those with @paper are from Akhmetov et al., those with @code do as "
    "their notebook does, the others are ours; exact proves the optimum, from which the gap of the others is measured.",
)
@click.option(
    "--definition",
    type=click.Choice(["clipped", "set"]),
    default="clipped",
    show_default=True,
    help="clipped: an n-gram counts as often as both texts have it; set: once, as in Akhmetov et al.",
)
@click.option(
    "--references",
    type=click.Choice(["max", "first"]),
    default="max",
    show_default=True,
    help="max: the reference with the highest F1; first: the first one.",
)
@declared_option("tokenizer")
@declared_option("language")
@click.option(
    "--length", help="At most K sentences, Kw words, or ref, as many words as the first reference.  [default: no limit]"
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of the random searches.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, 86400, min_open=True),
    default=60.0,
    show_default=True,
    help="Time limit of one search of a document against one reference, which stops at the next check; an exact one "
    "that is stopped is not proven.",
)
@click.option("--documents", "first", type=COUNT, help="Number of documents, from the first; all by default.")
@click.option("--sentences", help="Only documents with this many sentences: FROM-TO, FROM- or -TO, such as 20-200.")
@click.option(
    "--processes",
    type=click.IntRange(1, 256),
    help=f"Searches at once.  [default: as many as processors, up to {MOST_PROCESSES}]",
)
@click.option(
    "-o",
    "--output",
    help="Also write a JSON line per document and algorithm, with the extract; or in a folder (DIR/), a Parquet file "
    "per shard. `sentences` and `reference` are counted from 0.",
)
@table_format_option
@input_format_option
@shard_options
@report_refusals
@gathered("search", SearchOptions)
@gathered("shards", ShardOptions)
def oracle(
    file: str,
    search: SearchOptions,
    first: int | None,
    processes: int | None,
    output: str | None,
    table_format: str,
    format: str | None,
    shards: ShardOptions,
) -> None:
    """Find the highest ROUGE that extracts of the documents in FILE, or of the data set NAME, can reach.

    Prints the tables of Akhmetov et al. (2022): the distribution of the F1 by algorithm and its variation; and the
    number of sentences, the gap to the exact optimum and how often it is reached, the time, the share that is proven,
    and correlates of the optimum's length. Results for a data set are stored: the same command continues where it was
    stopped. Documents without a sentence, or without a reference with a word, have no oracle and are left out.
    """
    task = search.task()
    if shards.are_asked(file, output):
        if first or processes or table_format != "text":
            raise click.UsageError("--documents, --processes and --format do not go with a run over shards")
        search_shards(file, output, task, format, shards)
        return
    at_once = processes or usual_processes()
    to = None if output is None else Path(output)
    if to is not None:
        check_output(to, [Path(file)])
    if is_file(file, format):
        documents = [document for document, _ in read_records(Path(file), format)][:first]
        with show_document_progress("searching", file, lambda _: "nothing is kept, unlike for a data set") as progress:
            evaluation = evaluate(documents, task, processes=at_once, progress=progress)
        origin = {"file": Path(file).name, "SHA-256": sha256(Path(file))}
    else:
        store = store_with(file)
        documents = [document for document, _ in store.records(file)][:first]
        with show_document_progress("searching", file, lambda _: STORED) as progress:
            evaluation = evaluate_stored(store, file, task, first=first, processes=at_once, progress=progress)
        origin = {"data set": file}
    warn_of_unsplit(documents)
    if to is not None:
        records = row_records(evaluation.rows, documents)
        write_whole(to, (json.dumps(record, ensure_ascii=False) + "\n" for record in records))
        say(f"wrote {to}")
    print_oracles(task, evaluation, documents, origin, table_format)


def search_shards(file: str, output: str | None, task: OracleTask, format: str | None, options: ShardOptions) -> None:
    """Search shards into a folder, and print the F1 of each algorithm."""
    inputs, folder = find_shard_inputs(file, output)
    outcome = run_shards(OracleWork(task), inputs, folder, format, options)
    rows = [(name, c.mean, c.documents, c.missing, c.proven) for name, c in count_oracles(outcome).items()]
    print_table(["oracle", "F1", "n", "missing", "proven"], rows)
    check_left_out(outcome)


def chosen_algorithms(algorithms: str) -> tuple[str, ...]:
    """Read --algorithms, each known and given once."""
    names = tuple(split_names(algorithms))
    if not names:
        raise click.UsageError("--algorithms names no algorithm")
    for place, name in enumerate(names):
        if name not in ALGORITHMS:
            raise click.UsageError(f"--algorithms: there is no {name!r}; there are {', '.join(ALGORITHMS)}")
        if name in names[:place]:
            raise click.UsageError(f"--algorithms names {name!r} twice")
    return names


def extract_length(length: str | None) -> SummaryLength | None:
    """Read --length."""
    limit = None if length is None else read_length(length)
    if length is not None and limit is None:
        raise click.UsageError(
            f"--length must be K (sentences), Kw (words) or ref (the words of the first reference), such as 3 or 100w, "
            f"not {length!r}"
        )
    return limit


def sentence_range(sentences: str | None) -> tuple[int, int | None] | None:
    """Read --sentences."""
    if sentences is None:
        return None
    match = re.fullmatch("([1-9][0-9]{0,8})?-([1-9][0-9]{0,8})?", sentences)
    fewest, most = (match[1], match[2]) if match else (None, None)
    if not (fewest or most) or (fewest and most and int(fewest) > int(most)):
        raise click.UsageError(f"--sentences must be FROM-TO, FROM- or -TO, such as 20-200, not {sentences!r}")
    return int(fewest or 1), int(most) if most else None


def warn_of_unsplit(documents: Sequence[Document]) -> None:
    """Warn of long texts that are one sentence."""
    if ids := unsplit(documents):
        say(f"warning: {unsplit_words(len(ids), len(documents))} The first is {ids[0]!r}.")


def print_oracles(
    task: OracleTask,
    evaluation: OracleEvaluation,
    documents: Sequence[Document],
    origin: Mapping[str, str],
    table_format: str,
) -> None:
    """Print the tables of oracles in one of the formats, with their facts and signatures."""
    figures, without = summarize_algorithms(evaluation.rows), reasons_left_out(documents, evaluation, task)
    extracts = look_into(evaluation.rows, documents, task.target)
    name = origin.get("file") or origin["data set"]
    print_results(
        table_format,
        oracle_tables(figures, task, Counter(without.values()), extracts),
        {**origin, **facts_of(task, figures, without)},
        task.signatures.values(),
        values=lambda: oracles_as_json(task, figures, without, origin, extracts),
        write_latex=lambda table: oracle_as_latex(table, name, figures),
    )
