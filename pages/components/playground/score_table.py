"""Scores of summaries side by side in a table, and scores before and after a change."""

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from relevance.data.signatures import is_length
from relevance.data.ties import TIE
from relevance.metrics.explained import CannotExplain, Explained
from relevance.metrics.registry import label_of
from relevance.pages.components.playground.what_if import Worth
from relevance.pages.components.playground.what_if import describe_worth as said_of
from relevance.pages.components.shared.score_table import ScoreCell, ScoreLine, score_table_html, text_cells
from relevance.reports.escaping import esc
from relevance.reports.evidence.phrases import figures, rank_letters

ShownScore = Explained | CannotExplain | None
"""A score with its evidence, or the reason why there is none, or None while it is being computed."""


class MetricScores(NamedTuple):
    """A metric's scores of several summaries."""

    name: str
    signature: str
    scores: Mapping[str, ShownScore]
    """The scores by letter."""
    rested: Mapping[str, float] = {}
    """The scores by letter before the current typing."""


def scores_html(rows: Sequence[MetricScores], names: Mapping[str, str]) -> str:
    """Write the scores as HTML: a row per metric, a column per summary (`names` by letter), and the preferences.

    Below are the reasons why scores are missing.
    """
    lines, reasons = [], []
    for row in rows:
        preferred = best_letters(row.scores)
        written = write_scores(row)
        cells = [score_cell(row, letter, written.get(letter), preferred) for letter in names]
        lines.append(ScoreLine(label_of(row.name), [*cells, *text_cells(describe_preference(preferred))]))
        reasons += missing_reasons(row)
    signatures = "".join(f"<div><code>{esc(row.signature)}</code></div>" for row in rows)
    return (
        '<div class="scores playground-scores">'
        + score_table_html(text_cells("Metric", *names.values(), "Prefers"), lines, "Scores")
        + reasons_html(reasons)
        + f"<details><summary>Signatures</summary>{signatures}</details></div>"
    )


def reasons_html(reasons: Iterable[str]) -> str:
    """Write why scores are missing as HTML, as a list."""
    items = "".join(f"<li>{esc(reason)}</li>" for reason in reasons)
    return f"<ul>{items}</ul>" if items else ""


def best_letters(scores: Mapping[str, ShownScore]) -> str | None:
    """Return the letters of the highest score; "" if fewer than two have one, None while one is computed."""
    if any(score is None for score in scores.values()):
        return None
    order = rank_letters([value_of(score) for score in scores.values()], list(scores))
    return "".join(order[0]) if sum(map(len, order)) > 1 else ""


def describe_preference(preferred: str | None) -> str:
    """Return a metric's preference in words."""
    if preferred is None:
        return "…"
    return preferred if len(preferred) == 1 else f"tie of {', '.join(preferred)}" if preferred else "–"


def value_of(score: ShownScore) -> float | None:
    """Return the value of a score, or None."""
    return score.value if isinstance(score, Explained) else None


def write_scores(row: MetricScores) -> dict[str, str]:
    """Format the scores by letter, with as many decimals as tell them apart; lengths are counts."""
    values = {letter: value for letter, score in row.scores.items() if (value := value_of(score)) is not None}
    numbers = [f"{value:.0f}" for value in values.values()] if is_length(row.name) else figures(list(values.values()))
    return dict(zip(values, numbers, strict=True))


def score_cell(row: MetricScores, letter: str, written: str | None, preferred: str | None) -> ScoreCell:
    """Make the cell of one score, with its change since typing began."""
    score = row.scores.get(letter)
    place = f'data-score="{html.escape(row.name)}-{letter}"'
    if score is None:
        return ScoreCell("computing…", "quiet", place)
    value = value_of(score)
    if value is None or written is None:
        return ScoreCell("missing", "quiet", place)
    badge = ' <span class="badge">truncated</span>' if isinstance(score, Explained) and score.truncated else ""
    shown = f'<span class="value">{written}</span>{moved_html(row.name, value, row.rested.get(letter))}{badge}'
    if preferred == letter:
        return ScoreCell(f'★ <span class="said">preferred: </span>{shown}', "best", place)
    return ScoreCell(shown, attributes=place)


