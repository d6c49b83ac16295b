"""Extracts chosen by the words of sentences, in the language of the documents."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from relevance.data.signatures import signature
from relevance.metrics.base import check_option
from relevance.metrics.keywords.overlap import content_words
from relevance.metrics.languages import ENGLISH, LANGUAGES, keyword_settings
from relevance.metrics.text import find_words
from relevance.summarizers.base import VERSION, Extractive, SummaryLength


def language_suffix(language: str) -> str:
    """Return the suffix of a language in the name of a system: `-de`; empty for English."""
    return "" if language == ENGLISH else f"-{language}"


def language_settings(language: str, *, english_lemmas: bool = False) -> dict[str, str]:
    """Return the settings of a language in a system's signature; none for English words that are not lemmatised."""
    return {} if language == ENGLISH and not english_lemmas else keyword_settings(language)


class Lexical(Extractive):
    """A summarizer that chooses sentences by their words.

    In a `language` other than English the system's name is `textrank-de`, with a length `textrank-de-5`. Raises
    ValueError for a language that is not in `relevance.metrics.languages.LANGUAGES`.
    """

    settings: ClassVar[Mapping[str, object]] = MappingProxyType({})
    """The settings in its signature besides the length and the language."""
    english_lemmas: ClassVar[bool] = True
    """True if English sentences are compared by lemmas, as those of other languages always are."""

    def __init__(self, length: SummaryLength | int | None = None, language: str = ENGLISH) -> None:
        super().__init__(length)
        check_option("language", language, LANGUAGES)
        self.language = language

    @property
    def name(self) -> str:
        """The system's name in a data set."""
        return f"{self.system}{language_suffix(self.language)}{self.length.suffix_unless(self.usual)}"

    @property
    def signature(self) -> str:
        """Everything that its output depends on."""
        words = language_settings(self.language, english_lemmas=self.english_lemmas)
        return signature(self.system, VERSION, **self.length.option, **self.settings, **words)

    def words(self, sentences: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the content words of each sentence, as for keywords."""
        return [content_words(sentence, self.language).words for sentence in sentences]


def graph_words(sentences: Sequence[str], language: str) -> list[Sequence[str]]:
    """Return the words that connect sentences: in English all, lower-cased; otherwise lemmas of content words."""
    if language == ENGLISH:
        return [find_words(sentence) for sentence in sentences]
    return [content_words(sentence, language).words for sentence in sentences]
