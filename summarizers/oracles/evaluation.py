"""All oracles over a data set: the results on each document, and the figures of Akhmetov et al.'s tables."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import sqrt
from typing import NamedTuple

import numpy as np

from relevance.data.records import Document
from relevance.data.store import DataStore, StoredBound
from relevance.metrics.base import check_option
from relevance.metrics.text import Reading, rouge_words
from relevance.processes.mapping import map_in_processes
from relevance.summarizers.base import SummaryLength, check_length
from relevance.summarizers.oracles.algorithms import ALGORITHMS, BY_DEFAULT, SECONDS
from relevance.summarizers.oracles.oracle import Oracle, Target, checked_target, find_extract, limits_of
from relevance.summarizers.oracles.problem import is_proven
from relevance.summarizers.sentences import sentences_of

LEVEL = 0.95
"""The level of the confidence intervals of means."""

EVERY = 1.0
"""Seconds after which results are stored: no more work than that, and the running searches, is lost in a failure."""


class OracleTask(NamedTuple):
    """The settings of a search over all documents."""

    target: Target = Target()
    algorithms: tuple[str, ...] = BY_DEFAULT
    length: SummaryLength | None = None
    seed: int = 0
    seconds: float = SECONDS
    """The time limit of one search: an algorithm on a document and one of its references."""
    sentences: tuple[int, int | None] | None = None
    """The fewest and most sentences of documents that are searched; None: all documents, a most of None: no limit."""

    def takes(self, document: Document) -> bool:
        """Tell whether a document's number of sentences is within the limits."""
        if self.sentences is None:
            return True
        fewest, most = self.sentences
        return fewest <= len(sentences_of(document)) and (most is None or len(sentences_of(document)) <= most)

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each algorithm's oracle, on which its results depend."""
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
    """The positions of its sentences in the source."""
    reference: int
    """The index of the reference of `f1`."""
    bound: float | None
    """The upper bound of any extract's F1; None for algorithms that give none."""
    proven: bool
    seconds: float
    """The duration of the search over all references; the texts were split into stemmed words before."""


class OracleEvaluation(NamedTuple):
    """The rows, by document and in the order of the task's algorithms, and the documents without an oracle."""

    rows: tuple[OracleRow, ...]
    left_out: tuple[str, ...]
    """The ids of documents without a sentence, or without a reference that has a token (or gives the length)."""


class AlgorithmStatistics(NamedTuple):
    """Statistics of an algorithm over all documents. F1 is in [0, 1], times are in seconds."""

    algorithm: str
    documents: int
    mean: float
    std: float | None
    """The standard deviation of a sample; None for a single document, as are all figures that follow from it."""
    minimum: float
    lower_quartile: float
    median: float
    upper_quartile: float
    maximum: float
    variation: float | None
    """The coefficient of variation, std over mean; None if the mean is 0."""
    low: float | None
    """The lower end of the mean's confidence interval by Student's t, clipped to [0, 1], the range of F1."""
    high: float | None
    sentences: float
    """The mean number of sentences."""
    gap: float | None
    """The mean of optimum minus F1 over the documents with a proven optimum; None without any."""
    at_optimum: float | None
    """The share of these documents with an F1 within `PROVEN` of the optimum; None without any."""
    proven: float | None
    """The share of documents with a proven result; None for algorithms without bounds."""
    seconds: float
    """The mean duration for a document, with all its references."""
    longest: float
    """The longest duration for a document."""
    unproven: int | None
    """The number of documents whose result may not be the optimum; None for algorithms without bounds."""
    bound: float | None
    """The mean of the bounds: no extracts have a higher mean F1; None for algorithms without bounds."""


