"""Questions that the references answer: their sentences with a mention of an entity blanked (Eyal et al. 2019)."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from relevance.metrics.apes.base import BLANK, Question
from relevance.metrics.apes.coreference import NamedEntity, common_words, group, name_words
from relevance.metrics.sentences import sentence_spans
from relevance.metrics.text import Span

ASK = ("mentions", "entities")
"""The mentions to ask for: every mention of an entity, or its first one in each sentence, as in the questions of
Hermann et al. 2015 that the authors of APES used."""

GIVEN = "given"
"""The type of all entities if the questions came with the data set."""


class Mention(NamedTuple):
    """A span of a text that names an entity."""

    span: Span
    type: str


class QuizQuestion(NamedTuple):
    """A question, and the index of the entity that is the right answer."""

    question: Question
    entity: int


class Quiz(NamedTuple):
    """The questions about a document, asked of every summary of it."""

    questions: tuple[QuizQuestion, ...]
    entities: tuple[NamedEntity, ...]
    """All entities that can be an answer."""


def make_quiz(
    references: Sequence[tuple[str, Sequence[Mention]]],
    others: Sequence[tuple[str, Sequence[Mention]]],
    types: Collection[str],
    given: Sequence[tuple[str, str]] = (),
    ask: str = "mentions",
) -> Quiz:
    """Make the quiz of a document from the mentions found in its references and in other texts of it, the source.

    `given` questions (text, answer) that come with the data set replace those made here. Every mention of the types in
    a reference makes a question, or with `ask="entities"` the first one of each entity in a sentence; mentions in the
    other texts are possible answers only.
    """
    texts = [*references, *others]
    pairs = [
        (text[mention.span[0] : mention.span[1]], mention.type)
        for text, mentions in texts
        for mention in mentions
        if mention.type in types
    ]
    if given:  # their answers have no type, so types must not separate mentions and answers
        pairs = [(name, GIVEN) for name in (*(answer for _, answer in given), *(name for name, _ in pairs))]
    # a name that was found in lower case is not a common word here: the text has no capitals
    common = common_words(text for text, _ in texts) - common_words(name for name, _ in pairs)
    entities, owners = group(pairs, common)
    if given:
        of_document = [
            QuizQuestion(Question(text, answer), owners[answer, GIVEN])
            for text, answer in given
            if (answer, GIVEN) in owners
        ]
        return Quiz(tuple(of_document), tuple(entities))
    return Quiz(tuple(questions_of(references, owners, ask)), tuple(entities))


def choose_questions(quiz: Quiz, source: str, wanted: str) -> Quiz:
    """Return the quiz of a source with some of its questions, in their order.

    `wanted` is `lead:K`, the questions at the first K sentences, or `entities:K`, one at the first mention of each of
    the K entities that are mentioned the most, the earlier one of equals. Raises ValueError.
    """
    kind, count = read_source_questions(wanted)
    if kind == "lead":
        end = max((stop for _, stop in sentence_spans(source)[:count]), default=0)
        return quiz._replace(questions=tuple(question for question in quiz.questions if starts_before(question, end)))
    first: dict[int, QuizQuestion] = {}
    for question in quiz.questions:
        first.setdefault(question.entity, question)
    often = Counter(question.entity for question in quiz.questions)
    chosen = {entity for entity, _ in often.most_common(count)}
    return quiz._replace(questions=tuple(value for entity, value in first.items() if entity in chosen))


def starts_before(quiz_question: QuizQuestion, end: int) -> bool:
    """Tell whether a question's answer begins in the text before a place."""
    return quiz_question.question.span is not None and quiz_question.question.span[0] < end


def read_source_questions(kind: str) -> tuple[str, int]:
    """Return the kind of a source's questions and their K: see `choose_questions`. Raises ValueError."""
    match = re.fullmatch(r"(lead|entities):([1-9][0-9]{0,3})", kind)
    if match is None:
        raise ValueError(f"questions of a source are lead:K or entities:K with K from 1, not {kind!r}")
    return match[1], int(match[2])


def questions_of(
    references: Sequence[tuple[str, Sequence[Mention]]], owners: Mapping[tuple[str, str], int], ask: str
) -> list[QuizQuestion]:
    """Return a question per mention, or per entity of a sentence, unless the mention is all of the sentence."""
    chosen = []
    for index, (text, mentions) in enumerate(references):
        for start, end in sentence_spans(text):
            asked_for: set[int] = set()
            for (first, last), type in mentions:
                answer = text[first:last]
                if start <= first and last <= end and (answer, type) in owners:
                    entity = owners[answer, type]
                    if ask == "entities" and entity in asked_for:
                        continue
                    rest = text[start:first], text[last:end]
                    if any(name_words(part).words for part in rest) and BLANK not in "".join(rest):
                        question = Question(BLANK.join(rest), answer, index, (first, last))
                        chosen.append(QuizQuestion(question, entity))
                        asked_for.add(entity)
    return chosen
