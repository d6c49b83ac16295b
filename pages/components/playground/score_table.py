"""Scores of summaries beside each other as a table, and scores before and after a change."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from data.preferences import TIE
from data.signatures import is_length
from metrics.explained import CannotExplain, Explained
from pages.components.playground.what_if import Worth
from pages.components.playground.what_if import describe_worth as said_of
from reports.escaping import esc

SCORE_STYLE = """<style>
.scores > div { overflow-x: auto; position: relative; }
.scores table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.scores th, .scores td { padding: .3rem .6rem; text-align: end; white-space: nowrap;
  border-bottom: 1px solid rgb(128 128 128 / .3); }
.scores th:first-child { text-align: start; font-weight: 600; position: sticky; inset-inline-start: 0;
  background: light-dark(#ffffff, #171614); }
.scores thead th { font-weight: 600; max-width: 14rem; overflow: hidden; text-overflow: ellipsis; }
.scores .best { font-weight: 700; background: rgb(37 99 235 / .14); }
.scores .quiet { opacity: .7; font-style: italic; }
.scores .badge { border: 1px solid currentColor; border-radius: .3em; font-size: .75em; padding: 0 .3em; }
.scores .said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.scores p, .scores ul { margin: .4rem 0 0; font-size: .875rem; }
.scores code { overflow-wrap: anywhere; white-space: normal; }
.scores details { font-size: .875rem; margin-top: .4rem; }
.scores .up::before { content: "▲ "; }
.scores .down::before { content: "▼ "; }
</style>"""


Found = Explained | CannotExplain | None
"""A score with its evidence, why there is none to be had, or None while it is computed."""


class MetricScores(NamedTuple):
    """A metric's scores of several summaries."""

    name: str
    signature: str
    found: Mapping[str, Found]
    """By letter."""


def scores_html(rows: Sequence[MetricScores], names: Mapping[str, str]) -> str:
    """A row a metric, a column a summary (`names` are by letter), with who is preferred and why scores are missing."""
    heads = "".join(f'<th scope="col">{esc(name)}</th>' for name in names.values())
    lines, reasons = [], []
    for row in rows:
        preferred = best_letters(row.found)
        cells = "".join(cell_html(row, letter, preferred) for letter in names)
        lines.append(
            f'<tr><th scope="row">{esc(row.name)}</th>{cells}<td>{esc(describe_preference(preferred))}</td></tr>'
        )
        reasons += missing_reasons(row)
    said = f"<ul>{''.join(f'<li>{esc(reason)}</li>' for reason in reasons)}</ul>" if reasons else ""
    signatures = "".join(f"<div><code>{esc(row.signature)}</code></div>" for row in rows)
    return (
        '<div class="scores"><div role="region" aria-label="Scores" tabindex="0">'
        + f'<table><thead><tr><th scope="col">metric</th>{heads}<th scope="col">prefers</th></tr></thead>'
        + f"<tbody>{''.join(lines)}</tbody></table></div>{said}"
        + f"<details><summary>Signatures</summary>{signatures}</details></div>"
    )


def best_letters(found: Mapping[str, Found]) -> str | None:
    """The letters of the highest score; none where fewer than two have one, None while one is computed."""
    if any(one is None for one in found.values()):
        return None
    values = {letter: value for letter, one in found.items() if (value := value_of(one)) is not None}
    if len(values) < 2:
        return ""
    highest = max(values.values())
    return "".join(letter for letter, value in values.items() if highest - value <= TIE)


def describe_preference(preferred: str | None) -> str:
    """What a metric prefers, in words."""
    if preferred is None:
        return "…"
    return preferred if len(preferred) == 1 else f"tie of {', '.join(preferred)}" if preferred else "–"


def value_of(found: Found) -> float | None:
    """A score's value, if it has one."""
    return found.value if isinstance(found, Explained) else None


def cell_html(row: MetricScores, letter: str, preferred: str | None) -> str:
    """One score."""
    found = row.found.get(letter)
    place = f'data-score="{html.escape(row.name)}-{letter}"'
    if found is None:
        return f'<td {place} class="quiet">computing…</td>'
    value = value_of(found)
    if value is None:
        return f'<td {place} class="quiet">missing</td>'
    badge = ' <span class="badge">truncated</span>' if isinstance(found, Explained) and found.truncated else ""
    if preferred == letter:
        said = '<span class="said">preferred: </span>'
        return f'<td {place} class="best">★ {said}{format_score(row.name, value)}{badge}</td>'
    return f"<td {place}>{format_score(row.name, value)}{badge}</td>"


def format_score(name: str, value: float) -> str:
    """A score as it is written; lengths are counts."""
    return f"{value:.0f}" if is_length(name) else f"{value:.4f}"


def missing_reasons(row: MetricScores) -> list[str]:
    """Why scores of a metric are missing, each reason with its letters."""
    reasons: dict[str, list[str]] = {}
    for letter, found in row.found.items():
        if found is not None and value_of(found) is None:
            reason = str(found) if isinstance(found, CannotExplain) else (found.missing or "")
            reasons.setdefault(reason, []).append(letter)
    return [f"{row.name}, {', '.join(letters)}: missing, {reason}" for reason, letters in reasons.items()]


def head(*names: str) -> str:
    """The first row of a table."""
    cells = "".join(f'<th scope="col">{esc(name)}</th>' for name in names)
    return f"<thead><tr>{cells}</tr></thead>"


class Change(NamedTuple):
    """A metric's score before and after a change."""

    name: str
    before: Found
    after: Found


def changes_html(changes: Sequence[Change]) -> str:
    """A row a metric: the score as it is, as it would be, and the difference."""
    lines = []
    for change in changes:
        old, new = value_of(change.before), value_of(change.after)
        cells = "".join(
            f'<td data-what-if="{html.escape(change.name)}-{which}"{"" if value is not None else " class=quiet"}>'
            f"{format_found(change.name, found, value)}</td>"
            for which, found, value in (("before", change.before, old), ("after", change.after, new))
        )
        lines.append(f'<tr><th scope="row">{esc(change.name)}</th>{cells}{difference(change.name, old, new)}</tr>')
    reasons = {
        f"{change.name}: missing, {found if isinstance(found, CannotExplain) else found.missing}": None
        for change in changes
        for found in (change.before, change.after)
        if found is not None and value_of(found) is None
    }
    why = f"<ul>{''.join(f'<li>{esc(reason)}</li>' for reason in reasons)}</ul>" if reasons else ""
    return (
        '<div class="scores"><div role="region" aria-label="Scores before and after" tabindex="0"><table>'
        + head("metric", "as it is", "changed", "difference")
        + f"<tbody>{''.join(lines)}</tbody></table></div>{why}</div>"
    )


def format_found(name: str, found: Found, value: float | None) -> str:
    """A score before or after."""
    return format_score(name, value) if value is not None else "computing…" if found is None else "missing"


def difference(name: str, old: float | None, new: float | None) -> str:
    """What the change makes, with a sign and an arrow."""
    place = f'data-what-if="{html.escape(name)}-difference"'
    if old is None or new is None:
        return f'<td {place} class="quiet">–</td>'
    change = new - old
    if abs(change) <= TIE:
        return f"<td {place}>0</td>"
    written = f"{change:+.0f}" if is_length(name) else f"{change:+.4f}"
    return f'<td {place} class="{"up" if change > 0 else "down"}">{written}</td>'


def worths_html(name: str, whole: float | None, worths: Sequence[Worth]) -> str:
    """Each word with the score without it, those that cost most first."""
    ordered = sorted(worths, key=lambda worth: -(worth.loss or 0.0))
    rows = "".join(
        f'<tr><th scope="row">{esc(worth.word)}</th>'
        f"<td>{'missing' if worth.without is None else f'{worth.without:.4f}'}</td><td>{said_of(worth)}</td></tr>"
        for worth in ordered
    )
    score = "missing" if whole is None else f"{whole:.4f}"
    return (
        f'<div class="scores"><p>{esc(name)} as it is: {score}</p>'
        '<div role="region" aria-label="Each word left out" tabindex="0">'
        f"<table>{head('word', 'score without it', 'that is')}<tbody>{rows}</tbody></table></div></div>"
    )
