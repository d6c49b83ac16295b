"""The people of a study: their progress, pauses, exclusion from the analysis, return, and erasure."""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from relevance.annotation.entering import (
    WARNED,
    add_event,
    find_rules,
    free_places,
    resume_time,
    select_idle,
    time_out_idle,
)
from relevance.annotation.inputs import clean_text
from relevance.annotation.phases import WITHDRAWN
from relevance.annotation.progress import read_progress
from relevance.annotation.protocol.tables import EventRow
from relevance.annotation.records import AnnotatorProgress
from relevance.annotation.store import find_annotator
from relevance.annotation.studies import find_study, resuming
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, RevisionRow, StudyRow
from relevance.data.database import now
from relevance.data.rights import Right, visitor_of
from relevance.data.store import StoreError
from relevance.data.store.base import Store
from relevance.data.store.dependents import delete_dependents

EXCLUDED = "excluded"
RESTORED = "restored"
PAUSED = "paused"
RESUMED = "resumed"
ERASED = "erased"


class UnknownAnnotator(StoreError):
    """The study has no annotator of that name."""


@dataclass(frozen=True)
class Person:
    """An annotator as the page People shows them."""

    id: int
    name: str
    came_by: str
    """`account`, `link`, or `name` if they typed one."""
    phase: str
    phase_since: datetime
    progress: AnnotatorProgress
    seen_at: datetime | None
    """The last known sign of life; None before the first."""
    agreed: int
    """The number of the `compared` judgments that agree with the majority of the others."""
    compared: int
    """Judgments other than ties, of pairs on which the others (without excluded ones) have a majority."""
    warnings: int
    paused_at: datetime | None
    excluded_at: datetime | None
    exclusion_reason: str | None
    erased_at: datetime | None

    @property
    def agreement(self) -> float | None:
        """The share of judgments in which they agree with the majority of the others; None without any."""
        return self.agreed / self.compared if self.compared else None


class PeopleStore(Store):
    """Annotators of studies over one engine; readers may look, the study's managers decide."""

    def people(self, study: str) -> list[Person]:
        """List a study's annotators in the order in which they joined, after timing out the idle ones.

        Raises `UnknownStudy`.
        """
        with self.reading() as session:
            row = find_study(session, study)
            idle = select_idle(row, find_rules(session, row))
            someone = idle is not None and session.scalar(idle.limit(1)) is not None
        if someone:
            with self.writing() as session:
                row = find_study(session, study)
                time_out_idle(session, row, find_rules(session, row))
        with self.reading() as session:
            row = find_study(session, study)
            progress = {annotator.annotator: annotator for annotator in read_progress(session, row)}
            agreements = count_agreements(session, row)
            warned = count_events(session, row, WARNED)
            rows = session.scalars(
                select(AnnotatorRow).where(AnnotatorRow.study_id == row.id).order_by(AnnotatorRow.id)
            )
            return [
                to_person(row, progress[row.name], agreements.get(row.id, (0, 0)), warned.get(row.id, 0))
                for row in rows
            ]

    def pause(self, study: str, annotator: str, *, paused: bool = True) -> None:
        """Pause an annotator, or let them judge again. Raises `UnknownStudy`, `UnknownAnnotator`."""
        with self.writing(revoking=True) as session:
            row = hold(session, find_person(session, study, annotator))
            if paused != (row.paused_at is not None):
                row.paused_at = now() if paused else None
                add_event(session, row, PAUSED if paused else RESUMED, None, visitor_of(session).user_id)
                if paused:
                    free_places(session, row)
                else:
                    resume_time(session, AnnotatorRow.id == row.id)

    def pause_study(self, study: str, *, paused: bool = True) -> None:
        """Pause a study for everybody, or let it go on. Raises `UnknownStudy`."""
        with self.writing() as session:
            row = find_study(session, study, Right.MANAGE)
            if paused != (row.paused_at is not None):
                with resuming(session, row):
                    row.paused_at = now() if paused else None

    def exclude(self, study: str, annotator: str, reason: str) -> None:
        """Keep an annotator out, and leave their judgments out of the analysis; they stay in the data.

        They are signed out at once, and their pairs want judgments again. Raises `UnknownStudy`, `UnknownAnnotator`,
        StoreError without a reason.
        """
        reason = clean_text(reason)
        if not reason:
            raise StoreError("say why the annotator is excluded")
        with self.writing(revoking=True) as session:
            row = find_person(session, study, annotator)
            sign_out(session, row)
            exclude_row(session, row, reason, visitor_of(session).user_id)

    def restore(self, study: str, annotator: str) -> None:
        """Let an excluded annotator in again, and count their judgments.

        Raises `UnknownStudy`, `UnknownAnnotator`, StoreError if they have withdrawn themselves.
        """
        with self.writing(revoking=True) as session:
            row = hold(session, find_person(session, study, annotator))
            if row.excluded_at is None:
                return
            if row.phase == WITHDRAWN:
                raise StoreError(f"{row.name!r} has withdrawn: what they judged stays out of the analysis")
            row.excluded_at = row.exclusion_reason = None
            count_judgments(session, row, 1)
            resume_time(session, AnnotatorRow.id == row.id)
            add_event(session, row, RESTORED, None, visitor_of(session).user_id)

    def erase(self, study: str, annotator: str, *, keep_judgments: bool) -> str:
        """Forget for ever who an annotator was; returns the pseudonym that replaces the name.

        Their name, account, panel's ids, answers to surveys and all texts that they wrote are deleted, they are signed
        out, and no link opens their work. Judgments stay under the pseudonym, or are deleted as well, and their pairs
        want others then. Earlier backups still have it all. Raises `UnknownStudy`, `UnknownAnnotator`.
        """
        with self.writing(revoking=True) as session:
            row = find_person(session, study, annotator)
            sign_out(session, row)
            hold(session, row)
            if not keep_judgments:
                delete_judgments(session, row)
            if row.erased_at is None or not keep_judgments:
                erase_row(session, row, visitor_of(session).user_id)
            return row.name


