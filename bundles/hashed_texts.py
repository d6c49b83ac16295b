"""Replacement of texts by their hashes, for data that may not be passed on."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from relevance.annotation.protocol.file import read_protocol, write_protocol
from relevance.bundles.contents import DATA, STUDY_FILE
from relevance.data.export import format_json_lines
from relevance.data.files import write_whole
from relevance.data.importers import read_documents
from relevance.data.reading import quote_value, read_json_lines
from relevance.data.records import PLACEHOLDER, BadRecord, Document, Summary

QUOTING = ("judgments.jsonl", "adjudications.jsonl", "model_judgments.jsonl")

FREE = ("rationale", "skip_reason", "reason")
"""Texts that people and models write about texts, and may quote them in."""

HIDDEN = re.compile(rf"sha256:[0-9a-f]{{64}}:[0-9]+( {PLACEHOLDER})?")
"""The hash that replaces a text."""


def is_hidden(text: str) -> bool:
    """Tell whether a text is the hash of another."""
    return HIDDEN.fullmatch(text) is not None


def hide_files(folder: Path) -> None:
    """Replace the texts in a bundle's files by their hashes, and leave out fields that quote them."""
    for path in (folder / STUDY_FILE, *(folder / "protocols").glob("*.toml")):
        write_whole(path, [hide_protocol(path.read_text(encoding="utf-8"))])
    changes = {DATA: hide_document, **dict.fromkeys(QUOTING, leave_out)}
    for name, change in changes.items():
        write_whole(folder / name, format_json_lines(change(record) for _, record in read_json_lines(folder / name)))


def bring_texts(folder: Path, file: Path) -> None:
    """Replace hashes by the texts of a file, after checking them. Raises `BadRecord`, OSError."""
    brought = {document.id: (document, summaries) for document, summaries in read_documents(file)}

    def whole() -> Iterator[dict[str, Any]]:
        for _, record in read_json_lines(folder / DATA):
            if record["id"] not in brought:
                raise BadRecord(f"{file.name} has no document {quote_value(record['id'])}")
            yield put_texts(record, *brought[record["id"]], file.name)

    write_whole(folder / DATA, format_json_lines(list(whole())))


def put_texts(record: Mapping[str, Any], document: Document, summaries: Sequence[Summary], file: str) -> dict[str, Any]:
    """Return a document of a bundle with its texts. Raises `BadRecord` if they are not those that were hashed."""
    texts = {summary.system: summary.text for summary in summaries}
    source = document.source
    whole = {
        **record,
        "title": document.title,
        "source": source if isinstance(source, str) else list(source),
        "references": list(document.references),
        "summaries": [{**summary, "text": texts.get(summary["system"], "")} for summary in record["summaries"]],
        "questions": [question._asdict() for question in document.questions],
    }
    hashed = hide_document(whole)
    other = next((part for part in record if hashed[part] != record[part]), None)
    if other is not None:
        raise BadRecord(f"{file}: {other} of the document {quote_value(record['id'])}: not what was hashed")
    return whole


def hide(text: str) -> str:
    """Return the hash that replaces a text: its SHA-256 and its number of characters.

    A blank text stays as it is, and so does a hash.
    """
    if not text.strip() or is_hidden(text):
        return text
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}:{len(text)}"


def hide_document(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of a bundle with hashes instead of its texts."""
    source = record["source"]
    return {
        **record,
        "title": None if record["title"] is None else hide(record["title"]),
        "source": hide(source) if isinstance(source, str) else [hide(sentence) for sentence in source],
        "references": [hide(text) for text in record["references"]],
        "summaries": [{**summary, "text": hide(summary["text"])} for summary in record["summaries"]],
        "questions": [
            {"question": hide_question(question["question"]), "answer": hide(question["answer"])}
            for question in record["questions"]
        ],
    }


def hide_question(text: str) -> str:
    """Return the hash of a question, followed by the placeholder that every question has."""
    return text if is_hidden(text) else f"{hide(text)} {PLACEHOLDER}"


def leave_out(value: Any) -> Any:
    """Return a JSON value without the texts of the fields `FREE`."""
    if isinstance(value, Mapping):
        return {key: None if key in FREE else leave_out(inner) for key, inner in value.items()}
    return [leave_out(item) for item in value] if isinstance(value, list) else value


def hide_protocol(text: str) -> str:
    """Return a study file whose training pairs have hashes instead of texts; its comments are left out."""
    protocol = read_protocol(text)
    if protocol.training is None:
        return write_protocol(protocol)
    pairs = tuple(
        replace(
            pair,
            document=hide(pair.document),
            better=hide(pair.better),
            worse=hide(pair.worse),
            explanation=hide(pair.explanation),
            title=None if pair.title is None else hide(pair.title),
        )
        for pair in protocol.training.pairs
    )
    return write_protocol(replace(protocol, training=replace(protocol.training, pairs=pairs)))
