"""Import of a file into a data set, for the command `import` and the page Data sets."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from relevance.data.alike import AlikeNames
from relevance.data.cleaning import RULES
from relevance.data.files import sha256
from relevance.data.foreign_marks import Marks
from relevance.data.importers import (
    FOLDERS,
    LINES,
    empty_summaries,
    lines,
    mt_metrics_eval,
    read_documents,
    tell_format,
)
from relevance.data.importers.mapping import Columns, write_columns
from relevance.data.importers.opening import list_files
from relevance.data.own_references import describe_own_references
from relevance.data.reading import FileLine, Say, identifier, say_nothing
from relevance.data.records import Document, Summary, is_of_people
from relevance.data.signatures import GIVEN
from relevance.data.store import Dataset, DataStore
from relevance.data.suspicious import describe_suspicious
from relevance.data.wording import format_count


class Reading(NamedTuple):
    """How a file is read."""

    format: str | None = None
    """One of `relevance.data.importers.IMPORTERS`, or `lines`; None to guess it."""
    columns: Columns | None = None
    """The mapping of the columns of a table; roles that it does not give are guessed."""
    clean: bool = False
    """True to remove the marks of other programs from its texts (`relevance.data.cleaning`)."""


def import_file(
    store: DataStore,
    path: Path,
    *,
    name: str,
    system: str | None = None,
    reading: Reading = Reading(),  # noqa: B008  immutable
    say: Say = say_nothing,
) -> str:
    """Import a file as the data set `name`, or a file of lines as one more system of it; return a summary.

    `system` is the name of the system of a file of lines, by default the file's. Lines that join a data set whose texts
    were cleaned are cleaned, too. Raises `BadRecord`, `DatasetExists`, `UnknownDataset` or `SystemExists`, and then
    nothing is imported.
    """
    format, columns, clean = reading
    format = format or tell_format(path, columns, say)
    if format == LINES:
        return import_lines(store, path, name=name, system=system, say=say, clean=clean)
    kept: list[Columns] = []
    records = list(read_documents(path, format, say, columns, clean=clean, keep=kept.append))
    dataset = store.add_dataset(
        name=name,
        format=format,
        sha256=fingerprint(path, format, columns),
        records=records,
        cleaned=RULES if clean else None,
        columns=write_columns(kept[0]) if kept else None,
    )
    if given := {metric for _, summaries in records for summary in summaries for metric, _ in summary.given}:
        say(f"metrics whose scores came with the file, kept under names that begin with {GIVEN!r}: {len(given)}")
    if differing := count_differing(records):
        say(f"scores left out, as the same text with the same source and references has another one: {differing}")
    return describe_import(dataset)


def import_lines(store: DataStore, path: Path, *, name: str, system: str | None, say: Say, clean: bool) -> str:
    """Import a file of lines as one more system of a data set, as `import_file` does."""
    system = identifier(FileLine(path, 1), system or path.stem, "the system's name")
    clean = clean or store.dataset(name).cleaned is not None
    before = store.records(name)
    written = lines.load(path, [document for document, _ in before], system)
    marks, summaries = Marks(), []
    for summary in written:
        text = marks.take(summary.text, f"document {summary.document_id} by {system}")
        summaries.append(replace(summary, text=text) if clean else summary)
    count = store.add_summaries(dataset=name, summaries=summaries)
    for sentence in marks.describe_cleaned() if clean else marks.describe():
        say(sentence)
    named = ([other for other in others if is_of_people(other.system)] for _, others in before)
    beside = zip(before, summaries, named, strict=True)
    for sentence in describe_own_references(
        (document, [*people, summary]) for (document, _), summary, people in beside
    ):
        say(sentence)
    alike = AlikeNames()
    for document, others in before:
        alike.add(document, [*others, Summary(document.id, system, "")])
    for sentence in alike.describe():
        say(sentence)
    for sentence in describe_suspicious(
        (document, [summary]) for (document, _), summary in zip(before, summaries, strict=True)
    ):
        say(sentence)
    if empty := sum(summary.is_empty for summary in summaries):
        say(empty_summaries(empty))
    return f"added {format_count(count, 'summary', 'summaries')} of {system} to {name}"


def describe_import(dataset: Dataset) -> str:
    """Describe an import in one line."""
    written = format_count(dataset.summaries, "summary", "summaries")
    systems = f"{written} of {format_count(len(dataset.systems), 'system')}" if dataset.systems else "no summaries"
    return f"imported {format_count(dataset.documents, 'document')} and {systems} as {dataset.name}"


def count_differing(records: Iterable[tuple[Document, Sequence[Summary]]]) -> int:
    """Count the scores that are not kept because the same texts came with another score before."""
    kept: dict[tuple[object, ...], float] = {}
    return sum(
        kept.setdefault((metric, summary.text, document.source, document.references, document.title), value) != value
        for document, summaries in records
        for summary in summaries
        for metric, value in summary.given
    )


def fingerprint(path: Path, format: str, columns: Columns | None = None) -> str:
    """Compute the SHA-256 of a file, or for a folder, of the names and hashes of the files that are read."""
    if format == "mt_metrics_eval" and path.is_file():
        path = mt_metrics_eval.find_documents(path).parent.parent  # the file names its folder
    if path.is_file() and (columns is None or not (columns.files or columns.documents)):
        return sha256(path)
    if columns is not None:
        files = list_files(path, columns)
        path = path if path.is_dir() else path.parent
    else:
        files = sorted({file for pattern in FOLDERS.get(format, ()) for file in path.rglob(pattern) if file.is_file()})
    listed = (f"{sha256(file)}  {file.relative_to(path)}\n" for file in files)
    return hashlib.sha256("".join(listed).encode()).hexdigest()
