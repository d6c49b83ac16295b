"""Ties: values so close that neither is preferred."""

import numpy as np
from numpy.typing import NDArray

TIE = 1e-9
"""Two values closer than this are equal: ROUGE carries noise of 1e-16."""


def preference_signs(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the preferred of two: 1 for the first, -1 for the second, 0 for a tie within 1e-9, or NaN.

    `differences`, of any shape, are the first's value minus the second's; the result has their shape.
    """
    return np.where(np.abs(differences) <= TIE, 0.0, np.sign(differences))
