"""Tables written down: as text, JSON, CSV, LaTeX, Markdown and HTML."""

import re
import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from data.export import export
from data.one_line import in_one_line
from reports.escaping import esc
from reports.tables.table import DAGGER, Cell, Marked, Range, Table, Undefined

UNDEFINED = "undefined"

MARKS, STD = "marks", "std"

NOISE = 1e-12
"""Negative numbers above minus this are 0 but for rounding: browsers would show them as -0.000."""

LONG = 60
"""Rows of a table that is shown whole without being asked for."""


def reasons(section: Table) -> list[str]:
    """Why numbers of a section are undefined, a line a reason, each with the rows and columns that it concerns."""
    found: dict[str, dict[str, None]] = {}
    for row in section.rows:
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
    """The words with which a row begins."""
    return " / ".join(str(row[column]) for column in naming(row))


def naming(row: Mapping[str, Cell]) -> list[str]:
    """The columns of these words."""
    return list(takewhile(lambda column: isinstance(row[column], str), row))


def format_cell(cell: Cell, column: str = "", digits: int = 4) -> str:
    """A cell as people read it; no 0 has a sign, and p values are written as `format_p` writes them."""
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
    """Whether a column holds p values."""
    return column.split(" ", maxsplit=1)[0] == "p"


def format_p(p: float, digits: int = 3) -> str:
    """A p value as papers write it: .003, or < .001 where it would round to 0."""
    least = 10**-digits
    return f"< {without_zero(least, digits)}" if p < 0.5 * least else without_zero(p, digits)


def without_zero(share: float, digits: int) -> str:
    """A number from 0 to 1 without the 0 before its point."""
    return f"{share:.{digits}f}".removeprefix("0")


def columns_of(section: Table) -> list[str]:
    """The names of its columns."""
    return list(section.rows[0]) if section.rows else []


# --- text -------------------------------------------------------------------------------------------------


def as_text(
    section: Table, *, without: Sequence[str] = (), said: Collection[str] = (), width: int | None = None
) -> str:
    """A table under its title for a terminal: names to the left, numbers to the right.

    Columns of the names `without` are left out, and notes that are already `said`. What is said under the table is
    broken into lines of `width` characters, where there is one; words and the table itself are never broken.
    """
    names = [name for name in columns_of(section) if name not in without]
    lines = [in_one_line(section.title)]
    if names:
        marked = {name for row in section.rows for name in names if isinstance(row[name], Marked)}
        cells = [
            [
                format_cell(cell := row[name], name) + " " * (name in marked and not isinstance(cell, Marked))
                for name in names
            ]
            for row in section.rows
        ]
        left = [all(isinstance(row[name], str | None) for row in section.rows) for name in names]
        heads = [in_one_line(name) for name in names]
        widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
        for line in (heads, *cells):
            aligned = [
                cell.ljust(width) if to_left else cell.rjust(width)
                for cell, width, to_left in zip(line, widths, left, strict=True)
            ]
            lines.append("  ".join(aligned).rstrip())
    else:
        lines.append(f"{UNDEFINED}: {in_one_line(section.empty)}")
    below = [*reasons(section), *(note for note in section.notes if note not in said)]
    return "\n".join([*lines, *(wrap_line(in_one_line(note), width) for note in below)])


def wrap_line(line: str, width: int | None) -> str:
    """A line broken between words; left as it is without a width."""
    if not width:
        return line
    return "\n".join(textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)) or line


# --- JSON and CSV -----------------------------------------------------------------------------------------


def as_json(section: Table) -> dict[str, Any]:
    """A table in plain JSON values: what is undefined is null, with the reasons by column under `undefined`.

    Numbers that are marked are plain, with their marks by column under `marks`, and likewise those with a standard
    deviation over runs, under `std`.
    """
    return {
        "title": section.title,
        **({} if section.rows else {UNDEFINED: section.empty}),
        "rows": [
            {name: cell_as_json(cell) for name, cell in row.items()}
            | (
                {UNDEFINED: found}
                if (found := {name: cell.reason for name, cell in row.items() if isinstance(cell, Undefined)})
                else {}
            )
            | ({MARKS: marks} if (marks := marks_of(row)) else {})
            | ({STD: stds} if (stds := stds_of(row)) else {})
            for row in section.rows
        ],
        "notes": [*section.notes],
    }


def marks_of(row: Mapping[str, Cell]) -> dict[str, str]:
    """The marks of a row's numbers by column."""
    return {name: cell.mark for name, cell in row.items() if isinstance(cell, Marked) and cell.mark}


def stds_of(row: Mapping[str, Cell]) -> dict[str, float]:
    """The standard deviations of a row's numbers over runs, by column."""
    return {name: cell.std for name, cell in row.items() if isinstance(cell, Marked) and cell.std is not None}


def cell_as_json(cell: Cell) -> Any:
    """A cell as a JSON value; an interval is a list of its ends, a mark is left out."""
    if isinstance(cell, Undefined):
        return None
    if isinstance(cell, Marked):
        return cell.value
    return [cell.low, cell.high] if isinstance(cell, Range) else cell


def as_csv(section: Table) -> str:
    """A table as CSV: intervals in two columns, the reasons of what is undefined in the last.

    Where numbers are marked, one column more says which; where some have a standard deviation, another has these.
    """
    wide = {name for name in columns_of(section) if "95 %" in name}
    records = []
    for row in section.rows:
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
            | (marked if any(map(marks_of, section.rows)) else {})
            | (spread if any(map(stds_of, section.rows)) else {})
            | {UNDEFINED: "; ".join(why)}
        )
    if not records:
        records.append({UNDEFINED: section.empty})
    return export(records, "csv")


