"""The command `summarize`: systems that write summaries, and their options."""

from dataclasses import asdict, dataclass, fields

import click

from relevance.cli.distributed import ShardOptions, check_left_out, find_shard_inputs, run_shards, shard_options
from relevance.cli.language_models import (
    OF_BOTH,
    OF_LOCAL,
    PREFIX,
    LanguageModelOptions,
    check_complete,
    drawing_options,
    is_local,
    language_model_options,
    local_options,
    open_language_model,
    tell_answered,
    tell_pace,
    tell_plan,
)
from relevance.cli.oracle import warn_of_unsplit
from relevance.cli.shared import (
    BEAMS,
    COUNT,
    MOST_PROCESSES,
    STORED,
    gathered,
    open_stores,
    report_refusals,
    say_suspicious,
    show_document_progress,
    split_names,
    tell,
    usual_processes,
)
from relevance.data.records import Document
from relevance.data.store import DataStore, SystemExists
from relevance.distributed.work import SummaryWork
from relevance.metrics.languages import LANGUAGES
from relevance.summarizers import add_systems
from relevance.summarizers.adding import AddedSystem
from relevance.summarizers.base import Summarizer, system_name
from relevance.summarizers.checkpoints import WritingOptions, checkpoint_summarizer, is_checkpoint
from relevance.summarizers.checkpoints.chat import CheckpointClient
from relevance.summarizers.language_model import LanguageModel, lack_of_summary
from relevance.summarizers.learned.extractor import extractor, is_extractor
from relevance.summarizers.registry import guide, in_language, summarizer


@dataclass(frozen=True)
class CheckpointOptions:
    """The writing options of checkpoints; None if not given."""

    beams: int | None
    max_tokens: int | None
    min_tokens: int | None
    length_penalty: float | None
    no_repeat: int | None
    repetition_penalty: float | None
    temperature: float | None
    top_p: float | None
    seed: int | None
    prompt: str | None
    source_tokens: int | None
    sentences: int | None
    gold_entities: bool | None
    batch_tokens: int | None
    dtype: str | None
    device: str | None

    @property
    def given(self) -> dict[str, int | float | str]:
        """The options that were given."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def writing(self) -> WritingOptions:
        """Return the writing options of checkpoints."""
        return WritingOptions(**self.given)  # type: ignore[arg-type]  # fields of the same names and types


@dataclass(frozen=True)
class OverShards(ShardOptions):
    """The options of a run over shards, with those that only such a run has."""

    output: str | None
    input_format: str | None


@dataclass(frozen=True)
class NamedSystems:
    """The options that name systems."""

    systems: str
    language: str | None

    @property
    def names(self) -> list[str]:
        """The systems, in the language if one is named."""
        names = split_names(self.systems)
        if self.language is None:
            return names
        if self.language not in LANGUAGES:
            raise click.UsageError(f"--language must be one of {', '.join(LANGUAGES)}, not {self.language!r}")
        return [in_language(name, self.language) for name in names]


def print_systems(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Print the names of all systems and exit."""
    if wanted and not context.resilient_parsing:
        click.echo(guide())
        context.exit()


