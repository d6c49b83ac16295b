"""Progress: what annotators have judged, skipped and changed, what is open to them, and what awaits newcomers."""

from collections.abc import Iterable, Sequence, Set
from datetime import datetime
from statistics import median
from typing import NamedTuple, Self

from sqlalchemy import ColumnElement, Select, bindparam, func, select
from sqlalchemy.orm import Session, contains_eager, joinedload

from relevance.annotation.assigning import (
    CHECKS,
    TEXTS,
    WANTED,
    Queue,
    choice_of,
    limit_pairs,
    read_queue,
    show_pair,
    title_shown,
    wanted_by,
)
from relevance.annotation.entering import find_rules, state_of_study
from relevance.annotation.judging import read_source
from relevance.annotation.phases import ENDS
from relevance.annotation.protocol.records import StudyProtocol
from relevance.annotation.records import (
    CHANGED,
    JUDGED,
    OPEN,
    SKIPPED,
    AnnotatorProgress,
    AnsweredPair,
    JudgingProgress,
    JudgmentTask,
)
from relevance.annotation.sampling import GIVEN
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, StudyRow
from relevance.data.one_line import cut

LATEST = 100
"""The number of latest judgments from which the duration of one is estimated."""

SAMPLED = 10
"""The number of pairs from whose texts the length of the others is estimated."""

LEAD = 100
"""The number of characters by which a document without a title is listed."""

TIMES = (
    select(JudgmentRow.presented_at, JudgmentRow.decided_at)
    .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
    .order_by(AssignmentRow.id.desc())
    .limit(LATEST)
)
OWN_TIMES = TIMES.where(AssignmentRow.annotator_id == bindparam("annotator"))
"""The times of an annotator's latest judgments."""
STUDY_TIMES = TIMES.join(AnnotatorRow, AnnotatorRow.id == AssignmentRow.annotator_id).where(
    AnnotatorRow.study_id == bindparam("study"), AnnotatorRow.excluded_at.is_(None)
)
"""The times of a study's latest judgments."""


def read_judging_progress(session: Session, row: AnnotatorRow, queue: Queue) -> JudgingProgress:
    """Read the progress of one annotator."""
    return JudgingProgress(
        judged=queue.judged,
        skipped=queue.skipped,
        open=0 if row.phase in ENDS else queue.open,
        seconds=median_seconds(session, OWN_TIMES, annotator=row.id),
        changed=queue.changed,
    )


class StudyOffer(NamedTuple):
    """The task that a study offers to an annotator who joins now."""

    rules: StudyProtocol
    """The protocol; for a study made by an earlier version, an empty one without its part on judgments."""
    pairs: int
    """The most pairs that they will be given, with attention checks."""
    seconds: float | None
    """The median duration of the study's latest hundred judgments, in seconds; None before the first."""
    sample: tuple[JudgmentTask, ...]
    """Some of the pairs, which tell how long the texts are."""


def read_offer(session: Session, study: StudyRow) -> StudyOffer:
    """Read what a study asks of somebody who comes now."""
    sampled = session.scalars(
        select(PairRow)
        .where(PairRow.study_id == study.id, PairRow.expected_id.is_(None))
        .order_by(PairRow.position)
        .limit(SAMPLED)
        .options(*TEXTS)
    )
    rules = find_rules(session, study)
    return StudyOffer(
        rules=rules,
        pairs=read_queue(session, study, None, rules).to_come,
        seconds=median_seconds(session, STUDY_TIMES, study=study.id),
        sample=tuple(show_pair(pair) for pair in sampled),
    )


def median_seconds(session: Session, times: Select[datetime | None, datetime | None], **of: int) -> float | None:
    """Return the median duration of the latest judgments, in seconds; None before the first."""
    return median_of((row.presented_at, row.decided_at) for row in session.execute(times, of))


def median_of(times: Iterable[tuple[datetime | None, datetime | None]]) -> float | None:
    """Return the median duration of judgments whose times are known, in seconds; None without any."""
    took = [(decided - presented).total_seconds() for presented, decided in times if presented and decided]
    return median(took) if took else None


def read_answered(session: Session, row: AnnotatorRow, state: str | None, count: int) -> list[AnsweredPair]:
    """Read the latest pairs that an annotator has judged or skipped; see `AnnotationStore.answered`."""
    number = func.row_number().over(order_by=AssignmentRow.id)
    numbered = select(AssignmentRow.id, number.label("number")).where(AssignmentRow.annotator_id == row.id).subquery()
    answered = (
        select(AssignmentRow, numbered.c.number)
        .join(numbered, numbered.c.id == AssignmentRow.id)
        .outerjoin(JudgmentRow, JudgmentRow.assignment_id == AssignmentRow.id)
        .where(AssignmentRow.reserved_until.is_(None), *STATES[state])
        .order_by(AssignmentRow.id.desc())
        .limit(count)
        .options(contains_eager(AssignmentRow.judgment), joinedload(AssignmentRow.pair).options(*TEXTS))
    )
    return [
        AnsweredPair(
            assignment_id=assignment.id,
            number=place,
            name=title_shown(assignment.pair) or cut(read_source(assignment.pair.document.source), LEAD),
            choice=choice_of(assignment) or "skip",
            changed=assignment.judgment is not None and assignment.judgment.revision > 1,
        )
        for assignment, place in session.execute(answered)
    ]


