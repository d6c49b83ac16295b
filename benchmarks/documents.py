"""What it does to a p value that pairs of one document are not independent: ROUGE-1 against length on SummEval.

python -m benchmarks.documents
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from data.importers import read
from data.preferences import rated_pairs
from metrics import Options, metrics
from metrics.analysis import analyze_agreement, score_cells
from metrics.meta_evaluation import credit, exact_mcnemar

SUMMEVAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "summeval.jsonl"


class Clustering(NamedTuple):
    """Two metrics on the same pairs, by the rule strict."""

    pairs: int
    documents: int
    p_pairs: float
    """Of the exact McNemar test, which takes pairs to be independent."""
    p_documents: float
    """Of the test that `relevance analyze` prints, which takes documents to be."""
    test: str
    """What that test is."""
    design_effect: float
    """How many times larger the variance of the difference is than with as many independent pairs."""


def rouge1_against_length(file: Path = SUMMEVAL) -> Clustering:
    """The README's figures: relevance, ROUGE-1 against the first reference."""
    cells, _ = score_cells(list(read(file)), metrics(["rouge1", "length"], Options(references="first")))
    preferences = rated_pairs(cells, "relevance")
    analysis = analyze_agreement(preferences, rule="strict")
    (found,) = analysis.comparisons
    first, second = (credit(preferences.choices, one, "strict") for one in preferences.differences().values())
    counted = ~(np.isnan(first) | np.isnan(second))
    difference = (first - second)[counted]
    _, document = np.unique(preferences.document[counted].astype(str), return_inverse=True)
    rest = np.bincount(document, weights=difference - difference.mean())
    if found.p is None or found.test is None:
        raise ValueError(found.reason)
    return Clustering(
        pairs=len(difference),
        documents=len(rest),
        p_pairs=exact_mcnemar(int((difference > 0).sum()), int((difference < 0).sum())),
        p_documents=found.p,
        test=found.test,
        design_effect=float((rest @ rest) / ((difference - difference.mean()) ** 2).sum()),
    )


if __name__ == "__main__":
    found = rouge1_against_length()
    print(f"{found.pairs} pairs of {found.documents} documents, ROUGE-1 against length, strict")
    print(f"p pair by pair (exact McNemar)  {found.p_pairs:.1e}")
    print(f"p ({found.test})  {found.p_documents:.4f}")
    print(f"design effect  {found.design_effect:.1f}")
