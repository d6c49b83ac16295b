"""Import of a file into a data set, for the command `import` and the page Data sets."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from relevance.data.files import sha256
from relevance.data.importers import (
    FOLDERS,
    LINES,
    empty_summaries,
    guess_format,
    lines,
    mt_metrics_eval,
    read_documents,
)
from relevance.data.importers.table import TableColumns
from relevance.data.own_references import describe_own_references
from relevance.data.reading import FileLine, Say, identifier, say_nothing
from relevance.data.records import Document, Summary
from relevance.data.signatures import GIVEN
from relevance.data.store import Dataset, DataStore


def import_file(
    store: DataStore,
    path: Path,
    *,
    name: str,
    format: str | None = None,
    system: str | None = None,
    say: Say = say_nothing,
    columns: TableColumns | None = None,
) -> str:
    """Import a file as the data set `name`, or a file of lines as one more system of it; return a summary.

    `system` is the name of the system of a file of lines, by default the file's; `columns` map the columns of a text
    table with other names. Raises `BadRecord`, `DatasetExists`, `UnknownDataset` or `SystemExists`, and then nothing is
    imported.
    """
    if format is None:
        format = guess_format(path)
        say(f"format: {format} (guessed)")
    if format == LINES:
        system = identifier(FileLine(path, 1), system or path.stem, "the system's name")
        documents = [document for document, _ in store.records(name)]
        summaries = lines.load(path, documents, system)
        count = store.add_summaries(dataset=name, summaries=summaries)
        for sentence in describe_own_references(store.records(name)):
            say(sentence)
        if empty := sum(summary.is_empty for summary in summaries):
            say(empty_summaries(empty))
        return f"added {count} summaries of {system} to {name}"
    records = list(read_documents(path, format, say, columns))
    dataset = store.add_dataset(name=name, format=format, sha256=fingerprint(path, format), records=records)
    if given := {metric for _, summaries in records for one in summaries for metric, _ in one.given}:
        say(f"metrics whose scores came with the file, kept under names that begin with {GIVEN!r}: {len(given)}")
    if differing := count_differing(records):
        say(f"scores left out, as the same text with the same source and references has another one: {differing}")
    return describe_import(dataset)


def describe_import(dataset: Dataset) -> str:
    """Describe an import in one line."""
    systems = f"{dataset.summaries} summaries of {len(dataset.systems)} systems" if dataset.systems else "no summaries"
    return f"imported {dataset.documents} documents and {systems} as {dataset.name}"


def count_differing(records: Iterable[tuple[Document, Sequence[Summary]]]) -> int:
    """Count the scores that are not kept because the same texts came with another score before."""
    kept: dict[tuple[object, ...], float] = {}
    return sum(
        kept.setdefault((metric, one.text, document.source, document.references, document.title), value) != value
        for document, summaries in records
        for one in summaries
        for metric, value in one.given
    )


def fingerprint(path: Path, format: str) -> str:
    """Compute the SHA-256 of a file, or for a folder, of the names and hashes of the files that are read."""
    if path.is_file() and path.suffix == mt_metrics_eval.SUFFIX:
        path = path.parent.parent  # the file names its folder
    if path.is_file():
        return sha256(path)
    files = sorted({file for pattern in FOLDERS.get(format, ()) for file in path.rglob(pattern) if file.is_file()})
    listed = (f"{sha256(file)}  {file.relative_to(path)}\n" for file in files)
    return hashlib.sha256("".join(listed).encode()).hexdigest()
