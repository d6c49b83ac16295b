"""Scoring of data sets: in batches that stay in the tokens' cache, and without the scores that are stored."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from relevance.data.cells import Cells, collect_ratings
from relevance.data.one_line import message
from relevance.data.records import Document, Example, Summary, make_examples
from relevance.data.signatures import is_length
from relevance.data.store import DataStore, StoredScore
from relevance.metrics.base import Metric, Score, score_candidates
from relevance.metrics.length import Length
from relevance.metrics.models.files import BadModel, ModelUnavailable

DOCUMENTS = 16
"""The documents of a batch: few enough that every text of a batch stays in the cache while all metrics see it."""

BATCH = 64
"""The examples of a commit of `score_dataset`: their token vectors fit into the encoder's memory."""

ENOUGH = 3
"""The number of failed batches in a row after which a metric is given up."""

ProgressCallback = Callable[[int, int], None]
"""A callback that receives the number of examples that are done, and the number of all."""


def ignore(done: int, total: int) -> None:
    """Ignore progress."""


class Failures(dict[str, str]):
    """The reasons why metrics failed, by name; a model that fails does not end the run."""

    def __init__(self) -> None:
        super().__init__()
        self.in_a_row: Counter[str] = Counter()

    def score(self, metric: Metric, examples: Sequence[Example]) -> list[Score] | None:
        """Score a batch, or note why that fails and return None.

        A metric whose model is unavailable, or that failed at `ENOUGH` batches in a row, is not tried again. Raises
        `BadModel`.
        """
        if self.in_a_row[metric.name] >= ENOUGH:
            return None
        try:
            scores = score_candidates(metric, examples)
            self.in_a_row[metric.name] = 0
            return scores
        except BadModel:  # input, which is taken whole or refused whole
            raise
        except Exception as error:  # whatever else a model raises concerns its metric only
            self.in_a_row[metric.name] += ENOUGH if isinstance(error, ModelUnavailable) else 1
            reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            self[metric.name] = message(reason)
            return None


def score_records(
    records: Iterable[tuple[Document, Sequence[Summary]]],
    metrics: Sequence[Metric],
    failures: Failures | None = None,
    systems: Collection[str] | None = None,
) -> Iterator[tuple[Example, dict[str, Score]]]:
    """Score every candidate, or those of some systems, by every metric, in order; yield scores by the metric's name.

    If a metric fails, its scores are missing with the reason, which is also left in `failures`.
    """
    failures = Failures() if failures is None else failures
    waiting = iter(records)
    while batch := list(islice(waiting, DOCUMENTS)):
        together = [example for document, summaries in batch for example in make_examples(document, summaries, systems)]
        columns = {metric.name: failures.score(metric, together) for metric in metrics}
        for row, example in enumerate(together):
            yield (
                example,
                {
                    name: scores[row] if scores is not None else Score(None, f"failed: {failures[name]}")
                    for name, scores in columns.items()
                },
            )


def score_record(example: Example, scores: Mapping[str, Score]) -> dict[str, Any]:
    """Return a scored summary as a line of a score file; a missing score is null and has its reason in `missing`.

    `truncated` names the metrics whose model did not see the end of a text.
    """
    record: dict[str, Any] = {
        "instance_id": example.document_id,
        "summarizer_id": example.system,
        "metrics": {name: score.value for name, score in scores.items()},
    }
    missing = {name: score.missing for name, score in scores.items() if score.missing is not None}
    truncated = [name for name, score in scores.items() if score.truncated]
    return record | ({"missing": missing} if missing else {}) | ({"truncated": truncated} if truncated else {})


