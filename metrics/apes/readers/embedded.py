"""The reader that needs no training: it picks the mention whose context is most similar to that of the blank.

A question, its blank masked, and the sentences of the summary are encoded. A mention's score is the sum of

- how well its sentence covers the question: the mean, over the question's tokens, of the largest cosine similarity to a
  token of that sentence (as the recall of BERTScore),
- how well the tokens around it cover those around the blank: the same within `WINDOW` tokens on either side, and
- the cosine similarity of its own vector to the mask's: of what the encoder finds to what it expects there.

A candidate that the question names beside the blank loses `NAMED`: questions seldom ask for what they already say. A
candidate's score is that of its best mention.
"""

from collections import defaultdict
from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.metrics.apes.base import BLANK, PLACES, Answer, ReadingTask
from relevance.metrics.apes.coreference import name_words
from relevance.metrics.models.encoder import Encoded, shared_encoder
from relevance.metrics.sentences import sentence_spans
from relevance.metrics.text import Span

Array = NDArray[np.float32]

LAYER = 5
WINDOW = 3
NAMED = 0.3
UNSEEN = -4.0
"""The score of a mention that the encoder did not see: it is beyond its limit, or in no sentence."""


class TokenContext(NamedTuple):
    """A blank or a mention with the tokens around it; all vectors have length 1."""

    vector: Array
    """The mean vector of the place's own tokens."""
    around: Array
    """The vectors of the other tokens, without special ones."""
    near: slice
    """The consecutive ones of these that are within `WINDOW` tokens of the place."""


class EmbeddedReader:
    """A reader with the process's embedded encoder."""

    def __init__(self) -> None:
        self.encoder = shared_encoder()

    @property
    def signature(self) -> str:
        """The encoder's signature with all settings."""
        return f"embedded:{self.encoder.signature}:layer{LAYER}:window{WINDOW}:named{NAMED}"

    def read(self, tasks: Sequence[ReadingTask]) -> list[Answer]:
        """Answer a batch, in order; each distinct text is encoded once. Raises `ModelUnavailable`."""
        if not tasks:
            return []
        self.encoder.load(LAYER)
        mask = self.encoder.tokenizer.mask_token or "something"
        masked = {task.question: task.question.replace(BLANK, mask, 1) for task in tasks}
        sentences = {task.summary: sentence_spans(task.summary) for task in tasks}
        pieces = {summary: [summary[start:end] for start, end in spans] for summary, spans in sentences.items()}
        texts = list(dict.fromkeys([*masked.values(), *(text for row in pieces.values() for text in row)]))
        encoded = dict(zip(texts, self.encoder.encode(texts, [LAYER]), strict=True))
        questions = {}
        for question, text in masked.items():
            start = question.index(BLANK)
            questions[question] = find_context(encoded[text], (start, start + len(mask)))
        answers: list[Answer | None] = [None] * len(tasks)
        by_summary: dict[str, list[int]] = defaultdict(list)
        for index, task in enumerate(tasks):
            by_summary[task.summary].append(index)
        for summary, indices in by_summary.items():
            mentions = Mentions(sentences[summary], [encoded[text] for text in pieces[summary]])
            for index in indices:
                answers[index] = choose_answer(tasks[index], questions[tasks[index].question], mentions)
        return [given for given in answers if given is not None]


class Mentions:
    """The mentions in one summary, each located once for all questions."""

    def __init__(self, sentences: Sequence[Span], encoded: Sequence[Encoded]) -> None:
        self.sentences = sentences
        self.encoded = encoded
        self.known: dict[Span, TokenContext | None] = {}

    def place(self, mention: Span) -> TokenContext | None:
        """Return the context of a mention in its sentence; None if the encoder did not see it."""
        if mention not in self.known:
            context = None
            for (start, end), encoded in zip(self.sentences, self.encoded, strict=True):
                if start <= mention[0] and mention[1] <= end:
                    context = find_context(encoded, (mention[0] - start, mention[1] - start))
            self.known[mention] = context
        return self.known[mention]


def find_context(encoded: Encoded, span: Span) -> TokenContext | None:
    """Return the context of a span in a text; None if the span has no token."""
    inside = [place for place, (start, end) in enumerate(encoded.spans) if start < span[1] and end > span[0] and end]
    if not inside:
        return None
    vectors = encoded.vectors[LAYER].numpy()
    others = np.array([not special for special in encoded.special])
    others[inside] = False
    kept = np.flatnonzero(others)
    return TokenContext(
        normalise(vectors[inside].mean(axis=0)),
        normalise(vectors[kept]),
        slice(*np.searchsorted(kept, (inside[0] - WINDOW, inside[-1] + WINDOW + 1)).tolist()),
    )


def normalise(vectors: Array) -> Array:
    """Return vectors scaled to length 1."""
    directions: Array = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return directions


def choose_answer(task: ReadingTask, blank: TokenContext | None, mentions: Mentions) -> Answer:
    """Choose among the candidates of a task."""
    best = [
        max(
            ((round(likeness(blank, mentions.place(span)), PLACES), span) for span in candidate.mentions),
            key=itemgetter(0),
        )
        for candidate in task.candidates
    ]
    named = name_words(task.question.replace(BLANK, " | ")).words
    scores = [
        score if score == UNSEEN else round(score - NAMED * stands_in(name_words(candidate.name).words, named), PLACES)
        for candidate, (score, _) in zip(task.candidates, best, strict=True)
    ]
    chosen = max(range(len(scores)), key=scores.__getitem__)
    return Answer(chosen, tuple(scores), best[chosen][1], seen=scores[chosen] != UNSEEN)


def likeness(blank: TokenContext | None, mention: TokenContext | None) -> float:
    """Return the similarity of a mention to the blank, in [-3, 3]; `UNSEEN` if the encoder did not see one of them."""
    if blank is None or mention is None:
        return UNSEEN
    own = float(blank.vector @ mention.vector)
    if not len(blank.around) or not len(mention.around):
        return own
    similarity = blank.around @ mention.around.T
    near = similarity[blank.near, mention.near]
    return own + mean_coverage(similarity) + (mean_coverage(near) if near.size else 0.0)


def mean_coverage(similarity: Array) -> float:
    """Return the mean, over the rows, of their largest similarity."""
    # as `.max(axis=1).mean()`, to the last digit, in half the time: it runs for every mention and question
    return float(np.add.reduce(np.maximum.reduce(similarity, axis=1)) / len(similarity))


def stands_in(words: Sequence[str], text: Sequence[str]) -> bool:
    """Tell whether a text has these words consecutively."""
    if words and words[0] not in text:
        return False
    return any(text[start : start + len(words)] == words for start in range(len(text) - len(words) + 1))
