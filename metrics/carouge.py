"""CAROUGE: the similarity of a summary's n-grams to the important ones, by word vectors.

Dobko, Zaytsev, Pryima (2018), Automatic Summarization of Scientific Texts, section "CAROUGE" (continuous abstractive
ROUGE), and its code: github.com/Carouge/TextSummarization, src/models/carouge.py. The paper's words, its formula and
its code are three definitions; the one in words is the default. It lower-cases words, and leaves out those without a
vector.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import accumulate, chain, groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.data.records import SOURCE, Example
from relevance.data.signatures import signature
from relevance.metrics.base import REFERENCES, VERSION, Score, asked_references, check_option, round_model_value
from relevance.metrics.composing import compose
from relevance.metrics.keywords.extractors import Rarity
from relevance.metrics.keywords.overlap import STOP_WORDS
from relevance.metrics.kind import MetricKind, option
from relevance.metrics.models.vectors import EncoderVectors, FileVectors, WordVectors
from relevance.metrics.text import CACHED_TEXTS, UNICODE, Span, Tokens, find_tokens

NORMS = ("summary", "reference", "paper")

CASED_WORD = re.compile(r"\w+")
"""A word by the published code."""

LONGEST = 4
"""The number of words of the longest n-gram."""

OF_SOURCE = "tfidf:20"
"""The important n-grams with `references="source"`, unless others are asked for."""

ROWS = 1024
"""The number of n-grams compared at once: the matrix of similarities stays small however long the texts are."""

# Rough on purpose: a sentence cut in two after "Mr." hardly changes an inverse document frequency, and no library's
# rules need to be part of the signature.
SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")

Words = tuple[str, ...]


class Ngram(NamedTuple):
    """An n-gram of a text: its words, and the span of each."""

    words: Words
    spans: tuple[Span, ...]

    @property
    def span(self) -> Span:
        """The span from the first word to the last."""
        return self.spans[0][0], self.spans[-1][1]


class Nearest(NamedTuple):
    """An n-gram of the candidate and the important n-gram closest to it, the first of equals."""

    candidate: Span
    important: Span
    """The first place of the important n-gram in the reference or the source."""
    words: str
    """The important n-gram, its words joined by a space."""
    similarity: float
    """1 - cosine distance / 2, in [0, 1]."""


class CarougeComparison(NamedTuple):
    """The comparison of a candidate with the important n-grams of one text."""

    reference: int | None
    """The index of the reference in the example; None for the source."""
    important: int
    """The number of its important n-grams that have a vector: k."""
    nearest: tuple[Nearest, ...]
    """The nearest important n-gram of each n-gram of the candidate that has a vector."""
    unknown: tuple[Span, ...]
    """The words of the important n-grams that have no vector."""


class CarougeEvidence(NamedTuple):
    """The comparisons behind a CAROUGE value.

    A comparison's score is the sum of its similarities, divided by their number (`summary`), by `important`
    (`reference`) or by both (`paper`); the value is the mean of those that are `counted`.
    """

    norm: str
    compared: tuple[CarougeComparison, ...]
    """The comparisons with each reference that has vectors, or with the source."""
    counted: tuple[int, ...]
    """The indices of the comparisons in the mean: the best one, all for `mean`, the first, or the source."""
    unknown: tuple[Span, ...]
    """The candidate's words without a vector."""
    left_out: tuple[int, ...]
    """The indices of the references without a vector."""


class Space(NamedTuple):
    """Distinct n-grams as points."""

    rows: dict[Words, int]
    """The row of each n-gram that has a vector."""
    points: NDArray[np.float64]
    """A row for each n-gram: a unit vector for cosines, otherwise the mean of the words' vectors."""
    unknown: frozenset[str]

    def located(self, ngrams: Iterable[Ngram]) -> list[Ngram]:
        """Return the n-grams that have a vector."""
        return [ngram for ngram in ngrams if ngram.words in self.rows]

    def places(self, ngrams: Iterable[Ngram]) -> list[int]:
        """Return the rows of n-grams that have a vector."""
        return [self.rows[ngram.words] for ngram in ngrams]

    def unknown_words(self, ngrams: Iterable[Ngram]) -> tuple[Span, ...]:
        """Return the spans of the words without a vector."""
        words = {place for ngram in ngrams for place in zip(ngram.spans, ngram.words, strict=True)}
        return tuple(sorted(span for span, word in words if word in self.unknown))


