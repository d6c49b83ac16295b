"""The metadata of arXiv as it is distributed: `id, title, abstract` and more a line.

As in headline generation, the abstract is the document and the title the reference (Dobko et al. 2018 hold systems to
titles).
"""

from collections.abc import Iterator
from pathlib import Path

from data import reading
from data.importers.interchange import unseen
from data.reading import FileLine, Say
from data.records import Document, Summary

FIELDS = {"id", "title", "abstract", "categories"}
"""By which a record is recognized."""


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a file of metadata. Titles and abstracts are broken into lines there, which stand as spaces here."""
    seen: dict[str, FileLine] = {}
    for place, record in reading.read_json_lines(path):
        title, abstract = (
            " ".join(reading.text(place, reading.require_field(place, record, name), name).split())
            for name in ("title", "abstract")
        )
        number = unseen(place, reading.require_field(place, record, "id"), seen)
        yield Document(id=number, source=abstract, references=(title,)), []
