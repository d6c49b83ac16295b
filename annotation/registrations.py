"""Bundles that were registered before the first judgment: what a study was to be, so that changes can be told."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from annotation.protocol.current import find_version
from annotation.protocol.tables import RegistrationRow
from annotation.studies import find_study
from annotation.tables import AssignmentRow, JudgmentRow, PairRow, StudyRow
from data.access import Right
from data.store import StoreError
from data.store.base import Store
from data.store.rows import to_record


class AlreadyJudged(StoreError):
    """The study has judgments: what is registered now could follow from them."""


@dataclass(frozen=True)
class Registration:
    """A bundle as it was registered."""

    sha256: str
    protocol: int
    """The version of the protocol; 0 where the study has no stored one."""
    contents: Mapping[str, str]
    """The hash of each file."""
    registered_at: datetime


class RegistrationStore(Store):
    """Registered bundles over one engine, a short session a call."""

    def check_registrable(self, study: str) -> None:
        """Raise what `register` would: `UnknownStudy`, `NotAllowed`, `AlreadyJudged`."""
        with self.reading() as session:
            refuse_judged(session, find_study(session, study, Right.MANAGE))

    def register(self, study: str, sha256: str, contents: Mapping[str, str]) -> Registration:
        """Keep the hashes of a bundle and of its files. Raises `UnknownStudy`, `NotAllowed`, `AlreadyJudged`."""
        with self.writing() as session:
            row = find_study(session, study, Right.MANAGE)
            refuse_judged(session, row)
            latest = find_version(session, row)
            version = 0 if latest is None else latest.version
            registered = RegistrationRow(study_id=row.id, sha256=sha256, protocol=version, contents=dict(contents))
            session.add(registered)
            session.flush()
            return to_record(Registration, registered)

    def registration(self, study: str) -> Registration | None:
        """The latest registration of a study; None where there is none. Raises `UnknownStudy`."""
        with self.reading() as session:
            of_study = RegistrationRow.study_id == find_study(session, study).id
            row = session.scalar(select(RegistrationRow).where(of_study).order_by(RegistrationRow.id.desc()).limit(1))
            return None if row is None else to_record(Registration, row)


def refuse_judged(session: Session, study: StudyRow) -> None:
    """Refuse a study that has a judgment, of an attention check, too. Raises `AlreadyJudged`."""
    joined = select(func.count(JudgmentRow.id)).join(AssignmentRow).join(PairRow)
    judgments = session.scalar(joined.where(PairRow.study_id == study.id)) or 0
    if judgments:
        raise AlreadyJudged(
            f"the study {study.name!r} has {judgments} judgments; a study is registered before the first one"
        )
