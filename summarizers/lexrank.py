"""LexRank: the sentences most central in the graph of their similarities (Erkan & Radev 2004)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from data.records import Document
from data.signatures import signature
from metrics.text import UNICODE
from summarizers.base import VERSION, Extractive, best_first

DAMPING = 0.85
"""Probability of following an edge instead of jumping to any sentence: 1 minus what the paper calls d."""

THRESHOLD = 0.1
"""Sentences of a smaller cosine are not connected."""


class LexRank(Extractive):
    """The sentences of the highest PageRank in the graph of their cosines; at equal ranks the earlier one.

    Edges weigh their cosine, as in the paper's continuous LexRank, and those under its threshold are left out. Vectors
    hold tf * idf, with idf over the document's own sentences: nothing is learnt from other documents. Sentences
    without an edge rank equally; nothing keeps two that say the same out of one summary.
    """

    system = "lexrank"

    @property
    def signature(self) -> str:
        """Everything that its output depends on."""
        return signature(self.system, VERSION, **self.length.option, damping=DAMPING, threshold=THRESHOLD)

    def order(self, sentences: Sequence[str], document: Document) -> list[int]:
        """By rank."""
        return best_first(ranks(sentences))


def ranks(sentences: Sequence[str]) -> list[float]:
    """The PageRank of each sentence; they sum to 1."""
    import networkx

    cosines = similarities(sentences)
    graph = networkx.from_numpy_array(np.where(cosines >= THRESHOLD, cosines, 0.0))
    rank = networkx.pagerank(graph, alpha=DAMPING, tol=1e-12, max_iter=1000)
    return [rank[place] for place in range(len(sentences))]


def similarities(sentences: Sequence[str]) -> NDArray[np.float64]:
    """Cosines of the sentences' tf * idf vectors to twelve places, shape (sentences, sentences); 0 on the diagonal."""
    counts = [Counter(UNICODE.findall(sentence.lower())) for sentence in sentences]
    df = Counter(word for count in counts for word in count)
    columns = {word: column for column, word in enumerate(df)}
    # One more sentence than there is: a word that all of them have still weighs something, else sentences of such words
    # only would be no vectors.
    idf = {word: log((len(sentences) + 1) / times) for word, times in df.items()}
    table = np.zeros((len(sentences), len(columns)))
    for place, count in enumerate(counts):
        for word, times in count.items():
            table[place, columns[word]] = times * idf[word]
    norms = np.linalg.norm(table, axis=1, keepdims=True)
    table /= np.where(norms > 0, norms, 1)  # a sentence without a word is similar to none
    cosines = np.round(table @ table.T, 12)
    np.fill_diagonal(cosines, 0.0)
    return cosines
