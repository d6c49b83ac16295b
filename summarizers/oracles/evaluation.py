"""All oracles over a data set: what each reached on each document, and the figures of Akhmetov et al.'s tables."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import sqrt
from typing import NamedTuple

import numpy as np

from data.records import Document
from data.store import DataStore, StoredBound
from metrics.base import check_option
from metrics.text import rouge_words
from summarizers.base import SummaryLength, check_length
from summarizers.oracles.algorithms import ALGORITHMS, SECONDS
from summarizers.oracles.oracle import Oracle, Target, checked_target, find_extract, limits_of
from summarizers.oracles.problem import is_proven
from summarizers.processes import map_in_processes
from summarizers.sentences import sentences_of

LEVEL = 0.95
"""Of the confidence intervals of means."""

EVERY = 1.0
"""Seconds after which what was found is stored: at most so much work, and what is going on, is lost with the power."""


class OracleTask(NamedTuple):
    """The settings of a search over all documents."""

    target: Target = Target()
    algorithms: tuple[str, ...] = tuple(ALGORITHMS)
    length: SummaryLength | None = None
    seed: int = 0
    seconds: float = SECONDS
    """For one search: an algorithm, a document, one of its references."""
    sentences: tuple[int, int | None] | None = None
    """The fewest and most sentences of documents that are searched; None asks all, a most of None sets no limit."""

    def takes(self, document: Document) -> bool:
        """Whether a document has as many sentences as are asked for."""
        if self.sentences is None:
            return True
        fewest, most = self.sentences
        return fewest <= len(sentences_of(document)) and (most is None or len(sentences_of(document)) <= most)

    @property
    def signatures(self) -> dict[str, str]:
        """What each algorithm's results depend on: the signatures of the oracles that take part."""
        return {
            algorithm: Oracle(algorithm, self.target, self.length, self.seed, self.seconds).signature
            for algorithm in self.algorithms
        }


class OracleRow(NamedTuple):
    """One algorithm's result on one document."""

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
    """Of the search, all references together; the texts were split into stemmed words before."""


class OracleEvaluation(NamedTuple):
    """The rows, document by document in the order of the task's algorithms, and the documents without an oracle."""

    rows: tuple[OracleRow, ...]
    left_out: tuple[str, ...]
    """Ids of those without a sentence, or without a reference that has a token (or gives the length)."""


class AlgorithmStatistics(NamedTuple):
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
    """Confidence interval of the mean, by Student's t, cut to [0, 1], where F1 ends and t does not."""
    high: float | None
    sentences: float
    """Mean number of sentences."""
    gap: float | None
    """Mean of optimum minus F1 over the documents whose optimum is proven; None without one."""
    at_optimum: float | None
    """Share of these documents on which the F1 is the optimum, to within `PROVEN`; None without one."""
    proven: float | None
    """Share of documents with a proven result; None for algorithms that cannot tell."""
    seconds: float
    """Mean of a document, all its references together."""
    longest: float
    """Most seconds for a document."""
    unproven: int | None
    """Documents whose result may not be the optimum; None for algorithms that cannot tell."""
    bound: float | None
    """Mean of the bounds: no extracts have a higher mean F1; None for algorithms that cannot tell."""


