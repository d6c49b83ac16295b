"""Pairs of summaries on which two metrics disagree; no human data is used."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from relevance.analysis.agreement.pairs import group_by_document, pairs_by_document
from relevance.analysis.arrays import Integers, keep_names, read_numbers, same_length
from relevance.analysis.ratio_intervals import Interval, interval_of_counts, name_sampled_units
from relevance.analysis.threads import map_ahead
from relevance.data.ties import preference_signs


class Discrepancy(NamedTuple):
    """The disagreement of two metrics on all pairs of summaries of one document for which both have values."""

    first: str
    second: str
    pairs: int
    """Pairs for which both have values."""
    documents: int
    parted: int
    """Pairs on which the metrics prefer different summaries."""
    tied: int
    """Pairs on which at least one metric prefers neither."""
    share: float | None
    """parted / pairs, in [0, 1]."""
    share_interval: Interval
    decided: float | None
    """parted / (pairs - tied), in [0, 1]: the share of the pairs that both metrics decide."""
    decided_interval: Interval
    over: str
    """The units treated as a sample, in words."""


def discrepancies(
    scores: Mapping[str, ArrayLike],
    compared: Sequence[tuple[str, str]],
    documents: Iterable[Hashable],
) -> list[Discrepancy]:
    """Count the pairs of summaries of one document on which two metrics disagree, for each two that are `compared`.

    `scores` hold the values of the cells by name, shape (n,), NaN if missing; `documents` the document of each cell.
    Differences within 1e-9 of 0 are ties, which disagree with nothing. Intervals are those of `ratio_intervals`.
    Raises `ValueError` for other shapes and infinite numbers.
    Source: Takeshita et al. 2024, ROUGE-K: Do Your Summaries Have Keywords?, which gives one such share.
    """
    documents = keep_names(documents)
    columns = {
        name: read_numbers(scores[name], name) for name in dict.fromkeys(name for two in compared for name in two)
    }
    for column in columns.values():
        same_length(scores=column, documents=documents)
    groups = group_by_document(documents, np.ones(len(documents), dtype=np.bool_))
    # by document: pairs for which both have values, those on which they disagree, and those that both decide
    totals = np.zeros((3, len(compared), len(groups)), dtype=np.intp)

    def compare(pairs: tuple[Integers, Integers, Integers]) -> tuple[slice, Integers]:
        first, second, document = pairs
        some = slice(int(document[0]), int(document[-1]) + 1)
        counts = np.empty((3, len(compared), some.stop - some.start), dtype=np.intp)
        preferred = {name: preference_signs(column[first] - column[second]) for name, column in columns.items()}
        for place, (first_metric, second_metric) in enumerate(compared):
            product = preferred[first_metric] * preferred[second_metric]
            for kind, mask in enumerate((~np.isnan(product), product < 0, np.abs(product) == 1)):
                counts[kind, place] = np.bincount(document[mask] - some.start, minlength=counts.shape[2])
        return some, counts

    for some, counts in map_ahead(compare, pairs_by_document(groups)):
        totals[..., some] += counts
    return [
        Discrepancy(
            first_metric,
            second_metric,
            pairs=(pairs := int(both.sum())),
            documents=int(np.count_nonzero(both)),
            parted=(count := int(apart.sum())),
            tied=pairs - int(sure.sum()),
            share=count / pairs if pairs else None,
            share_interval=interval_of_counts(apart, both),
            decided=count / int(sure.sum()) if sure.any() else None,
            decided_interval=interval_of_counts(apart, sure),
            over=name_sampled_units(None),
        )
        for (first_metric, second_metric), both, apart, sure in zip(compared, *totals, strict=True)
    ]
