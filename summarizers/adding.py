"""Summarizers run over a stored data set: what the command `summarize` and the Studies page do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from data.store import DataStore, SystemExists


class Added(NamedTuple):
    """A system that was added, how many summaries it wrote, and for how many documents it was asked."""

    system: str
    summaries: int
    documents: int


def add_systems(store: DataStore, dataset: str, names: Sequence[str]) -> Iterator[Added]:
    """Write the summaries of each named system and store them, one system after the other.

    All names are checked before anything is written: raises `UnknownDataset`, `UnknownSummarizer`, `SystemExists`.
    """
    from summarizers import summarizer

    systems = [summarizer(name) for name in dict.fromkeys(names)]
    known = store.dataset(dataset).systems
    for system in systems:
        if system.name in known:
            raise SystemExists(f"data set {dataset!r} already has summaries of the system {system.name!r}")
    documents = [document for document, _ in store.records(dataset)]
    for system in systems:
        summaries = system.summarize(documents)
        store.add_summaries(dataset=dataset, summaries=summaries, signature=system.signature)
        yield Added(system.name, len(summaries), len(documents))
