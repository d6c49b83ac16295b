"""The documents that a system was trained on, known by hashes of their sources: it would know their summaries."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from data.files import write_whole
from data.reading import lines
from data.records import BadRecord, Document

TRAINING_DOCUMENTS = "training_documents.txt"
"""The file of their hashes in the folder of what was trained."""

DIGITS = 16
"""Hexadecimal digits of a hash that are kept: two of 100,000 documents share one by chance in 1 of 3 billion sets."""

HASH = re.compile(f"[0-9a-f]{{{DIGITS}}}")


class TrainingDocuments:
    """A set of documents by hashes of their sources (`hash_source`).

    White space does not matter: it is the same document whether its sentences were given or stand in one text.
    """

    def __init__(self, hashes: Iterable[str] = ()) -> None:
        self.hashes = frozenset(hashes)

    @classmethod
    def of(cls, documents: Iterable[Document]) -> TrainingDocuments:
        """The set of some documents; those without a source are in none."""
        return cls(hash_source(document) for document in documents if document.source_text.strip())

    @classmethod
    def read(cls, path: Path) -> TrainingDocuments:
        """Read what `write` wrote. Raises `BadRecord` with file and line, and what `data.reading.lines` raises."""
        hashes = []
        for place, line in lines(path):
            if not HASH.fullmatch(line):
                raise BadRecord(f"{place}: not the hash of a document, {DIGITS} digits of 0-9 and a-f")
            hashes.append(line)
        return cls(hashes)

    def write(self, path: Path) -> None:
        """Write a line a document, sorted."""
        write_whole(path, (f"{one}\n" for one in sorted(self.hashes)))

    def __contains__(self, document: Document) -> bool:
        return hash_source(document) in self.hashes

    def __len__(self) -> int:
        return len(self.hashes)


def hash_source(document: Document) -> str:
    """The first `DIGITS` digits of the SHA-256 of a document's source, in which all white space is one space."""
    return hashlib.sha256(" ".join(document.source_text.split()).encode()).hexdigest()[:DIGITS]
