"""The store of studies and judgments: the only code that writes the tables of `annotation.tables` but for keywords."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime
from statistics import median
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload

from annotation.assigning import (
    assign_pair,
    chosen_id,
    find_assignment,
    select_checks,
    select_open_pairs,
    to_judgment_task,
)
from annotation.inputs import check_times, clean_text, person_name
from annotation.records import (
    CHOICES,
    AlreadyJudged,
    Annotator,
    AnnotatorProgress,
    JudgingProgress,
    JudgmentTask,
    NameTaken,
    StudyClosed,
    UnknownInvite,
)
from annotation.studies import StudyStore, find_study
from annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, RevisionRow, StudyRow
from data.database import now
from data.store import StoreError
from data.store.rows import to_record

LATEST = 100
"""How many of an annotator's latest judgments tell how long one takes."""


class AnnotationStore(StudyStore):
    """Studies, annotators and judgments over one engine, a short session a call."""

    # --- annotators --------------------------------------------------------------------------------------

    def join(self, *, study: str, name: str) -> Annotator:
        """The annotator of that name, new or returning. Raises `UnknownStudy`, `StudyClosed`, `NameTaken`."""
        name = person_name(name)
        try:
            with self.writing() as session:
                row = find_study(session, study)
                known = find_annotator(session, row, name)
                if known is not None and known.invited:
                    raise NameTaken(f"{name!r} was invited by a link; open that link, or choose another name")
                if known is None and row.closed_at is not None:
                    raise StudyClosed(f"the study {study!r} is closed")
                return to_annotator(known or add_annotator(session, row, name, invited=False))
        except IntegrityError:  # the same name joined in another session at this moment
            return self.join(study=study, name=name)

    def invite(self, *, study: str, name: str) -> Annotator:
        """An annotator whose work only their token opens, new or invited before.

        Raises `UnknownStudy`, `StudyClosed`, and `NameTaken` where somebody of that name came without an invite.
        """
        name = person_name(name)
        try:
            with self.writing() as session:
                row = find_study(session, study)
                if row.closed_at is not None:
                    raise StudyClosed(f"the study {study!r} is closed")
                known = find_annotator(session, row, name)
                if known is not None and not known.invited:
                    raise NameTaken(f"the study {study!r} already has an annotator {name!r}")
                return to_annotator(known or add_annotator(session, row, name, invited=True))
        except IntegrityError:  # somebody of that name joined or was invited at this moment
            return self.invite(study=study, name=name)

    def annotator(self, token: str) -> Annotator:
        """The annotator whom a token belongs to. Raises `UnknownInvite`."""
        with self.reading() as session:
            row = session.scalar(
                select(AnnotatorRow)
                .where(AnnotatorRow.token == clean_text(token))
                .options(joinedload(AnnotatorRow.study))
            )
            if row is None:
                raise UnknownInvite("this invite is not known; ask whoever sent it for a new link")
            return to_annotator(row)

    # --- assignment --------------------------------------------------------------------------------------

    def next_task(self, annotator: Annotator) -> JudgmentTask | None:
        """The pair that an annotator is to judge now, None where none is left or the study is closed.

        An open assignment comes back first, so that a reload shows the same pair with the same sides. Else the pair
        with the fewest judgments among those that want more and that the annotator has not been given; now and then
        an attention check instead, and at the end those that are left.
        """
        with self.writing() as session:
            assigned_id = assign_pair(session, annotator.id)
            return None if assigned_id is None else to_judgment_task(session, assigned_id)

    def task(self, annotator: Annotator, assignment_id: int) -> JudgmentTask:
        """A pair that the annotator was given. Raises `NotAssigned`."""
        with self.reading() as session:
            find_assignment(session, annotator, assignment_id)
            return to_judgment_task(session, assignment_id)

    def previous_task(self, annotator: Annotator, assignment_id: int | None = None) -> JudgmentTask | None:
        """The pair that the annotator was given before another one (None: before the end), to look at or change."""
        with self.reading() as session:
            earlier = (
                select(AssignmentRow.id)
                .where(AssignmentRow.annotator_id == annotator.id, AssignmentRow.reserved_until.is_(None))
                .order_by(AssignmentRow.id.desc())
                .limit(1)
            )
            if assignment_id is not None:
                earlier = earlier.where(AssignmentRow.id < assignment_id)
            found = session.scalar(earlier)
            return None if found is None else to_judgment_task(session, found)

    # --- judgments ---------------------------------------------------------------------------------------

    def judge(
        self,
        *,
        annotator: Annotator,
        assignment_id: int,
        choice: str,
        presented_at: datetime,
        decided_at: datetime | None = None,
        rationale: str | None = None,
        change: bool = False,
    ) -> None:
        """Record a choice (`left`, `right` or `tie`); it is on disk when this returns.

        With `change` an earlier choice is replaced and kept as a revision; a pair that was skipped can be judged
        after all, and the skip stays on record.

        Raises `AlreadyJudged`, `NotAssigned`, `StudyClosed`, `TooSoon`, or StoreError for a tie where
        the study has none.
        """
        decided_at = decided_at or now()
        check_times(presented_at, decided_at, "the choice came too soon after the pair was shown; it was not saved")
        with self.writing() as session:
            assignment = find_assignment(session, annotator, assignment_id, lock=True)
            study = assignment.pair.study
            if study.closed_at is not None:
                raise StudyClosed(f"the study {study.name!r} is closed; the choice was not saved")
            if choice not in CHOICES or (choice == "tie" and not study.ties):
                raise StoreError(f"{choice!r} is not a choice of this study")
            judgment = assignment.judgment
            if judgment is not None and not change:
                raise AlreadyJudged("this pair is already judged; go back to it to change the choice")
            if judgment is None:
                judgment = JudgmentRow(assignment_id=assignment.id, revision=1)
                session.add(judgment)
                assignment.pair.judgments = PairRow.judgments + 1  # added by the database, whoever else judges the pair
            else:
                session.add(to_revision(judgment))
                judgment.revision += 1
            judgment.chosen_id = chosen_id(assignment, choice)
            judgment.presented_at, judgment.decided_at = presented_at, decided_at
            judgment.rationale = clean_text(rationale or "") or None
            assignment.reserved_until = None

    def skip(self, *, annotator: Annotator, assignment_id: int, reason: str) -> None:
        """Leave a pair unjudged, saying why.

        Raises `AlreadyJudged`, `NotAssigned`, `StudyClosed`, or StoreError without a reason.
        """
        reason = clean_text(reason)
        if not reason:
            raise StoreError("say why the pair is skipped")
        with self.writing() as session:
            assignment = find_assignment(session, annotator, assignment_id, lock=True)
            study = assignment.pair.study
            if study.closed_at is not None:
                raise StudyClosed(f"the study {study.name!r} is closed; the pair was not skipped")
            if assignment.judgment is not None:
                raise AlreadyJudged("this pair is already judged; it cannot be skipped any more")
            assignment.reserved_until = None
            assignment.skipped_at, assignment.skip_reason = now(), reason

    # --- progress ----------------------------------------------------------------------------------------

    def progress(self, annotator: Annotator) -> JudgingProgress:
        """How far an annotator is."""
        with self.reading() as session:
            given, judged, skipped = session.execute(
                select(
                    func.count(AssignmentRow.id),
                    func.count(JudgmentRow.id),
                    func.count(AssignmentRow.skipped_at).filter(JudgmentRow.id.is_(None)),
                )
                .outerjoin(JudgmentRow)
                .where(AssignmentRow.annotator_id == annotator.id)
            ).one()
            times = session.execute(
                select(JudgmentRow.presented_at, JudgmentRow.decided_at)
                .join(AssignmentRow)
                .where(AssignmentRow.annotator_id == annotator.id)
                .order_by(AssignmentRow.id.desc())
                .limit(LATEST)
            ).all()
            row = session.get_one(AnnotatorRow, annotator.id)
            unseen = select_open_pairs(row).order_by(None).subquery()
            left = session.scalar(select(func.count()).select_from(unseen)) or 0
            left += sum(check.given_id is None for check in session.execute(select_checks(row)))
        took = [(decided - presented).total_seconds() for presented, decided in times]
        return JudgingProgress(
            judged=judged,
            skipped=skipped,
            open=given - judged - skipped + left,
            seconds=median(took) if took else None,
        )

    def annotators(self, study: str) -> list[AnnotatorProgress]:
        """A study's annotators and what each has done, in the order in which they joined."""
        with self.reading() as session:
            row = find_study(session, study)
            table: dict[str, list[AssignmentOutcome]] = {
                name: []
                for name in session.scalars(
                    select(AnnotatorRow.name).where(AnnotatorRow.study_id == row.id).order_by(AnnotatorRow.id)
                )
            }
            for outcome in session.execute(
                select(
                    AnnotatorRow.name,
                    AssignmentRow.left_id,
                    AssignmentRow.skipped_at,
                    PairRow.expected_id,
                    JudgmentRow.chosen_id,
                    JudgmentRow.presented_at,
                    JudgmentRow.decided_at,
                )
                .join(AssignmentRow, AssignmentRow.annotator_id == AnnotatorRow.id)
                .join(PairRow, PairRow.id == AssignmentRow.pair_id)
                .outerjoin(JudgmentRow, JudgmentRow.assignment_id == AssignmentRow.id)
                .where(AnnotatorRow.study_id == row.id)
            ):
                table[outcome.name].append(AssignmentOutcome._make(outcome[1:]))
            return [to_progress(name, outcomes) for name, outcomes in table.items()]


