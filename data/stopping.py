"""What is known of a study that ends by a stopping rule: the judgments of its complete documents, and the decision."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class StoppingDecision(NamedTuple):
    """What decided that a study stops, as it was at that moment; nothing that is judged later changes it."""

    documents: int
    """Complete documents."""
    counted: int
    """Those of them that have a judgment that counts."""
    wealth: float
    mean: float | None
    """Of the documents' differences, with both ends of the confidence sequence, in [-1, 1]; None where none counts."""
    low: float
    high: float
    rejected: bool
    """Whether the wealth was enough; else there were no more documents."""


@dataclass(frozen=True, eq=False)
class CompleteDocuments:
    """The documents, from the first in the drawn order on, of which every pair was judged as often as is wanted.

    An entry is a judgment that was wanted. The order was drawn at random, whatever the number of a document's pairs,
    and `document` is a document's place in it.
    """

    first: str
    """The signature of the scores whose agreement with people is compared,"""
    second: str | None
    """and that of those it is compared with; None is one half."""
    alpha: float
    drawn: int
    """How many documents the study has."""
    documents: int
    """How many are complete."""
    document: NDArray[np.intp]
    """Shape (n,): the place of each entry's document, from 0."""
    choices: NDArray[np.float64]
    """Shape (n,): 1 for the first summary, -1 for the second, 0 for a tie."""
    first_differences: NDArray[np.float64]
    """Shape (n,): the score of the first summary minus that of the second; NaN is missing."""
    second_differences: NDArray[np.float64] | None
    """The same of the metric that it is compared with."""
    decision: StoppingDecision | None = None
    decided_at: datetime | None = None
