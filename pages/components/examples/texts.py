"""A document with some of its summaries and their scores as HTML."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from relevance.analysis.metrics_and_people import contradictions
from relevance.data.cells import Cells
from relevance.data.one_line import in_one_line
from relevance.data.preferences import Preferences
from relevance.data.records import Document, Summary
from relevance.data.signatures import is_computed, is_length, labels
from relevance.data.store import StoredScore
from relevance.data.ties import TIE
from relevance.metrics.registry import label_of
from relevance.pages.components.examples.pair_list import JudgedPair
from relevance.pages.components.shared.records import name_references
from relevance.pages.components.shared.result_table import NONE
from relevance.pages.components.shared.score_table import (
    LETTERS,
    SCORE_STYLE,
    ScoreCell,
    ScoreLine,
    score_table_html,
    text_cells,
)
from relevance.pages.components.shared.sources import Source
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.escaping import document_block, esc, in_markdown, text_block
from relevance.reports.evidence.phrases import figures
from relevance.reports.presentation import name_ratings

# The layout depends on the width of the example, not of the window, as a list may stand beside it. Both summaries come
# first, and the document last.
EXAMPLE_STYLE = (
    """<style>
.framed { container-type: inline-size; margin-bottom: .5rem; }
.example { display: grid; gap: .75rem; grid-template-columns: minmax(0, 1fr); }
.example > div, .sides > div { border: 1px solid rgb(128 128 128 / .4); border-radius: .5rem; padding: .6rem .9rem;
  min-width: 0; }
