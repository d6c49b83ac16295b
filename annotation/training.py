"""The training of an annotator: the next pair, the side of the better summary, and the result."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from relevance.annotation.protocol.records import Training
from relevance.annotation.protocol.tables import TrainingAnswerRow
from relevance.annotation.records import JudgmentTask
from relevance.annotation.tables import AnnotatorRow


class TrainingTask(NamedTuple):
    """The training pair that an annotator is to answer."""

    attempt: int
    """The number of the attempt, from 1."""
    attempts: int
    """The number of attempts allowed."""
    place: int
    """The place of the pair, from 0."""
    pairs: int
    shown: JudgmentTask
    """Its texts; the assignment is 0, as there is none."""


class TrainingFeedback(NamedTuple):
    """The feedback that an annotator gets on an answer."""

    task: TrainingTask
    right: bool
    better: str
    """The side of the better summary: `left` or `right`."""
    explanation: str
    correct: int
    """Right answers of this attempt so far."""
    pass_mark: int
    passed: bool | None
    """True if the attempt had enough right answers; None before its last pair."""


def find_answers(session: Session, row: AnnotatorRow) -> Sequence[TrainingAnswerRow]:
    """Find all training answers of an annotator, in order."""
    of_theirs = select(TrainingAnswerRow).where(TrainingAnswerRow.annotator_id == row.id)
    return session.scalars(of_theirs.order_by(TrainingAnswerRow.attempt, TrainingAnswerRow.place)).all()


def next_place(training: Training, answers: Sequence[TrainingAnswerRow]) -> tuple[int, int]:
    """Return the attempt (from 0) and the place of the pair after those answered."""
    return divmod(len(answers), len(training.pairs))


def better_side(row: AnnotatorRow, attempt: int, place: int) -> str:
    """Return the side of the better summary of a training pair, drawn anew for each attempt."""
    drawn = random.Random(f"{row.study.seed}:training:{row.id}:{attempt}:{place}").random()  # noqa: S311
    return "left" if drawn < 0.5 else "right"


def show_training_pair(row: AnnotatorRow, training: Training, attempt: int, place: int) -> TrainingTask:
    """Return a training pair as an annotator sees it; `attempt` is counted from 1, `place` from 0."""
    pair = training.pairs[place]
    left, right = pair.better, pair.worse
    if better_side(row, attempt, place) == "right":
        left, right = right, left
    shown = JudgmentTask(
        assignment_id=0,
        number=place + 1,
        title=pair.title,
        source=pair.document,
        left=left,
        right=right,
        choice=None,
        rationale=None,
    )
    return TrainingTask(attempt, training.attempts, place, len(training.pairs), shown)


def give_feedback(
    row: AnnotatorRow, training: Training, answer: TrainingAnswerRow, answers: Sequence[TrainingAnswerRow]
) -> TrainingFeedback:
    """Return the feedback on an answer, which is one of `answers`."""
    of_attempt = [given for given in answers if given.attempt == answer.attempt and given.place <= answer.place]
    correct = sum(given.right for given in of_attempt)
    is_last = answer.place + 1 == len(training.pairs)
    return TrainingFeedback(
        task=show_training_pair(row, training, answer.attempt, answer.place),
        right=answer.right,
        better=better_side(row, answer.attempt, answer.place),
        explanation=training.pairs[answer.place].explanation,
        correct=correct,
        pass_mark=training.pass_mark,
        passed=correct >= training.pass_mark if is_last else None,
    )
