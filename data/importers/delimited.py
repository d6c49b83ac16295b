"""Text tables: rows of cells that commas, semicolons or tabs separate, in quotation marks or not."""

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from relevance.data import reading
from relevance.data.export import unguard_formula
from relevance.data.importers.called import HUMAN, WIDE, find_roles
from relevance.data.reading import FileLine, Say

NUMBER = re.compile(r"[ \t]*-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?[ \t]*")
"""A number as JSON writes it."""
QUOTED = re.compile(r'"(?:[^"]|"")*"')
"""A cell in quotation marks, with those of its text doubled."""

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
"""Separators of the columns of text tables, with their names."""

TextRow = tuple[FileLine, list[str]]
"""The cells of a row, with the line that it starts in."""


def are_numbers(values: Sequence[str]) -> bool:
    """Tell whether these are numbers, and any."""
    return bool(values) and all(NUMBER.fullmatch(value) for value in values)


class Layout(NamedTuple):
    """How the cells of a text table are written."""

    delimiter: str
    """One of `DELIMITERS`."""
    quoted: bool
    """True if cells may be in quotation marks, which are not part of their texts."""


def find_layout(path: Path) -> Layout:
    """Find out how the cells of a text table are written; of one with tabs, all lines are read. Raises `BadRecord`."""
    delimiter = guess_delimiter(next((line for _, line in reading.lines(path)), ""))
    return Layout(delimiter, delimiter != "\t" or has_quoted_cells(path))


def delimited_rows(path: Path, layout: Layout, say: Say) -> Iterator[TextRow]:
    """Yield the header and the rows of a text table that are not blank, each with the line that it starts in.

    The header's names have no white space around them. Raises `BadRecord` for a malformed table.
    """
    delimiter, quoted = layout
    rows = quoted_rows(path, delimiter, say) if quoted else plain_rows(path, delimiter)
    guarded = 0
    for number, (place, values) in enumerate(rows):
        cells = values
        if delimiter != "\t" and any(value.startswith("'") for value in values):
            cells = [unguard_formula(value) for value in values]
            guarded += sum(cell != value for cell, value in zip(cells, values, strict=True))
        yield place, cells if number else [reading.trim_name(name) for name in cells]
    if guarded:
        say(f"cells with an apostrophe before what a spreadsheet would run as a formula, read without it: {guarded}")


def plain_rows(path: Path, delimiter: str) -> Iterator[TextRow]:
    """Yield the rows of a table whose quotation marks are those of its texts."""
    for place, line in reading.lines(path):
        if line or place.line == 1:
            yield place, line.split(delimiter)


def has_quoted_cells(path: Path) -> bool:
    """Tell whether cells of a TSV file are in quotation marks, which are not part of their texts then.

    That is so if all of its texts are, or if its lines are not rows otherwise. Most programs write no quotation marks
    into TSV, so that one at the beginning of a cell is usually the text's own.
    """
    width, all_quoted, all_rows = 0, True, True
    for _, line in reading.lines(path):
        if not line:
            continue
        cells = line.split("\t")
        width = width or len(cells)
        all_rows = all_rows and len(cells) == width
        all_quoted = all_quoted and all(QUOTED.fullmatch(cell) or NUMBER.fullmatch(cell) or not cell for cell in cells)
    return all_quoted or not all_rows


def quoted_rows(path: Path, delimiter: str, say: Say) -> Iterator[TextRow]:
    """Yield the rows of a table whose cells may be in quotation marks."""
    csv.field_size_limit(reading.MAX_LINE_BYTES)
    place = FileLine(path, 1)
    spanned: list[str] = []

    def ended_lines() -> Iterator[str]:
        nonlocal place
        for place, line in reading.lines(path, keep_ends=True):  # noqa: B007  read for the error below
            spanned.append(line)
            yield line

    start, width = 1, 0
    rows = csv.reader(ended_lines(), delimiter=delimiter, strict=True)
    try:
        for values in rows:
            here, start = FileLine(path, start), rows.line_num + 1
            width = width or len(values)
            if len(spanned) > 1 and all(line.count(delimiter) == width - 1 > 0 for line in spanned):
                swallowed(here, spanned, delimiter, say)
            spanned.clear()
            if values or here.line == 1:
                yield here, values
    except csv.Error as error:
        place.refuse(explain_error(str(error), start))


def swallowed(place: FileLine, lines: Sequence[str], delimiter: str, say: Say) -> None:
    """Refuse a cell that holds whole rows, or say so where its text may have as many delimiters by chance."""
    problem = (
        f"lines {place.line} to {place.line + len(lines) - 1} are one row, as a quotation mark opens in the first and "
        "closes in the last of them, but each looks like a row of its own"
    )
    remedy = "if they are rows, write each quotation mark of a text twice, and one around its cell"
    if delimiter == "\t":
        place.refuse(f"{problem}; {remedy}")
    say(f"{place}: {problem}; {remedy}")


def explain_error(error: str, start: int) -> str:
    """Say what is wrong with a table, given the error of Python's reader and the line in which the row begins."""
    where = f"in the row that starts in line {start}"
    if "expected after" in error:
        return f'a quotation mark stands within a cell that is in quotation marks, {where}: write it twice ("")'
    if "unexpected end" in error:
        return f"a quotation mark opens {where}, and none closes before the end of the file"
    if "field limit" in error:
        return f"a cell is over 32 MiB {where}; does a quotation mark open there that is not closed?"
    if "new-line" in error:
        return f"a carriage return stands within a cell, {where}: save the file with usual line ends"
    return f"this is not a table, {where}: {error}"


def guess_delimiter(header: str) -> str:
    """Return the delimiter by which a header has the most usual names and the fewest others, or else the most names."""

    def rank(delimiter: str) -> tuple[int, int]:
        names = [reading.trim_name(name.strip().strip('"')) for name in header.split(delimiter)]
        usual = len(find_roles(names)) + sum(name.startswith((HUMAN, WIDE)) for name in names)
        return usual, -len(names) if usual else len(names)

    return max(DELIMITERS, key=rank)
