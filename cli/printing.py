"""Tables on the terminal."""

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click

from relevance.data.one_line import in_one_line
from relevance.reports.formats import as_latex, as_one_csv, as_one_latex, as_text
from relevance.reports.formats.cells import LONG
from relevance.reports.tables.table import NOT_WEIGHED, Table


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print columns, the first aligned to the left, the others to the right."""
    cells = [list(header), *([format_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    for row in cells:
        first, *others = (text.ljust(w) if i == 0 else text.rjust(w) for i, (text, w) in enumerate(zip(row, widths)))  # noqa: B905
        click.echo("  ".join([first, *others]).rstrip())


def print_results(
    table_format: str,
    tables: Sequence[Table],
    facts: Mapping[str, str],
    signatures: Iterable[str],
    *,
    values: Callable[[], dict[str, Any]],
    write_latex: Callable[[Table], str] = as_latex,
) -> None:
    """Print tables in one of the formats, with their facts and signatures; `values` are those of JSON."""
    lines = [*(f"{name}: {text}" for name, text in facts.items()), *signatures]
    if table_format == "json":
        click.echo(json.dumps(values(), indent=2, allow_nan=False))
    elif table_format == "csv":
        click.echo(
            as_one_csv(tables, [*facts.items(), *(("signature", signature) for signature in signatures)]), nl=False
        )
    elif table_format == "latex":
        click.echo(as_one_latex(tables, lines, write_latex))
    else:
        print_tables(tables, lines)


def print_tables(tables: Sequence[Table], lines: Iterable[str]) -> None:
    """Print tables as text, and `lines` under them.

    A note that several tables share is printed once, unless it says which part of its table is not weighted. Among
    several tables, only the name of a long one is printed.
    """
    told: set[str] = set()
    for table in tables:
        if len(table.rows) > LONG and len(tables) > 1:
            click.echo(f"{table.title}\n{len(table.rows)} rows: --tables {table.name} prints them\n")
        else:
            click.echo(as_text(table, without=["signature"], told=told, width=screen_width()) + "\n")
            told.update(note for note in table.notes if not note.startswith(NOT_WEIGHED))
    for line in lines:
        click.echo(in_one_line(line))


def screen_width() -> int | None:
    """Return the width of the terminal; None for other output, whose lines are kept whole for searches."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def format_cell(value: object) -> str:
    """Format a value for a table: with four decimals, or `-` if it is undefined."""
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else in_one_line(value)
