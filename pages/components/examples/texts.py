"""A document with some of its summaries and their scores as HTML: what stands behind a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from analysis.metrics_and_people import contradictions
from data.cells import Cells
from data.one_line import in_one_line
from data.preferences import TIE, Preferences
from data.records import Document
from data.signatures import is_length, labels
from data.store import StoredScore
from pages.components.shared.score_table import (
    LETTERS,
    SCORE_STYLE,
    ScoreCell,
    ScoreLine,
    score_table_html,
    text_cells,
)
from pages.components.shared.sources import Source
from pages.components.shared.stores import open_stores
from reports.escaping import document_block, esc, in_markdown, text_block

Beside = Literal["source", "references"]


# Where there is room, the document stands beside the summaries; else above them, and on a phone all stand in one
# column. The summaries stay beside each other as long as there is room for two.
EXAMPLE_STYLE = (
    """<style>
.example { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); margin-bottom: .5rem; }
.example > div, .sides > div { border: 1px solid rgb(128 128 128 / .4); border-radius: .5rem; padding: .75rem 1rem;
  min-width: 0; }
.example .name { font-weight: 600; margin-bottom: .5rem; overflow-wrap: anywhere; }
.example .text.document { max-height: min(24rem, 60vh); }
.example .text + .name { margin-top: 1rem; }
@media (min-width: 640px) { .example.of-2 { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .example.of-2 > .beside { grid-column: 1 / -1; } }
@media (min-width: 1100px) { .example { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .example.of-2 { grid-template-columns: minmax(0, 1.3fr) repeat(2, minmax(0, 1fr)); }
  .example.of-2 > .beside { grid-column: auto; } }
@media (max-width: 640px) { .example .text.document { max-height: min(18rem, 50vh); overflow-y: auto; } }
/* The way through the list stays in sight, so that evidence further down can be compared from example to example. */
div:has(> .st-key-way) { position: sticky; top: 3.5rem; z-index: 5; }
.st-key-way { background: Canvas; padding: .25rem; border-radius: .5rem; }
.sides { display: flex; flex-wrap: wrap; gap: 1rem; }
.sides > div { flex: 1 1 min(100%, 22rem); }
.saw .signature { font-family: monospace; font-size: .75rem; overflow-wrap: anywhere; margin-bottom: .5rem; }
.saw + .saw { margin-top: 1.25rem; }
.saw .said { margin-inline-start: .5rem; }
</style>"""
    + SCORE_STYLE
)


class ShownSummary(NamedTuple):
    """A summary as it is shown."""

    heading: str
    """What stands above it, such as `A: lead-3`."""
    label: str
    """What screen readers call it."""
    text: str


class Badge(NamedTuple):
    """A warning about a score: truncated, missing or a tie."""

    kind: Literal["truncated", "missing", "tie"]
    said: str


class ScoreRow(NamedTuple):
    """What people or one metric say of two summaries."""

    label: str
    """`people`, or the metric as tables call it."""
    values: tuple[float, float]
    """The scores of A and B; NaN is missing."""
    difference: float
    """A minus B; NaN where one is missing, of people where they only chose, or are split."""
    prefers: str
    """The summary: `A`, `B`, `a tie`; `split` of people, `missing` of metrics."""
    badges: tuple[Badge, ...] = ()
    signature: str = ""


# --- texts ---------------------------------------------------------------------------------------------------


def texts_html(
    document: Document, summaries: Sequence[ShownSummary], beside: Beside = "source", titled: bool = True
) -> str:
    """The source, `titled` where its title does not stand above already, or all references, beside the summaries."""
    if beside == "source":
        source = document.source or "(the data set does not contain its documents)"
        named, body = "Source", document_block(source, document.title if titled else None)
    else:
        named = f"References ({len(document.references)})"
        body = references_block(document.references)
    cells = [f'<div class="beside"><div class="name">{named}</div>{body}</div>']
    cells += [
        f'<div><div class="name" dir="auto">{esc(shown.heading)}</div>{text_block(shown.text, shown.label)}</div>'
        for shown in summaries
    ]
    return f'<div class="example of-{len(summaries)}">{"".join(cells)}</div>'


def references_block(references: Sequence[str]) -> str:
    """The references under their numbers, in a block that scrolls by itself."""
    numbered = "".join(
        f'<div class="name" aria-hidden="true">Reference {number}</div>{text_block(text, f"Reference {number}")}'
        for number, text in enumerate(references, 1)
    )
    inside = numbered or "(there are none)"
    return f'<div class="text document" role="region" aria-label="References" tabindex="0">{inside}</div>'


def sides_html(blocks: Sequence[str], letters: Iterable[str] = LETTERS) -> str:
    """Blocks of evidence of several summaries beside each other under their letters."""
    cells = "".join(
        f'<div role="group" aria-label="Summary {letter}, what the metric saw"><b>{letter}</b>{block}</div>'
        for letter, block in zip(letters, blocks, strict=False)
    )
    return f'<div class="sides">{cells}</div>'


def section_html(label: str, body: str, said: str = "", signature: str = "") -> str:
    """What one metric saw, under its name, its scores and its whole signature."""
    scores = f' <span class="said">{esc(said)}</span>' if said else ""
    small = f'<div class="signature">{esc(signature)}</div>' if signature else ""
    return f'<section class="saw" aria-label="{esc(label)}"><b>{esc(label)}</b>{scores}{small}{body}</section>'


# --- scores --------------------------------------------------------------------------------------------------


def score_rows(
    preferences: Preferences,
    pair: int,
    stored: Mapping[str, Mapping[str, StoredScore]],
    rated: tuple[float, float] = (np.nan, np.nan),
) -> list[ScoreRow]:
    """What people and each metric say of the pair that one entry is about.

    `stored` are its scores by signature and system, with reasons and flags; `rated` the ratings, where people rated.
    """
    (choice,) = preferences.choices[preferences.pair == pair]
    rows = [ScoreRow("people", rated, rated[0] - rated[1], preferred_side(choice, unknown="split"))]
    systems = preferences.firsts[pair], preferences.seconds[pair]
    named = labels(list(preferences.scores))
    for signature, both in preferences.scores.items():
        one, other = map(float, both[pair])
        kept = [stored.get(signature, {}).get(system) for system in systems]
        badges = badges_of(kept)
        prefers = preferred_side(one - other, unknown="missing")
        if prefers == "a tie":
            badges.append(Badge("tie", "tie"))
        rows.append(ScoreRow(named[signature], (one, other), one - other, prefers, tuple(badges), signature))
    return rows


def preferred_side(difference: float, unknown: str) -> str:
    """Which of two summaries a difference A minus B prefers."""
    if np.isnan(difference):
        return unknown
    return "a tie" if abs(difference) <= TIE else "A" if difference > 0 else "B"


def badges_of(kept: Sequence[StoredScore | None]) -> list[Badge]:
    """Warnings about the scores of A and B; a warning about both is given once."""
    said: dict[tuple[Literal["truncated", "missing", "tie"], str], list[str]] = {}
    for letter, score in zip(LETTERS, kept, strict=False):
        if score is None:
            said.setdefault(("missing", "missing: not scored yet"), []).append(letter)
            continue
        if score.missing is not None:
            said.setdefault(("missing", f"missing: {score.missing}"), []).append(letter)
        if score.truncated:
            said.setdefault(("truncated", "truncated"), []).append(letter)
    return [Badge(kind, f"{' and '.join(letters)} {what}") for (kind, what), letters in said.items()]


def scores_html(rows: Sequence[ScoreRow], systems: Sequence[str]) -> str:
    """The scores of two summaries as a table, whole signatures included."""
    numbers = [*(f"{letter}: {system}" for letter, system in zip(LETTERS, systems, strict=False)), "A minus B"]
    heads = [
        *text_cells("of"),
        *text_cells(*numbers, classes="number"),
        *text_cells("prefers", "notes", "signature"),
    ]
    table = score_table_html(heads, map(score_line, rows), "Scores of both summaries")
    return f'<div class="scores pair-scores">{table}</div>'


def score_line(row: ScoreRow) -> ScoreLine:
    """One row of the table of scores."""
    counted = not row.signature or is_length(row.signature)  # ratings and words are as they are
    numbers = [
        *(format_number(value, counted=counted) for value in row.values),
        format_number(row.difference, "+", counted),
    ]
    badges = "".join(f'<span class="badge {kind}">{esc(said)}</span>' for kind, said in row.badges)
    return ScoreLine(
        row.label,
        [
            *text_cells(*numbers, classes="number"),
            *text_cells(row.prefers),
            ScoreCell(badges),
            *text_cells(row.signature, classes="signature"),
        ],
    )


def format_number(value: float, sign: str = "", counted: bool = False) -> str:
    """A number of the table, with four decimals unless it was counted; empty where there is none."""
    if np.isnan(value):
        return ""
    return format(value, f"{sign}.6g" if counted else f"{sign}.4f")


def pair_scores(source: Source, preferences: Preferences, pair: int) -> str:
    """The table of scores of the pair that one entry is about, with what the database keeps about them."""
    data, document_id = open_stores().data, preferences.documents[pair]
    systems = preferences.firsts[pair], preferences.seconds[pair]
    stored = data.stored(dataset=source.dataset, document_id=document_id, systems=systems)
    rated = (np.nan, np.nan)
    if source.aspect is not None:
        _, summaries = data.record(source.dataset, document_id)
        of_system = {summary.system: summary.human.get(source.aspect, np.nan) for summary in summaries}
        rated = (of_system[systems[0]], of_system[systems[1]])
    return scores_html(score_rows(preferences, pair, stored, rated), systems)


# --- on a page -----------------------------------------------------------------------------------------------


def show_example(dataset: str, document_id: str, systems: Sequence[str]) -> None:
    """Show a document beside the summaries of one or two systems."""
    document, summaries = open_stores().data.record(dataset, document_id)
    texts = {summary.system: summary.text for summary in summaries}
    shown = [ShownSummary(system, f"Summary of {system}", texts[system]) for system in systems if system in texts]
    st.markdown(f"**Document {in_markdown(document_id)}**")
    st.html(texts_html(document, shown))
    with st.expander(f"References ({len(document.references)})"):
        st.html(references_block(document.references))


def cell_scores(cells: Cells, cell: int) -> pd.DataFrame:
    """All scores and ratings of one summary."""
    named = labels(list(cells.scores))
    rows = [(named[signature], values[cell]) for signature, values in cells.scores.items()]
    rows += [(f"human: {aspect}", values[cell]) for aspect, values in cells.ratings.items()]
    return pd.DataFrame(
        {"of": in_one_line(name), "value": None if np.isnan(value) else float(value)} for name, value in rows
    )


def contradiction_table(preferences: Preferences, signature: str) -> pd.DataFrame:
    """The pairs in which a metric prefers what people do not, its firmest preferences first; `pair` is the index."""
    entries = contradictions(preferences, signature)
    difference = preferences.differences()[signature][entries]
    first, second = preferences.first[entries], preferences.second[entries]
    return pd.DataFrame(
        {
            "document": map(in_one_line, preferences.document[entries]),
            "people prefer": map(in_one_line, np.where(preferences.choices[entries] > 0, first, second)),
            "the metric prefers": map(in_one_line, np.where(difference > 0, first, second)),
            "difference": np.abs(difference),
        },
        index=preferences.pair[entries],
    )
