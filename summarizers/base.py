"""What a summarizer is: documents in, candidate summaries out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Protocol

from data.records import Document, Summary
from summarizers.sentences import sentences_of

VERSION = "0.1.0"
"""Version of the summarizers' definitions, part of every signature: it moves whenever a text may change."""

DEFAULT_SENTENCES = 3
"""Length of an extract, in sentences: three are the customary lead of a news article (See et al. 2017)."""


class Summarizer(Protocol):
    """A system that writes candidate summaries."""

    @property
    def name(self) -> str:
        """The system's name in a data set, such as `lead` or `lead-1`."""

    @property
    def signature(self) -> str:
        """Everything that its output depends on, such as `lead|sentences:3|version:0.1.0`."""

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Write one summary a document, in order; a document that it cannot summarise has none."""


def signature(name: str, **options: object) -> str:
    """Write a signature in the manner of sacreBLEU: `name|option:value|...|version:X`."""
    return "|".join([name, *(f"{key}:{value}" for key, value in options.items()), f"version:{VERSION}"])


class Extractive(ABC):
    """A summarizer that copies sentences of the source, joined by a space.

    A document of fewer sentences is its own summary; one without a sentence, as in data sets that do not contain
    their documents, has none. The system is called `lead` at the default length and `lead-K` at any other.
    Raises ValueError where `sentences` is under 1.
    """

    system: ClassVar[str]

    def __init__(self, sentences: int = DEFAULT_SENTENCES) -> None:
        if sentences < 1:
            raise ValueError(f"a summary has at least 1 sentence, not {sentences}")
        self.sentences = sentences

    @property
    def name(self) -> str:
        """The system's name in a data set."""
        return self.system if self.sentences == DEFAULT_SENTENCES else f"{self.system}-{self.sentences}"

    @property
    def signature(self) -> str:
        """Everything that its output depends on."""
        return signature(self.system, sentences=self.sentences)

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Write one summary a document, in order; a document without a sentence has none."""
        return [
            Summary(document.id, self.name, " ".join(self.select(sentences)))
            for document in documents
            if (sentences := sentences_of(document))
        ]

    @abstractmethod
    def select(self, sentences: Sequence[str]) -> Sequence[str]:
        """Pick at most `self.sentences` of the sentences, of which there is at least one, in document order."""
