"""The command line: each command calls one function of a package and prints what it returns."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

FILE = click.Path(path_type=Path, exists=True, dir_okay=False, readable=True)
FILES = click.Path(path_type=Path, exists=True, readable=True)  # or a folder of .question files
SEED = click.IntRange(0, 2**31 - 1)  # what a database's integer holds
COUNT = click.IntRange(1, 2**31 - 1)
MOST_PROCESSES = 8
"""Processes that are started without being asked for, at most: each loads the solver."""
DEFAULT_METRICS = "rouge1,rouge2,rougeL,rouge_k,length"


class Program(click.Group):
    """The command: its errors are one line each, and an output that cannot be written ends it without a traceback."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run the command and exit."""
        try:
            return super().main(*arguments, **options)
        except OSError as error:  # commands refuse what they cannot read; what is left is what they write
            with suppress(OSError):
                say(f"Error: the output cannot be written: {error.strerror}")
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries again when it ends
            sys.exit(1)

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Parse the command's own options."""
        with errors_in_one_line():
            return super().make_context(*arguments, **options)

    def invoke(self, context: click.Context) -> Any:
        """Parse the options of what is below it and run that."""
        with errors_in_one_line():
            return super().invoke(context)


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Have what errors say in one line: names in them may be long and hold anything."""
    from data.one_line import message

    try:
        yield
    except click.ClickException as error:
        error.message = message(error.message)  # type: ignore[misc]  the same exception goes on
        raise


def refusing(command: Callable[..., None]) -> Callable[..., None]:
    """Turn what the packages refuse into one line on standard error and exit code 2."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        from sqlalchemy.exc import SQLAlchemyError

        try:
            command(*args, **options)
        except (ValueError, OSError) as error:  # BadRecord, StoreError, UnknownMetric, ... are ValueErrors
            if isinstance(error, OSError) and error.errno and error.filename is None:
                raise  # what failed is no file that was named but our output
            raise Refused(str(error)) from error
        except SQLAlchemyError as error:
            raise Refused(f"the database cannot be used: {getattr(error, 'orig', None) or error}") from error

    return run


class Refused(click.ClickException):
    """Input that cannot be taken."""

    exit_code = 2


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="relevance")
def main() -> None:
    """Find out which automatic metric of summaries agrees with people.

    Data sets, scores and judgments are kept in the database named by RELEVANCE_DATABASE_URL, by default an SQLite
    file beside the app. score FILE, keywords and analyze need no database.
    """


# --- options that several commands share --------------------------------------------------------------------

metrics_option = click.option(
    "--metrics",
    "names",
    default=DEFAULT_METRICS,
    show_default=True,
    help="Metrics, separated by commas; bertscore, carouge and apes load a model.",
)
title_option = click.option(
    "--title",
    type=click.Choice(["always", "single"]),
    default="always",
    show_default=True,
    help="When ROUGE-K counts the title among the references: always, or only beside a single one.",
)
format_option = click.option(
    "--format",
    "format",
    help="interchange, scitldr, summeval, csv, tsv, parquet, question or lines; guessed from the file if left out.",
)
device_option = click.option(
    "--device",
    expose_value=False,
    callback=lambda _context, _option, device: set_device(device),
    help="Where models run: cpu, cuda, cuda:1; RELEVANCE_DEVICE says the same.  [default: CUDA where there is one]",
)
entities_option = click.option(
    "--entities",
    default="embedded",
    show_default=True,
    help="APES: what finds entities, embedded or spacy:<pipeline>.",
)
reader_option = click.option(
    "--reader",
    default="embedded",
    show_default=True,
    help="APES: embedded, attentive-reader:<file>, extractive:<model> or masked:<model>.",
)
types_option = click.option(
    "--types",
    help="APES: entities asked for, separated by commas, of person, group, organisation, place, facility, other."
    "  [default: all but other]",
)
ask_option = click.option(
    "--ask",
    type=click.Choice(["mentions", "entities"]),
    default="mentions",
    show_default=True,
    help="APES: a question at every mention of an entity, or one a sentence for each entity, as in the authors' data.",
)


def apes_value_option(name: str) -> Callable[..., Any]:
    """The option that says what a question of APES earns."""
    return click.option(
        name,
        "apes_value",
        type=click.Choice(["share", "graded", "strict"]),
        default="share",
        show_default=True,
        help="APES: the share of questions answered rightly (the paper's); strict: each by the share of its words that "
        "the summary has; graded: that share by the rank of the right answer.",
    )


keywords_option = click.option(
    "--keywords",
    default="overlap",
    show_default=True,
    help="ROUGE-K: overlap; tfidf or textrank, as many; tfidf:K or textrank:K; list:FILE, yours, a JSON list a line.",
)
systems_option = click.option(
    "--systems", "systems", default="", help="Systems that the tables are restricted to, separated by commas."
)
baselines_option = click.option(
    "--baselines",
    default="",
    help="Systems, separated by commas: a dagger in the table of systems marks who beats all of them.",
)
METRIC_OPTIONS = [
    metrics_option,
    click.option(
        "--references",
        type=click.Choice(["max", "mean", "first", "pooled"]),
        default="max",
        show_default=True,
        help="How scores against several references become one (APES: with first, only its questions are asked; "
        "pooled, ROUGE only: sums over all of them are divided).",
    ),
    click.option(
        "--tokenizer",
        type=click.Choice(["ascii", "unicode"]),
        default="ascii",
        show_default=True,
        help="Words that ROUGE sees: a-z0-9 as everybody reports, or any script's.",
    ),
    click.option(
        "--value",
        type=click.Choice(["f1", "precision", "recall"]),
        default="f1",
        show_default=True,
        help="ROUGE: the share of both texts' units that match, of the summary's, or of the reference's.",
    ),
    click.option(
        "--counts",
        type=click.Choice(["clipped", "set"]),
        default="clipped",
        show_default=True,
        help="ROUGE-1, -2, -SU4: repeated units as often as both texts have them, or once.",
    ),
    title_option,
    keywords_option,
    click.option(
        "--only",
        type=click.Choice(["in-source", "out-source"]),
        help="ROUGE-K: count only keywords that occur in the source, or only those that do not.",
    ),
    click.option(
        "--model", default="embedded", show_default=True, help="BERTScore: embedded, a folder, or a Hugging Face name."
    ),
    click.option("--layer", type=click.IntRange(0), help="BERTScore: hidden layer.  [default: 5 of embedded's 6]"),
    click.option(
        "--dtype",
        type=click.Choice(["float32", "bfloat16"]),
        default="float32",
        show_default=True,
        help="BERTScore: what the encoder computes in; bfloat16 is faster where the processor has it.",
    ),
    click.option(
        "--idf",
        help="BERTScore, and tfidf of ROUGE-K and CAROUGE: weigh by rarity in a file, a text a line, or in all "
        "`references` or `sources`.",
    ),
    click.option("--baseline", type=FILE, help="BERTScore: rescale by a file of lines LAYER,P,R,F."),
    click.option("--batch-tokens", type=COUNT, default=2048, show_default=True, help="Tokens encoded at once."),
    click.option("--download", is_flag=True, help="Fetch --model from the Hugging Face hub if it is not here."),
    device_option,
    click.option(
        "--norm",
        type=click.Choice(["summary", "reference", "paper"]),
        default="summary",
        show_default=True,
        help="CAROUGE: what the sum of similarities is divided by.",
    ),
    click.option(
        "--ngram", "n", type=click.IntRange(1, 4), default=1, show_default=True, help="CAROUGE: words of an n-gram."
    ),
    click.option(
        "--important",
        default="references",
        show_default=True,
        help="CAROUGE: the n-grams of the references, or tfidf:K, the K best of the source.",
    ),
    click.option("--vectors", type=FILE, help="CAROUGE: word vectors, a GloVe or word2vec text file."),
    entities_option,
    reader_option,
    types_option,
    ask_option,
    apes_value_option("--apes-value"),
]


