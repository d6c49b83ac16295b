"""Newsroom as released (Grusky et al. 2018), unpacked: lines with `url, title, text, summary` and more."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from relevance.data import reading
from relevance.data.reading import FileLine, Say
from relevance.data.records import Document, Summary

FIELDS = {"url", "text", "summary"}
"""Fields by which a record is recognized."""


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a file of Newsroom. A document's id is the SHA-1 of its address, as addresses are too long for ids."""
    seen: dict[str, FileLine] = {}
    for place, record in reading.read_json_lines(path):
        url = reading.text(place, reading.require_field(place, record, "url"), "url")
        digest = hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()
        if digest in seen:
            place.refuse(f"the url already stands in line {seen[digest].line}")
        seen[digest] = place
        document = Document(
            id=digest,
            source=reading.text(place, reading.require_field(place, record, "text"), "text"),
            references=(reading.text(place, reading.require_field(place, record, "summary"), "summary"),),
            title=reading.optional_text(place, record.get("title"), "title"),
        )
        yield document, []
