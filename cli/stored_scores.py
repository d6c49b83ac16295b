"""Scores of data sets that commands need: those that are missing are computed and stored."""

from collections.abc import Sequence

from relevance.cli.shared import show_document_progress
from relevance.data.store import DataStore
from relevance.metrics.base import Metric
from relevance.metrics.keywords.lists import refuse_ambiguous
from relevance.metrics.rouge_k import RougeK
from relevance.metrics.scoring import Failures, score_dataset


def score_missing(store: DataStore, name: str, metrics: Sequence[Metric], failures: Failures) -> dict[str, int]:
    """Compute and store the missing scores of a data set; return their number by metric."""
    for metric in metrics:
        if isinstance(metric, RougeK) and metric.lists is not None:
            refuse_ambiguous(metric.lists, store.records(name))

    def kept(done: int) -> str:
        stored = f"{done} scores are stored, and the same command continues from there"
        return stored if done else "nothing was scored yet"

    with show_document_progress("scoring", name, kept) as progress:
        return score_dataset(store, name, metrics, progress, failures)
