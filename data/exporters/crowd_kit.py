"""Judgments as the comparisons that Crowd-Kit aggregates (Ustalov et al. 2024): `worker, left, right, label`.

Its methods, such as Bradley-Terry, rank items: here these are systems, regardless of the document.
"""

from relevance.data.exporters.pairwise import JudgedTexts


def record(judgment: JudgedTexts) -> dict[str, str] | None:
    """Return a judgment as a comparison, whose label is the chosen system; None for a tie, which the format lacks."""
    if judgment.chosen is None:
        return None
    left, right = judgment.systems
    return {"worker": judgment.annotator, "left": left, "right": right, "label": judgment.chosen}
