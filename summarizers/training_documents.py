"""The documents that a system was trained on and must not summarize, known by hashes of their sources."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from relevance.data.files import write_whole
from relevance.data.reading import lines
from relevance.data.records import BadRecord, Document

TRAINING_DOCUMENTS = "training_documents.txt"
"""The file of their hashes in the folder of a trained system."""

DIGITS = 16
"""Hexadecimal digits kept of a hash: two of 100,000 documents share one by chance in 1 of 3 billion sets."""

HASH = re.compile(f"[0-9a-f]{{{DIGITS}}}")


class TrainingDocuments:
    """A set of documents by hashes of their sources (`hash_source`).

    White space does not matter: a document is the same with its sentences as a list or in one text.
    """

    def __init__(self, hashes: Iterable[str] = ()) -> None:
        self.hashes = frozenset(hashes)

    @classmethod
    def of(cls, documents: Iterable[Document]) -> TrainingDocuments:
        """Make the set of some documents, without those that have no source."""
        return cls(hash_source(document) for document in documents if document.source_text.strip())

    @classmethod
    def read(cls, path: Path) -> TrainingDocuments:
        """Read a file of `write`. Raises `BadRecord` with file and line, and what `relevance.data.reading` raises."""
        hashes = []
        for place, line in lines(path):
            if not HASH.fullmatch(line):
                raise BadRecord(f"{place}: not the hash of a document, {DIGITS} digits of 0-9 and a-f")
            hashes.append(line)
        return cls(hashes)

    @classmethod
    def in_folder(cls, folder: Path | None) -> TrainingDocuments:
        """Read the set in the folder of a trained system; empty if it has none. Raises what `read` does."""
        told = None if folder is None else folder / TRAINING_DOCUMENTS
        return cls.read(told) if told is not None and told.is_file() else cls()

    def write(self, path: Path) -> None:
        """Write one line for each document, sorted."""
        write_whole(path, (f"{hashed}\n" for hashed in sorted(self.hashes)))

    def __or__(self, other: TrainingDocuments) -> TrainingDocuments:
        return TrainingDocuments(self.hashes | other.hashes)

    def __contains__(self, document: Document) -> bool:
        return hash_source(document) in self.hashes

    def __len__(self) -> int:
        return len(self.hashes)


def hash_source(document: Document) -> str:
    """Return the first `DIGITS` digits of the SHA-256 of a document's source, with white space as single spaces."""
    return hashlib.sha256(" ".join(document.source_text.split()).encode()).hexdigest()[:DIGITS]