def score_dataset(
    store: DataStore,
    dataset: str,
    metrics: Sequence[Metric],
    progress: ProgressCallback = ignore,
    failures: Failures | None = None,
) -> dict[str, int]:
    """Compute and store the scores of a data set that are not stored yet; return their number by metric.

    Each batch is committed before the next is computed, so that an interrupted run resumes where it stopped. A metric
    that fails leaves its scores unstored, so that the next run tries again; `failures` has the reasons. Raises
    `UnknownDataset`.
    """
    failures = Failures() if failures is None else failures
    examples = store.examples(dataset)
    waiting = {
        metric.name: dict(store.unscored(dataset=dataset, signature=metric.signature, among=examples))
        for metric in metrics
    }
    total = sum(map(len, waiting.values()))
    done = 0
    computed = dict.fromkeys(waiting, 0)
    progress(done, total)
    keys = list(examples)
    for start in range(0, len(keys), BATCH):
        for metric in metrics:
            batch = {key: examples[key] for key in keys[start : start + BATCH] if key in waiting[metric.name]}
            if not batch:
                continue
            scores = failures.score(metric, list(batch.values()))
            if scores is not None:
                kept = {
                    key: StoredScore(score.value, score.missing, score.truncated)
                    for key, score in zip(batch, scores, strict=True)
                }
                store.add_scores(metric=metric.name, signature=metric.signature, scores=kept)
                computed[metric.name] += len(batch)
            done += len(batch)
            progress(done, total)
    return computed


class NoRatings(ValueError):
    """The records have no human ratings of the requested aspect."""


class MissingCounts(NamedTuple):
    """The numbers of a metric's missing and truncated scores."""

    missing: int
    """The number of summaries without a score."""
    truncated: int
    """The number of summaries scored by a model that did not see the end of them, their references or the source."""


def score_cells(
    records: Iterable[tuple[Document, Sequence[Summary]]],
    metrics: Sequence[Metric],
    failures: Failures | None = None,
    systems: Collection[str] | None = None,
) -> tuple[Cells, dict[str, MissingCounts]]:
    """Score all summaries, or those of some systems; return scores and ratings as columns, and gaps by signature.

    The cells are sorted by document and system, and scored in this order, so that no figure depends on the order of the
    records. The scores of a metric that fails are missing; `failures` has the reasons.
    """
    records = sorted(
        ((document, sorted(summaries, key=lambda summary: summary.system)) for document, summaries in records),
        key=lambda record: record[0].id,
    )
    rated = {(document.id, s.system): s for document, summaries in records for s in summaries}
    scored = list(score_records(records, metrics, failures, systems))
    written = [rated[example.document_id, example.system] for example, _ in scored]
    ratings = [summary.human for summary in written]
    aspects = dict.fromkeys(aspect for of_summary in ratings for aspect in of_summary)
    cells = Cells(
        documents=tuple(example.document_id for example, _ in scored),
        systems=tuple(example.system for example, _ in scored),
        ratings={aspect: np.array([r.get(aspect, math.nan) for r in ratings], dtype=np.float64) for aspect in aspects},
        scores={
            metric.signature: np.array([scores[metric.name].value for _, scores in scored], dtype=np.float64)
            for metric in metrics
        },
        single=collect_ratings(summary.annotators for summary in written),
    )
    gaps = {
        metric.signature: MissingCounts(
            sum(scores[metric.name].value is None for _, scores in scored),
            sum(scores[metric.name].truncated for _, scores in scored),
        )
        for metric in metrics
    }
    return cells, gaps


def with_length(metrics: Sequence[Metric]) -> list[Metric]:
    """Return the metrics with `length` added as a baseline, unless it is among them."""
    return [*metrics] if any(is_length(metric.name) for metric in metrics) else [*metrics, Length()]


def check_ratings(records: Iterable[tuple[Document, Sequence[Summary]]], human: str) -> None:
    """Refuse an aspect without ratings. Raises `NoRatings`."""
    aspects = dict.fromkeys(aspect for _, summaries in records for s in summaries for aspect in s.human)
    if human not in aspects:
        raise NoRatings(f"there are no human ratings of {human!r}; there are {', '.join(aspects) or 'none at all'}")
