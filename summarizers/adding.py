"""Summarizers run over a stored data set: what the command `summarize` and the Studies page do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from data.store import DataStore, SystemExists
from summarizers.human import Reference, Title
from summarizers.registry import summarizer


class DatasetInUse(ValueError):  # noqa: N818  named for the situation
    """A reference or title cannot become a system any more: studies are measured against it."""


class Added(NamedTuple):
    """A system that was added, how many summaries it wrote, and for how many documents it was asked."""

    system: str
    summaries: int
    documents: int


def add_systems(
    store: DataStore, dataset: str, names: Sequence[str], *, studies: Sequence[str] = ()
) -> Iterator[Added]:
    """Write the summaries of each named system and store them, one system after the other.

    `studies` names those that use the data set. All names are checked before anything is written: raises
    `UnknownDataset`, `UnknownSummarizer`, `SystemExists`, and `DatasetInUse` where a text that stands as a system
    would no longer be among those that the studies' scores were measured against.
    """
    systems = [summarizer(name) for name in dict.fromkeys(names)]
    known = store.dataset(dataset).systems
    for system in systems:
        if system.name in known:
            raise SystemExists(f"data set {dataset!r} already has summaries of the system {system.name!r}")
        if studies and isinstance(system, Reference | Title):
            raise DatasetInUse(
                f"{system.name!r} would no longer judge the summaries in the study {studies[0]!r}, whose results would "
                "change; import the file under another name for that"
            )
    documents = [document for document, _ in store.records(dataset)]
    for system in systems:
        summaries = system.summarize(documents)
        store.add_summaries(dataset=dataset, summaries=summaries, signature=system.signature)
        yield Added(system.name, len(summaries), len(documents))
