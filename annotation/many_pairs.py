"""The pairs of a document with very many summaries, found as arrays: two thousand systems make two million pairs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.data.ties import TIE

Numbers = NDArray[np.intp]


class Places(NamedTuple):
    """Pairs as the places of their candidates, which are sorted by system, and the numbers of those left out."""

    conflicts: tuple[Numbers, Numbers]
    others: tuple[Numbers, Numbers]
    identical: int
    unscored: int
    alike: int


def find_places(texts: Sequence[str], scores: Sequence[tuple[float | None, ...]], rule: str) -> Places:
    """Find the pairs of one document as `relevance.annotation.sampling.allow_pairs` does: same rules, same order."""
    numbers = np.unique(np.array(texts, dtype=object), return_inverse=True)[1]
    values = np.array(scores, dtype=np.float64).reshape(len(texts), -1)
    first, second = np.triu_indices(len(texts), 1)
    distinct = numbers[first] != numbers[second]
    difference = values[first] - values[second]
    preferred = np.where(np.abs(difference) > TIE, np.sign(difference), 0.0)  # a missing score prefers neither
    missing = np.isnan(difference).any(axis=1) & (rule == "rouge_k_differs")
    tied = (preferred == 0).all(axis=1) & (rule == "rouge_k_differs")
    allowed = np.flatnonzero(distinct & ~missing & ~tied)
    key = np.minimum(numbers[first], numbers[second]) * len(texts) + np.maximum(numbers[first], numbers[second])
    known, at = np.unique(key[allowed], return_index=True)  # the first pair of the same two texts is asked about
    kept = allowed[at]
    place = np.minimum(np.searchsorted(known, key), max(len(known) - 1, 0))
    repeated = np.zeros(len(key), dtype=bool)
    if len(known):
        repeated = distinct & (known[place] == key) & (np.arange(len(key)) > kept[place])
    left = distinct & ~repeated
    left[kept] = False
    kept.sort()
    conflict = (preferred[kept] > 0).any(axis=1) & (preferred[kept] < 0).any(axis=1) & (rule == "conflicts")
    return Places(
        (first[kept[conflict]], second[kept[conflict]]),
        (first[kept[~conflict]], second[kept[~conflict]]),
        identical=int((~distinct | repeated).sum()),
        unscored=int((left & missing).sum()),
        alike=int((left & ~missing).sum()),
    )