METRIC_OPTION_NAMES = [
    *("names", "references", "tokenizer", "value", "counts", "title", "keywords", "only"),
    *("model", "layer", "dtype", "idf", "baseline", "batch_tokens", "download"),
    *("norm", "n", "important", "vectors"),
    *("entities", "reader", "types", "ask", "apes_value"),
]


def with_metrics(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of all metrics; it receives `chosen`, what they say."""
    for option in reversed(METRIC_OPTIONS):
        command = option(command)

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        given = {name: options.pop(name) for name in METRIC_OPTION_NAMES}
        command(*args, chosen=given, **options)

    return run


resample_option = click.option(
    "--resample",
    type=click.Choice(["documents", "systems", "both"]),
    help="What intervals of correlations draw anew, and so hold for.  [default: documents; both at the system level]",
)
permute_option = click.option(
    "--permute",
    type=click.Choice(["documents", "systems", "both", "cells"]),
    help="What swaps between two metrics in tests of their correlations: documents (Perm-Inputs) or systems "
    "(Perm-Systems) or both, for which the test then holds, or cells, each summary by itself (PERM-BOTH), which takes "
    "all as fixed.  [default: both at the global, documents at the input, systems at the system level]",
)


def set_device(device: str | None) -> None:
    """Say where models run, for all that this process starts."""
    if device:
        os.environ["RELEVANCE_DEVICE"] = device


def say(message: str) -> None:
    """Tell the user something that is not the result."""
    tell(message, err=True)


def tell(line: str, *, err: bool = False) -> None:
    """Print a line; names in it cannot steer the terminal."""
    from data.one_line import in_one_line

    click.echo(in_one_line(line), err=err)


def listed(names: str) -> list[str]:
    """The names in a comma-separated option."""
    return [name.strip() for name in names.split(",") if name.strip()]


def chosen_metrics(chosen: dict[str, Any], records: Callable[[], Iterable[Any]]) -> list[Any]:
    """Make the metrics that the options name; `records` are what is scored, for --idf references and list:FILE."""
    from data.reading import lines
    from metrics import DEFAULT_TYPES, Options, metrics

    given = dict(chosen)
    names, idf, types = listed(given.pop("names")), given.pop("idf"), given.pop("types")
    if not names:
        raise click.UsageError("--metrics names no metric")
    collections = {
        "references": lambda: {text for document, _ in records() for text in document.references},
        "sources": lambda: {document.source_text for document, _ in records()},
    }
    if idf in collections:
        idf = tuple(sorted(collections[idf]()))
    elif idf is not None:
        if not Path(idf).is_file():
            raise Refused(f"--idf names no file: {idf}")
        idf = tuple(line for _, line in lines(Path(idf)))
    given |= chosen_keywords(given["keywords"], records if "rouge_k" in names else None)
    return metrics(names, Options(idf=idf, types=tuple(listed(types)) if types else DEFAULT_TYPES, **given))


def chosen_keywords(keywords: str, records: Callable[[], Iterable[Any]] | None) -> dict[str, Any]:
    """The options that --keywords means, its file read; no file is read without `records`, where nobody asks for it."""
    from metrics.extractors import extractor
    from metrics.keyword_lists import read_keyword_lists

    kind, _, file = keywords.partition(":")
    if kind != "list":
        try:
            extractor(keywords)
        except ValueError as error:
            raise Refused(f"--keywords: {error}, nor is it list:FILE") from error
        return {"keywords": keywords}
    if records is None:
        return {"keywords": "overlap"}
    if not Path(file).is_file():
        raise Refused(f"--keywords list:FILE names no file: {file or 'nothing after the colon'}")
    return {"keywords": kind, "lists": read_keyword_lists(Path(file), [document for document, _ in records()])}


class Incomplete(click.ClickException):
    """Scores are missing because metrics failed; all others are there."""

    exit_code = 1


def check_failures(failures: dict[str, str]) -> None:
    """End with exit code 1 where metrics failed, saying why."""
    if failures:
        raise Incomplete("; ".join(f"{name} failed: {reason}" for name, reason in failures.items()))


def read_records(file: Path, format: str | None) -> list[Any]:
    """Read a file whole before anything is done with it."""
    from data.importers import read

    return list(read(file, format, say))


def stores() -> tuple[Any, Any]:
    """The stores over the database, its schema brought up to date."""
    from annotation.store import AnnotationStore
    from data.database import connect
    from data.store import DataStore

    engine = connect(say=say)
    return DataStore(engine), AnnotationStore(engine)


def store_with(name: str) -> Any:
    """The store of data sets, refused where it has none of that name, which is no file's either."""
    from data.store import UnknownDataset

    store, _ = stores()
    try:
        store.dataset(name)
    except UnknownDataset as error:
        raise Refused(f"there is no file {name}, and {error}") from error
    return store


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print aligned columns: the first flush left, numbers flush right."""
    cells = [list(header), *([cell(value) for value in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    for row in cells:
        first, *others = (text.ljust(w) if i == 0 else text.rjust(w) for i, (text, w) in enumerate(zip(row, widths)))  # noqa: B905
        click.echo("  ".join([first, *others]).rstrip())


def screen_width() -> int | None:
    """Characters in a line of the terminal; None where standard output is none, whose lines stay whole for searches."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def cell(value: object) -> str:
    """A value as a table shows it: four decimals, `-` for what is undefined."""
    from data.one_line import in_one_line

    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else in_one_line(value)


# --- data sets -----------------------------------------------------------------------------------------------


@main.command("import")
@click.argument("file", type=FILES)
@click.option("--name", required=True, help="Name of the data set; for a file of lines, the one that it joins.")
@click.option("--system", help="Name of the system that wrote a file of lines; the file's name if left out.")
@format_option
@refusing
def import_(file: Path, name: str, system: str | None, format: str | None) -> None:
    """Import documents and summaries from FILE, or from a folder of .question files, whole or not at all."""
    from data.importing import import_file

    store, _ = stores()
    tell(import_file(store, file, name=name, format=format, system=system, say=say))


@main.command()
@refusing
def datasets() -> None:
    """List the data sets."""
    store, _ = stores()
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


@main.command()
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
@refusing
def summarize(name: str, systems: str, processes: int | None) -> None:
    """Write candidate summaries for the data set NAME.

    Summaries are stored as they are written: the same command goes on where it was stopped, and adds what a system
    lacks. A system that was imported, or written with other settings, is left as it is.
    """
    from summarizers import add_systems

    names = listed(systems)
    if not names:
        raise click.UsageError("--system names no system")
    store, annotation = stores()
    studies = annotation.studies_of(name)
    at_once = processes or usual_processes()
    warn_of_unsplit(document for document, _ in store.records(name))
    done = []
    try:
        with going("summarizing", name, kept=True) as progress:
            for added in add_systems(store, name, names, studies=studies, processes=at_once, progress=progress):
                done.append(added)
    finally:
        for added in done:  # not before the bar is gone
            tell(added.words(name))


def usual_processes() -> int:
    """How many processes work at once where nobody says it."""
    return min(os.cpu_count() or 1, MOST_PROCESSES)


@contextmanager
def stopping(kept: Callable[[], str]) -> Iterator[Callable[[], None]]:
    """Tell whoever presses Ctrl-C what is `kept` of the work; the command ends with exit code 1.

    Yields what raises KeyboardInterrupt if it was pressed before: Python drops the exception where it comes in a
    callback, as there are while libraries are imported.
    """
    was_pressed = False

    def press(*_: object) -> None:
        nonlocal was_pressed
        was_pressed = True
        raise KeyboardInterrupt

    def check() -> None:
        if was_pressed:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, press)
    try:
        yield check
    except KeyboardInterrupt:
        say(f"stopped; {kept()}")
        raise click.exceptions.Exit(1) from None
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def going(doing: str, name: str, *, kept: bool = False) -> Iterator[Callable[[int, int], None]]:
    """A progress bar over documents; what was done before it is stopped may be `kept`."""
    what = "what was found is stored, and the same command goes on from there"
    lost = "nothing is kept, as it would be of a data set"
    with stopping(lambda: what if kept else lost) as check, bar(doing, name) as moved:

        def progress(done: int, total: int) -> None:
            moved(done, total)
            check()

        yield progress


