"""Runs of summarizers over a stored data set, for the command `summarize` and the Studies page."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import NamedTuple

from relevance.data.records import NOTHING_GIVEN, OUTPUT_CUT, SOURCE_CUT, TRAINED_ON, Document, Summary
from relevance.data.store import DataStore
from relevance.data.training_history import TrainingEntry
from relevance.data.wording import format_count
from relevance.processes.mapping import Each, map_in_processes
from relevance.summarizers.base import BatchSummarizer, Summarizer
from relevance.summarizers.human import Reference, Title
from relevance.summarizers.oracles.oracle import Oracle
from relevance.summarizers.registry import summarizer
from relevance.summarizers.training_documents import TrainingDocuments

EVERY = 1.0
"""Seconds after which written summaries are stored: no more work than that is lost in a power failure."""

QUICK = 3.0
"""Seconds above which work goes to child processes, which take a second to start."""

TRIED = 0.5
"""Seconds after which the duration of the work is estimated."""


class DatasetInUse(ValueError):
    """A reference or title cannot become a system because studies are measured against it."""


class TrainedOnDocuments(ValueError):
    """A system was trained on documents that it should summarize, so it would know their references."""


class AddedSystem(NamedTuple):
    """The result of adding a system. Documents neither written nor present have no summary by it."""

    system: str
    summaries: int
    """Summaries written now."""
    before: int
    """Summaries that existed already."""
    documents: int
    """Documents of the data set."""
    remarks: Mapping[str, int] = {}
    """The number of summaries written now with a remark, by its name."""

    @property
    def without(self) -> int:
        """The number of documents for which the system can write nothing."""
        return self.documents - self.summaries - self.before

    def words(self, dataset: str) -> str:
        """Describe the result."""
        there = f" ({self.before} were there)" if self.before else ""
        have = "has" if self.without == 1 else "have"
        without = f"; {format_count(self.without, 'document')} {have} none" if self.without else ""
        counted = sorted(self.remarks.items())
        remarks = "".join(f"; {count} {REMARKED[remark].format('s' * (count != 1))}" for remark, count in counted)
        written = format_count(self.summaries, "summary", "summaries")
        return f"added {written} of {self.system} to {dataset}{there}{without}{remarks}"


REMARKED = {
    SOURCE_CUT: "source{} cut",
    OUTPUT_CUT: "output{} cut",
    TRAINED_ON: "document{} that it was trained on",
    NOTHING_GIVEN: "document{} whose references had nothing to give",
}
"""The wording for a number of remarks, with a place for the plural's letter."""


