"""Language models that are prompted: their options, estimates of calls, and outcomes for summaries."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import click

from relevance.cli.shared import COUNT, SEED, Incomplete, find_documents, say, tell
from relevance.data.records import Document
from relevance.data.wording import format_count, format_duration
from relevance.llm.asking import Caller, Check, Limits, Plan
from relevance.llm.calls import Calls, default_path
from relevance.llm.client import Client, Request, Settings, TokenCounter
from relevance.llm.cost import Budget, Prices
from relevance.llm.embedded import EMBEDDED, find_embedded_model
from relevance.llm.openai_client import OPENAI, OpenAIClient
from relevance.llm.prompts import ROUGE_K_PAPER, SENTENCES, SOURCE_TOKENS, Prompt, choose_shots, make_shots
from relevance.summarizers.base import describe_failures
from relevance.summarizers.checkpoints import is_checkpoint
from relevance.summarizers.checkpoints.chat import CheckpointClient
from relevance.summarizers.checkpoints.summarizer import CheckpointSummarizer
from relevance.summarizers.language_model import LanguageModel

Command: TypeAlias = Callable[..., Any]

PREFIX = "llm:"

LONG = 8
"""From this number of documents or pairs on, a run with a model on this machine begins with an estimate of its time."""

OF_BOTH = {"max_tokens", "temperature", "top_p", "seed", "prompt", "source_tokens", "sentences"}
"""Options of checkpoints that language models also have."""

OF_LOCAL = {"dtype", "device"}
"""Options of checkpoints that only language models on this machine have."""


@dataclass(frozen=True)
class CallOptions:
    """The options of calls to language models; None if not given."""

    base_url: str | None
    at_once: int | None
    price_in: float | None
    price_out: float | None
    max_cost: float | None
    calls: Path | None
    dry_run: bool | None

    @property
    def given(self) -> dict[str, object]:
        """The options that were given."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class LanguageModelOptions(CallOptions):
    """The options of language models as systems, without those of checkpoints."""

    shots: int | None
    shots_from: str | None


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Combine several options in one decorator, in their order in the help."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


call_options = together(
    click.option("--base-url", help="Address of a language model's server.  [default: OpenAI's]"),
    click.option("--at-once", type=click.IntRange(1, 256), help="Calls at the same time.  [default: 4]"),
    click.option("--price-in", type=float, help="Price of a million prompt tokens."),
    click.option("--price-out", type=float, help="Price of a million answer tokens."),
    click.option("--max-cost", type=float, help="Limit of the run's cost: calls that could exceed it are not made."),
    click.option(
        "--calls",
        type=click.Path(path_type=Path, dir_okay=False),
        help="File that records calls and is searched for answers.  [default: beside the database]",
    ),
    click.option("--dry-run", is_flag=True, default=None, help="Say what would be asked, without asking."),
)

language_model_options = together(
    click.option("--shots", type=COUNT, help="Examples in the prompt, drawn by --seed from --shots-from."),
    click.option("--shots-from", help="Data set or file with the examples."),
    call_options,
)

drawing_options = together(
    click.option(
        "--temperature",
        type=float,
        help="Temperature for sampling tokens.  [default: take the most probable ones]",
    ),
    click.option("--top-p", type=float, help="Sample among the most probable tokens with this total probability."),
    click.option("--seed", type=SEED, help="Seed of sampling.  [default: 0]"),
)

local_options = together(
    click.option("--dtype", type=click.Choice(["float32", "bfloat16", "float16"]), help="[default: float32]"),
    click.option(
        "--device", type=click.Choice(["auto", "cpu", "cuda"]), help="auto: CUDA if available.  [default: auto]"
    ),
)


def open_language_model(
    model: str,
    called: str | None,
    options: LanguageModelOptions,
    writing: Mapping[str, int | float | str],
) -> LanguageModel:
    """Make the system of a language model, without calling it.

    `writing` are the options that checkpoints also have. Raises ValueError for an invalid model, address or record.
    """
    caller = open_caller(model, options, writing)
    source_tokens = int(writing.get("source_tokens", SOURCE_TOKENS))
    prompt, examples = make_prompt(options, writing, caller.client.tokens, source_tokens)
    return LanguageModel(
        caller,
        prompt,
        make_settings(writing),
        source_tokens=source_tokens,
        sentences=int(writing.get("sentences", SENTENCES)) or None,
        name=called,
        examples=examples,
    )


def open_caller(model: str, options: CallOptions, writing: Mapping[str, int | float | str]) -> Caller:
    """Open the caller of a model, with its record of calls, which is closed when the command ends.

    Raises ValueError for an invalid model, address or record.
    """
    client = open_client(model, options, writing)
    limits = Limits(at_once=options.at_once or (1 if is_local(model) else Limits.at_once))
    budget = make_budget(options)
    calls = Calls(options.calls or default_path())
    click.get_current_context().call_on_close(calls.close)
    return Caller(client, calls, limits=limits, budget=budget)


