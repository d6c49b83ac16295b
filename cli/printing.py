"""Tables on the terminal."""

import shutil
import sys
from collections.abc import Iterable, Sequence

import click

from data.one_line import in_one_line
from reports.formats import LONG, as_text
from reports.tables.table import NOT_WEIGHED, Table


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print aligned columns: the first flush left, numbers flush right."""
    cells = [list(header), *([format_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    for row in cells:
        first, *others = (text.ljust(w) if i == 0 else text.rjust(w) for i, (text, w) in enumerate(zip(row, widths)))  # noqa: B905
        click.echo("  ".join([first, *others]).rstrip())


def print_sections(sections: Sequence[Table], lines: Iterable[str]) -> None:
    """Print tables as text, and under them what they rest on.

    Each note is printed once, but for those that say what of a table is not weighed. Of several tables a long one is
    only named.
    """
    said: set[str] = set()
    for section in sections:
        if len(section.rows) > LONG and len(sections) > 1:
            click.echo(f"{section.title}\n{len(section.rows)} rows: --tables {section.name} prints them\n")
        else:
            click.echo(as_text(section, without=["signature"], said=said, width=screen_width()) + "\n")
            said.update(note for note in section.notes if not note.startswith(NOT_WEIGHED))
    for line in lines:
        click.echo(in_one_line(line))


def screen_width() -> int | None:
    """Characters in a line of the terminal; None where standard output is none, whose lines stay whole for searches."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def format_cell(value: object) -> str:
    """A value as a table shows it: four decimals, `-` for what is undefined."""
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else in_one_line(value)
