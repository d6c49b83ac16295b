"""Marked spans of a text as HTML: none of the text becomes markup, and none of it is lost."""

import html
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

import regex

from relevance.data.one_line import in_one_line
from relevance.reports.escaping import literal

KINDS = {
    "matched": "matched",
    "missed": "missed",
    "keyword": "keyword",
    "nearest": "nearest",
    "unknown": "without vector",
    "new": "new",
    "sentence": "sentence read",
    "answer": "answer",
    "marked": "marked by people",
}
"""The kinds of marks, with their names in legends and for screen readers."""

GROUPS = 200
"""The number of groups whose marks light each other, from `g0` on: browsers check every rule whenever the pointer
moves.
"""


# Pages have it once, outside of what changes: browsers restyle the whole page whenever a style comes or goes. Each kind
# has a line or a weight of its own, so that colour is never needed to tell it. Tints are thin mid-tones, and lines have
# the colour of the text, so that both work in the light and in the dark scheme. Screen readers skip `mark` and titles,
# and an aria-label would replace the word: instead they read hidden words before and after a run of marks, which nobody
# sees and no selection copies.
KINDS_STYLE = """
.evidence { display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; margin-bottom: 1rem; overflow-wrap: anywhere; }
.evidence > * { flex: 1 1 min(100%, 18rem); min-width: 0; }
.evidence > .whole { flex-basis: 100%; }
.evidence p, .evidence ol, .evidence ul { margin: 0; }
.evidence .name { font-size: .875rem; font-weight: 600; }
.evidence .legend, .evidence .note { font-size: .875rem; }
.evidence .legend mark { margin-inline-end: .75em; }
.evidence .wide { overflow-x: auto; }
.evidence td, .evidence th { padding: .1em .75em .1em 0; text-align: start; }
.evidence mark { position: relative; color: inherit; background: none; text-underline-offset: .2em;
  text-decoration: none; text-decoration-skip-ink: none; -webkit-box-decoration-break: clone;
  box-decoration-break: clone; }
.evidence mark[data-says]::before, .evidence mark[data-ends]::after { position: absolute; width: 1px; height: 1px;
  overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.evidence mark[data-says]::before { content: attr(data-says) ": "; }
.evidence mark[data-ends]::after { content: " (" attr(data-ends) ") "; }
.evidence .k-new { text-decoration: underline double 1px; background: rgb(147 51 234 / .16); }
.evidence .k-unknown { text-decoration: underline wavy 1px; }
.evidence .k-sentence { text-decoration: underline overline 1px; background: rgb(217 119 6 / .16); }
.evidence .k-nearest { text-decoration: underline dotted 2px; }
.evidence .k-missed { text-decoration: underline dashed 2px; }
.evidence .k-matched { text-decoration: underline solid 2px; background: rgb(37 99 235 / .18); }
.evidence .k-keyword { font-weight: 700; }
.evidence .k-answer { font-weight: 700; outline: 1px solid currentColor; }
.evidence .k-marked { text-decoration: underline solid 4px; background: rgb(234 179 8 / .28); }
.evidence .blank { white-space: nowrap; }
.evidence details { margin-block: .25rem; }
.evidence summary { cursor: pointer; }
"""


# A mark that is pointed at or tapped lights its group in one `.evidence`. Streamlit removes the outline of what is
# focused by a tap, and does so with !important.
GROUPS_STYLE = (
    ",".join(f".evidence:has([data-group~=g{n}]:is(:hover, :focus)) [data-group~=g{n}]" for n in range(GROUPS))
    + " { outline: 2px solid currentColor !important; outline-offset: 1px; border-radius: 2px; }"
)

HIGHLIGHT_STYLE = f"<style>{KINDS_STYLE}{GROUPS_STYLE}</style>"
"""The style of marks, which a page has once."""

NAME = re.compile(r"(g[0-9]+)?")


class Mark(NamedTuple):
    """A span of a text and a remark on it."""

    start: int
    """The index of its first character."""
    end: int
    """The index after its last character."""
    kind: str
    """One of `KINDS`."""
    label: str
    """The tooltip."""
    group: str = ""
    """The group whose marks light each other: `g` and a number; from `GROUPS` on, none is lit."""


