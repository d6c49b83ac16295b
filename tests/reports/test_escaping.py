"""Texts from data are shown letter for letter, whatever is in them."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.reports.escaping import document_block, in_markdown, literal, text_block

MARKUP = [
    '<img src=x onerror="alert(1)">',
    "<script>alert(1)</script>",
    "<svg><script>alert(1)</script></svg>",
    '"><iframe srcdoc="<script>alert(1)</script>">',
    "[link](http://example.org) ![image](http://example.org/x.png)",
    ":red[red] :material/home: $x^2$ **bold** `code` # title",
    "abc \u202edef\u202c \u2066ghi\u2069 \u200f",
    "&lt;b&gt; &amp;",
]


class Visible(HTMLParser):
    """Collects the text and the tags of an HTML fragment."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def parsed(fragment: str) -> Visible:
    visible = Visible()
    visible.feed(fragment)
    visible.close()
    return visible


@given(st.text() | st.sampled_from(MARKUP) | st.lists(st.sampled_from([*MARKUP, "a", "<", "&"])).map("".join))
def test_the_visible_text_is_the_text(text: str) -> None:
    visible = parsed(literal(text))
    assert "".join(visible.text) == text
    assert {tag for tag, _ in visible.tags} <= {"span"}
    assert all(set(attributes) == {"class", "data-mark"} for _, attributes in visible.tags)


def test_bidi_marks_are_isolated_and_named() -> None:
    assert literal("a\u202eb") == 'a<span class="bidi" data-mark="U+202E">\u202e</span>b'


@pytest.mark.parametrize("text", MARKUP)
def test_blocks_have_no_tags_but_their_own(text: str) -> None:
    shown = text_block(text, label=text) + document_block((text, text), title=text)
    assert {tag for tag, _ in parsed(shown).tags} <= {"div", "h3", "span"}


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("<b>", r"\<b\>"),
        ("a -> b", "a \\-\u2060\\> b"),
        ("[a](b)", r"\[a\]\(b\)"),
        (":red[x]", "\\:\u2060red\\[x\\]"),
        ("a\n\n# b", r"a \# b"),
        ("a\u202eb", r"a\[U\+202E\]b"),
        ("http://x.y", "http\\:\u2060\\/\\/x\\.y"),
        ("www.x.y a@b.c", "www\u2060\\.x\\.y a\u2060\\@b\\.c"),
    ],
)
def test_in_markdown(text: str, markdown: str) -> None:
    assert in_markdown(text) == markdown
