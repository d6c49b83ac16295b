"""The store of the phases that annotators go through before and after they judge."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from relevance.annotation.entering import (
    WARNED,
    check_phase,
    enter_phase,
    find_phase,
    find_rules,
    is_past,
    leave_phase,
    refuse_closed,
    state_of_study,
)
from relevance.annotation.languages import msgid
from relevance.annotation.people import exclude_row
from relevance.annotation.phases import (
    AFTER,
    BEFORE,
    CONSENT,
    DECLINED,
    INSTRUCTIONS,
    JUDGING,
    SCREENED_OUT,
    TRAINING,
    WITHDRAWN,
    phases_of,
)
from relevance.annotation.protocol.records import StudyProtocol, SurveyQuestion
from relevance.annotation.protocol.tables import ConsentRow, EventRow, SurveyAnswerRow, TrainingAnswerRow
from relevance.annotation.records import CLOSED, PAUSED, AlreadyAnswered, Annotator, BadAnswer, WrongPhase
from relevance.annotation.store import find_own
from relevance.annotation.surveys import check_answers
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow
from relevance.annotation.timing import check_times
from relevance.annotation.training import (
    TrainingFeedback,
    TrainingTask,
    better_side,
    find_answers,
    give_feedback,
    next_place,
    show_training_pair,
)
from relevance.data.database import now
from relevance.data.store import StoreError
from relevance.data.store.base import Store

SURVEYS = {"before": BEFORE, "after": AFTER}
"""The phase of each survey."""


@dataclass(frozen=True)
class Standing:
    """An annotator's state in their study, and the study's protocol."""

    title: str
    """The title of the study that annotators see."""
    phase: str
    way: tuple[str, ...]
    """The phases of the study, in order."""
    rules: StudyProtocol
    """The protocol; for a study made by an earlier version, an empty one without its part on judgments."""
    paused: bool
    """True if the study, or the annotator's part in it, is paused."""
    closed: bool
    warned: bool
    """True if their latest judgment brought a warning."""
    code: str | None
    """The code that shows that they have finished; None before."""


