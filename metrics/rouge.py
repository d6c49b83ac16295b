"""ROUGE-1, -2, -L and -SU4 (Lin 2004), the first three equal to the `rouge-score` package with its stemmer.

The values are computed here because this is the hot path: each distinct text is tokenised and stemmed once, n-grams
are compared as sets, and longest common subsequences are found with as many bits at once as a sentence has words.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from data.records import Example
from data.signatures import signature
from metrics.base import REFERENCES, VERSION, Score, check_option
from metrics.kind import MetricKind, option
from metrics.languages import ENGLISH, LANGUAGES, language_option, settings_of
from metrics.text import CACHED_TEXTS, Span, rouge_spans, rouge_words

TOKENIZERS = {"ascii": "a-z0-9", "unicode": "unicode"}
VALUES = ("f1", "precision", "recall")
REFERENCE_RULES = (*REFERENCES, "pooled")
"""How several references become one value; `pooled` divides sums over all of them (Lin 2004, section 2)."""
COUNTS = ("clipped", "set")
"""How repeated units count: as often as both texts have them, or once."""

GAP = 4
"""Words that may stand between the two of a skip-bigram of ROUGE-SU4."""


class Match(NamedTuple):
    """One matched unit in both texts, from its first word to its last: an n-gram, a skip-bigram, a word."""

    candidate: Span
    reference: Span


class RougeComparison(NamedTuple):
    """A candidate against one reference."""

    reference: int
    """Index of the reference in the example."""
    matched: int
    """Units that both texts have, counted as often as both have them."""
    in_candidate: int
    """Units of the candidate."""
    in_reference: int
    """Units of the reference."""


class RougeEvidence(NamedTuple):
    """What a ROUGE value was counted from."""

    metric: str
    """Which ROUGE counted, such as `rouge1`."""
    compared: tuple[RougeComparison, ...]
    """The candidate against each reference that has tokens."""
    counted: tuple[int, ...]
    """Which of them the value is made of: the best one, all for `mean` and `pooled`, or the first."""
    matches: tuple[tuple[Match, ...], ...]
    """The matched units against each of `compared`."""
    left_out: tuple[int, ...]
    """Indices of the references without a token."""
    value: str
    """Which of `VALUES` the score is."""
    rule: str
    """Which of `REFERENCE_RULES` makes one value of several."""


Counts = tuple[NDArray[np.integer[Any]], list[int], list[int]]
"""Matched units, a row a candidate and a column a reference; units of each candidate; of each reference."""


def ratios(
    matched: NDArray[np.integer[Any]], in_candidate: Sequence[int], in_reference: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """F1, precision and recall, each of the shape of `matched`, as in `VALUES`; 0 where nothing matches."""
    precision = matched / np.maximum(in_candidate, 1)[:, None]
    recall = matched / np.maximum(in_reference, 1)[None, :]
    return 2 * precision * recall / np.where(matched > 0, precision + recall, 1), precision, recall


class Rouge:
    """What all have in common: references, tokens, missing scores. The value is in [0, 1].

    `value` is F1, precision (the share of the candidate's units that match) or recall (the share of the reference's);
    the other two are the score's parts. Of several references the one of the highest value counts (`max`), the first,
    or the mean of all values; `pooled` divides what all references match by what all of them have. In another
    `language` than English, words are those of `metrics.languages`, whatever the tokenizer.
    """

    def __init__(
        self,
        name: str,
        references: str,
        tokenizer: str,
        value: str,
        counts: str = "clipped",
        language: str = ENGLISH,
        **settings: str,
    ) -> None:
        check_option("references", references, REFERENCE_RULES)
        check_option("tokenizer", tokenizer, TOKENIZERS)
        check_option("value", value, VALUES)
        check_option("counts", counts, COUNTS)
        check_option("language", language, LANGUAGES)
        self.name = name
        self.references = references
        self.tokenizer = tokenizer if language == ENGLISH else language
        self.tokens = TOKENIZERS.get(self.tokenizer, "unicode")
        self.value = value
        self.counts = counts
        self.signature = signature(
            name,
            VERSION,
            refs=references,
            case="lower",
            tok=self.tokens,
            **({"stem": "porter"} if language == ENGLISH else settings_of(language)),
            **({"counts": counts} if counts != "clipped" else {}),
            **settings,
            value=value,
        )

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score a batch; examples of one document are fastest when they stand together."""
        scores: list[Score] = []
        for references, group in groupby(examples, key=lambda example: example.references):
            scores.extend(self.score_together(list(group), [references[index] for index in self.scorable(references)]))
        return scores

    def scorable(self, references: Sequence[str]) -> list[int]:
        """Indices of the references that have tokens (of the first one only, where that is asked)."""
        asked = references[:1] if self.references == "first" else references
        return [index for index, text in enumerate(asked) if rouge_words(text, self.tokenizer)]

    def score_together(self, examples: Sequence[Example], references: Sequence[str]) -> Iterator[Score]:
        """Score candidates of one document against its references, which all have tokens."""
        shape = (len(examples), 3)
        chosen = self.chosen_figures(examples, references) if references else np.full(shape, np.nan)  # never shown
        for example, figures in zip(examples, chosen.tolist(), strict=True):
            if not rouge_words(example.candidate, self.tokenizer):
                yield Score(None, f"the candidate has no token ({self.tokens})")
            elif not references:
                yield Score(None, f"no reference with a token ({self.tokens})")
            else:
                parts = dict(zip(VALUES, figures, strict=True))
                yield Score(parts.pop(self.value), parts=parts, explain=partial(self.evidence, example))

    def chosen_figures(self, examples: Sequence[Example], references: Sequence[str]) -> NDArray[np.float64]:
        """The `VALUES` of each example, a row each: of its best reference, the mean over all, or of all pooled."""
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
        """The comparisons behind a score, with every match in character offsets."""
        kept = self.scorable(example.references)
        references = [example.references[index] for index in kept]
        matched, (in_candidate,), in_reference = self.count([example.candidate], references)
        best = int(ratios(matched, [in_candidate], in_reference)[VALUES.index(self.value)][0].argmax())
        asked = 1 if self.references == "first" else len(example.references)
        return RougeEvidence(
            metric=self.name,
            compared=tuple(
                RougeComparison(index, int(common), in_candidate, size)
                for index, common, size in zip(kept, matched[0], in_reference, strict=True)
            ),
            counted=tuple(range(len(kept))) if self.references in ("mean", "pooled") else (best,),
            matches=tuple(tuple(self.matches(example.candidate, reference)) for reference in references),
            left_out=tuple(index for index in range(asked) if index not in kept),
            value=self.value,
            rule=self.references,
        )

    def count(self, candidates: Sequence[str], references: Sequence[str]) -> Counts:
        """Count the units that every candidate shares with every reference, and how many each text has."""
        raise NotImplementedError

    def matches(self, candidate: str, reference: str) -> Iterator[Match]:
        """The matched units of one comparison."""
        raise NotImplementedError


