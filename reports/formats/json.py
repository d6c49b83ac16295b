"""Tables as JSON values."""

from typing import Any

from relevance.reports.formats.cells import MARKS, STD, UNDEFINED, cell_as_json, marks_of, stds_of
from relevance.reports.tables.table import Table, Undefined


def as_json(table: Table) -> dict[str, Any]:
    """Write a table in JSON values: what is undefined is null, with the reasons by column under `undefined`.

    Marks and standard deviations over runs stand apart from their numbers, by column under `marks` and `std`.
    """
    return {
        "title": table.title,
        **({} if table.rows else {UNDEFINED: table.empty}),
        "rows": [
            {name: cell_as_json(cell) for name, cell in row.items()}
            | (
                {UNDEFINED: reasons}
                if (reasons := {name: cell.reason for name, cell in row.items() if isinstance(cell, Undefined)})
                else {}
            )
            | ({MARKS: marks} if (marks := marks_of(row)) else {})
            | ({STD: stds} if (stds := stds_of(row)) else {})
            for row in table.rows
        ],
        "notes": [*table.notes],
    }
