"""Runs metrics over a data set: in batches that stay in the tokens' cache, stored scores first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from data.records import Document, Example, Summary, examples
from data.store import DataStore, StoredScore
from metrics.base import Metric, Score

DOCUMENTS = 32
"""Documents per batch: small enough that every text of a batch stays in the cache while all metrics see it."""

BATCH = 1024
"""Examples per commit of `score_dataset`."""

Progress = Callable[[int, int], None]
"""Receives how many examples are done, and how many there are."""


def ignore(done: int, total: int) -> None:
    """Drop progress."""


def score_records(
    records: Iterable[tuple[Document, Sequence[Summary]]], metrics: Sequence[Metric]
) -> Iterator[tuple[Example, dict[str, Score]]]:
    """Score every candidate by every metric, in order; the scores are named by their metric."""
    waiting = iter(records)
    while batch := list(islice(waiting, DOCUMENTS)):
        together = [example for document, summaries in batch for example in examples(document, summaries)]
        columns = {metric.name: metric.score(together) for metric in metrics}
        for row, example in enumerate(together):
            yield example, {name: scores[row] for name, scores in columns.items()}


def score_record(example: Example, scores: Mapping[str, Score]) -> dict[str, Any]:
    """One scored summary as a line of a score file; a missing score is null and has its reason in `missing`."""
    record: dict[str, Any] = {
        "instance_id": example.document_id,
        "summarizer_id": example.system,
        "metrics": {name: score.value for name, score in scores.items()},
    }
    missing = {name: score.missing for name, score in scores.items() if score.missing is not None}
    return record | {"missing": missing} if missing else record


def score_dataset(
    store: DataStore, dataset: str, metrics: Sequence[Metric], progress: Progress = ignore
) -> dict[str, int]:
    """Compute and store the scores of a data set that are not stored yet; returns how many, by metric.

    Each batch is committed before the next is computed, so that a run that was cut short goes on where it stopped.
    Raises `UnknownDataset`.
    """
    found = store.examples(dataset)
    waiting = {
        metric.name: dict(store.unscored(dataset=dataset, signature=metric.signature, among=found))
        for metric in metrics
    }
    total = sum(map(len, waiting.values()))
    done = 0
    progress(done, total)
    keys = list(found)
    for start in range(0, len(keys), BATCH):
        for metric in metrics:
            batch = {key: found[key] for key in keys[start : start + BATCH] if key in waiting[metric.name]}
            if batch:
                scores = metric.score(list(batch.values()))
                kept = {key: StoredScore(s.value, s.missing) for key, s in zip(batch, scores, strict=True)}
                store.add_scores(metric=metric.name, signature=metric.signature, scores=kept)
                done += len(batch)
                progress(done, total)
    return {name: len(those) for name, those in waiting.items()}
