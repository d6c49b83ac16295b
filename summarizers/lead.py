"""Lead: the first sentences of the source, a baseline that is hard to beat on news."""

from collections.abc import Sequence

from relevance.data.records import Document
from relevance.summarizers.base import Extractive


class Lead(Extractive):
    """The first sentences of the source; if words are counted, those before the first that does not fit."""

    system = "lead"
    prefix = True

    def order(self, sentences: Sequence[str], document: Document) -> list[int]:
        """Keep the order of the document."""
        return list(range(len(sentences)))
