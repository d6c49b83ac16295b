"""The state of a study with a stopping rule: the judgments of its complete documents, and the decision."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class StoppingDecision(NamedTuple):
    """The decision to stop a study, as it was at that moment; later judgments do not change it."""

    documents: int
    """Complete documents."""
    counted: int
    """The number of them with a judgment that counts."""
    wealth: float
    mean: float | None
    """The mean of the documents' differences, with both ends of the confidence sequence, in [-1, 1]; None if none
    counts."""
    low: float
    high: float
    rejected: bool
    """True if the wealth was enough; otherwise there were no more documents."""


@dataclass(frozen=True, eq=False)
class CompleteDocuments:
    """The documents whose pairs all have the wanted number of judgments, from the first in the drawn order on.

    An entry is a wanted judgment of a pair. The order of documents was drawn at random, independently of the number of
    a document's pairs, and `document` is a document's position in it. Pairs are those of all the study's documents.
    """

    first: str
    """The signature of the scores whose agreement with people is compared."""
    second: str | None
    """The signature of the scores that it is compared with; None compares with one half."""
    alpha: float
    drawn: int
    """The number of documents in the study."""
    documents: int
    """The number of complete documents."""
    wanted: int
    """The number of judgments of each pair that the study wants."""
    pair: NDArray[np.intp]
    """Shape (n,): the position of each entry's pair, from 0."""
    choices: NDArray[np.float64]
    """Shape (n,): 1 for the first summary, -1 for the second, 0 for a tie."""
    document: NDArray[np.intp]
    """Shape (pairs,): the position of each pair's document, from 0; from `documents` on they are not complete."""
    first_differences: NDArray[np.float64]
    """Shape (pairs,): the score of the first summary minus that of the second; NaN is missing."""
    second_differences: NDArray[np.float64] | None
    """The same of the metric compared with."""
    weights: NDArray[np.float64] | None = None
    """Shape (pairs,): one over the probability with which each pair was drawn; None where all were drawn alike."""
    decision: StoppingDecision | None = None
    decided_at: datetime | None = None
