"""Tables as LaTeX."""

import re
from collections.abc import Callable, Iterable, Mapping

from relevance.data.one_line import in_one_line
from relevance.reports.formats.cells import UNDEFINED, columns_of, format_cell, reasons
from relevance.reports.tables.table import DAGGER, Table

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


def escape_latex(text: str) -> str:
    """Escape a text for LaTeX, letter for letter."""
    return re.sub(rf"[\\~^<>|&%$#_{{}}\[\]*{DAGGER}]|-(?=-)", lambda match: SPECIAL[match.group()], in_one_line(text))


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
    head = " & ".join(map(escape_latex, names))
    body = [
        " & ".join(escape_latex(format_cell(row[name], name, decimals.get(name, 3))) for name in names) + r" \\"
        for row in table.rows
    ]
    signatures = dict.fromkeys(str(row["signature"]) for row in table.rows if signed and row.get("signature"))
    notes = [*reasons(table), *table.notes, *signatures]
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{escape_latex(table.title if caption is None else caption)}}}",
            rf"\label{{{f'tab:{table.name}' if label is None else label}}}",
            r"\centering",
            rf"\begin{{tabular}}{{{''.join('l' if name in left else 'r' for name in names) or 'l'}}}",
            r"\toprule",
            *([rf"{head} \\", r"\midrule", *body] if names else [escape_latex(f"{UNDEFINED}: {table.empty}") + r" \\"]),
            r"\bottomrule",
            r"\end{tabular}",
            *([r"\par\smallskip\footnotesize", *(rf"{escape_latex(note)}\par" for note in notes)] if notes else []),
            r"\end{table}",
            "",
        ]
    )


def as_one_latex(
    tables: Iterable[Table], comments: Iterable[str] = (), write: Callable[[Table], str] = as_latex
) -> str:
    """Write several tables as LaTeX after the comments, a line each, that say what they rest on."""
    return "\n".join([*(f"% {in_one_line(comment)}" for comment in comments), *map(write, tables)])
