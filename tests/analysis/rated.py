"""Rated summaries of documents, and metrics that are right on some of them."""

import numpy as np

from relevance.data.cells import Cells
from relevance.data.preferences import Preferences, rated_pairs


def rated(documents: int, **right: int) -> Preferences:
    """Two systems a document, of which people prefer the first; each metric does so in the first documents only."""
    names = [f"d{n:03}" for n in range(documents) for _ in range(2)]
    systems = ["a", "b"] * documents
    scores = {
        metric: np.array([float((n < count) == (place == 0)) for n in range(documents) for place in range(2)])
        for metric, count in right.items()
    }
    ratings = {"relevance": np.array([1.0, 0.0] * documents)}
    return rated_pairs(Cells(tuple(names), tuple(systems), ratings, scores), "relevance")