class Carouge:
    """The mean similarity of a summary's n-grams to the nearest important n-gram; in [0, 1] with `norm="summary"`.

    Two n-grams have the similarity 1 - cosine distance / 2, in [0, 1]; the vector of an n-gram is the mean of its
    words' vectors. Words are runs of letters and digits, lower-cased; function words count like all others, as in the
    published code. N-grams are counted with repetition ("the average score of its words"). A word without a vector is
    left out of the mean; an n-gram of such words only, or whose vectors cancel out, is left out altogether.

    With m n-grams in the summary and k important ones, both counted with repetition:

    - `norm="summary"`: the sum of the similarities / m, the average that the paper describes.
    - `norm="reference"`: the sum / k, the published code. It may exceed 1 if the summary is longer. As there, words
      keep their case, and those without a vector all have that of the word `unk`, so that two of them are alike; they
      are left out if the vectors lack that word.
    - `norm="paper"`: the sum / (m k), the formula as printed, where m is written `n`; it falls with the reference's
      length. Here the similarity is 1 - Euclidean distance, at most 1 and mostly below 0.

    The important n-grams are

    - `important="references"`: all those of a reference. The candidate is scored against each reference that has a
      vector; `references` combines these scores: `max`, `mean`, or `first`, which uses the first reference only. By
      `source`, important n-grams are those of the source, by `OF_SOURCE` if no other are named.
    - `important="tfidf:K"`: the K distinct n-grams of the source with the largest tf * idf, fewer if it has fewer; idf
      = ln((1 + S) / (1 + s)) + 1 if s of the source's S sentences have the n-gram. No other document has an influence,
      so that a score can be repeated, and a source of one sentence is ranked by frequency alone. With `idf`, the texts
      of a collection, S is their number, and s the number of those that have the n-gram. N-grams that begin or end with
      an English function word are not chosen, as frequency alone would choose them first. Equals are taken in the order
      of the text.

    A score's parts are `ngrams`, which is m, and `important`, k (with `references="mean"` its mean).
    """

    name = "carouge"

    def __init__(
        self,
        norm: str = "summary",
        n: int = 1,
        important: str | None = None,
        references: str = "max",
        vectors: WordVectors | None = None,
        idf: Sequence[str] | None = None,
    ) -> None:
        check_option("norm", norm, NORMS)
        check_option("n", n, range(1, LONGEST + 1))
        check_option("references of CAROUGE", references, REFERENCES)
        self.norm = norm
        self.n = n
        if important is None:
            important = OF_SOURCE if references == SOURCE else "references"
        self.best = how_many(important)
        if references == SOURCE and self.best is None:
            raise ValueError("important n-grams of a source are tfidf:K, with K from 1")
        self.references = references
        self.vectors = EncoderVectors() if vectors is None else vectors
        self.cased, self.stand_in = norm == "reference", self.vectors.stand_in if norm == "reference" else None
        self.euclidean = norm == "paper"
        self.corpus = None if idf is None or self.best is None else tuple(idf)
        further: dict[str, object] = {}
        if self.best is None or references == SOURCE:  # else a source's n-grams need no reference
            further["refs"] = references
        if self.corpus is not None:
            further["idf"] = hashlib.sha256(json.dumps(self.corpus).encode()).hexdigest()[:8]
        if self.cased:
            further |= {"case": "kept", "unknown": self.stand_in or "out"}
        if self.euclidean:
            further["distance"] = "euclidean"
        self.signature = signature(
            self.name,
            VERSION,
            norm=norm,
            n=n,
            important=important.replace(":", ""),
            **further,
            vectors=self.vectors.signature,
        )

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score a batch; this is fastest if the examples of a document follow each other."""
        scores: list[Score] = []
        self.vectors.vectors(self.words(examples))  # all at once: few words take an encoder as long as many
        for _, group in groupby(examples, key=lambda e: e.references if self.best is None else e.source):
            scores.extend(self.score_together(list(group)))
        return scores

    def words(self, examples: Iterable[Example]) -> list[str]:
        """Return the distinct words that examples need vectors of."""
        texts = dict.fromkeys(example.candidate for example in examples)
        if self.best is None:
            texts |= dict.fromkeys(text for example in examples for text in asked_references(example, self.references))
        return list(dict.fromkeys(word for text in texts for word in tokenize_words(text, self.cased).words))

    def score_together(self, examples: Sequence[Example]) -> Iterator[Score]:
        """Score candidates against the same important n-grams."""
        phrases = self.important(examples[0])
        theirs = self.space(chain.from_iterable(phrases))
        important = [located for ngrams in phrases if (located := theirs.located(ngrams))]
        candidates = [self.ngrams(example.candidate) for example in examples]
        ours = self.space(chain.from_iterable(candidates))
        best = nearest_similarities(ours, theirs, important, self.euclidean)
        sizes = np.array(list(map(len, important)))
        for example, ngrams in zip(examples, candidates, strict=True):
            rows = ours.places(ours.located(ngrams))
            if reason := self.why_missing(example, bool(rows), bool(important)):
                yield Score(None, reason)
                continue
            divisor = {"summary": len(rows), "reference": sizes, "paper": len(rows) * sizes}[self.norm]
            values = best[rows].sum(axis=0) / divisor
            counted = self.counted(values)
            yield Score(
                round_model_value(float(values[counted].mean())),
                parts={"ngrams": len(rows), "important": float(sizes[counted].mean())},
                explain=partial(self.evidence, example, counted),
            )

    def important(self, example: Example) -> list[Sequence[Ngram]]:
        """Return the important n-grams of each reference that counts, or of the source."""
        if self.best is not None:
            return [top_ngrams(example.source, self.n, self.best, self.cased, self.rarity)]
        return [self.ngrams(text) for text in asked_references(example, self.references)]

    def ngrams(self, text: str) -> list[Ngram]:
        """Return a text's n-grams in order."""
        return ngrams_of(text, self.n, self.cased)

    def space(self, ngrams: Iterable[Ngram]) -> Space:
        """Return the distinct n-grams as points."""
        return space(ngrams, self.vectors, self.stand_in, euclidean=self.euclidean)

    @cached_property
    def rarity(self) -> Rarity | None:
        """The number of texts of the collection that have each n-gram; None without a collection."""
        if self.corpus is None:
            return None
        return count_rarity(self.ngrams(text) for text in self.corpus)

    def counted(self, values: NDArray[np.float64]) -> list[int]:
        """Return the indices of the comparisons in the mean that makes the value."""
        return list(range(len(values))) if self.references == "mean" else [int(values.argmax())]

    def why_missing(self, example: Example, ours: bool, theirs: bool) -> str | None:
        """Return the reason if the candidate, or what it is compared with, has no n-gram with a vector."""
        unit = "word" if self.n == 1 else f"{self.n}-gram"
        if not ours:
            return f"the summary has no {unit} with a vector"
        if theirs:
            return None
        if self.best is None:
            return f"no reference has a {unit} with a vector"
        return f"the source has no important {unit} with a vector" if example.source.strip() else "there is no source"

    def evidence(self, example: Example, counted: Sequence[int]) -> CarougeEvidence:
        """Return the nearest important n-gram of each n-gram of the candidate."""
        ngrams = self.ngrams(example.candidate)
        ours = self.space(ngrams)
        compared, left_out = [], []
        for index, phrases in enumerate(self.important(example)):
            theirs = self.space(phrases)
            important = theirs.located(phrases)
            if important:
                nearest = tuple(nearest_ngrams(ours.located(ngrams), ours, important, theirs, self.euclidean))
                reference = index if self.best is None else None
                compared.append(CarougeComparison(reference, len(important), nearest, theirs.unknown_words(phrases)))
            else:
                left_out.append(index)
        unknown = ours.unknown_words(ngrams)
        return CarougeEvidence(self.norm, tuple(compared), tuple(counted), unknown, tuple(left_out))


