"""BLEU, chrF and TER of single summaries, as sacreBLEU computes them (Post 2018); imported when they are used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from statistics import fmean
from typing import Any

from relevance.data.records import SOURCE, Example
from relevance.data.signatures import Signature
from relevance.data.wording import join_items
from relevance.metrics.base import REFERENCES, Score, check_option, score_each
from relevance.metrics.composing import compose
from relevance.metrics.evidence import MatchedEvidence, TextMatch
from relevance.metrics.fragments import find_fragments, place_words
from relevance.metrics.kind import MetricKind, ReferenceOptions, option
from relevance.metrics.text import Span

TOKENIZERS = ("13a", "intl", "char", "zh", "none")
"""The tokenizers of BLEU that need nothing else."""

SHOWN = 6
"""The characters of the shortest stretch that is shown for chrF: its longest n-grams."""

Units = Callable[[str], list[tuple[str, Span]]]
"""A function that returns the units of a text, each with its place."""


@dataclass(frozen=True)
class SacreMetric:
    """A metric of sacreBLEU for one summary at a time.

    With `references="max"` several references count together, by the library's own rule. `mean` is the mean of the
    values for each of them; with `source` the source is the only reference, with `first` the first one. Values are the
    library's, from 0 to 100; TER, which counts edits and can be more than 100, is negated: higher is better.
    """

    name: str
    references: str = "max"
    settings: tuple[tuple[str, Any], ...] = ()
    """The settings of the library's class, by name."""

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown rule."""
        check_option(f"references of {self.name}", self.references, REFERENCES)

    @cached_property
    def library_metric(self) -> Any:
        """The library's metric."""
        from sacrebleu.metrics import bleu, chrf, ter

        return {"bleu": bleu.BLEU, "chrf": chrf.CHRF, "ter": ter.TER}[self.name](**dict(self.settings))

    @property
    def signature(self) -> str:
        """The library's signature under the metric's name, and which text stands for the library's references."""
        self.library_metric.num_refs = -1  # it would say how many the last summary had, and documents may differ
        read = Signature.parse(f"{self.name}|{self.library_metric.get_signature()}")
        own = [f"refs:{self.references}"] if self.references != "max" else []
        own += ["value:negated"] if self.name == "ter" else []
        return str(Signature(read.name, (*read.settings, *own), read.version))

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score each summary by itself."""
        return score_each(examples, self.references, self.score_one)

    def score_one(self, example: Example, indices: Sequence[int]) -> Score:
        """Score one summary by those of its references whose indices are given."""
        groups = [[index] for index in indices] if self.references == "mean" else [indices]
        candidate, references = compose(example.candidate).text, [compose(text).text for text in example.references]
        scores = [
            self.library_metric.sentence_score(candidate, [references[index] for index in group]) for group in groups
        ]
        value = fmean(score.score for score in scores)
        if self.name == "ter":
            return Score(-value)
        words = "; ".join(dict.fromkeys(map(describe, scores)))
        return Score(value, explain=partial(self.explain, example, indices, words))

    def explain(self, example: Example, indices: Sequence[int], sentence: str) -> MatchedEvidence:
        """Show what the summary shares with each reference: stretches of BLEU's words, or of `SHOWN` characters."""
        units, shortest = (self.words, 1) if self.name == "bleu" else (characters, SHOWN)
        ours = units(example.candidate)
        matches = chain.from_iterable(
            match_units(ours, units(example.references[index]), None if example.against == SOURCE else index, shortest)
            for index in indices
        )
        return MatchedEvidence(tuple(matches), sentence)

    def words(self, text: str) -> list[tuple[str, Span]]:
        """Return the words that BLEU counts, each with its place; what the tokenizer rewrites has none."""
        words = self.library_metric.tokenizer(compose(text).text.rstrip()).split()
        return [(word, place) for word, place in zip(words, place_words(text, words), strict=True) if place]


