"""The choice of an annotator's next pair, and the pair as they see it."""

from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import Row, ScalarSelect, Select, exists, func, select
from sqlalchemy.orm import Session, joinedload

from relevance.annotation.judging import see_marks
from relevance.annotation.phases import DECLINED, SCREENED_OUT
from relevance.annotation.protocol.records import StudyProtocol
from relevance.annotation.records import Annotator, JudgmentTask, WorkGone
from relevance.annotation.sampling import first_is_left
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, StudyRow
from relevance.data.database import now
from relevance.data.records import TITLE_SYSTEM
from relevance.data.store.rows import to_source

RESERVED = timedelta(minutes=30)
"""The time for which an undecided assignment keeps its place among the judgments that a pair still wants.

Whoever returns later finds it still there, and their judgment counts even if somebody else took the place.
"""


def find_open_assignment(session: Session, annotator_id: int) -> int | None:
    """Find the assignment that an annotator has neither judged nor skipped."""
    return session.scalar(
        select(AssignmentRow.id)
        .where(AssignmentRow.annotator_id == annotator_id, AssignmentRow.reserved_until.is_not(None))
        .order_by(AssignmentRow.id)
        .limit(1)
    )


def select_open_pairs(study: StudyRow, annotator_id: int | None) -> Select[int, int, int]:
    """Select the pairs that want more judgments and that the annotator was not given, the most wanted first.

    Without an annotator, they are those of somebody who comes now.

    A recent assignment of somebody else counts as the judgment that it will probably become. If documents are
    completed in the drawn order, the earliest pair comes first instead, so that no more documents are begun than
    people need at the moment, and a skip takes a place of the pair, too.
    """
    reserved = (
        select(AssignmentRow.pair_id, func.count().label("places"))
        .where(AssignmentRow.reserved_until > now())
        .group_by(AssignmentRow.pair_id)
        .subquery()
    )
    done = PairRow.judgments + count_skips() if study.in_drawn_order else PairRow.judgments
    taken = done + func.coalesce(reserved.c.places, 0)
    given = select(AssignmentRow.pair_id).where(AssignmentRow.annotator_id == annotator_id)
    return (
        select(PairRow.id, PairRow.first_id, PairRow.second_id)
        .outerjoin(reserved, reserved.c.pair_id == PairRow.id)
        .where(
            PairRow.study_id == study.id,
            PairRow.expected_id.is_(None),
            PairRow.id.not_in(given),
            taken < study.judgments_per_pair,
        )
        .order_by(*(() if study.in_drawn_order else (taken,)), PairRow.position)
    )


def count_skips() -> ScalarSelect[int]:
    """Count the annotators who skipped a pair, did not judge it later, and are not excluded."""
    return (
        select(func.count())
        .select_from(AssignmentRow)
        .join(AnnotatorRow)
        .where(
            AssignmentRow.pair_id == PairRow.id,
            AssignmentRow.skipped_at.is_not(None),
            AnnotatorRow.excluded_at.is_(None),
            ~exists().where(JudgmentRow.assignment_id == AssignmentRow.id),
        )
        .correlate(PairRow)
        .scalar_subquery()
    )


def select_checks(study: StudyRow, annotator_id: int | None) -> Select[int, int, int, int, int | None]:
    """Select the study's attention checks in order, each with the annotator's assignment if they were given it."""
    return (
        select(PairRow.id, PairRow.first_id, PairRow.second_id, PairRow.position, AssignmentRow.id.label("given_id"))
        .outerjoin(AssignmentRow, (AssignmentRow.pair_id == PairRow.id) & (AssignmentRow.annotator_id == annotator_id))
        .where(PairRow.study_id == study.id, PairRow.expected_id.is_not(None))
        .order_by(PairRow.position)
    )


