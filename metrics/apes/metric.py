"""APES: the share of the references' questions that a reader answers from the summary (Eyal, Baumel, Elhadad 2019)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from typing import Any, NamedTuple

from relevance.data.records import SOURCE, Example
from relevance.data.signatures import signature
from relevance.metrics.apes.base import BLANK, Answer, CandidateAnswer, Question, Reader, ReadingTask
from relevance.metrics.apes.coreference import NamedEntity, find_names
from relevance.metrics.apes.entities import DEFAULT_TYPES, TYPES, Finder, entity_type, find_entities
from relevance.metrics.apes.entity_finders import check_finder, finder
from relevance.metrics.apes.questions import ASK, Mention, Quiz, choose_questions, make_quiz, read_source_questions
from relevance.metrics.apes.readers import check_reader, reader
from relevance.metrics.base import VERSION, Score, asked_references, check_option, set_against
from relevance.metrics.kind import MetricKind, Records, option
from relevance.metrics.models.encoder import cut_into_parts
from relevance.metrics.models.files import EMBEDDED, ModelUnavailable
from relevance.metrics.sentences import sentence_spans
from relevance.metrics.text import Reading, Span, rouge_words

QUESTIONS = ("all", "first")
"""The references whose questions are asked: all of them, or the first one."""

VALUES = ("share", "graded", "strict")
"""The rules for a question's credit, see `question_credit`; `share` is the paper's."""


class Trace(NamedTuple):
    """The outcome of one question."""

    question: Question
    right: str
    """The longest name of the right answer's entity."""
    candidates: tuple[str, ...]
    """The longest names of the entities that the summary mentions."""
    scores: tuple[float, ...]
    chosen: int | None
    """The index of the reader's choice among the candidates; None if the summary mentions none."""
    span: Span | None
    """The mention in the summary that the answer was read from."""
    sentence: Span | None
    """The sentence of the summary around it."""
    is_right: bool
    occurs: bool
    """True if the summary mentions the right answer at all."""
    rank: int | None
    """The right answer's rank among the candidates by score, with the best rank for equal scores; None if the summary
    does not mention it or the reader saw no candidate."""
    words: int
    """The number of words of the question, without the blank."""
    shared: int
    """The number of these words that the summary has, by their ROUGE stems."""


class ApesEvidence(NamedTuple):
    """The traces behind an APES value, which is the mean of their credits (`question_credit`)."""

    traces: tuple[Trace, ...]
    mentions: tuple[tuple[str, tuple[Span, ...]], ...]
    """The entities that the summary mentions, with their places."""
    value: str
    """The rule for the credits, one of `VALUES`."""


class SummaryReading(NamedTuple):
    """A summary with its mentions of entities and the reader's answers."""

    summary: str
    quiz: Quiz
    mentioned: dict[int, tuple[Span, ...]]
    """The places of each entity that is mentioned, by its index."""
    answers: tuple[Answer, ...]
    """An answer per question; none if the summary mentions no entity."""


