"""Cells of tables as texts and JSON values, for all formats."""

from collections.abc import Mapping
from itertools import takewhile
from typing import Any

from relevance.data.one_line import in_one_line
from relevance.reports.tables.table import Cell, Marked, Range, Table, Undefined

UNDEFINED = "undefined"

MARKS, STD = "marks", "std"

NOISE = 1e-12
"""Negative numbers closer to 0 than this are rounding errors, which browsers would show as -0.000."""

LONG = 60
"""The most rows of a table that is shown whole unasked."""


def reasons(table: Table) -> list[str]:
    """Say why numbers of a table are undefined, a line for each reason, with the rows and columns it applies to."""
    names: dict[str, dict[str, None]] = {}
    for row in table.rows:
        for column, cell in row.items():
            if isinstance(cell, Undefined):
                names.setdefault(cell.reason, {})[f"{row_name(row)}: {column}" if row_name(row) else column] = None
    lines = []
    for reason, places in names.items():
        some = list(places)
        more = f" and {len(some) - 4} more" if len(some) > 4 else ""
        lines.append(f"{UNDEFINED} ({', '.join(some[:4])}{more}): {reason}")
    return lines


def row_name(row: Mapping[str, Cell]) -> str:
    """Return the words that a row begins with."""
    return " / ".join(str(row[column]) for column in naming(row))


def naming(row: Mapping[str, Cell]) -> list[str]:
    """Return the columns of the words that a row begins with."""
    return list(takewhile(lambda column: isinstance(row[column], str), row))


def format_cell(cell: Cell, column: str = "", digits: int = 4) -> str:
    """Write a cell as people read it; 0 has no sign, and p values are written by `format_p`."""
    if cell is None:
        return ""
    if isinstance(cell, Undefined):
        return UNDEFINED
    if isinstance(cell, Range):
        return f"[{cell.low:z.{digits}f}, {cell.high:z.{digits}f}]"
    if isinstance(cell, Marked):
        std = "" if cell.std is None else f" ± {format_cell(cell.std, column, digits)}"
        return format_cell(cell.value, column, digits) + std + cell.mark
    if isinstance(cell, float):
        return format_p(cell, digits) if is_p(column) else f"{cell:z.{digits}f}"
    return in_one_line(cell) if isinstance(cell, str) else str(cell)


def is_p(column: str) -> bool:
    """Tell whether a column holds p values."""
    return column.split(" ", maxsplit=1)[0] == "p"


def format_p(p: float, digits: int = 3) -> str:
    """Write a p value as papers do: .003, or < .001 if it would round to 0."""
    least = 10**-digits
    return f"< {without_zero(least, digits)}" if p < 0.5 * least else without_zero(p, digits)


def without_zero(share: float, digits: int) -> str:
    """Write a number from 0 to 1 without the 0 before its point."""
    return f"{share:.{digits}f}".removeprefix("0")


def columns_of(table: Table) -> list[str]:
    """Return the names of a table's columns."""
    return list(table.rows[0]) if table.rows else []


def marks_of(row: Mapping[str, Cell]) -> dict[str, str]:
    """Return the marks of a row's numbers by column."""
    return {name: cell.mark for name, cell in row.items() if isinstance(cell, Marked) and cell.mark}


def stds_of(row: Mapping[str, Cell]) -> dict[str, float]:
    """Return the standard deviations of a row's numbers over runs, by column."""
    return {name: cell.std for name, cell in row.items() if isinstance(cell, Marked) and cell.std is not None}


def cell_as_json(cell: Cell) -> Any:
    """Write a cell as a JSON value; an interval becomes a list of its ends, and marks are left out."""
    if isinstance(cell, Undefined):
        return None
    if isinstance(cell, Marked):
        return cell.value
    return [cell.low, cell.high] if isinstance(cell, Range) else cell
