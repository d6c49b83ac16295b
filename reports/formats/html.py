"""Tables as HTML."""

from relevance.reports.escaping import esc
from relevance.reports.formats.cells import LONG, UNDEFINED, columns_of, format_cell, reasons
from relevance.reports.tables.table import Cell, Table, Undefined


def as_html(table: Table) -> str:
    """Write a table as HTML with a heading, every text escaped."""
    names = columns_of(table)
    head = "".join(f'<th scope="col">{esc(name)}</th>' for name in names)
    body = "".join(f"<tr>{''.join(html_cell(row[name], name) for name in names)}</tr>" for row in table.rows)
    grid = f"<div class='wide'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    if not names:
        grid = f"<p>{UNDEFINED}: {esc(table.empty)}</p>"
    elif len(table.rows) > LONG:
        grid = f"<details><summary>{len(table.rows)} rows</summary>{grid}</details>"
    notes = "".join(f"<p class='note'>{esc(note)}</p>" for note in [*reasons(table), *table.notes])
    return f"<section id='{esc(table.name)}'><h2>{esc(table.title)}</h2>{grid}{notes}</section>"


def html_cell(cell: Cell, column: str) -> str:
    """Write one cell as HTML; an undefined one says why when pointed at."""
    kind = "" if isinstance(cell, str) else " class='number'"
    title = f' title="{esc(cell.reason)}"' if isinstance(cell, Undefined) else ""
    return f"<td{kind}{title}>{esc(format_cell(cell, column, 3))}</td>"
