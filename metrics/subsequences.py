"""Longest common subsequences of words; of several of the same length, the one that `rouge-score` finds."""

from collections import defaultdict
from collections.abc import Sequence


def places_of(sentence: Sequence[str]) -> dict[str, int]:
    """Return for each word its places in a sentence, as bits."""
    places: dict[str, int] = defaultdict(int)
    for place, word in enumerate(sentence):
        places[word] |= 1 << place
    return dict(places)


def subsequence(places: dict[str, int], other: Sequence[str]) -> list[tuple[int, int]]:
    """Return the longest common subsequence of a sentence, given by `places_of`, and another, as places in both.

    Bit i of row j says that the first i + 1 words have a longer one with the first j + 1 of the other than the first i
    have (Hyyrö 2004, Bit-parallel LCS-length computation revisited). Going back from the end, `rouge-score` drops a
    word of the other sentence exactly where that bit is set, and otherwise a word of the sentence.
    """
    met = [places.get(word, 0) for word in other]
    if not any(met):
        return []
    every = (1 << max(places.values()).bit_length()) - 1
    flat, rows = every, []
    for match in met:
        shared = flat & match
        flat = (flat + shared | flat - shared) & every
        rows.append(every & ~flat)
    common, below = [], every
    for place in range(len(other) - 1, -1, -1):
        # The next word of the sentence that matches, or where the bit says to drop the other's word.
        at = ((met[place] | rows[place]) & below).bit_length() - 1
        if at < 0:
            break
        if met[place] >> at & 1:
            common.append((at, place))
            below = (1 << at) - 1
        else:
            below = (1 << at + 1) - 1
    return common[::-1]
