"""SummEval as published (Fabbri et al. 2021), `model_annotations.aligned.jsonl`: a line per document and model.

Expert ratings become `relevance, coherence, consistency, fluency` (the mean over annotators), crowd ratings the same
with the prefix `turker_`. The published file has no articles; they are read from `text` if they were added there.
"""

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

from relevance.data import reading
from relevance.data.reading import FileLine, Say
from relevance.data.records import Document, Summary


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a SummEval file; documents come in the order of their first line."""
    documents: dict[str, Document] = {}
    candidates: dict[str, dict[str, Summary]] = {}
    for place, record in reading.read_json_lines(path):
        document_id = reading.identifier(place, reading.require_field(place, record, "id"), "id")
        document = Document(
            id=document_id,
            source=reading.optional_text(place, record.get("text"), "text") or "",
            references=reading.parse_texts(place, reading.require_field(place, record, "references"), "references"),
        )
        if documents.setdefault(document_id, document) != document:
            place.refuse(f"the text or references of {reading.quote_value(document_id)} differ from an earlier line's")
        system = reading.identifier(place, reading.require_field(place, record, "model_id"), "model_id")
        if system in candidates.setdefault(document_id, {}):
            place.refuse(f"the model {reading.quote_value(system)} stands twice for {reading.quote_value(document_id)}")
        candidates[document_id][system] = Summary(
            document_id=document_id,
            system=system,
            text=reading.summary_text(place, reading.require_field(place, record, "decoded"), "decoded"),
            human=mean_ratings(place, record, "expert_annotations", "")
            | mean_ratings(place, record, "turker_annotations", "turker_"),
        )
    if documents and not any(document.source for document in documents.values()):
        say("the file has no articles (field text): annotators will see titles and summaries only")
    for document_id, document in documents.items():
        yield document, list(candidates[document_id].values())


def mean_ratings(place: FileLine, record: dict[str, Any], field: str, prefix: str) -> dict[str, float]:
    """Return the mean rating of each aspect over the annotators of a field."""
    annotators = [
        reading.ratings(place, annotation, f"{field}[{index}]")
        for index, annotation in enumerate(reading.objects(place, record.get(field, []), field))
    ]
    aspects = dict.fromkeys(aspect for annotation in annotators for aspect in annotation)
    return {f"{prefix}{aspect}": fmean(a[aspect] for a in annotators if aspect in a) for aspect in aspects}
