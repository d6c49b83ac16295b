"""METEOR of single summaries, as NLTK computes it (Lavie and Agarwal 2007), where WordNet is at hand."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Any
from zipfile import ZipFile

from relevance.data.records import SOURCE, Example
from relevance.data.signatures import signature
from relevance.data.wording import format_count
from relevance.metrics.base import REFERENCES, Score, check_option, score_each
from relevance.metrics.composing import compose
from relevance.metrics.evidence import MatchedEvidence, TextMatch
from relevance.metrics.fragments import place_words
from relevance.metrics.kind import MetricKind, ReferenceOptions
from relevance.metrics.sentences import find_sentences
from relevance.metrics.text import CACHED_TEXTS, Span

VERSIONED = "data.adj"
"""The file of WordNet whose licence names the version."""

LICENCE = 4096
"""The bytes of its beginning that have the licence."""


def data_folders() -> Iterator[Path]:
    """Yield the folders where NLTK looks for its data, as `nltk.data.path`, which takes seconds to import."""
    yield from (Path(part).expanduser() for part in os.environ.get("NLTK_DATA", "").split(os.pathsep) if part)
    yield Path("~/nltk_data").expanduser()
    yield from (Path(sys.prefix, *parts) for parts in (("nltk_data",), ("share", "nltk_data"), ("lib", "nltk_data")))
    roots = ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib")
    yield from (Path(root, "nltk_data") for root in roots)


def wordnet_version() -> str | None:
    """Return the version of the WordNet that NLTK finds; None where there is none."""
    for folder in data_folders():
        unpacked, packed = folder / "corpora" / "wordnet" / VERSIONED, folder / "corpora" / "wordnet.zip"
        if unpacked.is_file():
            with unpacked.open("rb") as file:
                return read_version(file.read(LICENCE))
        if packed.is_file():
            with ZipFile(packed) as archive, archive.open(f"wordnet/{VERSIONED}") as file:
                return read_version(file.read(LICENCE))
    return None


def read_version(licence: bytes) -> str:
    """Return the version that WordNet's licence names, or `unknown`."""
    match = re.search(rb"WordNet (\d[\d.]*) Copyright", licence)
    return match[1].decode() if match else "unknown"


@dataclass(frozen=True)
class Meteor:
    """The weighted harmonic mean of precision and recall of words that match exactly, by their stems or as synonyms.

    It is lowered where the matches stand in another order. With several references it is the best value (`max`), or by
    `mean`, `first` and `source` as ROUGE. Values are those of `nltk.translate.meteor_score` with its own parameters, in
    [0, 1], for the words of its tokenizer in each sentence, marks included. It looks up synonyms of stems, so that
    words that are not their own stems (`purchase`) have none.

    Source: Lavie and Agarwal 2007, METEOR: An Automatic Metric for MT Evaluation with High Levels of Correlation with
    Human Judgments, section 2.
    """

    references: str = "max"
    name = "meteor"

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown rule."""
        check_option("references of METEOR", self.references, REFERENCES)

    @property
    def signature(self) -> str:
        """The rule for several references, and the versions of WordNet and of NLTK."""
        return signature(self.name, f"nltk-{version('nltk')}", refs=self.references, wordnet=wordnet_version())

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score each summary by itself."""
        return score_each(examples, self.references, self.score_one)

    def score_one(self, example: Example, indices: Sequence[int]) -> Score:
        """Score one summary by those of its references whose indices are given."""
        from nltk.translate.meteor_score import single_meteor_score

        words = find_words(example.candidate)
        values = {index: single_meteor_score(find_words(example.references[index]), words) for index in indices}
        if self.references == "mean":
            return Score(fmean(values.values()), explain=partial(explain, example, indices))
        best = max(indices, key=values.__getitem__)  # the first of equals
        return Score(values[best], explain=partial(explain, example, [best]))


@lru_cache(CACHED_TEXTS)
def find_words(text: str) -> tuple[str, ...]:
    """Return the words and marks of NLTK's tokenizer in a composed text, as `nltk.word_tokenize` by sentences."""
    tokenizer, composed = load_tokenizer(), compose(text).text
    return tuple(word for start, end in find_sentences(composed) for word in tokenizer.tokenize(composed[start:end]))


@cache
def load_tokenizer() -> Any:
    """Load NLTK's tokenizer of words, which needs no data."""
    from nltk.tokenize.destructive import NLTKWordTokenizer

    return NLTKWordTokenizer()


def explain(example: Example, counted: Sequence[int]) -> MatchedEvidence:
    """Show the stretches of words that were matched in the references that make the value."""
    words = find_words(example.candidate)
    ours = place_words(example.candidate, words)
    matches: list[TextMatch] = []
    stretches = []
    for index in counted:
        reference = find_words(example.references[index])
        theirs = place_words(example.references[index], reference)
        chunks = find_chunks(words, reference)
        matched = f"{sum(map(len, chunks))} of {format_count(len(words), 'word')} matched"
        stretches.append(f"{matched} in {format_count(len(chunks), 'stretch', 'stretches')}")
        for chunk in chunks:
            own, other = cover(ours[position] for position, _ in chunk), cover(theirs[two] for _, two in chunk)
            if own and other:
                matches.append(TextMatch(own, other, None if example.against == SOURCE else index))
    return MatchedEvidence(tuple(matches), "; ".join(stretches))


def find_chunks(words: Sequence[str], reference: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Return the pairs of matched words by their indices, those together that follow each other in both texts."""
    from nltk.translate.meteor_score import align_words

    chunks: list[list[tuple[int, int]]] = []
    for position, two in align_words(words, reference)[0]:
        if chunks and chunks[-1][-1] == (position - 1, two - 1):
            chunks[-1].append((position, two))
        else:
            chunks.append([(position, two)])
    return chunks


def cover(places: Iterable[Span | None]) -> Span | None:
    """Return the span from the first to the last of some places, as far as these are known."""
    known = [place for place in places if place is not None]
    return (known[0][0], known[-1][1]) if known else None


METEOR = MetricKind(
    "meteor",
    "METEOR",
    "words that match exactly, by stem or as synonyms of WordNet, and their order, by NLTK",
    make=Meteor,
    options=ReferenceOptions,
    options_of=lambda settings: {"references": settings["refs"]},
    evidence=MatchedEvidence,
    renderer="matched",
    source="Lavie and Agarwal (2007). METEOR: An Automatic Metric for MT Evaluation with High Levels of Correlation "
    "with Human Judgments. WMT",
)
