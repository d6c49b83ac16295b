"""ROUGE-K: the share of a document's keywords that a summary has (Takeshita et al. 2024).

A keyword matches whole words in order. The published code looks for it as a substring of the joined text, so that
"art" is found in "smart"; that is not repeated here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property, partial
from importlib.metadata import version
from itertools import groupby
from typing import NamedTuple

from data.records import Example
from metrics.base import Score, check_option, make_signature
from metrics.keywords.extractors import Rarity, count_rarity, extract, extractor
from metrics.keywords.lists import KeywordLists, listed_keyword
from metrics.keywords.overlap import LONGEST, TITLES, Keyword, compared_texts, content_words, occurrences
from metrics.text import Span

LIST = "list"
"""The keywords that a user brings, beside those of `EXTRACTORS`."""

ONLY = {"in-source": "in-src", "out-source": "out-src"}
"""Which keywords count: those that occur in the source, or those that don't; with their names in signatures."""


class NoKeywords(ValueError):
    """A document has no keyword to look for; the message says why."""


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
    """Keyword recall, in [0, 1]. Keywords are by default what two or more of references and title share.

    `title` counts among the texts `always`, or `single`, beside a single reference only. `keywords` are

    - `overlap`: the n-grams that two or more of the texts share, the paper's rule.
    - `tfidf`, `textrank`: as many as the overlap rule gives, by the paper's baselines. `tfidf:K`, `textrank:K`: K for
      every document, so that one text is enough. See `metrics.keywords.extractors`. `idf` are texts, usually all
      references of a data set, among which phrases are rare; without them rarity is that among the sentences of the
      document's own texts, so that no other document has a say.
    - `list`: those of `lists`, which a user brings.

    `only` counts the keywords that occur in the source (`in-source`, IN-SRC in the paper's Table 9) or those that do
    not (`out-source`), as they would in a summary. Raises ValueError.
    """

    name = "rouge_k"

    def __init__(
        self,
        title: str = "always",
        keywords: str = "overlap",
        *,
        only: str | None = None,
        lists: KeywordLists | None = None,
        idf: Sequence[str] | None = None,
    ) -> None:
        check_option("title", title, TITLES)
        check_option("only", only, (None, *ONLY))
        if (keywords == LIST) != (lists is not None):
            raise ValueError("keywords must be list where, and only where, lists are given")
        self.title = title
        self.keywords = keywords
        self.extractor = LIST if keywords == LIST else extractor(keywords)[0]
        self.only = only
        self.lists = lists
        self.corpus = tuple(idf) if idf is not None and self.extractor == "tfidf" else None

    @cached_property
    def signature(self) -> str:
        """Where the keywords come from, and all settings."""
        found = {"overlap": f"overlap{LONGEST}"}.get(self.keywords, self.keywords.replace(":", ""))
        # The title has a say in lists, too: a word that stands in a text is looked for as it is (`listed_keyword`).
        settings = {"kw": f"{LIST}@{self.lists.digest[:8]}" if self.lists else found, "title": self.title}
        if self.extractor == "tfidf":
            corpus = self.corpus
            settings["idf"] = "own" if corpus is None else hashlib.sha256(json.dumps(corpus).encode()).hexdigest()[:8]
        if self.only:
            settings["only"] = ONLY[self.only]
        return make_signature(self.name, **settings, lemma=f"simplemma{version('simplemma')}")

    @cached_property
    def rare(self) -> Rarity | None:
        """How rare phrases are, each text of `idf` a document."""
        return None if self.corpus is None else count_rarity([text] for text in self.corpus)

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score a batch; keywords are found once for examples of one document that stand together."""
        scores: list[Score] = []
        for _, group in groupby(examples, key=lambda e: (e.document_id, e.references, e.title, e.source)):
            together = list(group)
            texts = compared_texts(together[0].references, together[0].title, self.title)
            try:
                keywords = self.asked(together[0], texts)
            except NoKeywords as error:
                scores += [Score(None, f"no keywords: {error}")] * len(together)
            else:
                scores += [score_candidate(example, texts, keywords) for example in together]
        return scores

    def asked(self, example: Example, texts: tuple[str, ...]) -> list[Keyword]:
        """The keywords that candidates of an example's document are asked for. Raises `NoKeywords`."""
        keywords = self.brought(example.document_id, texts) if self.lists else self.extracted(texts)
        if self.only is None:
            return keywords
        if not example.source.strip():
            raise NoKeywords("there is no source in which they could occur")
        wanted = self.only == "in-source"
        occur = occur_in(keywords, example.source)
        kept = [keyword for keyword, there in zip(keywords, occur, strict=True) if there == wanted]
        if not kept:
            raise NoKeywords(f"{'none' if wanted else 'each'} of the document's {len(keywords)} occurs in the source")
        return kept

    def brought(self, document: str, texts: tuple[str, ...]) -> list[Keyword]:
        """The keywords of a document in the user's lists, and where the texts have them. Raises `NoKeywords`."""
        words = self.lists.by_document.get(document) if self.lists else None
        if words is None:
            raise NoKeywords("the file of keywords has no list for this document")
        if not words:
            raise NoKeywords("the list of this document is empty")
        keywords = {keyword.words: keyword for keyword in (listed_keyword(listed, texts) for listed in words)}
        return list(keywords.values())

    def extracted(self, texts: tuple[str, ...]) -> list[Keyword]:
        """The keywords that the extractor finds. Raises `NoKeywords`."""
        if found := extract(self.keywords, texts, self.rare):
            return found
        if self.keywords != self.extractor:  # a number of them is asked for, which one text can give
            raise NoKeywords("references and title have no content word" if texts else "there are no references")
        if len(texts) < 2:
            raise NoKeywords(
                "there are not two texts among references and title to compare; keywords by tfidf:K or textrank:K, or "
                "a list of your own, need only one"
            )
        raise NoKeywords("references and title share no content word")


def occur_in(keywords: Sequence[Keyword], text: str) -> list[bool]:
    """Whether each keyword occurs in a text, by the same match as in a summary."""
    words = content_words(text)
    return [bool(occurrences(keyword.words, words)) for keyword in keywords]


def score_candidate(example: Example, texts: tuple[str, ...], keywords: Sequence[Keyword]) -> Score:
    """Count the keywords that a candidate has."""
    candidate = content_words(example.candidate)
    places = [tuple(occurrences(keyword.words, candidate)) for keyword in keywords]
    found = sum(map(bool, places))
    return Score(
        found / len(keywords),
        parts={"keywords": len(keywords), "found": found},
        explain=partial(make_evidence, texts, keywords, places),
    )


def make_evidence(
    texts: tuple[str, ...], keywords: Sequence[Keyword], places: Sequence[tuple[Span, ...]]
) -> RougeKEvidence:
    """The evidence record of one count."""
    return RougeKEvidence(texts, tuple(map(KeywordEvidence, keywords, places)))
