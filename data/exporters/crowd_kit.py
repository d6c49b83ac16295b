"""Judgments as the comparisons that Crowd-Kit aggregates (Ustalov et al. 2024): `worker, left, right, label`.

Its methods, such as Bradley-Terry, rank items: here these are systems, whatever the document.
"""

from data.exporters.pairwise import JudgedTexts


def record(judgment: JudgedTexts) -> dict[str, str] | None:
    """A judgment as a comparison, whose label is the system that was chosen; None for a tie, which there is not."""
    if judgment.chosen is None:
        return None
    left, right = judgment.systems
    return {"worker": judgment.annotator, "left": left, "right": right, "label": judgment.chosen}
