"""Tables: rows of cells, each a number, an interval, a text, or undefined with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from relevance.analysis.people.reliability import Estimate
from relevance.analysis.ratio_intervals import FEWEST_ANNOTATORS, Interval
from relevance.data.wording import format_count


class Undefined(NamedTuple):
    """An undefined number with its reason."""

    reason: str


class Range(NamedTuple):
    """Both ends of an interval."""

    low: float
    high: float


class Marked(NamedTuple):
    """A number with a sign that the notes of its table explain, or with a standard deviation over runs."""

    value: float
    mark: str = ""
    std: float | None = None


Cell = str | int | float | bool | Range | Undefined | Marked


class Table(NamedTuple):
    """A table under its title."""

    name: str
    """Its name in files, such as `agreement`."""
    title: str
    rows: Sequence[Mapping[str, Cell]]
    """Every row has the same columns in the same order."""
    notes: Sequence[str] = ()
    """The notes under it."""
    empty: str = "there is nothing to count"
    """The reason why there are no rows, if there are none."""

    def select(self, columns: Mapping[str, str], rows: Sequence[Mapping[str, Cell]] | None = None) -> Table:
        """Return the table with some of its columns, renamed; `columns` are the new names by the old ones.

        `rows`, if given, replace the table's.
        """
        chosen = self.rows if rows is None else rows
        return self._replace(rows=[{new: row[old] for old, new in columns.items() if old in row} for row in chosen])


GROWS = "Keyword recall grows with length: read ROUGE-K beside the words."
"""A note wherever ROUGE-K of systems is shown."""

NOT_WEIGHED = "Not weighed:"
"""The beginning of a note that is repeated under each table it concerns, unlike the notes that are printed once."""

DAGGER = "†"
"""The mark of a system that beats the baselines."""


def number_cell(value: float | None, reason: str | None) -> Cell:
    """Return a number, or `Undefined` with the reason."""
    return Undefined(reason or "nothing to count") if value is None else value


def ratio_intervals_note(level: float, over: str, units: str = "pairs") -> str:
    """Say how intervals of ratios were made, in the words of all tables that have them."""
    return (
        f"Intervals: {level:.0%}, Clopper and Pearson's, for as many independent {units} as would leave a ratio as "
        f"unsure as the {over} do (Korn and Graubard 1998)."
    )


def few_annotators_notes(people: int) -> list[str]:
    """Say what intervals and p values hold for where those who judged are too few to speak of others; 0: nobody's."""
    if not 0 < people < FEWEST_ANNOTATORS:
        return []
    return [
        f"{format_count(people, 'person', 'people')} judged, too few to speak of others, which takes "
        f"{FEWEST_ANNOTATORS}: intervals and p values hold for other documents judged by the same "
        f"{'person' if people == 1 else 'people'}."
    ]


def interval(estimate: Interval | Estimate | Any) -> Cell:
    """Return the ends of an interval, or `Undefined` with the reason."""
    if estimate.low is None or estimate.high is None:
        return Undefined(estimate.reason or "no interval")
    return Range(estimate.low, estimate.high)
