"""The store of data sets and scores: the only code that writes the tables of `relevance.data.tables`."""

from relevance.data.store.base import DatabaseFailed, NotAllowed, NotSignedIn, StoreError, checked_name
from relevance.data.store.bounds import BoundStore, StoredBound
from relevance.data.store.datasets import (
    NAME_OF_SYSTEM,
    PLAYGROUND,
    Dataset,
    DatasetExists,
    DocumentExists,
    NotExtensible,
    SystemExists,
    UnknownDataset,
    UnknownDocument,
)
from relevance.data.store.listing import ListedDocument, ListingStore
from relevance.data.store.removal import DatasetInUse, DeletedDataset, RemovalStore
from relevance.data.store.rows import example_hash
from relevance.data.store.runs import CANCELLED, DIED, Run, RunGoingOn, RunStore, UnknownRun
from relevance.data.store.scores import ScoreStore, StoredScore, StoredSignature
from relevance.data.store.stars import LONGEST_NOTE, StarredExample, StarStore

__all__ = [
    "CANCELLED",
    "DIED",
    "LONGEST_NOTE",
    "NAME_OF_SYSTEM",
    "PLAYGROUND",
    "DataStore",
    "DatabaseFailed",
    "Dataset",
    "DatasetExists",
    "DatasetInUse",
    "DeletedDataset",
    "DocumentExists",
    "ListedDocument",
    "NotAllowed",
    "NotExtensible",
    "NotSignedIn",
    "Run",
    "RunGoingOn",
    "StarredExample",
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


class DataStore(ScoreStore, BoundStore, ListingStore, RunStore, StarStore, RemovalStore):
    """Data sets, their scores, upper bounds and starred examples, and their runs, over one engine."""