# --- one annotator, within a transaction ------------------------------------------------------------------------


def find_person(session: Session, study: str, name: str) -> AnnotatorRow:
    """Find an annotator's row, for the study's managers. Raises `UnknownStudy`, `NotAllowed`, `UnknownAnnotator`."""
    row = find_annotator(session, find_study(session, study, Right.MANAGE), name)
    if row is None:
        raise UnknownAnnotator(f"the study {study!r} has no annotator {name!r}")
    return row


def hold(session: Session, row: AnnotatorRow) -> AnnotatorRow:
    """Wait for the annotator's running calls, and block new ones until this transaction is committed."""
    session.refresh(row, with_for_update={"key_share": True})
    return row


def exclude_row(session: Session, row: AnnotatorRow, reason: str, user_id: int | None) -> None:
    """Exclude an annotator, whose judgments no longer count; does nothing if they are excluded already.

    `user_id` is the account that did it; None for the annotator themself and on one's own machine.
    """
    hold(session, row)
    if row.excluded_at is not None:
        return
    row.excluded_at, row.exclusion_reason = now(), reason
    count_judgments(session, row, -1)
    free_places(session, row)
    add_event(session, row, EXCLUDED, reason, user_id)


def count_judgments(session: Session, row: AnnotatorRow, by: int) -> None:
    """Add `by`, 1 or -1, for each judgment of an annotator to the count of its pair."""
    judged = select(AssignmentRow.pair_id).join(JudgmentRow).where(AssignmentRow.annotator_id == row.id)
    # Rows are locked in order, as somebody with the same pairs may be excluded at this moment. SQLite has one writer.
    of_theirs = select(PairRow.id).where(PairRow.id.in_(judged)).order_by(PairRow.id)
    session.execute(of_theirs.with_for_update(key_share=True)).all()
    session.execute(
        update(PairRow).where(PairRow.id.in_(judged)).values(judgments=PairRow.judgments + by),
        execution_options={"synchronize_session": False},
    )


def sign_out(session: Session, row: AnnotatorRow) -> None:
    """End the sign-ins of an annotator, which only a hosted server has."""
    delete_dependents(session, "annotators", [row.id], only={"sign_ins"})


def delete_judgments(session: Session, row: AnnotatorRow) -> None:
    """Delete all assignments, judgments and training answers of an annotator."""
    if row.excluded_at is None:
        count_judgments(session, row, -1)
    delete_dependents(session, "annotators", [row.id], only={"assignments", "training_answers"})


