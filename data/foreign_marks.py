"""Marks of other programs in the texts of documents: counted and said, and removed where that is asked."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from relevance.data.cleaning import clean_text
from relevance.data.one_line import in_one_line
from relevance.data.reading import Say
from relevance.data.records import Document, Summary

NAMED = 5
"""The most marks that a sentence names."""

REMEDY = (
    "--clean with import, score, analyze, keywords or convert, Clean the texts on the page Data sets, or clean=True in "
    "Python"
)
"""The ways out."""


class Marks:
    """Counts of marks, and of letters in unusual forms, in the texts of some documents."""

    def __init__(self) -> None:
        self.documents = 0
        """All documents that were looked at."""
        self.texts = 0
        """All texts of these: sources, references, titles and summaries."""
        self.marked = 0
        """Texts with a mark."""
        self.spelled = 0
        """Texts with a letter in an unusual form."""
        self.marks: Counter[str] = Counter()
        self.letters: Counter[str] = Counter()
        self.example = ""
        """The first mark with what stands around it, and where."""
        self.lost = 0
        """References that hold nothing but marks."""

    def add(self, document: Document, summaries: Sequence[Summary]) -> None:
        """Count the marks of a document and its summaries."""
        self.clean(document, summaries)

    def clean(self, document: Document, summaries: Sequence[Summary]) -> tuple[Document, list[Summary]]:
        """Count the marks of a document and its summaries; return these without them.

        A reference, title or sentence that holds nothing else is left out.
        """
        self.documents += 1
        found_before = self.marked, self.spelled
        where = f"document {document.id}"
        of_source = (document.source,) if isinstance(document.source, str) else document.source
        of_source = tuple(self.take(text, f"the source of {where}") for text in of_source)
        references = tuple(self.take(text, f"a reference of {where}") for text in document.references)
        title = None if document.title is None else self.take(document.title, f"the title of {where}")
        written = [self.take(summary.text, f"{where} by {summary.system}") for summary in summaries]
        if (self.marked, self.spelled) == found_before:
            return document, list(summaries)
        self.lost += sum(not text for text in references)
        cleaned = replace(
            document,
            source=of_source[0] if isinstance(document.source, str) else tuple(filter(None, of_source)),
            references=tuple(filter(None, references)),
            title=title or None,
        )
        return cleaned, [replace(summary, text=text) for summary, text in zip(summaries, written, strict=True)]

    def take(self, text: str, where: str) -> str:
        """Count the marks of a text, and return it without them."""
        self.texts += bool(text.strip())
        cleaned = clean_text(text)
        if cleaned.marks:
            self.marked += 1
            self.marks.update(cleaned.marks)
            self.example = self.example or in_one_line(f'"{cleaned.example}" in {where}')
        if cleaned.letters:
            self.spelled += 1
            self.letters.update(cleaned.letters)
        return cleaned.text

    def describe(self, first: int | None = None) -> list[str]:
        """Say how many texts have which marks, and the way out. `first` is the most documents that were looked at."""
        limit = "" if first is None or self.documents < first else f" of the first {first:,} documents"
        among = f"of {self.texts:,} texts{limit}"
        notes = []
        if self.marked:
            notes.append(
                f"marks of other programs stand in {self.marked:,} {among}, and metrics read them as text: "
                f"{list_counts(self.marks)}; such as {self.example}; to remove them, use {REMEDY}"
            )
        if self.spelled:
            notes.append(
                f"letters in unusual forms stand in {self.spelled:,} {among}, and not every metric takes them for the "
                f"usual ones: {list_counts(self.letters)}; to rewrite them, use {REMEDY}"
            )
        return notes

    def describe_cleaned(self) -> list[str]:
        """Say what was removed and rewritten."""
        notes = []
        if self.marked:
            notes.append(
                f"marks of other programs were removed from {self.marked:,} of {self.texts:,} texts: "
                f"{list_counts(self.marks)}"
            )
        if self.spelled:
            notes.append(
                f"letters in unusual forms were rewritten in {self.spelled:,} of {self.texts:,} texts: "
                f"{list_counts(self.letters)}"
            )
        if self.lost:
            notes.append(
                f"{self.lost:,} reference{' that holds' if self.lost == 1 else 's that hold'} nothing but marks "
                f"{'is' if self.lost == 1 else 'are'} left out"
            )
        return notes or ["no text has marks of other programs or letters in unusual forms"]


def check_marks(
    records: Iterable[tuple[Document, list[Summary]]], say: Say, *, clean: bool
) -> Iterator[tuple[Document, list[Summary]]]:
    """Yield documents with their summaries, without marks if `clean`, and at the end say which there are or were."""
    marks = Marks()
    for record in records:
        cleaned = marks.clean(*record)
        yield cleaned if clean else record
    for sentence in marks.describe_cleaned() if clean else marks.describe():
        say(sentence)


def list_counts(counts: Counter[str]) -> str:
    """List the most frequent marks with their numbers."""
    ranked = sorted(counts, key=lambda mark: (-counts[mark], mark))
    named = ", ".join(f"{mark} ({counts[mark]:,})" for mark in ranked[:NAMED])
    return named + (f" and {len(ranked) - NAMED} more" if ranked[NAMED:] else "")
