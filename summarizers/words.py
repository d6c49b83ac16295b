"""Extracts by the words of their sentences, in the language of the documents."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from data.signatures import signature
from metrics.base import check_option
from metrics.keywords.overlap import content_words
from metrics.languages import ENGLISH, LANGUAGES, keyword_settings
from metrics.text import UNICODE
from summarizers.base import VERSION, Extractive, SummaryLength


def language_suffix(language: str) -> str:
    """What a language adds to the name of a system: `-de`; nothing for English."""
    return "" if language == ENGLISH else f"-{language}"


def language_settings(language: str) -> dict[str, str]:
    """What a language adds to the signature of a system; nothing for English, as signatures always were."""
    return {} if language == ENGLISH else keyword_settings(language)


class Lexical(Extractive):
    """A summarizer that chooses sentences by their words.

    In another `language` than English the system is called `textrank-de`, with a length `textrank-de-5`. Raises
    ValueError for a language that is not in `metrics.languages.LANGUAGES`.
    """

    settings: ClassVar[Mapping[str, object]] = MappingProxyType({})
    """What its signature says beside the length and the language."""

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
        return signature(
            self.system, VERSION, **self.length.option, **self.settings, **language_settings(self.language)
        )

    def words(self, sentences: Sequence[str]) -> list[tuple[str, ...]]:
        """The content words of each sentence, as keywords have them."""
        return [content_words(sentence, self.language).words for sentence in sentences]


def graph_words(sentences: Sequence[str], language: str) -> list[Sequence[str]]:
    """The words by which sentences are connected: of English all, lower-cased; of others content words' lemmas."""
    if language == ENGLISH:
        return [UNICODE.findall(sentence.lower()) for sentence in sentences]
    return [content_words(sentence, language).words for sentence in sentences]
