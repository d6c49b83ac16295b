"""Tables as text for a terminal."""

import textwrap
from collections.abc import Collection, Sequence

from relevance.data.one_line import in_one_line
from relevance.reports.formats.cells import UNDEFINED, columns_of, format_cell, reasons
from relevance.reports.tables.table import Marked, Table


def as_text(table: Table, *, without: Sequence[str] = (), told: Collection[str] = (), width: int | None = None) -> str:
    """Write a table under its title for a terminal, with names to the left and numbers to the right.

    The columns `without` are left out, and so are notes that are already `told`. Notes are broken into lines of `width`
    characters, if given; words and the table itself are never broken.
    """
    names = [name for name in columns_of(table) if name not in without]
    lines = [in_one_line(table.title)]
    if names:
        marked = {name for row in table.rows for name in names if isinstance(row[name], Marked)}
        cells = [
            [
                format_cell(cell := row[name], name) + " " * (name in marked and not isinstance(cell, Marked))
                for name in names
            ]
            for row in table.rows
        ]
        left = [all(isinstance(row[name], str | None) for row in table.rows) for name in names]
        heads = [in_one_line(name) for name in names]
        widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
        for line in (heads, *cells):
            aligned = [
                cell.ljust(width) if to_left else cell.rjust(width)
                for cell, width, to_left in zip(line, widths, left, strict=True)
            ]
            lines.append("  ".join(aligned).rstrip())
    else:
        lines.append(f"{UNDEFINED}: {in_one_line(table.empty)}")
    below = [*reasons(table), *(note for note in table.notes if note not in told)]
    return "\n".join([*lines, *(wrap_line(in_one_line(note), width) for note in below)])


def wrap_line(line: str, width: int | None) -> str:
    """Break a line between words; without a width, leave it as it is."""
    if not width:
        return line
    return "\n".join(textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)) or line
