"""Importers: one file a format, each `load(path, say) -> Iterator[(Document, list[Summary])]`.

`read_documents` is what everybody calls: it guesses the format, and checks what no single line can show. Every error is
a `BadRecord` with file and line; a caller that stores records rolls back on it, so that a file is taken whole or not at
all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from data.importers import interchange, parquet, question, scitldr, summeval, table
from data.reading import Say, quote_value, read_json_lines, say_nothing
from data.records import BadRecord, Document, Summary

Records = Iterator[tuple[Document, list[Summary]]]

IMPORTERS: dict[str, Callable[[Path, Say], Records]] = {
    "interchange": interchange.load,
    "scitldr": scitldr.load,
    "summeval": summeval.load,
    "csv": table.load_csv,
    "tsv": table.load_tsv,
    "parquet": parquet.load,
    "question": question.load,
}
LINES = "lines"
"""The format that joins a data set instead of making one: a summary a line (`data.importers.lines`)."""

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    question.SUFFIX: "question",
    ".hypo": LINES,
    ".txt": LINES,
}


def guess_format(path: Path) -> str:
    """Name the format of a file by its ending or, for JSON lines, by the fields of its first record.

    A folder is one of `.question` files.

    Raises `BadRecord` where that does not tell.
    """
    if path.is_dir():
        return "question"
    if path.suffix.lower() in SUFFIXES:
        return SUFFIXES[path.suffix.lower()]
    for place, record in read_json_lines(path):
        if "decoded" in record and "model_id" in record:
            return "summeval"
        if "target" in record and "source" in record:
            return "scitldr"
        if "references" in record or "summaries" in record:
            return "interchange"
        place.refuse(
            "the format cannot be told from the fields "
            f"{', '.join(map(quote_value, list(record)[:8])) or '(none)'}; name it with --format {'|'.join(IMPORTERS)}"
        )
    raise BadRecord(f"{path.name}:1: the file is empty")


def read_documents(path: Path, format: str | None = None, say: Say = say_nothing) -> Records:
    """Yield the documents of a file with their summaries, checked across the whole file.

    Raises `BadRecord` at the first thing that cannot be taken, possibly after some records were yielded.
    """
    if format is None:
        format = guess_format(path)
        say(f"format: {format} (guessed)")
    if format == LINES:
        raise BadRecord(
            f"{path.name}: a file of lines holds summaries only: import its documents first and then the file under "
            "the same --name, or score it as plain text with -c and -r"
        )
    if format not in IMPORTERS:
        raise BadRecord(f"unknown format {format!r}; known are {', '.join([*IMPORTERS, LINES])}")
    documents = count = 0
    for document, summaries in IMPORTERS[format](path, say):
        documents += 1
        count += sum(summary.is_empty for summary in summaries)
        yield document, summaries
    if not documents:
        raise BadRecord(f"{path.name}:1: the file holds no documents")
    if count:
        say(empty_summaries(count))


def empty_summaries(count: int) -> str:
    """The message about empty summaries."""
    kept = "1 summary is empty: it is kept" if count == 1 else f"{count} summaries are empty: they are kept"
    return f"{kept} without scores, and no study asks about {'it' if count == 1 else 'them'}"
