"""The evidence of metrics as blocks of HTML; nothing is scored again.

Their style is `relevance.reports.evidence.highlighting.HIGHLIGHT_STYLE`, which a page has once.
"""

import html
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import TypeAlias

from relevance.data.one_line import in_one_line
from relevance.data.wording import format_count
from relevance.metrics.text import Span
from relevance.reports.escaping import esc
from relevance.reports.evidence.highlighting import GROUPS, Mark, highlight, legend

LONGEST_LABEL = 60
"""The most characters of a quotation inside a label."""


Passage: TypeAlias = tuple[str, Sequence[Mark], str]
"""A text with its marks and its name."""


# --- the parts of a block -----------------------------------------------------------------------------------


def no_evidence(missing: str | None) -> str:
    """Write a paragraph that says why there is nothing to show, as HTML."""
    return f'<p class="missing">No evidence: {esc(missing or "the score has none")}</p>'


def passage(text: str, marks: Sequence[Mark], name: str) -> str:
    """Write a text with its marks under its name, as HTML."""
    label = html.escape(in_one_line(name))
    return (
        f'<div><div class="name" aria-hidden="true">{label}</div>'
        f'<div class="text" dir="auto" role="group" aria-label="{label}">{highlight(text, marks)}</div></div>'
    )


def block(
    sentences: Iterable[str],
    passages: Sequence[Passage],
    below: str = "",
    words: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Write an evidence block as HTML: sentences, the marked texts side by side, a legend, and what goes below.

    `words` explain kinds of marks in the legend.
    """
    marks = [mark for _, marks, _ in passages for mark in marks]
    texts = "".join(passage(text, marks, name) for text, marks, name in passages)
    lines = "".join(f'<p class="whole">{esc(line)}</p>' for line in sentences)
    shown = legend((mark.kind for mark in marks), words)
    if any(int(mark.group[1:]) >= GROUPS for mark in marks if mark.group):
        light = f"Pointing at a word, or tapping it, lights its match for the first {GROUPS} matches only."
        shown += f'<p class="note whole">{light}</p>'
    return f'<div class="evidence">{lines}{texts}{shown}{below}</div>'


def counted_note(counted: Sequence[int], compared: Sequence[object]) -> list[str]:
    """Return a line that says how several references became one value; none if there was only one."""
    if len(compared) == 1:
        return []
    if len(counted) == len(compared):
        return [f"The score is the mean over these {len(compared)} references."]
    return [f"The best of {len(compared)} references makes the score; it is shown."]


def alternatives_html(blocks: Sequence[str], names: Sequence[str]) -> str:
    """Write the first block as HTML, and the others to be unfolded by their names."""
    others = [
        f"<details><summary>{esc(name)}</summary>{body}</details>"
        for body, name in list(zip(blocks, names, strict=True))[1:]
    ]
    return "".join([*blocks[:1], *others])


def quote_span(text: str, span: Span) -> str:
    """Return a span of a text in quotation marks, cut if it is long."""
    text_of_span = in_one_line(text[slice(*span)])
    return f"“{text_of_span if len(text_of_span) <= LONGEST_LABEL else text_of_span[: LONGEST_LABEL - 1] + '…'}”"


def table_html(heads: Sequence[str], rows: Iterable[Sequence[str]], groups: Iterable[str] = ()) -> str:
    """Write a table as HTML, which scrolls on narrow screens; a row of a group lights it, as its marks do."""
    head = "".join(f'<th scope="col">{esc(name)}</th>' for name in heads)
    body = "".join(
        f"<tr{in_group(group)}>{''.join(f'<td>{esc(cell)}</td>' for cell in row)}</tr>"
        for row, group in zip_longest(rows, groups, fillvalue="")
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def in_group(group: str) -> str:
    """Return the attributes of an element that lights its group when pointed at or tapped."""
    return f' data-group="{group}" tabindex="-1"' if group else ""


def mark_matches(
    candidate: str, text: str, name: str, matches: Iterable[tuple[Span, Span]], *, only_words: bool = False
) -> tuple[list[Passage], list[tuple[str, str]]]:
    """Mark spans of a summary and of another text that match each other, and list them as they stand in both.

    `name` is that of the other text. With `only_words`, matches with a space in them are listed and not marked.
    """
    ours, theirs, rows = [], [], []
    for number, (own_span, other_span) in enumerate(matches):
        group, own, other = f"g{number}", quote_span(candidate, own_span), quote_span(text, other_span)
        rows.append((own, other))
        if only_words and " " in own:  # the words between the two do not match
            continue
        ours.append(Mark(*own_span, "matched", f"{name}: {other}", group))
        theirs.append(Mark(*other_span, "matched", f"summary: {own}", group))
    return [(candidate, ours, "Summary"), (text, theirs, name)], rows


def list_matches(rows: Sequence[tuple[str, str]], name: str) -> str:
    """Write a list of what matches in both texts as HTML, to be unfolded; nothing for an empty one."""
    if not rows:
        return ""
    heads = ["of the summary", f"of {'the ' * (name == 'Source')}{name.lower()}"]
    pairs = table_html(heads, rows, [f"g{number}" for number in range(len(rows))])
    return details(f"All {format_count(len(rows), 'match', 'matches')}", pairs)


def details(name: str, body: str) -> str:
    """Write a part to unfold by its name, as wide as the block, as HTML."""
    return f'<details class="whole"><summary>{esc(name)}</summary>{body}</details>'