def erase_row(session: Session, row: AnnotatorRow, user_id: int | None) -> None:
    """Replace an annotator by a pseudonym, and delete their texts and the panel's ids of them."""
    free_places(session, row)
    delete_dependents(session, "annotators", [row.id], only={"entries", "survey_answers"})
    of_theirs = JudgmentRow.assignment_id.in_(select(AssignmentRow.id).where(AssignmentRow.annotator_id == row.id))
    written = (
        update(AssignmentRow).where(AssignmentRow.annotator_id == row.id).values(skip_reason=None),
        update(JudgmentRow).where(of_theirs).values(rationale=None),
        update(RevisionRow)
        .where(RevisionRow.judgment_id.in_(select(JudgmentRow.id).where(of_theirs)))
        .values(rationale=None),
        update(EventRow).where(EventRow.annotator_id == row.id).values(detail=None),
    )
    for statement in written:
        session.execute(statement, execution_options={"synchronize_session": False})
    if row.erased_at is None:
        row.name = pseudonym_of(session, row)
    row.erased_at = now()
    row.user_id = row.code = row.exclusion_reason = None
    # Not invited: lists of personal links would offer the new token.
    row.token, row.invited = secrets.token_urlsafe(24), False
    add_event(session, row, ERASED, None, user_id)


def pseudonym_of(session: Session, row: AnnotatorRow) -> str:
    """Return an erased annotator's name, by their number in the study (`relevance.annotation.results.name_people`)."""
    earlier = select(func.count()).where(AnnotatorRow.study_id == row.study_id, AnnotatorRow.id <= row.id)
    name = f"Erased {session.scalar(earlier)}"
    while find_annotator(session, row.study, name) is not None:  # somebody calls themself that
        name += "*"
    return name


# --- reading ----------------------------------------------------------------------------------------------------


def to_person(row: AnnotatorRow, progress: AnnotatorProgress, agreement: tuple[int, int], warnings: int) -> Person:
    """Make the record of an annotator's row."""
    agreed, compared = agreement
    return Person(
        id=row.id,
        name=row.name,
        came_by="account" if row.user_id is not None else "link" if row.invited else "name",
        phase=row.phase,
        phase_since=row.phase_at or row.created_at,
        progress=progress,
        seen_at=max((at for at in (row.seen_at, progress.latest) if at is not None), default=None),
        agreed=agreed,
        compared=compared,
        warnings=warnings,
        paused_at=row.paused_at,
        excluded_at=row.excluded_at,
        exclusion_reason=row.exclusion_reason,
        erased_at=row.erased_at,
    )


def count_events(session: Session, study: StudyRow, event: str) -> Mapping[int, int]:
    """Count how often an event happened to each annotator of a study, by annotator number."""
    counts = (
        select(EventRow.annotator_id, func.count())
        .join(AnnotatorRow, AnnotatorRow.id == EventRow.annotator_id)
        .where(AnnotatorRow.study_id == study.id, EventRow.event == event)
        .group_by(EventRow.annotator_id)
    )
    return dict(session.execute(counts).all())


def count_agreements(session: Session, study: StudyRow) -> Mapping[int, tuple[int, int]]:
    """Count by annotator how many of their judgments agree with the majority of the others, and how many were compared.

    Ties are left out, and so are excluded annotators among the others; if the others split evenly, nothing is compared.
    """
    decided = session.execute(
        select(AnnotatorRow.id, AnnotatorRow.excluded_at, PairRow.id, PairRow.first_id, JudgmentRow.chosen_id)
        .join(AssignmentRow, AssignmentRow.annotator_id == AnnotatorRow.id)
        .join(JudgmentRow, JudgmentRow.assignment_id == AssignmentRow.id)
        .join(PairRow, PairRow.id == AssignmentRow.pair_id)
        .where(AnnotatorRow.study_id == study.id, PairRow.expected_id.is_(None), JudgmentRow.chosen_id.is_not(None))
    )
    return compare_with_others(
        (annotator, pair, 1 if chosen == first else -1, excluded is None)
        for annotator, excluded, pair, first, chosen in decided
    )


def compare_with_others(decided: Iterable[tuple[int, int, int, bool]]) -> Mapping[int, tuple[int, int]]:
    """Count by annotator the agreements with the majority of the others, and the comparisons.

    Each judgment is an annotator, a pair, the choice (1 or -1), and whether the annotator's vote counts for others.
    """
    judgments, votes = list(decided), dict[int, int]()
    for _, pair, sign, counts in judgments:
        votes[pair] = votes.get(pair, 0) + sign * counts
    agreements: dict[int, tuple[int, int]] = {}
    for annotator, pair, sign, counts in judgments:
        others = votes[pair] - sign * counts
        if others:
            agreed, compared = agreements.get(annotator, (0, 0))
            agreements[annotator] = agreed + (others * sign > 0), compared + 1
    return agreements
