"""TF-IDF: sentences with words that are frequent in the document and rare among its sentences."""

from collections import Counter
from collections.abc import Sequence
from math import log

from relevance.data.records import Document
from relevance.summarizers.base import best_first
from relevance.summarizers.words import Lexical


class TfIdf(Lexical):
    """The sentences with the highest mean tf * idf of their content words.

    tf is a word's count in the document, idf the logarithm of all its sentences over those with the word: nothing is
    learnt from other documents. Words are lemmas without stop words; the earlier of equal sentences goes first, and
    sentences without such a word have weight 0.
    """

    system = "tfidf"

    def order(self, sentences: Sequence[str], document: Document) -> list[int]:
        """Sort by mean weight."""
        words = self.words(sentences)
        tf = Counter(word for tokens in words for word in tokens)
        df = Counter(word for tokens in words for word in set(tokens))
        weight = {word: tf[word] * log(len(sentences) / df[word]) for word in tf}
        return best_first([sum(weight[word] for word in tokens) / max(1, len(tokens)) for tokens in words])
