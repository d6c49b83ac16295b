"""The ratings of a table: what their values mean, and who gave them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import fmean

from relevance.data import reading
from relevance.data.importers.delimited import NUMBER
from relevance.data.importers.mapping import NOTHING, SKIP, Columns
from relevance.data.importers.pairwise import count, number_annotator
from relevance.data.reading import FileLine, list_some, quote_value
from relevance.data.records import UnknownValues

NUMBERED = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:[:=)]|-{1,2}|[\u2013\u2014])\s*[^\d\s].*", re.DOTALL)
"""A number with what it stands for: `2: Yes--there are no errors`, `5 - very good`."""


def read_numbered(value: str) -> float | None:
    """Return the number of a rating that says what it stands for; None for another text.

    >>> read_numbered("2: Yes--there are no errors"), read_numbered("Agree")
    (2.0, None)
    """
    match = NUMBERED.fullmatch(value.strip())
    return float(match[1]) if match else None


@dataclass
class RatingValues:
    """The meanings of the values of all columns of ratings, with their counts, as a table is read."""

    columns: Columns = NOTHING
    counts: dict[str, Counter[tuple[str, float | None]]] = field(default_factory=dict)
    """By column: texts and the number that each means, None for one that is left out."""
    unknown: dict[str, Counter[str]] = field(default_factory=dict)
    first: FileLine | None = None
    """The line of the first unknown value."""
    missing: int = 0

    def read(self, place: FileLine, value: object, aspect: str, column: str) -> float | None:
        """Return a rating; None if there is none, or if its value is not known. Raises `BadRecord`."""
        trimmed = reading.trim_name(value) if isinstance(value, str) else value
        meaning = self.columns.values.get(trimmed) if isinstance(trimmed, str) else None
        if meaning is None and reading.is_missing(value):
            self.missing += 1
            return None
        if not isinstance(trimmed, str) or (meaning is None and NUMBER.fullmatch(trimmed)):
            number = parse_number(place, trimmed, column)
        elif meaning == SKIP:
            self.note(column, trimmed, None)
            return None
        elif (known := read_numbered(trimmed) if meaning is None else as_number(meaning)) is None:
            self.first = self.first or place
            self.unknown.setdefault(column, Counter())[trimmed] += 1
            return None
        else:
            self.note(column, trimmed, known)
            number = known
        low, high = self.columns.scales.get(aspect, (number, number))
        if not low <= number <= high:
            place.refuse(
                f"{column} is {number:g}, and its scale goes from {low:g} to {high:g}: correct it, or leave it blank"
            )
        return number

    def note(self, column: str, text: str, number: float | None) -> None:
        """Count a text that stands for a number, or for no rating."""
        self.counts.setdefault(column, Counter())[text, number] += 1

    def check(self) -> None:
        """Refuse a table with values of which nobody knows what they mean. Raises `BadRecord`."""
        if self.first is None:
            return
        column, values = next(iter(self.unknown.items()))
        listed = list_some([f"{quote_value(value)} ({number:,})" for value, number in values.items()])
        raise UnknownValues(
            f"{self.first}: {column} must be a number such as 4 or 3.5, not {listed}",
            f"; say what values mean by --values VALUE=NUMBER,... or in a file of --columns ({SKIP} for no rating)",
            column,
            {value: times for of_column in self.unknown.values() for value, times in of_column.items()},
            ratings=True,
        )

    def describe(self) -> Iterator[str]:
        """Say what values that are not numbers were taken for, and how many are missing."""
        for column, values in self.counts.items():
            pieces = [
                f"{quote_value(value)} is {'left out' if number is None else f'{number:g}'} ({times:,})"
                for (value, number), times in values.items()
            ]
            yield f"ratings in {quote_value(column)}: {list_some(pieces, '; ')}"
        if self.missing:
            yield reading.describe_unrated(self.missing)


def as_number(meaning: str) -> float | None:
    """Return the number that somebody said; None for a meaning of choices."""
    return float(meaning) if NUMBER.fullmatch(meaning) else None


def parse_number(place: FileLine, value: object, name: str) -> float:
    """Read a number; a text table has it as digits, written as in JSON. Raises `BadRecord`."""
    if isinstance(value, str):
        if not NUMBER.fullmatch(value):
            place.refuse(f"{name} must be a number such as 4 or 3.5, not {quote_value(value)}")
        value = reading.parse_json_value(place, value)
    return reading.parse_number(place, value, name)


@dataclass
class Annotated:
    """The annotators of a file, numbered in the order in which they come, and how many ratings they gave."""

    people: dict[str, str] = field(default_factory=dict)
    ratings: dict[str, list[float]] = field(default_factory=dict)
    """By aspect."""
    several: set[str] = field(default_factory=set)
    """The aspects of which some summary has several ratings."""
    unnamed: int = 0
    """The ratings whose annotator the file does not name."""

    def name(self, called: str) -> str:
        """Return the name of an annotator who is called so in the file: a number, or what is one already."""
        return number_annotator(self.people, called)

    def add(self, annotators: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
        """Count the ratings of a summary, and return their means by aspect."""
        given: dict[str, list[float]] = {}
        for annotator in annotators.values():
            for aspect, rating in annotator.items():
                given.setdefault(aspect, []).append(rating)
        for aspect, ratings in given.items():
            self.ratings.setdefault(aspect, []).extend(ratings)
            if len(ratings) > 1:
                self.several.add(aspect)
        return {aspect: fmean(ratings) for aspect, ratings in given.items()}

    def describe(self) -> Iterator[str]:
        """Say how many ratings there are, from where to where they go, and that their means stand for them."""
        by = f" by {count(len(self.people), 'annotator')}" if self.people else ""
        for aspect, ratings in self.ratings.items():
            means = "; their means count, and each is kept" if aspect in self.several else ""
            yield f"ratings of {aspect}: {len(ratings):,}{by}, from {min(ratings):g} to {max(ratings):g}{means}"
        if self.unnamed:
            yield describe_unnamed(self.unnamed)


def name_unnamed(number: int) -> str:
    """Return the name of whoever gave the rating of this number to a summary, where the file does not say it.

    >>> name_unnamed(2)
    'unknown 2'
    """
    return f"unknown {number}"


def describe_unnamed(ratings: int) -> str:
    """Say that nobody knows who gave ratings."""
    return (
        f"{count(ratings, 'rating')} without an annotator in the file: the first of each summary are by "
        f"{name_unnamed(1)!r}, the second by {name_unnamed(2)!r} and so on, whoever gave them"
    )
