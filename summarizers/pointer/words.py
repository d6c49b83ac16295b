"""The words of the LSTMs: lower-cased words and marks, their numbers, and words that only a source has."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import regex

from relevance.metrics.text import Span, Tokens, find_tokens

PADDING, UNKNOWN, START, STOP = range(4)

SPECIAL = ("<padding>", "<unknown>", "<start>", "<stop>")
"""The words of the first four numbers; as every mark is a word of its own, no text has one of them."""

WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’\-‐‑.,][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*|\S")
"""A word or number with marks inside it, or one mark."""

CLOSING = frozenset(".,;:!?…)]}%’”»")
OPENING = frozenset("([{‘“«$£€#")


def cut_words(text: str) -> Tokens:
    """Cut a text into lower-cased words and marks, with their positions."""
    return find_tokens(WORD, text)


def join_words(words: Iterable[str]) -> str:
    """Join words and marks to a text, without spaces before closing and after opening marks."""
    text = ""
    for word in words:
        spaced = text and word not in CLOSING and text[-1] not in OPENING
        text += f" {word}" if spaced else word
    return text


class Source(NamedTuple):
    """A source as the network's input."""

    ids: tuple[int, ...]
    """Each word's number, `UNKNOWN` for words that the vocabulary lacks."""
    extended: tuple[int, ...]
    """The same, but words that the vocabulary lacks have numbers of their own after the vocabulary's."""
    extra: tuple[str, ...]
    """The words of these numbers, in order."""
    spans: tuple[Span, ...]
    """The position of each word in the text."""
    cut: bool
    """Whether the text is cut."""


class Vocabulary:
    """The words that can be written without being copied; their numbers follow those of `SPECIAL`."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = (*SPECIAL, *words)
        self.numbers = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def read_source(self, text: str, most: int | None = None) -> Source:
        """Read the first `most` words of a source, or all."""
        words, spans = cut_words(text)
        extra: dict[str, int] = {}
        for word in words[:most]:
            if word not in self.numbers:
                extra.setdefault(word, len(self) + len(extra))
        extended = tuple(self.numbers.get(word) or extra[word] for word in words[:most])  # no word has the number 0
        ids = tuple(number if number < len(self) else UNKNOWN for number in extended)
        return Source(ids, extended, tuple(extra), spans[:most], most is not None and len(words) > most)

    def read_target(self, text: str, source: Source, most: int) -> tuple[int, ...]:
        """Return the numbers of the first `most` words of a target, and `STOP` unless the text is cut.

        A word that neither the vocabulary nor the source has is `UNKNOWN`.
        """
        words = cut_words(text).words
        extra = {word: len(self) + place for place, word in enumerate(source.extra)}
        numbers = tuple(self.numbers.get(word, extra.get(word, UNKNOWN)) for word in words[:most])
        return numbers if len(words) > most else (*numbers, STOP)

    def write(self, numbers: Iterable[int], source: Source) -> str:
        """Return the text of the numbers that the network wrote for a source."""
        words = (*self.words, *source.extra)
        return join_words(words[number] for number in numbers)


def make_vocabulary(texts: Iterable[str], size: int) -> Vocabulary:
    """Make a vocabulary of the `size` most frequent words of texts, with the first of equal ones."""
    counts = Counter(word for text in texts for word in cut_words(text).words)
    return Vocabulary([word for word, _ in counts.most_common(size)])
