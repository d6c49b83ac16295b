"""Writing of records to files: JSON lines without loss, CSV that a spreadsheet cannot run."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

FORMATS = ("jsonl", "csv")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
FORMULA = re.compile("'*[=+\\-@\t\r\n]")
"""The beginning of a cell that a spreadsheet would run as a formula, behind any number of apostrophes."""


def export(records: Iterable[dict[str, Any]], format: str) -> str:
    """Return records as the text of one file. Raises ValueError for an unknown format."""
    return "".join(format_lines(records, format))


def format_lines(records: Iterable[dict[str, Any]], format: str) -> Iterator[str]:
    """Yield records as the lines of a file. Raises ValueError for an unknown format."""
    if format == "jsonl":
        return format_json_lines(records)
    if format == "csv":
        return format_csv_lines(records)
    raise ValueError(f"unknown export format {format!r}; known are {', '.join(FORMATS)}")


def format_json_lines(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield a line of JSON for each record, with Unicode as it is."""
    for record in records:
        yield json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"


def format_csv_lines(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield a header and a row for each record; nested values become JSON, null an empty cell.

    Texts that a spreadsheet would take for a formula get a leading apostrophe: CSV is for viewing, JSON lines for
    keeping. Lines end in CRLF (RFC 4180), which also makes Python quote texts with a lone CR in them.
    """
    out = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for record in records:
        if writer is None:
            writer = csv.DictWriter(out, fieldnames=list(record), lineterminator="\r\n")
            writer.writerow({key: format_csv_cell(key) for key in record})
        writer.writerow({key: format_csv_cell(value) for key, value in record.items()})
        yield out.getvalue()
        out.seek(0)
        out.truncate()


def format_csv_cell(value: Any) -> Any:
    """Return a value as a cell of a CSV file."""
    if isinstance(value, list | dict):
        value = json.dumps(value, ensure_ascii=False)
    return "'" + value if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


def guard_formula(text: str) -> str:
    """Return the text of a CSV cell with an apostrophe before what a spreadsheet would run as a formula.

    Apostrophes before a formula get another one, so that `unguard_formula` returns every text as it was.

    >>> guard_formula("=1+1"), guard_formula("1+1")
    ("'=1+1", '1+1')
    """
    return f"'{text}" if FORMULA.match(text) else text


def unguard_formula(text: str) -> str:
    """Return the text of a CSV cell without the apostrophe that `guard_formula` puts before it.

    >>> unguard_formula("'=1+1"), unguard_formula("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text


def format_timestamp(time: datetime) -> str:
    """Return a time in ISO 8601 with microseconds; times in the database are in UTC."""
    return time.isoformat(timespec="microseconds")
