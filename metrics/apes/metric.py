"""APES: the share of the references' questions that a reader answers from the summary (Eyal, Baumel, Elhadad 2019)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from typing import Any, NamedTuple

from data.records import Example
from data.signatures import signature
from metrics.apes.base import BLANK, Answer, CandidateAnswer, Question, Reader, ReadingTask
from metrics.apes.entities import DEFAULT_TYPES, TYPES, Finder, entity_type
from metrics.apes.finders import check_finder, finder
from metrics.apes.names import NamedEntity, find_names
from metrics.apes.questions import ASK, Mention, Quiz, make_quiz
from metrics.apes.readers import check_reader, reader
from metrics.base import VERSION, Score, check_option
from metrics.kind import MetricKind, Records, option
from metrics.models.encoder import cut_into_parts
from metrics.models.files import EMBEDDED, ModelUnavailable
from metrics.sentences import sentence_spans
from metrics.text import Span, rouge_words

QUESTIONS = ("all", "first")
"""Whose questions are asked: those of all references together, or of the first one."""

VALUES = ("share", "graded", "strict")
"""What a question earns, see `question_credit`; `share` is the paper's."""


class Trace(NamedTuple):
    """The outcome of one question."""

    question: Question
    right: str
    """The right answer's entity, by its longest name."""
    candidates: tuple[str, ...]
    """The entities that the summary mentions, by their longest names."""
    scores: tuple[float, ...]
    chosen: int | None
    """Index of the candidate that the reader picked; None where the summary mentions none."""
    span: Span | None
    """The mention in the summary that the answer was read from."""
    sentence: Span | None
    """The sentence of the summary around it."""
    is_right: bool
    occurs: bool
    """Whether the summary mentions the right answer at all."""
    rank: int | None
    """Place of the right answer among the candidates by their scores, equal ones sharing the best of their places;
    None where the summary does not mention it or the reader saw no candidate."""
    words: int
    """Words of the question, the blank left out."""
    shared: int
    """Those of them that the summary has, by their ROUGE stems."""


class ApesEvidence(NamedTuple):
    """What an APES value was counted from: the value is the mean of what the traces earn (`question_credit`)."""

    traces: tuple[Trace, ...]
    mentions: tuple[tuple[str, tuple[Span, ...]], ...]
    """The entities that the summary mentions, and where."""
    value: str
    """Which of `VALUES` they earn."""


class SummaryReading(NamedTuple):
    """A summary, what it mentions, and the answers that were read from it."""

    summary: str
    quiz: Quiz
    found: dict[int, tuple[Span, ...]]
    """Entity to its places."""
    answers: tuple[Answer, ...]
    """One a question; none where the summary mentions no entity."""


