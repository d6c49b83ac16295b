"""Texts of data shown literally in HTML and Markdown; counts and lists in words."""

import html
import re
from collections.abc import Sequence

from relevance.data.one_line import in_one_line


def esc(text: object) -> str:
    """Escape a text for HTML, in one line."""
    return html.escape(in_one_line(text))


# Invisible characters that turn the direction of what follows them. They are kept, isolated and labelled.
BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

# Streamlit turns bare addresses into links, "->" into an arrow and ":name:" into a picture, whatever is escaped in
# them; an invisible word joiner inside prevents it.
REPLACED = re.compile(r"(?<=[-<>~])(?=[-<>=])|(?<=:)(?=[/a-z])|(?<=www)(?=\.)|(?=@)", re.IGNORECASE)

PICTURE = re.compile(r"!(?=\[)")

PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")

STYLE = """<style>
.text { line-height: 1.55; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
.text.document { max-height: min(300px, 40vh); overflow-y: auto; }
@media (max-width: 640px) { .text.document { max-height: none; } }
.text .bidi { unicode-bidi: isolate; }
.text .bidi::before { content: attr(data-mark); font-size: .65em; padding: 0 .25em; margin: 0 .1em;
  border: 1px solid currentColor; border-radius: .3em; opacity: .75; }
.text:empty::before { content: "(empty)"; opacity: .75; }
.text h3 { font-size: 1.15rem; margin: 0 0 .5rem; }
</style>"""


def literal(text: str) -> str:
    """Return HTML that shows a text literally: nothing in it is markup or changes the direction of text around it."""
    return BIDI.sub(
        lambda mark: f'<span class="bidi" data-mark="U+{ord(mark.group()):04X}">{mark.group()}</span>',
        html.escape(text),
    )


def text_block(text: str, label: str) -> str:
    """Return a text as a block of HTML that screen readers announce by its label."""
    return f'<div class="text" dir="auto" role="group" aria-label="{html.escape(label)}">{literal(text)}</div>'


def document_block(parts: str | Sequence[str], title: str | None, label: str = "Document") -> str:
    """Return a document, or its sentences, under its title, in a block that scrolls by itself."""
    heading = f'<h3 dir="auto">{literal(title)}</h3>' if title else ""
    body = literal(parts) if isinstance(parts, str) else " ".join(literal(part.strip()) for part in parts)
    attributes = f'class="text document" dir="auto" role="region" aria-label="{html.escape(label)}" tabindex="0"'
    return f"<div {attributes}>{heading}{body}</div>"


def in_markdown(text: object) -> str:
    """Escape a text for Markdown, which shows it letter for letter, in one line."""
    return PUNCTUATION.sub(r"\\\1", REPLACED.sub("\u2060", in_one_line(text)))


def without_pictures(markdown: str) -> str:
    """Replace pictures in a researcher's Markdown by links.

    A browser would fetch a picture from its server, which would learn who judges, and when.
    """
    return PICTURE.sub("!\u2060", markdown)