STATES: dict[str | None, tuple[ColumnElement[bool], ...]] = {
    None: (),
    JUDGED: (JudgmentRow.id.is_not(None),),
    CHANGED: (JudgmentRow.revision > 1,),
    SKIPPED: (JudgmentRow.id.is_(None),),
}
"""The conditions of the states by which annotators list their pairs."""


def read_progress(session: Session, study: StudyRow) -> list[AnnotatorProgress]:
    """Read the progress of each annotator of a study, in the order in which they joined."""
    people = session.execute(
        select(AnnotatorRow.id, AnnotatorRow.name, AnnotatorRow.phase, AnnotatorRow.excluded_at, AnnotatorRow.erased_at)
        .where(AnnotatorRow.study_id == study.id)
        .order_by(AnnotatorRow.id)
    ).all()
    outcomes: dict[int, list[AssignmentOutcome]] = {person.id: [] for person in people}
    for outcome in session.execute(
        select(
            AssignmentRow.annotator_id,
            AssignmentRow.pair_id,
            AssignmentRow.left_id,
            AssignmentRow.reserved_until,
            AssignmentRow.skipped_at,
            PairRow.expected_id,
            JudgmentRow.id,
            JudgmentRow.revision,
            JudgmentRow.chosen_id,
            JudgmentRow.both_bad,
            JudgmentRow.presented_at,
            JudgmentRow.decided_at,
        )
        .join(AnnotatorRow, AnnotatorRow.id == AssignmentRow.annotator_id)
        .join(PairRow, PairRow.id == AssignmentRow.pair_id)
        .outerjoin(JudgmentRow, JudgmentRow.assignment_id == AssignmentRow.id)
        .where(AnnotatorRow.study_id == study.id)
    ):
        outcomes[outcome.annotator_id].append(AssignmentOutcome._make(outcome[1:]))
    to_come = ToCome.read(session, study)
    progress = []
    for person in people:
        ended = person.phase in ENDS or person.excluded_at is not None or person.erased_at is not None
        is_open = 0 if ended else to_come.count(outcomes[person.id])
        progress.append(
            to_progress(person.name, outcomes[person.id], is_open=is_open, excluded=person.excluded_at is not None)
        )
    return [of_person._replace(left=None) for of_person in progress] if study.rule == GIVEN else progress


class AssignmentOutcome(NamedTuple):
    """An assignment, the expected choice of an attention check, and the judgment if there is one."""

    pair_id: int
    left_id: int
    reserved_until: datetime | None
    skipped_at: datetime | None
    expected_id: int | None
    judgment_id: int | None
    revision: int | None
    chosen_id: int | None
    both_bad: bool | None
    presented_at: datetime | None
    decided_at: datetime | None


class ToCome(NamedTuple):
    """The pairs that the annotators of a study may still be given, read once for all of them."""

    wanted: Set[int]
    """The pairs that want more judgments."""
    checks: int
    most: int | None
    """The most pairs that one annotator judges."""

    @classmethod
    def read(cls, session: Session, study: StudyRow) -> Self:
        """Read what a study has to give; nothing if it is not open."""
        rules = find_rules(session, study)
        if study.stopped_at is not None or state_of_study(study, rules) != OPEN:
            return cls(frozenset(), 0, None)
        wanted = session.scalars(WANTED[study.in_drawn_order], wanted_by(study, None, rules.judging)).all()
        checks = session.execute(CHECKS, {"study": study.id, "annotator": None}).all()
        return cls(frozenset(wanted), len(checks), rules.judging.most_per_annotator)

    def count(self, outcomes: Sequence[AssignmentOutcome]) -> int:
        """Count what is open to an annotator with these assignments: undecided ones, pairs and checks to come."""
        given = {row.pair_id for row in outcomes}
        checks = sum(row.expected_id is not None for row in outcomes)
        pairs = limit_pairs(len(self.wanted) - len(given & self.wanted), self.most, len(outcomes) - checks)
        undecided = sum(row.reserved_until is not None for row in outcomes)
        return undecided + pairs + max(0, self.checks - checks)


def to_progress(name: str, outcomes: Sequence[AssignmentOutcome], *, is_open: int, excluded: bool) -> AnnotatorProgress:
    """Sum up one annotator's assignments; `is_open` is the number of pairs that are open to them."""
    judged = [row for row in outcomes if row.judgment_id is not None]
    pairs = [row for row in judged if row.expected_id is None]
    checks = [row.chosen_id == row.expected_id for row in judged if row.expected_id is not None]
    return AnnotatorProgress(
        annotator=name,
        open=is_open,
        judged=len(pairs),
        changed=sum((row.revision or 0) > 1 for row in pairs),
        skipped=sum(row.skipped_at is not None and row.judgment_id is None for row in outcomes),
        seconds=median_of((row.presented_at, row.decided_at) for row in judged),
        ties=sum(row.chosen_id is None for row in pairs),
        both_bad=sum(bool(row.both_bad) for row in pairs),
        left=sum(row.chosen_id == row.left_id for row in pairs),
        latest=max((row.decided_at for row in judged if row.decided_at is not None), default=None),
        checks=len(checks),
        checks_passed=sum(checks),
        excluded=excluded,
    )