class Apes:
    """Questions answered correctly / questions, in [0, 1]; other values of the same reader give part of the credit.

    Every mention of an entity of `types` in the references is a question: its sentence with the mention blanked. The
    reader chooses among the document's entities, those of its references and its source, that the summary mentions;
    a summary that mentions none is wrong. Questions that the data set brings take the place of those made.
    `questions` says whose are asked, `ask` at which mentions (`metrics.apes.questions.ASK`), `value` what a question
    earns (`question_credit`); `entities` and `reader` name the parts (`metrics.apes.finders.finder`,
    `metrics.apes.readers.reader`). Beside the value stands its lexical baseline `occurs`, the share of questions whose
    answer the summary mentions. Raises ValueError for an option out of its range.
    """

    name = "apes"

    def __init__(
        self,
        questions: str = "all",
        *,
        entities: str = "embedded",
        reader: str = "embedded",
        types: Sequence[str] = DEFAULT_TYPES,
        ask: str = "mentions",
        value: str = "share",
    ) -> None:
        check_option("questions", questions, QUESTIONS)
        check_option("ask", ask, ASK)
        check_option("value", value, VALUES)
        for type in types:
            check_option("types", type, sorted({*TYPES.values()}))
        check_finder(entities)
        check_reader(reader)
        self.questions = questions
        self.entities = entities
        self.reader_name = reader
        self.types = tuple(types)
        self.ask = ask
        self.value = value
        if entities == EMBEDDED:
            self.finder = finder(entities)  # now, so that the encoder knows which layers it will be asked for

    @cached_property
    def finder(self) -> Finder:
        """What finds entities. Raises `ModelUnavailable`."""
        return finder(self.entities)

    @cached_property
    def reader(self) -> Reader:
        """What answers questions. Raises `ModelUnavailable`."""
        return reader(self.reader_name)

    @property
    def signature(self) -> str:
        """Whose questions, and the parts with their models; a part that cannot be had is named as that."""
        parts = {}
        for part in ("finder", "reader"):
            try:
                parts[part] = getattr(self, part).signature
            except ModelUnavailable:
                parts[part] = f"{self.entities if part == 'finder' else self.reader_name}@unavailable".replace("|", "_")
        types = "+".join(self.types) if self.types != DEFAULT_TYPES else "default"
        return signature(
            self.name,
            VERSION,
            questions=self.questions,
            entities=parts["finder"],
            types=types,
            ask=self.ask,
            reader=parts["reader"],
            credit=self.value,
        )

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score a batch; what concerns a document is done once for its summaries that stand together."""
        scores: list[Score] = []
        for part in cut_into_parts(examples, lambda example: (example.candidate, example.source, *self.asked(example))):
            quizzes = self.quizzes(part)
            for example, read in zip(part, self.read([e.candidate for e in part], quizzes), strict=True):
                scores.append(self.count(example, read))
        return scores

    def asked(self, example: Example) -> tuple[str, ...]:
        """Return the references that questions are made from."""
        return example.references[:1] if self.questions == "first" else example.references

    def quizzes(self, examples: Sequence[Example]) -> list[Quiz]:
        """Return the quiz of each example's document, made once for those that stand together."""
        documents = [(self.asked(e), e.source, e.questions) for e in examples]
        texts = list(dict.fromkeys(t for references, source, _ in documents for t in (*references, source) if t))
        mentions = dict(zip(texts, self.mentions(texts), strict=True))
        quizzes: list[Quiz] = []
        for (references, source, given), group in groupby(documents):
            quiz = make_quiz(
                [(text, mentions.get(text, [])) for text in references],
                [(source, mentions.get(source, []))],
                self.types,
                given,
                self.ask,
            )
            quizzes += [quiz for _ in group]
        return quizzes

    def mentions(self, texts: Sequence[str]) -> list[list[Mention]]:
        """Return the mentions of entities in texts."""
        return [
            [Mention((e.start, e.end), type) for e in found if (type := entity_type(text, e)) is not None]
            for text, found in zip(texts, self.finder.find(texts), strict=True)
        ]

    def read(self, summaries: Sequence[str], quizzes: Sequence[Quiz]) -> list[SummaryReading]:
        """Let the reader answer each summary's quiz."""
        found = [find_names(text, quiz.entities) for text, quiz in zip(summaries, quizzes, strict=True)]
        tasks: list[ReadingTask] = []
        for text, quiz, places in zip(summaries, quizzes, found, strict=True):
            candidates = tuple(CandidateAnswer(quiz.entities[entity].name, spans) for entity, spans in places.items())
            if candidates:
                tasks += [ReadingTask(text, asked.question.text, candidates) for asked in quiz.questions]
        answers = iter(self.reader.read(tasks))
        return [
            SummaryReading(text, quiz, places, tuple(next(answers) for _ in quiz.questions) if places else ())
            for text, quiz, places in zip(summaries, quizzes, found, strict=True)
        ]

    def count(self, example: Example, read: SummaryReading) -> Score:
        """Return the score of one summary's answers."""
        if not example.questions and not self.asked(example):
            return Score(None, "no questions: there is no reference")
        if not read.quiz.questions:
            return Score(None, "no questions: the references mention no entity")
        results = traces(read)
        right, occurs = sum(t.is_right for t in results), sum(t.occurs for t in results)
        return Score(
            total_credit(results, self.value) / len(results),
            truncated=any(not answer.seen for answer in read.answers),
            parts={"questions": len(results), "right": right, "occurs": occurs / len(results)},
            explain=partial(make_evidence, read, self.value),
        )


def question_credit(trace: Trace, value: str) -> float:
    """Return the credit of a question, in [0, 1].

    `share`: 1 for a right answer. `strict`: for a right answer, the share of the question's words that the summary has.
    `graded`: the same share divided by the right answer's rank, 0 where the summary does not mention it. A question
    without words counts as had in whole.
    """
    if value == "share":
        return float(trace.is_right)
    shared = trace.shared / trace.words if trace.words else 1.0
    if value == "strict":
        return shared * trace.is_right
    return 0.0 if trace.rank is None else shared / trace.rank


