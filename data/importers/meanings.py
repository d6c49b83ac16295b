"""The meanings of values of a choice between two texts: `A`, `Model B is better`, `Neither is more accurate`."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from relevance.data import reading
from relevance.data.importers.mapping import BAD, BY_SYSTEM, MEANINGS, SKIP
from relevance.data.importers.pairwise import LEFT, RIGHT, TIE, fold
from relevance.data.importers.rows import as_text
from relevance.data.reading import FileLine, list_some, quote_value
from relevance.data.records import UnknownValues

SIDES = (("left", "right"), ("a", "b"), ("1", "2"), ("first", "second"), ("one", "two"), ("0", "1"))
"""How the two sides are called, in names of columns and in choices."""
NOUN = "(?:summary|model|system|response|output|answer|text|option|candidate|assistant|item|version)"
CHOSEN = re.compile(
    rf"(?:the )?(?:{NOUN}[ _-]?)?(?P<side>left|right|a|b|0|1|2|first|second|one|two)(?:[ _-]?{NOUN})?"
    r"(?: is| was)?(?: (?:much|slightly|clearly|a bit|somewhat|significantly|far|a little))?"
    r"(?: (?:better|preferred|best|wins|won|more \w+))?\.?"
)
TIED = re.compile(
    r"tie|tied|draw|equal|equally good|equal quality|same|the same|about the same|both|both (?:are )?(?:equally )?good|"
    r"neither\b.*|no (?:clear )?preference|equivalent|similar|indifferent"
)
BOTH_BAD = re.compile(r"both[ _-]?bad|both (?:are )?(?:equally )?bad|tie \(both ?bad\)|neither is good")
NOT_JUDGED = reading.MISSING - {"none"}
"""Values for a judgment that was not made; "none" could also be a tie."""


@dataclass
class Meanings:
    """The meanings of the values of a column of choices, with their counts and the line of the first unknown one."""

    told: Mapping[str, str]
    """The meanings that the importing person gave."""
    names: tuple[str, str]
    """The names of the columns of both texts, which a choice may name."""
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By value and meaning, in the order of the file; the meaning of an unknown value is empty."""
    seen: set[str] = field(default_factory=set)
    unknown: FileLine | None = None
    known: dict[str, str] = field(default_factory=dict)
    """The meanings of values by themselves, as found so far."""

    def find(self, place: FileLine, value: object, systems: tuple[str, str], texts: tuple[str, str]) -> str:
        """Return what a value means in a row: a side, a tie, `BAD`, `SKIP`, or "" if that is not known.

        It may name the side, the system, or be the text that was chosen. Raises `BadRecord` for one that names a side
        and the system on the other.
        """
        if isinstance(value, list | dict):
            place.refuse(f"a choice must be a text or a number, not {reading.kind(value)}")
        text = as_text(value)
        shown, meaning = self.explain(place, text, systems, texts)
        self.seen.add(text)
        self.counts[shown, meaning] += 1
        if not meaning and self.unknown is None:
            self.unknown = place
        return meaning

    def explain(self, place: FileLine, value: str, systems: tuple[str, str], texts: tuple[str, str]) -> tuple[str, str]:
        """Return how a value is shown among others, and what it means."""
        told = self.told.get(value)
        if told is not None and told != BY_SYSTEM:
            return value, told
        system = side_of(value, systems)
        if told == BY_SYSTEM:
            return (value, "") if system is None else (f"(the system on the {system})", system)
        if value not in self.known:
            self.known[value] = self.understand(value)
        meaning = self.known[value]
        if system is None:
            text = None if meaning or not value else side_of(fold(value), (fold(texts[0]), fold(texts[1])))
            return (value, meaning) if text is None else (f"(the text on the {text})", text)
        if meaning in (LEFT, RIGHT) and meaning != system:
            place.refuse(
                f"the choice {quote_value(value)} may mean the text on the {meaning}, or that of the system "
                f"{quote_value(value)} on the {system}",
                f": say which by --values {value}={meaning} or {value}={BY_SYSTEM}",
            )
        return (value, meaning) if meaning else (f"(the system on the {system})", system)

    def understand(self, text: str) -> str:
        """Return what a value means whatever its row; "" if that is not known."""
        folded = " ".join(text.casefold().split())
        if folded in NOT_JUDGED:
            return SKIP
        if BOTH_BAD.fullmatch(folded):
            return BAD
        if TIED.fullmatch(folded):
            return TIE
        if (by_column := side_of(text, self.names)) is not None:
            return by_column
        chosen = CHOSEN.fullmatch(folded)
        return self.words().get(chosen["side"], "") if chosen else ""

    def words(self) -> dict[str, str]:
        """Map the words for a side to the side: 0 and 1 where the columns are numbered so, and 1 and 2 otherwise."""
        numbers = [re.findall(r"\d", name) for name in self.names]
        other = ("1", "2") if numbers == [["0"], ["1"]] else ("0", "1")
        kept = [sides for sides in SIDES if sides != other]
        return {left: LEFT for left, _ in kept} | {right: RIGHT for _, right in kept}

    @property
    def understood(self) -> dict[str, str]:
        """The meanings of values that are clear by themselves, whatever their row."""
        return {value: meaning for value, meaning in self.known.items() if meaning and value}

    def check(self, column: str) -> None:
        """Refuse a table with a value whose meaning is not known. Raises `BadRecord`."""
        if self.unknown is None:
            return
        unknown = {value: number for (value, meaning), number in self.counts.items() if not meaning}
        listed = list_some([f"{quote_value(value)} ({number:,})" for value, number in unknown.items()])
        raise UnknownValues(
            f"{self.unknown}: it is not known what these values of {quote_value(column)} mean: {listed}",
            f"; say it by --values VALUE=MEANING,... or in a file of --columns; meanings are {', '.join(MEANINGS)} "
            f"({SKIP} leaves the row out)",
            column,
            unknown,
            ratings=False,
        )

    def describe(self, column: str) -> str:
        """Say what the values mean, with their counts."""
        meanings = {TIE: "a tie", SKIP: "not judged and left out", BAD: "a tie, of two bad texts"}
        values = (
            f"{quote_value(value) if value else '(blank)'} is {meanings.get(meaning, meaning)} ({number:,})"
            for (value, meaning), number in self.counts.items()
        )
        return f"choices in {quote_value(column)}: {'; '.join(values)}"


def side_of(text: str, names: tuple[str, str]) -> str | None:
    """Return the side that is called so, whatever the case; None for neither, or for both."""
    called = [name.casefold() == text.casefold() for name in names]
    return LEFT if called == [True, False] else RIGHT if called == [False, True] else None
