"""Marks in texts: the visible text stays the text, nothing of it runs, and kinds differ by more than colour."""

import re
from html.parser import HTMLParser

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from relevance.reports.evidence.highlighting import GROUPS, HIGHLIGHT_STYLE, KINDS, Mark, highlight, legend

PIECES = [
    '<img src=x onerror="alert(1)">',
    "</mark><script>alert(1)</script>",
    "<style>*{display:none}</style>",
    '" onmouseover="alert(1)" x="',
    "&lt;b&gt; &amp; &#60;",
    "-->",
    "👩‍👩‍👧‍👦 🇩🇪 👍🏽",
    "e\u0301a\u0308 हिन्दी",
    "שלום عالم",
    "abc \u202edef\u202c \u2066ghi\u2069 \u200f",
    "\n\n\t a\r\nb",
    "",
]
ALLOWED = {
    "mark": {"class", "title", "data-group", "data-says", "data-ends", "tabindex"},
    "span": {"class", "data-mark"},
}
hostile = st.text() | st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=5).map("".join)


class Parsed(HTMLParser):
    def __init__(self, fragment: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.marked: list[tuple[str, dict[str, str]]] = []
        self.inside = False
        self.feed(fragment)
        self.close()

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.inside:
            text, attributes = self.marked[-1]
            self.marked[-1] = (text + data, attributes)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        assert len(attributes) == len(attrs)
        self.tags.append((tag, attributes))
        if tag == "mark":
            assert not self.inside
            self.inside = True
            self.marked.append(("", attributes))

    def handle_endtag(self, tag: str) -> None:
        if tag == "mark":
            self.inside = False

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    handle_decl = unknown_decl = handle_pi = handle_comment


@st.composite
def marked_texts(draw: st.DrawFn) -> tuple[str, list[Mark]]:
    text = draw(hostile)
    marks = []
    for _ in range(draw(st.integers(0, 8)) if text else 0):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        group = draw(st.sampled_from(["", "g0", "g1", "g12"]))
        marks.append(Mark(start, end, draw(st.sampled_from([*KINDS])), draw(hostile), group))
    return text, marks


@pytest.mark.page
@given(marked_texts())
@settings(max_examples=500)
def test_the_visible_text_is_the_text_and_only_our_tags_are_there(case: tuple[str, list[Mark]]) -> None:
    text, marks = case
    parsed = Parsed(highlight(text, marks))
    assert parsed.text == text
    for tag, attributes in parsed.tags:
        assert set(attributes) <= ALLOWED[tag]
        if tag == "mark":
            assert set(attributes["class"].split()) <= {f"k-{kind}" for kind in KINDS}
            assert set(attributes.get("data-group", "").split()) <= {"g0", "g1", "g12"}
    # Whatever the text is, it comes to nothing but these.
    shown = re.sub(r"</?(mark|span)\b[^<>]*>", "", highlight(text, marks))
    assert "<" not in shown
    assert ">" not in shown


@pytest.mark.page
@given(marked_texts())
@settings(max_examples=500)
def test_every_character_is_under_its_marks(case: tuple[str, list[Mark]]) -> None:
    text, marks = case
    clusters = [match.span() for match in regex.finditer(r"\X", text)]
    expected = [
        {mark.kind for mark in marks if mark.start < end and start < mark.end}
        for start, end in clusters
        for _ in range(start, end)
    ]
    result: list[set[str]] = []
    for kind_text, kinds in pieces(highlight(text, marks)):
        result += [kinds] * len(kind_text)
    assert result == expected


def pieces(fragment: str) -> list[tuple[str, set[str]]]:
    result = []
    for part in re.findall(r"<mark .*?</mark>|(?:(?!<mark ).)+", fragment, re.DOTALL):
        parsed = Parsed(part)
        kinds = {name[2:] for _, attributes in parsed.marked for name in attributes["class"].split()}
        result.append((parsed.text, kinds))
    return result


def test_overlapping_marks_share_an_element() -> None:
    marks = [Mark(4, 11, "matched", "in both", "g1"), Mark(0, 7, "keyword", 'a "keyword"', "g0")]
    assert highlight("the cat sat", marks) == (
        '<mark class="k-keyword" title="a &quot;keyword&quot;" data-group="g0" data-says="keyword" '
        'data-ends="end of keyword" tabindex="-1">the </mark>'
        '<mark class="k-matched k-keyword" title="in both; a &quot;keyword&quot;" data-group="g1 g0" '
        'data-says="matched, keyword" data-ends="end of matched, keyword" '
        'tabindex="-1">cat</mark>'
        '<mark class="k-matched" title="in both" data-group="g1" data-says="matched" '
        'data-ends="end of matched" tabindex="-1"> sat</mark>'
    )


def test_a_run_of_words_is_announced_once() -> None:
    marks = [Mark(0, 3, "matched", ""), Mark(4, 7, "matched", ""), Mark(12, 15, "matched", "")]
    shown = Parsed(highlight("the cat sat the", marks))
    assert [(text, "data-says" in tag, "data-ends" in tag) for text, tag in shown.marked] == [
        ("the", True, False),
        ("cat", False, True),
        ("the", True, True),
    ]


def test_characters_are_not_cut_apart() -> None:
    family = "👩‍👧"
    assert Parsed(highlight(f"a{family}b", [Mark(2, 3, "matched", "")])).marked[0][0] == family
    assert Parsed(highlight("e\u0301t", [Mark(0, 1, "matched", "")])).marked[0][0] == "e\u0301"


@pytest.mark.parametrize(
    ("mark", "why"),
    [
        (Mark(0, 4, "matched", ""), "a mark from 0 to 4 is not in a text of 3 characters"),
        (Mark(-1, 2, "matched", ""), "a mark from -1 to 2"),
        (Mark(1, 1, "matched", ""), "a mark from 1 to 1"),
        (Mark(2, 1, "matched", ""), "a mark from 2 to 1"),
        (Mark(0, 1, "red", ""), "a mark is one of matched, missed"),
        (Mark(0, 1, "matched", "", 'g"]'), "a group is a g with a number"),
    ],
)
def test_marks_that_cannot_be_shown_are_refused(mark: Mark, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        highlight("abc", [mark])


# --- style --------------------------------------------------------------------------------------------------


def test_each_group_lights_its_own_marks_up_to_a_number() -> None:
    rules = re.findall(
        r"\.evidence:has\(\[data-group~=(g\d+)\]:is\(:hover, :focus\)\) \[data-group~=(g\d+)\]", HIGHLIGHT_STYLE
    )
    assert rules == [(f"g{number}", f"g{number}") for number in range(GROUPS)]


def rules() -> dict[str, dict[str, str]]:
    result = {}
    for kind, body in re.findall(r"\.evidence \.k-([a-z]+) \{([^}]*)\}", HIGHLIGHT_STYLE):
        result[kind] = {name.strip(): value.strip() for name, value in re.findall(r"([a-z-]+):([^;]*);", body)}
    return result


def test_kinds_differ_without_colour() -> None:
    looks = {kind: {k: v for k, v in look.items() if k != "background"} for kind, look in rules().items()}
    assert set(looks) == set(KINDS)
    assert all(looks.values())
    assert len({str(sorted(look.items())) for look in looks.values()}) == len(KINDS)
    assert {f"k-{kind}" for kind in KINDS} == {attrs["class"] for _, attrs in Parsed(legend(KINDS)).marked}


def luminance(colour: tuple[float, ...]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(
    ("ink", "paper"),
    [((49, 51, 63), (255, 255, 255)), ((250, 250, 250), (14, 17, 23))],  # Streamlit's light and dark themes
)
def test_marked_text_has_enough_contrast(ink: tuple[int, ...], paper: tuple[int, ...]) -> None:
    tints = [look["background"] for look in rules().values() if "background" in look]
    assert len(tints) == 4
    for tint in tints:
        *colour, alpha = map(float, re.findall(r"[\d.]+", tint))
        behind = tuple(alpha * c + (1 - alpha) * p for c, p in zip(colour, paper, strict=True))
        lighter, darker = sorted((luminance(ink), luminance(behind)), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 7


def test_the_style_survives_sanitizing() -> None:
    """DOMPurify, which `st.html` runs, drops a style in which something looks like a tag."""
    assert not re.search(r"<[/\w!]", HIGHLIGHT_STYLE.removeprefix("<style>").removesuffix("</style>"))