class PhaseStore(Store):
    """The phases of annotators over one engine; every call is made by the annotator.

    A request that comes twice, by a double press or from two windows, is carried out once: the same answer again
    changes nothing, another one is refused by `AlreadyAnswered`. A request for a phase that is not reached is refused
    by `WrongPhase`.
    """

    def standing(self, annotator: Annotator) -> Standing:
        """Return an annotator's state. Raises `NotAssigned`, as all methods do, if the caller is somebody else."""
        with self.reading(annotators=True) as session:
            row = find_own(session, annotator)
            study, rules = row.study, find_rules(session, row.study)
            phase = find_phase(row, rules)
            return Standing(
                title=rules.title or study.name,
                phase=phase,
                way=phases_of(rules),
                rules=rules,
                paused=row.paused_at is not None or state_of_study(study, rules) == PAUSED,
                closed=state_of_study(study, rules) == CLOSED,
                warned=phase == JUDGING and rules.checks.warn_after is not None and is_warned(session, row),
                code=row.code,
            )

    def answer_consent(self, annotator: Annotator, *, text: str, agreed: bool) -> None:
        """Store whether an annotator agreed to a text, with the hash of the text; "no" ends their part.

        Raises `AlreadyAnswered`, `WrongPhase`, `StudyClosed`, `StudyPaused`, and `BadAnswer` if `text` is not the
        study's any more: nobody agrees to what they have not read.
        """
        with self.writing(annotators=True) as session:
            row = find_own(session, annotator)
            known = session.get(ConsentRow, row.id)
            if known is not None:
                if known.agreed != agreed:
                    raise AlreadyAnswered("you have answered already" + ("; you can still withdraw" * known.agreed))
                return
            rules = begin_answer(session, row, CONSENT)
            if rules.consent is None or text != rules.consent.text:
                raise BadAnswer(msgid("The text was changed at this moment. Please read it again."))
            digest = hashlib.sha256(text.encode()).hexdigest()
            session.add(ConsentRow(annotator_id=row.id, sha256=digest, agreed=agreed))
            if agreed:
                leave_phase(session, row, rules)
            else:
                enter_phase(session, row, DECLINED)

    def read_instructions(self, annotator: Annotator) -> None:
        """Move an annotator on from the instructions. Raises `WrongPhase`, `StudyClosed`, `StudyPaused`."""
        with self.writing(annotators=True) as session:
            row = find_own(session, annotator)
            if not is_past(row, INSTRUCTIONS):
                leave_phase(session, row, begin_answer(session, row, INSTRUCTIONS))

    def answer_survey(self, annotator: Annotator, survey: str, answers: Mapping[str, Any]) -> None:
        """Store the answers to the survey `before` or `after` the judging, by question name, and move on.

        An answer is a text, a number, or a list of options. Raises `BadAnswer` (and nothing is stored),
        `AlreadyAnswered`, `WrongPhase`, `StudyClosed`, `StudyPaused`.
        """
        if survey not in SURVEYS:
            raise StoreError(f"there is no survey {survey!r}")
        with self.writing(annotators=True) as session:
            row = find_own(session, annotator)
            if is_past(row, SURVEYS[survey]):
                questions = questions_of(find_rules(session, row.study), survey)
                of_survey = (SurveyAnswerRow.annotator_id == row.id, SurveyAnswerRow.survey == survey)
                stored = session.scalars(select(SurveyAnswerRow).where(*of_survey))
                if check_answers(questions, answers) != {answer.question: answer.answer for answer in stored}:
                    raise AlreadyAnswered("you have answered these questions already")
                return
            rules = begin_answer(session, row, SURVEYS[survey])
            for question, answer in check_answers(questions_of(rules, survey), answers).items():
                session.add(SurveyAnswerRow(annotator_id=row.id, survey=survey, question=question, answer=answer))
            leave_phase(session, row, rules)

    def training_task(self, annotator: Annotator) -> TrainingTask:
        """Return the training pair that an annotator is to answer. Raises `WrongPhase`."""
        with self.reading(annotators=True) as session:
            row = find_own(session, annotator)
            rules = find_rules(session, row.study)
            if find_phase(row, rules) != TRAINING or rules.training is None:
                raise WrongPhase("there is no training for you now")
            attempt, place = next_place(rules.training, find_answers(session, row))
            return show_training_pair(row, rules.training, attempt + 1, place)

    def answer_training(
        self, annotator: Annotator, *, attempt: int, place: int, choice: str, presented_at: datetime
    ) -> TrainingFeedback:
        """Store the answer to a training pair: `left`, `right` or, if the study has ties, `tie`.

        After the last pair of an attempt with enough right answers the annotator moves on; after the last attempt
        without, they are screened out. Raises `TooSoon`, `AlreadyAnswered`, `WrongPhase`, `StudyClosed`, `StudyPaused`,
        `BadAnswer`.
        """
        check_times(presented_at, now(), "the choice came too soon after the pair was shown; it does not count")
        with self.writing(annotators=True) as session:
            row = find_own(session, annotator)
            answers = list(find_answers(session, row))
            known = next((answer for answer in answers if (answer.attempt, answer.place) == (attempt, place)), None)
            rules = find_rules(session, row.study) if known else begin_answer(session, row, TRAINING)
            training = rules.training
            if training is None:
                raise WrongPhase("there is no training in this study")
            if known is not None:
                if known.choice != choice:
                    raise AlreadyAnswered("you have answered this pair already")
                return give_feedback(row, training, known, answers)
            following, at = next_place(training, answers)
            if (attempt, place) != (following + 1, at):
                raise WrongPhase("another pair of the training comes first")
            if choice not in rules.judging.choices:
                raise BadAnswer(f"{choice!r} is not a choice of this study")
            right = choice == better_side(row, attempt, place)
            answer = TrainingAnswerRow(annotator_id=row.id, attempt=attempt, place=place, choice=choice, right=right)
            session.add(answer)
            feedback = give_feedback(row, training, answer, [*answers, answer])
            if feedback.passed:
                leave_phase(session, row, rules)
            elif feedback.passed is False and attempt >= training.attempts:
                enter_phase(session, row, SCREENED_OUT, f"{feedback.correct} right, {training.pass_mark} wanted")
            return feedback

    def withdraw(self, annotator: Annotator) -> None:
        """End an annotator's part for good: their judgments leave the analysis, and others get their pairs.

        It is possible after the end too, but only once; who declined has nothing to withdraw.
        """
        with self.writing(annotators=True) as session:
            row = find_own(session, annotator)
            if row.phase in {WITHDRAWN, DECLINED}:
                return
            enter_phase(session, row, WITHDRAWN)
            exclude_row(session, row, WITHDRAWN, None)  # None: an account stored here would survive an erasure


def begin_answer(session: Session, row: AnnotatorRow, phase: str) -> StudyProtocol:
    """Check that an annotator may answer in a phase, note the sign of life, and return the protocol.

    Raises `WrongPhase`, `StudyPaused`, and, except in the phase after the judging, `StudyClosed`.
    """
    rules = find_rules(session, row.study)
    check_phase(session, row, rules, phase)
    if phase != AFTER:
        refuse_closed(row.study, rules, "nothing was saved")
    row.seen_at = now()
    return rules


def questions_of(rules: StudyProtocol, survey: str) -> tuple[SurveyQuestion, ...]:
    """Return the questions of the survey `before` or `after`."""
    return rules.surveys.before if survey == "before" else rules.surveys.after


def is_warned(session: Session, row: AnnotatorRow) -> bool:
    """Tell whether an annotator has judged nothing since they were warned."""
    of_theirs = (EventRow.annotator_id == row.id, EventRow.event == WARNED)
    warned_at = session.scalar(select(func.max(EventRow.happened_at)).where(*of_theirs))
    if warned_at is None:
        return False
    judged = select(func.max(JudgmentRow.decided_at)).join(AssignmentRow).where(AssignmentRow.annotator_id == row.id)
    latest = session.scalar(judged)
    return latest is None or latest <= warned_at
