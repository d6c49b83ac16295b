"""The options of all metrics, and the metrics that they ask for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from cli.shared import COUNT, FILE, Refused, split_names

DEFAULT_METRICS = "rouge1,rouge2,rougeL,rouge_k,length"


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


def set_device(device: str | None) -> None:
    """Say where models run, for all that this process starts."""
    if device:
        os.environ["RELEVANCE_DEVICE"] = device


def chosen_metrics(chosen: dict[str, Any], records: Callable[[], Iterable[Any]]) -> list[Any]:
    """Make the metrics that the options name; `records` are what is scored, for --idf references and list:FILE."""
    from data.reading import lines
    from metrics import Options, make_metrics
    from metrics.apes.entities import DEFAULT_TYPES

    given = dict(chosen)
    names, idf, types = split_names(given.pop("names")), given.pop("idf"), given.pop("types")
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
    return make_metrics(names, Options(idf=idf, types=tuple(split_names(types)) if types else DEFAULT_TYPES, **given))


def chosen_keywords(keywords: str, records: Callable[[], Iterable[Any]] | None) -> dict[str, Any]:
    """The options that --keywords means, its file read; no file is read without `records`, where nobody asks for it."""
    from metrics.keywords.extractors import extractor
    from metrics.keywords.lists import read_keyword_lists

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


def refuse_metric_options(kept: Sequence[str] = ()) -> None:
    """Refuse options of metrics but those `kept` beside --study, whose scores are those that are stored."""
    context = click.get_current_context()
    refused = [name for name in METRIC_OPTION_NAMES if name not in kept]
    given = [name for name in refused if context.get_parameter_source(name) == ParameterSource.COMMANDLINE]
    options = {option.name: option.opts[-1] for option in context.command.params}
    if given:
        named = ", ".join(options[name] for name in given)
        raise click.UsageError(f"{named} cannot be given with --study: its scores are those that are stored")