.example .name { font-weight: 600; margin-bottom: .25rem; overflow-wrap: anywhere; }
.example .note { font-weight: 400; font-size: .875rem; white-space: nowrap; }
.example .remarks { font-size: .875rem; margin: .5rem 0 0; opacity: .8; }
.example .text.document { max-height: 15rem; overflow-y: auto; }
.example .text + .name { margin-top: 1rem; }
@container (min-width: 540px) { .example.of-2 { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .example.of-2 > .beside { grid-column: 1 / -1; } }
@container (min-width: 1050px) { .example { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .example.of-2 { grid-template-columns: repeat(2, minmax(0, 1fr)) minmax(0, 1.2fr); }
  .example.of-2 > .beside { grid-column: auto; } }
/* The way through the list stays in sight, so that evidence further down can be compared from example to example. */
div:has(> .st-key-way) { position: sticky; top: 3.5rem; z-index: 5; }
.st-key-way { background: light-dark(#ffffff, #171614); padding: .25rem 0; }
/* Beside an example, a list of documents needs the width of a laptop. */
@media (max-width: 900px) { .st-key-list_and_pair > * > .stHorizontalBlock > .stColumn { min-width: 100%; } }
.st-key-verdict h2 { font-size: 1.35rem; padding: 0; }
.sides { display: flex; flex-wrap: wrap; gap: .75rem; }
.sides > div { flex: 1 1 min(100%, 20rem); }
.saw { border-inline-start: 4px solid rgb(128 128 128 / .4); padding-inline-start: .75rem; margin-bottom: 1.25rem; }
.saw.right { border-color: #2563eb; border-inline-start-style: solid; }
.saw.wrong { border-color: #d97706; border-inline-start-style: double; border-inline-start-width: 6px; }
.saw .head { margin-bottom: .4rem; }
.saw .said { margin-inline-start: .5rem; }
.standing { border: 1px solid currentColor; border-radius: .6em; padding: 0 .5em; font-size: .875em;
  white-space: nowrap; }
.standing.right { background: rgb(37 99 235 / .16); }
.standing.wrong { background: rgb(217 119 6 / .18); }
.signatures { font-size: .875rem; margin: .25rem 0 .5rem; }
.signatures code { overflow-wrap: anywhere; white-space: normal; font-size: .75rem; }
</style>"""
    + SCORE_STYLE
)


class ShownSummary(NamedTuple):
    """A summary as it is shown."""

    heading: str
    """The heading, such as `A: lead-3`."""
    label: str
    """The name for screen readers."""
    text: str
    note: str = ""
    """A note beside the heading, such as that people prefer it."""
    remarks: str = ""
    """Remarks on how it was written, in sentences; empty if nothing is known."""


class Standing(NamedTuple):
    """The relation of a metric's preference to people's on a pair."""

    kind: Literal["right", "wrong", "tie", "missing", "prefers"]
    text: str
    """The same in words with a sign, so that colour is not needed to tell it."""


def standing_of(prefers: str, people: str) -> Standing:
    """Compare a metric's preference with people's: both are `A`, `B`, or something else."""
    if prefers not in ("A", "B"):
        return Standing("missing", "— no score") if prefers == "missing" else Standing("tie", "= tie")
    if people not in ("A", "B"):
        return Standing("prefers", f"prefers {prefers}")
    right = prefers == people
    return Standing("right", f"✓ right: {prefers}") if right else Standing("wrong", f"✗ wrong: {prefers}")


class Badge(NamedTuple):
    """A warning about a score: truncated or missing."""

    kind: Literal["truncated", "missing"]
    text: str


class ScoreRow(NamedTuple):
    """The scores and the preference of people or of one metric on two summaries."""

    label: str
    """The people who judged, such as `People`, or the metric's name on pages."""
    values: tuple[float, float]
    """The scores of A and B; NaN is missing."""
    prefers: str
    """The preference: `A`, `B`, `tie`; `split` for people, `missing` for metrics."""
    badges: tuple[Badge, ...] = ()
    signature: str = ""


# --- texts ---------------------------------------------------------------------------------------------------


def remarks_html(remarks: str) -> str:
    """Write the remarks on how a summary was written as HTML, or nothing if there are none."""
    return f'<p class="remarks">{esc(remarks)}</p>' if remarks else ""


def summaries_html(summaries: Sequence[ShownSummary], *more: str) -> str:
    """Write summaries side by side as HTML, and `more` cells after them."""
    cells = [
        f'<div><div class="name" dir="auto">{esc(shown.heading)} <span class="note">{esc(shown.note)}</span></div>'
        f"{text_block(shown.text, shown.label)}{remarks_html(shown.remarks)}</div>"
        for shown in summaries
    ]
    return f'<div class="framed"><div class="example of-{len(summaries)}">{"".join([*cells, *more])}</div></div>'


def source_html(document: Document, *, titled: bool) -> str:
    """Write the source as HTML, in a block that scrolls by itself; `titled` shows its title above it."""
    source = document.source or "(the data set does not contain its documents)"
    return document_block(source, document.title if titled else None)


def references_html(references: Sequence[tuple[str, str]]) -> str:
    """Write the references under their names as HTML, in a block that scrolls by itself."""
    named = "".join(
        f'<div class="name" aria-hidden="true">{name}</div>{text_block(text, name)}' for name, text in references
    )
    inside = named or "(there are none)"
    return f'<div class="text document" role="region" aria-label="References" tabindex="0">{inside}</div>'


def sides_html(blocks: Sequence[str]) -> str:
    """Write blocks of evidence side by side as HTML, under the letters of their summaries."""
    cells = "".join(
        f'<div role="group" aria-label="Summary {letter}, what the metric saw"><b>{letter}</b>{block}</div>'
        for letter, block in zip(LETTERS, blocks, strict=False)
    )
    return f'<div class="sides">{cells}</div>'


def section_html(label: str, body: str, standing_text: str = "", standing: Standing | None = None) -> str:
    """Write what one metric saw as HTML, under its name, its standing and its scores."""
    scores = f' <span class="said">{esc(standing_text)}</span>' if standing_text else ""
    kind = standing.kind if standing else ""
    badge = f" {standing_html(standing)}" if standing else ""
    return (
        f'<section class="saw {kind}" aria-label="{esc(label)}"><div class="head"><b>{esc(label)}</b>{badge}{scores}'
        f"</div>{body}</section>"
    )


def standing_html(standing: Standing) -> str:
    """Write a metric's standing as HTML: a sign and words in a frame."""
    return f'<span class="standing {standing.kind}">{esc(standing.text)}</span>'


def signatures_html(signatures: Iterable[str]) -> str:
    """Write the signatures as HTML, in a part to unfold."""
    lines = "".join(f"<div><code>{esc(signature)}</code></div>" for signature in signatures)
    return f'<details class="signatures"><summary>Signatures</summary>{lines}</details>'


# --- scores --------------------------------------------------------------------------------------------------


Stored = Mapping[str, Mapping[str, StoredScore]]
"""The stored scores of a document, by signature and system."""


def score_rows(
    source: Source, pair: JudgedPair, signatures: Sequence[str], stored: Stored, summaries: Iterable[Summary]
) -> list[ScoreRow]:
    """Make the rows of people and of each metric on a pair of a source.

    `stored` are the pair's scores, with reasons and flags; its summaries are among `summaries`.
    """
    rows = [ScoreRow(source.judges, ratings_of(source, pair, summaries), pair.people)]
    named = labels(signatures, label_of)
    for signature, both in stored_values(stored, signatures, pair.systems).items():
        kept = [stored.get(signature, {}).get(system) for system in pair.systems]
        prefers = preferred_side(both[0] - both[1], unknown="missing")
        rows.append(ScoreRow(named[signature], both, prefers, tuple(badges_of(kept)), signature))
    return rows


def stored_values(
    stored: Stored, signatures: Sequence[str], systems: tuple[str, str]
) -> dict[str, tuple[float, float]]:
    """Return the scores of two systems' summaries by signature; NaN is missing."""

    def value_of(signature: str, system: str) -> float:
        kept = stored.get(signature, {}).get(system)
        return np.nan if kept is None or kept.value is None else kept.value

    first, second = systems
    return {signature: (value_of(signature, first), value_of(signature, second)) for signature in signatures}


def preferred_side(difference: float, unknown: str) -> str:
    """Return which of two summaries is preferred, given the difference A minus B."""
    if np.isnan(difference):
        return unknown
    return "tie" if abs(difference) <= TIE else "A" if difference > 0 else "B"


def badges_of(kept: Sequence[StoredScore | None]) -> list[Badge]:
    """Return the warnings about the scores of A and B; a warning about both is given once."""
    badges: dict[tuple[Literal["truncated", "missing"], str], list[str]] = {}
    for letter, score in zip(LETTERS, kept, strict=False):
        if score is None:
            badges.setdefault(("missing", "missing: not scored yet"), []).append(letter)
            continue
        if score.missing is not None:
            badges.setdefault(("missing", f"missing: {score.missing}"), []).append(letter)
        if score.truncated:
            badges.setdefault(("truncated", "truncated"), []).append(letter)
    return [Badge(kind, f"{' and '.join(letters)} {what}") for (kind, what), letters in badges.items()]


def scores_html(rows: Sequence[ScoreRow], systems: Sequence[str]) -> str:
    """Write the scores of two summaries as HTML: a table that shows who is right, and the signatures to unfold."""
    numbers = [*(f"{letter}: {system}" for letter, system in zip(LETTERS, systems, strict=False)), "A minus B"]
    heads = [*text_cells("Metric"), *text_cells(*numbers, classes="number"), *text_cells("Prefers", "Notes")]
    people = rows[0].prefers
    table = score_table_html(heads, [score_line(row, people) for row in rows], "Scores of both summaries")
    signatures = signatures_html(row.signature for row in rows if row.signature)
    return f'<div class="scores pair-scores">{table}{signatures}</div>'


def score_line(row: ScoreRow, people: str) -> ScoreLine:
    """Make one row of the table of scores; `people` is people's preference."""
    # Ratings, words, verdicts and scores that came with the data set keep their own digits.
    counted = not row.signature or is_length(row.signature) or not is_computed(row.signature)
    badges = "".join(f'<span class="badge {kind}">{esc(text)}</span>' for kind, text in row.badges)
    prefers = (
        ScoreCell(standing_html(standing_of(row.prefers, people))) if row.signature else text_cells(row.prefers)[0]
    )
    numbers = format_scores(*row.values, counted=counted)
    return ScoreLine(row.label, [*text_cells(*numbers, classes="number"), prefers, ScoreCell(badges)])


def format_scores(first: float, second: float, *, counted: bool = False) -> tuple[str, str, str]:
    """Format two scores and the first minus the second, with three decimals or as many as tell them apart.

    Counted values keep their own digits; missing ones are an em dash.
    """
    both = [value for value in (first, second) if not np.isnan(value)]
    if counted:
        known = [f"{round(value, 3):g}" for value in both]
        difference = f"{round(first - second, 3):+g}"
    else:
        known = figures(both)
        difference = f"{first - second:+.{len(known[0].partition('.')[2]) if known else 3}f}"
    written = iter(known)
    shown = [NONE if np.isnan(value) else next(written) for value in (first, second)]
    return shown[0], shown[1], difference if len(both) == 2 else NONE


def pair_scores(source: Source, preferences: Preferences, pair: int) -> str:
    """Write the stored scores of a pair as HTML; the pair has one entry in `preferences`."""
    (choice,) = preferences.choices[preferences.pair == pair]
    systems = preferences.firsts[pair], preferences.seconds[pair]
    judged = JudgedPair(preferences.documents[pair], systems, preferred_side(choice, unknown="split"))
    return judged_scores(source, judged, list(preferences.scores))


def judged_scores(source: Source, pair: JudgedPair, signatures: Sequence[str]) -> str:
    """Write the stored scores of a pair as HTML."""
    stored = source.stored(pair.document, pair.systems)
    _, summaries = open_stores().data.record(source.dataset, pair.document)
    return scores_html(score_rows(source, pair, signatures, stored, summaries), pair.systems)


def ratings_of(source: Source, pair: JudgedPair, summaries: Iterable[Summary]) -> tuple[float, float]:
    """Return the ratings of a pair's summaries, which are among `summaries`; NaN if people did not rate."""
    if source.aspect is None:
        return np.nan, np.nan
    of_system = {summary.system: summary.human.get(source.aspect, np.nan) for summary in summaries}
    first, second = pair.systems
    return of_system[first], of_system[second]


# --- on a page -----------------------------------------------------------------------------------------------


def show_example(dataset: str, document_id: str, systems: Sequence[str]) -> None:
    """Show a document beside the summaries of one or two systems."""
    document, summaries = open_stores().data.record(dataset, document_id)
    texts = {summary.system: summary.text for summary in summaries}
    shown = [ShownSummary(system, f"Summary of {system}", texts[system]) for system in systems if system in texts]
    st.markdown(f"**Document {in_markdown(document_id)}**")
    beside = f'<div class="beside"><div class="name">Source</div>{source_html(document, titled=True)}</div>'
    st.html(summaries_html(shown, beside))
    with st.expander(f"References ({len(document.references)})"):
        st.html(references_html(name_references(document, summaries)))


def cell_scores(cells: Cells, cell: int) -> pd.DataFrame:
    """Return all scores and ratings of one summary."""
    named = labels(list(cells.scores), label_of)
    rows = [(named[signature], values[cell]) for signature, values in cells.scores.items()]
    rows += [(name_ratings(aspect), values[cell]) for aspect, values in cells.ratings.items()]
    return pd.DataFrame(
        {"of": in_one_line(name), "value": None if np.isnan(value) else float(value)} for name, value in rows
    )


def contradiction_table(preferences: Preferences, signature: str) -> pd.DataFrame:
    """Return the pairs in which a metric contradicts people, its firmest preferences first; `pair` is the index."""
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