class Apes:
    """The share of questions answered correctly, in [0, 1]; other values of the same reader give partial credit.

    Every mention of an entity of `types` in the references makes a question: its sentence with the mention blanked. The
    reader chooses among the document's entities, those of its references and its source, that the summary mentions; a
    summary that mentions none is wrong. Questions that come with the data set replace these. `questions` selects the
    references to ask, or asks some questions of the source instead: those at its first sentences (`lead:K`), or about
    the entities that it mentions the most (`entities:K`, see `relevance.metrics.apes.questions.choose_questions`).
    `ask` selects the mentions (`relevance.metrics.apes.questions.ASK`), and `value` the credit of a question
    (`question_credit`); `entities` and `reader` name the parts (`relevance.metrics.apes.entity_finders.finder`,
    `relevance.metrics.apes.readers.reader`). The score's part `occurs` is a lexical baseline: the share of questions
    whose answer the summary mentions. Raises ValueError for an option out of its range.
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
        self.of_source = ":" in questions
        if self.of_source:
            read_source_questions(questions)
        else:
            check_option("questions", questions, (*QUESTIONS, "lead:K", "entities:K"))
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
            self.finder = finder(entities)  # now, to register the layers that it needs with the encoder

    @cached_property
    def finder(self) -> Finder:
        """The finder of entities. Raises `ModelUnavailable`."""
        return finder(self.entities)

    @cached_property
    def reader(self) -> Reader:
        """The reader that answers questions. Raises `ModelUnavailable`."""
        return reader(self.reader_name)

    @property
    def signature(self) -> str:
        """The questions' references, and the parts with their models; unavailable parts are marked."""
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
            **({"refs": SOURCE} if self.of_source else {}),
            questions=self.questions.replace(":", ""),
            entities=parts["finder"],
            types=types,
            ask=self.ask,
            reader=parts["reader"],
            credit=self.value,
        )

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score a batch; work on a document is done once for its consecutive summaries."""
        scores: list[Score] = []
        compared = set_against(examples, SOURCE if self.of_source else self.questions)
        for part in cut_into_parts(
            compared, lambda example: (example.candidate, example.source, *self.questioned_texts(example))
        ):
            quizzes = self.quizzes(part)
            for example, read in zip(part, self.read([e.candidate for e in part], quizzes), strict=True):
                scores.append(self.count(example, read))
        return scores

    @property
    def nowhere(self) -> str:
        """The reason why a document has no question."""
        if not self.of_source:
            return "the references mention no entity"
        kind, count = read_source_questions(self.questions)
        sentences = "sentence" if count == 1 else f"{count} sentences"
        return "the source mentions no entity" + (f" in its first {sentences}" if kind == "lead" else "")

    def questioned_texts(self, example: Example) -> tuple[str, ...]:
        """Return the references that questions are made from."""
        return asked_references(example, self.questions)

    def quizzes(self, examples: Sequence[Example]) -> list[Quiz]:
        """Return the quiz of each example's document, made once for consecutive examples."""
        documents = [(self.questioned_texts(e), e.source, e.questions) for e in examples]
        texts = list(dict.fromkeys(t for references, source, _ in documents for t in (*references, source) if t))
        mentions = dict(zip(texts, self.mentions(texts), strict=True))
        quizzes: list[Quiz] = []
        for (references, source, given), group in groupby(documents):
            quiz = make_quiz(
                [(text, mentions.get(text, [])) for text in references],
                [(source, mentions.get(source, []))] if source not in references else [],
                self.types,
                given,
                self.ask,
            )
            if self.of_source and not given:
                quiz = choose_questions(quiz, source, self.questions)
            quizzes += [quiz for _ in group]
        return quizzes

    def mentions(self, texts: Sequence[str]) -> list[list[Mention]]:
        """Return the mentions of entities in texts."""
        return [
            [Mention((e.start, e.end), type) for e in entities if (type := entity_type(text, e)) is not None]
            for text, entities in zip(texts, find_entities(self.finder, texts), strict=True)
        ]

    def read(self, summaries: Sequence[str], quizzes: Sequence[Quiz]) -> list[SummaryReading]:
        """Let the reader answer the quiz of each summary."""
        mentions = [find_names(text, quiz.entities) for text, quiz in zip(summaries, quizzes, strict=True)]
        tasks: list[ReadingTask] = []
        for text, quiz, places in zip(summaries, quizzes, mentions, strict=True):
            candidates = tuple(CandidateAnswer(quiz.entities[entity].name, spans) for entity, spans in places.items())
            if candidates:
                tasks += [ReadingTask(text, question.question.text, candidates) for question in quiz.questions]
        answers = iter(self.reader.read(tasks))
        return [
            SummaryReading(text, quiz, places, tuple(next(answers) for _ in quiz.questions) if places else ())
            for text, quiz, places in zip(summaries, quizzes, mentions, strict=True)
        ]

    def count(self, example: Example, read: SummaryReading) -> Score:
        """Return the score of one summary's answers."""
        if not example.questions and not self.questioned_texts(example):
            return Score(None, f"no questions: there is no {example.against}")
        if not read.quiz.questions:
            return Score(None, f"no questions: {self.nowhere}")
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
    `graded`: that share divided by the right answer's rank, 0 if the summary does not mention it. For a question
    without words the share is 1.
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
        tuple((read.quiz.entities[entity].name, spans) for entity, spans in read.mentioned.items()),
        value,
    )


