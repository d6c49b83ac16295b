"""TF-IDF: the sentences whose words are frequent in the document and rare among its sentences."""

from collections import Counter
from collections.abc import Sequence
from math import log

from data.records import Document
from summarizers.base import best_first
from summarizers.words import Lexical


class TfIdf(Lexical):
    """The sentences of the highest mean tf * idf over their content words.

    tf is how often the document has a word, idf the logarithm of all its sentences over those with the word: nothing is
    learnt from other documents. Words are lemmas without stop words; of equals the earlier sentence goes first, and
    sentences without such a word weigh 0.
    """

    system = "tfidf"

    def order(self, sentences: Sequence[str], document: Document) -> list[int]:
        """By mean weight."""
        words = self.words(sentences)
        tf = Counter(word for tokens in words for word in tokens)
        df = Counter(word for tokens in words for word in set(tokens))
        weight = {word: tf[word] * log(len(sentences) / df[word]) for word in tf}
        return best_first([sum(weight[word] for word in tokens) / max(1, len(tokens)) for tokens in words])
