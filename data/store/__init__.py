"""The store of data sets and scores: the only code that writes the tables of `data.tables`."""

from data.store.base import DatabaseFailed, StoreError, checked_name
from data.store.bounds import BoundStore, StoredBound
from data.store.datasets import (
    NAME_OF_SYSTEM,
    PLAYGROUND,
    Dataset,
    DatasetExists,
    DatasetStore,
    DocumentExists,
    NotExtensible,
    SystemExists,
    UnknownDataset,
    UnknownDocument,
)
from data.store.rows import example_hash
from data.store.runs import DIED, Run, RunGoingOn, RunStore, UnknownRun
from data.store.scores import ScoreStore, StoredScore, StoredSignature

__all__ = [
    "DIED",
    "NAME_OF_SYSTEM",
    "PLAYGROUND",
    "DataStore",
    "DatabaseFailed",
    "Dataset",
    "DatasetExists",
    "DocumentExists",
    "NotExtensible",
    "Run",
    "RunGoingOn",
    "StoreError",
    "StoredBound",
    "StoredScore",
    "StoredSignature",
    "SystemExists",
    "UnknownDataset",
    "UnknownDocument",
    "UnknownRun",
    "checked_name",
    "example_hash",
]


class DataStore(DatasetStore, ScoreStore, BoundStore, RunStore):
    """Data sets, their scores and upper bounds, and the runs that score them, over one engine."""
