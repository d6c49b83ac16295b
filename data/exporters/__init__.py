"""Exporters: one file a format, each `save(records, path, say)`, which writes documents with their summaries.

`write_records` is what everybody calls: it writes under another name and moves that into place, and says what the
format has no place for.
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
    """There is something already where a data set is to be written."""


class Exporter(NamedTuple):
    """A format that data sets are written in."""

    save: Save
    """Writes to a path that is not there, a file or a folder. Raises `CannotBeHeld` and OSError."""
    holds: frozenset[str] = frozenset()
    """Names in `PARTS` of what it keeps, so that an import gives it back."""


PARTS: dict[str, Callable[[Document, list[Summary]], int]] = {
    "titles": lambda document, _: document.title is not None,
    "questions": lambda document, _: len(document.questions),
    "sources as lists of sentences": lambda document, _: not isinstance(document.source, str),
    "references that stand twice": lambda document, _: len(document.references) - len(set(document.references)),
    "scores of metrics": lambda _, summaries: sum(len(summary.given) for summary in summaries),
    "remarks on how summaries were written": lambda _, summaries: sum(len(summary.remarks) for summary in summaries),
}
"""What not every format keeps, with how much of it a document has."""

TITLES, QUESTIONS, SENTENCES, TWICE, SCORES, REMARKS = PARTS

EXPORTERS = {
    "interchange": Exporter(interchange.save, frozenset(PARTS) - {REMARKS}),
    "csv": Exporter(table.save, frozenset({TITLES})),
    "parquet": Exporter(parquet.save, frozenset({TITLES})),
    "sacrerouge": Exporter(sacrerouge.save, frozenset({SENTENCES, TWICE, SCORES})),
    "mt_metrics_eval": Exporter(mt_metrics_eval.save, frozenset({TWICE, SCORES})),
}


def write_records(records: Sequence[Record], path: Path, format: str, say: Say = say_nothing) -> None:
    """Write a data set to a file, or to a folder where the format is one.

    What the format keeps is read again by its importer as it is in `records`; how much it does not keep is said.
    Raises `OutputExists`, ValueError for an unknown format, `CannotBeHeld` where a record cannot be written at all, and
    OSError; then nothing is at `path`.
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
