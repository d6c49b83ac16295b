"""The draws of a bootstrap, as counts of how often each document and each system is drawn."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest

import numpy as np

from relevance.analysis.arrays import Floats
from relevance.analysis.correlation.resampled import WEIGHTS_AT_ONCE, Weights

AT_LEAST = 200
"""The fewest resamples at a time if documents alone are drawn: products of fewer wait for memory."""


def draw_weights(
    documents: int, systems: int, width: int, resamples: int, seed: int
) -> Iterator[tuple[slice, Weights]]:
    """Draw with replacement; yield slices of resamples with their weights, as many at a time as memory allows."""
    step = max(1, AT_LEAST if width == documents else 1, WEIGHTS_AT_ONCE // width)
    of_documents, of_systems = np.random.default_rng(seed), np.random.default_rng([seed, 1])

    def draw(random: np.random.Generator, size: int, rows: int) -> Floats:
        drawn = np.empty((rows, size))
        for row in drawn:
            row[:] = np.bincount(random.integers(size, size=size), minlength=size)
        return drawn

    def draw_both(rows: slice) -> Weights:
        count = rows.stop - rows.start
        return Weights(draw(of_documents, documents, count), draw(of_systems, systems, count))

    parts = [slice(start, min(start + step, resamples)) for start in range(0, resamples, step)]
    with ThreadPoolExecutor(1) as ahead:  # the next ones are drawn while these are used
        drawing = ahead.submit(draw_both, parts[0])
        for rows, following in zip_longest(parts, parts[1:]):
            weights = drawing.result()
            if following is not None:
                drawing = ahead.submit(draw_both, following)
            yield rows, weights