def how_many(important: str) -> int | None:
    """Return the number of important n-grams of the source; None if those of the references are important."""
    if important == "references":
        return None
    if match := re.fullmatch(r"tfidf:([1-9][0-9]*)", important):
        return int(match[1])
    raise ValueError(f"important must be references or tfidf:K with K from 1, not {important!r}")


@lru_cache(CACHED_TEXTS)
def tokenize_words(text: str, cased: bool = False) -> Tokens:
    """Return a text's words, lower-cased; if `cased`, those of the published code."""
    if not cased:
        return find_tokens(UNICODE, text)
    composed = compose(text)
    matches = list(CASED_WORD.finditer(composed.text))
    spans = tuple(composed.span(*match.span()) for match in matches)
    return Tokens(tuple(match.group() for match in matches), spans)


def ngrams_of(text: str, n: int, cased: bool = False, start: int = 0) -> list[Ngram]:
    """Return a text's n-grams in order, with `start` added to their places."""
    words, spans = tokenize_words(text, cased)
    if start:
        spans = tuple((start + first, start + last) for first, last in spans)
    return [Ngram(words[i : i + n], spans[i : i + n]) for i in range(len(words) - n + 1)]


def top_ngrams(source: str, n: int, best: int, cased: bool = False, rare: Rarity | None = None) -> list[Ngram]:
    """Return the `best` n-grams of a source by tf * idf, at their first places; see `Carouge`."""
    cuts = [0, *(match.end() for match in SENTENCE_END.finditer(source)), len(source)]
    sentences = [ngrams_of(source[start:end], n, cased, start) for start, end in pairwise(cuts)]
    sentences = [sentence for sentence in sentences if sentence]
    first: dict[Words, Ngram] = {}
    for sentence in sentences:
        for ngram in sentence:
            if STOP_WORDS.isdisjoint((ngram.words[0].lower(), ngram.words[-1].lower())):
                first.setdefault(ngram.words, ngram)
    frequency = Counter(ngram.words for sentence in sentences for ngram in sentence)
    rare = count_rarity(sentences) if rare is None else rare
    weight = {words: frequency[words] * rare.idf(words) for words in first}
    return [first[words] for words in sorted(first, key=lambda words: -weight[words])[:best]]


