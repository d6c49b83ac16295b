"""The metadata of arXiv as it is distributed: a line with `id, title, abstract` and more for each paper.

As in headline generation, the abstract is the document and the title the reference (Dobko et al. 2018 compare systems
with titles).
"""

from collections.abc import Iterator
from pathlib import Path

from relevance.data import reading
from relevance.data.importers.interchange import unseen
from relevance.data.reading import FileLine, Say
from relevance.data.records import Document, Summary

FIELDS = {"id", "title", "abstract", "categories"}
"""Fields by which a record is recognized."""


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a file of metadata. Line breaks in titles and abstracts become spaces."""
    seen: dict[str, FileLine] = {}
    for place, record in reading.read_json_lines(path):
        title, abstract = (
            " ".join(reading.text(place, reading.require_field(place, record, name), name).split())
            for name in ("title", "abstract")
        )
        number = unseen(place, reading.require_field(place, record, "id"), seen)
        yield Document(id=number, source=abstract, references=(title,)), []
