"""Summarizers run over a stored data set: what the command `summarize` and the Studies page do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import NamedTuple

from data.records import Document, Summary
from data.store import DataStore
from summarizers.base import Summarizer
from summarizers.human import Reference, Title
from summarizers.oracles.oracle import Oracle
from summarizers.processes import Each, map_in_processes
from summarizers.registry import summarizer

EVERY = 1.0
"""Seconds after which what was written is stored: no more work than that is lost with the power."""

QUICK = 3.0
"""Seconds: work that would take longer goes to child processes, which take one to start."""

TRIED = 0.5
"""Seconds after which it is clear how long the work will take."""


class DatasetInUse(ValueError):
    """A reference or title cannot become a system any more: studies are measured against it."""


class AddedSystem(NamedTuple):
    """The result of adding a system. Documents neither written nor present have no summary by it."""

    system: str
    summaries: int
    """Written now."""
    before: int
    """There already."""
    documents: int
    """Of the data set."""

    @property
    def without(self) -> int:
        """Documents for which the system can write nothing."""
        return self.documents - self.summaries - self.before

    def words(self, dataset: str) -> str:
        """All of it in words."""
        there = f" ({self.before} were there)" if self.before else ""
        without = f"; {self.without} documents have none" if self.without else ""
        return f"added {self.summaries} summaries of {self.system} to {dataset}{there}{without}"


def add_systems(
    store: DataStore,
    dataset: str,
    names: Sequence[str],
    *,
    studies: Sequence[str] = (),
    processes: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
    starting: Callable[[str], None] = lambda system: None,
) -> Iterator[AddedSystem]:
    """Write the summaries of each named system and store them, one system after the other.

    A system that is there with the same signature gets only the summaries that it lacks, so that a run that ended early
    goes on where it stopped; documents for which it could write nothing are tried again. Summaries are stored about
    every second, in the documents' order: every summarizer looks at one document at a time. Texts that people wrote
    come first, each system whole: were they to come late, or in parts, a study could begin in between.

    `progress` hears of done and all documents (of all systems, but for those that have a summary), at first of none,
    and again while one waits; it may raise to stop: what was written is stored then, as it is when the iterator is
    closed. `starting` hears the name of each system before it is written. At most so many child `processes` are used
    (`summarizers.processes.map_in_processes`), and only for oracles and for what would take this process longer than
    `QUICK`; with 0 none. The texts are the same unless the time ends a search.

    `studies` names those that use the data set. Their pairs were drawn when they began: what is written later does not
    come into them. A study that is made while a system is half written draws its pairs from the documents that the
    system has by then, and keeps them; the rules that compare scores refuse summaries that are not scored yet.

    All names are checked before anything is written: raises `UnknownDataset`, `UnknownSummarizer`, `SystemExists` where
    a system was imported or has another signature, and `DatasetInUse` where a text that stands as a system would no
    longer be among those that the studies' scores were measured against; ValueError for less than 0 processes.
    """
    if processes < 0:
        raise ValueError(f"the number of processes must be at least 0, not {processes}")
    systems = {system.name: system for system in map(summarizer, names)}  # `lead` and `lead-3` are one
    documents = [document for document, _ in store.records(dataset)]
    jobs = []
    for system in sorted(systems.values(), key=lambda system: not by_people(system)):
        there = store.summarized(dataset=dataset, system=system.name, signature=system.signature)
        lacking = [document for document in documents if document.id not in there]
        if studies and by_people(system) and system.summarize(lacking):
            raise DatasetInUse(
                f"{system.name!r} would no longer judge the summaries in the study {studies[0]!r}, whose results would "
                "change; import the file under another name for that"
            )
        jobs.append((system, lacking))
    done, total = 0, sum(len(lacking) for _, lacking in jobs)

    def tell(more: int = 0) -> None:
        nonlocal done
        done += more
        progress(done, total)

    tell()
    with map_in_processes(processes, tell) as each:
        for system, lacking in jobs:
            starting(system.name)

            def keep(summaries: Sequence[Summary], system: Summarizer = system) -> int:
                return store.add_summaries(
                    dataset=dataset, summaries=summaries, signature=system.signature, resume=True
                )

            made, added = write_summaries(system, lacking, each, keep, tell)
            before = len(documents) - len(lacking) + made - added  # what somebody else wrote meanwhile was there too
            yield AddedSystem(system.name, added, before, len(documents))


def by_people(system: Summarizer) -> bool:
    """Whether a system is a human text, which then no longer serves as a reference."""
    return isinstance(system, Reference | Title)


def write_summaries(
    system: Summarizer,
    documents: Sequence[Document],
    each: Each,
    keep: Callable[[Sequence[Summary]], int],
    tell: Callable[[int], None],
) -> tuple[int, int]:
    """Write a system's summaries and keep them as they come in; returns how many were made and how many were new."""
    if by_people(system):
        found = system.summarize(documents)
        added = keep(found)
        tell(len(documents))
        return len(found), added
    made = added = 0
    chunk: list[Summary] = []
    kept = time.monotonic()
    try:
        for found in outputs(system, documents, each):
            made += len(found)
            chunk += found
            if time.monotonic() - kept >= EVERY:
                ready, chunk = chunk, []  # what is refused is not tried again below
                added += keep(ready)
                kept = time.monotonic()
            tell(1)
    finally:
        added += keep(chunk)
    return made, added


def outputs(system: Summarizer, documents: Sequence[Document], each: Each) -> Iterator[list[Summary]]:
    """A system's summary of each document, or none; what takes long is left to `each`."""
    rest = 0 if isinstance(system, Oracle) else len(documents)  # solvers print, and seconds count
    started = time.monotonic()
    for place, document in enumerate(documents[:rest]):
        spent = time.monotonic() - started
        if place and spent >= TRIED and spent / place * (len(documents) - place) >= QUICK:
            rest = place
            break
        yield summary_of(system, document)
    yield from each(summary_of, repeat(system), documents[rest:])


def summary_of(system: Summarizer, document: Document) -> list[Summary]:
    """A system's summary of one document, or none."""
    return system.summarize([document])
