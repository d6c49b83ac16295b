"""What it does to a p value that pairs of one document are not independent: ROUGE-1 against length on SummEval.

python -m benchmarks.documents
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from relevance.analysis.agreement.counts import Rule, credit_pairs
from relevance.analysis.significance import compare_metrics, exact_mcnemar
from relevance.data.importers import read_documents
from relevance.data.preferences import rated_pairs
from relevance.metrics import make_metrics
from relevance.metrics.scoring import score_cells

SUMMEVAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "summeval.jsonl"
FLIPS = 1_000_000
"""So many that a p of .004 is off by .0001; of 10,000, as tables draw, by .0006: seeds give .0028 to .0045."""


class Clustering(NamedTuple):
    """Two metrics on the same pairs."""

    pairs: int
    documents: int
    p_pairs: float | None
    """Of the exact McNemar test, which takes pairs to be independent; None for a rule by which a tie earns half."""
    p_documents: float | None
    """Of sign flips of whole documents."""
    design_effect: float
    """How many times larger the variance of the difference is than with as many independent pairs."""


def rouge1_against_length(rule: Rule, file: Path = SUMMEVAL) -> Clustering:
    """The README's figures: expert relevance, ROUGE-1 against the first reference."""
    cells, _ = score_cells(list(read_documents(file)), make_metrics(["rouge1", "length"], references="first"))
    preferences = rated_pairs(cells, "relevance")
    credits = {
        name: credit_pairs(preferences.choices, difference, rule)
        for name, difference in preferences.differences().items()
    }
    (comparison,) = compare_metrics(credits, preferences.document, flips=FLIPS)
    first, second = credits.values()
    counted = ~(np.isnan(first) | np.isnan(second))
    difference = (first - second)[counted]
    _, document = np.unique(preferences.document[counted].astype(str), return_inverse=True)
    rest = difference - difference.mean()
    of_documents = np.bincount(document, weights=rest)
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    return Clustering(
        pairs=len(difference),
        documents=len(of_documents),
        p_pairs=exact_mcnemar(wins, losses) if rule == "strict" else None,
        p_documents=comparison.p,
        design_effect=float((of_documents @ of_documents) / (rest @ rest)),
    )


if __name__ == "__main__":
    for rule in ("strict", "half"):
        comparison = rouge1_against_length(rule)
        print(
            f"ROUGE-1 against length by the rule {rule}, {comparison.pairs} pairs of {comparison.documents} documents"
        )
        if comparison.p_pairs is not None:
            print(f"  p pair by pair, exact McNemar: {comparison.p_pairs:.0e}")
        print(f"  p by documents, {FLIPS} sign flips: {comparison.p_documents:.4f}")
        print(f"  design effect: {comparison.design_effect:.1f}")
