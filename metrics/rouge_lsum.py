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
from relevance.metrics.rouge import ROUGE_L, Counts, Match, Rouge, RougeOptions, options_of
from relevance.metrics.sentences import sentence_spans
from relevance.metrics.subsequences import places_of, subsequence
from relevance.metrics.text import CACHED_TEXTS, rouge_spans, rouge_tokens

SENTENCES = ("lines", "split")
"""The sentences of ROUGE-Lsum: the lines of a text, or those that `relevance.metrics.sentences` finds in each line."""


class RougeLsum(Rouge):
    """Longest common subsequences of the reference's sentences with the candidate's (Lin 2004, section 3.2).

    A sentence of the reference has a longest common subsequence with each of the candidate's; its words in any of them
    match, each word at most as often as both texts have it. Of several longest subsequences the one that `rouge-score`
    finds is taken. A line is a sentence, as there by default, so that a text without line breaks is one sentence; with
    `lsum_sentences="split"` each line is first split into sentences by `relevance.metrics.sentences`.
    """

    def __init__(
        self,
        references: str = "max",
        tokenizer: str = "ascii",
        value: str = "f1",
        language: str = ENGLISH,
        lsum_sentences: str = "lines",
    ) -> None:
        check_option("lsum_sentences", lsum_sentences, SENTENCES)
        super().__init__("rougeLsum", references, tokenizer, value, language=language, sentences=lsum_sentences)
        self.split = lsum_sentences == "split"

    def sentence_words(self, text: str) -> Sequence[Sequence[str]]:
        """Return the tokens of each sentence of a text."""
        return sentence_words(text, self.tokenizer, self.split)

    def count(self, candidates: Sequence[str], references: Sequence[str]) -> Counts:
        """Count as in `Rouge`."""
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

    def matches(self, candidate: str, reference: str) -> Iterator[Match]:
        """Yield the matched words of the reference, each with its partner, or an equal word if that is taken."""
        our_spans, their_spans = (rouge_spans(text, self.tokenizer) for text in (candidate, reference))
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
def sentence_words(text: str, tokenizer: str, split: bool = False) -> tuple[tuple[str, ...], ...]:
    """Return the tokens of `rouge_words`, line by line; with `split`, sentence by sentence within each line."""
    lines = text.split("\n")
    sentences = [line[start:end] for line in lines for start, end in sentence_spans(line)] if split else lines
    return tuple(rouge_tokens(sentence, tokenizer) for sentence in sentences)


@dataclass(frozen=True)
class LsumOptions(RougeOptions):
    """Options of ROUGE-Lsum: see `RougeLsum`."""

    lsum_sentences: str = option(
        "lines",
        "ROUGE-Lsum: take each line as a sentence, as rouge-score does, or split lines into sentences.",
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
