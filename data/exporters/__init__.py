"""Exporters: one file a format, each with `save(records, path, say)`, which writes documents with their summaries.

Callers use `write_records`: it writes under another name, moves the result into place, and reports what the format
cannot keep.
"""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from relevance.data.exporters import interchange, mt_metrics_eval, parquet, sacrerouge, table
from relevance.data.reading import Say, say_nothing
from relevance.data.records import Document, Summary

Record = tuple[Document, list[Summary]]
Save = Callable[[Sequence[Record], Path, Say], None]


class OutputExists(ValueError):
    """The path to write a data set to already exists."""


class Exporter(NamedTuple):
    """A format that data sets can be written in."""

    save: Save
    """The function that writes to a new path, a file or a folder. Raises `CannotBeHeld` and OSError."""
    holds: frozenset[str] = frozenset()
    """The names in `PARTS` of what it keeps, so that an import restores it."""


PARTS: dict[str, Callable[[Document, list[Summary]], int]] = {
    "titles": lambda document, _: document.title is not None,
    "questions": lambda document, _: len(document.questions),
    "sources as lists of sentences": lambda document, _: not isinstance(document.source, str),
    "references that stand twice": lambda document, _: len(document.references) - len(set(document.references)),
    "ratings of each annotator": lambda _, summaries: sum(
        len(ratings) for summary in summaries for ratings in summary.annotators.values()
    ),
    "scores of metrics": lambda _, summaries: sum(len(summary.given) for summary in summaries),
    "remarks on how summaries were written": lambda _, summaries: sum(len(summary.remarks) for summary in summaries),
}
"""The parts that not every format keeps, each with a function that counts them in a document."""

TITLES, QUESTIONS, SENTENCES, TWICE, ANNOTATORS, SCORES, REMARKS = PARTS

EXPORTERS = {
    "interchange": Exporter(interchange.save, frozenset(PARTS) - {REMARKS}),
    "csv": Exporter(table.save, frozenset({TITLES})),
    "parquet": Exporter(parquet.save, frozenset({TITLES})),
    "sacrerouge": Exporter(sacrerouge.save, frozenset({SENTENCES, TWICE, SCORES})),
    "mt_metrics_eval": Exporter(mt_metrics_eval.save, frozenset({TWICE, SCORES})),
}


def write_records(records: Sequence[Record], path: Path, format: str, say: Say = say_nothing) -> None:
    """Write a data set to a file, or to a folder if the format is one.

    The format's importer reads what it keeps exactly as in `records`; the parts that it does not keep are reported with
    their counts. Raises `OutputExists`, ValueError for an unknown format, `CannotBeHeld` if a record cannot be written
    at all, and OSError; then nothing is at `path`.
    """
    if format not in EXPORTERS:
        raise ValueError(f"unknown format {format!r}; known are {', '.join(EXPORTERS)}")
    with write_beside(path) as written:
        EXPORTERS[format].save(records, written, say)
    report_lost(count_lost(records, format), format, say)


def write_shards(
    records: Iterable[Record], folder: Path, rows_per_shard: int, say: Say = say_nothing
) -> tuple[int, int, int]:
    """Write a data set as a folder of Parquet files; return the numbers of documents, summaries and files.

    A file has about `rows_per_shard` rows, a row for each summary, and all rows of its documents. Only the records of
    one file are in memory. Raises as `write_records`, and ValueError if there are no documents.
    """
    documents = summaries = 0
    lost: Counter[str] = Counter()
    with write_beside(folder) as written:
        written.mkdir()
        for number, part in enumerate(divide_by_rows(records, rows_per_shard)):
            parquet.save(part, written / f"part-{number:05d}.parquet", say)
            documents += len(part)
            summaries += sum(len(of_document) for _, of_document in part)
            lost.update(count_lost(part, "parquet"))
        if not documents:
            raise ValueError("there are no documents to write")
    report_lost(lost, "parquet", say)
    return documents, summaries, number + 1


def divide_by_rows(records: Iterable[Record], rows: int) -> Iterator[list[Record]]:
    """Divide documents into parts that end with the document that brings them to so many rows of a table."""
    part: list[Record] = []
    filled = 0
    for record in records:
        part.append(record)
        filled += len(list(table.rows_of([record], "parquet")))
        if filled >= rows:
            yield part
            part, filled = [], 0
    if part:
        yield part


@contextmanager
def write_beside(path: Path) -> Iterator[Path]:
    """Yield a path to write to, which is moved to `path` when the block ends without an error.

    Raises `OutputExists`, and ValueError if there is no folder for it.
    """
    if path.exists() or path.is_symlink():
        raise OutputExists(f"{path} is there already; name another, or remove it first")
    if not path.name or not path.parent.is_dir():
        raise ValueError(f"{path} cannot be written: there is no folder {path.parent}")
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as beside:
        written = Path(beside) / path.name
        yield written
        written.rename(path)


def count_lost(records: Sequence[Record], format: str) -> dict[str, int]:
    """Count the parts of records that a format does not keep, by their names in `PARTS`."""
    return {
        part: sum(count(*record) for record in records)
        for part, count in PARTS.items()
        if part not in EXPORTERS[format].holds
    }


def report_lost(lost: Mapping[str, int], format: str, say: Say) -> None:
    """Report the parts that were not written."""
    if named := ", ".join(f"{part} ({count})" for part, count in lost.items() if count):
        say(f"{format} has no place for these, which are not written: {named}")
