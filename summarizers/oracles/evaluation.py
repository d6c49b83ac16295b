"""All oracles over a data set: what each reached on each document, and the figures of Akhmetov et al.'s tables."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from math import sqrt
from typing import NamedTuple

import numpy as np

from data.records import Document
from metrics.base import check_option
from summarizers.base import Length, checked
from summarizers.oracles.algorithms import ALGORITHMS, SECONDS
from summarizers.oracles.oracle import Target, checked_target, find, limits_of

LEVEL = 0.95
"""Of the confidence intervals of means."""


class Task(NamedTuple):
    """What is asked of every document."""

    target: Target = Target()
    algorithms: tuple[str, ...] = tuple(ALGORITHMS)
    length: Length | None = None
    seed: int = 0
    seconds: float = SECONDS
    """For one search: an algorithm, a document, one of its references."""


class Row(NamedTuple):
    """What one algorithm reached on one document."""

    document_id: str
    algorithm: str
    f1: float
    places: tuple[int, ...]
    """Of its sentences in the source."""
    reference: int
    """Index of the reference whose F1 it is."""
    bound: float | None
    """No extract scores higher; None for algorithms that cannot tell."""
    proven: bool
    seconds: float


class Evaluation(NamedTuple):
    """The rows, document by document in the order of the task's algorithms, and the documents without an oracle."""

    rows: tuple[Row, ...]
    left_out: tuple[str, ...]
    """Ids of those without a sentence, or without a reference that has a token (or gives the length)."""


class Statistics(NamedTuple):
    """An algorithm over all documents. F1 in [0, 1], times in seconds."""

    algorithm: str
    documents: int
    mean: float
    std: float | None
    """Of a sample; None for a single document, as all that follows from it."""
    minimum: float
    lower_quartile: float
    median: float
    upper_quartile: float
    maximum: float
    variation: float | None
    """Coefficient of variation: std over mean; None where the mean is 0."""
    low: float | None
    """Confidence interval of the mean, by Student's t."""
    high: float | None
    sentences: float
    """Mean number of sentences."""
    gap: float | None
    """Mean of optimum minus F1 over the documents whose optimum is proven; None without one."""
    proven: float | None
    """Share of documents with a proven result; None for algorithms that cannot tell."""
    seconds: float
    """Mean of a document, all its references together."""
    longest: float
    """Most seconds for a document."""


def evaluate(
    documents: Sequence[Document],
    task: Task = Task(),  # noqa: B008  immutable
    *,
    processes: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Evaluation:
    """Run the algorithms on every document; `progress` hears of done and all documents, at first of none.

    The rows are the same for any number of child `processes` but for their seconds, unless the time ends a search. They
    are started anew (spawned), so that a script that calls this needs `if __name__ == "__main__"`; what a solver's C
    code prints there goes to standard error. With 0 all is done in this process, whose standard output then is not
    safe from it (`summarizers.oracles.exact`). Raises ValueError for unknown options.
    """
    checked_target(task.target)
    for algorithm in task.algorithms:
        check_option("algorithm", algorithm, ALGORITHMS)
    if task.length:
        checked(task.length)
    if processes < 0:
        raise ValueError(f"the number of processes must be at least 0, not {processes}")
    rows: list[Row] = []
    left_out = []
    progress(0, len(documents))
    with mapping(min(processes, len(documents))) as each:
        for done, (document, found) in enumerate(
            zip(documents, each(partial(rows_of, task), documents), strict=True), 1
        ):
            rows.extend(found)
            if not found:
                left_out.append(document.id)
            progress(done, len(documents))
    return Evaluation(tuple(rows), tuple(left_out))


Each = Callable[[Callable[[Document], list[Row]], Iterable[Document]], Iterable[list[Row]]]
"""Applies a function to documents, in order."""


@contextmanager
def mapping(processes: int) -> Iterator[Each]:
    """A `map` over so many child processes; what is not begun is dropped when its block is left early."""
    if not processes:
        yield map
        return
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), initializer=keep_stdout_clean)
    try:
        yield pool.map
    finally:
        pool.shutdown(cancel_futures=True)


def keep_stdout_clean() -> None:
    """Send what C code prints in a child process to standard error: standard output is the command's alone."""
    os.dup2(2, 1)


def rows_of(task: Task, document: Document) -> list[Row]:
    """A document's rows; none where it has no oracle."""
    limits = limits_of(task.length, document)
    if limits is None:
        return []
    rows = []
    for algorithm in task.algorithms:
        start = time.perf_counter()
        found = find(document, task.target, algorithm, limits=limits, seed=task.seed, seconds=task.seconds)
        seconds = time.perf_counter() - start
        if found is None:
            return []
        solution = found.solution
        rows.append(
            Row(
                document.id,
                algorithm,
                solution.f1,
                solution.sentences,
                found.reference,
                solution.bound,
                solution.proven,
                seconds,
            )
        )
    return rows


def statistics(rows: Iterable[Row]) -> list[Statistics]:
    """The figures of each algorithm, in the order in which they come first; none of no rows."""
    by_algorithm: dict[str, list[Row]] = {}
    for row in rows:
        by_algorithm.setdefault(row.algorithm, []).append(row)
    optimum = {row.document_id: row.f1 for row in by_algorithm.get("exact", ()) if row.proven}
    return [statistics_of(algorithm, found, optimum) for algorithm, found in by_algorithm.items()]


def statistics_of(algorithm: str, rows: Sequence[Row], optimum: dict[str, float]) -> Statistics:
    """One algorithm's figures; `optimum` has the proven ones by document."""
    f1 = np.array([row.f1 for row in rows])
    mean, std = float(f1.mean()), float(f1.std(ddof=1)) if len(f1) > 1 else None
    half = half_width(std, len(f1)) if std is not None else None
    gaps = [optimum[row.document_id] - row.f1 for row in rows if row.document_id in optimum]
    tells = any(row.bound is not None for row in rows)
    minimum, lower, median, upper, maximum = (float(value) for value in np.quantile(f1, (0, 0.25, 0.5, 0.75, 1)))
    seconds = [row.seconds for row in rows]
    return Statistics(
        algorithm=algorithm,
        documents=len(rows),
        mean=mean,
        std=std,
        minimum=minimum,
        lower_quartile=lower,
        median=median,
        upper_quartile=upper,
        maximum=maximum,
        variation=std / mean if std is not None and mean > 0 else None,
        low=mean - half if half is not None else None,
        high=mean + half if half is not None else None,
        sentences=float(np.mean([len(row.places) for row in rows])),
        gap=float(np.mean(gaps)) if gaps else None,
        proven=float(np.mean([row.proven for row in rows])) if tells else None,
        seconds=float(np.mean(seconds)),
        longest=max(seconds),
    )


def half_width(std: float, documents: int) -> float:
    """Half of the confidence interval of a mean over at least two documents."""
    from scipy.special import stdtrit

    return float(stdtrit(documents - 1, (1 + LEVEL) / 2)) * std / sqrt(documents)
