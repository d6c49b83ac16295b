"""TextRank: the most central sentences of the source (Mihalcea & Tarau 2004, section 4, sentence extraction)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import log

from data.records import Document
from data.signatures import signature
from metrics.text import UNICODE
from summarizers.base import VERSION, Extractive, best_first

DAMPING = 0.85
"""Probability of following an edge instead of jumping to any sentence (section 2)."""


class TextRank(Extractive):
    """The sentences that rank highest; at equal ranks the earlier one.

    Sentences that share no words at all rank equally: the summary is then that of `lead`. As in the paper, nothing
    keeps two sentences that say the same out of one summary.
    """

    system = "textrank"

    @property
    def signature(self) -> str:
        """Everything that its output depends on."""
        return signature(self.system, VERSION, **self.length.option, damping=DAMPING)

    def order(self, sentences: Sequence[str], document: Document) -> list[int]:
        """By rank."""
        return best_first(ranks(sentences))


def ranks(sentences: Sequence[str]) -> list[float]:
    """The weighted PageRank of each sentence in the graph of their similarities; all ranks sum to 1."""
    import networkx

    words = [UNICODE.findall(sentence.lower()) for sentence in sentences]
    types = [frozenset(tokens) for tokens in words]
    lengths = [len(tokens) for tokens in words]
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(sentences)))
    for a, b in combinations(range(len(sentences)), 2):
        if weight := similarity(len(types[a] & types[b]), lengths[a], lengths[b]):
            graph.add_edge(a, b, weight=weight)
    # At networkx's own tolerance of 1e-6 a rank could depend on where the iteration stopped. Equal ranks differ by
    # rounding noise, which must not decide what is taken: hence the nine places.
    rank = networkx.pagerank(graph, alpha=DAMPING, tol=1e-12, max_iter=1000)
    return [round(rank[place], 9) for place in range(len(sentences))]


def similarity(shared: int, length: int, other: int) -> float:
    """Words (types) that two sentences share, over the sum of the logarithms of their lengths in words (tokens).

    Two sentences of one word each have no length to divide by: they count as not similar.
    """
    if not shared or length == other == 1:
        return 0.0
    return shared / (log(length) + log(other))
