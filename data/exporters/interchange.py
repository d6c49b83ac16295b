"""The interchange format: a line of JSON for each document, which keeps everything that a file can bring.

A source or references that a data set does not have are null.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from relevance.data.export import format_json_lines
from relevance.data.files import write_whole
from relevance.data.reading import Say
from relevance.data.records import Document, Summary


def save(records: Sequence[tuple[Document, list[Summary]]], path: Path, say: Say) -> None:
    """Write a file."""
    write_whole(path, format_json_lines(to_json(document, summaries) for document, summaries in records))


def to_json(document: Document, summaries: Iterable[Summary]) -> dict[str, Any]:
    """Return a document as a JSON object, without optional fields that it does not have."""
    title = {} if document.title is None else {"title": document.title}
    questions = {"questions": [question._asdict() for question in document.questions]} if document.questions else {}
    return {
        "id": document.id,
        **title,
        "source": (list(document.source) if isinstance(document.source, tuple) else document.source) or None,
        "references": list(document.references) or None,
        "summaries": [summary_json(summary) for summary in summaries],
        **questions,
    }


def summary_json(summary: Summary) -> dict[str, Any]:
    """Return a summary as a JSON object."""
    human: dict[str, Any] = {"human": dict(summary.human)} if summary.human else {}
    if summary.annotators:
        human["annotators"] = {name: dict(ratings) for name, ratings in summary.annotators.items()}
    scores = {"scores": dict(summary.given)} if summary.given else {}
    return {"system": summary.system, "text": summary.text, **human, **scores}
