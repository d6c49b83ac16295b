"""A table of results on a page, with its help and its downloads."""

from functools import partial
from typing import Any, Literal

import pandas as pd
import streamlit as st

from relevance.data.one_line import in_one_line
from relevance.reports.escaping import in_markdown
from relevance.reports.formats import as_csv, as_latex, as_markdown
from relevance.reports.formats.cells import NOISE, UNDEFINED, format_cell, format_p, is_p, reasons
from relevance.reports.glossary import TERMS
from relevance.reports.tables.table import Cell, Marked, Range, Table, Undefined

NONE = "—"
"""The content of an undefined cell; the help of its column, and a line under the table, say why."""

DIGITS = {
    **dict.fromkeys(("threshold", "from", "to", "F1", "gap", "gap to the optimum", "greedy: gap", "seconds"), 4),
    "median seconds": 1,
    "wins": 1,
    **dict.fromkeys(("words", "words apart"), 1),
}
"""Decimals of columns that do not have three."""

COUNT = "{:,}".format
"""Write a count."""

STYLED = 50_000
"""Cells up to which numbers are formatted by our own rules; the browser formats those of larger tables."""


def as_frame(table: Table) -> pd.DataFrame:
    """Return the table as a frame: numbers stay numbers, except in columns with marks; undefined cells are empty."""
    marked = {name for row in table.rows for name, cell in row.items() if isinstance(cell, Marked)}
    return pd.DataFrame(
        {
            in_one_line(name): None if isinstance(cell, Undefined) else cell_of_page(cell, name, as_text=name in marked)
            for name, cell in row.items()
        }
        for row in table.rows
    )


def cell_of_page(cell: Cell, column: str, *, as_text: bool = False) -> Any:
    """Return a cell of a column as a frame holds it."""
    if isinstance(cell, float) and -NOISE < cell < 0:
        cell = 0.0
    return format_cell(cell, digits=DIGITS.get(column, 3)) if as_text or isinstance(cell, Range | str) else cell


def column_help(table: Table, column: str) -> str | None:
    """Return what a column means, and why cells of it are undefined; None where there is nothing to say."""
    why = dict.fromkeys(cell.reason for row in table.rows if isinstance(cell := row[column], Undefined))
    reasons = [in_markdown(f"{NONE}: {reason}.") for reason in [*why][:3]]
    if column in TERMS:
        reasons.insert(0, f"{in_markdown(TERMS[column])} [Glossary](/glossary)")
    return " ".join(reasons) or None


def table_height(rows: int, most: int | None = None) -> int:
    """Return the height in pixels at which a table shows its rows, or the first `most`, without scrolling."""
    return 38 + 35 * (rows if most is None else min(rows, most))


def show_result_table(
    table: Table, height: int | Literal["auto", "content"] = "auto", *, key: str | None = None, **more: Any
) -> Any:
    """Show a table of results with the reasons why numbers are undefined, its notes, and its downloads.

    `height` is in pixels; `auto` shows ten rows. `more` are options of the table, such as `on_select`. Return what
    `st.dataframe` returns; None for an empty table.
    """
    key = key or table.name
    shown = None
    if table.rows:
        frame = as_frame(table)
        floats, counts = (list(map(str, frame.select_dtypes(kind))) for kind in ("float", "integer"))
        columns = {in_one_line(name): name for name in table.rows[0]}
        configured = {
            name: st.column_config.Column(help=help)
            for name, column in columns.items()
            if (help := column_help(table, column)) is not None
        }
        writers: dict[Any, Any] = {
            name: format_p if is_p(name) else f"{{:.{DIGITS.get(name, 3)}f}}".format for name in floats
        } | dict.fromkeys(counts, COUNT)
        shown = st.dataframe(
            frame.style.format(writers, na_rep=NONE) if frame.size <= STYLED else frame,
            hide_index=True,
            column_config=configured,
            placeholder=NONE,
            height=height,
            key=f"section:{key}",
            **more,
        )
    else:
        st.info(f"Undefined: {table.empty}.")
    for line in reasons(table):
        st.caption(in_markdown(line.replace(UNDEFINED, NONE, 1)))
    if table.notes:
        st.caption(in_markdown(" ".join(table.notes)))
    if table.rows:
        offer_table(table, key)
    return shown


def offer_table(table: Table, key: str) -> None:
    """Offer the table as files, each made when it is asked for."""
    with st.popover("Save table", icon=":material/download:", type="tertiary", key=f"save:{key}"):
        for label, ending, write in (
            ("CSV", "csv", as_csv),
            ("LaTeX", "tex", as_latex),
            ("Markdown", "md", as_markdown),
        ):
            st.download_button(
                label,
                partial(write, table),
                file_name=f"{table.name}.{ending}",
                on_click="ignore",
                key=f"save:{key}.{ending}",
            )