@contextmanager
def bar(doing: str, name: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar: yields what takes how much is done, and of how much."""
    with click.progressbar(length=0, label=cell(f"{doing} {name}"), file=sys.stderr) as shown:

        def progress(done: int, total: int) -> None:
            shown.length = total or 1  # nothing to do is done
            shown.update((done if total else 1) - shown.pos)

        yield progress


# --- upper bounds --------------------------------------------------------------------------------------------


@main.command()
@click.argument("file", metavar="FILE|NAME")
@click.option(
    "--metric",
    type=click.Choice(["rouge1", "rouge2"]),
    default="rouge1",
    show_default=True,
    help="Whose F1 extracts are to reach. Of rouge2, the bigrams inside sentences count; ordinary ROUGE-2, which also "
    "counts those across sentence ends, is another number and may be higher.",
)
@click.option(
    "--algorithms",
    default="greedy,vns@paper,vns_greedy@paper,genetic@paper,genetic_greedy@paper,vns,vns_greedy,genetic,"
    "genetic_greedy,exact",
    show_default=True,
    help="Searches, separated by commas: greedy and those with @paper are those of Akhmetov et al., the others ours; "
    "exact proves the optimum, and the gap of the others is measured by it.",
)
@click.option(
    "--definition",
    type=click.Choice(["clipped", "set"]),
    default="clipped",
    show_default=True,
    help="An n-gram counts as often as both texts have it, or once, as Akhmetov et al. count.",
)
@click.option(
    "--references",
    type=click.Choice(["max", "first"]),
    default="max",
    show_default=True,
    help="The reference against which most is reached, or the first.",
)
@click.option(
    "--tokenizer",
    type=click.Choice(["ascii", "unicode"]),
    default="ascii",
    show_default=True,
    help="Words that ROUGE sees: a-z0-9 as everybody reports, or any script's.",
)
@click.option(
    "--length", help="At most K sentences, Kw words, or ref, as many words as the first reference.  [default: no limit]"
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of the searches that draw.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, 86400, min_open=True),
    default=60.0,
    show_default=True,
    help="Most time for one search of a document against one reference, which stops at the first check after it; an "
    "exact one that it ends is not proven.",
)
@click.option("--documents", "first", type=COUNT, help="Only the first so many documents.")
@click.option("--sentences", help="Only documents of so many sentences: FROM-TO, FROM- or -TO, such as 20-200.")
@click.option(
    "--processes",
    type=click.IntRange(1, 256),
    help=f"Searches at once.  [default: as many as processors, up to {MOST_PROCESSES}]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write a JSON line a document and algorithm, with the extract. `sentences` and `reference` are counted "
    "from 0.",
)
@click.option(
    "--format",
    "shape",
    type=click.Choice(["text", "json", "csv", "latex"]),
    default="text",
    show_default=True,
    help="csv: one line a number; latex: booktabs.",
)
@click.option("--input-format", "format", help="Format of FILE; guessed if left out.")
@refusing
def oracle(
    file: str,
    metric: str,
    algorithms: str,
    definition: str,
    references: str,
    tokenizer: str,
    length: str | None,
    seed: int,
    seconds: float,
    first: int | None,
    sentences: str | None,
    processes: int | None,
    output: Path | None,
    shape: str,
    format: str | None,
) -> None:
    """Search the highest ROUGE that extracts of the documents in FILE, or of the data set NAME, can reach.

    Prints the tables of Akhmetov et al. (2022): the distribution of the F1 by algorithm and how much it varies; and the
    number of sentences, the gap to the exact optimum and how often it is reached, the time, the share that is proven,
    and what the length of the optimum goes with. What is found of a data set is stored: the same command goes on where
    it was stopped. Documents without a sentence, or without a reference with a word, have no oracle and are left out.
    """
    from data.files import sha256, write_whole
    from pages.components import oracle_tables
    from summarizers.oracles import Target
    from summarizers.oracles.evaluation import Task, evaluate, evaluate_stored, statistics
    from summarizers.oracles.extracts import look_into

    names = chosen_algorithms(algorithms)
    if math.isnan(seconds):  # which click takes to be in every range
        raise click.UsageError("--seconds must be a number of seconds, not nan")
    target = Target(int(metric.removeprefix("rouge")), definition, references, tokenizer)
    task = Task(target, names, extract_length(length), seed, seconds, sentence_range(sentences))
    at_once = processes or usual_processes()
    if output is not None:
        check_output(output, [Path(file)])
    if is_file(file, format):
        documents = [document for document, _ in read_records(Path(file), format)][:first]
        with going("searching", file) as progress:
            found = evaluate(documents, task, processes=at_once, progress=progress)
        origin = {"file": Path(file).name, "SHA-256": sha256(Path(file))}
    else:
        store = store_with(file)
        documents = [document for document, _ in store.records(file)][:first]
        with going("searching", file, kept=True) as progress:
            found = evaluate_stored(store, file, task, first=first, processes=at_once, progress=progress)
        origin = {"data set": file}
    warn_of_unsplit(documents)
    without = oracle_tables.reasons_left_out(documents, found, task)
    if output is not None:
        records = oracle_tables.row_records(found.rows, documents)
        write_whole(output, (json.dumps(record, ensure_ascii=False) + "\n" for record in records))
        say(f"wrote {output}")
    print_oracles(task, statistics(found.rows), look_into(found.rows, documents, target), without, origin, shape)


def chosen_algorithms(algorithms: str) -> tuple[str, ...]:
    """What --algorithms says, each known and once."""
    from summarizers.oracles import ALGORITHMS

    names = tuple(listed(algorithms))
    if not names:
        raise click.UsageError("--algorithms names no algorithm")
    for place, name in enumerate(names):
        if name not in ALGORITHMS:
            raise click.UsageError(f"--algorithms: there is no {name!r}; there are {', '.join(ALGORITHMS)}")
        if name in names[:place]:
            raise click.UsageError(f"--algorithms names {name!r} twice")
    return names


def extract_length(length: str | None) -> Any:
    """What --length says."""
    from summarizers.base import REFERENCE_LENGTH, Length

    if length is None:
        return None
    if length == "ref":
        return REFERENCE_LENGTH
    number = length.removesuffix("w")
    if not (number.isascii() and number.isdigit() and len(number) < 10 and int(number)):
        raise click.UsageError(
            f"--length must be K, so many sentences, Kw, so many words, or ref, the words of the first reference, such "
            f"as 3 or 100w, not {length!r}"
        )
    return Length(int(number), "words" if length.endswith("w") else "sentences")


def sentence_range(sentences: str | None) -> tuple[int, int | None] | None:
    """What --sentences says."""
    if sentences is None:
        return None
    found = re.fullmatch("([1-9][0-9]{0,8})?-([1-9][0-9]{0,8})?", sentences)
    fewest, most = (found[1], found[2]) if found else (None, None)
    if not (fewest or most) or (fewest and most and int(fewest) > int(most)):
        raise click.UsageError(f"--sentences must be FROM-TO, FROM- or -TO, such as 20-200, not {sentences!r}")
    return int(fewest or 1), int(most) if most else None


def warn_of_unsplit(documents: Iterable[Any]) -> None:
    """Say once which long texts are one sentence."""
    from summarizers.sentences import unsplit, unsplit_words

    documents = list(documents)
    if ids := unsplit(documents):
        say(f"warning: {unsplit_words(len(ids), len(documents))} The first is {ids[0]!r}.")


def print_oracles(
    task: Any, found: Any, extracts: Any, without: dict[str, str], origin: dict[str, str], shape: str
) -> None:
    """Print the tables of oracles in one of the formats, with what they rest on."""
    from collections import Counter

    from pages.components import formats, oracle_tables

    if shape == "json":
        figures = oracle_tables.oracles_as_json(task, found, without, origin, extracts)
        click.echo(json.dumps(figures, indent=2, allow_nan=False))
        return
    tables = oracle_tables.oracle_sections(found, task, Counter(without.values()), extracts)
    facts = origin | oracle_tables.facts_of(task, found, without)
    lines = [f"{name}: {text}" for name, text in facts.items()]
    signatures = list(task.signatures.values())
    if shape == "csv":
        click.echo(formats.as_one_csv(tables, [*facts.items(), *(("signature", s) for s in signatures)]), nl=False)
    elif shape == "latex":
        name = origin.get("file") or origin["data set"]
        click.echo(oracle_tables.oracles_as_latex(tables, found, name, [*lines, *signatures]))
    else:
        said: set[str] = set()
        for table in tables:
            click.echo(formats.as_text(table, without=["signature"], said=said, width=screen_width()) + "\n")
            said.update(table.notes)
        for line in [*lines, *signatures]:
            click.echo(formats.in_one_line(line))


# --- scores --------------------------------------------------------------------------------------------------


@main.command()
@click.argument("file", required=False, metavar="FILE|NAME")
@with_metrics
@format_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    help="Where a line per summary goes.  [default: scores.jsonl]",
)
@click.option("-c", "--candidates", type=FILE, help="Plain text: a system's summaries, one a line.")
@click.option("-r", "--reference", "references_files", type=FILE, multiple=True, help="Plain text: references.")
@click.option("--sources", type=FILE, help="Plain text: the documents, one a line.")
@click.option("--titles", type=FILE, help="Plain text: the titles, one a line.")
@refusing
def score(
    file: str | None,
    chosen: dict[str, Any],
    format: str | None,
    output: Path | None,
    candidates: Path | None,
    references_files: tuple[Path, ...],
    sources: Path | None,
    titles: Path | None,
) -> None:
    """Score the summaries of FILE, of plain text files (-c, -r), or of the data set NAME.

    A file's scores go to --output, a line per summary, and the metrics' signatures beside it; a data set's scores
    go into the database, where only those that are missing are computed. A metric that fails leaves its scores
    missing, with the reason, and ends with exit code 1 when all others are done.
    """
    from data.importers import lines

    if file is not None and (not Path(file).exists() or Path(file).is_dir()) and not candidates:
        if output or format:
            raise click.UsageError("--output and --format go with a file; a data set's scores go into the database")
        score_stored(file, chosen)
        return
    output = output or Path("scores.jsonl")
    check_output(output, [Path(file) if file else None, candidates, *references_files, sources, titles])
    if candidates or references_files or sources or titles:
        if file is not None or candidates is None or not references_files:
            raise click.UsageError("plain text needs -c and at least one -r, and no FILE")
        records = lines.parallel(candidates, references_files, sources, titles)
    elif file is None:
        raise click.UsageError("name a FILE, a data set, or plain text by -c and -r")
    else:
        records = read_records(Path(file), format)
        if not any(summaries for _, summaries in records):
            raise Refused(f"{file} has no summaries to score; import it and use relevance summarize")
    records = list(records)
    with stopping(lambda: "nothing was scored yet"):
        chosen_ones = chosen_metrics(chosen, lambda: records)
    score_to_file(records, chosen_ones, output)


def check_output(output: Path, inputs: Iterable[Path | None]) -> None:
    """Refuse before the work what could not be written after it, and what would write over an input."""
    if not output.name or not output.parent.is_dir():
        raise Refused(f"{output} cannot be written: there is no folder {output.parent}")
    if not os.access(output.parent if output.is_file() or not output.exists() else output, os.W_OK):
        raise Refused(f"{output} cannot be written: permission denied")
    if any(path is not None and path.exists() and output.exists() and path.samefile(output) for path in inputs):
        raise Refused(f"{output} is what is to be scored; name another --output")


def check_weights(output: Path) -> None:
    """Refuse what weights could not be written to, as nothing may take the place of a device or a descriptor."""
    from data.files import is_replaced

    check_output(output, [])
    if not is_replaced(output):
        raise Refused(f"{output} is no file, and weights need one")


def score_stored(name: str, chosen: dict[str, Any]) -> None:
    """Score a data set in the database."""
    from metrics.scoring import Failures

    store = store_with(name)
    failures = Failures()
    with stopping(lambda: "nothing was scored yet"):
        metrics = chosen_metrics(chosen, lambda: store.records(name))
    computed = score_missing(store, name, metrics, failures)
    for metric in metrics:
        click.echo(f"{metric.name}: {computed[metric.name]} computed  {cell(metric.signature)}")
    check_failures(failures)


def score_missing(store: Any, name: str, metrics: list[Any], failures: Any) -> dict[str, int]:
    """Compute and store the scores of a data set that are missing; returns how many, by metric."""
    from metrics.keyword_lists import refuse_ambiguous
    from metrics.rouge_k import RougeK
    from metrics.scoring import score_dataset

    for metric in metrics:
        if isinstance(metric, RougeK) and metric.lists is not None:
            refuse_ambiguous(metric.lists, store.records(name))
    reached = 0

    def kept() -> str:
        return (
            f"{reached} scores are stored, and the same command goes on from there"
            if reached
            else "nothing was scored yet"
        )

    with stopping(kept) as check, bar("scoring", name) as moved:

        def progress(done: int, total: int) -> None:
            nonlocal reached
            reached = done
            moved(done, total)
            check()

        return score_dataset(store, name, metrics, progress, failures)


def score_to_file(records: list[Any], metrics: list[Any], output: Path) -> None:
    """Score records, write a line per summary and the signatures, print the means.

    Of a run that is stopped the scores that there are go into a file that is called partial.
    """
    from data.files import is_replaced, write_whole
    from metrics.scoring import Failures, score_record, score_records

    failures = Failures()
    beside = output.with_suffix(".signatures.json")
    total = sum(len(summaries) for _, summaries in records)
    rows: list[Any] = []

    def write(path: Path) -> None:
        write_whole(path, (json.dumps(score_record(e, s), ensure_ascii=False) + "\n" for e, s in rows))

    def kept() -> str:
        if not rows or not is_replaced(output):
            return f"{len(rows) or 'no'} summaries were scored, and nothing is kept"
        partial = output.with_suffix(f".partial{output.suffix}")
        write(partial)
        return f"the scores of {len(rows)} of {total} summaries are in {partial}; the same command begins anew"

    scoring = score_records(records, metrics, failures)
    shown = click.progressbar(scoring, length=total, label="scoring", file=sys.stderr)
    with stopping(kept) as check, shown as scored:
        for row in scored:
            rows.append(row)
            check()
    write(output)
    signatures = {metric.name: metric.signature for metric in metrics}
    written = [output]
    if is_replaced(output):  # beside /dev/stdout there is no place
        write_whole(beside, [json.dumps(signatures, indent=2) + "\n"])
        written.append(beside)
    print_table(
        ["metric", "mean", "n", "missing"],
        [mean_row(metric.name, [scores[metric.name].value for _, scores in rows]) for metric in metrics],
    )
    for name in (metric.name for metric in metrics):
        if cut := sum(scores[name].truncated for _, scores in rows):
            say(f"{name}: {cut} scores of texts longer than the model's limit, whose end was not seen")
    say(f"wrote {' and '.join(map(str, written))}")
    check_failures(failures)


def mean_row(name: str, values: list[float | None]) -> tuple[str, float | None, int, int]:
    """A metric's mean over the scores that there are."""
    known = [value for value in values if value is not None]
    return name, sum(known) / len(known) if known else None, len(known), len(values) - len(known)


@main.command()
@click.argument("file", type=FILE)
@click.option(
    "--extractor",
    default="overlap",
    show_default=True,
    help="overlap; tfidf or textrank, as many as overlap finds; tfidf:K or textrank:K, so many.",
)
@click.option("--compare", is_flag=True, help="Print the keywords of all three extractors, an object a document.")
@title_option
@format_option
@refusing
def keywords(file: Path, extractor: str, compare: bool, title: str, format: str | None) -> None:
    """Print the keywords that ROUGE-K finds, a JSON list a document: score --keywords with the same extractor has them.

    By tfidf, phrases are rare among the sentences of the document's own references and title.

    With --compare, print a JSON object a document, {"id", "overlap", "tfidf", "textrank"}, each with as many keywords,
    and on standard error how many of them two extractors share. Its TF-IDF is that of a data set, as on the page
    Keywords: phrases are rare among the documents of FILE, so that it finds others than --extractor tfidf.
    """
    from metrics.extractors import compared_keywords, documents_keywords, shared_keywords
    from pages.components import formats, sections

    if compare and click.get_current_context().get_parameter_source("extractor") == ParameterSource.COMMANDLINE:
        raise click.UsageError("--compare prints all extractors: leave out --extractor")
    documents = [document for document, _ in read_records(file, format)]
    if not compare:
        for found in documents_keywords(documents, extractor, title):
            click.echo(json.dumps(list(map(str, found)), ensure_ascii=False))
        return
    compared = compared_keywords(documents, title)
    for document, *of_all in zip(documents, *compared.values(), strict=True):
        lists = {name: list(map(str, found)) for name, found in zip(compared, of_all, strict=True)}
        click.echo(json.dumps({"id": document.id, **lists}, ensure_ascii=False))
    click.echo(formats.as_text(sections.extractors_section(shared_keywords(compared))), err=True)


@main.command()
@click.argument("file", required=False, metavar="FILE|NAME")
@click.option("--study", "study_name", help="Analyse the judgments of this study instead of ratings.")
@click.option("--human", help="Human rating to hold metrics against: relevance, or for a study the judgments won.")
@with_metrics
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of bootstrap, flips and permutations.")
@click.option(
    "--tables",
    "wanted",
    help="Tables to print, separated by commas, such as agreement,comparisons,human,matrix; all if left out, but for "
    "keywords: ROUGE-K of the systems by keywords in and not in the source, and by their length; and dataset: how many "
    "keywords there are and how long texts are.",
)
@systems_option
@baselines_option
@click.option(
    "--rule",
    type=click.Choice(["half", "strict", "decided"]),
    default="half",
    show_default=True,
    help="By which two metrics are compared: a metric's tie earns half, nothing, or is left out.",
)
@click.option("--coefficients", default="pearson,spearman,kendall", show_default=True, help="Of the correlations.")
@resample_option
@permute_option
@click.option(
    "--format",
    "shape",
    type=click.Choice(["text", "json", "csv", "latex"]),
    default="text",
    show_default=True,
    help="csv: one line a number; latex: booktabs.",
)
@click.option("--input-format", "format", help="Format of FILE; guessed if left out.")
@refusing
def analyze(
    file: str | None,
    study_name: str | None,
    human: str | None,
    chosen: dict[str, Any],
    seed: int,
    wanted: str | None,
    systems: str,
    baselines: str,
    rule: Any,
    coefficients: str,
    resample: Any,
    permute: Any,
    shape: str,
    format: str | None,
) -> None:
    """Hold metrics against people and each other: by the ratings in FILE or in the data set NAME, or by a --study.

    Agreement with intervals, tests of every two metrics, correlations at three levels, systems; of a study also the
    agreement between annotators and the ranking of systems. Without ratings, there are all tables that need no people.
    Scores of a data set that are missing are computed and stored; a study's scores are those that are stored.
    """
    from metrics.meta_evaluation import METHODS
    from metrics.scoring import Failures
    from pages.components import contents
    from pages.components.contents import OF_TEXTS

    if (file is None) == (study_name is None):
        raise click.UsageError("name a FILE, a data set or a --study, and only one of them")
    methods: list[Any] = [*dict.fromkeys(listed(coefficients))]
    if not methods or not {*methods} <= {*METHODS}:
        raise click.UsageError(f"--coefficients must be among {', '.join(METHODS)}, not {coefficients!r}")
    if wanted is not None and not listed(wanted):
        raise click.UsageError("--tables names no table")
    failures = Failures()
    asked = [table for name in listed(wanted or "") for table in OF_TEXTS.get(name, (name,))]
    of_texts = {*asked} & {table for tables in OF_TEXTS.values() for table in tables}
    only = listed(systems)
    records, facts = texts_of(file, format, study_name) if of_texts or file is not None else ([], {})
    texts = text_contents(records, facts, chosen, of_texts, only, study_name) if of_texts else None
    settings = {"methods": methods, "rule": rule, "baselines": listed(baselines), "seed": seed}
    settings |= {"resample": resample, "permute": permute}
    if texts is not None and {*asked} <= of_texts:
        found = texts
    elif study_name is not None:
        refuse_metric_options()
        found = contents.of_study(*stores(), study_name, human=human, systems=only, **settings)
    else:
        people = rating(records, human, asked)
        found = contents_of_scores(file, records, facts, people, chosen, failures, only, **settings)
    check_tables(asked, [*(table.name for table in found.tables), *(t for tables in OF_TEXTS.values() for t in tables)])
    if texts is not None and texts is not found:
        found = contents.with_texts(found, texts)
    tables = [table for table in found.tables if wanted is None or table.name in asked]
    print_contents(found, tables, shape)
    check_failures(failures)


def is_file(name: str, format: str | None) -> bool:
    """Whether a name is that of a file and not of a data set; only a file has a format."""
    if Path(name).exists() and not Path(name).is_dir():  # a pipe or device is refused where it is opened
        return True
    if format:
        raise click.UsageError(f"--input-format goes with a file, and there is no file {name}")
    return False


def texts_of(name: str | None, format: str | None, study: str | None) -> tuple[list[Any], dict[str, str]]:
    """The documents of a file, a data set or a study with all their summaries, and what they are called."""
    from data.files import sha256

    if study is not None:
        data_store, annotation_store = stores()
        dataset = annotation_store.study(study).dataset
        return data_store.records(dataset), {"study": study, "data set": dataset}
    if is_file(name, format):
        return read_records(Path(name), format), {"file": Path(name).name, "SHA-256": sha256(Path(name))}
    store = store_with(name)
    return store.records(name), {"data set": name, "SHA-256 of its file": store.dataset(name).sha256}


def text_contents(
    records: list[Any],
    facts: dict[str, str],
    chosen: dict[str, Any],
    asked: Iterable[str],
    only: Sequence[str],
    study: str | None,
) -> Any:
    """The tables of texts that are asked for; those of a study are of its systems, where no others are named."""
    from pages.components.contents import OF_TEXTS, of_texts

    if not {*asked}.isdisjoint(OF_TEXTS["keywords"]):
        if chosen["only"]:
            raise click.UsageError("--only cannot be given with these tables, which tell keywords apart by the source")
        check_summaries(records, facts)
    if study is not None:
        refuse_metric_options(kept=("title", "keywords", "idf"))
        only = only or stores()[1].study(study).systems
    (metric,) = chosen_metrics({**chosen, "names": "rouge_k", "only": None}, lambda: records)
    return of_texts(records, metric, asked, facts, only)


def check_summaries(records: Iterable[Any], facts: dict[str, str]) -> None:
    """Refuse documents without any summary."""
    if not any(summaries for _, summaries in records):
        name = facts.get("file")
        way = "use relevance summarize" if name is None else "import it and use relevance summarize"
        raise Refused(f"{name or facts['data set']} has no summaries; {way}, or ask for --tables dataset")


def refuse_metric_options(kept: Sequence[str] = ()) -> None:
    """Refuse options of metrics but those `kept` beside --study, whose scores are those that are stored."""
    context = click.get_current_context()
    refused = [name for name in METRIC_OPTION_NAMES if name not in kept]
    given = [name for name in refused if context.get_parameter_source(name) == ParameterSource.COMMANDLINE]
    options = {option.name: option.opts[-1] for option in context.command.params}
    if given:
        named = ", ".join(options[name] for name in given)
        raise click.UsageError(f"{named} cannot be given with --study: its scores are those that are stored")


def rating(records: list[Any], human: str | None, asked: Iterable[str]) -> str | None:
    """The rating that metrics are held against, None where the usual one is not there and nobody asks for it."""
    from metrics.analysis import NoRatings, check_ratings
    from pages.components.contents import OF_PEOPLE, USUAL

    try:
        check_ratings(records, human or USUAL)
    except NoRatings as error:
        needed = [table for table in asked if table in OF_PEOPLE]
        if human is None and not needed:
            return None
        raise Refused(f"{', '.join(needed)}: {error}" if needed else str(error)) from error
    return human or USUAL


def contents_of_scores(
    name: str,
    records: list[Any],
    facts: dict[str, str],
    human: str | None,
    chosen: dict[str, Any],
    failures: Any,
    only: Sequence[str],
    **settings: Any,
) -> Any:
    """Score a file's or a data set's summaries, and hold the scores against ratings where there are any."""
    from dataclasses import replace

    from metrics.analysis import score_cells, with_length
    from pages.components import contents

    check_summaries(records, facts)
    metrics = with_length(chosen_metrics(chosen, lambda: records))
    twins = by_mean_too(records, metrics, chosen)
    systems = [summary.system for _, summaries in records for summary in summaries]
    contents.check_systems(only, systems, "--systems")
    contents.check_systems(settings["baselines"], only or systems, "--baselines")
    if is_file(name, None):
        cells, gaps = score_cells(records, metrics, failures, only or None)
        if twins:
            means, further = score_cells(records, twins, failures, only or None)
            cells, gaps = replace(cells, scores={**cells.scores, **means.scores}), gaps | further
    else:
        cells, gaps = stored_cells(name, [metrics, twins] if twins else [metrics], failures, only or None)
    known = {
        **facts,
        "documents": str(len(records)),
        "summaries": str(len(cells)),
        "systems": ", ".join(dict.fromkeys(cells.systems)),
    }
    return contents.of_cells(cells, human, known, gaps=gaps, **settings)


def stored_cells(name: str, batches: Iterable[list[Any]], failures: Any, only: Sequence[str] | None) -> tuple[Any, Any]:
    """The scores of a data set by some metrics; those that are missing are computed and stored.

    Of two metrics of one name each must be in a batch of its own.
    """
    from dataclasses import replace

    import numpy as np

    from metrics.analysis import Gaps

    store = store_with(name)
    signatures = []
    for metrics in batches:
        score_missing(store, name, metrics, failures)
        signatures += [metric.signature for metric in metrics]
    cells = store.cells(name).in_order()
    nothing = np.full(len(cells), np.nan)
    cells = replace(cells, scores={signature: cells.scores.get(signature, nothing) for signature in signatures})
    cells = cells if only is None else cells.of_systems(only)
    gaps = {}
    for signature in signatures:
        scores = store.scores(dataset=name, signature=signature)
        cut = sum(score.truncated for (_, system), score in scores.items() if only is None or system in only)
        gaps[signature] = Gaps(int(np.isnan(cells.scores[signature]).sum()), cut)
    return cells, gaps


def by_mean_too(records: list[Any], metrics: list[Any], chosen: dict[str, Any]) -> list[Any]:
    """The lexical metrics among these by the mean over references, for the table of ROUGE-K; none without need."""
    from metrics import LEXICAL
    from metrics.analysis import MAXIMUM

    names = [metric.name for metric in metrics if MAXIMUM in metric.signature and metric.name in LEXICAL]
    several = any(len(document.references) > 1 for document, _ in records)
    if not (several and names and any(metric.name == "rouge_k" for metric in metrics)):
        return []
    return chosen_metrics({**chosen, "names": ",".join(names), "references": "mean"}, list)


def check_tables(wanted: list[str], known: list[str]) -> None:
    """Refuse tables that there are not."""
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise click.UsageError(f"there is no table {', '.join(unknown)}; there are {', '.join(known)}")


def print_contents(contents: Any, tables: list[Any], shape: str) -> None:
    """Print tables in one of the formats, with what they rest on."""
    from dataclasses import replace

    from pages.components import formats
    from pages.components.contents import as_json

    facts = [f"{name}: {text}" for name, text in contents.facts.items()]
    if shape == "json":
        click.echo(json.dumps(as_json(replace(contents, tables=tuple(tables))), indent=2, allow_nan=False))
    elif shape == "csv":
        click.echo(
            formats.as_one_csv(tables, [*contents.facts.items(), *(("signature", s) for s in contents.gaps)]), nl=False
        )
    elif shape == "latex":
        head = [*facts, *contents.gaps]
        click.echo("\n".join([*(f"% {formats.in_one_line(line)}" for line in head), *map(formats.as_latex, tables)]))
    else:
        said: set[str] = set()
        for table in tables:
            if len(table.rows) > formats.LONG and len(tables) > 1:
                click.echo(f"{table.title}\n{len(table.rows)} rows: --tables {table.name} prints them\n")
            else:
                click.echo(formats.as_text(table, without=["signature"], said=said, width=screen_width()) + "\n")
                said.update(table.notes)
        for line in [*facts, *contents.gaps]:
            click.echo(formats.in_one_line(line))


@main.command()
@click.argument("name")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder; it is made if it is not there, files of the same names are replaced.",
)
@systems_option
@baselines_option
@resample_option
@permute_option
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of bootstrap, flips and permutations.")
@refusing
def report(name: str, folder: Path, systems: str, baselines: str, resample: Any, permute: Any, seed: int) -> None:
    """Write a report of the study NAME: one HTML file with tables, charts and a methods paragraph, and its data."""
    from pages.components.report import write_report

    if not folder.is_dir():
        check_output(folder, [])
    data_store, annotation_store = stores()
    named = {"systems": listed(systems), "baselines": listed(baselines), "resample": resample, "permute": permute}
    for path in write_report(data_store, annotation_store, name, folder, **named, seed=seed):
        tell(str(path))


