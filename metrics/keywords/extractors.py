"""Keywords of a document by three rules (Takeshita et al. 2024, section 3): overlap, TF-IDF and TextRank.

The paper compares its overlap rule with TF-IDF and TextRank, each giving as many keywords as the overlap rule does, and
does not say how it set these up. Here all three read the same texts, the references and the title. TF-IDF and TextRank
choose phrases: up to three consecutive words, none of them a stop word. As with the overlap rule, no two keywords of a
document share a word, and equals are taken in the order of the texts.
"""

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from relevance.data.records import Document
from relevance.data.signatures import signature
from relevance.metrics.base import VERSION, check_option
from relevance.metrics.keywords.overlap import (
    LONGEST,
    TITLES,
    Keyword,
    compared_texts,
    content_words,
    locate_keyword,
    overlap_keywords,
    stop_places,
)
from relevance.metrics.languages import ENGLISH, keyword_settings
from relevance.metrics.pagerank import DAMPING, pagerank
from relevance.metrics.sentences import sentence_spans
from relevance.metrics.text import CACHED_TEXTS, lemmas

Words = tuple[str, ...]

LONGEST_PHRASE = 3
"""The number of words of the longest keyword of TF-IDF and TextRank."""


class Rarity(NamedTuple):
    """The number of documents that have each phrase, and of all documents."""

    documents: int
    spread: Mapping[Words, int]

    def idf(self, phrase: Words) -> float:
        """Return ln((1 + N) / (1 + n)) + 1 if n of the N documents have the phrase."""
        return math.log((1 + self.documents) / (1 + self.spread.get(phrase, 0))) + 1


class ExtractorOverlap(NamedTuple):
    """The overlap of two extractors' keywords."""

    first: str
    second: str
    same: float | None
    """The mean over documents of the share of keywords that both have, in [0, 1]; None without documents."""
    documents: int
    """The number of documents in which both have a keyword."""


NO_RARITY = Rarity(0, {})


# --- phrases ------------------------------------------------------------------------------------------------


@lru_cache(CACHED_TEXTS)
def cut_runs(text: str, language: str = ENGLISH) -> tuple[Words, ...]:
    """Return the content words of a text, cut where anything but white space is between two of them."""
    tokens = lemmas(text, language)
    runs: list[Words] = []
    run: list[str] = []
    end = 0
    for word, (start, stop), skipped in zip(*tokens, stop_places(text, tokens, language), strict=True):
        if run and text[end:start].strip():
            runs.append(tuple(run))
            run = []
        if not skipped:
            run.append(word)
            end = stop  # a stop word in between is not white space
    return (*runs, tuple(run)) if run else tuple(runs)


def list_phrases(text: str, language: str = ENGLISH) -> Iterator[Words]:
    """Yield every phrase of a text that repeats no word, by its start, longer ones first."""
    for run in cut_runs(text, language):
        for start in range(len(run)):
            for end in range(min(len(run), start + LONGEST_PHRASE), start, -1):
                if len(set(run[start:end])) == end - start:
                    yield run[start:end]


def without_shared_words(ranked: Iterable[Words]) -> Iterator[Words]:
    """Yield the phrases in order, leaving out those that share a word with an earlier one."""
    used: set[str] = set()
    for phrase in ranked:
        if used.isdisjoint(phrase):
            used.update(phrase)
            yield phrase


# --- TF-IDF -------------------------------------------------------------------------------------------------


def count_rarity(documents: Iterable[Sequence[str]], language: str = ENGLISH) -> Rarity:
    """Count the documents that have each phrase; a document is given as a sequence of its texts."""
    spread: Counter[Words] = Counter()
    count = 0
    for count, texts in enumerate(documents, 1):  # noqa: B007  used after the loop
        spread.update({phrase for text in texts for phrase in list_phrases(text, language)})
    return Rarity(count, spread)


