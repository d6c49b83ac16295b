"""Names that differ only in what nobody sees at once: case, white space, or the form of their letters."""

import unicodedata
from collections.abc import Sequence

from relevance.data.reading import quote_value
from relevance.data.records import Document, Summary

NAMED = 3
"""The most pairs of names that a sentence has."""


class AlikeNames:
    """The names of documents and systems, and those of them that look alike."""

    def __init__(self) -> None:
        self.first: dict[str, dict[str, str]] = {"documents": {}, "systems": {}}
        """By kind: the first name of each folded form."""
        self.alike: dict[str, dict[str, str]] = {"documents": {}, "systems": {}}
        """By kind: other names of the same form, each with the first one."""

    def add(self, document: Document, summaries: Sequence[Summary]) -> None:
        """Take the names of a document and of the systems that summarised it."""
        self.add_name("documents", document.id)
        for summary in summaries:
            self.add_name("systems", summary.system)

    def add_name(self, kind: str, name: str) -> None:
        """Take a name."""
        first = self.first[kind].setdefault(fold_name(name), name)
        if first != name:
            self.alike[kind][name] = first

    def describe(self) -> list[str]:
        """Say which names look alike."""
        notes = []
        for kind, alike in self.alike.items():
            if alike:
                pairs = [f"{quote_value(first)} and {quote_value(name)}" for name, first in alike.items()]
                more = f" and {len(pairs) - NAMED} more pairs" if pairs[NAMED:] else ""
                notes.append(
                    f"{kind} whose names differ only in case, white space or the form of letters are taken as "
                    f"different: {', '.join(pairs[:NAMED])}{more}; rename one in the file if they are the same"
                )
        return notes


def fold_name(name: str) -> str:
    r"""Return what names that look alike have in common.

    >>> fold_name("BART  large") == fold_name("bart large")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