@main.command()
@click.option("--ratios", help="Agreement of two metrics to tell apart, such as .61,.72.")
@click.option("--phi", type=float, default=0.0, show_default=True, help="Correlation of the two metrics' being right.")
@click.option("--ratio", type=float, help="An agreement to measure, with --half-width.")
@click.option(
    "--half-width", type=click.FloatRange(1e-6, 0.5), help="Half the width that its interval may have, such as .05."
)
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="Level of the test; 1 - alpha of the interval."
)
@click.option("--power", type=float, default=0.8, show_default=True, help="Chance of finding the difference.")
@click.option("--per-document", type=float, default=1, show_default=True, help="Pairs per document.")
@click.option("--icc", type=float, default=0.0, show_default=True, help="Correlation of pairs of one document.")
@click.option("--judgments", type=COUNT, default=1, show_default=True, help="Judgments per pair.")
@refusing
def plan(
    ratios: str | None,
    phi: float,
    ratio: float | None,
    half_width: float | None,
    alpha: float,
    power: float,
    per_document: float,
    icc: float,
    judgments: int,
) -> None:
    """Say how many pairs and judgments a study needs, to tell two metrics apart or to measure one."""
    from metrics.meta_evaluation import pairs_for_interval, pairs_to_separate
    from pages.components import formats, sections

    shape = {"pairs_per_document": per_document, "icc": icc, "judgments_per_pair": judgments}
    if ratios is not None and ratio is None and half_width is None:
        try:
            first, second = map(float, ratios.split(","))
        except ValueError as error:
            raise click.UsageError(f"--ratios must be two numbers such as .61,.72, not {ratios!r}") from error
        found = pairs_to_separate(first, second, phi=phi, alpha=alpha, power=power, **shape)
    elif ratio is not None and half_width is not None and ratios is None:
        found = pairs_for_interval(ratio, half_width, level=1 - alpha, **shape)
    else:
        raise click.UsageError("name --ratios, or --ratio with --half-width")
    click.echo(formats.as_text(sections.plan_section(found)))


