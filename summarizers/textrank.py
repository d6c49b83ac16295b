"""TextRank: the most central sentences of the source (Mihalcea & Tarau 2004, section 4, sentence extraction)."""

from collections.abc import Sequence
from itertools import combinations
from math import log
from types import MappingProxyType

import numpy as np

from data.records import Document
from metrics.languages import ENGLISH
from metrics.pagerank import DAMPING, pagerank
from summarizers.base import best_first
from summarizers.words import Lexical, graph_words


class TextRank(Lexical):
    """The sentences that rank highest; at equal ranks the earlier one.

    Sentences that share no words at all rank equally: the summary is then that of `lead`. As in the paper, nothing
    keeps two sentences that say the same out of one summary.
    """

    system = "textrank"
    settings = MappingProxyType({"damping": DAMPING})

    def order(self, sentences: Sequence[str], document: Document) -> list[int]:
        """By rank."""
        return best_first(ranks(sentences, self.language))


def ranks(sentences: Sequence[str], language: str = ENGLISH) -> list[float]:
    """The weighted PageRank of each sentence in the graph of their similarities; all ranks sum to 1."""
    words = graph_words(sentences, language)
    types = [frozenset(tokens) for tokens in words]
    lengths = [len(tokens) for tokens in words]
    weights = np.zeros((len(sentences), len(sentences)))
    for a, b in combinations(range(len(sentences)), 2):
        weights[a, b] = weights[b, a] = similarity(len(types[a] & types[b]), lengths[a], lengths[b])
    # Equal ranks differ by rounding noise, which must not decide what is taken: hence the nine places.
    return [round(rank, 9) for rank in pagerank(weights)]


def similarity(shared: int, length: int, other: int) -> float:
    """Words (types) that two sentences share, over the sum of the logarithms of their lengths in words (tokens).

    Two sentences of one word each have no length to divide by: they count as not similar.
    """
    if not shared or length == other == 1:
        return 0.0
    return shared / (log(length) + log(other))