class Sectioned(click.Command):
    """A command with options of checkpoints and language models under separate headings in its help."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            if record := option.get_help_record(ctx):
                sections.setdefault(heading(option.name or ""), []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)


def heading(option: str) -> str:
    """Return the heading of an option in the help."""
    if option in OF_BOTH:
        return "Of checkpoints and language models (llm:)"
    if option in {field.name for field in fields(CheckpointOptions)}:
        return "Of checkpoints"
    return (
        "Of language models (llm:)" if option in {field.name for field in fields(LanguageModelOptions)} else "Options"
    )


@click.command(cls=Sectioned)
@click.argument("name", metavar="NAME|FILE")
@click.option(
    "--system",
    "systems",
    required=True,
    help="Systems, separated by commas: lead, random, textrank, lexrank, tfidf, sumbasic, lsa, each of 3 sentences or "
    "with -K (sentences), -Kw (words) or -ref (words of the first reference) after its name; rake-Kw, rake-ref (key "
    "phrases); upper bounds that read the references, such as oracle-exact-rouge1, oracle-greedy-rouge2-set; "
    "human-written texts: reference:N, title; trained extractors of 1 sentence: tldr-linear, tldr-minilm, "
    "extractor:DIR; checkpoints of transformers on this machine: seq2seq:DIR, causal:DIR, gguf:FILE; systems of "
    "relevance train: pointer:DIR, presumm:DIR, of the other methods seq2seq:DIR; and language models that are "
    "prompted: llm:MODEL at an address, llm:causal:DIR, llm:gguf:FILE or llm:embedded on this machine.",
)
@click.option(
    "--language",
    help="Language of the documents, such as de, for systems that look at words; it becomes part of their names "
    "(textrank-de-2).  [default: en]",
)
@click.option(
    "--list", is_flag=True, is_eager=True, expose_value=False, callback=print_systems, help="List the systems and exit."
)
@click.option(
    "--as", "called", help="Name of a checkpoint, extractor:DIR or language model as a system.  [default: its own]"
)
@click.option("--trained-on", is_flag=True, help="Also summarize documents of a system's training, with a remark.")
@click.option(
    "--processes",
    type=click.IntRange(1, 256),
    help="Documents at once, for slow systems such as oracles.  [default: as many as processors, up to "
    f"{MOST_PROCESSES}]",
)
@click.option("-o", "--output", metavar="DIR/", help="The folder of a run over shards.")
@shard_options
@click.option("--input-format", help="Format of the files of a run over shards; guessed if left out.")
# Options of checkpoints; by default, the checkpoint's own settings.
@click.option("--beams", type=BEAMS, help="Width of beam search; 1: greedy search.")
@click.option("--max-tokens", type=COUNT, help="Most tokens of a summary.  [default: the checkpoint's, or 128]")
@click.option("--min-tokens", type=click.IntRange(0), help="Fewest tokens of a summary.")
@click.option("--length-penalty", type=float, help="Above 0, beam search prefers longer summaries.")
@click.option(
    "--no-repeat", type=click.IntRange(0), help="Length of n-grams that a summary may not repeat; 0: no limit."
)
@click.option("--repetition-penalty", type=float, help="Above 1, tokens are less likely to be repeated.")
@drawing_options
@click.option(
    "--prompt",
    help="Text around {document}, such as 'summarize: {document}'.  [default: the ROUGE-K paper's for language models, "
    "the document alone for encoder-decoders]",
)
@click.option(
    "--source-tokens",
    type=COUNT,
    help="Most tokens of a document that are read.  [default: 512 for language models, otherwise the model's maximum]",
)
@click.option(
    "--sentences",
    type=click.IntRange(0),
    help="Sentences of the output that are kept; 0: all.  [default: 1 for language models, otherwise all]",
)
@click.option(
    "--gold-entities",
    is_flag=True,
    default=None,
    help="Give a system of relevance train pointer-apes the positions of the entities that the references ask for, as "
    "in the last row of the APES paper's Table 4; its name then begins with oracle-.",
)
@click.option("--batch-tokens", type=COUNT, help="Tokens read at once.  [default: 4096]")
@local_options
@language_model_options
@report_refusals
@gathered("named", NamedSystems)
@gathered("writing", CheckpointOptions)
@gathered("asking", LanguageModelOptions)
@gathered("over", OverShards)
def summarize(
    name: str,
    named: NamedSystems,
    called: str | None,
    trained_on: bool,
    processes: int | None,
    writing: CheckpointOptions,
    asking: LanguageModelOptions,
    over: OverShards,
) -> None:
    """Write candidate summaries for the data set NAME.

    Summaries are stored as they are written: the same command continues where it was stopped, and adds missing ones. A
    system that was imported, or written with other settings, is not changed. Checkpoints are never downloaded or
    unpickled, and no code from them is run. The key for language models is read from OPENAI_API_KEY, and every call is
    recorded, so that none is paid for twice.

    With --on, or with -o DIR/, summaries are written for the documents of FILE, which may be a pattern in quotes or an
    address: each shard becomes a Parquet file in the folder, a table that can be imported or scored.
    """
    names = named.names
    check_options(names, called, writing, asking)
    if over.are_asked(name, over.output) or over.output is not None or over.input_format is not None:
        summarize_shards(name, find_systems(names, called, writing, asking), trained_on, over)
        return
    store, annotation = open_stores()
    systems = find_systems(names, called, writing, asking)
    models = [system for system in systems if isinstance(system, LanguageModel)]
    if asking.dry_run:
        for model in models:
            tell_plan(model.name, model.caller, model.estimate(documents_without(store, name, model)))
        return
    for model in models:
        if isinstance(model.caller.client, CheckpointClient):
            documents = [document for batch in model.plan(documents_without(store, name, model)) for document in batch]
            first = [model.request(document) for document in documents[:1]]
            tell_pace(model.name, model.caller, first, lack_of_summary, "document", len(documents))
    studied = annotation.is_studied(name)
    at_once = processes or usual_processes()
    warn_of_unsplit([document for document, _ in store.records(name)])
    done: list[AddedSystem] = []
    try:
        with show_document_progress("summarizing", name, lambda _: STORED) as progress:
            done.extend(
                add_systems(
                    store, name, systems, studied=studied, trained_on=trained_on, processes=at_once, progress=progress
                )
            )
    except SystemExists as error:
        if all(isinstance(system, str) for system in systems):
            raise
        raise ValueError(f"{error}; give a checkpoint, extractor:DIR or language model a name with --as") from error
    finally:
        for added in done:  # not before the bar is gone
            tell(added.words(name))
        for model in models:
            tell_answered(model.name, model.caller, model.answered_by)
    say_suspicious(store, name, {added.system for added in done if added.summaries})
    check_complete(systems)


def summarize_shards(name: str, named: list[str | Summarizer], trained_on: bool, over: OverShards) -> None:
    """Write the summaries of shards into a folder."""
    systems = [summarizer(system) if isinstance(system, str) else system for system in named]
    if any(isinstance(system, LanguageModel) for system in systems):
        raise click.UsageError(
            "language models (llm:) write for a data set, where each call is recorded, not for shards"
        )
    if len({system.name for system in systems}) < len(systems):
        raise click.UsageError("two of the systems have the same name")
    inputs, folder = find_shard_inputs(name, over.output)
    check_left_out(run_shards(SummaryWork(tuple(systems), trained_on), inputs, folder, over.input_format, over))


def check_options(
    names: list[str], called: str | None, writing: CheckpointOptions, asking: LanguageModelOptions
) -> None:
    """Refuse options that none of the named systems has."""
    if not names:
        raise click.UsageError("--system names no system")
    checkpoints = any(is_checkpoint(name) for name in names)
    models = [name.removeprefix(PREFIX) for name in names if name.startswith(PREFIX)]
    if "" in models:
        raise click.UsageError(f"{PREFIX} is followed by the name of a model, or by causal:DIR or gguf:FILE")
    of_models = {*OF_BOTH, *(OF_LOCAL if any(map(is_local, models)) else ())}
    for option in asking.given:
        if not models:
            raise click.UsageError(f"--{option.replace('_', '-')} is an option of language models (llm:MODEL)")
    for option in writing.given:
        if not checkpoints and not (models and option in of_models):
            raise click.UsageError(
                f"--{option.replace('_', '-')} is an option of checkpoints (seq2seq:DIR, causal:DIR, gguf:FILE), and "
                "--system names none"
            )
    if called is not None and not (checkpoints or models or any(map(is_extractor, names))):
        raise click.UsageError("--as names a checkpoint, an extractor:DIR or a language model, and --system has none")
    if called is not None and len(names) > 1:
        raise click.UsageError("--as is the name of one system, and --system names several")
    if asking.dry_run and not all(name.startswith(PREFIX) for name in names):
        raise click.UsageError("--dry-run says what language models would be asked, and --system names others")


def find_systems(
    names: list[str],
    called: str | None,
    writing: CheckpointOptions,
    asking: LanguageModelOptions,
) -> list[str | Summarizer]:
    """Make the named systems that are checkpoints, trained extractors or language models; others stay names."""
    called = None if called is None else system_name(called)
    systems: list[str | Summarizer] = []
    for name in names:
        if is_checkpoint(name):
            systems.append(checkpoint_summarizer(name, writing.writing(), system=called))
        elif name.startswith(PREFIX):
            systems.append(open_language_model(name.removeprefix(PREFIX), called, asking, writing.given))
        else:
            systems.append(extractor(name, system=called) if is_extractor(name) else name)
    return systems


def documents_without(store: DataStore, name: str, system: Summarizer) -> list[Document]:
    """List the documents of a data set without a summary by a system."""
    there = store.summarized(dataset=name, system=system.name, signature=system.signature)
    return [document for document, _ in store.records(name) if document.id not in there]