# --- APES ----------------------------------------------------------------------------------------------------


@main.command()
@click.argument("file", type=FILES)
@click.option("--conditions", "table", is_flag=True, help="Print the table of the paper instead of the traces.")
@click.option(
    "--trials",
    "aspect",
    metavar="ASPECT",
    help="Print how APES and ROUGE agree with the ratings of ASPECT by one reference at a time instead of the traces.",
)
@click.option(
    "--questions",
    type=click.Choice(["all", "first"]),
    default="all",
    show_default=True,
    help="Whose questions are asked: those of all references, or of the first one.",
)
@entities_option
@reader_option
@types_option
@ask_option
@apes_value_option("--value")
@click.option("--seed", type=SEED, default=0, show_default=True, help="First seed of the shuffled references.")
@click.option("--seeds", type=COUNT, default=5, show_default=True, help="How often these are drawn.")
@device_option
@format_option
@refusing
def apes(
    file: Path,
    table: bool,
    aspect: str | None,
    questions: str,
    entities: str,
    reader: str,
    types: str | None,
    ask: str,
    apes_value: str,
    seed: int,
    seeds: int,
    format: str | None,
) -> None:
    """Print what a reader answers from each summary in FILE, a JSON object a line.

    With --conditions, print APES and ROUGE of the sources, of the references, of references with all words shuffled
    and with names alone interchanged, of the sources' first three sentences and of each system: a reader that does
    not rank them so is not to be believed. With --trials, print how APES and ROUGE agree with people where one
    reference judges, the first, the second and so on.
    """
    if table and aspect is not None:
        raise click.UsageError("--conditions and --trials are two tables: name one")
    from metrics import DEFAULT_TYPES, Apes
    from metrics.apes.conditions import conditions
    from metrics.apes.report import trace_records
    from metrics.apes.trials import trials
    from metrics.scoring import Failures

    metric = Apes(
        questions,
        entities=entities,
        reader=reader,
        types=tuple(listed(types)) if types else DEFAULT_TYPES,
        ask=ask,
        value=apes_value,
    )
    records = read_records(file, format)
    if table:
        print_conditions(conditions(metric, records, seed, seeds), seeds)
    elif aspect is not None:
        print_trials(trials(metric, records, aspect), aspect)
    else:
        failures = Failures()
        for record in trace_records(metric, records, failures):
            click.echo(json.dumps(record, ensure_ascii=False))
        check_failures(failures)
        return
    tell(metric.signature)


