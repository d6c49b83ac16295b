"""Tests of a reader: APES of texts with a known ranking (Eyal et al. 2019, Tables 3 and 4)."""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from relevance.data.records import Document, Example, Summary, make_examples
from relevance.metrics.apes.coreference import find_names
from relevance.metrics.apes.metric import Apes, SummaryReading, total_credit, traces
from relevance.metrics.apes.questions import Quiz
from relevance.metrics.models.encoder import cut_into_parts
from relevance.metrics.rouge import RougeL, RougeN
from relevance.metrics.sentences import sentence_spans

SOURCE, GOLD, SHUFFLED, INTERCHANGED, LEAD = "source", "gold", "shuffled gold", "interchanged gold", "lead-3"
NAMES = (SOURCE, GOLD, SHUFFLED, INTERCHANGED, LEAD)

DOCUMENTS = 16
"""The number of documents that are read at once."""


class Condition(NamedTuple):
    """A row: means over the documents that have questions, and over seeds if the texts depend on one."""

    name: str
    """One of `NAMES`, or a system (`system lead-3` if a system has such a name)."""
    n: int
    """The number of documents."""
    apes: float
    """The mean of the documents' values, each over all questions of the document."""
    sd: float | None
    """The standard deviation of `apes` over seeds; None without a seed or with a single one."""
    micro: float
    """The credit of all questions / all questions: documents count by their questions."""
    occurs: float
    """The share of the questions whose answer the text mentions: the lexical baseline."""
    questions: float
    entities: float
    """The number of the document's entities that the text mentions."""
    salient: float
    """The number of these that a question asks for."""
    density: float | None
    """`salient` / `entities`; None if the texts mention none."""
    perfect: float
    """The share of the texts all of whose questions earn full credit."""
    zero: float
    """The share of the texts none of whose questions earns any credit."""
    rouge1: float | None
    """F1 against the references, or against itself for a reference; None if there is nothing to compare."""
    rouge2: float | None
    rougeL: float | None  # noqa: N815  its name everywhere


class ConditionText(NamedTuple):
    """A text to read, with its questions and the references that ROUGE compares it with."""

    condition: str
    seed: int
    document: str
    text: str
    quiz: Quiz
    references: tuple[str, ...]


class Reading(NamedTuple):
    """The counts of one text."""

    document: str
    earned: float
    occurs: int
    questions: int
    entities: int
    salient: int
    rouge: tuple[float | None, ...]


def conditions(
    apes: Apes, records: Iterable[tuple[Document, Sequence[Summary]]], seed: int = 0, seeds: int = 1
) -> list[Condition]:
    """Compute APES and ROUGE of sources, references, altered references, first three sentences, and systems.

    A reference is asked its own questions, or those of the data set. In a shuffled reference all words change places,
    as in the paper. In an interchanged one only the names do, so that every place names another entity, unless one
    entity has more than half of the names: the same entities are mentioned, but the statements about them become wrong.
    A reference that mentions one entity only cannot be interchanged and is left out, as `n` shows. Both are drawn
    `seeds` times, starting with `seed`. Raises `ModelUnavailable`.
    """
    rows: dict[str, dict[int, list[Reading]]] = {name: defaultdict(list) for name in NAMES}
    waiting = list(records)
    for start in range(0, len(waiting), DOCUMENTS):
        part = [
            (document, candidates(document, summaries)) for document, summaries in waiting[start : start + DOCUMENTS]
        ]
        quizzes = apes.quizzes([example for _, (example, _) in part])
        questions = [
            text
            for (_, (example, systems)), quiz in zip(part, quizzes, strict=True)
            for text in make_texts(example, apes.questioned_texts(example), systems, quiz, range(seed, seed + seeds))
            if text.quiz.questions
        ]
        reads = [
            read
            for some in cut_into_parts(questions, lambda each: (each.text,))
            for read in apes.read([each.text for each in some], [each.quiz for each in some])
        ]
        for each, read, rouge in zip(questions, reads, rouge_of(questions), strict=True):
            by_seed = rows.setdefault(each.condition, defaultdict(list))
            by_seed[each.seed].append(count_answers(each.document, read, apes.value, rouge))
    return [condition(name, list(by_seed.values())) for name, by_seed in rows.items() if by_seed]


def candidates(document: Document, summaries: Sequence[Summary]) -> tuple[Example, list[tuple[str, str]]]:
    """Return an example of a document as its summaries are judged, and systems and texts of non-empty summaries."""
    judged = make_examples(document, summaries) or make_examples(document, [Summary(document.id, "", "")])
    return judged[0], [(summary.system, summary.text) for summary in summaries if not summary.is_empty]


