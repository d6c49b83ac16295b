"""SciTLDR as published (Cachola et al. 2020): lines of `paper_id, title, source[], target[]`, no system outputs."""

from collections.abc import Iterator
from pathlib import Path

from relevance.data import reading
from relevance.data.importers.interchange import unseen
from relevance.data.reading import FileLine, Say
from relevance.data.records import Document, Summary


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a SciTLDR file. The published train split has a blank source sentence: such are skipped, with a message."""
    seen: dict[str, FileLine] = {}
    for place, record in reading.read_json_lines(path):
        sentences = reading.require_field(place, record, "source")
        if not isinstance(sentences, list):
            place.refuse(f"source must be a list of strings, not {reading.kind(sentences)}")
        kept = [s for s in sentences if not isinstance(s, str) or s.strip()]
        if len(kept) < len(sentences):
            say(f"{place}: skipped {len(sentences) - len(kept)} blank sentence(s) of the source")
        document = Document(
            id=unseen(place, reading.require_field(place, record, "paper_id"), seen),
            title=reading.optional_text(place, record.get("title"), "title"),
            source=reading.parse_texts(place, kept, "source"),
            references=reading.parse_texts(place, reading.require_field(place, record, "target"), "target"),
        )
        yield document, []