def print_conditions(rows: Sequence[Any], seeds: int) -> None:
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


def print_trials(found: Sequence[Any], aspect: str) -> None:
    """Print each metric by one reference at a time, then means and standard deviations."""
    from metrics.apes.trials import spreads

    rows: list[Sequence[object]] = [(trial.metric, trial.reference, trial.n, *trial[3:]) for trial in found]
    for spread in spreads(found):
        rows.append((spread.metric, f"mean of {spread.trials}", "", *spread.means))
        rows.append((spread.metric, "sd", "", *spread.sds))
    print_table(["metric", "reference", "n", "pooled", "within", "systems", "half"], rows)
    click.echo(
        f"\nHeld against {aspect}, one reference at a time. n: summaries; pooled, within, systems: Pearson's r over "
        "all summaries, within documents, of systems; half: share of pairs on which metric and people agree, ties half."
    )


@main.command()
@click.argument("file", type=FILE)
@entities_option
@device_option
@refusing
def entities(file: Path, entities: str) -> None:
    """Print the entities in FILE, a text a line, as a JSON object a line."""
    from data.reading import lines
    from metrics.apes.entities import finder

    texts = [line for _, line in lines(file)]
    for text, found in zip(texts, finder(entities).find(texts), strict=True):
        click.echo(json.dumps({"text": text, "entities": [e._asdict() for e in found]}, ensure_ascii=False))


