"""TextRank: the most central sentences of the source (Mihalcea & Tarau 2004, section 4, sentence extraction)."""

from collections.abc import Sequence
from itertools import combinations
from math import log
from types import MappingProxyType

import numpy as np

from relevance.data.records import Document
from relevance.metrics.languages import ENGLISH
from relevance.metrics.pagerank import DAMPING, pagerank
from relevance.summarizers.base import best_first
from relevance.summarizers.words import Lexical, graph_words


class TextRank(Lexical):
    """The sentences that rank highest; the earlier of equal ranks first.

    Sentences that share no words at all rank equally: the summary is then that of `lead`. As in the paper, nothing
    keeps two sentences with the same content out of one summary.
    """

    system = "textrank"
    settings = MappingProxyType({"damping": DAMPING})
    english_lemmas = False

    def order(self, sentences: Sequence[str], document: Document) -> list[int]:
        """Sort by rank."""
        return best_first(ranks(sentences, self.language))


def ranks(sentences: Sequence[str], language: str = ENGLISH) -> list[float]:
    """Compute the weighted PageRank of each sentence in the graph of their similarities; all ranks sum to 1."""
    words = graph_words(sentences, language)
    types = [frozenset(tokens) for tokens in words]
    lengths = [len(tokens) for tokens in words]
    weights = np.zeros((len(sentences), len(sentences)))
    for a, b in combinations(range(len(sentences)), 2):
        weights[a, b] = weights[b, a] = similarity(len(types[a] & types[b]), lengths[a], lengths[b])
    # Equal ranks differ by rounding noise, which must not decide which sentence is taken: hence the nine places.
    return [round(rank, 9) for rank in pagerank(weights)]


def similarity(shared: int, length: int, other: int) -> float:
    """Divide two sentences' shared words (types) by the sum of the logarithms of their lengths in words (tokens).

    For two sentences of one word each the divisor is 0: they count as not similar.
    """
    if not shared or length == other == 1:
        return 0.0
    return shared / (log(length) + log(other))
