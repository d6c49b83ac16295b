"""Which pair an annotator gets next, and what they see of it."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Row, Select, func, select
from sqlalchemy.orm import Session, joinedload

from annotation.records import Annotator, JudgmentTask, NotAssigned
from annotation.sampling import first_is_left
from annotation.tables import AnnotatorRow, AssignmentRow, PairRow, StudyRow
from data.database import now
from data.records import TITLE_SYSTEM
from data.store.rows import to_source

RESERVED = timedelta(minutes=30)
"""How long an undecided assignment keeps its place among the judgments that a pair still wants.

Whoever returns later finds it still there, and their judgment counts even if somebody else took the place."""


def find_open_assignment(session: Session, annotator_id: int) -> int | None:
    """The assignment that an annotator has neither judged nor skipped."""
    return session.scalar(
        select(AssignmentRow.id)
        .where(AssignmentRow.annotator_id == annotator_id, AssignmentRow.reserved_until.is_not(None))
        .order_by(AssignmentRow.id)
        .limit(1)
    )


def select_open_pairs(annotator: AnnotatorRow) -> Select[int, int, int]:
    """Select the pairs that want more judgments and that the annotator was not given, the most wanted first.

    A fresh assignment of somebody else counts as the judgment that it will probably become.
    """
    study = annotator.study
    reserved = (
        select(AssignmentRow.pair_id, func.count().label("places"))
        .where(AssignmentRow.reserved_until > now())
        .group_by(AssignmentRow.pair_id)
        .subquery()
    )
    taken = PairRow.judgments + func.coalesce(reserved.c.places, 0)
    given = select(AssignmentRow.pair_id).where(AssignmentRow.annotator_id == annotator.id)
    return (
        select(PairRow.id, PairRow.first_id, PairRow.second_id)
        .outerjoin(reserved, reserved.c.pair_id == PairRow.id)
        .where(
            PairRow.study_id == study.id,
            PairRow.expected_id.is_(None),
            PairRow.id.not_in(given),
            taken < study.judgments_per_pair,
        )
        .order_by(taken, PairRow.position)
    )


def select_checks(annotator: AnnotatorRow) -> Select[int, int, int, int, int | None]:
    """Select the study's attention checks in order, each with the annotator's assignment where they were given it."""
    return (
        select(PairRow.id, PairRow.first_id, PairRow.second_id, PairRow.position, AssignmentRow.id.label("given_id"))
        .outerjoin(AssignmentRow, (AssignmentRow.pair_id == PairRow.id) & (AssignmentRow.annotator_id == annotator.id))
        .where(PairRow.study_id == annotator.study_id, PairRow.expected_id.is_not(None))
        .order_by(PairRow.position)
    )


def check_is_due(session: Session, study: StudyRow, *, pairs: int, checks: int, turn: int) -> bool:
    """Whether an annotator's `turn`-th pair, counted from 0, is to be an attention check.

    The checks are spread over the pairs that an annotator of as many as there are by now will probably get.
    """
    annotators = session.scalar(select(func.count()).where(AnnotatorRow.study_id == study.id)) or 1
    share = min(pairs, pairs * study.judgments_per_pair // annotators)
    return (turn + 1) % max(2, share // (checks + 1)) == 0


def assign_pair(session: Session, annotator_id: int) -> int | None:
    """Assign a pair to the annotator, or None if the study is closed or no pair is left.

    A study's assignments are made one after another, so that no two people get a pair's last place, and one person's
    two windows get the same pair.
    """
    annotator = session.get_one(AnnotatorRow, annotator_id)
    lock_study(session, annotator.study_id)
    if annotator.study.closed_at is not None:
        return None
    open_id = find_open_assignment(session, annotator_id)
    if open_id is not None:
        return open_id
    study = annotator.study
    turn = session.scalar(select(func.count()).where(AssignmentRow.annotator_id == annotator_id)) or 0
    checks = session.execute(select_checks(annotator)).all()
    unseen = [check for check in checks if check.given_id is None]
    seen = len(checks) - len(unseen)
    pairs = checks[0].position if checks else 0  # checks come after all pairs
    pair: Row[int, int, int] | Row[int, int, int, int, int | None] | None = None
    if not unseen or not check_is_due(session, study, pairs=pairs, checks=len(checks), turn=turn):
        pair = session.execute(select_open_pairs(annotator).limit(1)).first()
    # Sides are evened out among the pairs alone; checks take turns that no pair comes to.
    side = turn - seen
    if pair is None and unseen:
        pair, side = unseen[0], 2 * pairs + seen
    if pair is None:
        return None
    first_left = first_is_left(seed=study.seed, annotator_id=annotator_id, turn=side)
    assignment = AssignmentRow(
        annotator_id=annotator_id,
        pair_id=pair.id,
        left_id=pair.first_id if first_left else pair.second_id,
        reserved_until=now() + RESERVED,
    )
    session.add(assignment)
    session.flush()
    return assignment.id


def lock_study(session: Session, study_id: int) -> None:
    """Wait until nobody else assigns pairs of a study. SQLite has one writer anyway and ignores it."""
    session.scalar(select(StudyRow.id).where(StudyRow.id == study_id).with_for_update(key_share=True))


def find_assignment(session: Session, annotator: Annotator, assignment_id: int, *, lock: bool = False) -> AssignmentRow:
    """An assignment of this annotator and of nobody else, with `lock` while it changes. Raises `NotAssigned`."""
    row = session.get(AssignmentRow, assignment_id, with_for_update=lock or None)
    if row is None or row.annotator_id != annotator.id:
        raise NotAssigned("this pair was not given to this annotator")
    return row


def to_judgment_task(session: Session, assignment_id: int) -> JudgmentTask:
    """An assignment as its annotator sees it."""
    row = session.get_one(
        AssignmentRow,
        assignment_id,
        options=[
            joinedload(AssignmentRow.judgment),
            joinedload(AssignmentRow.pair).options(
                joinedload(PairRow.document), joinedload(PairRow.first), joinedload(PairRow.second)
            ),
        ],
        populate_existing=True,
    )
    pair, document = row.pair, row.pair.document
    left, right = (pair.first, pair.second) if row.left_id == pair.first_id else (pair.second, pair.first)
    # A title that is itself one of the two would give the pair away.
    shown = {summary.text for summary in (left, right)}
    title_stands = TITLE_SYSTEM in (left.system, right.system) or document.title in shown
    return JudgmentTask(
        assignment_id=row.id,
        title=None if title_stands else document.title,
        source=to_source(document),
        left=left.text,
        right=right.text,
        choice=choice_of(row),
        rationale=None if row.judgment is None else row.judgment.rationale,
    )


def choice_of(row: AssignmentRow) -> str | None:
    """What was chosen in an assignment, by side."""
    if row.judgment is None:
        return None if row.skipped_at is None else "skip"
    if row.judgment.chosen_id is None:
        return "tie"
    return "left" if row.judgment.chosen_id == row.left_id else "right"


def chosen_id(assignment: AssignmentRow, choice: str) -> int | None:
    """The summary that a side stands for; None for a tie."""
    if choice == "tie":
        return None
    pair = assignment.pair
    right_id = pair.second_id if assignment.left_id == pair.first_id else pair.first_id
    return assignment.left_id if choice == "left" else right_id
