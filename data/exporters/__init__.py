"""Exporters: one file a format, each with `save(records, path, say)`, which writes documents with their summaries.

Callers use `write_records`: it writes under another name, moves the result into place, and reports what the format
cannot keep.
"""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from data.exporters import interchange, mt_metrics_eval, parquet, sacrerouge, table
from data.reading import Say, say_nothing
from data.records import Document, Summary

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
    "scores of metrics": lambda _, summaries: sum(len(summary.given) for summary in summaries),
    "remarks on how summaries were written": lambda _, summaries: sum(len(summary.remarks) for summary in summaries),
}
"""The parts that not every format keeps, each with a function that counts them in a document."""

TITLES, QUESTIONS, SENTENCES, TWICE, SCORES, REMARKS = PARTS

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
    if path.exists() or path.is_symlink():
        raise OutputExists(f"{path} is there already; name another, or remove it first")
    if not path.name or not path.parent.is_dir():
        raise ValueError(f"{path} cannot be written: there is no folder {path.parent}")
    exporter = EXPORTERS[format]
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as beside:
        written = Path(beside) / path.name
        exporter.save(records, written, say)
        written.rename(path)
    lost = {
        part: sum(count(*record) for record in records) for part, count in PARTS.items() if part not in exporter.holds
    }
    if named := ", ".join(f"{part} ({count})" for part, count in lost.items() if count):
        say(f"{format} has no place for these, which are not written: {named}")
