"""Multi-XScience as released (Lu et al. 2020), unpacked: one JSON list of papers.

`aid, abstract, related_work, ref_abstract`: the task is to write the section on related work from the paper's own
abstract and those of the papers that it cites.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from relevance.data import reading
from relevance.data.importers.interchange import unseen
from relevance.data.reading import FileLine, Say
from relevance.data.records import Document, Summary

FIELDS = {"aid", "related_work", "ref_abstract"}
"""Fields by which a record is recognized."""


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a file. The source is the abstract, then those of the cited papers, each after its mark, such as @cite_4.

    The reference keeps these marks, too. Cited papers without a known abstract are left out, and counted.
    """
    seen: dict[str, FileLine] = {}
    unknown = 0
    for place, paper in reading.read_json_list(path):
        cited, without = cited_abstracts(place, reading.require_field(place, paper, "ref_abstract"))
        unknown += without
        abstract = reading.text(place, reading.require_field(place, paper, "abstract"), "abstract")
        related = reading.text(place, reading.require_field(place, paper, "related_work"), "related_work")
        number = unseen(place, reading.require_field(place, paper, "aid"), seen)
        yield Document(id=number, source="\n".join([abstract, *cited]), references=(related,)), []
    if unknown:
        say(f"{unknown} cited papers have no abstract")


def cited_abstracts(place: FileLine, value: Any) -> tuple[list[str], int]:
    """Return the abstracts of cited papers, each after its mark, and the number of unknown ones."""
    if not isinstance(value, dict):
        place.refuse(f"ref_abstract must be an object, not {reading.kind(value)}")
    abstracts = []
    for mark, paper in value.items():
        if not isinstance(paper, dict):
            place.refuse(f"ref_abstract.{mark[:40]} must be an object, not {reading.kind(paper)}")
        reading.storable(place, mark, "a mark of ref_abstract")
        abstract = reading.optional_text(place, paper.get("abstract"), f"ref_abstract.{mark[:40]}.abstract")
        if abstract is not None:
            abstracts.append(f"{mark} {abstract}")
    return abstracts, len(value) - len(abstracts)