def add_systems(
    store: DataStore,
    dataset: str,
    systems: Sequence[str | Summarizer],
    *,
    studied: bool = False,
    trained_on: bool = False,
    processes: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[AddedSystem]:
    """Write the summaries of each system, given or named, and store them, one system after the other.

    An existing system with the same signature gets only the summaries that it lacks, so that a run that ended early
    continues where it stopped; documents for which it could write nothing are tried again. Summaries are stored about
    every second, in the documents' order if a summarizer looks at one document at a time, otherwise batch by batch
    (`BatchSummarizer.plan`). Human-written texts come first, each system as a whole: if they came late, or in parts, a
    study could begin in between.

    `progress` is called with the numbers of done and all documents (of all systems, without those that have a summary),
    first with 0 done, and again while waiting; it may raise to stop: written summaries are then stored, as they are
    when the iterator is closed. At most so many child `processes` are used, and only for oracles, for systems that load
    torch (`Extractive.apart`) and for work that would take this process longer than `QUICK`; with 0, none
    (`relevance.processes.mapping.map_in_processes`).
    The texts are the same unless a time limit ends a search.

    `studied` says that studies use the data set. Their pairs were drawn when they began: later summaries do not enter
    them. A study made while a system is half written draws its pairs from the documents that the system has by then,
    and keeps them; the rules that compare scores refuse summaries that are not scored yet. With `trained_on`, a system
    also summarizes documents that it was trained on, and its summaries have a remark.

    All systems are checked before anything is written. Raises `UnknownDataset`, `UnknownSummarizer`, `SystemExists` if
    a system was imported or has another signature, `TrainedOnDocuments`, `DatasetInUse` if a text that becomes a system
    would no longer be a reference that studies' scores were measured against, and ValueError for less than 0 processes
    and for two systems of one name.
    """
    if processes < 0:
        raise ValueError(f"the number of processes must be at least 0, not {processes}")
    by_name: dict[str, Summarizer] = {}
    for system in (summarizer(system) if isinstance(system, str) else system for system in systems):
        if by_name.setdefault(system.name, system).signature != system.signature:  # `lead` and `lead-3` are one
            raise ValueError(f"two of the systems are called {system.name!r}: add them one by one, by different names")
    documents = [document for document, _ in store.records(dataset)]
    jobs = []
    for system in sorted(by_name.values(), key=lambda system: not by_people(system)):
        there = store.summarized(dataset=dataset, system=system.name, signature=system.signature)
        lacking = [document for document in documents if document.id not in there]
        if studied and by_people(system) and system.summarize(lacking):
            raise DatasetInUse(
                f"{system.name!r} would no longer judge the summaries in the studies of {dataset!r}, whose results "
                "would change; import the file under another name for that"
            )
        known, history = trained_ids(system, documents), history_of(system)
        if known and not trained_on:
            raise TrainedOnDocuments(describe_trained_on(system.name, len(known), len(documents), dataset))
        jobs.append((system, lacking, known, history))
    done, total = 0, sum(len(lacking) for _, lacking, _, _ in jobs)

    def tell(more: int = 0) -> None:
        nonlocal done
        done += more
        progress(done, total)

    tell()
    with map_in_processes(processes, tell) as each:
        for system, lacking, known, history in jobs:
            if history:
                store.keep_history(dataset=dataset, system=system.name, history=history)
            remarks: Counter[str] = Counter()

            def keep(summaries: Sequence[Summary], system: Summarizer = system, remarks: Counter[str] = remarks) -> int:
                remarks.update(remark for summary in summaries for remark in summary.remarks)
                return store.add_summaries(
                    dataset=dataset, summaries=summaries, signature=system.signature, resume=True
                )

            if isinstance(system, BatchSummarizer):
                outputs = write_batches(system, documents, lacking)
            else:
                outputs = write(system, lacking, each)
            written, added = keep_summaries(marked(outputs, known), keep, tell)
            before = len(documents) - len(lacking) + written - added  # others may have written some meanwhile
            yield AddedSystem(system.name, added, before, len(documents), remarks)


def by_people(system: Summarizer) -> bool:
    """Tell whether a system is a human-written text, which then no longer serves as a reference."""
    return isinstance(system, Reference | Title)


def trained_ids(system: Summarizer, documents: Iterable[Document]) -> set[str]:
    """Return the ids of the documents that a system was trained on; empty if it was not trained."""
    known = getattr(system, "training_documents", None)
    if not isinstance(known, TrainingDocuments) or not known:
        return set()
    return {document.id for document in documents if document in known}


def history_of(system: Summarizer) -> list[TrainingEntry]:
    """Return the history of a system's training; empty if it was not trained here."""
    history = getattr(system, "history", None)
    known = isinstance(history, list) and all(isinstance(entry, TrainingEntry) for entry in history)
    return history if known else []  # type: ignore[return-value]


def describe_trained_on(system: str, known: int, documents: int, dataset: str) -> str:
    """Explain why a system does not summarize documents that it was trained on."""
    return (
        f"{system!r} was trained on {known} of the {documents} documents of {dataset!r}, so that its summaries of "
        "these say nothing about its quality; summarize other documents, or have them written all the same, with a "
        "remark (--trained-on)"
    )


Output = tuple[int, list[Summary]]
"""The number of documents processed, and their summaries."""


def keep_summaries(
    outputs: Iterable[Output], keep: Callable[[Sequence[Summary]], int], tell: Callable[[int], None]
) -> tuple[int, int]:
    """Keep summaries about every second as they come in; return the numbers of made and of new ones."""
    made = added = 0
    chunk: list[Summary] = []
    kept = time.monotonic()
    try:
        for count, summaries in outputs:
            made += len(summaries)
            chunk += summaries
            if time.monotonic() - kept >= EVERY:
                ready, chunk = chunk, []  # if these are refused, they are not tried again below
                added += keep(ready)
                kept = time.monotonic()
            tell(count)
    finally:
        added += keep(chunk)
    return made, added


def marked(outputs: Iterable[Output], known: Collection[str]) -> Iterator[Output]:
    """Yield the outputs, with a remark on summaries of documents, by id, that the system was trained on."""
    for count, summaries in outputs:
        yield (
            count,
            [
                replace(summary, remarks=(*summary.remarks, TRAINED_ON)) if summary.document_id in known else summary
                for summary in summaries
            ],
        )


def write(system: Summarizer, documents: Sequence[Document], each: Each) -> Iterator[Output]:
    """Write a system's summaries document by document; long work is left to `each`."""
    if by_people(system):
        yield len(documents), system.summarize(documents)
        return
    # Oracles' solvers print, and their seconds count; torch is loaded once in each child, and not here as well.
    rest = 0 if isinstance(system, Oracle) or getattr(system, "apart", False) else len(documents)
    started = time.monotonic()
    for place, document in enumerate(documents[:rest]):
        spent = time.monotonic() - started
        if place and spent >= TRIED and spent / place * (len(documents) - place) >= QUICK:
            rest = place
            break
        yield 1, system.summarize([document])
    for summaries in each(summary_of, repeat(system), documents[rest:]):
        yield 1, summaries


def summary_of(system: Summarizer, document: Document) -> list[Summary]:
    """Write a system's summary of one document; the list may be empty."""
    return system.summarize([document])


def write_batches(
    system: BatchSummarizer, documents: Sequence[Document], lacking: Sequence[Document]
) -> Iterator[Output]:
    """Write a system's summaries in this process, only for batches with a document that lacks one."""
    wanted = {document.id for document in lacking}
    for batch in system.plan(documents) if wanted else []:
        ids = {document.id for document in batch} & wanted
        if ids:
            yield len(ids), [summary for summary in system.summarize(batch) if summary.document_id in ids]
            wanted -= ids
    yield len(wanted), []  # documents that the plan leaves out