def describe(score: Any) -> str:
    """Say what is behind a value of BLEU, or which part of what chrF counts can be shown."""
    if not hasattr(score, "counts"):
        return f"of the shared n-grams of 1 to {SHOWN} characters, stretches of {SHOWN} or more are marked"
    orders = [f"{count} of {total}" for count, total in zip(score.counts, score.totals, strict=True) if total]
    return f"n-grams of 1 to {len(orders)} words found: {join_items(orders)}; brevity penalty {score.bp:.3f}"


def characters(text: str) -> list[tuple[str, Span]]:
    """Return the characters that chrF counts, all but white space, each with its place."""
    composed = compose(text)
    return [
        (letter, composed.span(place, place + 1)) for place, letter in enumerate(composed.text) if not letter.isspace()
    ]


def match_units(
    ours: Sequence[tuple[str, Span]], theirs: Sequence[tuple[str, Span]], reference: int | None, shortest: int
) -> Iterator[TextMatch]:
    """Yield the stretches that a summary shares with one reference."""
    for start, place, length in find_fragments([span for span, _ in ours], [span for span, _ in theirs], shortest):
        own = ours[start][1][0], ours[start + length - 1][1][1]
        other = theirs[place][1][0], theirs[place + length - 1][1][1]
        yield TextMatch(own, other, reference)


@dataclass(frozen=True)
class BleuOptions(ReferenceOptions):
    """Options of BLEU."""

    bleu_tokenizer: str = option("13a", "BLEU: the tokenizer of sacreBLEU.", choices=TOKENIZERS)


@dataclass(frozen=True)
class ChrfOptions(ReferenceOptions):
    """Options of chrF."""

    chrf_words: int = option(
        0, "chrF: the longest word n-grams that count, too; 2 is chrF++.", given_as=int, least=0, most=9
    )


def make_bleu(references: str, bleu_tokenizer: str) -> SacreMetric:
    """Make BLEU; orders that a short summary cannot have do not count, as sacreBLEU advises for sentences."""
    return SacreMetric("bleu", references, (("effective_order", True), ("tokenize", bleu_tokenizer)))


def make_chrf(references: str, chrf_words: int) -> SacreMetric:
    """Make chrF, or chrF++ with `chrf_words` of 2."""
    return SacreMetric("chrf", references, (("word_order", chrf_words),))


def make_ter(references: str) -> SacreMetric:
    """Make TER."""
    return SacreMetric("ter", references)


def read_references(settings: dict[str, str]) -> dict[str, str]:
    """Return the option of references behind a signature's settings."""
    return {"references": settings.get("refs", "max")}


BLEU = MetricKind(
    "bleu",
    "BLEU",
    "precision of word n-grams of up to four words, with a penalty for short summaries, by sacreBLEU",
    make=make_bleu,
    options=BleuOptions,
    options_of=lambda settings: {**read_references(dict(settings)), "bleu_tokenizer": settings["tok"]},
    evidence=MatchedEvidence,
    renderer="matched",
    source="Post (2018). A Call for Clarity in Reporting BLEU Scores. WMT",
)
CHRF = MetricKind(
    "chrf",
    "chrF",
    "F2 of character n-grams of up to six characters, by sacreBLEU",
    make=make_chrf,
    options=ChrfOptions,
    options_of=lambda settings: {**read_references(dict(settings)), "chrf_words": int(settings["nw"])},
    evidence=MatchedEvidence,
    renderer="matched",
    source="Popović (2015). chrF: character n-gram F-score for automatic MT evaluation. WMT",
)
TER = MetricKind(
    "ter",
    "TER, negated",
    "edits that turn the summary into a reference, as a share of its words, negated, by sacreBLEU",
    make=make_ter,
    options=ReferenceOptions,
    options_of=lambda settings: read_references(dict(settings)),
    source="Snover, Dorr, Schwartz, Micciulla, Makhoul (2006). A Study of Translation Edit Rate. AMTA",
)
