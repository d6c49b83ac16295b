"""Published comparisons of two texts by people, and the data set and judgments made of them."""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple

from relevance.data import reading
from relevance.data.reading import FileLine, Say, say_nothing
from relevance.data.records import Document, Summary

LEFT, RIGHT, TIE, BOTH_BAD = "left", "right", "tie", "both_bad"
"""The choices between two texts; two bad ones are a tie."""

STAMP = re.compile(r"\w{3} (\w{3} \d\d? \d\d:\d\d:\d\d) (PST|PDT|UTC|GMT) (\d{4})")
"""A time as MTurk writes it: `Mon Jan 02 15:04:05 PST 2023`."""
ZONES = {"PST": -8, "PDT": -7, "UTC": 0, "GMT": 0}

YEARS = (1990, 2200)
"""The years in which a judgment can have been made."""


BY_NUMBER = re.compile(r"(?:annotator|unknown|expert|turker) \d+")
"""Names of annotators that an earlier import made."""


class Question(NamedTuple):
    """One of the questions that people were asked about each pair."""

    name: str = ""
    """Its name, if the file has several."""
    wording: str | None = None
    """How it was asked; None if the file does not say."""


ONLY = Question()
"""The question of a file that has one, and does not say it."""


class Comparison(NamedTuple):
    """A line of a file: somebody's choice between two texts of a document, the left one first."""

    place: FileLine
    document: Document
    systems: tuple[str, str]
    texts: tuple[str, str] | None
    """None if the file does not have them."""
    choice: str
    judge: str | None
    """The annotator's name in the file; None if it does not say."""
    decided_at: datetime | None
    """The time of the choice; None if the file does not say."""
    comment: str | None = None
    """The annotator's comment."""
    question: Question = ONLY


@dataclass(frozen=True, slots=True)
class GivenJudgment:
    """A judgment of two summaries of a document, identified by their systems in the data set."""

    document_id: str
    left: str
    right: str
    choice: str
    annotator: str
    decided_at: datetime | None
    comment: str | None
    question: Question
    place: FileLine = field(compare=False)
    """Its row in the file."""


class JudgedPairs(NamedTuple):
    """A file of comparisons as a data set and its judgments, in the order of the file."""

    records: list[tuple[Document, list[Summary]]]
    judgments: list[GivenJudgment]
    identical: int
    """The number of compared pairs that are left out, as their texts differ only in white space."""
    notes: tuple[str, ...]
    """Plain sentences about what was left out or renamed."""


Read = Callable[[Path, Say], Iterator[Comparison]]


@dataclass
class Gathered:
    """The data set and judgments of a file of comparisons, as it is read."""

    documents: dict[str, tuple[FileLine, Document]] = field(default_factory=dict)
    """By id: the first line of a document, and the document with the references of all lines."""
    names: dict[str, dict[tuple[str, str], str]] = field(default_factory=dict)
    """By document: the name of each system with a text."""
    taken: dict[str, dict[str, str]] = field(default_factory=dict)
    """By document: the text of each name."""
    numbers: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """By document: the last number given to a system's texts, less one."""
    people: dict[str, str] = field(default_factory=dict)
    judged: set[tuple[str, str, str, frozenset[str]]] = field(default_factory=set)
    """Questions and annotators with the pairs that they have judged."""
    unknown: Counter[tuple[str, str, frozenset[str]]] = field(default_factory=Counter)
    """The number of anonymous judgments of each pair, by question."""
    identical: set[tuple[str, frozenset[str]]] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)

    def add_document(self, place: FileLine, document: Document) -> None:
        """Add a document. Raises `BadRecord` if its id has another text or title."""
        before, known = self.documents.setdefault(document.id, (place, document))
        if document is known:
            return
        if replace(document, references=known.references) != known:
            place.refuse(
                f"the document {reading.quote_value(document.id)} has another text or title in {before.beside(place)}"
            )
        references = dict.fromkeys((*known.references, *document.references))
        if len(references) > len(known.references):
            self.documents[document.id] = before, replace(known, references=tuple(references))

    def name(self, document_id: str, system: str, text: str) -> str:
        """Return the name of a system's text: its system, with a number from its second text on."""
        names, taken = self.names.setdefault(document_id, {}), self.taken.setdefault(document_id, {})
        if (system, text) not in names:
            called, numbers = system, self.numbers[document_id]
            while called in taken:
                numbers[system] += 1
                called = f"{system[: reading.MAX_NAME - 8]}#{numbers[system] + 1}"
            self.counts["renamed"] += called != system
            names[system, text], taken[called] = called, text
        return names[system, text]

    def judgment(self, comparison: Comparison) -> GivenJudgment | None:
        """Make a judgment of a comparison; None if it is left out, and counted."""
        document_id = comparison.document.id
        texts = comparison.texts or ("", "")
        left, right = (self.name(document_id, *each) for each in zip(comparison.systems, texts, strict=True))
        pair = document_id, frozenset((left, right))
        if comparison.texts is not None and not all(text.strip() for text in texts):
            self.counts["empty"] += 1
            return None
        if left == right or (comparison.texts is not None and fold(texts[0]) == fold(texts[1])):
            self.counts["identical"] += 1
            self.identical.add(pair)
            return None
        if comparison.judge is None:
            key = (comparison.question.name, *pair)
            self.unknown[key] += 1
            annotator = f"unknown {self.unknown[key]}"
        else:
            annotator = number_annotator(self.people, comparison.judge)
            judged = (comparison.question.name, annotator, *pair)
            if judged in self.judged:
                self.counts["repeated"] += 1
                return None
            self.judged.add(judged)
        return GivenJudgment(
            document_id,
            left,
            right,
            comparison.choice,
            annotator,
            comparison.decided_at,
            comparison.comment,
            comparison.question,
            comparison.place,
        )

    def notes(self) -> Iterator[str]:
        """Yield sentences about what was left out or renamed."""
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
                "named SYSTEM#2, SYSTEM#3 and so on"
            )
        if self.unknown:
            yield (
                f"{count(self.unknown.total(), 'judgment')} without an annotator in the file: the first of each "
                "pair are by 'unknown 1', the second by 'unknown 2' and so on, whoever made them"
            )


