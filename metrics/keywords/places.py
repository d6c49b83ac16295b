"""Where keywords stand among the words of a text, in words: what is marked there is held against them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from metrics.keywords.overlap import Keyword, content_words, word_places
from metrics.languages import ENGLISH
from metrics.text import Span


class KeywordPlaces(NamedTuple):
    """The words of a text as ROUGE-K compares them, stop words and punctuation left out, and keywords among them."""

    spans: tuple[Span, ...]
    """Where each word stands, in characters."""
    occurrences: tuple[tuple[int, int], ...]
    """Of each occurrence of a keyword the number of its first word, from 0, and of the one after its last."""

    def touched(self, ranges: Iterable[Span]) -> list[bool]:
        """For each word, whether one of the ranges of characters has a part of it."""
        wanted = list(ranges)
        return [any(start < end_of and start_of < end for start_of, end_of in wanted) for start, end in self.spans]


def find_places(keywords: Sequence[Keyword], text: str, language: str = ENGLISH) -> KeywordPlaces:
    """Find a document's keywords in a text as they are found in a summary."""
    words = content_words(text, language)
    places = (place for keyword in keywords for place in word_places(keyword.words, words))
    return KeywordPlaces(words.spans, tuple(places))