def count_rarity(texts: Iterable[Iterable[Ngram]]) -> Rarity:
    """Count the texts that have each n-gram."""
    sets = [{ngram.words for ngram in ngrams} for ngrams in texts]
    return Rarity(len(sets), Counter(chain.from_iterable(sets)))


def space(
    ngrams: Iterable[Ngram], vectors: WordVectors, stand_in: str | None = None, *, euclidean: bool = False
) -> Space:
    """Return the distinct n-grams as points, by first place; unknown words have the vector of `stand_in`."""
    distinct = list(dict.fromkeys(ngram.words for ngram in ngrams))
    words = list(dict.fromkeys(word for ngram in distinct for word in ngram))
    if not words:
        return Space({}, np.empty((0, vectors.dimension)), frozenset())
    matrix, known = vectors.vectors(words)
    if stand_in is not None:
        matrix[~known], known[:] = vectors.vectors([stand_in])[0], True
    row = {word: place for place, word in enumerate(words)}
    rows = [[row[word] for word in ngram] for ngram in distinct]
    sums = np.where(known[:, None], matrix, 0).astype(np.float64)[rows].sum(axis=1)
    # The sum of the known words' vectors has the direction of their mean, and cosines need nothing else.
    divisors = known[rows].sum(axis=1) if euclidean else np.linalg.norm(sums, axis=1)
    kept = np.flatnonzero(divisors > 1e-9)
    return Space(
        {distinct[place]: index for index, place in enumerate(kept.tolist())},
        sums[kept] / divisors[kept, None],
        frozenset(word for word, is_known in zip(words, known.tolist(), strict=True) if not is_known),
    )


