"""Spreadsheets (`.xlsx`, `.xlsm`, `.xlsb`, `.xls`, `.ods`), read by calamine in an interpreter of its own.

A file of kilobytes can ask for gigabytes: a cell far away from the others, or one that is repeated a million times.
The other interpreter has limits of memory and time, so that only it ends by them.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from relevance.data import reading
from relevance.data.environment import without_secrets
from relevance.data.files import open_file
from relevance.data.importers.delimited import TextRow
from relevance.data.reading import SPREADSHEETS, FileLine, Say, quote_value
from relevance.data.records import BadRecord

MAX_MEMORY = 2 * 2**30
"""Bytes of memory that the other interpreter may take."""
MAX_SECONDS = 120
"""Seconds that it may compute."""
MAX_TEXT = 200 * 2**20
"""Characters of a sheet, a repeated text counting each time."""


def is_spreadsheet(path: Path) -> bool:
    """Tell by its ending whether a file is a spreadsheet."""
    return path.suffix.lower() in SPREADSHEETS


def sheet_rows(path: Path, sheet: str | None, say: Say) -> Iterator[TextRow]:
    """Yield the header and the rows of a sheet that are not blank, as texts: 4 for a number, ISO 8601 for a time.

    Without a `sheet` it is the first one that is not empty, and `say` names the others. The line of a `FileLine` is the
    row's number in the sheet. Raises `BadRecord`.
    """
    try:
        open_file(path).close()  # which refuses a pipe
    except OSError as error:
        raise BadRecord(f"{path}: cannot be read: {error.strerror}") from error
    with reading_elsewhere(path, sheet) as process:
        yield from read_answer(path, iter(process.stdout or ()), say)
        ended = process.wait()
    if ended:
        FileLine(path, 1).refuse(
            f"the spreadsheet takes over {MAX_MEMORY // 2**30} GiB of memory or {MAX_SECONDS} s to read; is there a "
            "cell far away from the table? Save the sheet as CSV (UTF-8)"
        )


def list_sheets(path: Path) -> tuple[str, ...]:
    """Return the names of the sheets; nothing if they cannot be read."""
    with reading_elsewhere(path, None) as process:
        try:
            return tuple(json.loads(next(iter(process.stdout or ()), b"{}")).get("sheets", ()))
        except json.JSONDecodeError:
            return ()


@contextmanager
def reading_elsewhere(path: Path, sheet: str | None) -> Iterator[subprocess.Popen[bytes]]:
    """Start the interpreter that reads a sheet; it ends with the block, even if only the first rows were wanted."""
    command = [sys.executable, "-P", "-m", __name__, str(path.absolute()), *([] if sheet is None else [sheet])]
    with subprocess.Popen(  # noqa: S603  our own module
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=without_secrets()
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def read_answer(path: Path, answer: Iterator[bytes], say: Say) -> Iterator[TextRow]:
    """Yield the rows that the other interpreter prints. Raises `BadRecord` for the error that it tells."""
    try:
        head = json.loads(next(answer, b"{}"))
        if "error" in head:
            FileLine(path, 1).refuse(head["error"])
        if others := [name for name in head.get("sheets", ()) if name != head["read"]]:
            say(f"the sheet {quote_value(head['read'])} is read, and not {', '.join(map(quote_value, others))}")
        for number, line in enumerate(answer):
            row, cells = json.loads(line)
            yield FileLine(path, row), cells if number else [reading.trim_name(name) for name in cells]
    except json.JSONDecodeError:
        return  # cut where the other one ended, which its exit code tells


# --- in the other interpreter -----------------------------------------------------------------------------------------


def print_rows(file: str, sheet: str | None = None) -> None:
    """Print the names of the sheets and of the one that is read, then each row with its number, all as JSON lines."""
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        book = CalamineWorkbook.from_path(file)
        names = book.sheet_names
        if sheet is not None and sheet not in names:
            named = ", ".join(map(quote_value, names))
            print(json.dumps({"error": f"there is no sheet {quote_value(sheet)}; there are {named}"}))
            return
        for name in names if sheet is None else [sheet]:
            rows = [[to_text(cell) for cell in row] for row in book.get_sheet_by_name(name).to_python(False)]
            if any(any(row) for row in rows):
                break
    except (CalamineError, OSError, ValueError) as error:
        print(json.dumps({"error": f"not a readable spreadsheet: {error}"}))
        return
    if sum(map(len, (cell for row in rows for cell in row))) > MAX_TEXT:
        print(json.dumps({"error": f"there are over {MAX_TEXT // 2**20} MiB of text in the sheet; split it"}))
        return
    print(json.dumps({"sheets": names, "read": name}))
    for number, row in enumerate(rows, 1):
        if any(cell.strip() for cell in row):
            print(json.dumps([number, row]))


def to_text(value: Any) -> str:
    """Return the value of a cell as the text that CSV has for it.

    >>> to_text(4.0), to_text(0.5), to_text(True), to_text(datetime(2026, 1, 2, 3, 4))
    ('4', '0.5', 'true', '2026-01-02T03:04:00')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value)


def limit_self() -> None:
    """Limit the memory and the time of this process, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))


if __name__ == "__main__":
    limit_self()
    print_rows(*sys.argv[1:])
