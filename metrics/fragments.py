"""Places of what two texts share: the longest common stretches of their words or characters."""

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from relevance.metrics.composing import compose
from relevance.metrics.text import Span


class Fragment(NamedTuple):
    """A stretch that stands in both sequences."""

    start: int
    """Where it begins in the first."""
    place: int
    """Where it begins in the second."""
    length: int


def find_fragments(ours: Sequence[Hashable], theirs: Sequence[Hashable], shortest: int = 1) -> Iterator[Fragment]:
    """Yield from left to right the longest stretch at each place that another sequence has, too.

    Stretches do not overlap in `ours`, and have `shortest` items or more. Of several in `theirs`, it is the first.

    >>> list(find_fragments("a cat sat".split(), "the cat sat on a mat".split()))
    [Fragment(start=0, place=4, length=1), Fragment(start=1, place=1, length=2)]

    Source: Grusky, Naaman, Artzi 2018, Newsroom, Figure 3.
    """
    places: dict[tuple[Hashable, ...], list[int]] = {}
    for place in range(len(theirs) - shortest + 1):
        places.setdefault(tuple(theirs[place : place + shortest]), []).append(place)
    start = 0
    while start <= len(ours) - shortest:
        best = Fragment(start, 0, 0)
        for place in places.get(tuple(ours[start : start + shortest]), ()):
            length = shortest
            while start + length < len(ours) and place + length < len(theirs):
                if ours[start + length] != theirs[place + length]:
                    break
                length += 1
            if length > best.length:
                best = Fragment(start, place, length)
        if best.length:
            yield best
        start += max(1, best.length)


def place_words(text: str, words: Sequence[str]) -> list[Span | None]:
    """Return where each word that a tokenizer found in a composed text stands in the text itself.

    It is None for a word that the tokenizer has rewritten.

    >>> place_words('a "b" a', ["a", "``", "b", "''", "a"])
    [(0, 1), None, (3, 4), None, (6, 7)]
    """
    places: list[Span | None] = []
    composed = compose(text)
    end = rewritten = 0
    for word in words:
        start = composed.text.find(word, end)
        between = len(composed.text[end:start].split())
        if start >= 0 and between <= rewritten:  # else it is a later one, and another word
            end, rewritten = start + len(word), 0
            places.append(composed.span(start, end))
        else:
            rewritten += 1
            places.append(None)
    return places
