"""The hash that pins a study's data set, so that its study file asks about the same texts wherever it is applied."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from relevance.annotation.candidates import find_systems
from relevance.annotation.protocol.records import StudyProtocol
from relevance.data.store import StoreError
from relevance.data.store.datasets import number_of
from relevance.data.store.versions import VersionedStore
from relevance.data.tables import DocumentRow, SummaryRow

DOCUMENT = (
    *(DocumentRow.id, DocumentRow.key, DocumentRow.title, DocumentRow.source),
    *(DocumentRow.reference_texts, DocumentRow.questions),
)


class NotPinned(StoreError):
    """The study file does not pin the texts of its data set."""


class OtherData(StoreError):
    """The data set has other texts than those that the study file pins."""


def hash_dataset(store: VersionedStore, dataset: str, systems: Sequence[str] = ()) -> str:
    """Hash everything that a study shows of a data set and that scores are computed from, as 64 hexadecimal digits.

    Each document, in the order of the data set, is hashed as a JSON list, written in ASCII by `json.dumps`, with
    SHA-256: its id, title, source (a text or a list of sentences), references, cloze questions (null without), and the
    summaries of the named systems (none named means all) as pairs of system and text, sorted by system. The result is
    the SHA-256 of these hashes, each in hexadecimal with a line feed after it.

    Raises `UnknownDataset`.
    """

    def read(session: Session, chosen: ColumnElement[bool]) -> list[str]:
        return hash_documents(session, chosen, systems)

    return hash_of(digest for part in store.read_in_parts(number_of(dataset), read) for digest in part)


def hash_of(digests: Iterable[str]) -> str:
    """Hash a data set, given the hashes of its documents in order."""
    whole = hashlib.sha256()
    for digest in digests:
        whole.update(f"{digest}\n".encode())
    return whole.hexdigest()


def hash_documents(session: Session, chosen: ColumnElement[bool], systems: Sequence[str]) -> list[str]:
    """Hash some documents, in order."""
    written = select(SummaryRow.document_id, SummaryRow.system, SummaryRow.text).join(DocumentRow).where(chosen)
    if systems:
        written = written.where(SummaryRow.system.in_(systems))
    summaries = defaultdict(list)
    for number, system, text in session.execute(written):
        summaries[number].append([system, text])
    documents = session.execute(select(*DOCUMENT).where(chosen).order_by(DocumentRow.position))
    return [
        hashlib.sha256(json.dumps([*shown, sorted(summaries[number])]).encode()).hexdigest()
        for number, *shown in documents
    ]


def check_pin(store: VersionedStore, protocol: StudyProtocol) -> None:
    """Check that the data set, with its systems, is the one that a study file pins.

    Raises `NotPinned`, `OtherData`, `UnknownDataset`, and StoreError for a system that the data set does not have.
    """
    pinned = protocol.dataset
    with store.reading() as session:
        find_systems(session, protocol.spec)
    sha256 = hash_dataset(store, pinned.name, pinned.systems)
    if pinned.sha256 is None:
        raise NotPinned(
            f'the study file does not pin the texts of the data set {pinned.name!r}: add sha256 = "{sha256}" to its '
            "table [dataset]"
        )
    if sha256 != pinned.sha256:
        raise OtherData(
            f"the data set {pinned.name!r} has other texts than those that the study file pins: its hash is {sha256}, "
            f"the file has {pinned.sha256}"
        )