def highlight(text: str, marks: Sequence[Mark]) -> str:
    """Write a text with marked spans as HTML; its visible text is unchanged.

    Marks come in any order and may overlap: each span under the same marks is one `<mark>` with the classes, labels and
    groups of all of them. A mark that cuts a character (an emoji, a letter with its accents) is widened to the whole of
    it, as the parts would be drawn apart. Newlines are unchanged: the block around it keeps them (`white-space:
    pre-wrap`, as in `.text`). Raises ValueError for a mark that is empty or outside of the text, of a kind that is not
    in `KINDS`, or of an invalid group.
    """
    for mark in marks:
        if not 0 <= mark.start < mark.end <= len(text):
            raise ValueError(f"a mark from {mark.start} to {mark.end} is not in a text of {len(text)} characters")
        if mark.kind not in KINDS:
            raise ValueError(f"a mark is one of {', '.join(KINDS)}, not {mark.kind!r}")
        if not NAME.fullmatch(mark.group):
            raise ValueError(f"a group is a g with a number, not {mark.group!r}")
    segments = cut_segments(text, marks)
    marked = [place for place, (_, _, over) in enumerate(segments) if over]
    # A run of words with the same kinds is announced once, not word by word.
    joined = [
        (before, after)
        for before, after in pairwise(marked)
        if kinds_of(segments[before][2]) == kinds_of(segments[after][2])
        and not any(map(str.isalnum, text[segments[before][1] : segments[after][0]]))
    ]
    goes_on, follows = {before for before, _ in joined}, {after for _, after in joined}
    return "".join(
        element(text[start:end], over, place not in follows, place not in goes_on) if over else literal(text[start:end])
        for place, (start, end, over) in enumerate(segments)
    )


def cut_segments(text: str, marks: Sequence[Mark]) -> list[tuple[int, int, list[Mark]]]:
    """Cut a text wherever a mark begins or ends; return each part with the marks over it."""
    cuts = boundaries(text)
    begin, stop = defaultdict(list), defaultdict(list)
    for place, mark in enumerate(marks):
        start, end = mark.start, mark.end
        if cuts is not None:
            start, end = cuts[bisect_right(cuts, start) - 1], cuts[bisect_left(cuts, end)]
        begin[start].append(place)
        stop[end].append(place)
    over: set[int] = set()
    result = []
    for start, end in pairwise(sorted({0, len(text), *begin, *stop})):
        over -= set(stop[start])
        over |= set(begin[start])
        result.append((start, end, [marks[place] for place in sorted(over)]))
    return result


def boundaries(text: str) -> list[int] | None:
    """Return the starts of characters as people see them, and the end of the text; None if every index is one."""
    if text.isascii() and "\r" not in text:
        return None
    return [*(match.start() for match in regex.finditer(r"\X", text)), len(text)]


def kinds_of(marks: Iterable[Mark]) -> list[str]:
    """Return the kinds of marks in the order of `KINDS`."""
    have = {mark.kind for mark in marks}
    return [kind for kind in KINDS if kind in have]


def element(text: str, marks: Sequence[Mark], begins: bool, ends: bool) -> str:
    """Write one marked span as HTML; `begins` and `ends` say whether a run of such spans does."""
    kinds = kinds_of(marks)
    groups = dict.fromkeys(mark.group for mark in marks if mark.group)
    label = "; ".join(dict.fromkeys(in_one_line(mark.label) for mark in marks if mark.label))
    described = ", ".join(KINDS[kind] for kind in kinds)
    attributes = {
        "class": " ".join(f"k-{kind}" for kind in kinds),
        "title": label,
        "data-group": " ".join(groups),
        "data-says": described if begins else "",
        "data-ends": f"end of {described}" if ends else "",
        # A tap lights its group, as fingers cannot point; the Tab key skips it.
        "tabindex": "-1" if groups else "",
    }
    written = " ".join(f'{name}="{html.escape(value)}"' for name, value in attributes.items() if value)
    return f"<mark {written}>{literal(text)}</mark>"


def legend(kinds: Iterable[str], words: Mapping[str, str] = MappingProxyType({})) -> str:
    """Write a legend of these kinds of marks as HTML; `words` replace the names in `KINDS`."""
    wanted = set(kinds)
    shown = [
        f'<mark class="k-{kind}">{html.escape(words.get(kind, value))}</mark> '
        for kind, value in KINDS.items()
        if kind in wanted
    ]
    return f'<p class="legend whole">{"".join(shown)}</p>' if shown else ""
