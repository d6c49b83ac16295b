"""Bundles registered before the first judgment, to show later what was changed in the study."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from relevance.annotation.protocol.current import find_version
from relevance.annotation.protocol.tables import RegistrationRow
from relevance.annotation.studies import find_study
from relevance.annotation.tables import AssignmentRow, JudgmentRow, PairRow, StudyRow
from relevance.data.rights import Right
from relevance.data.store import StoreError
from relevance.data.store.base import Store
from relevance.data.store.rows import to_record


class AlreadyJudged(StoreError):
    """The study has judgments, so that a registration now could depend on them."""


@dataclass(frozen=True)
class Registration:
    """A registered bundle."""

    sha256: str
    protocol: int
    """The version of the protocol; 0 where the study has no stored one."""
    contents: Mapping[str, str]
    """The hash of each file."""
    registered_at: datetime


class RegistrationStore(Store):
    """Registered bundles over one engine, in a short session per call."""

    def check_registrable(self, study: str) -> None:
        """Refuse what `register` would refuse: raises `UnknownStudy`, `NotAllowed`, `AlreadyJudged`."""
        with self.reading() as session:
            refuse_judged(session, find_study(session, study, Right.MANAGE))

    def register(self, study: str, sha256: str, contents: Mapping[str, str]) -> Registration:
        """Store the hashes of a bundle and of its files. Raises `UnknownStudy`, `NotAllowed`, `AlreadyJudged`."""
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
        """Return the latest registration of a study; None if there is none. Raises `UnknownStudy`."""
        with self.reading() as session:
            of_study = RegistrationRow.study_id == find_study(session, study).id
            row = session.scalar(select(RegistrationRow).where(of_study).order_by(RegistrationRow.id.desc()).limit(1))
            return None if row is None else to_record(Registration, row)


def refuse_judged(session: Session, study: StudyRow) -> None:
    """Refuse a study that has a judgment, even of an attention check. Raises `AlreadyJudged`."""
    joined = select(func.count(JudgmentRow.id)).join(AssignmentRow).join(PairRow)
    judgments = session.scalar(joined.where(PairRow.study_id == study.id)) or 0
    if judgments:
        raise AlreadyJudged(
            f"the study {study.name!r} has {judgments} judgments; a study is registered before the first one"
        )
