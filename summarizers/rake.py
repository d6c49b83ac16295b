"""RAKE: key phrases of the source (Rose et al. 2010), up to a number of words, as Akhmetov et al. (2022) use it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from data.records import Document, Summary
from metrics.keywords import STOP_WORDS
from metrics.text import WORD
from summarizers.base import REFERENCE_LENGTH, Length, best_first, checked, signature, within
from summarizers.sentences import sentences_of


class Rake:
    """The phrases of the highest scores, joined by a comma: each that still fits into the words.

    A phrase is a longest run of words without a stop word or punctuation, lower-cased. A word scores its degree (the
    words of all phrases that it stands in) over its frequency, a phrase the sum over its words; of equals the earlier
    one goes first. The best phrase is taken even where it alone is too long. A document without a phrase has no
    summary, and neither has one without a reference where that gives the length. The system is called `rake-100w` or
    `rake-ref`. Raises ValueError for a length in sentences: there are none.
    """

    system = "rake"

    def __init__(self, length: Length = REFERENCE_LENGTH) -> None:
        if length.unit == "sentences":
            raise ValueError("rake writes phrases, not sentences: name a number of words, as in rake-100w, or rake-ref")
        self.length = checked(length)

    @property
    def name(self) -> str:
        """The system's name in a data set."""
        return f"{self.system}{self.length.suffix}"

    @property
    def signature(self) -> str:
        """Everything that its output depends on."""
        return signature(self.system, **self.length.option)

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Write one summary a document, in order; one that has no summary is left out."""
        return [
            Summary(document.id, self.name, ", ".join(chosen))
            for document in documents
            if (chosen := self.select(document))
        ]

    def select(self, document: Document) -> list[str]:
        """The phrases of a document's summary, the best first; none where it has no summary."""
        words = self.length.words(document)
        found = [" ".join(phrase) for phrase in phrases(document)] if words else []
        return [found[place] for place in within(words, found, range(len(found)))] if found else []


def phrases(document: Document) -> list[tuple[str, ...]]:
    """The distinct phrases of a document, the best first; of equals the earlier one."""
    every = [phrase for sentence in sentences_of(document) for phrase in runs(sentence)]
    frequency = Counter(word for phrase in every for word in phrase)
    degree: defaultdict[str, int] = defaultdict(int)
    for phrase in every:
        for word in phrase:
            degree[word] += len(phrase)
    found = list(dict.fromkeys(every))
    scores = [sum(degree[word] / frequency[word] for word in phrase) for phrase in found]
    return [found[place] for place in best_first(scores)]


def runs(sentence: str) -> list[tuple[str, ...]]:
    """Runs of lower-cased words between stop words and punctuation."""
    found: list[list[str]] = [[]]
    end = 0
    lowered = sentence.lower()
    for match in WORD.finditer(lowered):
        if lowered[end : match.start()].strip() or match.group() in STOP_WORDS:
            found.append([])
        if match.group() not in STOP_WORDS:
            found[-1].append(match.group())
        end = match.end()
    return [tuple(run) for run in found if run]