def blocks(ours: Space, theirs: Space, important: Iterable[Ngram], euclidean: bool) -> Iterator[NDArray[np.float64]]:
    """Yield the similarities of our n-grams (rows) to the important ones (columns), `ROWS` rows at once."""
    from scipy.spatial.distance import cdist

    columns = theirs.places(important)
    for start in range(0, len(ours.points), ROWS):
        some = ours.points[start : start + ROWS]
        if euclidean:
            yield (1 - cdist(some, theirs.points))[:, columns]
        else:
            yield ((1 + np.clip(some @ theirs.points.T, -1, 1)) / 2)[:, columns]


def nearest_similarities(
    ours: Space, theirs: Space, important: Sequence[Sequence[Ngram]], euclidean: bool
) -> NDArray[np.float64]:
    """Return the similarities of our n-grams (rows) to the nearest important one of each text (columns)."""
    if not ours.rows or not important:
        return np.empty((len(ours.rows), len(important)))
    starts = [0, *accumulate(map(len, important[:-1]))]
    together = list(chain.from_iterable(important))
    similar = blocks(ours, theirs, together, euclidean)
    return np.concatenate([np.maximum.reduceat(block, starts, axis=1) for block in similar])


def nearest_ngrams(
    candidate: Sequence[Ngram], ours: Space, important: Sequence[Ngram], theirs: Space, euclidean: bool
) -> Iterator[Nearest]:
    """Yield the important n-gram that is closest to each of the candidate's."""
    closest = [
        (important[place], similarity)
        for block in blocks(ours, theirs, important, euclidean)
        for place, similarity in zip(block.argmax(axis=1).tolist(), block.max(axis=1).tolist(), strict=True)
    ]
    for ngram, row in zip(candidate, ours.places(candidate), strict=True):
        nearest, similarity = closest[row]
        yield Nearest(ngram.span, nearest.span, " ".join(nearest.words), similarity)


@dataclass(frozen=True)
class CarougeOptions:
    """Options of CAROUGE: see `Carouge`."""

    references: str = "max"
    idf: tuple[str, ...] | None = None
    norm: str = option(
        "summary",
        "CAROUGE: divide the sum of similarities by the n-grams of the summary, of the reference, or by both (paper).",
        choices=NORMS,
    )
    n: int = option(1, "CAROUGE: number of words of an n-gram.", flag="--ngram", given_as=int, least=1, most=LONGEST)
    important: str | None = option(
        None,
        "Important n-grams of CAROUGE: all of the references, or tfidf:K, the K best of the source.  [default: "
        f"references; with --references source {OF_SOURCE}]",
    )
    vectors: Path | None = option(None, "CAROUGE: word vectors, a GloVe or word2vec text file.", given_as=Path)


def make_carouge(*, vectors: Path | None, **options: Any) -> Carouge:
    """Make CAROUGE with the vectors of a file, or with those of the encoder."""
    return Carouge(**options, vectors=FileVectors(vectors) if vectors else None)


def options_of(settings: Mapping[str, str]) -> dict[str, Any]:
    """Return the options of a signature's settings. Raises ValueError."""
    return {
        "references": settings.get("refs", "max"),
        "norm": settings["norm"],
        "n": int(settings["n"]),
        "important": settings["important"].replace("tfidf", "tfidf:", 1),
    }


CAROUGE = MetricKind(
    "carouge",
    "CAROUGE",
    "mean similarity of the summary's words to the nearest important ones, by word vectors",
    make=make_carouge,
    options=CarougeOptions,
    options_of=options_of,
    evidence=CarougeEvidence,
    renderer="carouge",
    needs_model=True,
    source="Dobko, Zaytsev, Pryima (2018). Automatic Summarization of Scientific Texts",
)
