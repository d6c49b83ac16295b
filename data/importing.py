"""Import a file into a data set, for the command `import` and the Studies page."""

from __future__ import annotations

import hashlib
from pathlib import Path

from data.files import sha256
from data.importers import LINES, empty_summaries, guess_format, lines, question, read_documents
from data.reading import FileLine, Say, identifier, say_nothing
from data.store import DataStore


def import_file(
    store: DataStore,
    path: Path,
    *,
    name: str,
    format: str | None = None,
    system: str | None = None,
    say: Say = say_nothing,
) -> str:
    """Import a file as the data set `name`, or a file of lines as one more system of it; says what was imported.

    `system` names the writer of a file of lines, by default after the file. Raises `BadRecord`, `DatasetExists`,
    `UnknownDataset` or `SystemExists`, and then nothing is imported.
    """
    if format is None:
        format = guess_format(path)
        say(f"format: {format} (guessed)")
    if format == LINES:
        system = identifier(FileLine(path, 1), system or path.stem, "the system's name")
        documents = [document for document, _ in store.records(name)]
        summaries = lines.load(path, documents, system)
        count = store.add_summaries(dataset=name, summaries=summaries)
        if empty := sum(summary.is_empty for summary in summaries):
            say(empty_summaries(empty))
        return f"added {count} summaries of {system} to {name}"
    dataset = store.add_dataset(
        name=name, format=format, sha256=fingerprint(path), records=read_documents(path, format, say)
    )
    systems = f"{dataset.summaries} summaries of {len(dataset.systems)} systems" if dataset.systems else "no summaries"
    return f"imported {dataset.documents} documents and {systems} as {dataset.name}"


def fingerprint(path: Path) -> str:
    """The SHA-256 of a file, or that of the names and hashes of a folder's `.question` files."""
    if path.is_file():
        return sha256(path)
    listed = (f"{sha256(file)}  {file.relative_to(path)}\n" for file in question.question_files(path))
    return hashlib.sha256("".join(listed).encode()).hexdigest()
