"""Comparisons that people made of two texts, as published, and the data set and judgments that they come to."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from data import reading
from data.reading import FileLine, Say, say_nothing
from data.records import Document, Summary

LEFT, RIGHT, TIE = "left", "right", "tie"
"""What somebody chose of two texts."""

YEARS = (1990, 2200)
"""The years in which a judgment can have been made."""


class Comparison(NamedTuple):
    """A line of a file: what somebody chose of two texts of a document, the left one first."""

    place: FileLine
    document: Document
    systems: tuple[str, str]
    texts: tuple[str, str]
    choice: str
    judge: str | None
    """What the file calls whoever chose; None where it does not say."""
    decided_at: datetime | None
    """When they chose; None where the file does not say."""


class GivenJudgment(NamedTuple):
    """A judgment of two summaries of a document, named by their systems in the data set."""

    document_id: str
    left: str
    right: str
    choice: str
    annotator: str
    decided_at: datetime | None


class JudgedPairs(NamedTuple):
    """A file of comparisons as a data set and its judgments, in the order of the file."""

    records: list[tuple[Document, list[Summary]]]
    judgments: list[GivenJudgment]
    identical: int
    """Pairs that were compared and are left out, because their texts are the same but for white space."""
    notes: tuple[str, ...]
    """What was left out or called otherwise, as plain sentences."""


Read = Callable[[Path, Say], Iterator[Comparison]]


@dataclass
class Gathered:
    """What the comparisons of a file come to, as they are read."""

    documents: dict[str, tuple[FileLine, Document]] = field(default_factory=dict)
    names: dict[str, dict[tuple[str, str], str]] = field(default_factory=dict)
    """By document: what a system with a text is called."""
    taken: dict[str, dict[str, str]] = field(default_factory=dict)
    """By document: the text of each name."""
    numbers: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """By document: the last number that a system's texts were given, less one."""
    people: dict[str, str] = field(default_factory=dict)
    judged: set[tuple[str, str, frozenset[str]]] = field(default_factory=set)
    """Annotators with the pairs that they have judged."""
    unknown: Counter[tuple[str, frozenset[str]]] = field(default_factory=Counter)
    """How many judgments of a pair are nobody's in particular."""
    identical: set[tuple[str, frozenset[str]]] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)

    def add_document(self, place: FileLine, document: Document) -> None:
        """Take a document, or refuse it where its id stands for another text. Raises `BadRecord`."""
        before, known = self.documents.setdefault(document.id, (place, document))
        if known != document:
            place.refuse(
                f"the document {reading.quote_value(document.id)} has another text or title in line {before.line}"
            )

    def name(self, document_id: str, system: str, text: str) -> str:
        """What a system's text is called: by its system, and by a number as well from its second text on."""
        names, taken = self.names.setdefault(document_id, {}), self.taken.setdefault(document_id, {})
        if (system, text) not in names:
            called, numbers = system, self.numbers[document_id]
            while called in taken:
                numbers[system] += 1
                called = f"{system[: reading.MAX_NAME - 8]}#{numbers[system] + 1}"
            self.counts["renamed"] += called != system
            names[system, text], taken[called] = called, text
        return names[system, text]

    def judgment(self, one: Comparison) -> GivenJudgment | None:
        """The judgment that a comparison comes to; None where it is left out, and counted."""
        document_id = one.document.id
        left, right = (self.name(document_id, *each) for each in zip(one.systems, one.texts, strict=True))
        pair = document_id, frozenset((left, right))
        if not all(text.strip() for text in one.texts):
            self.counts["empty"] += 1
            return None
        if fold(one.texts[0]) == fold(one.texts[1]):
            self.counts["identical"] += 1
            self.identical.add(pair)
            return None
        if one.judge is None:
            self.unknown[pair] += 1
            annotator = f"unknown {self.unknown[pair]}"
        else:
            annotator = self.people.setdefault(one.judge, f"annotator {len(self.people) + 1}")
            if (annotator, *pair) in self.judged:
                self.counts["repeated"] += 1
                return None
            self.judged.add((annotator, *pair))
        return GivenJudgment(document_id, left, right, one.choice, annotator, one.decided_at)

    def notes(self) -> Iterator[str]:
        """What was left out or called otherwise."""
        counts = self.counts
        if counts["identical"]:
            yield f"{count(counts['identical'], 'comparison')} of a text with itself left out"
        if counts["empty"]:
            yield f"{count(counts['empty'], 'comparison')} with an empty text left out"
        if counts["repeated"]:
            yield (
                f"{count(counts['repeated'], 'comparison')} left out where somebody had already judged the same pair: "
                "the first judgment counts"
            )
        if counts["renamed"]:
            yield (
                f"{count(counts['renamed'], 'text')} beside another one by the same system for the same document: "
                "called SYSTEM#2, SYSTEM#3 and so on"
            )
        if self.unknown:
            yield (
                f"of {count(self.unknown.total(), 'judgment')} the file does not say whose they are: the first of each "
                "pair are by 'unknown 1', the second by 'unknown 2' and so on, whoever made them"
            )


def gather(comparisons: Iterable[Comparison]) -> JudgedPairs:
    """Turn comparisons into a data set and its judgments.

    A document's summaries are the texts that were compared. A system with several texts of one document is called
    NAME#2 from the second on. Annotators are numbered in the order of the file, and who judges a pair twice is taken at
    their first word. Judgments of nobody in particular are by as few annotators as can have made them: the n-th
    judgment of any pair is by `unknown n`. Nobody can prefer a text to itself, or judge an empty one: such comparisons
    are left out. All that is counted in the notes.

    Raises `BadRecord` where a document's id stands for two texts.
    """
    found = Gathered()
    judgments = []
    for one in comparisons:
        found.add_document(one.place, one.document)
        judgment = found.judgment(one)
        if judgment is not None:
            judgments.append(judgment)
    records = [
        (document, [Summary(document.id, name, text) for name, text in found.taken[document.id].items()])
        for _, document in found.documents.values()
    ]
    return JudgedPairs(records, judgments, len(found.identical), tuple(found.notes()))


def records_of(read: Read, path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Only the documents and summaries of a file of comparisons."""
    yield from gather(read(path, say)).records


def moment(place: FileLine, value: object, name: str) -> datetime | None:
    """A time in seconds or milliseconds since 1970, or in ISO 8601, taken as UTC where it says no zone; None for null.

    Raises `BadRecord`.
    """
    if value is None:
        return None
    number = None if isinstance(value, str) else reading.parse_number(place, value, name)
    try:
        if number is None:
            found = datetime.fromisoformat(str(value))
            found = found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
        else:
            found = datetime.fromtimestamp(number / 1000 if abs(number) > 1e11 else number, UTC)
    except (OverflowError, OSError, ValueError):
        found = None
    if found is None or not YEARS[0] <= found.year <= YEARS[1]:
        place.refuse(f"{name} is no time of the years {YEARS[0]} to {YEARS[1]}: {reading.quote_value(value)}")
    return found


def fold(text: str) -> str:
    """A text with each run of white space as one space."""
    return " ".join(text.split())


def count(number: int, what: str) -> str:
    """How many there are of something."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def read_judged(read: Read, path: Path, say: Say = say_nothing) -> JudgedPairs:
    """Read a file of comparisons whole. Raises `BadRecord`, also where it holds none that can be judged."""
    found = gather(read(path, say))
    if not found.judgments:
        why = f" ({'; '.join(found.notes)})" if found.notes else ""
        FileLine(path, 1).refuse(f"the file holds no judgments{why}")
    return found
