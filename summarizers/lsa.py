"""LSA: the longest sentences in the space of the document's topics (Steinberger & Ježek 2004)."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from relevance.data.records import Document
from relevance.summarizers.base import best_first
from relevance.summarizers.words import Lexical

SMALLEST = 0.5
"""The share of the largest singular value below which topics are left out, as in the paper."""


class Lsa(Lexical):
    """The sentences of the greatest length in the space of the leading topics, each weighted by its singular value.

    Topics are the singular vectors of the table of words by sentences, with counts of lemmas without stop words. The
    earlier of equal sentences goes first.
    """

    system = "lsa"

    def order(self, sentences: Sequence[str], document: Document) -> list[int]:
        """Sort by length in topic space."""
        counts = [Counter(words) for words in self.words(sentences)]
        rows = {word: row for row, word in enumerate(dict.fromkeys(word for count in counts for word in count))}
        if not rows:
            return list(range(len(sentences)))
        table = np.zeros((len(rows), len(sentences)))
        for place, count in enumerate(counts):
            for word, times in count.items():
                table[rows[word], place] = times
        _, sizes, topics = np.linalg.svd(table, full_matrices=False)
        kept = sizes >= SMALLEST * sizes[0] - 1e-9  # rounding must not decide about a topic at the limit
        return best_first(np.sqrt((sizes[kept, None] ** 2 * topics[kept] ** 2).sum(axis=0)).tolist())
