"""Tables as CSV, one or several in a file."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from relevance.data.export import export
from relevance.reports.formats.cells import (
    MARKS,
    STD,
    UNDEFINED,
    cell_as_json,
    columns_of,
    marks_of,
    naming,
    row_name,
    stds_of,
)
from relevance.reports.tables.table import Marked, Range, Table, Undefined


def as_csv(table: Table) -> str:
    """Write a table as CSV, with intervals in two columns, and in the last the reasons why numbers are undefined.

    Marks and standard deviations, if there are any, have a column each.
    """
    wide = {name for name in columns_of(table) if "95 %" in name}
    records = []
    for row in table.rows:
        record: dict[str, Any] = {}
        for name, cell in row.items():
            value = cell_as_json(cell)
            if name in wide:
                record[f"{name} low"], record[f"{name} high"] = value or (None, None)
            else:
                record[name] = value
        why = [f"{name}: {cell.reason}" for name, cell in row.items() if isinstance(cell, Undefined)]
        marked = {MARKS: "; ".join(f"{name}: {mark}" for name, mark in marks_of(row).items())}
        spread = {STD: "; ".join(f"{name}: {std!r}" for name, std in stds_of(row).items())}
        records.append(
            record
            | (marked if any(map(marks_of, table.rows)) else {})
            | (spread if any(map(stds_of, table.rows)) else {})
            | {UNDEFINED: "; ".join(why)}
        )
    if not records:
        records.append({UNDEFINED: table.empty})
    return export(records, "csv")


def as_one_csv(tables: Sequence[Table], facts: Iterable[tuple[str, str]] = ()) -> str:
    """Write several tables as one CSV, a line per number: table, row, column, value, mark, low, high, undefined.

    A row is named by the words it begins with, and by its number among the rows that begin alike. The `facts` that the
    numbers rest on come first, as rows of a table `facts`.
    """
    lines: list[dict[str, Any]] = [line("facts", name, name, value=text) for name, text in facts]
    for table in tables:
        if not table.rows:
            lines.append(line(table.name, "", "", undefined=table.empty))
        begun = Counter(map(row_name, table.rows))
        met: Counter[str] = Counter()
        for row in table.rows:
            name = row_name(row)
            met[name] += 1
            if begun[name] > 1 or not name:
                name = f"{name} {met[name]}".strip()
            for column, cell in row.items():
                if isinstance(cell, Range):
                    lines.append(line(table.name, name, column, low=cell.low, high=cell.high))
                elif isinstance(cell, Undefined):
                    lines.append(line(table.name, name, column, undefined=cell.reason))
                elif isinstance(cell, Marked):
                    lines.append(line(table.name, name, column, value=cell.value, mark=cell.mark or None))
                    if cell.std is not None:
                        lines.append(line(table.name, name, f"{column} {STD}", value=cell.std))
                elif cell is not None and column not in naming(row):
                    lines.append(line(table.name, name, column, value=cell))
    return export(lines, "csv")


def line(table: str, row: str, column: str, **match: Any) -> dict[str, Any]:
    """Return one line of this CSV."""
    return {"table": table, "row": row, "column": column} | {
        name: match.get(name) for name in ("value", "mark", "low", "high", UNDEFINED)
    }
