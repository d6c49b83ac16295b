"""Keywords of a document that its references share (Takeshita et al. 2024, section 3)."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from relevance.metrics.languages import ENGLISH, are_stop_words
from relevance.metrics.spacy_lemmas import is_spacy
from relevance.metrics.text import Span, Tokens, lemmas

LONGEST = 10
"""The number of words of the longest n-gram."""

# The stop words of the paper: NLTK's English list, words that only say that there is a paper, and marks. They are
# compared after lemmatising, as there, so that forms which are not lemmas have no effect.
STOP_WORDS = frozenset(
    """
    i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves he him his
    himself she she's her hers herself it it's its itself they them their theirs themselves what which who whom this
    that that'll these those am is are was were be been being have has had having do does did doing a an the and but
    if or because as until while of at by for with about against between into through during before after above below
    to from up down in out on off over under again further then once here there when where why how all any both each
    few more most other some such no nor not only own same so than too very s t can will just don don't should
    should've now d ll m o re ve y ain aren aren't couldn couldn't didn didn't doesn doesn't hadn hadn't hasn hasn't
    haven haven't isn isn't ma mightn mightn't mustn mustn't needn needn't shan shan't shouldn shouldn't wasn wasn't
    weren weren't won won't wouldn wouldn't paper authors propose proposes use
    , . : ( ) ' ’
    """.split()  # noqa: SIM905
)

TITLES = ("always", "single")


class Keyword(NamedTuple):
    """A keyword: its prepared words, and its place in each text that has it."""

    words: tuple[str, ...]
    places: tuple[tuple[int, Span], ...]
    """The index of each text that has it (the references, then the title) and the span there."""

    def __str__(self) -> str:
        return " ".join(self.words)


def compared_texts(references: Sequence[str], title: str | None, rule: str) -> tuple[str, ...]:
    """Return the texts that make keywords together: the references, and the title if the rule counts it."""
    counts = title is not None and (rule == "always" or len(references) < 2)
    return (*references, title) if counts and title is not None else tuple(references)


def overlap_keywords(texts: Sequence[str], language: str = ENGLISH) -> list[Keyword]:
    """Return the n-grams that two or more texts share, longest first, none sharing a word with an earlier one.

    N-grams run from 10 tokens down to 1 over the lower-cased, lemmatised words and the marks between them; stop words
    inside are dropped after cutting, and no n-gram goes beyond a mark that is not a stop word. Among n-grams of one
    length, the one that comes first in the earlier text goes first, so that the result does not depend on the order of
    a set.
    """
    prepared = [(tokens := lemmas(text, language), stop_places(text, tokens, language)) for text in texts]
    contents = [without_stops(tokens, stops) for tokens, stops in prepared]
    stretches = [cut_at_marks(tokens, stops) for tokens, stops in prepared]
    keywords: list[Keyword] = []
    used: set[str] = set()
    for n in range(min(LONGEST, max((len(tokens.words) for tokens, _ in prepared), default=0)), 0, -1):
        having: dict[tuple[str, ...], list[int]] = {}
        for index, of_text in enumerate(stretches):
            for words in chain.from_iterable(content_ngrams(stretch, n) for stretch in of_text):
                texts_with_it = having.setdefault(words, [])
                if not texts_with_it or texts_with_it[-1] != index:
                    texts_with_it.append(index)
        for words, texts_with_it in having.items():
            if len(texts_with_it) >= 2 and used.isdisjoint(words):
                # another text may have it in a window of another length, without stop words around it
                keywords.append(locate(words, contents))
                used.update(words)
    return keywords


def stop_places(text: str, tokens: Tokens, language: str = ENGLISH) -> list[bool]:
    """Tell whether each token of a text, as `relevance.metrics.text.lemmas` gives them, is a stop word or a mark.

    By spaCy the marks that are not stop words are words, as in the published code.
    """
    if language == ENGLISH:
        return [word in STOP_WORDS or is_mark(word) for word in tokens.words]
    if is_spacy(language):
        return [word in STOP_WORDS for word in tokens.words]
    return are_stop_words(text, tokens.spans, language)


def is_mark(token: str) -> bool:
    """Tell whether a token is not a word, but a mark such as a comma."""
    return not token[0].isalnum()


def cut_at_marks(tokens: Tokens, stops: Sequence[bool]) -> list[list[str | None]]:
    """Return the stretches of a text between marks that are not stop words: its words, None for each stop word."""
    stretches: list[list[str | None]] = [[]]
    for word, stop in zip(tokens.words, stops, strict=True):
        if stop and is_mark(word) and word not in STOP_WORDS:
            stretches.append([])
        else:
            stretches[-1].append(None if stop else word)
    return stretches


def content_ngrams(stretch: Sequence[str | None], n: int) -> Iterator[tuple[str, ...]]:
    """Yield the content words of each window of n tokens, without windows that have none."""
    for start in range(len(stretch) - n + 1):
        if kept := tuple(word for word in stretch[start : start + n] if word is not None):
            yield kept


def content_words(text: str, language: str = ENGLISH) -> Tokens:
    """Return the lemmatised words of a text without stop words, among which keywords are searched."""
    tokens = lemmas(text, language)
    return without_stops(tokens, stop_places(text, tokens, language))


def without_stops(tokens: Tokens, stops: Sequence[bool]) -> Tokens:
    """Return the words that are not stop words."""
    kept = [place for place, stop in enumerate(stops) if not stop]
    return Tokens(tuple(tokens.words[p] for p in kept), tuple(tokens.spans[p] for p in kept))


def word_places(words: Sequence[str], text: Tokens) -> list[tuple[int, int]]:
    """Return the places of a keyword in a text's content words: its words consecutive, in order and whole.

    Places are numbers of words from 0: that of its first word, and of the one after its last.
    """
    wanted, size = tuple(words), len(words)
    starts = range(len(text.words) - size + 1)
    return [(start, start + size) for start in starts if text.words[start : start + size] == wanted]


def occurrences(words: Sequence[str], text: Tokens) -> list[Span]:
    """Return the places of `word_places` as spans of characters in the text."""
    return [(text.spans[start][0], text.spans[end - 1][1]) for start, end in word_places(words, text)]


def substring_occurrences(words: Sequence[str], text: Tokens) -> list[Span]:
    """Return the spans of the words in which a keyword stands as a substring of the joined content words of a text.

    That is how the published code looks for keywords: it finds *art* in *smart*.
    """
    wanted, joined = " ".join(words), " ".join(text.words)
    starts = [0, *accumulate(len(word) + 1 for word in text.words)]
    spans = []
    at = joined.find(wanted)
    while at >= 0:
        first, last = bisect_right(starts, at) - 1, bisect_right(starts, at + len(wanted) - 1) - 1
        spans.append((text.spans[first][0], text.spans[last][1]))
        at = joined.find(wanted, at + len(wanted))
    return spans


MATCHES: dict[str, Callable[[Sequence[str], Tokens], list[Span]]] = {
    "words": occurrences,
    "substring": substring_occurrences,
}
"""The ways to look for a keyword in a text: as whole words in order, or as the published code does."""


def locate_keyword(words: Sequence[str], texts: Sequence[str], language: str = ENGLISH) -> Keyword:
    """Return a keyword with its first place in each text that has it."""
    return locate(words, [content_words(text, language) for text in texts])


def locate(words: Sequence[str], contents: Sequence[Tokens]) -> Keyword:
    """Return a keyword with its first place in each text, given the texts' content words."""
    places = ((index, occurrences(words, content)) for index, content in enumerate(contents))
    return Keyword(tuple(words), tuple((index, spans[0]) for index, spans in places if spans))
