"""Lead: the first sentences of the source, the baseline that is hard to beat on news."""

from collections.abc import Sequence

from data.records import Document
from summarizers.base import Extractive


class Lead(Extractive):
    """The first sentences of the source; counted in words, those before the first that does not fit."""

    system = "lead"
    prefix = True

    def order(self, sentences: Sequence[str], document: Document) -> list[int]:
        """As they stand."""
        return list(range(len(sentences)))
