"""ROUGE-Lsum (Lin 2004, section 3.2), equal to the `rouge-score` package with its stemmer."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

import numpy as np

from relevance.metrics.base import check_option
from relevance.metrics.kind import option
from relevance.metrics.languages import ENGLISH
from relevance.metrics.rouge import ROUGE_L, Counts, Match, OverlapOptions, Rouge, options_of, read_words
from relevance.metrics.sentences import sentence_spans
from relevance.metrics.subsequences import places_of, subsequence
from relevance.metrics.text import CACHED_TEXTS, Reading, rouge_spans, rouge_tokens, rouge_words

SENTENCES = ("lines", "split", "stops")
"""The sentences of ROUGE-Lsum: the lines of a text, those that `relevance.metrics.sentences` finds in each line, or
what stands between full stops."""


class RougeLsum(Rouge):
    """Longest common subsequences of the reference's sentences with the candidate's (Lin 2004, section 3.2).

    A sentence of the reference has a longest common subsequence with each of the candidate's; its words in any of them
    match, each word at most as often as both texts have it. Of several longest subsequences the one that `rouge-score`
    finds is taken. A line is a sentence, as there by default, so that a text without line breaks is one sentence; with
    `lsum_sentences="split"` each line is first split into sentences by `relevance.metrics.sentences`.

    With `counts="set"` a word counts once: the words of all these subsequences, over the different words of either
    text, as in the library `rouge`, whose choice among several longest subsequences is then taken.
    """

    def __init__(
        self,
        references: str = "max",
        tokenizer: str = "ascii",
        value: str = "f1",
        counts: str = "clipped",
        language: str = ENGLISH,
        lsum_sentences: str = "lines",
        stemmer: str = "default",
        case: str = "lower",
    ) -> None:
        check_option("lsum_sentences", lsum_sentences, SENTENCES)
        reading = read_words(tokenizer, language, stemmer, case)
        super().__init__("rougeLsum", references, reading, value, counts, sentences=lsum_sentences)
        self.sentences = lsum_sentences

    def sentence_words(self, text: str) -> Sequence[Sequence[str]]:
        """Return the tokens of each sentence of a text."""
        return sentence_words(text, self.reading, self.sentences)

    def count(self, candidates: Sequence[str], references: Sequence[str]) -> Counts:
        """Count as in `Rouge`."""
        if self.counts == "set":
            return self.count_once(candidates, references)
        ours, theirs = (list(map(self.sentence_words, texts)) for texts in (candidates, references))
        in_candidate, in_reference = ([sum(map(len, sentences)) for sentences in texts] for texts in (ours, theirs))
        words = [Counter(chain.from_iterable(sentences)) for sentences in ours]
        matched = np.zeros((len(ours), len(theirs)), np.intp)
        for column, reference in enumerate(theirs):
            masks = list(map(places_of, reference))
            for row, candidate in enumerate(ours):
                hits: Counter[str] = Counter()
                for sentence, mask in zip(reference, masks, strict=True):
                    union = 0
                    for other in candidate:
                        union |= sum(1 << place for place, _ in subsequence(mask, other))
                    hits.update(word for place, word in enumerate(sentence) if union >> place & 1)
                matched[row, column] = (hits & words[row]).total()
        return matched, in_candidate, in_reference

    def count_once(self, candidates: Sequence[str], references: Sequence[str]) -> Counts:
        """Count as in `Rouge`, each word once."""
        matched = [[len(self.shared_places(candidate, other)) for other in references] for candidate in candidates]
        return np.array(matched, np.intp), self.different_words(candidates), self.different_words(references)

    def different_words(self, texts: Sequence[str]) -> list[int]:
        """Return the number of different words of each text."""
        return [len(set(rouge_words(text, self.reading))) for text in texts]

    def shared_places(self, candidate: str, reference: str) -> dict[str, tuple[int, int]]:
        """Return the words of the longest common subsequences of sentences, with a place of each in both texts."""
        places: dict[str, tuple[int, int]] = {}
        ours, theirs = self.sentence_words(candidate), self.sentence_words(reference)
        start = 0
        for sentence in ours:
            mask, before = places_of(sentence), 0
            for other in theirs:
                for own, its in subsequence(mask, other):
                    places.setdefault(sentence[own], (start + own, before + its))
                before += len(other)
            start += len(sentence)
        return places

    def matches(self, candidate: str, reference: str) -> Iterator[Match]:
        """Yield the matched words of the reference, each with its partner, or an equal word if that is taken."""
        our_spans, their_spans = (rouge_spans(text, self.reading) for text in (candidate, reference))
        if self.counts == "set":
            for own, its in self.shared_places(candidate, reference).values():
                yield Match(our_spans[own], their_spans[its])
            return
        ours = self.sentence_words(candidate)
        free = defaultdict(list)
        for place, word in enumerate(chain.from_iterable(ours)):
            free[word].append(place)
        before = 0
        for sentence in self.sentence_words(reference):
            mask, start = places_of(sentence), 0
            partner: dict[int, int] = {}
            for other in ours:
                for place, its in subsequence(mask, other):
                    partner.setdefault(place, start + its)
                start += len(other)
            for place in sorted(partner):
                if left := free[sentence[place]]:
                    own = partner[place] if partner[place] in left else left[0]
                    left.remove(own)
                    yield Match(our_spans[own], their_spans[before + place])
            before += len(sentence)


@lru_cache(CACHED_TEXTS)
def sentence_words(text: str, reading: Reading, sentences: str = "lines") -> tuple[tuple[str, ...], ...]:
    """Return the tokens of `rouge_words` by sentence, as `SENTENCES` says."""
    parts = text.split("." if sentences == "stops" else "\n")
    if sentences == "split":
        parts = [line[start:end] for line in parts for start, end in sentence_spans(line)]
    return tuple(rouge_tokens(part, reading) for part in parts)


@dataclass(frozen=True)
class LsumOptions(OverlapOptions):
    """Options of ROUGE-Lsum: see `RougeLsum`."""

    lsum_sentences: str = option(
        "lines",
        "ROUGE-Lsum: take each line as a sentence, as rouge-score does; split lines into sentences; or take what "
        "stands between full stops.",
        choices=SENTENCES,
    )


def lsum_options_of(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the options of a signature of ROUGE-Lsum."""
    return options_of(settings) | {"lsum_sentences": settings["sentences"]}


ROUGE_LSUM = replace(
    ROUGE_L,
    name="rougeLsum",
    label="ROUGE-Lsum",
    about="F1 of the longest common subsequences of lines or sentences",
    make=RougeLsum,
    options=LsumOptions,
    options_of=lsum_options_of,
    by_default=False,
)
