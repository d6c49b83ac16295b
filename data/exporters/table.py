"""CSV as `relevance.data.importers.table` reads it: a row for each summary, further references in their own rows.

Texts that a spreadsheet would run as formulas, as they begin with = or the like, get an apostrophe, which is reported;
an import takes it away again.
"""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from relevance.data.export import guard_formula
from relevance.data.exporters.refusal import refuse
from relevance.data.importers.called import HUMAN
from relevance.data.reading import Say
from relevance.data.records import Document, Summary

TEXTS = ("document_id", "title", "source", "reference", "system", "summary")

Record = tuple[Document, list[Summary]]


def save(records: Sequence[Record], path: Path, say: Say) -> None:
    """Write a file."""
    formulas = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, [*TEXTS, *rating_columns(records)], lineterminator="\r\n")  # quotes a lone CR, too
        out.writeheader()
        for row in rows_of(records, "csv"):
            guarded = {name: guard_formula(cell) if isinstance(cell, str) else cell for name, cell in row.items()}
            formulas += sum(guarded[name] != cell for name, cell in row.items())
            out.writerow(guarded)
    if formulas:
        say(f"texts that a spreadsheet would run as formulas, and that got an apostrophe: {formulas}")


def rating_columns(records: Sequence[Record]) -> list[str]:
    """List the columns of ratings, in the order in which they first occur."""
    aspects = dict.fromkeys(aspect for _, written in records for summary in written for aspect in summary.human)
    return [f"{HUMAN}{aspect}" for aspect in aspects]


def rows_of(records: Sequence[Record], format: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of all documents, without empty cells. Raises `CannotBeHeld`."""
    for document, summaries in records:
        title = {} if document.title is None else {"title": document.title}
        source = {"source": document.source_text} if document.source_text.strip() else {}
        of_document = {"document_id": document.id, **title, **source}
        first, *others = [{"reference": text} for text in dict.fromkeys(document.references)] or [{}]
        for summary in summaries:
            if summary.text and summary.is_empty:
                refuse(format, document.id, f"the summary of {summary.system} is white space, which a row cannot hold")
            human = {f"{HUMAN}{aspect}": rating for aspect, rating in summary.human.items()}
            yield {**of_document, **first, "system": summary.system, "summary": summary.text, **human}
        for reference in others if summaries else [first, *others]:
            yield {**of_document, **reference}