class Overlap(Rouge):
    """Overlap of units such as n-grams, each counted as often as both texts have it; once with `counts="set"`."""

    def units(self, text: str) -> Iterator[tuple[str, Span]]:
        """Each unit of a text in order, its words joined by a space, with the span from its first word to its last."""
        raise NotImplementedError

    def numbered(self, text: str) -> frozenset[str]:
        """A text's units as a set, repeated ones numbered where that matters: see `number_repeats`."""
        raise NotImplementedError

    def count(self, candidates: Sequence[str], references: Sequence[str]) -> Counts:
        """As in `Rouge`."""
        ours, theirs = (list(map(self.numbered, texts)) for texts in (candidates, references))
        matched = np.array([[len(one & other) for other in theirs] for one in ours])
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
    ) -> None:
        super().__init__(f"rouge{n}", references, tokenizer, value, counts, language)
        self.n = n

    def units(self, text: str) -> Iterator[tuple[str, Span]]:
        """As in `Overlap`."""
        spans = rouge_spans(text, self.tokenizer)
        for start, ngram in enumerate(ngrams(rouge_words(text, self.tokenizer), self.n)):
            yield ngram, (spans[start][0], spans[start + self.n - 1][1])

    def numbered(self, text: str) -> frozenset[str]:
        """As in `Overlap`."""
        return numbered_ngrams(text, self.n, self.tokenizer, self.counts == "set")


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
    ) -> None:
        super().__init__("rougeSU4", references, tokenizer, value, counts, language)

    def units(self, text: str) -> Iterator[tuple[str, Span]]:
        """As in `Overlap`: the words first, then the pairs."""
        words, spans = rouge_words(text, self.tokenizer), rouge_spans(text, self.tokenizer)
        yield from zip(words, spans, strict=True)
        for first, second in skip_pairs(len(words)):
            yield f"{words[first]} {words[second]}", (spans[first][0], spans[second][1])

    def numbered(self, text: str) -> frozenset[str]:
        """As in `Overlap`."""
        return numbered_skip_bigrams(text, self.tokenizer, self.counts == "set")


