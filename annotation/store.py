"""The store of studies and judgments, the only writer of `relevance.annotation.tables`, except for keywords' tables."""

import secrets
from datetime import datetime
from typing import Unpack

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload

from relevance.annotation.assigning import (
    assign_pair,
    chosen_id,
    find_assignment,
    lock_study,
    read_queue,
    to_judgment_task,
)
from relevance.annotation.entering import (
    WARNED,
    add_event,
    check_phase,
    enter_phase,
    find_rules,
    leave_phase,
    refuse_closed,
    state_of_study,
)
from relevance.annotation.inputs import clean_text, person_name
from relevance.annotation.judging import JudgmentParts, check_parts
from relevance.annotation.phases import FAILED, JUDGING, WITHDRAWN, phases_of
from relevance.annotation.progress import StudyOffer, read_answered, read_judging_progress, read_offer, read_progress
from relevance.annotation.protocol.records import Checks
from relevance.annotation.protocol.tables import EventRow
from relevance.annotation.records import (
    BOTH_BAD,
    OPEN,
    AlreadyJudged,
    Annotator,
    AnnotatorProgress,
    AnsweredPair,
    JudgingProgress,
    JudgmentTask,
    NameTaken,
    NotAssigned,
    Turn,
    UnknownInvite,
    WorkGone,
)
from relevance.annotation.studies import StudyStore, check_open, find_study, may
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, RevisionRow, StudyRow
from relevance.annotation.timing import check_times
from relevance.data.database import now
from relevance.data.rights import Right, visitor_of
from relevance.data.store import StoreError
from relevance.data.store.rows import to_record


