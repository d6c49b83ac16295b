"""The interface of summarizers: documents in, candidate summaries out."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

from data.records import OUTPUT_CUT, REFERENCE_SYSTEM, SOURCE_CUT, TITLE_SYSTEM, Document, Summary
from data.signatures import signature
from data.store.base import checked_name
from metrics.base import check_option
from metrics.text import count_words
from summarizers.sentences import sentences_of

VERSION = "0.2.0"
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
        """Everything that its output depends on, such as `lead|sentences:3|version:0.2.0`."""

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Write one summary a document, in order; a document that it cannot summarise has none."""


@runtime_checkable
class BatchSummarizer(Summarizer, Protocol):
    """A system that writes the summaries of several documents at once, as models do."""

    def plan(self, documents: Sequence[Document]) -> list[list[Document]]:
        """Divide documents into the batches that `summarize` takes, each document once.

        It is given all documents of a data set, whatever is written already: the texts may depend on the batch, and a
        run that goes on must come to those of one that was never stopped. What it leaves out has no summary.
        """


def system_name(name: str) -> str:
    """The name of a system in a data set. Raises ValueError for those of texts that people wrote, and for bad names."""
    name = checked_name(name, "the name of a system")
    if name == TITLE_SYSTEM or name.startswith(REFERENCE_SYSTEM):
        raise ValueError(f"the name {name!r} is that of a text that people wrote: give the system another name")
    return name


def remarks_of(*, source_cut: bool, output_cut: bool) -> tuple[str, ...]:
    """The remarks on a summary."""
    return (SOURCE_CUT,) * source_cut + (OUTPUT_CUT,) * output_cut


UNITS = ("sentences", "words", "reference")
"""What a length is counted in."""


class SummaryLength(NamedTuple):
    """How long a summary is: so many sentences, so many words, or as many words as the document's first reference.

    Words are those of `metrics.text.counted_words`, which the metric `length` counts.
    """

    amount: int = DEFAULT_SENTENCES
    unit: str = "sentences"
    """One of `UNITS`; where it is `reference` the amount says nothing."""

    @property
    def name(self) -> str:
        """What it is called in names, options and addresses: `3` sentences, `100w` for words, `ref`."""
        if self.unit == "reference":
            return "ref"
        return f"{self.amount}{'w' if self.unit == 'words' else ''}"

    @property
    def suffix(self) -> str:
        """The suffix of a system's name: `-2`, `-100w`, `-ref`; nothing at the default length."""
        return self.suffix_unless(SummaryLength())

    def suffix_unless(self, usual: SummaryLength) -> str:
        """The suffix of a system's name, nothing at its usual length."""
        return "" if self == usual else f"-{self.name}"

    @property
    def option(self) -> dict[str, object]:
        """The setting in a signature: `sentences:3`, `words:100`, `length:reference`."""
        return {"length": "reference"} if self.unit == "reference" else {self.unit: self.amount}

    def words(self, document: Document) -> int:
        """The most words that a summary of a document may have, where words are counted; 0 without a reference."""
        if self.unit == "words":
            return self.amount
        return count_words(document.references[0]) if document.references else 0


REFERENCE_LENGTH = SummaryLength(unit="reference")

NUMBER = "[1-9][0-9]{0,8}"
"""How a number from 1 is written in names."""

LENGTH_NAME = f"{NUMBER}w?|ref"
"""The pattern of `SummaryLength.name`."""


def read_length(name: str) -> SummaryLength | None:
    """Read what `SummaryLength.name` wrote; None where it is no length's name."""
    if not re.fullmatch(LENGTH_NAME, name):
        return None
    if name == "ref":
        return REFERENCE_LENGTH
    return SummaryLength(int(name.removesuffix("w")), "words" if name.endswith("w") else "sentences")


def check_length(length: SummaryLength) -> SummaryLength:
    """A length that is one. Raises ValueError for another unit than those of `UNITS`, or an amount under 1."""
    check_option("the unit of a length", length.unit, UNITS)
    if length.amount < 1:
        raise ValueError(f"a summary has at least 1 {length.unit.removesuffix('s')}, not {length.amount}")
    return length


class Extractive(ABC):
    """A summarizer that copies sentences of the source, joined by a space, in the order of the document.

    Sentences are taken from the best on. Counted in sentences, the best `amount` are taken; counted in words, each that
    still fits is (with `prefix`, until the first that does not), and the best one even where it alone is too long.
    A document of fewer sentences is its own summary; one without a sentence, as in data sets that do not contain their
    documents, has none, and neither has one without a reference (or without a word in it) where the reference gives
    the length. The system is called `lead` at its usual length, else `lead-5`, `lead-100w` or `lead-ref`. A whole
    number as `length` counts sentences. Raises ValueError for a length under 1.
    """

    system: str
    usual: ClassVar[SummaryLength] = SummaryLength()
    """The length where none is asked for; a name without a length means this one."""
    apart: bool = False
    """Whether all of the work is left to child processes, because it loads torch."""
    prefix: ClassVar[bool] = False
    """Whether a sentence that does not fit into the words ends the summary."""

    def __init__(self, length: SummaryLength | int | None = None) -> None:
        asked = self.usual if length is None else length
        self.length = check_length(SummaryLength(asked) if isinstance(asked, int) else asked)

    @property
    def name(self) -> str:
        """The system's name in a data set."""
        return f"{self.system}{self.length.suffix_unless(self.usual)}"

    @property
    def signature(self) -> str:
        """Everything that its output depends on."""
        return signature(self.system, VERSION, **self.length.option)

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Write one summary a document, in order; one that has no summary is left out."""
        return [
            Summary(document.id, self.name, " ".join(chosen))
            for document in documents
            if (chosen := self.select(document))
        ]

    def select(self, document: Document) -> list[str]:
        """The sentences of a document's summary, in its order; none where it has no summary."""
        sentences = sentences_of(document)
        if self.length.unit == "sentences":
            if len(sentences) <= self.length.amount:
                return sentences
            taken = self.order(sentences, document)[: self.length.amount]
        elif sentences and (words := self.length.words(document)):
            taken = within(words, sentences, self.order(sentences, document), prefix=self.prefix)
        else:
            return []
        return [sentences[place] for place in sorted(taken)]

    @abstractmethod
    def order(self, sentences: Sequence[str], document: Document) -> list[int]:
        """The places of all sentences, of which there is at least one, the best first."""


def within(words: int, texts: Sequence[str], order: Sequence[int], *, prefix: bool = False) -> list[int]:
    """The first place of an order, and of the others each whose text still fits into so many words.

    With `prefix` the first that does not fit ends it.
    """
    taken, used = [order[0]], count_words(texts[order[0]])
    for place in order[1:]:
        if used + (size := count_words(texts[place])) <= words:
            taken.append(place)
            used += size
        elif prefix:
            break
    return taken


def best_first(scores: Sequence[float]) -> list[int]:
    """Places by score, the highest first; of equals, to nine places, the earlier one: rounding decides nothing."""
    return sorted(range(len(scores)), key=lambda place: (-round(scores[place], 9), place))
