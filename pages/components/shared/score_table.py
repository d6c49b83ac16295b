"""A table of scores as HTML with its style, and the letters of its columns."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from relevance.reports.escaping import esc

LETTERS = "ABCD"
"""Names of summaries that stand side by side."""


# Two kinds: for one pair, with whole signatures; and for the playground, whose first column stays while others scroll.
SCORE_STYLE = """<style>
.scores > div { overflow-x: auto; position: relative; }
.scores table { border-collapse: collapse; width: 100%; }
.scores th, .scores td { border-bottom: 1px solid rgb(128 128 128 / .3); }
.scores thead th { font-weight: 600; }
.scores .badge { border: 1px solid currentColor; }
.pair-scores { margin-bottom: .5rem; }
.pair-scores table { font-size: .875rem; }
.pair-scores th, .pair-scores td { text-align: start; vertical-align: baseline; padding: .3em .75em .3em 0;
  font-weight: inherit; }
.pair-scores .number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.pair-scores .signature { font-family: monospace; font-size: .75rem; overflow-wrap: anywhere; min-width: 16rem; }
.pair-scores .badge { display: inline-block; border-radius: .6em; padding: 0 .5em; margin: 0 .4em .1em 0;
  font-size: .75rem; }
.pair-scores .badge.missing { border-style: dashed; }
.pair-scores .badge.tie { border-style: double; border-width: 3px; }
.playground-scores table { font-variant-numeric: tabular-nums; }
.playground-scores th, .playground-scores td { padding: .3rem .6rem; text-align: end; white-space: nowrap; }
.playground-scores th:first-child { text-align: start; font-weight: 600; position: sticky; inset-inline-start: 0;
  background: light-dark(#ffffff, #171614); }
.playground-scores thead th { max-width: 14rem; overflow: hidden; text-overflow: ellipsis; }
.playground-scores .best { font-weight: 700; background: rgb(37 99 235 / .14); }
.playground-scores .moved { font-weight: 400; font-size: .85em; }
.playground-scores .quiet { opacity: .7; font-style: italic; }
.playground-scores .badge { border-radius: .3em; font-size: .75em; padding: 0 .3em; }
.playground-scores .said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.playground-scores p, .playground-scores ul { margin: .4rem 0 0; font-size: .875rem; }
.playground-scores code { overflow-wrap: anywhere; white-space: normal; }
.playground-scores details { font-size: .875rem; margin-top: .4rem; }
.playground-scores .up::before { content: "▲ "; }
.playground-scores .down::before { content: "▼ "; }
</style>"""


class ScoreCell(NamedTuple):
    """A cell of a table of scores."""

    html: str
    classes: str = ""
    attributes: str = ""
    """Further attributes of its element, such as `data-score="rouge1-A"`."""


class ScoreLine(NamedTuple):
    """A row of a table of scores, under the name of a metric."""

    name: str
    cells: Sequence[ScoreCell]
    classes: str = ""


def score_table_html(heads: Sequence[ScoreCell], lines: Iterable[ScoreLine], label: str | None = None) -> str:
    """Return a table of scores; with a `label` it is in a region of that name, which scrolls by itself."""
    head = "".join(f'<th scope="col"{attributes_of(cell)}>{cell.html}</th>' for cell in heads)
    body = ""
    for line in lines:
        cells = "".join(f"<td{attributes_of(cell)}>{cell.html}</td>" for cell in line.cells)
        of_line = f' class="{line.classes}"' if line.classes else ""
        body += f'<tr{of_line}><th scope="row">{esc(line.name)}</th>{cells}</tr>'
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return table if label is None else f'<div role="region" aria-label="{esc(label)}" tabindex="0">{table}</div>'


def attributes_of(cell: ScoreCell) -> str:
    """Return the attributes of a cell's element."""
    others = f" {cell.attributes}" if cell.attributes else ""
    return others + (f' class="{cell.classes}"' if cell.classes else "")


def text_cells(*texts: str, classes: str = "") -> list[ScoreCell]:
    """Return cells of plain texts."""
    return [ScoreCell(esc(text), classes) for text in texts]