@main.group()
def train() -> None:
    """Train the parts of APES that are learned."""


@train.command("tagger")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The weights.")
@click.option("--seed", type=SEED, default=0, show_default=True)
@click.option("--epochs", type=COUNT, help="Passes over the data; those of the model card if left out.")
@refusing
def train_tagger_(folder: Path, output: Path, seed: int, epochs: int | None) -> None:
    """Train the embedded entity finder on the CoNLL files in DIR."""
    from metrics.apes.training import train_tagger

    check_weights(output)
    train_tagger(folder, output, seed=seed, say=say, **({"epochs": epochs} if epochs else {}))
    tell(f"wrote {output}")


@train.command("attentive-reader")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), default=Path("attentive.safetensors"))
@click.option("--epochs", type=COUNT, default=30, show_default=True, help="Passes over the questions, at most.")
@click.option("--batch-size", type=COUNT, default=32, show_default=True)
@click.option("--hidden", type=COUNT, default=128, show_default=True, help="States of each GRU direction.")
@click.option("--embedding", type=COUNT, default=100, show_default=True, help="Numbers in a word vector.")
@click.option("--vocabulary", type=COUNT, default=50_000, show_default=True, help="Words that have a vector.")
@click.option("--learning-rate", type=float, default=1e-3, show_default=True)
@click.option("--vectors", type=FILE, help="Word vectors to begin with, a GloVe or word2vec text file.")
@click.option("--seed", type=SEED, default=0, show_default=True)
@device_option
@refusing
def train_attentive_reader(
    folder: Path,
    output: Path,
    epochs: int,
    batch_size: int,
    hidden: int,
    embedding: int,
    vocabulary: int,
    learning_rate: float,
    vectors: Path | None,
    seed: int,
) -> None:
    """Train an attentive reader (Chen et al. 2016) on the CNN / Daily Mail .question files in DIR."""
    from metrics.apes.readers.attentive_training import train
    from metrics.vectors import FileVectors

    check_weights(output)
    result = train(
        folder,
        output,
        epochs=epochs,
        batch_size=batch_size,
        hidden=hidden,
        embedding=embedding,
        vocabulary=vocabulary,
        learning_rate=learning_rate,
        vectors=FileVectors(vectors) if vectors else None,
        seed=seed,
        say=say,
    )
    test = "" if result.test_accuracy is None else f", {result.test_accuracy:.3f} on the test questions"
    tell(f"wrote {output}: accuracy {result.accuracy:.3f} on {result.validation} held-out questions{test}")
    tell(f"read with it: --reader attentive-reader:{output}")


