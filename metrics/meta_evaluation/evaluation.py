"""Everything that a table says of one metric against human ratings."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from numpy.typing import ArrayLike

from metrics.meta_evaluation.agreement import Agreement, agreement, within_document_pairs
from metrics.meta_evaluation.arrays import numbers, same_length
from metrics.meta_evaluation.bootstrap import Intervals, agreement_intervals
from metrics.meta_evaluation.correlation import Levels, correlate


class Evaluation(NamedTuple):
    """One metric against the ratings of the same cells."""

    agreement: Agreement
    """Over all pairs of cells of one document."""
    intervals: Intervals
    """Of the agreement's ratios, by bootstrap over documents."""
    pearson: Levels
    """Pearson's correlation of the cells' scores with their ratings."""
    kendall: Levels
    """Kendall's tau-b of the same."""


def evaluate(
    human: ArrayLike,
    values: ArrayLike,
    documents: Iterable[Hashable],
    systems: Iterable[Hashable],
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Evaluation:
    """Hold a metric's scores against human ratings, both of shape (n,), one entry a cell; NaN is missing.

    `documents` and `systems` hold the document and the system of each cell. Metrics evaluated on the same
    cells share pairs and bootstrap draws. Raises `ValueError` for other shapes, infinite numbers, a level
    outside (0, 1) and less than one resample.
    """
    human, values = numbers(human, "human"), numbers(values, "values")
    documents, systems = list(documents), list(systems)
    same_length(human=human, values=values, documents=documents, systems=systems)
    first, second = within_document_pairs(documents)
    preferred, difference = human[first] - human[second], values[first] - values[second]
    pair_documents = [documents[cell] for cell in first]
    return Evaluation(
        agreement(preferred, difference),
        agreement_intervals(preferred, difference, pair_documents, level=level, resamples=resamples, seed=seed),
        pearson=correlate(human, values, documents, systems, method="pearson"),
        kendall=correlate(human, values, documents, systems, method="kendall"),
    )