class AnnotationStore(StudyStore):
    """Studies, annotators and judgments over one engine, in a short session per call."""

    # --- annotators --------------------------------------------------------------------------------------

    def join(self, *, study: str, name: str) -> Annotator:
        """Return the annotator of that name, new or known; signed-in people judge by the name of their account.

        Raises `UnknownStudy`, `StudyClosed`, `NameTaken`.
        """
        try:
            with self.writing() as session:
                row = find_study(session, study)
                user_id = visitor_of(session).user_id
                name = person_name(visitor_of(session).name or name)
                known = find_annotator(session, row, name)
                if known is not None and known.invited:
                    raise NameTaken(f"{name!r} was invited by a link; open that link, or choose another name")
                if known is not None and not is_own(session, known):
                    raise NameTaken(f"the study {study!r} has another annotator {name!r}, or one who was excluded")
                if known is None or row.bundle_sha256 is not None:  # a study that was opened from a bundle is only read
                    check_open(session, row)
                return to_annotator(known or add_annotator(session, row, name, invited=False, user_id=user_id))
        except IntegrityError:  # the same name joined in another session at this moment
            return self.join(study=study, name=name)

    def invite(self, *, study: str, name: str) -> Annotator:
        """Return an annotator whose work only their token opens, new or invited before.

        Raises `UnknownStudy`, `StudyClosed`, and `NameTaken` if somebody of that name came without an invite.
        """
        name = person_name(name)
        try:
            with self.writing() as session:
                row = find_study(session, study, Right.MANAGE)
                check_open(session, row)
                known = find_annotator(session, row, name)
                if known is not None and not known.invited:
                    raise NameTaken(f"the study {study!r} already has an annotator {name!r}")
                return to_annotator(known or add_annotator(session, row, name, invited=True))
        except IntegrityError:  # somebody of that name joined or was invited at this moment
            return self.invite(study=study, name=name)

    def invited(self, study: str) -> list[Annotator]:
        """List the annotators invited to a study, in the order of the invites. Raises `UnknownStudy`."""
        with self.reading() as session:
            of_study = AnnotatorRow.study_id == find_study(session, study, Right.MANAGE).id
            rows = session.scalars(select(AnnotatorRow).where(of_study, AnnotatorRow.invited).order_by(AnnotatorRow.id))
            return [to_annotator(row) for row in rows]

    def annotator(self, token: str) -> Annotator:
        """Return the annotator that a token belongs to. Raises `UnknownInvite`."""
        with self.reading(annotators=True) as session:
            row = session.scalar(
                select(AnnotatorRow)
                .where(AnnotatorRow.token == clean_text(token))
                .options(joinedload(AnnotatorRow.study))
            )
            if row is None or not is_own(session, row):
                raise UnknownInvite("this invite is not known; ask whoever sent it for a new link")
            return to_annotator(row)

    def own_annotator(self) -> Annotator | None:
        """Return the annotator that the caller is by the link that they came by; None for everybody else."""
        with self.reading(annotators=True) as session:
            annotator_id = visitor_of(session).annotator_id
            return None if annotator_id is None else to_annotator(session.get_one(AnnotatorRow, annotator_id))

    # --- assignment --------------------------------------------------------------------------------------

    def turn(self, annotator: Annotator) -> Turn:
        """Return the pair that an annotator is to judge now, None if none is left or the study is closed, and progress.

        An open assignment comes back first, so that a reload shows the same pair with the same sides. Otherwise it is
        the pair with the fewest judgments among those that want more and that the annotator has not been given; now and
        then an attention check instead, and at the end the checks that are left. An annotator who gets no pair has
        finished judging, and enters the next phase if the study has one.

        Raises `WrongPhase` for annotators who do not judge yet or no longer, and `StudyPaused`.
        """
        with self.writing(annotators=True) as session:
            row = find_own(session, annotator)
            rules = find_rules(session, row.study)
            check_phase(session, row, rules, JUDGING)
            lock_study(session, row.study)
            queue = read_queue(session, row.study, row.id, rules)
            is_open = state_of_study(row.study, rules) == OPEN
            assigned_id = assign_pair(session, row, queue) if is_open else None
            task = None if assigned_id is None else to_judgment_task(session, assigned_id)
            if task is None and (is_open or queue.judged or queue.skipped):
                leave_phase(session, row, rules)
            return Turn(task, read_judging_progress(session, row, queue))

    def next_task(self, annotator: Annotator) -> JudgmentTask | None:
        """Return the pair that an annotator is to judge now, without their progress; see `turn`."""
        return self.turn(annotator).task

    def task(self, annotator: Annotator, assignment_id: int) -> JudgmentTask:
        """Return a pair that the annotator was given. Raises `NotAssigned`."""
        with self.reading(annotators=True) as session:
            find_own(session, annotator)
            find_assignment(session, annotator, assignment_id)
            return to_judgment_task(session, assignment_id)

    def previous_task(self, annotator: Annotator, assignment_id: int | None = None) -> JudgmentTask | None:
        """Return the pair that the annotator was given before another one (None: the last), to look at or change."""
        with self.reading(annotators=True) as session:
            find_own(session, annotator)
            earlier = (
                select(AssignmentRow.id)
                .where(AssignmentRow.annotator_id == annotator.id, AssignmentRow.reserved_until.is_(None))
                .order_by(AssignmentRow.id.desc())
                .limit(1)
            )
            if assignment_id is not None:
                earlier = earlier.where(AssignmentRow.id < assignment_id)
            earlier_id = session.scalar(earlier)
            return None if earlier_id is None else to_judgment_task(session, earlier_id)

    # --- judgments ---------------------------------------------------------------------------------------

    def judge(
        self,
        *,
        annotator: Annotator,
        assignment_id: int,
        choice: str,
        presented_at: datetime,
        decided_at: datetime | None = None,
        change: bool = False,
        **parts: Unpack[JudgmentParts],
    ) -> None:
        """Record a choice of `CHOICES`; it is on disk when this returns.

        With `change` an earlier choice is replaced and kept as a revision; a skipped pair can be judged after all, and
        the skip stays on record. A wrong answer to an attention check may bring a warning, or end the annotator's part.

        Raises `AlreadyJudged`, `NotAssigned`, `StudyClosed`, `StudyPaused`, `TooSoon`, `WrongPhase`, `BadAnswer` if
        something that the study requires is missing, or StoreError for a choice that the study does not have.
        """
        decided_at = decided_at or now()
        check_times(presented_at, decided_at, "the choice came too soon after the pair was shown; it was not saved")
        with self.writing(annotators=True) as session:
            row = find_own(session, annotator)
            assignment = find_assignment(session, annotator, assignment_id, lock=True)
            study = assignment.pair.study
            rules = find_rules(session, study)
            check_phase(session, row, rules, JUDGING)
            refuse_closed(study, rules, "the choice was not saved")
            if choice not in rules.judging.choices:
                raise StoreError(f"{choice!r} is not a choice of this study")
            judgment = assignment.judgment
            if judgment is not None and not change:
                raise AlreadyJudged("this pair is already judged; go back to it to change the choice")
            checked = check_parts(rules.judging, assignment, parts)
            if judgment is None:
                judgment = JudgmentRow(assignment_id=assignment.id, revision=1)
                session.add(judgment)
                assignment.pair.judgments = PairRow.judgments + 1  # added by the database, whoever else judges the pair
            else:
                session.add(to_revision(judgment))
                judgment.revision += 1
            judgment.chosen_id, judgment.both_bad = chosen_id(assignment, choice), choice == BOTH_BAD
            judgment.presented_at, judgment.decided_at = presented_at, decided_at
            for name, value in checked.items():
                setattr(judgment, name, value)
            assignment.reserved_until = None
            row.seen_at = now()
            if assignment.pair.expected_id not in {None, judgment.chosen_id}:
                apply_check_limits(session, row, rules.checks)

    def skip(self, *, annotator: Annotator, assignment_id: int, reason: str) -> None:
        """Leave a pair unjudged, with the reason.

        Raises `AlreadyJudged`, `NotAssigned`, `StudyClosed`, `StudyPaused`, `WrongPhase`, or StoreError without a
        reason.
        """
        reason = clean_text(reason)
        if not reason:
            raise StoreError("say why the pair is skipped")
        with self.writing(annotators=True) as session:
            row = find_own(session, annotator)
            assignment = find_assignment(session, annotator, assignment_id, lock=True)
            study = assignment.pair.study
            rules = find_rules(session, study)
            check_phase(session, row, rules, JUDGING)
            refuse_closed(study, rules, "the pair was not skipped")
            if assignment.judgment is not None:
                raise AlreadyJudged("this pair is already judged; it cannot be skipped any more")
            assignment.reserved_until = None
            assignment.skipped_at, assignment.skip_reason = now(), reason
            row.seen_at = assignment.skipped_at

    # --- progress ----------------------------------------------------------------------------------------

    def progress(self, annotator: Annotator) -> JudgingProgress:
        """Return the progress of an annotator."""
        with self.reading(annotators=True) as session:
            row = find_own(session, annotator)
            queue = read_queue(session, row.study, row.id, find_rules(session, row.study))
            return read_judging_progress(session, row, queue)

    def offer(self, study: str) -> StudyOffer:
        """Return what a study asks of somebody who comes now. Raises `UnknownStudy`."""
        with self.reading(annotators=True) as session:
            return read_offer(session, find_study(session, study, Right.JUDGE))

    def answered(self, annotator: Annotator, state: str | None = None, *, count: int) -> list[AnsweredPair]:
        """List the latest `count` pairs that an annotator has judged or skipped, the latest first.

        `state` is `JUDGED`, `CHANGED` (the judged ones whose choice was changed later) or `SKIPPED`; None for all.
        """
        with self.reading(annotators=True) as session:
            return read_answered(session, find_own(session, annotator), state, count)

    def annotators(self, study: str) -> list[AnnotatorProgress]:
        """Return the progress of a study's annotators, in the order in which they joined."""
        with self.reading() as session:
            return read_progress(session, find_study(session, study))


