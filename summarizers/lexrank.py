"""LexRank: the sentences most central in the graph of their similarities (Erkan & Radev 2004)."""

from collections import Counter
from collections.abc import Sequence
from math import log
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from relevance.data.records import Document
from relevance.metrics.languages import ENGLISH
from relevance.metrics.pagerank import DAMPING, pagerank
from relevance.summarizers.base import best_first
from relevance.summarizers.words import Lexical, graph_words

THRESHOLD = 0.1
"""The cosine below which sentences are not connected."""


class LexRank(Lexical):
    """The sentences with the highest PageRank in the graph of their cosines; the earlier of equal ranks first.

    Edges are weighted by their cosine, as in the paper's continuous LexRank, and those below its threshold are left
    out. Vectors hold tf * idf, with idf over the document's own sentences: nothing is learnt from other documents.
    Sentences without an edge rank equally. Nothing keeps two sentences with the same content out of one summary.
    """

    system = "lexrank"
    settings = MappingProxyType({"damping": DAMPING, "threshold": THRESHOLD})
    english_lemmas = False

    def order(self, sentences: Sequence[str], document: Document) -> list[int]:
        """Sort by rank."""
        return best_first(ranks(sentences, self.language))


def ranks(sentences: Sequence[str], language: str = ENGLISH) -> list[float]:
    """Compute the PageRank of each sentence; they sum to 1."""
    cosines = similarities(sentences, language)
    return pagerank(np.where(cosines >= THRESHOLD, cosines, 0.0))


def similarities(sentences: Sequence[str], language: str = ENGLISH) -> NDArray[np.float64]:
    """Compute cosines of sentences' tf * idf vectors to 12 places, shape (sentences, sentences), 0 on the diagonal."""
    counts = [Counter(words) for words in graph_words(sentences, language)]
    df = Counter(word for count in counts for word in count)
    columns = {word: column for column, word in enumerate(df)}
    # One more sentence than there is, so that a word of all sentences has some weight: otherwise sentences of such
    # words only would be zero vectors.
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
