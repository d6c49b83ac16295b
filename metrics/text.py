"""Tokens with their places in the original text: the units that the lexical metrics compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

import regex

from relevance.metrics.composing import as_composed, compose
from relevance.metrics.languages import ENGLISH, LANGUAGES, base_form, comparable
from relevance.metrics.lemmas import read_lemmas
from relevance.metrics.spacy_lemmas import is_spacy, load_reader, pipeline_of

if TYPE_CHECKING:
    from nltk.stem.porter import PorterStemmer


Span = tuple[int, int]
"""The start and end of a stretch of text, in characters of the original."""


class Tokens(NamedTuple):
    """A text's tokens in order, and the span of each."""

    words: tuple[str, ...]
    spans: tuple[Span, ...]


class Reading(NamedTuple):
    """How ROUGE reads words."""

    tokenizer: str = "ascii"
    """Which words there are: those of a-z and 0-9 (`ascii`), of any script (`unicode`), what stands between white space
    and full stops (`spaces`), or those of the code of a language."""
    stems: bool = True
    """True if endings are removed: by Porter's stemmer, or by that of the language."""
    keeps_case: bool = False
    """True if capitals make another word."""


ASCII = regex.compile(r"[a-z0-9]+")
CASED_ASCII = regex.compile(r"[A-Za-z0-9]+")
SPACES = regex.compile(r"[^\s.]+")
# Scripts written without spaces give a token a character, all others a token a word, marks included.
NO_SPACES = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
UNICODE = regex.compile(rf"[{NO_SPACES}]\p{{M}}*|[\p{{L}}\p{{N}}][\p{{L}}\p{{M}}\p{{N}}]*")
# As `UNICODE`, but a word in another script ends where a script without spaces begins: `GPU` of `GPU芯片` is a word.
ANY_SCRIPT = regex.compile(
    rf"[{NO_SPACES}]\p{{M}}*|[[\p{{L}}\p{{N}}]--[{NO_SPACES}]][[\p{{L}}\p{{M}}\p{{N}}]--[{NO_SPACES}]]*", regex.VERSION1
)
# The separators \x1c to \x1f are white space to Python, which `str.split` follows.
COUNTED = regex.compile(rf"\p{{P}}*[{NO_SPACES}][\p{{M}}\p{{P}}]*|[^\s\x1c-\x1f{NO_SPACES}]+")

# Cached texts: enough for the batch that `relevance.metrics.scoring` runs all metrics over, and a bounded number.
CACHED_TEXTS = 8192


@lru_cache(CACHED_TEXTS)
def rouge_words(text: str, reading: Reading) -> tuple[str, ...]:
    """Return a text's tokens as ROUGE compares them: by default lower-cased, words of over three letters stemmed.

    The tokenizer `ascii` does what the `rouge-score` package does, with its `use_stemmer` as `reading.stems`; `unicode`
    takes words of any script; so does the code of a language, with the stemmer of `relevance.metrics.languages`.
    """
    return rouge_tokens(text, reading)


def rouge_tokens(text: str, reading: Reading) -> tuple[str, ...]:
    """Return the tokens of `rouge_words` for a part of a text, without caching them."""
    tokenizer, stems, keeps_case = reading
    read = text if tokenizer == "ascii" else normalize("NFC", text)
    words: list[str] = pattern_of(reading).findall(read if keeps_case else read.lower())
    if not stems:
        return tuple(words)
    if tokenizer in LANGUAGES:
        return tuple(comparable(word, tokenizer) for word in words)
    return tuple(map(stem, words))


def find_words(text: str, pattern: regex.Pattern[str] = UNICODE) -> list[str]:
    """Return the words of a text, composed and lower-cased: those of any script, or those of a pattern."""
    return pattern.findall(normalize("NFC", text).lower())