def find_annotator(session: Session, study: StudyRow, name: str) -> AnnotatorRow | None:
    """Find the row of a study's annotator; None if there is none of that name."""
    return session.scalar(select(AnnotatorRow).where(AnnotatorRow.study_id == study.id, AnnotatorRow.name == name))


def is_own(session: Session, row: AnnotatorRow) -> bool:
    """Tell whether the caller is an annotator, by their link or account, and may judge."""
    visitor = visitor_of(session)
    excluded = row.excluded_at is not None and row.phase != WITHDRAWN  # their page still says that they have withdrawn
    if excluded or row.erased_at is not None:
        return False
    if visitor.is_annotator:
        return visitor.annotator_id == row.id
    if visitor.user_id is None:  # on one's own machine
        return visitor.everything
    return row.user_id == visitor.user_id and may(session, Right.JUDGE, row.study)


def find_own(session: Session, annotator: Annotator) -> AnnotatorRow:
    """Find the row of an annotator if they are the caller. Raises `WorkGone`, and `NotAssigned` for others.

    The token tells whether it is still the same annotator: if another database has replaced the one in which the page
    was opened, the number may belong to somebody else in another study. In a call that writes, nobody can pause,
    exclude or erase the annotator before it is committed.
    """
    hold = {"key_share": True, "of": AnnotatorRow} if session.info.get("writing") else None
    with_study = joinedload(AnnotatorRow.study, innerjoin=True)
    row = session.get(AnnotatorRow, annotator.id, options=[with_study], with_for_update=hold)
    if row is None or row.token != annotator.token:
        raise WorkGone("the database has no work of this annotator")
    if not is_own(session, row):
        raise NotAssigned("this is the work of another annotator, or you do not judge in this study any more")
    return row