def as_one_csv(sections: Sequence[Table], facts: Iterable[tuple[str, str]] = ()) -> str:
    """Several tables in one CSV, a line a number: table, row, column, value, mark, low, high, undefined.

    A row is named by the words with which it begins, and by its number among those that begin alike. `facts`, what the
    numbers rest on, come first as rows of a table `facts`.
    """
    lines: list[dict[str, Any]] = [line("facts", name, name, value=text) for name, text in facts]
    for section in sections:
        if not section.rows:
            lines.append(line(section.name, "", "", undefined=section.empty))
        begun = Counter(map(row_name, section.rows))
        met: Counter[str] = Counter()
        for row in section.rows:
            name = row_name(row)
            met[name] += 1
            if begun[name] > 1 or not name:
                name = f"{name} {met[name]}".strip()
            for column, cell in row.items():
                if isinstance(cell, Range):
                    lines.append(line(section.name, name, column, low=cell.low, high=cell.high))
                elif isinstance(cell, Undefined):
                    lines.append(line(section.name, name, column, undefined=cell.reason))
                elif isinstance(cell, Marked):
                    lines.append(line(section.name, name, column, value=cell.value, mark=cell.mark or None))
                    if cell.std is not None:
                        lines.append(line(section.name, name, f"{column} {STD}", value=cell.std))
                elif cell is not None and column not in naming(row):
                    lines.append(line(section.name, name, column, value=cell))
    return export(lines, "csv")


def line(table: str, row: str, column: str, **found: Any) -> dict[str, Any]:
    """One line of such a CSV."""
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
    """A text inside LaTeX, letter for letter."""
    return re.sub(rf"[\\~^<>|&%$#_{{}}\[\]*{DAGGER}]|-(?=-)", lambda found: SPECIAL[found.group()], in_one_line(text))


def as_latex(
    section: Table,
    *,
    caption: str | None = None,
    label: str | None = None,
    digits: Mapping[str, int] | None = None,
    signed: bool = True,
) -> str:
    r"""A table float in the manner of booktabs (`\usepackage{booktabs}`); signatures go below it unless not `signed`.

    Without a `caption` it has the section's title, without a `label` `tab:` and its name; columns that `digits` does
    not name have three decimals.
    """
    decimals = digits or {}
    names = [name for name in columns_of(section) if name != "signature"]
    left = {name for name in names if all(isinstance(row[name], str | None) for row in section.rows)}
    head = " & ".join(map(latex, names))
    body = [
        " & ".join(latex(format_cell(row[name], name, decimals.get(name, 3))) for name in names) + r" \\"
        for row in section.rows
    ]
    signatures = dict.fromkeys(str(row["signature"]) for row in section.rows if signed and row.get("signature"))
    notes = [*reasons(section), *section.notes, *signatures]
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{latex(section.title if caption is None else caption)}}}",
            rf"\label{{{f'tab:{section.name}' if label is None else label}}}",
            r"\centering",
            rf"\begin{{tabular}}{{{''.join('l' if name in left else 'r' for name in names) or 'l'}}}",
            r"\toprule",
            *([rf"{head} \\", r"\midrule", *body] if names else [latex(f"{UNDEFINED}: {section.empty}") + r" \\"]),
            r"\bottomrule",
            r"\end{tabular}",
            *([r"\par\smallskip\footnotesize", *(rf"{latex(note)}\par" for note in notes)] if notes else []),
            r"\end{table}",
            "",
        ]
    )


# --- Markdown ---------------------------------------------------------------------------------------------


def as_markdown(section: Table) -> str:
    """A table in GitHub's Markdown under its title, three decimals, with what is to be said under it."""
    names = columns_of(section)
    left = {name for name in names if all(isinstance(row[name], str | None) for row in section.rows)}
    lines = [
        markdown_row([markdown(name) for name in names]),
        markdown_row(["---" if name in left else "---:" for name in names]),
        *(markdown_row([markdown(format_cell(row[name], name, 3)) for name in names]) for row in section.rows),
    ]
    table = "\n".join(lines) if names else f"{UNDEFINED}: {markdown(section.empty)}"
    notes = [markdown(note) for note in [*reasons(section), *section.notes]]
    return "\n\n".join([f"**{markdown(section.title)}**", table, *notes]) + "\n"


def markdown_row(cells: Sequence[str]) -> str:
    """One line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def markdown(text: str) -> str:
    """A text inside Markdown, letter for letter."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", in_one_line(text))


# --- HTML and pages ---------------------------------------------------------------------------------------


def as_html(section: Table) -> str:
    """A table with a heading, every text escaped."""
    names = columns_of(section)
    head = "".join(f'<th scope="col">{esc(name)}</th>' for name in names)
    body = "".join(f"<tr>{''.join(html_cell(row[name], name) for name in names)}</tr>" for row in section.rows)
    table = f"<div class='wide'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    if not names:
        table = f"<p>{UNDEFINED}: {esc(section.empty)}</p>"
    elif len(section.rows) > LONG:
        table = f"<details><summary>{len(section.rows)} rows</summary>{table}</details>"
    notes = "".join(f"<p class='note'>{esc(note)}</p>" for note in [*reasons(section), *section.notes])
    return f"<section id='{esc(section.name)}'><h2>{esc(section.title)}</h2>{table}{notes}</section>"


def html_cell(cell: Cell, column: str) -> str:
    """One cell; an undefined one says why when it is pointed at."""
    kind = "" if isinstance(cell, str) else " class='number'"
    title = f' title="{esc(cell.reason)}"' if isinstance(cell, Undefined) else ""
    return f"<td{kind}{title}>{esc(format_cell(cell, column, 3))}</td>"
