"""ROUGE-1, -2, -L and -SU4 (Lin 2004); all but the last equal the `rouge-score` package with its stemmer.

The values are computed here because this code dominates the run time: each distinct text is tokenised and stemmed once,
n-grams are compared as sets, and longest common subsequences are found with bit operations, a word of the sentence a
bit.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.data.records import Example
from relevance.data.signatures import signature
from relevance.metrics.base import REFERENCES, VERSION, Score, asked_references, check_option, set_against
from relevance.metrics.kind import MetricKind, option
from relevance.metrics.languages import ENGLISH, LANGUAGES, language_option, settings_of
from relevance.metrics.text import CACHED_TEXTS, Reading, Span, rouge_spans, rouge_words

TOKENIZERS = {"ascii": "a-z0-9", "unicode": "unicode", "spaces": "spaces"}
STEMMERS = ("default", "none")
CASES = ("lower", "keep")
VALUES = ("f1", "precision", "recall")
REFERENCE_RULES = (*REFERENCES, "pooled")
"""The ways to combine the values against several references; `pooled` divides sums over all of them (Lin 2004, section
2)."""
COUNTS = ("clipped", "set")
"""The counts of repeated units: as often as both texts have them, or once."""

GAP = 4
"""The largest number of words between the two of a skip-bigram of ROUGE-SU4."""


class Match(NamedTuple):
    """A matched unit (an n-gram, a skip-bigram or a word) in both texts, from its first word to its last."""

    candidate: Span
    reference: Span


class RougeComparison(NamedTuple):
    """A candidate against one reference."""

    reference: int
    """The index of the reference in the example."""
    matched: int
    """The number of units that both texts have, counted as often as both have them."""
    in_candidate: int
    """The number of units of the candidate."""
    in_reference: int
    """The number of units of the reference."""


class RougeEvidence(NamedTuple):
    """The units and comparisons behind a ROUGE value."""

    metric: str
    """The metric's name, such as `rouge1`."""
    compared: tuple[RougeComparison, ...]
    """The candidate against each reference that has tokens."""
    counted: tuple[int, ...]
    """The comparisons that make the value: the best one, all for `mean` and `pooled`, or the first."""
    matches: tuple[tuple[Match, ...], ...]
    """The matched units of each of `compared`."""
    left_out: tuple[int, ...]
    """Indices of the references without a token."""
    value: str
    """The score, one of `VALUES`."""
    rule: str
    """The rule that combines several references, one of `REFERENCE_RULES`."""


Counts = tuple[NDArray[np.integer[Any]], list[int], list[int]]
"""Matched units, shape (candidates, references); the units of each candidate; the units of each reference."""


def read_words(tokenizer: str, language: str, stemmer: str, case: str) -> Reading:
    """Return how words are read, by the options of ROUGE. Raises ValueError.

    If `language` is not English, words are those of `relevance.metrics.languages`, whatever the tokenizer. By `default`
    they are stemmed, by Porter's stemmer or that of the language.
    """
    check_option("tokenizer", tokenizer, TOKENIZERS)
    check_option("language", language, LANGUAGES)
    check_option("stemmer", stemmer, STEMMERS)
    check_option("case", case, CASES)
    if case == "keep" and stemmer != "none" and language != ENGLISH:
        raise ValueError(
            "stemmers of other languages than English make words lower-case: for case=keep take stemmer=none"
        )
    return Reading(tokenizer if language == ENGLISH else language, stemmer != "none", case == "keep")