def tfidf_keywords(texts: Sequence[str], count: int, rare: Rarity, language: str = ENGLISH) -> list[Keyword]:
    """Return the `count` phrases of highest tf * idf, fewer if there are not enough words.

    A phrase's frequency tf is counted over all the texts; among equals the one that begins earlier goes first, then the
    longer one. If phrases use up the words before there are `count` of them, shorter ones are taken.
    """
    frequency = Counter(phrase for text in texts for phrase in list_phrases(text, language))
    weight = {phrase: round(often * rare.idf(phrase), 9) for phrase, often in frequency.items()}
    ranked = sorted(weight, key=lambda phrase: -weight[phrase])
    chosen: list[Words] = []
    for longest in range(LONGEST_PHRASE, 0, -1):
        chosen = list(without_shared_words(phrase for phrase in ranked if len(phrase) <= longest))
        if len(chosen) >= count:
            break
    return [locate_keyword(phrase, texts, language) for phrase in chosen[:count]]


# --- TextRank -----------------------------------------------------------------------------------------------


def textrank_keywords(texts: Sequence[str], count: int, language: str = ENGLISH) -> list[Keyword]:
    """Return the `count` best phrases by TextRank (Mihalcea & Tarau 2004, section 3), or fewer.

    There are fewer if the texts have not enough words. Words are ranked by PageRank in the graph whose edges join
    consecutive words of a text without its stop words: a window of two. There is no tagger to keep nouns and adjectives
    only. The paper takes a third of the words and joins adjacent ones; here words are taken from the top until, joined,
    they make `count` keywords, in shorter phrases if there would never be enough. The best phrases have the largest sum
    of their words' ranks.
    """
    rank = word_ranks(texts, language)
    ranked = sorted(rank, key=lambda word: -rank[word])  # at equal ranks the earlier one
    candidates = list(dict.fromkeys(phrase for text in texts for phrase in list_phrases(text, language)))
    summed = {phrase: round(sum(rank[word] for word in phrase), 9) for phrase in candidates}
    candidates.sort(key=lambda phrase: (-len(phrase), -summed[phrase]))
    chosen: list[Words] = []
    for longest in range(LONGEST_PHRASE, 0, -1):
        for taken in range(min(count, len(ranked)), len(ranked) + 1):
            top = set(ranked[:taken])
            joined = (phrase for phrase in candidates if len(phrase) <= longest and top.issuperset(phrase))
            chosen = sorted(without_shared_words(joined), key=lambda phrase: -summed[phrase])
            if len(chosen) >= count:
                return [locate_keyword(phrase, texts, language) for phrase in chosen[:count]]
    return [locate_keyword(phrase, texts, language) for phrase in chosen]


def word_ranks(texts: Sequence[str], language: str = ENGLISH) -> dict[str, float]:
    """Return the PageRank of each content word, in the order of the texts; all ranks sum to 1."""
    read = [content_words(text, language).words for text in texts]
    place = {word: number for number, word in enumerate(dict.fromkeys(word for words in read for word in words))}
    edges = np.zeros((len(place), len(place)))
    for words in read:
        for a, b in pairwise(words):
            if a != b:
                edges[place[a], place[b]] = edges[place[b], place[a]] = 1
    # As in `relevance.summarizers.textrank`, rounding errors must not decide the order.
    return {word: round(rank, 9) for word, rank in zip(place, pagerank(edges), strict=True)}


# --- side by side -------------------------------------------------------------------------------------------

EXTRACTORS: dict[str, Callable[[Sequence[str], int, Rarity, str], list[Keyword]]] = {
    "overlap": lambda texts, count, rare, language: overlap_keywords(texts, language),
    "tfidf": tfidf_keywords,
    "textrank": lambda texts, count, rare, language: textrank_keywords(texts, count, language),
}
"""The functions that find the keywords of texts. Their arguments are the texts, the number of keywords (which overlap
ignores), the rarity of phrases and the language."""


