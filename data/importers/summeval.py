"""SummEval as published (Fabbri et al. 2021), `model_annotations.aligned.jsonl`: a line per document and model.

Expert ratings become `relevance, coherence, consistency, fluency` (the mean over annotators), crowd ratings the same
with the prefix `turker_`. The ratings of each annotator are kept: `expert 1` is the first of each summary's experts, as
the file does not say who they are. The published file has no articles; they are read from `text` if they were added
there.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from relevance.data import reading
from relevance.data.importers.given_ratings import Annotated
from relevance.data.reading import FileLine, Say
from relevance.data.records import Document, Summary


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a SummEval file; documents come in the order of their first line."""
    documents: dict[str, Document] = {}
    candidates: dict[str, dict[str, Summary]] = {}
    annotated = Annotated()
    for place, record in reading.read_json_lines(path):
        document_id = reading.identifier(place, reading.require_field(place, record, "id"), "id")
        document = Document(
            id=document_id,
            source=reading.optional_text(place, record.get("text"), "text") or "",
            references=reading.parse_texts(place, reading.require_field(place, record, "references"), "references"),
        )
        if documents.setdefault(document_id, document) != document:
            place.refuse(f"the text or references of {reading.quote_value(document_id)} differ from an earlier line's")
        given = single_ratings(place, record, "expert", "") | single_ratings(place, record, "turker", "turker_")
        system = reading.identifier(place, reading.require_field(place, record, "model_id"), "model_id")
        if system in candidates.setdefault(document_id, {}):
            place.refuse(f"the model {reading.quote_value(system)} stands twice for {reading.quote_value(document_id)}")
        candidates[document_id][system] = Summary(
            document_id=document_id,
            system=system,
            text=reading.summary_text(place, reading.require_field(place, record, "decoded"), "decoded"),
            human=annotated.add(given),
            annotators=given,
        )
    if documents and not any(document.source for document in documents.values()):
        say("the file has no articles (field text): annotators will see titles and summaries only")
    if annotated.ratings:
        say("expert 1 is the first of each summary's experts, turker 1 of its crowd workers, whoever that was")
    for document_id, document in documents.items():
        yield document, list(candidates[document_id].values())


def single_ratings(place: FileLine, record: dict[str, Any], who: str, prefix: str) -> dict[str, dict[str, float]]:
    """Return the ratings of each annotator of a kind, by their number and by aspect."""
    field = f"{who}_annotations"
    annotations = reading.objects(place, record.get(field, []), field)
    return {
        f"{who} {number}": {
            f"{prefix}{aspect}": rating
            for aspect, rating in reading.ratings(place, annotation, f"{field}[{number - 1}]").items()
        }
        for number, annotation in enumerate(annotations, 1)
    }