def moved_html(name: str, value: float, rested: float | None) -> str:
    """Write how far a score has moved as HTML: `(+.333)`; nothing if it has not."""
    if rested is None or abs(value - rested) <= TIE:
        return ""
    return f' <span class="moved">({format_change(name, value - rested)})</span>'


def format_change(name: str, change: float) -> str:
    """Format a difference with its sign, without the zero before the point."""
    return f"{change:+.0f}" if is_length(name) else f"{change:+.3f}".replace("0.", ".", 1)


def missing_reasons(row: MetricScores) -> list[str]:
    """Say why scores of a metric are missing, each reason with its letters."""
    reasons: dict[str, list[str]] = {}
    for letter, score in row.scores.items():
        if score is not None and value_of(score) is None:
            reason = str(score) if isinstance(score, CannotExplain) else (score.missing or "")
            reasons.setdefault(reason, []).append(letter)
    return [f"{label_of(row.name)}, {', '.join(letters)}: missing, {reason}" for reason, letters in reasons.items()]


class Change(NamedTuple):
    """A metric's score before and after a change."""

    name: str
    before: ShownScore
    after: ShownScore


def changes_html(changes: Sequence[Change]) -> str:
    """Write the changes as HTML, a row per metric: the score now, the score after the change, and the difference."""
    lines = []
    for change in changes:
        old, new = value_of(change.before), value_of(change.after)
        cells = [
            ScoreCell(
                format_found(change.name, score, value),
                "quiet" if value is None else "",
                f'data-what-if="{html.escape(change.name)}-{which}"',
            )
            for which, score, value in (("before", change.before, old), ("after", change.after, new))
        ]
        lines.append(ScoreLine(label_of(change.name), [*cells, difference_cell(change.name, old, new)]))
    reasons = dict.fromkeys(
        f"{label_of(change.name)}: missing, {score if isinstance(score, CannotExplain) else score.missing}"
        for change in changes
        for score in (change.before, change.after)
        if score is not None and value_of(score) is None
    )
    heads = text_cells("Metric", "As it is", "Changed", "Difference")
    table = score_table_html(heads, lines, "Scores before and after")
    return f'<div class="scores playground-scores">{table}{reasons_html(reasons)}</div>'


def format_found(name: str, score: ShownScore, value: float | None) -> str:
    """Format a score before or after a change; lengths are counts."""
    if value is None:
        return "computing…" if score is None else "missing"
    return f"{value:.0f}" if is_length(name) else f"{value:.3f}"


def difference_cell(name: str, old: float | None, new: float | None) -> ScoreCell:
    """Make the cell of the difference, with a sign and an arrow."""
    place = f'data-what-if="{html.escape(name)}-difference"'
    if old is None or new is None:
        return ScoreCell("–", "quiet", place)
    change = new - old
    if abs(change) <= TIE:
        return ScoreCell("0", attributes=place)
    return ScoreCell(format_change(name, change), "up" if change > 0 else "down", place)


def worths_html(name: str, whole: float | None, worths: Sequence[Worth]) -> str:
    """Write each word with the score without it as HTML, those that cost most first."""
    ordered = sorted(worths, key=lambda worth: -(worth.loss or 0.0))
    lines = [
        ScoreLine(
            worth.word,
            text_cells("missing" if worth.without is None else f"{worth.without:.3f}", said_of(worth)),
        )
        for worth in ordered
    ]
    score = "missing" if whole is None else f"{whole:.3f}"
    heads = text_cells("Word", "Score without it", "That is")
    return (
        f'<div class="scores playground-scores"><p>{esc(label_of(name))} as it is: {score}</p>'
        + score_table_html(heads, lines, "Each word left out")
        + "</div>"
    )
