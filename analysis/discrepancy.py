"""How often two metrics prefer different summaries of a document; no human data is used."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.agreement import within_document_pairs
from analysis.arrays import read_numbers, same_length
from analysis.ratio_intervals import Interval, Ratio, name_sampled_units, ratio_intervals
from data.preferences import preference_signs


class Discrepancy(NamedTuple):
    """Two metrics on all pairs of summaries of one document for which both have values."""

    first: str
    """One metric."""
    second: str
    """The other one."""
    pairs: int
    """Pairs for which both have values."""
    documents: int
    """Documents of these pairs."""
    parted: int
    """Pairs in which one metric prefers the one summary and the other metric the other."""
    tied: int
    """Pairs in which either metric prefers neither."""
    share: float | None
    """parted / pairs, in [0, 1]."""
    share_interval: Interval
    """Its interval."""
    decided: float | None
    """parted / (pairs - tied), in [0, 1]: among the pairs that both metrics decide."""
    decided_interval: Interval
    """Its interval."""
    over: str
    """What is taken for a sample, in words."""


def discrepancies(
    scores: Mapping[str, ArrayLike],
    compared: Sequence[tuple[str, str]],
    documents: Iterable[Hashable],
    *,
    level: float = 0.95,
) -> list[Discrepancy]:
    """Count on how many pairs of summaries of one document two metrics part, for each two that are `compared`.

    `scores` hold by name the values of the cells, shape (n,), NaN where they are missing; `documents` the document of
    each cell. Differences within 1e-9 are ties, which part from nothing. Intervals are those of `ratio_intervals`.
    Raises `ValueError` for other shapes and infinite numbers.
    Source: Takeshita et al. 2024, ROUGE-K: Do Your Summaries Have Keywords?, which gives one such share.
    """
    documents = list(documents)
    first, second = within_document_pairs(documents)
    preferred = {}
    for name in dict.fromkeys(name for both in compared for name in both):
        column = read_numbers(scores[name], name)
        same_length(scores=column, documents=documents)
        preferred[name] = preference_signs(column[first] - column[second])
    of_pair = [documents[cell] for cell in first]
    ratios, found = [], []
    for one, other in compared:
        x, y = preferred[one], preferred[other]
        both = ~(np.isnan(x) | np.isnan(y))
        parted, decided = both & (x * y < 0), both & (x * y != 0)
        ratios += [Ratio(parted.astype(float), both.astype(float)), Ratio(parted.astype(float), decided.astype(float))]
        found.append((one, other, both, parted, decided))
    intervals = ratio_intervals(ratios, of_pair, level=level)
    return [
        Discrepancy(
            one,
            other,
            pairs=(pairs := int(both.sum())),
            documents=len({document for document, there in zip(of_pair, both, strict=True) if there}),
            parted=(count := int(parted.sum())),
            tied=pairs - int(decided.sum()),
            share=count / pairs if pairs else None,
            share_interval=intervals[2 * place],
            decided=count / int(decided.sum()) if decided.any() else None,
            decided_interval=intervals[2 * place + 1],
            over=name_sampled_units(None),
        )
        for place, (one, other, both, parted, decided) in enumerate(found)
    ]
