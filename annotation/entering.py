"""Entering and leaving of phases by annotators, within a transaction; each change is recorded as an event."""

import secrets
from datetime import timedelta

from sqlalchemy import ColumnElement, Select, select, update
from sqlalchemy.orm import Session

from relevance.annotation.phases import ENDS, FINISHED, PHASES, TIMED, TIMED_OUT, phase_after, phases_of
from relevance.annotation.protocol.current import find_version, parse
from relevance.annotation.protocol.records import Pinned, StudyProtocol
from relevance.annotation.protocol.tables import EventRow
from relevance.annotation.records import CLOSED, OPEN, PAUSED, StudyClosed, StudyPaused, WrongPhase, state_of
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, StudyRow
from relevance.data.database import now

CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Letters of a completion code, without those that are easily confused."""
CODE_LENGTH = 8

WARNED = "warned"
"""The event of a warning."""

NOTHING_ELSE = StudyProtocol(name="", dataset=Pinned(name=""))
"""The protocol for annotators in a study of an earlier version, which asks for nothing but judgments."""


def find_rules(session: Session, study: StudyRow) -> StudyProtocol:
    """Find the protocol for annotators, in one query; that of an older study lacks what the study's row has."""
    latest = find_version(session, study)
    return NOTHING_ELSE if latest is None else parse(latest.text)


def enter_phase(session: Session, row: AnnotatorRow, phase: str, detail: str | None = None) -> None:
    """Move an annotator to a phase; at an end their reserved place is freed, and at `FINISHED` they get a code."""
    row.phase, row.phase_at = phase, now()
    if phase == FINISHED and row.code is None:
        row.code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
    if phase in ENDS:
        free_places(session, row)
    add_event(session, row, phase, detail)


def add_event(
    session: Session, row: AnnotatorRow, event: str, detail: str | None = None, user_id: int | None = None
) -> None:
    """Record an event of an annotator; `user_id` is the account that caused it, None for the annotator."""
    session.add(EventRow(annotator_id=row.id, event=event, detail=detail, user_id=user_id))


def leave_phase(session: Session, row: AnnotatorRow, rules: StudyProtocol) -> None:
    """Move an annotator to the next phase, if there is one."""
    after = phase_after(rules, row.phase)
    if after != row.phase:
        enter_phase(session, row, after)


def free_places(session: Session, row: AnnotatorRow) -> None:
    """Free the place of the pair that an annotator has not decided; if they return, the pair is still theirs."""
    session.execute(
        update(AssignmentRow)
        .where(AssignmentRow.annotator_id == row.id, AssignmentRow.reserved_until > now())
        .values(reserved_until=now()),
        execution_options={"synchronize_session": False},
    )


def find_phase(row: AnnotatorRow, rules: StudyProtocol) -> str:
    """Return the phase of an annotator; if the study no longer has it, the one after it."""
    return row.phase if row.phase in {*phases_of(rules), *ENDS} else phase_after(rules, row.phase)


def is_past(row: AnnotatorRow, phase: str) -> bool:
    """Tell whether an annotator has left one of `PHASES` for a later phase, and has not ended before it."""
    return row.phase in PHASES and PHASES.index(row.phase) > PHASES.index(phase)


def check_phase(session: Session, row: AnnotatorRow, rules: StudyProtocol, phase: str) -> None:
    """Refuse a request for another phase than the annotator's, during a pause, or after their time is over.

    Raises `WrongPhase`, `StudyPaused`.
    """
    if (current := find_phase(row, rules)) != row.phase:
        enter_phase(session, row, current)
    if row.phase == phase:
        if row.paused_at is not None or state_of_study(row.study, rules) == PAUSED:
            raise StudyPaused(f"the study {row.study.name!r} is paused; nothing is lost, come back later")
        time_out_idle(session, row.study, rules)
    if row.phase == TIMED_OUT:
        session.commit()  # keep the end of their time, as the refusal below rolls back
    if row.phase != phase:
        raise WrongPhase(f"this belongs to another phase of the study; you are at: {row.phase}")


def state_of_study(study: StudyRow, rules: StudyProtocol) -> str:
    """Return the state of a study at this moment."""
    return state_of(study.closed_at, study.paused_at, rules.closes)


def refuse_closed(study: StudyRow, rules: StudyProtocol, so: str) -> None:
    """Refuse a request to a closed study; `so` states the consequence. Raises `StudyClosed`."""
    if state_of_study(study, rules) == CLOSED:
        raise StudyClosed(f"the study {study.name!r} is closed; {so}")


def resume_time(session: Session, people: ColumnElement[bool]) -> None:
    """Restart the idle time of annotators who could not judge for a while."""
    began = update(AnnotatorRow).where(people, AnnotatorRow.seen_at.is_not(None)).values(seen_at=now())
    session.execute(began, execution_options={"synchronize_session": False})


def time_out_idle(session: Session, study: StudyRow, rules: StudyProtocol) -> None:
    """Time out all annotators of a study who have been idle for too long; their judgments stay.

    Annotators whose row is locked by another transaction are at work, and are skipped.
    """
    idle = select_idle(study, rules)
    if idle is not None:
        for row in session.scalars(idle.with_for_update(key_share=True, skip_locked=True)).all():
            enter_phase(session, row, TIMED_OUT)


def select_idle(study: StudyRow, rules: StudyProtocol) -> Select[AnnotatorRow] | None:
    """Select the annotators who have been idle for too long; None if nobody can time out now.

    Idle time does not run while a study is paused or closed, or for annotators who are paused or excluded.
    """
    minutes = rules.judging.idle_minutes
    if minutes is None or state_of_study(study, rules) != OPEN:
        return None
    return select(AnnotatorRow).where(
        AnnotatorRow.study_id == study.id,
        AnnotatorRow.phase.in_(TIMED),
        AnnotatorRow.seen_at < now() - timedelta(minutes=minutes),
        AnnotatorRow.paused_at.is_(None),
        AnnotatorRow.excluded_at.is_(None),
    )