def make_settings(writing: Mapping[str, int | float | str], **defaults: int) -> Settings:
    """Make the settings of answers; `defaults` hold for options that are not given."""
    settings = defaults | {name: writing[name] for name in SETTINGS if name in writing}
    return Settings(**settings)  # type: ignore[arg-type]


def is_local(model: str) -> bool:
    """Tell whether a model is on this machine, such as `gguf:model.gguf`."""
    return model == EMBEDDED or is_checkpoint(model)


def open_client(model: str, options: CallOptions, writing: Mapping[str, int | float | str]) -> Client:
    """Open the client of a model, at an address or on this machine."""
    if not is_local(model):
        return OpenAIClient(model, options.base_url or OPENAI, needs_key=not options.dry_run)
    if options.base_url:
        raise click.UsageError(f"--base-url is the address of a server, and {model} is on this machine")
    kind, _, path = (f"gguf:{find_embedded_model()}" if model == EMBEDDED else model).partition(":")
    return CheckpointClient(kind, Path(path), **{name: str(writing[name]) for name in OF_LOCAL & writing.keys()})


SETTINGS = ("max_tokens", "temperature", "top_p", "seed")


def make_prompt(
    options: LanguageModelOptions,
    writing: Mapping[str, int | float | str],
    tokens: TokenCounter,
    source_tokens: int,
) -> tuple[Prompt, list[Document]]:
    """Make the prompt that the options describe; also return the documents of its examples."""
    if bool(options.shots) != bool(options.shots_from):
        raise click.UsageError("--shots goes with --shots-from: the number of examples from this data set or file")
    examples: list[Document] = []
    if options.shots and options.shots_from:
        examples = choose_shots(find_documents(options.shots_from), options.shots, int(writing.get("seed", 0)))
    template = str(writing.get("prompt", ROUGE_K_PAPER))
    return Prompt(template, make_shots(examples, tokens, source_tokens)), examples


def make_budget(options: CallOptions) -> Budget:
    """Make the budget of a run."""
    if (options.price_in is None) != (options.price_out is None):
        raise click.UsageError("--price-in goes with --price-out")
    if options.max_cost is not None and options.price_in is None:
        raise click.UsageError("--max-cost needs --price-in and --price-out")
    if options.price_in is None or options.price_out is None:
        return Budget()
    return Budget(Prices(options.price_in, options.price_out), options.max_cost)


def tell_plan(name: str, caller: Caller, plan: Plan) -> None:
    """Print the estimate of calls."""
    counted = "" if plan.counted == "tokenizer" else f" (estimated as {plan.counted})"
    line = (
        f"{name}: {plan.requests} requests, of which {plan.recorded} are recorded with an answer; the others "
        f"have about {plan.tokens_in:,} tokens{counted}, and their answers at most {plan.tokens_out:,}"
    )
    prices = caller.budget.prices
    tell(
        f"{line}: about {prices.cost(plan.tokens_in, plan.tokens_out):.4g} if all are that long"
        if any(prices)
        else line
    )


def tell_answered(name: str, caller: Caller, models: Iterable[str]) -> None:
    """Print the models that answered, if any, and the cost, even of calls that gave nothing."""
    spent = f"; {caller.budget.spent:.4g} spent" if any(caller.budget.prices) else ""
    if models := sorted(models):
        tell(f"{name} was answered by {', '.join(models)}{spent}")
    elif caller.budget.spent:
        tell(f"{name} gave no answer that can be used{spent}")


def tell_pace(name: str, caller: Caller, requests: Sequence[Request], check: Check, of: str, number: int) -> None:
    """Estimate how long a model on this machine will take, by the first of a `number` of things, `of`.

    For fewer than `LONG` things there is no estimate. The answers are recorded, so that they are not asked twice.
    """
    if number < LONG:
        return
    say(f"{name}: asking about the first {of}, to see how long {format_count(number, of)} will take")
    completions = [answer.completion for answer in caller.ask(requests, check)]
    seconds = sum(completion.seconds for completion in completions if completion)
    if all(completions):
        say(f"{name}: {seconds:.3g} seconds a {of}, so about {format_duration(seconds * number)}; Ctrl-C stops it")


def check_complete(systems: Iterable[object]) -> None:
    """Raise `Incomplete` with the reasons if documents have no summary by a language model."""
    with_failures = [system for system in systems if isinstance(system, LanguageModel | CheckpointSummarizer)]
    if reasons := [
        f"{with_failure.name}: {words}"
        for with_failure in with_failures
        for words in describe_failures(with_failure.failures)
    ]:
        raise Incomplete(f"without a summary: {'; '.join(reasons)}")