# --- studies -------------------------------------------------------------------------------------------------


@main.group()
def study() -> None:
    """Create and look after studies."""


@study.command("create")
@click.argument("name")
@click.option("--dataset", required=True, help="Data set whose summaries are compared.")
@click.option("--systems", default="", help="Systems, separated by commas; all if left out.")
@click.option(
    "--pairs",
    "rule",
    type=click.Choice(["rouge_k_differs", "random", "all", "conflicts"]),
    default="rouge_k_differs",
    show_default=True,
    help="Which pairs: those whose ROUGE-K differs (as in the paper), drawn at random, all, or those on which metrics "
    "contradict each other beside a random share of the others.",
)
@click.option(
    "--conflict-metrics",
    default="rouge1,rouge2,rougeL,rouge_k",
    show_default=True,
    help="With --pairs conflicts: the metrics that may contradict each other, separated by commas.",
)
@click.option(
    "--random-share",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.25,
    show_default=True,
    help="With --pairs conflicts: the share of the pairs on which none of the metrics contradict each other.",
)
@click.option("--count", type=COUNT, help="Pairs in all; no limit if left out.")
@click.option(
    "--per-document",
    type=COUNT,
    help="Pairs per document; 1, or no limit with --pairs all and conflicts. With conflicts, so many of either kind.",
)
@click.option(
    "--checks",
    type=click.IntRange(0, 100),
    default=0,
    show_default=True,
    help="Attention checks, which everybody gets: a summary against one of another document.",
)
@click.option("--judgments", type=COUNT, default=1, show_default=True, help="Judgments wanted per pair.")
@click.option("--ties/--no-ties", default=False, show_default=True, help="Whether annotators may choose a tie.")
@click.option("--question", help="What annotators are asked.")
@click.option("--instructions", type=FILE, help="A Markdown file shown before the pairs.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of the draw and of the sides.")
@refusing
def create_study(
    name: str,
    dataset: str,
    systems: str,
    rule: str,
    conflict_metrics: str,
    random_share: float,
    count: int | None,
    per_document: int | None,
    checks: int,
    judgments: int,
    ties: bool,
    question: str | None,
    instructions: Path | None,
    seed: int,
) -> None:
    """Create the study NAME from pairs of a data set's summaries."""
    from annotation.store import INSTRUCTIONS, QUESTION, StudySpec
    from data.reading import lines
    from metrics import DEFAULT, metrics
    from metrics.scoring import Failures, score_dataset

    data_store, annotation_store = stores()
    contradicting = listed(conflict_metrics) if rule == "conflicts" else []
    # The lexical ones so that the agreement table is there with the first judgment.
    scored, failures = metrics([*DEFAULT, *contradicting]), Failures()
    score_dataset(data_store, dataset, scored, failures=failures)
    check_failures(failures)
    signatures = {metric.name: metric.signature for metric in scored}
    created = annotation_store.create_study(
        StudySpec(
            name=name,
            dataset=dataset,
            systems=tuple(listed(systems)),
            rule=rule,
            signature=signatures["rouge_k"] if rule == "rouge_k_differs" else None,
            signatures=tuple(signatures[name] for name in contradicting),
            random_share=random_share,
            count=count,
            per_document=per_document,
            judgments_per_pair=judgments,
            ties=ties,
            question=question or QUESTION,
            instructions="\n".join(line for _, line in lines(instructions)) if instructions else INSTRUCTIONS,
            seed=seed,
            checks=checks,
        )
    )
    tell(
        f"created {created.name}: {created.pairs} pairs of {', '.join(created.systems)}; "
        + "".join(f"{note}; " for note in created.notes)
        + f"{created.identical} pairs of identical texts left out"
        + (f", {created.unscored} without a score" if created.unscored else "")
    )


@study.command("list")
@refusing
def list_studies() -> None:
    """List the studies and how far they are."""
    _, store = stores()
    print_table(
        ["study", "data set", "pairs", "wanted", "judgments", "state"],
        [
            (
                s.name,
                s.dataset,
                s.pairs,
                s.pairs * s.judgments_per_pair,
                s.judgments,
                "closed" if s.closed_at else "open",
            )
            for s in store.studies()
        ],
    )


@study.command("invite")
@click.argument("name")
@click.argument("annotator")
@click.option("--url", default="http://127.0.0.1:8501", show_default=True, help="Where the app is served.")
@refusing
def invite(name: str, annotator: str, url: str) -> None:
    """Print a link that lets ANNOTATOR, and nobody else, judge in the study NAME under that name."""
    _, store = stores()
    tell(f"{url.rstrip('/')}/annotate?invite={store.invite(study=name, name=annotator).token}")


@study.command("close")
@click.argument("name")
@click.option("--reopen", is_flag=True, help="Take judgments again.")
@refusing
def close_study(name: str, reopen: bool) -> None:
    """Take no more judgments in the study NAME."""
    _, store = stores()
    state = store.close_study(name, closed=not reopen)
    tell(f"{state.name} is {'closed' if state.closed_at else 'open'}, with {state.judgments} judgments")


@study.command("export")
@click.argument("name")
@click.option("--what", type=click.Choice(["judgments", "scores"]), default="judgments", show_default=True)
@click.option("--format", "format", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="File; printed if left out.")
@refusing
def export_study(name: str, what: str, format: str, output: Path | None) -> None:
    """Write the judgments of the study NAME, or the scores of its data set."""
    from annotation.results import export_judgments, export_scores
    from data.export import export
    from data.files import write_whole

    if output is not None:
        check_output(output, [])
    data_store, store = stores()
    dataset = store.study(name).dataset
    records = export_judgments(store, name) if what == "judgments" else export_scores(data_store, dataset)
    text = export(records, format)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(output, [text])
        say(f"wrote {output}")


# --- the app -------------------------------------------------------------------------------------------------


@main.command()
@refusing
def demo() -> None:
    """Import the demo corpus, score it by all metrics and create its studies, unless that is already done.

    One study is there to be judged; the other was judged by a program, and shows what the pages say of judgments.
    """
    from annotation.demo import create_demo_study, create_made_up_study
    from data.demo import NAME, add_demo
    from metrics import METRICS, metric, metrics
    from metrics.scoring import Failures, score_dataset

    data_store, store = stores()
    add_demo(data_store)
    failures = Failures()
    score_dataset(data_store, NAME, metrics(list(METRICS)), failures=failures)
    signature = metric("rouge_k").signature
    for study in (create_demo_study(store, signature), create_made_up_study(data_store, store, signature)):
        tell(f"the study {study.name} has {study.pairs} pairs and {study.judgments} judgments")
    check_failures(failures)


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True, help="Port to listen on.")
@click.option("--open", "open_browser", is_flag=True, help="Open the app in a browser, where there is a screen.")
@refusing
def serve(host: str, port: int, open_browser: bool) -> None:
    """Start the app."""
    import uvicorn

    from data.database import ROOT, URL_VARIABLE, absolute_url, database_url

    os.environ[URL_VARIABLE] = absolute_url(database_url())
    os.chdir(ROOT)  # where Streamlit looks for .streamlit/config.toml
    from app import app

    stores()
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server will: a port just left is free
        try:
            probe.bind((host, port))
        except OSError as error:
            raise Refused(f"{host}:{port} cannot be listened on ({error.strerror}); try another --port") from error
    click.echo(f"The app is at http://{host}:{port}  (stop it with Ctrl-C)")
    has_screen = sys.platform in {"darwin", "win32"} or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    if open_browser and has_screen:
        import threading
        import webbrowser

        threading.Timer(1.5, webbrowser.open, [f"http://{host}:{port}"]).start()
    uvicorn.run(app, host=host, port=port, lifespan="on", log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
