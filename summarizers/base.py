"""The interface of summarizers: documents in, candidate summaries out."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

from relevance.data.records import NOTHING_GIVEN, ORACLE_SYSTEM, OUTPUT_CUT, SOURCE_CUT, Document, Summary, is_of_people
from relevance.data.signatures import signature
from relevance.data.store.base import checked_name
from relevance.data.wording import format_count
from relevance.metrics.base import check_option
from relevance.metrics.text import count_words
from relevance.summarizers.sentences import sentences_of

VERSION = "0.2.0"
"""The version of the summarizers' definitions, part of every signature; it changes whenever a text may change."""

DEFAULT_SENTENCES = 3
"""The length of an extract in sentences: three are the usual lead of a news article (See et al. 2017)."""


class Summarizer(Protocol):
    """A system that writes candidate summaries."""

    @property
    def name(self) -> str:
        """The system's name in a data set, such as `lead` or `lead-1`."""

    @property
    def signature(self) -> str:
        """Everything that its output depends on, such as `lead|sentences:3|version:0.2.0`."""

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Write at most one summary per document, in order; documents that it cannot summarize have none."""


@runtime_checkable
class BatchSummarizer(Summarizer, Protocol):
    """A system that writes the summaries of several documents at once, as models do."""

    def plan(self, documents: Sequence[Document]) -> list[list[Document]]:
        """Divide documents into the batches that `summarize` takes, each document once.

        It is given all documents of a data set, even those that have a summary: the texts may depend on the batch, and
        a resumed run must write the same texts as one that was never stopped. Documents that it leaves out have no
        summary.
        """


def system_name(name: str) -> str:
    """Check the name of a system. Raises ValueError for names of human-written texts, and for bad names."""
    name = checked_name(name, "the name of a system")
    if is_of_people(name):
        raise ValueError(f"the name {name!r} is reserved for human-written texts: give the system another name")
    return name


def name_of(usual: str, given: str | None, *, reads_references: bool) -> str:
    """Return the name of a system: the one given, or the usual one; it shows whether the system reads the references.

    Raises ValueError for a bad name, and for one that does not show it.
    """
    prefix = ORACLE_SYSTEM if reads_references else ""
    name = system_name(f"{prefix}{usual}" if given is None else given)
    if not name.startswith(prefix):
        raise ValueError(f"this system reads the references, and its name has to say so: {prefix}{name}")
    return name


def remarks_of(*, source_cut: bool, output_cut: bool, nothing_given: bool = False) -> tuple[str, ...]:
    """Return the remarks on a summary."""
    return (SOURCE_CUT,) * source_cut + (OUTPUT_CUT,) * output_cut + (NOTHING_GIVEN,) * nothing_given


REASONS = 3
"""The reasons of failures that are described."""


def describe_failures(failures: Mapping[str, str]) -> list[str]:
    """List the most frequent reasons why documents have no summary, with counts; `failures` has them by document."""
    counted = Counter(failures.values()).most_common(REASONS)
    if others := len(failures) - sum(count for _, count in counted):
        counted.append(("other reasons", others))
    return [f"{format_count(count, 'document')}: {reason}" for reason, count in counted]


UNITS = ("sentences", "words", "reference")
"""The units of a length."""


class SummaryLength(NamedTuple):
    """The length of a summary: a number of sentences or words, or as many words as the document's first reference.

    Words are those of `relevance.metrics.text.counted_words`, which the metric `length` counts.
    """

    amount: int = DEFAULT_SENTENCES
    unit: str = "sentences"
    """One of `UNITS`; for `reference` the amount has no meaning."""

    @property
    def name(self) -> str:
        """The name of the length in system names, options and addresses: `3` for sentences, `100w` for words, `ref`."""
        if self.unit == "reference":
            return "ref"
        return f"{self.amount}{'w' if self.unit == 'words' else ''}"

    @property
    def suffix(self) -> str:
        """The suffix of a system's name: `-2`, `-100w`, `-ref`; empty for the default length."""
        return self.suffix_unless(SummaryLength())

    def suffix_unless(self, usual: SummaryLength) -> str:
        """Return the suffix of a system's name, empty for its usual length."""
        return "" if self == usual else f"-{self.name}"

    @property
    def option(self) -> dict[str, object]:
        """The setting in a signature: `sentences:3`, `words:100`, `length:reference`."""
        return {"length": "reference"} if self.unit == "reference" else {self.unit: self.amount}

    def words(self, document: Document) -> int:
        """Return the most words of a document's summary, for a length in words; 0 if there is no reference to count."""
        if self.unit == "words":
            return self.amount
        return count_words(document.references[0]) if document.references else 0


