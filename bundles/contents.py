"""The contents of a bundle: functions that yield the lines of its files."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from relevance.bundles import records
from relevance.bundles.records import take
from relevance.bundles.rows import StudyRows
from relevance.data.export import format_json_lines
from relevance.data.store import DataStore
from relevance.data.store.datasets import number_of, select_documents
from relevance.data.store.rows import to_source
from relevance.data.store.scores import join_scores
from relevance.data.tables import BoundRow, DocumentRow, ScoreRow, SignatureRow, SummaryRow

Lines = Iterable[str]

DATA = "data.jsonl"
SCORES = "scores.jsonl"
STUDY_FILE = "study.toml"
WHOLE_STUDY = "study.json"
TABLES = "tables.json"
MANIFEST = "manifest.json"

ROWS = {
    "pairs.jsonl": "pairs",
    "people.jsonl": "people",
    "judgments.jsonl": "judgments",
    "surveys.jsonl": "surveys",
    "adjudications.jsonl": "adjudications",
    "models.jsonl": "models",
    "model_judgments.jsonl": "model_judgments",
}
"""Files of a study's records, with the names of their fields in `StudyRows`."""

DERIVED = (TABLES, "report.html", "datasheet.md", "environment.json", "README.md")
"""Files that are made from the others, and add no information on the study."""

FIXED = (STUDY_FILE, WHOLE_STUDY, DATA, SCORES, "bounds.jsonl", *ROWS, *DERIVED)
"""Every file of a bundle except the manifest and the versions of the protocol."""


def protocol_name(version: int) -> str:
    """Return the name of the file of a version of the protocol."""
    return f"protocols/{version}.toml"


def make_files(data: DataStore, rows: StudyRows) -> Iterator[tuple[str, Lines]]:
    """Yield the files that the others are made from, by their names."""
    yield STUDY_FILE, [rows.protocol]
    for version, text in rows.protocols.items():
        yield protocol_name(version), [text]
    yield WHOLE_STUDY, as_json(rows.whole)
    yield DATA, format_json_lines(read_documents(data, rows.dataset))
    yield SCORES, format_json_lines(read_scores(data, rows.dataset))
    yield "bounds.jsonl", format_json_lines(read_bounds(data, rows.dataset))
    for name, part in ROWS.items():
        yield name, format_json_lines(getattr(rows, part))


def as_json(value: Any) -> Lines:
    """Return a value as a file of JSON that people can read."""
    return [json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n"]


def read_documents(data: DataStore, dataset: str) -> Iterator[dict[str, Any]]:
    """Yield the documents with all their summaries, in the order of their file."""

    def read(session: Session, chosen: ColumnElement[bool]) -> list[dict[str, Any]]:
        return [document_record(row) for row in session.scalars(select_documents(chosen))]

    for part in data.read_in_parts(number_of(dataset), read):
        yield from part


def document_record(row: DocumentRow) -> dict[str, Any]:
    """Return a document with its summaries, in the interchange format with some additions."""
    source = to_source(row)
    return {
        "id": row.key,
        "title": row.title,
        "source": source if isinstance(source, str) else list(source),
        "references": list(row.reference_texts),
        "summaries": [take(summary, records.SUMMARY) for summary in row.summaries],
        "questions": [{"question": question, "answer": answer} for question, answer in row.questions or ()],
    }


def read_scores(data: DataStore, dataset: str) -> Iterator[dict[str, Any]]:
    """Yield the scores of all summaries by signature, in the order in which signatures were first used."""
    columns = (SignatureRow.metric, ScoreRow.value, ScoreRow.missing, ScoreRow.truncated)
    for _, signature, *_ in data.signatures(dataset):

        def read(session: Session, chosen: ColumnElement[bool], signature: str = signature) -> list[dict[str, Any]]:
            scores = join_scores(select(DocumentRow.key, SummaryRow.system, *columns), chosen)
            in_order = scores.where(SignatureRow.text == signature).order_by(DocumentRow.position, SummaryRow.id)
            return [
                {
                    "document_id": key,
                    "system": system,
                    "metric": metric,
                    "signature": signature,
                    "value": value,
                    "missing": missing,
                    "truncated": truncated,
                }
                for key, system, metric, value, missing, truncated in session.execute(in_order)
            ]

        for part in data.read_in_parts(number_of(dataset), read):
            yield from part


def read_bounds(data: DataStore, dataset: str) -> Iterator[dict[str, Any]]:
    """Yield the upper bounds of the documents."""

    def read(session: Session, chosen: ColumnElement[bool]) -> list[dict[str, Any]]:
        joined = select(DocumentRow.key, BoundRow).join(DocumentRow, DocumentRow.id == BoundRow.document_id)
        rows = session.execute(joined.where(chosen).order_by(DocumentRow.position, BoundRow.id))
        return [take(row, records.BOUND, document_id=key) for key, row in rows]

    for part in data.read_in_parts(number_of(dataset), read):
        yield from part