@lru_cache(CACHED_TEXTS)
def rouge_spans(text: str, reading: Reading) -> tuple[Span, ...]:
    """Return the spans of the tokens of `rouge_words`."""
    as_it_is = reading.tokenizer == "ascii"
    return find_tokens(pattern_of(reading), text, as_it_is=as_it_is, keeps_case=reading.keeps_case).spans


def pattern_of(reading: Reading) -> regex.Pattern[str]:
    """Return the pattern of a word."""
    if reading.tokenizer in LANGUAGES:
        return ANY_SCRIPT
    ascii_words = CASED_ASCII if reading.keeps_case else ASCII
    return {"ascii": ascii_words, "unicode": UNICODE, "spaces": SPACES}[reading.tokenizer]


@lru_cache(CACHED_TEXTS)
def lemmas(text: str, language: str = ENGLISH) -> Tokens:
    """Return a text's lower-cased lemmas, for keywords, by the rules of a language or by a pipeline of spaCy instead.

    English words include inner hyphens and apostrophes, and marks are tokens, too, of one character. Raises
    `ModelUnavailable` for a pipeline that cannot be loaded.
    """
    if is_spacy(language):
        return place_tokens(text, load_reader(pipeline_of(language)))
    if language == ENGLISH:
        return place_tokens(text, read_lemmas)
    tokens = find_tokens(ANY_SCRIPT, text)
    words = (normalize("NFC", text[start:end]) for start, end in tokens.spans)
    return Tokens(tuple(base_form(word, language) for word in words), tokens.spans)


def counted_words(text: str) -> tuple[Span, ...]:
    """Return the spans of a text's words for all word counts, such as the metric `length` and the length of a summary.

    A word is a stretch between white space (`text.split()`), punctuation included; in scripts that are written without
    spaces, such as Chinese and Thai, each character is one, with the punctuation beside it.
    """
    return tuple(match.span() for match in COUNTED.finditer(text))


def count_words(text: str) -> int:
    """Return the number of `counted_words` of a text."""
    return len(text.split()) if text.isascii() else len(counted_words(text))


def find_tokens(pattern: regex.Pattern[str], text: str, *, as_it_is: bool = False, keeps_case: bool = False) -> Tokens:
    """Return the matches of a pattern in the text, which is lower-cased unless it `keeps_case`, with their places.

    The text is composed (`compose`), unless it is to be read `as_it_is`.
    """

    def read(lowered: str) -> list[tuple[str, int, int]]:
        return [(match.group(), *match.span()) for match in pattern.finditer(lowered)]

    return place_tokens(text, read, as_it_is=as_it_is, keeps_case=keeps_case)


def place_tokens(
    text: str,
    read: Callable[[str], Sequence[tuple[str, int, int]]],
    *,
    as_it_is: bool = False,
    keeps_case: bool = False,
) -> Tokens:
    """Return the tokens that `read` finds in the text, each with start and end, placed in the original.

    The text is read as in `find_tokens`.
    """
    composed = as_composed(text) if as_it_is else compose(text)
    lowered = composed.text if keeps_case else composed.text.lower()
    original = origins(composed.text, lowered)
    tokens = read(lowered)
    return Tokens(
        tuple(word for word, _, _ in tokens),
        tuple(composed.span(original(start), original(end - 1) + 1) for _, start, end in tokens),
    )


def origins(text: str, lowered: str) -> Callable[[int], int]:
    """Return a map from indices of the lower-cased text to the original: some letters, such as İ, become two."""
    if len(lowered) == len(text):
        return lambda index: index
    table = [index for index, character in enumerate(text) for _ in character.lower()]
    return table.__getitem__


@lru_cache(1)
def stemmer() -> PorterStemmer:
    """Return NLTK's Porter stemmer with its extensions, which `rouge-score` uses. Loading NLTK takes a second."""
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


@lru_cache(1 << 18)
def stem(word: str) -> str:
    """Return the Porter stem of a word; words of at most three letters stay as they are."""
    return str(stemmer().stem(word, to_lowercase=False)) if len(word) > 3 else word
