"""Texts in one form of Unicode: programs write an accented letter as one character or as two, and mean the same."""

from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import is_normalized, normalize

from relevance.data.cleaning import CHARACTER


class Composed(NamedTuple):
    """A text in Unicode's form NFC, whose characters are known in the original."""

    text: str
    starts: Sequence[int]
    """The place in the original where each character begins."""
    ends: Sequence[int]
    """The place in the original where each character ends."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span in the original of a stretch of at least one character."""
        return self.starts[start], self.ends[end - 1]


def compose(text: str) -> Composed:
    r"""Return a text in Unicode's form NFC, in which equal letters are equal characters.

    Programs write an accented letter as one character or as two. What is read here is read alike, but for the tokenizer
    `ascii`, which does as the `rouge-score` package.

    >>> compose("cafe\u0301 au lait").text == "caf\u00e9 au lait"
    True
    >>> compose("cafe\u0301 au lait").span(0, 4)
    (0, 5)
    """
    if is_normalized("NFC", text):
        return as_composed(text)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in CHARACTER.finditer(text):
        piece = normalize("NFC", match[0])
        pieces.append(piece)
        if piece == match[0]:
            starts += range(*match.span())
            ends += range(match.start() + 1, match.end() + 1)
        else:
            starts += [match.start()] * len(piece)
            ends += [match.end()] * len(piece)
    return Composed("".join(pieces), starts, ends)


def as_composed(text: str) -> Composed:
    """Return a text as it is, as if it were composed."""
    return Composed(text, range(len(text)), range(1, len(text) + 1))