def check_is_due(session: Session, study: StudyRow, *, pairs: int, most: int, checks: int, turn: int) -> bool:
    """Tell whether an annotator's `turn`-th pair, counted from 0, is to be an attention check.

    The checks are spread over the pairs that each of the present number of annotators will probably get, at most
    `most`. Those who declined or were screened out judge nothing and are not counted.
    """
    of_study = AnnotatorRow.study_id == study.id, AnnotatorRow.phase.not_in((DECLINED, SCREENED_OUT))
    annotators = session.scalar(select(func.count()).where(*of_study)) or 1
    share = min(most, pairs * study.judgments_per_pair // annotators)
    return (turn + 1) % max(2, share // (checks + 1)) == 0


def assign_pair(session: Session, annotator: AnnotatorRow, rules: StudyProtocol) -> int | None:
    """Assign a pair to the annotator; return None if no pair is left or they have had as many as they may.

    None is left once the stopping rule of the study has ended it. Assignments of a study are made one after another, so
    that no two people get the last place of a pair, and two windows of one person get the same pair.
    """
    annotator_id = annotator.id
    stopped_at = lock_study(session, annotator.study_id)
    open_id = find_open_assignment(session, annotator_id)
    if open_id is not None:
        return open_id
    study, moment = annotator.study, now()
    if stopped_at is not None:
        return None
    turn = session.scalar(select(func.count()).where(AssignmentRow.annotator_id == annotator_id)) or 0
    checks = session.execute(select_checks(study, annotator_id)).all()
    unseen = [check for check in checks if check.given_id is None]
    seen = len(checks) - len(unseen)
    pairs = checks[0].position if checks else 0  # checks come after all pairs
    most = rules.judging.most_per_annotator or pairs
    pair: Row[int, int, int] | Row[int, int, int, int, int | None] | None = None
    has_enough = rules.judging.most_per_annotator is not None and turn - seen >= most
    due = unseen and check_is_due(session, study, pairs=pairs, most=min(pairs, most), checks=len(checks), turn=turn)
    if not has_enough and not due:
        pair = session.execute(select_open_pairs(study, annotator_id).limit(1)).first()
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
        reserved_until=moment + RESERVED,
    )
    session.add(assignment)
    annotator.seen_at = moment
    session.flush()
    return assignment.id


def lock_study(session: Session, study_id: int) -> datetime | None:
    """Wait until nobody else assigns pairs of a study; returns when its stopping rule ended it, None if it did not.

    SQLite has one writer anyway and ignores the lock.
    """
    return session.scalar(select(StudyRow.stopped_at).where(StudyRow.id == study_id).with_for_update(key_share=True))


def find_assignment(session: Session, annotator: Annotator, assignment_id: int, *, lock: bool = False) -> AssignmentRow:
    """Find an assignment of this annotator only, and with `lock` lock it for a change. Raises `WorkGone`."""
    row = session.get(AssignmentRow, assignment_id, with_for_update=lock or None)
    if row is None or row.annotator_id != annotator.id:
        raise WorkGone("this pair was not given to this annotator")
    return row


def to_judgment_task(session: Session, assignment_id: int) -> JudgmentTask:
    """Return an assignment as its annotator sees it."""
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
    shown = show_pair(row.pair, first_left=row.left_id == row.pair.first_id)
    given = select(func.count()).where(AssignmentRow.annotator_id == row.annotator_id, AssignmentRow.id <= row.id)
    number = session.scalar(given) or 0
    shown = replace(shown, assignment_id=row.id, number=number, choice=choice_of(row))
    judgment = row.judgment
    if judgment is None:
        return shown
    marks = see_marks(row, judgment.marks or ())
    return replace(shown, rationale=judgment.rationale, confidence=judgment.confidence, marks=marks)


def show_pair(pair: PairRow, *, first_left: bool = True) -> JudgmentTask:
    """Return a pair as annotators see it, before anybody has judged it; the assignment is 0, as there is none."""
    left, right = (pair.first, pair.second) if first_left else (pair.second, pair.first)
    return JudgmentTask(
        assignment_id=0,
        number=1,
        title=title_shown(pair),
        source=to_source(pair.document),
        left=left.text,
        right=right.text,
        choice=None,
        rationale=None,
    )


def title_shown(pair: PairRow) -> str | None:
    """Return the title over a pair's document; None if it is one of the two summaries, as it would give that away."""
    title, summaries = pair.document.title, (pair.first, pair.second)
    stands = any(summary.system == TITLE_SYSTEM or summary.text == title for summary in summaries)
    return None if stands else title


def choice_of(row: AssignmentRow) -> str | None:
    """Return the choice of an assignment, by side."""
    if row.judgment is None:
        return None if row.skipped_at is None else "skip"
    if row.judgment.chosen_id is None:
        return "tie"
    return "left" if row.judgment.chosen_id == row.left_id else "right"


def chosen_id(assignment: AssignmentRow, choice: str) -> int | None:
    """Return the number of the summary on a side; None for a tie."""
    if choice == "tie":
        return None
    pair = assignment.pair
    right_id = pair.second_id if assignment.left_id == pair.first_id else pair.first_id
    return assignment.left_id if choice == "left" else right_id
