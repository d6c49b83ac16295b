"""The words of a source that name what the references' questions ask for, which the entity attention learns.

Questions and entities are those of the metric APES. A word counts if it is part of a name of the answer's entity, as
APES finds names. In the published code of Eyal et al. (2019), every word of an answer's name counts wherever it occurs,
so that the "of" of a ministry makes every "of" positive.
"""

from collections.abc import Sequence
from functools import cached_property

from relevance.data.records import Document, Summary, make_examples
from relevance.metrics.apes import Apes
from relevance.metrics.apes.coreference import find_names
from relevance.metrics.text import Span


class WantedEntities:
    """A finder of the entities asked for, once per document; `apes` has the questions, by default the metric's."""

    def __init__(self, apes: Apes | None = None) -> None:
        self.given = apes
        self.known: dict[Document, list[Span]] = {}

    @cached_property
    def apes(self) -> Apes:
        """The metric, made on first use, as it loads a model. Raises `ModelUnavailable`."""
        return self.given or Apes()

    def find(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Find the positions in each document's source that name an entity that a question asks for, in order."""
        if new := [document for document in dict.fromkeys(documents) if document not in self.known]:
            examples = [make_examples(document, [Summary(document.id, "", "")])[0] for document in new]
            for document, example, quiz in zip(new, examples, self.apes.quizzes(examples), strict=True):
                entities = {question.entity for question in quiz.questions}
                named = find_names(example.source, quiz.entities)
                self.known[document] = sorted(
                    span for entity, spans in named.items() if entity in entities for span in spans
                )
        return [self.known[document] for document in documents]


def mark_words(words: Sequence[Span], named: Sequence[Span]) -> list[float]:
    """Return 1 for each word that overlaps a name, otherwise 0."""
    return [float(any(start < last and first < end for first, last in named)) for start, end in words]
