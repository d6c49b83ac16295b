"""Tables as text, JSON, CSV, LaTeX, Markdown and HTML."""

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from data.export import export
from data.one_line import in_one_line
from reports.escaping import esc
from reports.tables.table import DAGGER, Cell, Marked, Range, Table, Undefined

UNDEFINED = "undefined"

MARKS, STD = "marks", "std"

NOISE = 1e-12
"""Negative numbers closer to 0 than this are rounding errors, which browsers would show as -0.000."""

LONG = 60
"""The most rows of a table that is shown whole unasked."""


def reasons(table: Table) -> list[str]:
    """Say why numbers of a table are undefined, a line for each reason, with the rows and columns it applies to."""
    found: dict[str, dict[str, None]] = {}
    for row in table.rows:
        for column, cell in row.items():
            if isinstance(cell, Undefined):
                found.setdefault(cell.reason, {})[f"{row_name(row)}: {column}" if row_name(row) else column] = None
    lines = []
    for reason, places in found.items():
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


# --- text -------------------------------------------------------------------------------------------------


def as_text(table: Table, *, without: Sequence[str] = (), said: Collection[str] = (), width: int | None = None) -> str:
    """Write a table under its title for a terminal, with names to the left and numbers to the right.

    The columns `without` are left out, and so are notes that are already `said`. Notes are broken into lines of `width`
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
    below = [*reasons(table), *(note for note in table.notes if note not in said)]
    return "\n".join([*lines, *(wrap_line(in_one_line(note), width) for note in below)])


def wrap_line(line: str, width: int | None) -> str:
    """Break a line between words; without a width, leave it as it is."""
    if not width:
        return line
    return "\n".join(textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)) or line


# --- JSON and CSV -----------------------------------------------------------------------------------------


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
                {UNDEFINED: found}
                if (found := {name: cell.reason for name, cell in row.items() if isinstance(cell, Undefined)})
                else {}
            )
            | ({MARKS: marks} if (marks := marks_of(row)) else {})
            | ({STD: stds} if (stds := stds_of(row)) else {})
            for row in table.rows
        ],
        "notes": [*table.notes],
    }


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


def line(table: str, row: str, column: str, **found: Any) -> dict[str, Any]:
    """Return one line of this CSV."""
    return {"table": table, "row": row, "column": column} | {
        name: found.get(name) for name in ("value", "mark", "low", "high", UNDEFINED)
    }


# --- LaTeX ------------------------------------------------------------------------------------------------

SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    DAGGER: r"\dag{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    **{character: f"{{{character}}}" for character in "[]*-"},  # at the start of a row, [ and * belong to the \\ before
}


def latex(text: str) -> str:
    """Escape a text for LaTeX, letter for letter."""
    return re.sub(rf"[\\~^<>|&%$#_{{}}\[\]*{DAGGER}]|-(?=-)", lambda found: SPECIAL[found.group()], in_one_line(text))


def as_latex(
    table: Table,
    *,
    caption: str | None = None,
    label: str | None = None,
    digits: Mapping[str, int] | None = None,
    signed: bool = True,
) -> str:
    r"""Write a table as a LaTeX float with booktabs (`\usepackage{booktabs}`), and with signatures below if `signed`.

    By default the caption is the table's title, and the label its name after `tab:`; columns have three decimals if
    `digits` does not name them.
    """
    decimals = digits or {}
    names = [name for name in columns_of(table) if name != "signature"]
    left = {name for name in names if all(isinstance(row[name], str | None) for row in table.rows)}
    head = " & ".join(map(latex, names))
    body = [
        " & ".join(latex(format_cell(row[name], name, decimals.get(name, 3))) for name in names) + r" \\"
        for row in table.rows
    ]
    signatures = dict.fromkeys(str(row["signature"]) for row in table.rows if signed and row.get("signature"))
    notes = [*reasons(table), *table.notes, *signatures]
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{latex(table.title if caption is None else caption)}}}",
            rf"\label{{{f'tab:{table.name}' if label is None else label}}}",
            r"\centering",
            rf"\begin{{tabular}}{{{''.join('l' if name in left else 'r' for name in names) or 'l'}}}",
            r"\toprule",
            *([rf"{head} \\", r"\midrule", *body] if names else [latex(f"{UNDEFINED}: {table.empty}") + r" \\"]),
            r"\bottomrule",
            r"\end{tabular}",
            *([r"\par\smallskip\footnotesize", *(rf"{latex(note)}\par" for note in notes)] if notes else []),
            r"\end{table}",
            "",
        ]
    )


def as_one_latex(
    tables: Iterable[Table], comments: Iterable[str] = (), write: Callable[[Table], str] = as_latex
) -> str:
    """Write several tables as LaTeX after the comments, a line each, that say what they rest on."""
    return "\n".join([*(f"% {in_one_line(comment)}" for comment in comments), *map(write, tables)])


# --- Markdown ---------------------------------------------------------------------------------------------


def as_markdown(table: Table) -> str:
    """Write a table in GitHub's Markdown under its title, with three decimals and its notes."""
    names = columns_of(table)
    left = {name for name in names if all(isinstance(row[name], str | None) for row in table.rows)}
    lines = [
        markdown_row([markdown(name) for name in names]),
        markdown_row(["---" if name in left else "---:" for name in names]),
        *(markdown_row([markdown(format_cell(row[name], name, 3)) for name in names]) for row in table.rows),
    ]
    grid = "\n".join(lines) if names else f"{UNDEFINED}: {markdown(table.empty)}"
    notes = [markdown(note) for note in [*reasons(table), *table.notes]]
    return "\n\n".join([f"**{markdown(table.title)}**", grid, *notes]) + "\n"


def markdown_row(cells: Sequence[str]) -> str:
    """Write one line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def markdown(text: str) -> str:
    """Escape a text for Markdown, letter for letter."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", in_one_line(text))


# --- HTML and pages ---------------------------------------------------------------------------------------


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
