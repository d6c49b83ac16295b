"""How annotators enter and leave phases, within a transaction; each change is written down as an event."""

import secrets
from datetime import timedelta

from sqlalchemy import ColumnElement, Select, select, update
from sqlalchemy.orm import Session

from annotation.phases import ENDS, FINISHED, TIMED, TIMED_OUT, WAY, phase_after, way_of
from annotation.protocol.current import find_version, parse
from annotation.protocol.records import Pinned, StudyProtocol
from annotation.protocol.tables import EventRow
from annotation.records import CLOSED, OPEN, PAUSED, StudyClosed, StudyPaused, WrongPhase, state_of
from annotation.tables import AnnotatorRow, AssignmentRow, StudyRow
from data.database import now

CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Letters of a completion code, none of which is taken for another."""
CODE_LENGTH = 8

WARNED = "warned"
"""The event of a warning."""

NOTHING_ELSE = StudyProtocol(name="", dataset=Pinned(name=""))
"""What holds for annotators of a study of an earlier version, which asks for nothing but judgments."""


def find_rules(session: Session, study: StudyRow) -> StudyProtocol:
    """What a study's protocol asks of annotators, in one query: what its row says as well may be missing."""
    latest = find_version(session, study)
    return NOTHING_ELSE if latest is None else parse(latest.text)


def begin_way(session: Session, row: AnnotatorRow, study: StudyRow) -> None:
    """Put a new annotator at the first phase of the study."""
    row.phase, row.phase_at = way_of(find_rules(session, study))[0], now()


def enter_phase(session: Session, row: AnnotatorRow, phase: str, detail: str | None = None) -> None:
    """Put an annotator into a phase; whoever ends keeps no place, and whoever finishes gets a code."""
    row.phase, row.phase_at = phase, now()
    if phase == FINISHED and row.code is None:
        row.code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
    if phase in ENDS:
        free_places(session, row)
    add_event(session, row, phase, detail)


def add_event(
    session: Session, row: AnnotatorRow, event: str, detail: str | None = None, user_id: int | None = None
) -> None:
    """Write down what happened to an annotator; `user_id` is the account whose doing it was, if not their own."""
    session.add(EventRow(annotator_id=row.id, event=event, detail=detail, user_id=user_id))


def leave_phase(session: Session, row: AnnotatorRow, rules: StudyProtocol) -> None:
    """Put an annotator into the phase after theirs, if there is one."""
    after = phase_after(rules, row.phase)
    if after != row.phase:
        enter_phase(session, row, after)


def free_places(session: Session, row: AnnotatorRow) -> None:
    """Keep no place for the pair that an annotator has not decided; should they return, it is still theirs."""
    session.execute(
        update(AssignmentRow)
        .where(AssignmentRow.annotator_id == row.id, AssignmentRow.reserved_until > now())
        .values(reserved_until=now()),
        execution_options={"synchronize_session": False},
    )


def find_phase(row: AnnotatorRow, rules: StudyProtocol) -> str:
    """The phase that an annotator is in: where the study has theirs no more, the one after it."""
    return row.phase if row.phase in {*way_of(rules), *ENDS} else phase_after(rules, row.phase)


def is_past(row: AnnotatorRow, phase: str) -> bool:
    """Whether an annotator has gone on from one of `WAY`, not ended before it."""
    return row.phase in WAY and WAY.index(row.phase) > WAY.index(phase)


def check_phase(session: Session, row: AnnotatorRow, rules: StudyProtocol, phase: str) -> None:
    """Refuse what belongs to another phase than the one that an annotator is in, or comes after their time.

    Raises `WrongPhase`, `StudyPaused`.
    """
    if (found := find_phase(row, rules)) != row.phase:
        enter_phase(session, row, found)
    if row.phase == phase:
        check_running(row, rules)
        time_out_idle(session, row.study, rules)
    if row.phase == TIMED_OUT:
        session.commit()  # what follows is refused, the end of their time is not
    if row.phase != phase:
        raise WrongPhase(f"this belongs to another phase of the study; you are at: {row.phase}")


def state_of_study(study: StudyRow, rules: StudyProtocol) -> str:
    """The state of a study at this moment."""
    return state_of(study.closed_at, study.paused_at, rules.closes)


def check_running(row: AnnotatorRow, rules: StudyProtocol) -> None:
    """Refuse what comes while an annotator or a study is paused. Raises `StudyPaused`."""
    if row.paused_at is not None or state_of_study(row.study, rules) == PAUSED:
        raise StudyPaused(f"the study {row.study.name!r} is paused; nothing is lost, come back later")


def refuse_closed(study: StudyRow, rules: StudyProtocol, so: str) -> None:
    """Raise `StudyClosed` where a study takes nothing more; `so` says what came of it."""
    if state_of_study(study, rules) == CLOSED:
        raise StudyClosed(f"the study {study.name!r} is closed; {so}")


def resume_time(session: Session, people: ColumnElement[bool]) -> None:
    """Let the time of annotators who could not judge for a while begin anew."""
    began = update(AnnotatorRow).where(people, AnnotatorRow.seen_at.is_not(None)).values(seen_at=now())
    session.execute(began, execution_options={"synchronize_session": False})


def time_out_idle(session: Session, study: StudyRow, rules: StudyProtocol) -> None:
    """End the time of everybody in a study of whom nothing was heard for too long; what they judged stays.

    Somebody whose row is held by another transaction is at work.
    """
    idle = select_idle(study, rules)
    if idle is not None:
        for row in session.scalars(idle.with_for_update(key_share=True, skip_locked=True)).all():
            enter_phase(session, row, TIMED_OUT)


def select_idle(study: StudyRow, rules: StudyProtocol) -> Select[AnnotatorRow] | None:
    """Select the annotators of whom nothing was heard for too long; None where nobody's time runs out now.

    Time stands still while a study is paused or closed, and for who is paused or excluded.
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
