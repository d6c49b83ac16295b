"""Prompts that ask for a summary: a template, and examples of documents with their summaries.

A document is data, and is placed between marks that it does not contain itself. No prompt can exclude that a model
obeys a text which says "ignore the above": readers of summaries of other people's documents must expect it.
"""

import hashlib
import json
import random
from collections.abc import Iterable
from typing import NamedTuple

from relevance.data.records import Document
from relevance.llm.client import Message, TokenCounter

PLACE = "{document}"
"""The placeholder for the document in a template."""

ROUGE_K_PAPER = f"Generate a summary of the following document in one sentence\n\n{PLACE}"
"""The prompt of the ROUGE-K paper (Takeshita et al. 2024, Table 10), which does not say how the document was marked."""

SOURCE_TOKENS = 512
"""Tokens of a document that a model sees, as in the ROUGE-K paper (Table 10)."""

SENTENCES = 1
"""Sentences of an answer that are kept, as in the paper."""

MOST = 100_000
"""The most characters of a template."""


class TooFewExamples(ValueError):
    """Fewer documents have a reference than examples are requested."""


class Shot(NamedTuple):
    """An example in a prompt: a document and its summary."""

    document: str
    summary: str


class Prompt(NamedTuple):
    """A request for a summary: each example is a turn of a conversation, and the document is the last one."""

    template: str = ROUGE_K_PAPER
    shots: tuple[Shot, ...] = ()

    def messages(self, document: str) -> tuple[Message, ...]:
        """Return the messages that ask for the summary of a document."""
        turns = [
            message
            for shot in self.shots
            for message in (Message("user", self.fill(shot.document)), Message("assistant", shot.summary))
        ]
        return (*turns, Message("user", self.fill(document)))

    def fill(self, document: str) -> str:
        """Return the template with a document in it."""
        before, after = self.template.split(PLACE)
        return f"{before}{delimit(document)}{after}"

    @property
    def hash(self) -> str:
        """16 digits of a SHA-256 of template and examples, for signatures."""
        whole = json.dumps([self.template, self.shots], ensure_ascii=False)
        return hashlib.sha256(whole.encode()).hexdigest()[:16]


def delimit(text: str, name: str = "document") -> str:
    """Return a text between marks such as `<document>` and `</document>`, numbered if it contains such marks."""
    mark, number = name, 1
    while f"<{mark}>" in text or f"</{mark}>" in text:
        number += 1
        mark = f"{name}-{number}"
    return f"<{mark}>\n{text}\n</{mark}>"


def check_template(template: str) -> str:
    """Return a template if it names the document's place once and is not too long. Raises ValueError."""
    if template.count(PLACE) != 1:
        raise ValueError(f"a prompt has {PLACE} once, in the document's place, not {template.count(PLACE)} times")
    if len(template) > MOST:
        raise ValueError(f"a prompt has at most {MOST:,} characters besides the document")
    return template


def choose_shots(documents: Iterable[Document], number: int, seed: int) -> list[Document]:
    """Draw documents that have a source and a reference; a seed always draws the same, in whatever order they come.

    Raises `TooFewExamples`.
    """
    able = sorted(
        (document for document in documents if document.references and document.source_text.strip()),
        key=lambda document: (document.id, document.source_text),
    )
    if len(able) < number:
        raise TooFewExamples(f"only {len(able)} documents have a source and a reference, but {number} are needed")
    return random.Random(seed).sample(able, number)  # noqa: S311  no secret


def make_shots(documents: Iterable[Document], tokens: TokenCounter, most: int) -> tuple[Shot, ...]:
    """Make examples of documents with their first reference; sources are cut like those to be summarized."""
    return tuple(Shot(tokens.cut(document.source_text, most), document.references[0]) for document in documents)
