"""The texts of the playground: a document with references, and up to four summaries named by letters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from relevance.data.reading import quote_value
from relevance.data.records import Document, Example, Summary
from relevance.pages.components.shared.score_table import LETTERS

MOST_REFERENCES = 12
"""The most references; the largest data sets have 11 (SummEval)."""

LONGEST = 20_000
"""The most characters of a reference, title or summary."""

LONGEST_SOURCE = 100_000

LONGEST_NAME = 200

Field = Literal["reference", "title", "source", "summary"]


class UnfitDraft(ValueError):
    """Texts that do not fit the playground or cannot be stored; the message says why."""


class Draft(NamedTuple):
    """The texts of the playground; a blank text counts as missing."""

    references: tuple[str, ...] = ("",)
    title: str = ""
    source: str = ""
    summaries: tuple[str, ...] = ("", "")
    names: tuple[str, ...] = ("", "")
    """The names of the summaries' systems, as many as `summaries`; an empty name means the letter."""

    @property
    def referenced(self) -> bool:
        """False if there is no reference, and a source that can stand for one."""
        return any(map(str.strip, self.references)) or not self.source.strip()

    def put(self, field: Field, place: int, text: str) -> Draft:
        """Return the draft with one text replaced; a place that does not exist changes nothing."""
        match field:
            case "title":
                return self._replace(title=text)
            case "source":
                return self._replace(source=text)
            case "reference":
                return self._replace(references=put(self.references, place, text))
            case "summary":
                return self._replace(summaries=put(self.summaries, place, text))

    def add_reference(self) -> Draft:
        """Return the draft with one more reference, if there is room."""
        return self._replace(references=(*self.references, "")[:MOST_REFERENCES])

    def add_summary(self) -> Draft:
        """Return the draft with one more summary, if there is room."""
        return self._replace(summaries=(*self.summaries, "")[: len(LETTERS)], names=(*self.names, "")[: len(LETTERS)])

    def drop_reference(self) -> Draft:
        """Return the draft without its last reference; one field stays."""
        return self._replace(references=self.references[:-1] or ("",))

    def drop_summary(self) -> Draft:
        """Return the draft without its last summary; one field stays."""
        return self._replace(summaries=self.summaries[:-1] or ("",), names=self.names[:-1] or ("",))

    @property
    def letters(self) -> str:
        """The letters of the summaries that are not blank."""
        return "".join(letter for letter, text in zip(LETTERS, self.summaries, strict=False) if text.strip())

    def systems(self) -> dict[str, str]:
        """Return the name of each letter's system. Raises `UnfitDraft` if two have the same name."""
        names = {letter: self.names[LETTERS.index(letter)].strip() or letter for letter in self.letters}
        for name in names.values():
            if sum(name == other for other in names.values()) > 1:
                raise UnfitDraft(f"two summaries are called {name}: their systems need different names")
        return names


def list_fields(draft: Draft) -> dict[tuple[Field, int], str]:
    """Return the text of every field of a draft, by its kind and place."""
    texts: dict[tuple[Field, int], str] = {("title", 0): draft.title, ("source", 0): draft.source}
    texts |= {("reference", place): text for place, text in enumerate(draft.references)}
    return texts | {("summary", place): text for place, text in enumerate(draft.summaries)}


def put(texts: tuple[str, ...], place: int, text: str) -> tuple[str, ...]:
    """Return the texts with the one at `place` replaced."""
    return tuple(text if index == place else old for index, old in enumerate(texts))


def examples_of(draft: Draft) -> dict[str, Example]:
    """Return the examples for metrics to score, by letter: each summary with all references, blank ones left out."""
    references = tuple(text for text in draft.references if text.strip())
    title = draft.title if draft.title.strip() else None
    return {
        letter: Example("playground", letter, draft.summaries[LETTERS.index(letter)], references, title, draft.source)
        for letter in draft.letters
    }


def to_records(
    draft: Draft, document_id: str, ratings: Mapping[str, float] | None = None, aspect: str = ""
) -> tuple[Document, list[Summary]]:
    """Return a document with its summaries; `ratings` are by letter, of one aspect. Raises `UnfitDraft`."""
    rated = ratings or {}
    systems = draft.systems()
    examples = examples_of(draft)
    if not examples:
        raise UnfitDraft("there is no summary")
    first = next(iter(examples.values()))
    summaries = [
        Summary(document_id, systems[letter], example.candidate, {aspect: rated[letter]} if letter in rated else {})
        for letter, example in examples.items()
    ]
    return Document(document_id, first.source, first.references, first.title), summaries


def from_records(document: Document, summaries: Iterable[Summary]) -> Draft:
    """Make a draft of a document and the first four of these summaries. Raises `UnfitDraft`."""
    chosen = list(summaries)[: len(LETTERS)]
    return check_draft(
        Draft(
            document.references[:MOST_REFERENCES] or ("",),
            document.title or "",
            document.source_text,
            tuple(summary.text for summary in chosen) or ("",),
            tuple(summary.system for summary in chosen) or ("",),
        )
    )


def from_examples(examples: Sequence[Example]) -> Draft:
    """Make a draft of summaries of one document."""
    first = examples[0]
    return Draft(
        first.references,
        first.title or "",
        first.source,
        tuple(example.candidate for example in examples),
        tuple(example.system for example in examples),
    )


def check_draft(draft: Draft) -> Draft:
    """Return the draft if it fits the fields. Raises `UnfitDraft`."""
    many = [("references", draft.references, MOST_REFERENCES), ("summaries", draft.summaries, len(LETTERS))]
    for name, fields, most in many:
        if not 1 <= len(fields) <= most:
            raise UnfitDraft(f"there are {len(fields)} {name}; the playground takes 1 to {most}")
    if len(draft.names) != len(draft.summaries):
        raise UnfitDraft("there are not as many names as summaries")
    texts = [*draft.references, draft.title, *draft.summaries]
    limits = [(text, LONGEST) for text in texts] + [(name, LONGEST_NAME) for name in draft.names]
    for text, longest in [*limits, (draft.source, LONGEST_SOURCE)]:
        if len(text) > longest:
            raise UnfitDraft(f"{quote_value(text[:40])} is over {longest} characters long")
        if "\0" in text or text != text.encode("utf-8", "replace").decode("utf-8"):
            raise UnfitDraft("a text has NUL characters or half characters")
    return draft
