"""Answers to the questions of a survey, checked before they are stored."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from relevance.annotation.inputs import clean_text
from relevance.annotation.languages import msgid
from relevance.annotation.protocol.records import SurveyQuestion
from relevance.annotation.records import BadAnswer

Answer: TypeAlias = str | float | list[str]
"""A text or option, a number, or the options of a checkbox."""

LONGEST = 5000
"""The largest number of characters of a text answer."""


def check_answers(questions: Sequence[SurveyQuestion], answers: Mapping[str, Any]) -> dict[str, Answer]:
    """Check the answers to a survey and return them as stored, by question name, without the empty ones.

    Raises `BadAnswer` for the first answer that its question does not take, that is missing, or that nobody asked for.
    """
    unknown = sorted(set(answers) - {question.name for question in questions})
    if unknown:
        raise BadAnswer(f"there is no question {unknown[0]!r}")
    checked: dict[str, Answer] = {}
    for question in questions:
        answer = answers.get(question.name)
        if isinstance(answer, str):
            answer = clean_text(answer)
        if answer is None or answer in ("", [], ()):
            if question.required:
                raise BadAnswer(msgid("Please answer: {question}"), question=question.ask)
            continue
        checked[question.name] = check_answer(question, answer)
    return checked


def check_answer(question: SurveyQuestion, answer: Any) -> Answer:
    """Check one answer that is not empty. Raises `BadAnswer`."""
    match question.kind, answer:
        case "radio", str() if answer in question.options:
            return str(answer)
        case "checkbox", list() | tuple() if all(option in question.options for option in answer):
            return [option for option in question.options if option in answer]
        case "number", int() | float() if not isinstance(answer, bool) and math.isfinite(answer):
            return check_range(question, answer)
        case "text", str() if len(answer) <= LONGEST:
            return answer
    raise BadAnswer(msgid("This is no answer to: {question}"), question=question.ask)


def check_range(question: SurveyQuestion, number: float) -> float:
    """Return a number if it is within the limits of its question. Raises `BadAnswer`."""
    if question.least is not None and number < question.least:
        raise BadAnswer(
            msgid("The number must be at least {limit}: {question}"), limit=f"{question.least:g}", question=question.ask
        )
    if question.most is not None and number > question.most:
        raise BadAnswer(
            msgid("The number must be at most {limit}: {question}"), limit=f"{question.most:g}", question=question.ask
        )
    return number
