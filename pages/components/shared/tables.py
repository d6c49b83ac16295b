"""A table of results on a page."""

from __future__ import annotations

from typing import Any, Literal

import pandas as pd
import streamlit as st

from data.one_line import in_one_line
from reports.escaping import in_markdown
from reports.formats import NOISE, UNDEFINED, format_cell, marks_of, reasons
from reports.tables.table import Cell, Range, Table, Undefined


def as_frame(section: Table) -> pd.DataFrame:
    """What a page shows: numbers stay numbers, but in columns with marks, and those that are undefined are empty."""
    marked = {name for row in section.rows for name in marks_of(row)}
    return pd.DataFrame(
        {
            in_one_line(name): None if isinstance(cell, Undefined) else cell_of_page(cell, as_text=name in marked)
            for name, cell in row.items()
        }
        for row in section.rows
    )


def cell_of_page(cell: Cell, *, as_text: bool = False) -> Any:
    """A cell as a frame holds it."""
    if isinstance(cell, float) and -NOISE < cell < 0:
        cell = 0.0
    return format_cell(cell, digits=3) if as_text or isinstance(cell, Range | str) else cell


DIGITS = {
    **dict.fromkeys(("difference", "threshold", "from", "to", "F1", "gap", "gap to the optimum", "seconds"), 4),
    "median seconds": 1,
    "wins": 1,
}
"""Decimals of the columns that have not three."""


def table_height(rows: int, most: int | None = None) -> int:
    """Pixels of a table that shows its rows, or the first `most` of them, without scrolling by itself."""
    return 38 + 35 * (rows if most is None else min(rows, most))


def show_result_table(section: Table, height: int | Literal["auto"] = "auto", **more: Any) -> None:
    """A table of results, why numbers in it are undefined, and what is to be said under it.

    `height` is in pixels, `auto` shows ten rows; `more` goes to the table, such as what a selection does.
    """
    if section.rows:
        frame = as_frame(section)
        formats = {
            name: st.column_config.NumberColumn(
                # three digits that count: no p is 0
                format="%.3g" if name.split(" ")[0] == "p" else f"%.{DIGITS.get(name, 3)}f"
            )
            for name in map(str, frame.select_dtypes("float"))
        }
        st.dataframe(
            frame,
            hide_index=True,
            column_config=formats,
            placeholder=UNDEFINED,
            height=height,
            key=f"section:{section.name}",
            **more,
        )
    else:
        st.info(f"Undefined: {section.empty}.")
    for line in reasons(section):
        st.caption(in_markdown(line))
    st.caption(in_markdown(" ".join(section.notes)))
