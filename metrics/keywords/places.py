"""Places of keywords among a text's words, for comparison with the words that people mark."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from relevance.metrics.keywords.overlap import Keyword, content_words, word_places
from relevance.metrics.languages import ENGLISH
from relevance.metrics.text import Span


class KeywordPlaces(NamedTuple):
    """The words of a text as ROUGE-K compares them (no stop words, no punctuation), and the keywords among them."""

    spans: tuple[Span, ...]
    """The span of each word, in characters."""
    occurrences: tuple[tuple[int, int], ...]
    """The number of the first word of each occurrence of a keyword, from 0, and of the one after its last."""

    def overlaps(self, ranges: Iterable[Span]) -> list[bool]:
        """Tell for each word whether any of the ranges of characters overlaps it."""
        wanted = list(ranges)
        return [any(start < end_of and start_of < end for start_of, end_of in wanted) for start, end in self.spans]


def find_places(keywords: Sequence[Keyword], text: str, language: str = ENGLISH) -> KeywordPlaces:
    """Find a document's keywords in a text by the same match as in a summary."""
    words = content_words(text, language)
    places = (place for keyword in keywords for place in word_places(keyword.words, words))
    return KeywordPlaces(words.spans, tuple(places))
