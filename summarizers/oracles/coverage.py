"""The n-grams of a reference that an extract covers, with their positions in the texts: the evidence of an F1."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from relevance.metrics.languages import LANGUAGES
from relevance.metrics.rouge import RougeN
from relevance.metrics.text import Span
from relevance.summarizers.oracles.oracle import Target


class NgramOccurrence(NamedTuple):
    """An occurrence of an n-gram of the reference."""

    span: Span
    """From its first to its last token, in characters of the sentence or of the reference."""
    ngram: int
    """The number of the n-gram, from 0; n-grams in both texts come first."""


class Coverage(NamedTuple):
    """The n-grams of an extract and a reference. F1 is 2 `matched` / (`in_extract` + `in_reference`)."""

    extract: Mapping[int, tuple[NgramOccurrence, ...]]
    """The matching n-grams of each sentence, by its position in the source."""
    covered: tuple[NgramOccurrence, ...]
    """The n-grams of the reference that match."""
    missed: tuple[NgramOccurrence, ...]
    """The n-grams of the reference that do not match."""
    matched: int
    in_extract: int
    in_reference: int


def coverage(sentences: Sequence[str], chosen: Sequence[int], reference: str, target: Target) -> Coverage:
    """Match the n-grams of chosen sentences with those of a reference, as `target` counts them.

    In the clipped definition, the first occurrences match, as many as both texts have, and each match has a position in
    both. In the set definition, every occurrence of an n-gram that both texts have is listed, and all of one n-gram
    count once.
    """
    words = {"language": target.tokenizer} if target.tokenizer in LANGUAGES else {"tokenizer": target.tokenizer}
    spans = RougeN(target.n, **words).units
    theirs = list(spans(reference))
    ours = [(sentence, ngram, span) for sentence in chosen for ngram, span in spans(sentences[sentence])]
    have, wanted = Counter(ngram for _, ngram, _ in ours), Counter(ngram for ngram, _ in theirs)
    once = target.definition == "set"
    shared = {ngram: min(have[ngram], times) for ngram, times in wanted.items()}
    numbers = {ngram: number for number, ngram in enumerate(sorted(wanted, key=lambda ngram: not shared[ngram]))}
    extract: dict[int, list[NgramOccurrence]] = {sentence: [] for sentence in chosen}
    met: Counter[str] = Counter()
    for sentence, ngram, span in ours:
        met[ngram] += 1
        if shared.get(ngram, 0) >= (1 if once else met[ngram]):
            extract[sentence].append(NgramOccurrence(span, numbers[ngram]))
    covered: list[NgramOccurrence] = []
    missed: list[NgramOccurrence] = []
    seen: Counter[str] = Counter()
    for ngram, span in theirs:
        seen[ngram] += 1
        matches = shared[ngram] >= (1 if once else seen[ngram])
        (covered if matches else missed).append(NgramOccurrence(span, numbers[ngram]))
    return Coverage(
        {sentence: tuple(places) for sentence, places in extract.items()},
        tuple(covered),
        tuple(missed),
        matched=sum(map(bool, shared.values())) if once else sum(shared.values()),
        in_extract=len(have) if once else len(ours),
        in_reference=len(wanted) if once else len(theirs),
    )
