"""The metrics: one file each, this dict names them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from metrics.apes import Apes
from metrics.apes.entities import DEFAULT_TYPES
from metrics.base import Metric, Score
from metrics.bertscore import BertScore
from metrics.carouge import Carouge
from metrics.keywords.lists import KeywordLists
from metrics.length import Length
from metrics.models.encoder import BATCH_TOKENS, shared_encoder
from metrics.models.files import EMBEDDED
from metrics.models.vectors import FileVectors
from metrics.rouge import RougeL, RougeLsum, RougeN, RougeSU4
from metrics.rouge_k import RougeK

__all__ = ["DEFAULT", "LEXICAL", "METRICS", "Metric", "Options", "Score", "UnknownMetric", "make_metrics", "metric"]


class UnknownMetric(ValueError):
    """A metric name that is not in `METRICS`."""


@dataclass(frozen=True)
class Options:
    """What a user can set for all metrics at once; a metric takes what its definition has room for.

    `references`: how the scores against several references become one: `max` (default), `mean`, `first`. ROUGE-K
    takes all of them at once, APES asks the questions of all, or of the first. ROUGE's n-grams and subsequences have
    `pooled`, too.
    `tokenizer` of the ROUGE metrics: `ascii` (a-z0-9, as everybody reports) or `unicode` (any script).
    `value`, `counts` of the ROUGE metrics: which ratio they give, and how repeated units count: see `metrics.rouge`.
    `title` in ROUGE-K's keywords: `always` counts as a reference, `single` only beside a single one.
    `keywords`, `only`, `lists` of ROUGE-K: where its keywords come from, and which of them count: see
    `metrics.rouge_k.RougeK`, whose TF-IDF takes `idf`, too, as CAROUGE's does.
    `model`, `layer`, `idf` (texts), `baseline` (a file), `dtype`, `batch_tokens`, `download` of BERTScore: see
    `metrics.bertscore.BertScore` and `metrics.models.encoder.Encoder`.
    `norm`, `n`, `important`, `vectors` (a file) of CAROUGE: see `metrics.carouge.Carouge`.
    `entities`, `reader`, `types`, `ask`, `apes_value` (its `value`) of APES: see `metrics.apes.Apes`.
    """

    references: str = "max"
    tokenizer: str = "ascii"
    value: str = "f1"
    counts: str = "clipped"
    title: str = "always"
    keywords: str = "overlap"
    only: str | None = None
    lists: KeywordLists | None = None
    model: str = EMBEDDED
    layer: int | None = None
    idf: tuple[str, ...] | None = None
    baseline: Path | None = None
    dtype: str = "float32"
    batch_tokens: int = BATCH_TOKENS
    download: bool = False
    norm: str = "summary"
    n: int = 1
    important: str = "references"
    vectors: Path | None = None
    entities: str = "embedded"
    reader: str = "embedded"
    types: tuple[str, ...] = DEFAULT_TYPES
    ask: str = "mentions"
    apes_value: str = "share"


def make_bertscore(options: Options) -> Metric:
    """BERTScore as the options ask for it."""
    encoder = shared_encoder(
        options.model, dtype=options.dtype, batch_tokens=options.batch_tokens, download=options.download
    )
    return BertScore(
        options.references, layer=options.layer, idf=options.idf, baseline=options.baseline, encoder=encoder
    )


def make_rouge_k(options: Options) -> Metric:
    """ROUGE-K as the options ask for it."""
    return RougeK(options.title, options.keywords, only=options.only, lists=options.lists, idf=options.idf)


def make_carouge(options: Options) -> Metric:
    """CAROUGE as the options ask for it."""
    return Carouge(
        options.norm,
        options.n,
        options.important,
        options.references,
        vectors=FileVectors(options.vectors) if options.vectors else None,
        idf=options.idf,
    )


def make_apes(options: Options) -> Metric:
    """APES as the options ask for it."""
    questions = "first" if options.references == "first" else "all"
    return Apes(
        questions,
        entities=options.entities,
        reader=options.reader,
        types=options.types,
        ask=options.ask,
        value=options.apes_value,
    )


METRICS: dict[str, Callable[[Options], Metric]] = {
    "rouge1": lambda options: RougeN(1, options.references, options.tokenizer, options.value, options.counts),
    "rouge2": lambda options: RougeN(2, options.references, options.tokenizer, options.value, options.counts),
    "rougeL": lambda options: RougeL(options.references, options.tokenizer, options.value),
    "rougeLsum": lambda options: RougeLsum(options.references, options.tokenizer, options.value),
    "rougeSU4": lambda options: RougeSU4(options.references, options.tokenizer, options.value, options.counts),
    "rouge_k": make_rouge_k,
    "bertscore": make_bertscore,
    "carouge": make_carouge,
    "apes": make_apes,
    "length": lambda options: Length(),
}


LEXICAL = ("rouge1", "rouge2", "rougeL", "rougeLsum", "rougeSU4", "rouge_k", "length")
"""The metrics that need no model and take seconds."""

DEFAULT = ("rouge1", "rouge2", "rougeL", "rouge_k", "length")
"""What is scored where nobody names metrics."""


def metric(name: str, options: Options | None = None) -> Metric:
    """Make a metric by its name. Raises `UnknownMetric`, or ValueError for an option out of its range."""
    if name not in METRICS:
        raise UnknownMetric(f"unknown metric {name!r}; known are {', '.join(METRICS)}")
    return METRICS[name](options or Options())


def make_metrics(names: Sequence[str], options: Options | None = None) -> list[Metric]:
    """Make several metrics, each name once, in the order given."""
    return [metric(name, options) for name in dict.fromkeys(names)]
