"""Whether a reader can be believed: APES of texts whose rank is known (Eyal et al. 2019, Table 4)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from data.records import Document, Example, Summary, examples
from metrics.apes.metric import Apes, Read, traces
from metrics.apes.names import find_names
from metrics.apes.questions import Quiz
from metrics.encoder import parts
from metrics.sentences import sentence_spans

SOURCE, GOLD, SHUFFLED, LEAD = "source", "gold", "shuffled gold", "lead-3"

DOCUMENTS = 16
"""Documents that are read at once."""


class Condition(NamedTuple):
    """One row: means over the documents that have questions."""

    name: str
    """`source`, `gold`, `shuffled gold`, `lead-3`, or a system (`system lead-3` where it has such a name)."""
    n: int
    """Documents."""
    apes: float
    occurs: float
    """Share of the questions whose answer the text mentions: the lexical baseline."""
    questions: float
    entities: float
    """Entities of the document that the text mentions."""
    salient: float
    """Those of them that a question asks for."""


class Reading(NamedTuple):
    """One text of one document, read."""

    condition: str
    document: str
    right: int
    occurs: int
    questions: int
    entities: int
    salient: int


def conditions(apes: Apes, records: Iterable[tuple[Document, Sequence[Summary]]], seed: int = 0) -> list[Condition]:
    """APES of sources, references, shuffled references, the sources' first three sentences, and each system.

    A reference is asked its own questions. In a shuffled one the mentions change places so that, where no entity has
    more than half of them, every place names another entity: what is mentioned stays, what is said of it becomes
    wrong. A reference that mentions one entity only cannot be shuffled and is left out, as `n` says. Raises
    `ModelUnavailable`.
    """
    rows: dict[str, list[Reading]] = {name: [] for name in (SOURCE, GOLD, SHUFFLED, LEAD)}
    waiting = list(records)
    for start in range(0, len(waiting), DOCUMENTS):
        part = [
            (document, candidates(document, summaries)) for document, summaries in waiting[start : start + DOCUMENTS]
        ]
        quizzes = apes.quizzes([example for _, (example, _) in part])
        asked = [
            (name, document.id, text, own)
            for (document, (example, systems)), quiz in zip(part, quizzes, strict=True)
            for name, text, own in texts(example, systems, quiz, seed)
            if own.questions
        ]
        reads = [
            read
            for some in parts(asked, lambda item: (item[2],))
            for read in apes.read([text for _, _, text, _ in some], [own for *_, own in some])
        ]
        for (name, document_id, _, _), read in zip(asked, reads, strict=True):
            rows.setdefault(name, []).append(reading(name, document_id, read))
    return [row for name, readings in rows.items() if (row := mean(name, readings))]


def candidates(document: Document, summaries: Sequence[Summary]) -> tuple[Example, list[tuple[str, str]]]:
    """A document as its summaries are judged, and the systems and texts of those that are not empty."""
    judged = examples(document, summaries) or examples(document, [Summary(document.id, "", "")])
    return judged[0], [(summary.system, summary.text) for summary in summaries if not summary.is_empty]


def texts(
    example: Example, systems: Iterable[tuple[str, str]], quiz: Quiz, seed: int
) -> Iterator[tuple[str, str, Quiz]]:
    """The texts of one document that are read, each with its condition and its questions."""
    if example.source:
        yield SOURCE, example.source, quiz
        opening = sentence_spans(example.source)[:3]
        yield LEAD, example.source[: opening[-1][1]] if opening else "", quiz
    for index, reference in enumerate(example.references):
        own = quiz._replace(questions=tuple(a for a in quiz.questions if a.question.reference == index))
        if own.questions:
            yield GOLD, reference, own
            shuffled = shuffle(reference, quiz, random.Random(f"{seed} {example.document_id} {index}"))  # noqa: S311
            if shuffled is not None:
                yield SHUFFLED, shuffled, own
    for system, text in systems:
        yield f"system {system}" if system in (SOURCE, GOLD, SHUFFLED, LEAD) else system, text, quiz


def shuffle(text: str, quiz: Quiz, rng: random.Random) -> str | None:
    """The text with its entities interchanged, or None where it mentions fewer than two."""
    found = find_names(text, quiz.entities)
    if len(found) < 2:
        return None
    order = list(found)
    rng.shuffle(order)
    grouped = [(entity, span) for entity in order for span in found[entity]]
    largest = max(map(len, found.values()))
    # Turned by the size of the largest group, no name lands in its own group while none has more than half.
    names = [text[start:end] for _, (start, end) in grouped[largest:] + grouped[:largest]]
    places = sorted((span, name) for (_, span), name in zip(grouped, names, strict=True))
    pieces, last = [], 0
    for (start, end), name in places:
        pieces += [text[last:start], name]
        last = end
    return "".join([*pieces, text[last:]])


def reading(condition: str, document: str, read: Read) -> Reading:
    """Count one text's answers."""
    results = traces(read)
    asked = {question.entity for question in read.quiz.questions}
    return Reading(
        condition,
        document,
        right=sum(trace.is_right for trace in results),
        occurs=sum(trace.occurs for trace in results),
        questions=len(results),
        entities=len(read.found),
        salient=len(asked & read.found.keys()),
    )


def mean(name: str, readings: Sequence[Reading]) -> Condition | None:
    """A row: questions are pooled within a document, documents count alike; None where nothing was read."""
    documents = Counter(reading.document for reading in readings)
    if not documents:
        return None
    sums: dict[str, list[int]] = {document: [0] * 5 for document in documents}
    for each in readings:
        sums[each.document] = [total + count for total, count in zip(sums[each.document], each[2:], strict=True)]
    n = len(documents)

    def average(values: Iterable[float]) -> float:
        return sum(values) / n

    return Condition(
        name,
        n,
        apes=average(right / questions for right, _, questions, _, _ in sums.values()),
        occurs=average(occurs / questions for _, occurs, questions, _, _ in sums.values()),
        questions=average(questions for _, _, questions, _, _ in sums.values()),
        # several references of a document are several texts, but its questions stay together
        entities=average(sums[document][3] / count for document, count in documents.items()),
        salient=average(sums[document][4] / count for document, count in documents.items()),
    )