def ngrams(words: Sequence[str], n: int) -> Sequence[str]:
    """The n-grams of a token sequence, their tokens joined by a space."""
    return words if n == 1 else list(map(" ".join, zip(*(words[start:] for start in range(n)), strict=False)))


def skip_pairs(size: int) -> Iterator[tuple[int, int]]:
    """The places of two of so many words that have at most `GAP` words between them."""
    return ((i, j) for i in range(size) for j in range(i + 1, min(size, i + GAP + 2)))


@lru_cache(CACHED_TEXTS)
def numbered_ngrams(text: str, n: int, tokenizer: str, once: bool = False) -> frozenset[str]:
    """A text's n-grams as `number_repeats` has them, or each `once`."""
    found = ngrams(rouge_words(text, tokenizer), n)
    return frozenset(found) if once else number_repeats(found)


@lru_cache(CACHED_TEXTS)
def numbered_skip_bigrams(text: str, tokenizer: str, once: bool = False) -> frozenset[str]:
    """A text's words and skip-bigrams as `number_repeats` has them, or each `once`."""
    words = rouge_words(text, tokenizer)
    # What stands one, two, ... five places further on.
    pairs = (zip(words, words[step:], strict=False) for step in range(1, GAP + 2))
    found = [*words, *map(" ".join, chain.from_iterable(pairs))]
    return frozenset(found) if once else number_repeats(found)


def number_repeats(units: Iterable[str]) -> frozenset[str]:
    """Units as a set, repeated ones numbered, so that a set intersection counts clipped matches.

    The k-th occurrence of a unit in one text meets the k-th in the other: both sets share exactly min(count, count) of
    its occurrences. No token has a line break, so that no number makes it another unit.
    """
    counts = Counter(units)
    repeated = [f"{unit}\n{k}" for unit, count in counts.items() if count > 1 for k in range(2, count + 1)]
    return frozenset(counts).union(repeated)


class RougeL(Rouge):
    """Longest common subsequence of the whole texts' tokens; `RougeLsum` goes sentence by sentence."""

    def __init__(
        self, references: str = "max", tokenizer: str = "ascii", value: str = "f1", language: str = ENGLISH
    ) -> None:
        super().__init__("rougeL", references, tokenizer, value, language=language)

    def count(self, candidates: Sequence[str], references: Sequence[str]) -> Counts:
        """As in `Rouge`. Tokens become characters of strings, which is what rapidfuzz is fastest on."""
        from rapidfuzz.distance import LCSseq
        from rapidfuzz.process import cdist

        letters: dict[str, str] = {}

        def spelled(text: str) -> str:
            words = rouge_words(text, self.tokenizer)
            return "".join([letters.setdefault(word, chr(len(letters))) for word in words])

        ours, theirs = ([spelled(text) for text in texts] for texts in (candidates, references))
        return cdist(ours, theirs, scorer=LCSseq.similarity), list(map(len, ours)), list(map(len, theirs))

    def matches(self, candidate: str, reference: str) -> Iterator[Match]:
        """The words of one longest common subsequence."""
        from rapidfuzz.distance import LCSseq

        ours, theirs = (rouge_words(text, self.tokenizer) for text in (candidate, reference))
        our_spans, their_spans = (rouge_spans(text, self.tokenizer) for text in (candidate, reference))
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
        "How scores against several references become one (APES: with first, only its questions are asked; pooled, "
        "ROUGE only: sums over all of them are divided).",
        choices=REFERENCE_RULES,
    )
    tokenizer: str = option(
        "ascii", "Words ROUGE sees: a-z0-9 as everybody reports, or any script's.", choices=TOKENIZERS
    )
    value: str = option(
        "f1",
        "ROUGE: the share of both texts' units that match, of the summary's, or of the reference's.",
        choices=VALUES,
    )
    language: str = language_option()


@dataclass(frozen=True)
class OverlapOptions(RougeOptions):
    """Options of those whose units can be repeated: see `Overlap`."""

    counts: str = option(
        "clipped", "ROUGE-1, -2, -SU4: repeated units as often as both texts have them, or once.", choices=COUNTS
    )


def options_of(settings: Mapping[str, str]) -> dict[str, str]:
    """The options that a signature's settings tell."""
    (tokenizer,) = (name for name, shown in TOKENIZERS.items() if shown == settings["tok"])
    return {
        "references": settings["refs"],
        "tokenizer": tokenizer,
        "value": settings["value"],
        "counts": settings.get("counts", "clipped"),
        "language": settings.get("lang", ENGLISH),
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
