"""References that are also summaries of their document, as where a corpus rates one of its references as a system."""

from collections import Counter
from collections.abc import Iterable, Sequence

from relevance.data.one_line import in_one_line
from relevance.data.records import Document, Summary, drop_own_references, fold_text, is_of_people, withhold_named

NAMED = 3
"""The most systems that a sentence names."""


class OwnReferences:
    """Counts of documents of which a summary is word for word one of the references."""

    def __init__(self) -> None:
        self.documents = 0
        """All documents that were looked at."""
        self.left_out = 0
        """Documents of which such a reference judges no summary."""
        self.only = 0
        """Documents without another reference, whose own stays."""
        self.systems: Counter[str] = Counter()
        """The systems of these summaries, with their number."""

    def add(self, document: Document, summaries: Sequence[Summary]) -> None:
        """Count a document; texts that say by their system's name that they are references are left out."""
        self.documents += 1
        others, _ = withhold_named(document, summaries)
        texts = {fold_text(text) for text in others}
        own = [
            summary for summary in summaries if not is_of_people(summary.system) and fold_text(summary.text) in texts
        ]
        if not own:
            return
        self.systems.update(summary.system for summary in own)
        if len(drop_own_references(others, [summary.text for summary in own])) < len(others):
            self.left_out += 1
        else:
            self.only += 1

    def describe(self, first: int | None = None) -> list[str]:
        """Say in how many documents a summary is a reference, by which systems, and what follows.

        `first` is the most documents that were looked at.
        """
        names = sorted(self.systems, key=lambda name: (-self.systems[name], name))
        by = ", ".join(map(in_one_line, names[:NAMED])) + (f" and {len(names) - NAMED} more" if names[NAMED:] else "")
        among = "" if first is None or self.documents < first else f" of the first {first:,}"
        same = (
            f"a summary by {by} is one of its document's references, word for word but for white space, case and final "
            "punctuation"
        )
        notes = []
        if self.left_out:
            notes.append(f"{same}, in {count(self.left_out)}{among}: that reference judges no summary of the document")
        if self.only:
            notes.append(
                f"{same}, in {count(self.only)} without another reference{among}: it stays, and the summary is "
                "compared with itself"
            )
        return notes


def count(documents: int) -> str:
    """Write a number of documents."""
    return f"{documents:,} document{'' if documents == 1 else 's'}"


def describe_own_references(records: Iterable[tuple[Document, Sequence[Summary]]]) -> list[str]:
    """Return the sentences of `OwnReferences` about some records, none if no summary is a reference."""
    own = OwnReferences()
    for document, summaries in records:
        own.add(document, summaries)
    return own.describe()
