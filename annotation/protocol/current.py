"""The current protocol of a study: the latest version of its file, or the specification of an older study."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from relevance.annotation.protocol.file import read_protocol, write_protocol
from relevance.annotation.protocol.records import StudyProtocol, protocol_of
from relevance.annotation.protocol.tables import ProtocolRow
from relevance.annotation.protocol.writing import edit_text
from relevance.annotation.records import StudySpec
from relevance.annotation.tables import PairRow, StudyRow


def find_protocol(session: Session, study: StudyRow) -> StudyProtocol:
    """Return the current protocol of a study."""
    latest = find_version(session, study)
    return protocol_of(spec_of(session, study)) if latest is None else parse(latest.text)


# Each click of an annotator needs it, and building a query takes longer than running it.
LATEST = (
    select(ProtocolRow).where(ProtocolRow.study_id == bindparam("study")).order_by(ProtocolRow.version.desc()).limit(1)
)


def find_version(session: Session, study: StudyRow) -> ProtocolRow | None:
    """Find the latest version of a study's protocol; None if an earlier version of this program made the study."""
    return session.scalar(LATEST, {"study": study.id})


def add_version(session: Session, study: StudyRow, text: str, user_id: int | None) -> ProtocolRow:
    """Store the text of a study file as the latest version, and update the columns of the study that may change."""
    protocol = parse(text)
    study.name, study.question, study.instructions = protocol.name, protocol.question, protocol.instructions
    lock_file(session, study)
    latest = find_version(session, study)
    row = ProtocolRow(
        study=study,
        version=1 if latest is None else latest.version + 1,
        text=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        user_id=user_id,
    )
    session.add(row)
    session.flush()
    return row


def edit_protocol(session: Session, study: StudyRow, changes: Mapping[str, Any], user_id: int | None) -> ProtocolRow:
    """Change keys of a study's file in a new version; None removes a key."""
    lock_file(session, study)
    return add_version(session, study, edit_text(find_text(session, study), changes), user_id)


def lock_file(session: Session, study: StudyRow) -> None:
    """Wait until nobody else changes a study's file, as each version is based on the one before."""
    session.execute(select(StudyRow.id).where(StudyRow.id == study.id).with_for_update(key_share=True))


def find_text(session: Session, study: StudyRow) -> str:
    """Return the text of a study's file; for a study of an earlier version, one is written from its specification."""
    latest = find_version(session, study)
    return write_protocol(find_protocol(session, study)) if latest is None else latest.text


@lru_cache(maxsize=64)
def parse(text: str) -> StudyProtocol:
    """Read a stored text as a protocol; it is cached, as each click of an annotator needs it."""
    return read_protocol(text)


def spec_of(session: Session, study: StudyRow) -> StudySpec:
    """Return the specification of a study, read from its row."""
    checks = select(PairRow.id).where(PairRow.study_id == study.id, PairRow.expected_id.is_not(None))
    return StudySpec(
        name=study.name,
        dataset=study.dataset.name,
        systems=tuple(study.systems),
        rule=study.rule,
        signature=study.signature,
        signatures=tuple(study.signatures or ()),
        **({} if study.random_share is None else {"random_share": study.random_share}),
        count=study.wanted_pairs,
        per_document=study.per_document,
        judgments_per_pair=study.judgments_per_pair,
        ties=study.ties,
        question=study.question,
        instructions=study.instructions,
        seed=study.seed,
        checks=len(session.scalars(checks).all()),
    )