def find_annotator(session: Session, study: StudyRow, name: str) -> AnnotatorRow | None:
    """The row of a study's annotator, None where there is none of that name."""
    return session.scalar(select(AnnotatorRow).where(AnnotatorRow.study_id == study.id, AnnotatorRow.name == name))


def add_annotator(session: Session, study: StudyRow, name: str, *, invited: bool) -> AnnotatorRow:
    """A new annotator, with a token that cannot be guessed."""
    row = AnnotatorRow(study=study, name=name, token=secrets.token_urlsafe(24), invited=invited)
    session.add(row)
    session.flush()
    return row


def to_annotator(row: AnnotatorRow) -> Annotator:
    """The record of an annotator's row."""
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
    )


class AssignmentOutcome(NamedTuple):
    """An assignment, the choice that is expected in an attention check, and the judgment where there is one."""

    left_id: int
    skipped_at: datetime | None
    expected_id: int | None
    chosen_id: int | None
    presented_at: datetime | None
    decided_at: datetime | None


def to_progress(name: str, outcomes: Sequence[AssignmentOutcome]) -> AnnotatorProgress:
    """Sum up one annotator's assignments."""
    judged = [row for row in outcomes if row.decided_at is not None]
    took = [
        (row.decided_at - row.presented_at).total_seconds() for row in judged if row.decided_at and row.presented_at
    ]
    pairs = [row for row in judged if row.expected_id is None]
    checks = [row.chosen_id == row.expected_id for row in judged if row.expected_id is not None]
    return AnnotatorProgress(
        annotator=name,
        judged=len(pairs),
        skipped=sum(row.skipped_at is not None and row.decided_at is None for row in outcomes),
        seconds=median(took) if took else None,
        ties=sum(row.chosen_id is None for row in pairs),
        left=sum(row.chosen_id == row.left_id for row in pairs),
        latest=max((row.decided_at for row in judged if row.decided_at is not None), default=None),
        checks=len(checks),
        checks_passed=sum(checks),
    )