REFERENCE_LENGTH = SummaryLength(unit="reference")

NUMBER = "[1-9][0-9]{0,8}"
"""The pattern of a number from 1 in names."""

LENGTH_NAME = f"{NUMBER}w?|ref"
"""The pattern of `SummaryLength.name`."""


def read_length(name: str) -> SummaryLength | None:
    """Read the name of a length; None if it is not one."""
    if not re.fullmatch(LENGTH_NAME, name):
        return None
    if name == "ref":
        return REFERENCE_LENGTH
    return SummaryLength(int(name.removesuffix("w")), "words" if name.endswith("w") else "sentences")


def check_length(length: SummaryLength) -> SummaryLength:
    """Return a length, checked. Raises ValueError for a unit that is not in `UNITS`, or an amount below 1."""
    check_option("the unit of a length", length.unit, UNITS)
    if length.amount < 1:
        raise ValueError(f"a summary has at least 1 {length.unit.removesuffix('s')}, not {length.amount}")
    return length


class Extractive(ABC):
    """A summarizer that copies sentences of the source, joined by a space, in the order of the document.

    Sentences are taken from the best one down. For a length in sentences, the best `amount` are taken; for one in
    words, each that still fits (with `prefix`, until the first that does not), and the best one even if it alone is too
    long. A document of fewer sentences is its own summary. A document without a sentence, as in data sets that do not
    contain their documents, has none, nor has one without a reference (or without a word in it) if the reference gives
    the length. The system's name is `lead` at its usual length, otherwise `lead-5`, `lead-100w` or `lead-ref`. A whole
    number as `length` counts sentences. Raises ValueError for a length below 1.
    """

    system: str
    usual: ClassVar[SummaryLength] = SummaryLength()
    """The default length, which a name without a length means."""
    apart: bool = False
    """Whether all work is left to child processes, because it loads torch."""
    prefix: ClassVar[bool] = False
    """Whether a sentence that does not fit into the number of words ends the summary."""

    def __init__(self, length: SummaryLength | int | None = None) -> None:
        limit = self.usual if length is None else length
        self.length = check_length(SummaryLength(limit) if isinstance(limit, int) else limit)

    @property
    def name(self) -> str:
        """The system's name in a data set."""
        return f"{self.system}{self.length.suffix_unless(self.usual)}"

    @property
    def signature(self) -> str:
        """Everything that its output depends on."""
        return signature(self.system, VERSION, **self.length.option)

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Write one summary per document, in order; one that has no summary is left out."""
        return [
            Summary(document.id, self.name, " ".join(chosen))
            for document in documents
            if (chosen := self.select(document))
        ]

    def select(self, document: Document) -> list[str]:
        """Select the sentences of a document's summary, in its order; empty if it has no summary."""
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
        """Return the positions of all sentences, the best first; there is at least one sentence."""


def within(words: int, texts: Sequence[str], order: Sequence[int], *, prefix: bool = False) -> list[int]:
    """Return the first position of an order, and each other one whose text still fits into so many words.

    With `prefix`, stop at the first that does not fit.
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
    """Sort positions by score, the highest first, the earlier of equals first; scores are rounded to nine places."""
    return sorted(range(len(scores)), key=lambda place: (-round(scores[place], 9), place))
