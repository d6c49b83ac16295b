"""Tables in GitHub's Markdown."""

import re
from collections.abc import Sequence

from relevance.data.one_line import in_one_line
from relevance.reports.formats.cells import UNDEFINED, columns_of, format_cell, reasons
from relevance.reports.tables.table import Table


def as_markdown(table: Table) -> str:
    """Write a table in GitHub's Markdown under its title, with three decimals and its notes."""
    names = columns_of(table)
    left = {name for name in names if all(isinstance(row[name], str | None) for row in table.rows)}
    lines = [
        markdown_row([escape_markdown(name) for name in names]),
        markdown_row(["---" if name in left else "---:" for name in names]),
        *(markdown_row([escape_markdown(format_cell(row[name], name, 3)) for name in names]) for row in table.rows),
    ]
    grid = "\n".join(lines) if names else f"{UNDEFINED}: {escape_markdown(table.empty)}"
    notes = [escape_markdown(note) for note in [*reasons(table), *table.notes]]
    return "\n\n".join([f"**{escape_markdown(table.title)}**", grid, *notes]) + "\n"


def markdown_row(cells: Sequence[str]) -> str:
    """Write one line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def escape_markdown(text: str) -> str:
    """Escape a text for Markdown, letter for letter."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", in_one_line(text))