def gather(comparisons: Iterable[Comparison]) -> JudgedPairs:
    """Make a data set and its judgments of comparisons.

    A document's summaries are the compared texts. A system with several texts of one document is named NAME#2 from the
    second on. Annotators are numbered in the order of the file; of two judgments of a pair by one annotator, the first
    counts. Anonymous judgments get as few annotators as can have made them: the n-th judgment of any pair is by
    `unknown n`. Nobody can prefer a text to itself, or judge an empty one: such comparisons are left out. All of this
    is counted in the notes.

    Raises `BadRecord` if a document's id has two texts.
    """
    gathered = Gathered()
    judgments = []
    for comparison in comparisons:
        gathered.add_document(comparison.place, comparison.document)
        judgment = gathered.judgment(comparison)
        if judgment is not None:
            judgments.append(judgment)
    records = [
        (document, [Summary(document.id, name, text) for name, text in gathered.taken[document.id].items()])
        for _, document in gathered.documents.values()
    ]
    return JudgedPairs(records, judgments, len(gathered.identical), tuple(gathered.notes()))


def records_of(read: Read, path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Yield only the documents and summaries of a file of comparisons."""
    yield from gather(read(path, say)).records


def moment(place: FileLine, value: object, name: str) -> datetime | None:
    """Read a time; None for null. Raises `BadRecord`.

    It is in seconds or milliseconds since 1970, in ISO 8601, in UTC if it has no zone, or as MTurk writes it.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        reading.parse_number(place, value, name)
    parsed = parse_moment(value)
    if parsed is None:
        place.refuse(f"{name} is not a time from {YEARS[0]} to {YEARS[1]}: {reading.quote_value(value)}")
    return parsed


def parse_moment(value: object) -> datetime | None:
    """Read a time as `moment` does; None for what is no such time.

    >>> parse_moment("2026-01-02T03:04:05Z"), parse_moment("yesterday")
    (datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc), None)
    """
    try:
        if isinstance(value, str) and len(value) > 8 and value.replace(".", "", 1).isdecimal():  # 20240102 is a day
            value = float(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            parsed = datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, UTC)
        elif isinstance(value, str) and (stamp := STAMP.fullmatch(value.strip())):
            parsed = datetime.strptime(f"{stamp[1]} {stamp[3]}", "%b %d %H:%M:%S %Y")
            parsed = parsed.replace(tzinfo=timezone(timedelta(hours=ZONES[stamp[2]]))).astimezone(UTC)
        else:
            parsed = datetime.fromisoformat(str(value))
            parsed = parsed.replace(tzinfo=parsed.tzinfo or UTC).astimezone(UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return parsed if YEARS[0] <= parsed.year <= YEARS[1] else None


def number_annotator(people: dict[str, str], called: str) -> str:
    """Return the number of an annotator who is called so in a file, as `people` have it or as the next of them.

    >>> people = {}
    >>> number_annotator(people, "Zoe"), number_annotator(people, "annotator 7"), number_annotator(people, "Zoe")
    ('annotator 1', 'annotator 7', 'annotator 1')
    """
    if called not in people:
        taken = set(people.values())
        free = (f"annotator {number}" for number in itertools.count(len(people) + 1))
        people[called] = called if BY_NUMBER.fullmatch(called) else next(name for name in free if name not in taken)
    return people[called]


def fold(text: str) -> str:
    """Return a text with each run of white space as one space."""
    return " ".join(text.split())


def count(number: int, what: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def read_judged(read: Read, path: Path, say: Say = say_nothing) -> JudgedPairs:
    """Read all of a file of comparisons. Raises `BadRecord`, also if it holds none that can be judged."""
    return check_not_empty(gather(read(path, say)), path)


def check_not_empty(judged: JudgedPairs, path: Path) -> JudgedPairs:
    """Refuse a file without judgments. Raises `BadRecord`."""
    if not judged.judgments:
        why = f" ({'; '.join(judged.notes)})" if judged.notes else ""
        FileLine(path, 1).refuse(f"the file holds no judgments{why}")
    return judged