def evaluate(
    documents: Sequence[Document],
    task: OracleTask = OracleTask(),  # noqa: B008  immutable
    *,
    processes: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> OracleEvaluation:
    """Run the algorithms on every document.

    `progress` is called with the numbers of done and all documents, first with 0 done, and again while waiting for a
    search; an exception of it ends the searches. Apart from their seconds, the rows are the same for any number of
    child `processes`, unless the time limit ends a search; output of a solver's C code there goes to standard error
    (`relevance.processes.mapping.map_in_processes`). With 0 processes all work is done in this process, whose
    standard output may then get such output (`relevance.summarizers.oracles.exact`). Raises ValueError for unknown
    options.
    """
    check_task(task, processes)
    rows: list[OracleRow] = []
    jobs = [(task, document) for document in documents]
    left_out = search_documents(jobs, rows.extend, len(documents), processes, progress)
    return OracleEvaluation(tuple(rows), left_out)


def evaluate_stored(
    store: DataStore,
    dataset: str,
    task: OracleTask = OracleTask(),  # noqa: B008  immutable
    *,
    first: int | None = None,
    processes: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> OracleEvaluation:
    """Run the algorithms on the documents of a data set, or the `first` of them, on which they have not run yet.

    Rows are stored as they come in, so that a run that ended early continues where it stopped; all are returned,
    earlier ones with the seconds that they took then. A task with another seed, time or length has its own rows.
    `progress` is called with the numbers of done and all documents, first with those stored before, and again while
    waiting for a search; it may raise to stop: the results so far are then stored. Processes are as in `evaluate`.
    Raises `UnknownDataset`, ValueError for unknown options.
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

    def add(oracle_rows: Iterable[OracleRow]) -> None:
        for row in oracle_rows:
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
    # Another run may have stored a document first: return the stored rows.
    return OracleEvaluation(rows_among(documents, task, known_bounds(store, dataset, task)), left_out)


def known_bounds(store: DataStore, dataset: str, task: OracleTask) -> dict[str, dict[str, StoredBound]]:
    """Load the stored results of a task, by algorithm and document id."""
    return {
        algorithm: store.bounds(dataset=dataset, signature=signature)
        for algorithm, signature in task.signatures.items()
    }


def rows_among(
    documents: Iterable[Document], task: OracleTask, known: Mapping[str, Mapping[str, StoredBound]]
) -> tuple[OracleRow, ...]:
    """Make the rows of the documents that have one of every algorithm."""
    return tuple(
        to_row(document.id, algorithm, known[algorithm][document.id])
        for document in documents
        if task.takes(document) and all(document.id in known[algorithm] for algorithm in task.algorithms)
        for algorithm in task.algorithms
    )


def to_row(document_id: str, algorithm: str, stored: StoredBound) -> OracleRow:
    """Make the row of a stored result."""
    proven = is_proven(stored.f1, stored.bound)
    return OracleRow(
        document_id, algorithm, stored.f1, stored.sentences, stored.reference, stored.bound, proven, stored.seconds
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
    """Pass the rows of each document's task to `add`, in order, as they come in; return ids of documents without rows.

    `progress` is called with the number of done documents, including those without a job, and `total`, also while
    waiting.
    """
    tasks, documents = [task for task, _ in jobs], [document for _, document in jobs]
    left_out = []
    done = total - len(jobs)

    def tell() -> None:
        progress(done, total)

    tell()
    with map_in_processes(processes, tell) as each:
        for document, rows in zip(documents, each(rows_of, tasks, documents), strict=True):
            add(rows)
            if not rows:
                left_out.append(document.id)
            done += 1
            tell()
    return tuple(left_out)


def rows_of(task: OracleTask, document: Document) -> list[OracleRow]:
    """Compute a document's rows; empty if it has no oracle."""
    limits = limits_of(task.length, document)
    if limits is None or not task.takes(document):
        return []
    load_libraries()
    for text in (*sentences_of(document), *document.references):  # otherwise the first algorithm would pay for all
        rouge_words(text, task.target.reading)
    rows = []
    for algorithm in task.algorithms:
        start = time.perf_counter()
        extract = find_extract(document, task.target, algorithm, limits=limits, seed=task.seed, seconds=task.seconds)
        seconds = time.perf_counter() - start
        if extract is None:
            return []
        solution = extract.solution
        rows.append(
            OracleRow(
                document.id,
                algorithm,
                solution.f1,
                solution.sentences,
                extract.reference,
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
    """Explain why a document in `OracleEvaluation.left_out` has no oracle."""
    if not sentences_of(document):
        return NO_SENTENCE
    if not task.takes(document):
        return not_taken_reason(task)
    references = document.references[:1] if task.target.references == "first" else document.references
    if not any(rouge_words(text, task.target.reading) for text in references):
        return OTHER_SCRIPT if any(rouge_words(text, Reading("unicode")) for text in references) else NO_REFERENCE
    return NO_LENGTH


def not_taken_reason(task: OracleTask) -> str:
    """Explain why a document that `OracleTask.takes` refuses is not searched."""
    fewest, most = task.sentences or (1, None)
    limits = [f"fewer than {fewest}"] if fewest > 1 else []
    limits += [] if most is None else [f"more than {most}"]
    return f"it has {' or '.join(limits)} sentences"


@cache
def load_libraries() -> None:
    """Load the libraries that searches use, before the first search is timed."""
    find_extract(Document("", ("a",), ("a",)))


def summarize_algorithms(rows: Iterable[OracleRow]) -> list[AlgorithmStatistics]:
    """Compute the statistics of each algorithm, in order of first appearance; empty without rows."""
    by_algorithm: dict[str, list[OracleRow]] = {}
    for row in rows:
        by_algorithm.setdefault(row.algorithm, []).append(row)
    optimum = {row.document_id: row.f1 for row in by_algorithm.get("exact", ()) if row.proven}
    return [statistics_of(algorithm, rows_of_one, optimum) for algorithm, rows_of_one in by_algorithm.items()]


def statistics_of(algorithm: str, rows: Sequence[OracleRow], optimum: dict[str, float]) -> AlgorithmStatistics:
    """Compute one algorithm's statistics; `optimum` has the proven optima by document."""
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
    """Compute half the width of the confidence interval of a mean over at least two documents."""
    from scipy.special import stdtrit

    return float(stdtrit(documents - 1, (1 + LEVEL) / 2)) * std / sqrt(documents)