def traces(read: SummaryReading) -> list[Trace]:
    """Return each question with its answer."""
    entities: Sequence[NamedEntity] = read.quiz.entities
    mentioned = list(read.mentioned)
    names = tuple(entities[entity].name for entity in mentioned)
    summary_words = frozenset(rouge_words(read.summary, Reading("unicode")))
    results = []
    for index, question in enumerate(read.quiz.questions):
        answer = read.answers[index] if read.answers else None
        words = rouge_words(question.question.text.replace(BLANK, " "), Reading("unicode"))
        results.append(
            Trace(
                question=question.question,
                right=entities[question.entity].name,
                candidates=names,
                scores=answer.scores if answer else (),
                chosen=answer.chosen if answer else None,
                span=answer.span if answer else None,
                sentence=sentence_around(read.summary, answer.span) if answer else None,
                is_right=answer is not None and answer.seen and mentioned[answer.chosen] == question.entity,
                occurs=question.entity in read.mentioned,
                rank=rank(answer, mentioned.index(question.entity))
                if answer and question.entity in read.mentioned
                else None,
                words=len(words),
                shared=sum(word in summary_words for word in words),
            )
        )
    return results


def rank(answer: Answer, right: int) -> int | None:
    """Return the rank of a candidate by score, from 1, with the best rank for equals; None if the reader saw none."""
    return 1 + sum(score > answer.scores[right] for score in answer.scores) if answer.seen else None


def sentence_around(text: str, span: Span) -> Span:
    """Return the sentence that a span begins in."""
    return next((sentence for sentence in sentence_spans(text) if span[0] < sentence[1]), span)


def read_types(names: str | None, _records: Records | None = None, _language: str = "") -> tuple[str, ...]:
    """Read comma-separated types of entities; the default ones if none is named."""
    return tuple(name.strip() for name in names.split(",") if name.strip()) if names else DEFAULT_TYPES


def check_source_questions(kind: str, _records: Records | None = None, _language: str = "") -> str:
    """Check the option `--source-questions`. Raises ValueError."""
    try:
        read_source_questions(kind)
    except ValueError as error:
        raise ValueError(f"--source-questions: {error}") from error
    return kind


@dataclass(frozen=True)
class ApesOptions:
    """Options of APES: see `Apes`."""

    references: str = "max"
    """With `first`, only the questions of the first reference are asked; with `source`, those of the source."""
    source_questions: str = option(
        "lead:3",
        "APES with --references source: ask the questions of the source's first K sentences (lead:K), or one about "
        "each of the K entities that it mentions the most (entities:K).",
        read=check_source_questions,
    )
    entities: str = option(EMBEDDED, "Entity finder of APES: embedded or spacy:<pipeline>.")
    reader: str = option(
        EMBEDDED, "Reader of APES: embedded, attentive-reader:<file>, extractive:<model> or masked:<model>."
    )
    types: tuple[str, ...] = option(
        DEFAULT_TYPES,
        "APES: types of entities to ask for, comma-separated, of person, group, organisation, place, facility, other."
        "  [default: all but other]",
        read=read_types,
    )
    ask: str = option(
        "mentions",
        "APES: ask a question at every mention of an entity, or at its first in a sentence, as in the authors' data.",
        choices=ASK,
    )
    apes_value: str = option(
        "share",
        "APES: share of questions answered correctly (the paper's); strict: each weighted by the share of its words "
        "that the summary has; graded: that share divided by the right answer's rank, for wrong answers, too.",
        choices=VALUES,
    )


def make_apes(*, references: str, source_questions: str, apes_value: str, **options: Any) -> Apes:
    """Make APES from its options, whose names it shares with other metrics."""
    read_source_questions(source_questions)
    questions = {SOURCE: source_questions, "first": "first"}.get(references, "all")
    return Apes(questions, value=apes_value, **options)


def options_of(settings: Mapping[str, str]) -> dict[str, Any]:
    """Return the options of a signature's settings."""
    types = settings["types"]
    against = {"references": "first" if settings["questions"] == "first" else "max"}
    if settings.get("refs") == SOURCE:
        kind = settings["questions"].rstrip("0123456789")
        against = {"references": SOURCE, "source_questions": settings["questions"].replace(kind, f"{kind}:")}
    return {
        **against,
        "types": DEFAULT_TYPES if types == "default" else tuple(filter(None, types.split("+"))),
        "ask": settings["ask"],
        "apes_value": settings["credit"],
    }


APES = MetricKind(
    "apes",
    "APES",
    "share of the references' questions that a reader answers correctly from the summary",
    make=make_apes,
    options=ApesOptions,
    options_of=options_of,
    evidence=ApesEvidence,
    renderer="apes",
    needs_model=True,
    source="Eyal, Baumel, Elhadad (2019). Question Answering as an Automatic Evaluation Metric for News Article "
    "Summarization. NAACL",
)
