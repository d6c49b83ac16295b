"""Conversion of records to rows and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from relevance.data.records import ClozeQuestion, Document, Example, Summary, make_examples
from relevance.data.tables import DocumentRow, SummaryRow

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Record = TypeVar("Record", bound=DataclassInstance)


def to_record(kind: type[Record], row: object, **computed: Any) -> Record:
    """Convert a row to a record: columns named like its fields, lists as tuples; `computed` are the other fields."""
    columns = {field.name: getattr(row, field.name) for field in fields(kind) if field.name not in computed}
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in columns.items()}
    return kind(**values, **computed)


def document_row(dataset_id: int, position: int, document: Document, summaries: Sequence[Summary]) -> DocumentRow:
    """Convert a document and its summaries to rows."""
    row = DocumentRow(
        dataset_id=dataset_id,
        position=position,
        key=document.id,
        title=document.title,
        source=document.source if isinstance(document.source, str) else list(document.source),
        reference_texts=list(document.references),
        questions=[list(question) for question in document.questions] or None,
        summaries=[summary_row(summary) for summary in summaries],
    )
    hash_examples(row)
    return row


def summary_row(summary: Summary, signature: str | None = None) -> SummaryRow:
    """Convert a summary, written under `signature` or imported, to a row whose hash `hash_examples` sets."""
    return SummaryRow(
        system=summary.system,
        text=summary.text,
        human=dict(summary.human),
        annotators={name: dict(ratings) for name, ratings in summary.annotators.items()} or None,
        signature=signature,
        remarks=list(summary.remarks) or None,
        example="",
    )


def hash_examples(row: DocumentRow) -> None:
    """Set the hashes of a document's summaries, which depend on each other (`relevance.data.records.make_examples`)."""
    for summary, example in zip(row.summaries, example_hashes(*to_records(row)), strict=True):
        summary.example = example


def example_hashes(document: Document, summaries: Sequence[Summary]) -> list[str]:
    """Compute the `example_hash` of each summary of a document, in order, encoding the shared part only once."""
    examples = make_examples(document, summaries)
    if not examples:
        return []
    shared = json.dumps(seen_by_metrics(examples[0])[1:])[1:].encode()
    return [hashlib.sha256(f"[{json.dumps(example.candidate)}, ".encode() + shared).hexdigest() for example in examples]


def example_hash(example: Example) -> str:
    """Compute the SHA-256 of everything that a metric may read, and nothing else."""
    return hashlib.sha256(json.dumps(seen_by_metrics(example)).encode()).hexdigest()


def seen_by_metrics(example: Example) -> list[object]:
    """List everything that a metric may read: the candidate, then the texts that a document's candidates share."""
    seen: list[object] = [example.candidate, example.references, example.title, example.source]
    if example.questions:  # most data sets have none, and their hashes stay those of earlier versions
        seen.append(example.questions)
    return seen


def to_source(row: DocumentRow) -> str | tuple[str, ...]:
    """Return the source of a document's row: a text or its sentences."""
    return row.source if isinstance(row.source, str) else tuple(row.source)


def to_document(row: DocumentRow) -> Document:
    """Return the record of a document's row."""
    return Document(
        id=row.key,
        source=to_source(row),
        references=tuple(row.reference_texts),
        title=row.title,
        questions=tuple(ClozeQuestion(*question) for question in row.questions or ()),
    )


def to_records(row: DocumentRow) -> tuple[Document, list[Summary]]:
    """Return the records of a document's row and of its summaries."""
    return to_document(row), [
        Summary(
            row.key,
            summary.system,
            summary.text,
            summary.human,
            tuple(summary.remarks or ()),
            annotators=summary.annotators or {},
        )
        for summary in row.summaries
    ]