def extractor(name: str) -> tuple[str, int | None]:
    """Return the extractor of `overlap`, `tfidf`, `textrank`, `tfidf:K` or `textrank:K`, and its K.

    Without a K it gives as many keywords as the overlap rule. Raises ValueError.
    """
    match = re.fullmatch(r"(tfidf|textrank):([1-9][0-9]{0,5})", name)
    if match is None and name not in EXTRACTORS:
        known = ", ".join(EXTRACTORS)
        raise ValueError(f"{name!r} is not one of {known}, tfidf:K and textrank:K with K from 1")
    return (match[1], int(match[2])) if match else (name, None)


def extract(
    extractor_name: str, texts: Sequence[str], rare: Rarity | None = None, language: str = ENGLISH
) -> list[Keyword]:
    """Return the keywords of texts by an extractor that `extractor` can read.

    By default the rarity of phrases is counted among the texts' sentences. Raises ValueError.
    """
    name, count = extractor(extractor_name)
    if count is None:
        overlap = overlap_keywords(texts, language)
        if name == "overlap" or not overlap:
            return overlap
        count = len(overlap)
    if name == "tfidf" and rare is None:  # each sentence counts as a document, so that no other one has an influence
        rare = count_rarity(([text[start:end]] for text in texts for start, end in sentence_spans(text)), language)
    return EXTRACTORS[name](texts, count, rare or NO_RARITY, language)


def documents_keywords(
    documents: Sequence[Document], extractor_name: str, title: str = "always", language: str = ENGLISH
) -> list[list[Keyword]]:
    """Return the keywords of each document by an extractor that `extractor` can read, as ROUGE-K by default.

    No other document has an influence, unlike in `compared_keywords`. Raises ValueError.
    """
    return [extract(extractor_name, compared, language=language) for compared in documents_texts(documents, title)]


def documents_texts(documents: Iterable[Document], title: str) -> list[tuple[str, ...]]:
    """Return for each document the texts that keywords come from. Raises ValueError if `title` is not in `TITLES`."""
    check_option("title", title, TITLES)
    return [compared_texts(document.references, document.title, title) for document in documents]


def compared_keywords(
    documents: Sequence[Document], title: str = "always", language: str = ENGLISH, rare: Rarity | None = None
) -> dict[str, list[list[Keyword]]]:
    """Return the keywords of each document by extractor; all give as many as the overlap rule gives.

    The rarity of phrases, if it is not given, is counted among these documents. Raises ValueError if `title` is not in
    `TITLES`.
    """
    texts = documents_texts(documents, title)
    overlap = [overlap_keywords(compared, language) for compared in texts]
    rare = rare or count_rarity(texts, language)
    return {
        name: [find(compared, len(keywords), rare, language) for compared, keywords in zip(texts, overlap, strict=True)]
        if name != "overlap"
        else overlap
        for name, find in EXTRACTORS.items()
    }


def comparison_signature(documents: Sequence[Document], title: str = "always", language: str = ENGLISH) -> str:
    """Return a signature of all that `compared_keywords` depends on besides the texts of the document at hand."""
    corpus = hashlib.sha256(json.dumps(documents_texts(documents, title)).encode()).hexdigest()[:8]
    return signature(
        "keywords",
        VERSION,
        overlap=LONGEST,
        phrases=LONGEST_PHRASE,
        idf=f"{len(documents)}documents@{corpus}",
        damping=DAMPING,
        title=title,
        **keyword_settings(language),
    )


def shared_keywords(compared: Mapping[str, Sequence[Sequence[Keyword]]]) -> list[ExtractorOverlap]:
    """Return the overlap of keywords, equal in all words, for every two extractors of `compared_keywords`.

    A document's share is that of the extractor with more keywords.
    """
    overlaps = []
    for first, second in combinations(compared, 2):
        shares = [
            len({k.words for k in ours} & {k.words for k in theirs}) / max(len(ours), len(theirs))
            for ours, theirs in zip(compared[first], compared[second], strict=True)
            if ours and theirs
        ]
        overlaps.append(ExtractorOverlap(first, second, sum(shares) / len(shares) if shares else None, len(shares)))
    return overlaps
