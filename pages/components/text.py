"""Texts from data made safe to show: as HTML, or inside Markdown, always literally."""

from __future__ import annotations

import html
import re

# Invisible characters that turn the direction of what follows them. They are kept, isolated and labelled.
BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# Markdown makes links of bare addresses whatever is escaped in them; an invisible word joiner inside prevents it.
ADDRESS = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?=@)", re.IGNORECASE)
PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")

STYLE = """<style>
.text { line-height: 1.55; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
.text p { margin: 0 0 .5em; }
.text .bidi { unicode-bidi: isolate; }
.text .bidi::before { content: attr(data-mark); font-size: .65em; padding: 0 .25em; margin: 0 .1em;
  border: 1px solid currentColor; border-radius: .3em; opacity: .75; }
.text h3 { font-size: 1.15rem; margin: 0 0 .5rem; }
</style>"""


def literal(text: str) -> str:
    """A text as HTML that shows it letter for letter: nothing in it is markup, nothing turns its surroundings."""
    return BIDI.sub(
        lambda mark: f'<span class="bidi" data-mark="U+{ord(mark.group()):04X}">{mark.group()}</span>',
        html.escape(text),
    )


def text_block(text: str | tuple[str, ...], title: str | None = None, label: str | None = None) -> str:
    """A text, or its sentences, as a block of HTML, under its title where there is one."""
    heading = f'<h3 dir="auto">{literal(title)}</h3>' if title else ""
    body = literal(text) if isinstance(text, str) else " ".join(literal(sentence.strip()) for sentence in text)
    role = f' role="group" aria-label="{html.escape(label)}"' if label else ""
    return f'{STYLE}<div class="text" dir="auto"{role}>{heading}{body}</div>'


def in_markdown(text: object) -> str:
    """A text inside Markdown that shows it letter for letter, in one line."""
    visible = BIDI.sub(lambda mark: f"[U+{ord(mark.group()):04X}]", " ".join(str(text).split()))
    return PUNCTUATION.sub(r"\\\1", ADDRESS.sub("\u2060", visible))
