"""ROUGE-K: the share of a document's keywords that a summary has (Takeshita et al. 2024).

A keyword matches whole words in order. The published code looks for it as a substring of the joined text, so that
"art" is found in "smart"; that is not repeated here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from itertools import groupby
from typing import NamedTuple

from data.records import Example
from metrics.base import Score, check_option, signature
from metrics.keywords import (
    LONGEST,
    TITLES,
    Keyword,
    compared_texts,
    content_words,
    occurrences,
    overlap_keywords,
)
from metrics.text import Span


class KeywordEvidence(NamedTuple):
    """A keyword and where the candidate has it; nowhere means that it is missed."""

    keyword: Keyword
    occurrences: tuple[Span, ...]


class RougeKEvidence(NamedTuple):
    """What a ROUGE-K value was counted from."""

    texts: tuple[str, ...]
    """The texts that were compared for keywords: references, then the title where it counts."""
    keywords: tuple[KeywordEvidence, ...]


class RougeK:
    """Keyword recall, in [0, 1]. Keywords are what two or more of references and title share."""

    name = "rouge_k"

    def __init__(self, title: str = "always") -> None:
        check_option("title", title, TITLES)
        self.title = title
        self.signature = signature(
            "rouge_k", kw=f"overlap{LONGEST}", title=title, lemma=f"simplemma{version('simplemma')}"
        )

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score a batch; keywords are found once for examples of one document that stand together."""
        scores: list[Score] = []
        for (references, title), group in groupby(examples, key=lambda e: (e.references, e.title)):
            texts = compared_texts(references, title, self.title)
            keywords = overlap_keywords(texts)
            for example in group:
                scores.append(self.count(example, texts, keywords))
        return scores

    def count(self, example: Example, texts: tuple[str, ...], keywords: Sequence[Keyword]) -> Score:
        """Count the keywords that a candidate has."""
        if len(texts) < 2:
            return Score(None, "no keywords: there are not two texts among references and title to compare")
        if not keywords:
            return Score(None, "no keywords: references and title share no content word")
        candidate = content_words(example.candidate)
        places = [tuple(occurrences(keyword.words, candidate)) for keyword in keywords]
        found = sum(map(bool, places))
        return Score(
            found / len(keywords),
            parts={"keywords": len(keywords), "found": found},
            explain=partial(evidence, texts, keywords, places),
        )


def evidence(texts: tuple[str, ...], keywords: Sequence[Keyword], places: Sequence[tuple[Span, ...]]) -> RougeKEvidence:
    """The evidence record of one count."""
    return RougeKEvidence(texts, tuple(map(KeywordEvidence, keywords, places)))