def evaluate(
    documents: Sequence[Document],
    task: OracleTask = OracleTask(),  # noqa: B008  immutable
    *,
    processes: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> OracleEvaluation:
    """Run the algorithms on every document.

    `progress` hears of done and all documents, at first of none, and again while one waits for a search; what it raises
    ends the searches. The rows are the same for any number of child `processes` but for their seconds, unless the time
    ends a search; what a solver's C code prints there goes to standard error
    (`summarizers.processes.map_in_processes`). With 0 all is done in this process, whose standard output then is not
    safe from it (`summarizers.oracles.exact`). Raises ValueError for unknown options.
    """
    check_task(task, processes)
    rows: list[OracleRow] = []
    jobs = [(task, document) for document in documents]
    left_out = search_documents(jobs, rows.extend, len(documents), processes, progress)
    return OracleEvaluation(tuple(rows), left_out)


def load_evaluation(
    store: DataStore,
    dataset: str,
    task: OracleTask = OracleTask(),  # noqa: B008  immutable
    *,
    first: int | None = None,
) -> OracleEvaluation:
    """What is known of a data set's documents, or of the `first` of them: those that have a row of every algorithm.

    None is said to be left out. Raises `UnknownDataset`, ValueError for unknown options.
    """
    check_task(task)
    documents = [document for document, _ in store.records(dataset)[:first]]
    return OracleEvaluation(rows_among(documents, task, known_bounds(store, dataset, task)), ())


def evaluate_stored(
    store: DataStore,
    dataset: str,
    task: OracleTask = OracleTask(),  # noqa: B008  immutable
    *,
    first: int | None = None,
    processes: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> OracleEvaluation:
    """Run the algorithms on the documents of a data set, or on the `first` of them, where they have not run yet.

    Rows are stored as they come in, so that a run that ended early goes on where it stopped; all are returned, those
    that were there before with the seconds that they took then. A task with another seed, time or length has other
    rows. `progress` hears of done and all documents, at first of those that are there, again while one waits for a
    search, and may raise to stop: what was found is stored then. Processes are as in `evaluate`. Raises
    `UnknownDataset`, ValueError for unknown options.
    """
    check_task(task, processes)
    documents = [document for document, _ in store.records(dataset)[:first]]
    known = known_bounds(store, dataset, task)
    jobs = [
        (task._replace(algorithms=missing), document)
        for document in documents
        if (missing := tuple(name for name in task.algorithms if document.id not in known[name]))
        or not task.takes(document)
    ]
    signatures = task.signatures
    fresh: dict[str, dict[str, StoredBound]] = {}
    kept = time.monotonic()

    def add(found: Iterable[OracleRow]) -> None:
        for row in found:
            bound = StoredBound(row.f1, row.places, row.reference, row.bound, row.seconds)
            fresh.setdefault(row.algorithm, {})[row.document_id] = bound

    def keep(every: float = 0) -> None:
        nonlocal kept
        if time.monotonic() - kept >= every:
            for algorithm, bounds in fresh.items():
                store.add_bounds(dataset=dataset, signature=signatures[algorithm], bounds=bounds)
            fresh.clear()
            kept = time.monotonic()

    def tell(done: int, total: int) -> None:
        keep(EVERY)
        progress(done, total)

    try:
        left_out = search_documents(jobs, add, len(documents), processes, tell)
    finally:
        keep()
    # Another run may have stored a document first: what is told is what is kept.
    return OracleEvaluation(rows_among(documents, task, known_bounds(store, dataset, task)), left_out)


def known_bounds(store: DataStore, dataset: str, task: OracleTask) -> dict[str, dict[str, StoredBound]]:
    """What is stored of a task, by algorithm and document id."""
    return {
        algorithm: store.bounds(dataset=dataset, signature=signature)
        for algorithm, signature in task.signatures.items()
    }


def rows_among(
    documents: Iterable[Document], task: OracleTask, known: Mapping[str, Mapping[str, StoredBound]]
) -> tuple[OracleRow, ...]:
    """The rows of the documents that have one of every algorithm."""
    return tuple(
        to_row(document.id, algorithm, known[algorithm][document.id])
        for document in documents
        if task.takes(document) and all(document.id in known[algorithm] for algorithm in task.algorithms)
        for algorithm in task.algorithms
    )


def to_row(document_id: str, algorithm: str, found: StoredBound) -> OracleRow:
    """The row of what was stored."""
    proven = is_proven(found.f1, found.bound)
    return OracleRow(
        document_id, algorithm, found.f1, found.sentences, found.reference, found.bound, proven, found.seconds
    )


def check_task(task: OracleTask, processes: int = 0) -> None:
    """Check the settings. Raises ValueError for unknown options."""
    checked_target(task.target)
    for algorithm in task.algorithms:
        check_option("algorithm", algorithm, ALGORITHMS)
    if task.length:
        check_length(task.length)
    if processes < 0:
        raise ValueError(f"the number of processes must be at least 0, not {processes}")


def search_documents(
    jobs: Sequence[tuple[OracleTask, Document]],
    add: Callable[[list[OracleRow]], None],
    total: int,
    processes: int,
    progress: Callable[[int, int], None],
) -> tuple[str, ...]:
    """Hand the rows of each document's task to `add`, in order, as they come in; returns the ids of those without.

    `progress` hears how many of `total` documents are done, those without a job included, also while one waits.
    """
    tasks, documents = [task for task, _ in jobs], [document for _, document in jobs]
    left_out = []
    done = total - len(jobs)

    def tell() -> None:
        progress(done, total)

    tell()
    with map_in_processes(processes, tell) as each:
        for document, found in zip(documents, each(rows_of, tasks, documents), strict=True):
            add(found)
            if not found:
                left_out.append(document.id)
            done += 1
            tell()
    return tuple(left_out)


def rows_of(task: OracleTask, document: Document) -> list[OracleRow]:
    """A document's rows; none where it has no oracle."""
    limits = limits_of(task.length, document)
    if limits is None or not task.takes(document):
        return []
    load_libraries()
    for text in (*sentences_of(document), *document.references):  # or the first algorithm would pay for all
        rouge_words(text, task.target.tokenizer)
    rows = []
    for algorithm in task.algorithms:
        start = time.perf_counter()
        found = find_extract(document, task.target, algorithm, limits=limits, seed=task.seed, seconds=task.seconds)
        seconds = time.perf_counter() - start
        if found is None:
            return []
        solution = found.solution
        rows.append(
            OracleRow(
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


NO_SENTENCE = "the document has no sentence"
NO_REFERENCE = "it has no reference with a word"
OTHER_SCRIPT = "its references have no letter of a-z: such words count with --tokenizer unicode"
NO_LENGTH = "its first reference, which gives the length, has no word"


def why_left_out(document: Document, task: OracleTask) -> str:
    """Why a document in `Evaluation.left_out` has no oracle."""
    if not sentences_of(document):
        return NO_SENTENCE
    if not task.takes(document):
        return not_taken_reason(task)
    asked = document.references[:1] if task.target.references == "first" else document.references
    if not any(rouge_words(text, task.target.tokenizer) for text in asked):
        return OTHER_SCRIPT if any(rouge_words(text, "unicode") for text in asked) else NO_REFERENCE
    return NO_LENGTH


def not_taken_reason(task: OracleTask) -> str:
    """Why a document is not searched that `Task.takes` refuses."""
    fewest, most = task.sentences or (1, None)
    limits = [f"fewer than {fewest}"] if fewest > 1 else []
    limits += [] if most is None else [f"more than {most}"]
    return f"it has {' or '.join(limits)} sentences"


@cache
def load_libraries() -> None:
    """Load the libraries that searches use, before the first search is timed."""
    find_extract(Document("", ("a",), ("a",)))


def summarize_algorithms(rows: Iterable[OracleRow]) -> list[AlgorithmStatistics]:
    """The figures of each algorithm, in the order in which they come first; none of no rows."""
    by_algorithm: dict[str, list[OracleRow]] = {}
    for row in rows:
        by_algorithm.setdefault(row.algorithm, []).append(row)
    optimum = {row.document_id: row.f1 for row in by_algorithm.get("exact", ()) if row.proven}
    return [statistics_of(algorithm, found, optimum) for algorithm, found in by_algorithm.items()]


def statistics_of(algorithm: str, rows: Sequence[OracleRow], optimum: dict[str, float]) -> AlgorithmStatistics:
    """One algorithm's figures; `optimum` has the proven ones by document."""
    f1 = np.array([row.f1 for row in rows])
    mean, std = float(f1.mean()), float(f1.std(ddof=1)) if len(f1) > 1 else None
    half = half_width(std, len(f1)) if std is not None else None
    beside = [(row.f1, optimum[row.document_id]) for row in rows if row.document_id in optimum]
    bounds = [row.bound for row in rows if row.bound is not None]
    tells = len(bounds) == len(rows)
    minimum, lower, median, upper, maximum = (float(value) for value in np.quantile(f1, (0, 0.25, 0.5, 0.75, 1)))
    seconds = [row.seconds for row in rows]
    return AlgorithmStatistics(
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
        low=max(0.0, mean - half) if half is not None else None,
        high=min(1.0, mean + half) if half is not None else None,
        sentences=float(np.mean([len(row.places) for row in rows])),
        gap=float(np.mean([best - reached for reached, best in beside])) if beside else None,
        at_optimum=float(np.mean([is_proven(*pair) for pair in beside])) if beside else None,
        proven=float(np.mean([row.proven for row in rows])) if tells else None,
        seconds=float(np.mean(seconds)),
        longest=max(seconds),
        unproven=sum(not row.proven for row in rows) if tells else None,
        bound=float(np.mean(bounds)) if tells else None,
    )


def half_width(std: float, documents: int) -> float:
    """Half of the confidence interval of a mean over at least two documents."""
    from scipy.special import stdtrit

    return float(stdtrit(documents - 1, (1 + LEVEL) / 2)) * std / sqrt(documents)