def ratios(
    matched: NDArray[np.integer[Any]], in_candidate: Sequence[int], in_reference: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Compute F1, precision and recall, each of the shape of `matched`, as in `VALUES`; 0 if nothing matches."""
    precision = matched / np.maximum(in_candidate, 1)[:, None]
    recall = matched / np.maximum(in_reference, 1)[None, :]
    return 2 * precision * recall / np.where(matched > 0, precision + recall, 1), precision, recall


class Rouge:
    """The common part of all ROUGE metrics: references, tokens, missing scores. The value is in [0, 1].

    `value` is F1, precision (the share of the candidate's units that match) or recall (the share of the reference's);
    the other two are the score's parts. Of several references, the one with the highest value counts (`max`), the
    first, or the mean of all values; `pooled` divides the matches in all references by the units of all of them. By
    `source` the source is the reference: recall is the share of its units that the candidate has, and precision tells
    how extractive the candidate is. Words are read as `read_words` says.
    """

    def __init__(
        self,
        name: str,
        references: str,
        reading: Reading,
        value: str,
        counts: str = "clipped",
        **settings: str,
    ) -> None:
        check_option("references", references, REFERENCE_RULES)
        check_option("value", value, VALUES)
        check_option("counts", counts, COUNTS)
        self.name = name
        self.references = references
        self.reading = reading
        self.tokens = TOKENIZERS.get(reading.tokenizer, "unicode")
        self.value = value
        self.counts = counts
        words = settings_of(reading.tokenizer) if reading.tokenizer in LANGUAGES else {"stem": "porter"}
        self.signature = signature(
            name,
            VERSION,
            refs=references,
            case="keep" if reading.keeps_case else "lower",
            tok=self.tokens,
            **(words if reading.stems else words | {"stem": "none"}),
            **({"counts": counts} if counts != "clipped" else {}),
            **settings,
            value=value,
        )

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score a batch; this is fastest if the examples of a document follow each other."""
        scores: list[Score] = []
        compared = set_against(examples, self.references)
        for references, group in groupby(compared, key=lambda example: example.references):
            scores.extend(self.score_together(list(group), [references[index] for index in self.scorable(references)]))
        return scores

    def scorable(self, references: Sequence[str]) -> list[int]:
        """Return the indices of the references that have tokens, among the first one only if the rule is `first`."""
        counted = references[:1] if self.references == "first" else references
        return [index for index, text in enumerate(counted) if rouge_words(text, self.reading)]

    def score_together(self, examples: Sequence[Example], references: Sequence[str]) -> Iterator[Score]:
        """Score candidates of one document against its references, which all have tokens."""
        shape = (len(examples), 3)
        chosen = self.chosen_figures(examples, references) if references else np.full(shape, np.nan)  # never shown
        for example, figures in zip(examples, chosen.tolist(), strict=True):
            if not rouge_words(example.candidate, self.reading):
                yield Score(None, f"the summary has no token ({self.tokens})")
            elif not references:
                lacking = f"no {example.against} with a token ({self.tokens})"
                yield Score(None, lacking if example.references else f"there is no {example.against}")
            else:
                parts = dict(zip(VALUES, figures, strict=True))
                yield Score(parts.pop(self.value), parts=parts, explain=partial(self.evidence, example))

    def chosen_figures(self, examples: Sequence[Example], references: Sequence[str]) -> NDArray[np.float64]:
        """Return the `VALUES` of each example, a row each: of its best reference, the mean over all, or all pooled."""
        matched, ours, theirs = self.count([example.candidate for example in examples], references)
        if self.references == "pooled":
            pooled = matched.sum(axis=1, keepdims=True), [len(theirs) * size for size in ours], [sum(theirs)]
            return np.stack(ratios(*pooled), axis=-1)[:, 0]
        figures = np.stack(ratios(matched, ours, theirs), axis=-1)
        if self.references == "mean":
            return np.asarray(figures.mean(axis=1))
        best = figures[:, :, VALUES.index(self.value)].argmax(axis=1)  # the first of equals, as rouge-score takes it
        return np.asarray(figures[np.arange(len(examples)), best])

    def evidence(self, example: Example) -> RougeEvidence:
        """Return the comparisons behind a score, with every match in character offsets."""
        kept = self.scorable(example.references)
        references = [example.references[index] for index in kept]
        matched, (in_candidate,), in_reference = self.count([example.candidate], references)
        best = int(ratios(matched, [in_candidate], in_reference)[VALUES.index(self.value)][0].argmax())
        count = len(asked_references(example, self.references))
        return RougeEvidence(
            metric=self.name,
            compared=tuple(
                RougeComparison(index, int(common), in_candidate, size)
                for index, common, size in zip(kept, matched[0], in_reference, strict=True)
            ),
            counted=tuple(range(len(kept))) if self.references in ("mean", "pooled") else (best,),
            matches=tuple(tuple(self.matches(example.candidate, reference)) for reference in references),
            left_out=tuple(index for index in range(count) if index not in kept),
            value=self.value,
            rule=self.references,
        )

    def count(self, candidates: Sequence[str], references: Sequence[str]) -> Counts:
        """Count the units that every candidate shares with every reference, and the units of each text."""
        raise NotImplementedError

    def matches(self, candidate: str, reference: str) -> Iterator[Match]:
        """Yield the matched units of a candidate and a reference."""
        raise NotImplementedError


class Overlap(Rouge):
    """Overlap of units such as n-grams, each counted as often as both texts have it; once with `counts="set"`."""

    def units(self, text: str) -> Iterator[tuple[str, Span]]:
        """Yield each unit of a text in order, its words joined by a space, with its span from first word to last."""
        raise NotImplementedError

    def numbered(self, text: str) -> frozenset[str]:
        """Return a text's units as a set, with repeated ones numbered (`number_repeats`) unless they count once."""
        raise NotImplementedError

    def count(self, candidates: Sequence[str], references: Sequence[str]) -> Counts:
        """Count as in `Rouge`."""
        ours, theirs = (list(map(self.numbered, texts)) for texts in (candidates, references))
        matched = np.array([[len(our & other) for other in theirs] for our in ours])
        return matched, list(map(len, ours)), list(map(len, theirs))

    def matches(self, candidate: str, reference: str) -> Iterator[Match]:
        """Pair the units' occurrences from the left."""
        waiting = defaultdict(list)
        for unit, span in self.units(reference):
            waiting[unit].append(span)
        for spans in waiting.values():
            spans.reverse()
            if self.counts == "set":
                del spans[:-1]
        for unit, span in self.units(candidate):
            if waiting[unit]:
                yield Match(span, waiting[unit].pop())


class RougeN(Overlap):
    """Overlap of n-grams.

    Recall with `references="pooled"` and `counts="set"` is the ROUGE-N of Dobko et al. (2018, section "ROUGE"), whose
    texts are binary vectors of n-grams.
    """

    def __init__(
        self,
        n: int,
        references: str = "max",
        tokenizer: str = "ascii",
        value: str = "f1",
        counts: str = "clipped",
        language: str = ENGLISH,
        stemmer: str = "default",
        case: str = "lower",
    ) -> None:
        super().__init__(f"rouge{n}", references, read_words(tokenizer, language, stemmer, case), value, counts)
        self.n = n

    def units(self, text: str) -> Iterator[tuple[str, Span]]:
        """Yield units as in `Overlap`."""
        spans = rouge_spans(text, self.reading)
        for start, ngram in enumerate(ngrams(rouge_words(text, self.reading), self.n)):
            yield ngram, (spans[start][0], spans[start + self.n - 1][1])

    def numbered(self, text: str) -> frozenset[str]:
        """Return units as in `Overlap`."""
        return numbered_ngrams(text, self.n, self.reading, self.counts == "set")


class RougeSU4(Overlap):
    """Overlap of single words and of skip-bigrams: pairs of words in order, with up to four words between them.

    Lin 2004, section 5 and the options `-2 4 -u` of ROUGE-1.5.5; pairs reach across the ends of sentences, as there.
    """

    def __init__(
        self,
        references: str = "max",
        tokenizer: str = "ascii",
        value: str = "f1",
        counts: str = "clipped",
        language: str = ENGLISH,
        stemmer: str = "default",
        case: str = "lower",
    ) -> None:
        super().__init__("rougeSU4", references, read_words(tokenizer, language, stemmer, case), value, counts)

    def units(self, text: str) -> Iterator[tuple[str, Span]]:
        """Yield units as in `Overlap`: the words first, then the pairs."""
        words, spans = rouge_words(text, self.reading), rouge_spans(text, self.reading)
        yield from zip(words, spans, strict=True)
        for first in range(len(words)):
            for second in range(first + 1, min(len(words), first + GAP + 2)):
                yield f"{words[first]} {words[second]}", (spans[first][0], spans[second][1])

    def numbered(self, text: str) -> frozenset[str]:
        """Return units as in `Overlap`."""
        return numbered_skip_bigrams(text, self.reading, self.counts == "set")


def ngrams(words: Sequence[str], n: int) -> Sequence[str]:
    """Return the n-grams of a token sequence, their tokens joined by a space."""
    return words if n == 1 else list(map(" ".join, zip(*(words[start:] for start in range(n)), strict=False)))


@lru_cache(CACHED_TEXTS)
def numbered_ngrams(text: str, n: int, reading: Reading, once: bool = False) -> frozenset[str]:
    """Return a text's n-grams as by `number_repeats`, or each once with `once`."""
    units = ngrams(rouge_words(text, reading), n)
    return frozenset(units) if once else number_repeats(units)


@lru_cache(CACHED_TEXTS)
def numbered_skip_bigrams(text: str, reading: Reading, once: bool = False) -> frozenset[str]:
    """Return a text's words and skip-bigrams as by `number_repeats`, or each once with `once`."""
    words = rouge_words(text, reading)
    # The words one, two, ... five places further on.
    pairs = (zip(words, words[step:], strict=False) for step in range(1, GAP + 2))
    units = [*words, *map(" ".join, chain.from_iterable(pairs))]
    return frozenset(units) if once else number_repeats(units)


def number_repeats(units: Iterable[str]) -> frozenset[str]:
    """Return units as a set, repeated ones numbered, so that a set intersection counts clipped matches.

    The k-th occurrence of a unit in one text meets the k-th in the other: both sets share exactly min(count, count) of
    its occurrences. No token has a line break, so that no number makes it another unit.
    """
    counts = Counter(units)
    repeated = [f"{unit}\n{k}" for unit, count in counts.items() if count > 1 for k in range(2, count + 1)]
    return frozenset(counts).union(repeated)


class RougeL(Rouge):
    """Longest common subsequence of the whole texts' tokens; `RougeLsum` goes sentence by sentence."""

    def __init__(
        self,
        references: str = "max",
        tokenizer: str = "ascii",
        value: str = "f1",
        language: str = ENGLISH,
        stemmer: str = "default",
        case: str = "lower",
    ) -> None:
        super().__init__("rougeL", references, read_words(tokenizer, language, stemmer, case), value)

    def count(self, candidates: Sequence[str], references: Sequence[str]) -> Counts:
        """Count as in `Rouge`. Tokens become characters of strings, on which rapidfuzz is fastest."""
        from rapidfuzz.distance import LCSseq
        from rapidfuzz.process import cdist

        letters: dict[str, str] = {}

        def spelled(text: str) -> str:
            words = rouge_words(text, self.reading)
            return "".join([letters.setdefault(word, chr(len(letters))) for word in words])

        ours, theirs = ([spelled(text) for text in texts] for texts in (candidates, references))
        return cdist(ours, theirs, scorer=LCSseq.similarity), list(map(len, ours)), list(map(len, theirs))

    def matches(self, candidate: str, reference: str) -> Iterator[Match]:
        """Yield the words of one longest common subsequence."""
        from rapidfuzz.distance import LCSseq

        ours, theirs = (rouge_words(text, self.reading) for text in (candidate, reference))
        our_spans, their_spans = (rouge_spans(text, self.reading) for text in (candidate, reference))
        for code in LCSseq.opcodes(ours, theirs):
            if code.tag == "equal":
                for offset in range(code.src_end - code.src_start):
                    yield Match(our_spans[code.src_start + offset], their_spans[code.dest_start + offset])


# --- the metrics as they are chosen -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class RougeOptions:
    """Options of every ROUGE: see `Rouge`."""

    references: str = option(
        "max",
        "How the scores against several references are combined; source: set each summary against its source instead, "
        "the default where no document has a reference. ROUGE only: pooled divides sums over all of them. APES: first "
        "asks the questions of the first reference only.",
        choices=REFERENCE_RULES,
    )
    tokenizer: str = option(
        "ascii",
        "Words that ROUGE reads: runs of a-z0-9, as is usual, words of any script, or what stands between spaces and "
        "full stops.",
        choices=TOKENIZERS,
    )
    value: str = option(
        "f1",
        "ROUGE: F1, precision (the share of the summary's units that match; against a source, how extractive it is), "
        "or recall (of the reference's or the source's).",
        choices=VALUES,
    )
    language: str = language_option()
    stemmer: str = option(
        "default",
        "Endings that ROUGE removes: by Porter's stemmer or that of the language; or none, as rouge-score does unless "
        "asked.",
        choices=STEMMERS,
    )
    case: str = option("lower", "ROUGE: compare words in lower case, or keep capitals.", choices=CASES)


@dataclass(frozen=True)
class OverlapOptions(RougeOptions):
    """Options of the metrics whose units can be repeated: see `Overlap`."""

    counts: str = option(
        "clipped",
        "ROUGE-1, -2, -SU4, -Lsum: count repeated units as often as both texts have them, or once.",
        choices=COUNTS,
    )


PRESETS: Mapping[str, Mapping[str, str]] = {
    "rouge-score": {"stemmer": "none"},
    "rouge": {"tokenizer": "spaces", "stemmer": "none", "case": "keep", "counts": "set", "lsum_sentences": "stops"},
}
"""The options by which ROUGE is that of other libraries: `rouge-score` where its stemmer is not asked for, as Hugging
Face's `evaluate` takes it, and pltrdy's `rouge` 1.0, whose ROUGE-L is ROUGE-Lsum here."""


def options_of(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the options of a signature's settings."""
    (tokenizer,) = (name for name, shown in TOKENIZERS.items() if shown == settings["tok"])
    return {
        "references": settings["refs"],
        "tokenizer": tokenizer,
        "value": settings["value"],
        "counts": settings.get("counts", "clipped"),
        "language": settings.get("lang", ENGLISH),
        "stemmer": "none" if settings["stem"] == "none" else "default",
        "case": settings["case"],
    }


ROUGE_1 = MetricKind(
    "rouge1",
    "ROUGE-1",
    "F1 of unigrams",
    make=partial(RougeN, 1),
    options=OverlapOptions,
    options_of=options_of,
    evidence=RougeEvidence,
    renderer="rouge",
    by_default=True,
    source="Lin (2004). ROUGE: A Package for Automatic Evaluation of Summaries. Text Summarization Branches Out",
)

ROUGE_2 = replace(ROUGE_1, name="rouge2", label="ROUGE-2", about="F1 of bigrams", make=partial(RougeN, 2))

ROUGE_L = replace(
    ROUGE_1,
    name="rougeL",
    label="ROUGE-L",
    about="F1 of the longest common subsequence",
    make=RougeL,
    options=RougeOptions,
)

ROUGE_SU4 = replace(
    ROUGE_1,
    name="rougeSU4",
    label="ROUGE-SU4",
    about="F1 of words and of pairs of words with at most four between them",
    make=RougeSU4,
    by_default=False,
)