def add_annotator(
    session: Session, study: StudyRow, name: str, *, invited: bool, user_id: int | None = None
) -> AnnotatorRow:
    """Add a new annotator at the first phase of the study, with a token that cannot be guessed."""
    row = AnnotatorRow(study=study, name=name, token=secrets.token_urlsafe(24), invited=invited, user_id=user_id)
    row.phase, row.phase_at = phases_of(find_rules(session, study))[0], now()
    session.add(row)
    session.flush()
    return row


def to_annotator(row: AnnotatorRow) -> Annotator:
    """Make the record of an annotator's row."""
    return to_record(Annotator, row, study=row.study.name)


def to_revision(judgment: JudgmentRow) -> RevisionRow:
    """Make a revision that keeps a judgment as it was before a change."""
    return RevisionRow(
        judgment_id=judgment.id,
        revision=judgment.revision,
        chosen_id=judgment.chosen_id,
        presented_at=judgment.presented_at,
        decided_at=judgment.decided_at,
        rationale=judgment.rationale,
        both_bad=judgment.both_bad,
        confidence=judgment.confidence,
        marks=judgment.marks,
    )


def apply_check_limits(session: Session, row: AnnotatorRow, checks: Checks) -> None:
    """Warn an annotator who has just failed an attention check, or end their part, by the protocol's limits."""
    if checks.warn_after is None and checks.end_after is None:
        return
    session.flush()
    wrong = session.scalar(
        select(func.count())
        .select_from(AssignmentRow)
        .join(JudgmentRow)
        .join(PairRow, PairRow.id == AssignmentRow.pair_id)
        .where(
            AssignmentRow.annotator_id == row.id,
            PairRow.expected_id.is_not(None),
            func.coalesce(JudgmentRow.chosen_id, 0) != PairRow.expected_id,
        )
    )
    warned = select(EventRow.id).where(EventRow.annotator_id == row.id, EventRow.event == WARNED).limit(1)
    if checks.end_after is not None and (wrong or 0) >= checks.end_after:
        enter_phase(session, row, FAILED, f"{wrong} wrong")
    elif checks.warn_after is not None and (wrong or 0) >= checks.warn_after and session.scalar(warned) is None:
        add_event(session, row, WARNED, f"{wrong} wrong")
