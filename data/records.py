"""The plain records that all packages use."""

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

TITLE_SYSTEM = "title"
"""The system name of a document's title used as a candidate."""

REFERENCE_SYSTEM = "reference:"
"""Prefix of the system name of a reference used as a candidate: `reference:2` is the second one."""

ORACLE_SYSTEM = "oracle-"
"""Prefix of the names of systems that read the references, so that they do not compete with others."""

REFERENCE, SOURCE = "reference", "source"
"""The texts that summaries are compared with: references, or the source where there are none."""

PLACEHOLDER = "@placeholder"
"""The mark for the answer in a fill-in-the-blank question."""

SOURCE_CUT, OUTPUT_CUT, TRAINED_ON, NOTHING_GIVEN = "source cut", "output cut", "trained on", "nothing given"
REMARKS = {
    SOURCE_CUT: "The system did not see all of the document.",
    OUTPUT_CUT: "The system was stopped at its length limit.",
    TRAINED_ON: "The system was trained on this document.",
    NOTHING_GIVEN: "The system reads the references, which had nothing to give it for this document.",
}
"""Remarks on how a summary was written, by name."""


def is_of_people(system: str) -> bool:
    """Tell whether a system's name says that its summaries are references or titles."""
    return system == TITLE_SYSTEM or system.startswith(REFERENCE_SYSTEM)


class BadRecord(ValueError):
    """The input cannot be read: the message says where (file and line), what is wrong and what to do.

    `by_option` is the part at the message's end that names options of the command line, which a page leaves out.
    """

    def __init__(self, problem: str, by_option: str = "") -> None:
        super().__init__(problem + by_option)
        self.problem, self.by_option = problem, by_option


class UnknownValues(BadRecord):
    """A table has values whose meaning somebody has to say; `values` counts them."""

    def __init__(self, problem: str, by_option: str, column: str, values: Mapping[str, int], *, ratings: bool) -> None:
        super().__init__(problem, by_option)
        self.column, self.values, self.ratings = column, values, ratings


class ClozeQuestion(NamedTuple):
    """A fill-in-the-blank question about a document: a text with one `PLACEHOLDER`, and its answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Document:
    """A source text with its human references.

    `source` is a text, or the tuple of its sentences if the data set gives them; it is empty if the data set lacks its
    documents. `questions` are those that come with the data set, for APES.
    """

    id: str
    source: str | tuple[str, ...]
    references: tuple[str, ...]
    title: str | None = None
    questions: tuple[ClozeQuestion, ...] = ()

    @property
    def source_text(self) -> str:
        """The source as one text: given sentences are joined by a space."""
        return self.source if isinstance(self.source, str) else " ".join(self.source)


@dataclass(frozen=True, slots=True)
class Summary:
    """A candidate summary of a document by a system; `human` maps an aspect to its rating.

    `annotators` map the name of each person who rated it to their ratings, by aspect, if these are known; `human`
    has the means. `remarks` are names in `REMARKS`, of summaries that this program wrote; `given` are the scores
    that came with the summary, by the names of their metrics.
    """

    document_id: str
    system: str
    text: str
    human: Mapping[str, float] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    given: tuple[tuple[str, float], ...] = ()
    annotators: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """True if the system wrote nothing but white space: no metric scores that, and no study asks about it."""
        return not self.text.strip()


@dataclass(frozen=True, slots=True)
class Example:
    """The input of a metric: one candidate and the texts that it may be compared with."""

    document_id: str
    system: str
    candidate: str
    references: tuple[str, ...]
    title: str | None
    source: str
    questions: tuple[ClozeQuestion, ...] = ()
    against: str = REFERENCE
    """The kind of its references: `REFERENCE`, or `SOURCE` if its source replaces them."""


def set_against_source(example: Example) -> Example:
    """Return the example with its source in the place of references and title; without a source it has neither.

    >>> set_against_source(Example("d", "s", "Rain.", ("Rain fell.",), "Weather", "Rain fell in May.")).references
    ('Rain fell in May.',)
    """
    source = (example.source,) if example.source.strip() else ()
    return replace(example, references=source, title=None, against=SOURCE)


def make_examples(
    document: Document, summaries: Iterable[Summary], systems: Collection[str] | None = None
) -> list[Example]:
    """Pair a document's candidates with the references that they are scored against, in the order given.

    `summaries` are all of the document's, as the references depend on them. If `systems` are given, only their
    candidates are returned.

    A reference or title that is itself a candidate (systems `reference:N` and `title`) is withheld from *all*
    candidates of the document, and so is another one of the same text: it would match itself perfectly, and two
    candidates of one document must be measured against the same texts. A reference that any other system wrote, too,
    is withheld if the document has another one (`drop_own_references`).
    """
    summaries = list(summaries)
    others, title = withhold_named(document, summaries)
    references = drop_own_references(others, [summary.text for summary in summaries])
    source = document.source_text
    return [
        Example(document.id, s.system, s.text, references, title, source, document.questions)
        for s in summaries
        if systems is None or s.system in systems
    ]


def withhold_named(document: Document, summaries: Iterable[Summary]) -> tuple[tuple[str, ...], str | None]:
    """Return a document's references and title without those that are systems by name (`reference:N`, `title`)."""
    candidates = {summary.system: summary.text for summary in summaries}
    human = {f"{REFERENCE_SYSTEM}{number}": text for number, text in enumerate(document.references, 1)}
    if document.title is not None:
        human[TITLE_SYSTEM] = document.title
    standing = {text for system, text in human.items() if candidates.get(system) == text}
    references = tuple(text for text in document.references if text not in standing)
    return references, None if document.title in standing else document.title


def drop_own_references(references: tuple[str, ...], candidates: Iterable[str]) -> tuple[str, ...]:
    """Return the references that are not also candidates, as `fold_text` compares them; all, if none would be left.

    A corpus may rate one of several references as a system, which would then be compared with itself. Where a text is
    the only reference, a system that wrote the same is as good as it can be, and the other candidates need it.

    >>> drop_own_references(("The ferry stops.", "A bus runs."), ["the ferry stops"])
    ('A bus runs.',)
    >>> drop_own_references(("The ferry stops.",), ["The ferry stops."])
    ('The ferry stops.',)
    """
    if len(references) < 2:
        return references
    own = set(map(fold_text, candidates))
    return tuple(text for text in references if fold_text(text) not in own) or references


def fold_text(text: str) -> str:
    r"""Return a text without what does not make another text of it: white space, case, final punctuation, Unicode form.

    >>> fold_text(" The ferry\tStops. ")
    'the ferry stops'
    """
    words = " ".join(unicodedata.normalize("NFC", text.casefold()).split())
    end = len(words)
    while end and unicodedata.category(words[end - 1]).startswith(("P", "Z")):
        end -= 1
    return words[:end] or words
