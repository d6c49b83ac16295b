"""SumBasic: sentences of frequent words, which count less once they are used (Nenkova & Vanderwende 2005)."""

from collections import Counter
from collections.abc import Sequence
from math import exp, log

from relevance.data.records import Document
from relevance.summarizers.base import best_first
from relevance.summarizers.words import Lexical


class SumBasic(Lexical):
    """Repeatedly take, of the sentences with the most probable word, the one with the most probable words on average.

    When a sentence is taken, the probability of each word in it is squared, so that the next one says something else.
    Words are lemmas without stop words; the first of equally probable words in the document counts, and the earlier of
    equal sentences. Sentences without such a word come last.
    """

    system = "sumbasic"

    def order(self, sentences: Sequence[str], document: Document) -> list[int]:
        """Sort by the order in which they are taken."""
        words = self.words(sentences)
        counts = Counter(word for tokens in words for word in tokens)
        total = sum(counts.values())
        # Logarithms are doubled instead of squaring probabilities, which would soon be too small to tell apart.
        logs = {word: log(count / total) for word, count in counts.items()}
        left = [place for place, tokens in enumerate(words) if tokens]
        order: list[int] = []
        while left:
            words_left = list(dict.fromkeys(word for place in left for word in words[place]))
            top = words_left[best_first([logs[word] for word in words_left])[0]]
            having = [place for place in left if top in words[place]]
            means = [sum(exp(logs[word]) for word in words[place]) / len(words[place]) for place in having]
            place = having[best_first(means)[0]]
            order.append(place)
            left.remove(place)
            for word in set(words[place]):
                logs[word] *= 2
        return order + [place for place, tokens in enumerate(words) if not tokens]
