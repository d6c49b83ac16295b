"""PageRank, by which TextRank and LexRank rank words and sentences (Brin & Page 1998)."""

import numpy as np
from numpy.typing import NDArray

DAMPING = 0.85
"""Probability of following an edge instead of jumping to any vertex, as in both papers."""


def pagerank(weights: NDArray[np.float64]) -> list[float]:
    """Return the PageRank of each vertex of a graph; all ranks sum to 1.

    `weights`, shape (vertices, vertices), are those of the edges, 0 for no edge. A vertex without an edge passes its
    rank on to all.
    """
    if not (size := len(weights)):
        return []
    out = weights.sum(axis=1, keepdims=True)
    followed = np.divide(weights, out, out=np.full_like(weights, 1 / size), where=out > 0)
    rank = np.full(size, 1 / size)
    for _ in range(1000):  # the damping halves the error every four or five times
        before, rank = rank, DAMPING * (rank @ followed) + (1 - DAMPING) / size
        if np.abs(rank - before).sum() < 1e-12:
            break
    return [float(value) for value in rank]