def make_texts(
    example: Example, references: tuple[str, ...], systems: Iterable[tuple[str, str]], quiz: Quiz, seeds: Sequence[int]
) -> Iterator[ConditionText]:
    """Yield the texts of a document to read; `references` are those that questions come from."""

    def made(
        condition: str, text: str, own: Quiz = quiz, against: tuple[str, ...] = references, seed: int = 0
    ) -> ConditionText:
        return ConditionText(condition, seed, example.document_id, text, own, against)

    if example.source:
        yield made(SOURCE, example.source)
        opening = sentence_spans(example.source)[:3]
        yield made(LEAD, example.source[: opening[-1][1]] if opening else "")
    for index, reference in enumerate(references):
        # a question of the data set belongs to no reference, and so to all
        own = quiz._replace(questions=tuple(a for a in quiz.questions if a.question.reference in (index, None)))
        yield made(GOLD, reference, own, (reference,))
        for seed in seeds:
            rng = random.Random(f"{seed} {example.document_id} {index}")  # noqa: S311  no secret
            yield made(SHUFFLED, shuffle(reference, rng), own, (reference,), seed)
            interchanged = interchange(reference, quiz, rng)
            if interchanged is not None:
                yield made(INTERCHANGED, interchanged, own, (reference,), seed)
    for system, text in systems:
        yield made(f"system {system}" if system in NAMES else system, text)


def shuffle(text: str, rng: random.Random) -> str:
    """Return a text's white-space separated words in another order."""
    words = text.split()
    rng.shuffle(words)
    return " ".join(words)


def interchange(text: str, quiz: Quiz, rng: random.Random) -> str | None:
    """Return the text with its entities interchanged, or None if it mentions fewer than two."""
    mentions = find_names(text, quiz.entities)
    if len(mentions) < 2:
        return None
    order = list(mentions)
    rng.shuffle(order)
    grouped = [(entity, span) for entity in order for span in mentions[entity]]
    largest = max(map(len, mentions.values()))
    # Shifted by the size of the largest group, no name lands in its own group while none has more than half.
    names = [text[start:end] for _, (start, end) in grouped[largest:] + grouped[:largest]]
    places = sorted((span, name) for (_, span), name in zip(grouped, names, strict=True))
    pieces, last = [], 0
    for (start, end), name in places:
        pieces += [text[last:start], name]
        last = end
    return "".join([*pieces, text[last:]])


def rouge_of(conditions: Sequence[ConditionText]) -> list[tuple[float | None, ...]]:
    """Compute ROUGE-1, ROUGE-2 and ROUGE-L F1 of each text against the best of several references."""
    compared = [Example(each.document, each.condition, each.text, each.references, None, "") for each in conditions]
    scores = [metric.score(compared) for metric in (RougeN(1), RougeN(2), RougeL())]
    return [tuple(score.value for score in row) for row in zip(*scores, strict=True)]


def count_answers(document: str, read: SummaryReading, value: str, rouge: tuple[float | None, ...]) -> Reading:
    """Count one text's answers."""
    results = traces(read)
    entities = {question.entity for question in read.quiz.questions}
    return Reading(
        document,
        earned=total_credit(results, value),
        occurs=sum(trace.occurs for trace in results),
        questions=len(results),
        entities=len(read.mentioned),
        salient=len(entities & read.mentioned.keys()),
        rouge=rouge,
    )


def condition(name: str, by_seed: Sequence[Sequence[Reading]]) -> Condition:
    """Return a row from the readings with each seed."""
    drawn = [average_readings(name, readings) for readings in by_seed]
    n = drawn[0].n  # the same with each seed
    values = [fmean(column) if None not in column else None for column in zip(*(row[2:] for row in drawn), strict=True)]
    row = Condition._make((name, n, *values))
    return row._replace(sd=stdev(each.apes for each in drawn) if len(drawn) > 1 else None)


def average_readings(name: str, readings: Sequence[Reading]) -> Condition:
    """Return a row of means; questions are pooled within a document, documents count equally."""
    by_document: dict[str, list[Reading]] = defaultdict(list)
    for each in readings:
        by_document[each.document].append(each)
    questions = {document: sum(each.questions for each in own) for document, own in by_document.items()}

    def share(counted: str) -> float:
        return fmean(sum(getattr(each, counted) for each in own) / questions[d] for d, own in by_document.items())

    def average(counted: str) -> float:
        # several references of a document are several texts, but its questions stay together
        return fmean(fmean(getattr(each, counted) for each in own) for own in by_document.values())

    entities, salient = average("entities"), average("salient")
    rouge = [
        fmean(values) if (values := [value for each in readings if (value := each.rouge[column]) is not None]) else None
        for column in range(3)
    ]
    return Condition(
        name,
        len(by_document),
        apes=share("earned"),
        sd=None,
        micro=sum(each.earned for each in readings) / sum(questions.values()),
        occurs=share("occurs"),
        questions=fmean(questions.values()),
        entities=entities,
        salient=salient,
        density=salient / entities if entities else None,
        perfect=fmean(each.earned == each.questions for each in readings),
        zero=fmean(each.earned == 0 for each in readings),
        rouge1=rouge[0],
        rouge2=rouge[1],
        rougeL=rouge[2],
    )
