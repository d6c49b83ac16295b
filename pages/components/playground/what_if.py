"""A summary with a word left out or replaced, and the worth of each of its words to a metric."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import regex

from relevance.data.records import Example
from relevance.data.ties import TIE
from relevance.metrics.base import score_candidates
from relevance.metrics.from_signature import metric_of
from relevance.metrics.rouge import numbered_ngrams, numbered_skip_bigrams
from relevance.metrics.rouge_lsum import sentence_words
from relevance.metrics.sentences import sentence_spans
from relevance.metrics.text import NO_SPACES, Span, lemmas, rouge_words
from relevance.pages.components.playground.live import Part

# Like `relevance.metrics.text.WORD`, except that in scripts without spaces each character is a word.
WORD = regex.compile(
    rf"[{NO_SPACES}]\p{{M}}*|[[\p{{L}}\p{{N}}]--[{NO_SPACES}]][[\p{{L}}\p{{M}}\p{{N}}]--[{NO_SPACES}]]*"
    rf"(?:['’\-‐‑][[\p{{L}}\p{{N}}]--[{NO_SPACES}]][[\p{{L}}\p{{M}}\p{{N}}]--[{NO_SPACES}]]*)*",
    regex.VERSION1,
)

MOST_WORDS = 400
"""The most words of a summary that are left out in turn: each makes a summary to score."""

MOST_CHARACTERS = 1_000_000
"""The most characters of all those summaries together."""

KEPT_CHARACTERS = 100_000
"""The most characters of theirs that stay in the caches of texts, which count texts and not their length."""

CACHES = (rouge_words, lemmas, numbered_ngrams, numbered_skip_bigrams, sentence_words, sentence_spans)
"""The caches that the lexical metrics fill."""


class Worth(NamedTuple):
    """The worth of a word: how much the score drops without it."""

    word: str
    span: Span
    without: float | None
    """The score without it; None if there is none."""
    loss: float | None
    """The drop of the score; negative if it rises, None if there is none."""


def word_spans(text: str) -> list[Span]:
    """Return the spans of the words of a text, with inner hyphens and apostrophes."""
    return [match.span() for match in WORD.finditer(text)]


def swap_word(text: str, span: Span, by: str = "") -> str:
    """Replace a word of a text, or remove it with one of the two spaces around it."""
    start, end = span
    before, after = text[:start], text[end:]
    if not by and (not before or before[-1].isspace()) and after[:1] == " ":
        after = after[1:]
    elif not by and before[-1:] == " " and (not after or not after[0].isalnum()):
        before = before[:-1]
    return before + by + after


def most_words(text: str) -> int:
    """Return how many words of a summary are left out in turn."""
    return min(MOST_WORDS, MOST_CHARACTERS // max(len(text), 1))


@lru_cache(64)
def worths(signature: str, example: Example) -> tuple[float | None, tuple[Worth, ...]]:
    """Return the score of an example, and the worth of the first `most_words` of its words, each left out alone.

    The metric must be a lexical one. All are scored in one batch.
    """
    metric = metric_of(signature)
    if metric is None:
        raise ValueError(f"no metric has the signature {signature}")
    text = example.candidate
    spans = word_spans(text)[: most_words(text)]
    batch = [example, *(replace(example, candidate=swap_word(text, span)) for span in spans)]
    whole, *left = [score.value for score in score_candidates(metric, batch)]
    if len(text) * len(spans) > KEPT_CHARACTERS:
        for cache in CACHES:
            cache.cache_clear()
    return whole, tuple(
        Worth(text[slice(*span)], span, value, None if whole is None or value is None else whole - value)
        for span, value in zip(spans, left, strict=True)
    )


def make_parts(text: str, worth_of_parts: Sequence[Worth]) -> list[Part]:
    """Cut the text into words that can be chosen, each with its worth, and what is between them.

    Bars are as high as a word's share of the largest loss or gain.
    """
    highest = max((abs(worth.loss) for worth in worth_of_parts if worth.loss is not None), default=0.0)
    valued = {worth.span: worth for worth in worth_of_parts}
    cut, end = [], 0
    for number, span in enumerate(word_spans(text)):
        if span[0] > end:
            cut.append(Part(text[end : span[0]]))
        worth = valued.get(span)
        loss = worth.loss if worth else None
        share = abs(loss) / highest if loss is not None and highest > TIE else 0.0
        cut.append(Part(text[slice(*span)], number, describe_worth(worth), round(share, 3), bool(loss and loss < -TIE)))
        end = span[1]
    return [*cut, Part(text[end:])] if end < len(text) else cut


def describe_worth(worth: Worth | None) -> str:
    """Describe the worth of a word."""
    if worth is None:
        return "not tried"
    if worth.loss is None:
        return "without it there is no score"
    if abs(worth.loss) <= TIE:
        return "without it the score stays"
    verb = "falls" if worth.loss > 0 else "rises"
    return f"without it the score {verb} by {abs(worth.loss):.3f} to {worth.without:.3f}"
