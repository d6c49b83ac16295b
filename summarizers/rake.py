"""RAKE: key phrases of the source (Rose et al. 2010) as a summary, a baseline in Dobko et al. (2018)."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import regex

from relevance.data.records import Document, Summary
from relevance.data.signatures import signature
from relevance.metrics.base import check_option
from relevance.metrics.languages import ENGLISH, LANGUAGES, are_stop_words
from relevance.metrics.lemmas import WORD
from relevance.metrics.text import ANY_SCRIPT, NO_SPACES, find_tokens
from relevance.summarizers.base import REFERENCE_LENGTH, VERSION, SummaryLength, best_first, check_length, within
from relevance.summarizers.sentences import sentences_of
from relevance.summarizers.words import language_settings, language_suffix

SPACE = regex.compile(rf"(?<=[{NO_SPACES}]) (?=[{NO_SPACES}])")
"""A space between two characters of scripts that are written without spaces."""


class Rake:
    """The phrases with the highest scores, joined by commas: each phrase that still fits into the words.

    A phrase is a longest run of lower-cased words without a stop word of SMART or punctuation; with `longest`, longer
    runs are cut into phrases of so many words, the last with the rest. The score of a word is its degree (the number of
    words of all phrases with it) over its frequency, that of a phrase the sum over its words; the earlier of equal
    phrases goes first. The best phrase is taken even if it alone is too long. A document without a phrase has no
    summary, nor has one without a reference if the reference gives the length. The system's name is `rake-100w`,
    `rake-ref` or, with phrases of at most 3 words, `rake-cut3-100w`; in a `language` other than English, whose words
    and stop words are those of `relevance.metrics.languages`, `rake-de-100w`. Raises ValueError for a length in
    sentences (there are none) and a `longest` below 1.
    """

    def __init__(
        self, length: SummaryLength = REFERENCE_LENGTH, longest: int | None = None, language: str = ENGLISH
    ) -> None:
        if length.unit == "sentences":
            raise ValueError("rake writes phrases, not sentences: name a number of words, as in rake-100w, or rake-ref")
        if longest is not None and longest < 1:
            raise ValueError(f"a phrase has at least 1 word, not {longest}")
        self.length = check_length(length)
        check_option("language", language, LANGUAGES)
        self.longest = longest
        self.language = language

    @property
    def name(self) -> str:
        """The system's name in a data set."""
        cut = f"-cut{self.longest}" if self.longest else ""
        return f"rake{language_suffix(self.language)}{cut}{self.length.suffix}"

    @property
    def signature(self) -> str:
        """Everything that its output depends on."""
        cut = {"longest": self.longest} if self.longest else {}
        words = language_settings(self.language)
        if "lang" in words:
            words = {"stop": words["stop"], "lang": words["lang"]}  # no word is stemmed
        return signature("rake", VERSION, **({"stop": "smart"} | words), **cut, **self.length.option)

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Write one summary per document, in order; one that has no summary is left out."""
        return [
            Summary(document.id, self.name, ", ".join(chosen))
            for document in documents
            if (chosen := self.select(document))
        ]

    def select(self, document: Document) -> list[str]:
        """Select the phrases of a document's summary, the best first; empty if it has no summary."""
        words = self.length.words(document)
        ranked = rank_phrases(document, self.longest, self.language) if words else []
        phrases = [SPACE.sub("", " ".join(phrase)) for phrase in ranked]
        return [phrases[place] for place in within(words, phrases, range(len(phrases)))] if phrases else []


def rank_phrases(document: Document, longest: int | None = None, language: str = ENGLISH) -> list[tuple[str, ...]]:
    """Rank a document's distinct phrases of at most `longest` words, the best first, the earlier of equals first."""
    every = [
        run[start : start + (longest or len(run))]
        for sentence in sentences_of(document)
        for run in split_runs(sentence, language)
        for start in range(0, len(run), longest or len(run))
    ]
    frequency = Counter(word for phrase in every for word in phrase)
    degree: defaultdict[str, int] = defaultdict(int)
    for phrase in every:
        for word in phrase:
            degree[word] += len(phrase)
    phrases = list(dict.fromkeys(every))
    scores = [sum(degree[word] / frequency[word] for word in phrase) for phrase in phrases]
    return [phrases[place] for place in best_first(scores)]


def split_runs(sentence: str, language: str = ENGLISH) -> list[tuple[str, ...]]:
    """Return the runs of lower-cased words between stop words and punctuation."""
    runs: list[list[str]] = [[]]
    lowered = sentence.lower()
    tokens = find_tokens(WORD if language == ENGLISH else ANY_SCRIPT, lowered)
    if language == ENGLISH:
        stops = [word in stop_words() for word in tokens.words]
    else:
        stops = are_stop_words(lowered, tokens.spans, language)
    end = 0
    for word, (start, stop), skipped in zip(*tokens, stops, strict=True):
        if lowered[end:start].strip() or skipped:
            runs.append([])
        if not skipped:
            runs[-1].append(word)
        end = stop
    return [tuple(run) for run in runs if run]


@cache
def stop_words() -> frozenset[str]:
    """Read the stop words of SMART (`smart_stop_words.txt`)."""
    lines = Path(__file__).with_name("smart_stop_words.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())