def total_credit(traces: Sequence[Trace], value: str) -> float:
    """Return the total credit of all questions."""
    return sum(question_credit(trace, value) for trace in traces)


def make_evidence(read: SummaryReading, value: str) -> ApesEvidence:
    """Return the evidence record of one summary."""
    return ApesEvidence(
        tuple(traces(read)),
        tuple((read.quiz.entities[entity].name, spans) for entity, spans in read.found.items()),
        value,
    )


def traces(read: SummaryReading) -> list[Trace]:
    """Each question with its answer."""
    entities: Sequence[NamedEntity] = read.quiz.entities
    found = list(read.found)
    names = tuple(entities[entity].name for entity in found)
    said = frozenset(rouge_words(read.summary, "unicode"))
    results = []
    for index, asked in enumerate(read.quiz.questions):
        answer = read.answers[index] if read.answers else None
        words = rouge_words(asked.question.text.replace(BLANK, " "), "unicode")
        results.append(
            Trace(
                question=asked.question,
                right=entities[asked.entity].name,
                candidates=names,
                scores=answer.scores if answer else (),
                chosen=answer.chosen if answer else None,
                span=answer.span if answer else None,
                sentence=sentence_around(read.summary, answer.span) if answer else None,
                is_right=answer is not None and answer.seen and found[answer.chosen] == asked.entity,
                occurs=asked.entity in read.found,
                rank=rank(answer, found.index(asked.entity)) if answer and asked.entity in read.found else None,
                words=len(words),
                shared=sum(word in said for word in words),
            )
        )
    return results


def rank(answer: Answer, right: int) -> int | None:
    """Return the place of a candidate by its score, from 1: one more than score higher; None where the reader saw none."""
    return 1 + sum(score > answer.scores[right] for score in answer.scores) if answer.seen else None


def sentence_around(text: str, span: Span) -> Span:
    """Return the sentence that a span begins in."""
    return next((sentence for sentence in sentence_spans(text) if span[0] < sentence[1]), span)


def read_types(asked: str | None, _records: Records | None = None, _language: str = "") -> tuple[str, ...]:
    """Read types of entities that are separated by commas; the usual ones where none is named."""
    return tuple(name.strip() for name in asked.split(",") if name.strip()) if asked else DEFAULT_TYPES


@dataclass(frozen=True)
class ApesOptions:
    """Options of APES: see `Apes`."""

    references: str = "max"
    """With `first` only the questions of the first reference are asked."""
    entities: str = option(EMBEDDED, "APES: what finds entities, embedded or spacy:<pipeline>.")
    reader: str = option(EMBEDDED, "APES: embedded, attentive-reader:<file>, extractive:<model> or masked:<model>.")
    types: tuple[str, ...] = option(
        DEFAULT_TYPES,
        "APES: entities asked for, separated by commas, of person, group, organisation, place, facility, other."
        "  [default: all but other]",
        read=read_types,
    )
    ask: str = option(
        "mentions",
        "APES: a question at every mention of an entity, or one a sentence for each entity, as in the authors' data.",
        choices=ASK,
    )
    apes_value: str = option(
        "share",
        "APES: the share of questions answered rightly (the paper's); strict: each by the share of its words that the "
        "summary has; graded: that share by the rank of the right answer.",
        choices=VALUES,
    )


def make_apes(*, references: str, apes_value: str, **options: Any) -> Apes:
    """APES by its options as all metrics have them."""
    return Apes("first" if references == "first" else "all", value=apes_value, **options)


def options_of(settings: Mapping[str, str]) -> dict[str, Any]:
    """Return the options that a signature's settings tell."""
    types = settings["types"]
    return {
        "references": "first" if settings["questions"] == "first" else "max",
        "types": DEFAULT_TYPES if types == "default" else tuple(filter(None, types.split("+"))),
        "ask": settings["ask"],
        "apes_value": settings["credit"],
    }


APES = MetricKind(
    "apes",
    "APES",
    "the share of the references' questions that a reader answers from the summary",
    make=make_apes,
    options=ApesOptions,
    options_of=options_of,
    evidence=ApesEvidence,
    renderer="apes",
    needs_model=True,
    source="Eyal, Baumel, Elhadad (2019). Question Answering as an Automatic Evaluation Metric for News Article "
    "Summarization. NAACL",
)
