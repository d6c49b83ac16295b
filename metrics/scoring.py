"""Runs metrics over a data set: in batches that stay in the tokens' cache, stored scores first."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from data.cells import Cells
from data.one_line import message
from data.records import Document, Example, Summary, make_examples
from data.signatures import is_length
from data.store import DataStore, StoredScore
from metrics.base import Metric, Score, score_candidates
from metrics.length import Length
from metrics.models.files import BadModel, ModelUnavailable

DOCUMENTS = 16
"""Documents per batch: small enough that every text of a batch stays in the cache while all metrics see it."""

BATCH = 64
"""Examples per commit of `score_dataset`; the token vectors of so many stay within the encoder's memory."""

ENOUGH = 3
"""Batches in a row after whose failure a metric is given up."""

ProgressCallback = Callable[[int, int], None]
"""Receives how many examples are done, and how many there are."""


def ignore(done: int, total: int) -> None:
    """Drop progress."""


class Failures(dict[str, str]):
    """Reasons why metrics failed, by name; a model that fails does not end the run."""

    def __init__(self) -> None:
        super().__init__()
        self.in_a_row: Counter[str] = Counter()

    def score(self, metric: Metric, examples: Sequence[Example]) -> list[Score] | None:
        """Score a batch, or note why that fails.

        A metric whose model cannot be had, or that failed at `ENOUGH` batches in a row, is not tried again. Raises
        `BadModel`.
        """
        if self.in_a_row[metric.name] >= ENOUGH:
            return None
        try:
            scores = [finite(score) for score in score_candidates(metric, examples)]
            self.in_a_row[metric.name] = 0
            return scores
        except BadModel:  # input, which is taken whole or refused whole
            raise
        except Exception as error:  # whatever else a model raises concerns its metric only
            self.in_a_row[metric.name] += ENOUGH if isinstance(error, ModelUnavailable) else 1
            said = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            self[metric.name] = message(said)
            return None


def finite(score: Score) -> Score:
    """The score, missing where a model gave no number: no table and no database takes another."""
    return score if score.value is None or math.isfinite(score.value) else Score(None, "the model gave no number")


def score_records(
    records: Iterable[tuple[Document, Sequence[Summary]]],
    metrics: Sequence[Metric],
    failures: Failures | None = None,
    systems: Collection[str] | None = None,
) -> Iterator[tuple[Example, dict[str, Score]]]:
    """Score every candidate, or those of some systems, by every metric, in order; the scores are named by their metric.

    The scores of a metric that fails are missing with the reason, which is also left in `failures`.
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
    """One scored summary as a line of a score file; a missing score is null and has its reason in `missing`.

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
    """Compute and store the scores of a data set that are not stored yet; returns how many, by metric.

    Each batch is committed before the next is computed, so that a run that was cut short goes on where it stopped.
    What a metric that fails leaves undone is not stored, so that the next run tries again; `failures` has the reasons.
    Raises `UnknownDataset`.
    """
    failures = Failures() if failures is None else failures
    found = store.examples(dataset)
    waiting = {
        metric.name: dict(store.unscored(dataset=dataset, signature=metric.signature, among=found))
        for metric in metrics
    }
    total = sum(map(len, waiting.values()))
    done = 0
    computed = dict.fromkeys(waiting, 0)
    progress(done, total)
    keys = list(found)
    for start in range(0, len(keys), BATCH):
        for metric in metrics:
            batch = {key: found[key] for key in keys[start : start + BATCH] if key in waiting[metric.name]}
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
    """The records have no human ratings of the aspect that was asked for."""


class MissingCounts(NamedTuple):
    """How many scores of a metric are missing or truncated."""

    missing: int
    """Summaries without a score."""
    truncated: int
    """Summaries of which a model saw only a part, or only a part of what they were compared with."""


def score_cells(
    records: Iterable[tuple[Document, Sequence[Summary]]],
    metrics: Sequence[Metric],
    failures: Failures | None = None,
    systems: Collection[str] | None = None,
) -> tuple[Cells, dict[str, MissingCounts]]:
    """Score all summaries, or those of some systems: columns of scores and ratings, and by signature what is missing.

    The cells are sorted by document and system, and scored so, which is why no figure depends on the order of the
    records. The scores of a metric that fails are missing; `failures` has the reasons.
    """
    records = sorted(
        ((document, sorted(summaries, key=lambda summary: summary.system)) for document, summaries in records),
        key=lambda record: record[0].id,
    )
    human = {(document.id, s.system): s.human for document, summaries in records for s in summaries}
    scored = list(score_records(records, metrics, failures, systems))
    ratings = [human[example.document_id, example.system] for example, _ in scored]
    aspects = dict.fromkeys(aspect for of_summary in ratings for aspect in of_summary)
    cells = Cells(
        documents=tuple(example.document_id for example, _ in scored),
        systems=tuple(example.system for example, _ in scored),
        ratings={aspect: np.array([r.get(aspect, math.nan) for r in ratings], dtype=np.float64) for aspect in aspects},
        scores={
            metric.signature: np.array([scores[metric.name].value for _, scores in scored], dtype=np.float64)
            for metric in metrics
        },
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
    """Add the metric `length` as a baseline."""
    return [*metrics] if any(is_length(metric.name) for metric in metrics) else [*metrics, Length()]


def check_ratings(records: Iterable[tuple[Document, Sequence[Summary]]], human: str) -> None:
    """Refuse an aspect without ratings. Raises `NoRatings`."""
    aspects = dict.fromkeys(aspect for _, summaries in records for s in summaries for aspect in s.human)
    if human not in aspects:
        raise NoRatings(f"there are no human ratings of {human!r}; there are {', '.join(aspects) or 'none at all'}")
