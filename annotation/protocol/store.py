"""The store of study files, which keeps every applied version as it was."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from relevance.annotation.protocol.changes import find_changes, may_change
from relevance.annotation.protocol.current import (
    add_version,
    edit_protocol,
    find_protocol,
    find_text,
    find_version,
    parse,
)
from relevance.annotation.protocol.file import read_protocol
from relevance.annotation.protocol.pinning import check_pin
from relevance.annotation.protocol.records import StudyProtocol
from relevance.annotation.protocol.tables import AdjudicationRow, ModelAnnotatorRow, ProtocolRow
from relevance.annotation.records import Study, StudyExists, UnknownStudy
from relevance.annotation.sampling import PairSample
from relevance.annotation.studies import (
    StudyStore,
    check_spec,
    draw_pairs,
    find_study,
    insert_pairs,
    resuming,
    study_columns,
)
from relevance.annotation.tables import AnnotatorRow, PairRow, StudyRow
from relevance.data.rights import Right, visitor_of
from relevance.data.store.base import StoreError, has_named
from relevance.data.store.versions import VersionedStore

EDITABLE = ("title", "closes", "instructions", "judging.judged_twice")
"""Keys that pages can change without a file."""


class ProtocolFixed(StoreError):
    """People have come to the study, and what they came for cannot change."""


class UnknownVersion(StoreError):
    """The study file has no such version."""


@dataclass(frozen=True)
class ProtocolVersion:
    """A version of a study's file."""

    version: int
    created_at: datetime
    user: str | None
    """The name of the account that applied it."""
    sha256: str
    changed: tuple[str, ...]
    """Keys whose values differ from the version before."""


class Effect(NamedTuple):
    """The effect of applying a study file."""

    protocol: StudyProtocol
    made: bool
    """True if there is no study of its name yet."""
    changed: tuple[str, ...]
    """Keys that it changes in the study of its name."""
    sample: PairSample | None
    """The pairs that are drawn; None if the present ones stay."""


class ProtocolStore(VersionedStore):
    """Study files over one engine, in a short session per call."""

    def apply(self, text: str) -> Study:
        """Make the study that a study file describes, or change the one of its name.

        Until somebody is invited, joins, or a language model judges, a file may change everything, and the pairs are
        drawn anew; from then on it may change only the keys in `CHANGEABLE`. Each text becomes a new version, unless it
        is that of the latest one.

        Raises `BadStudyFile`, `NotPinned`, `OtherData`, `ProtocolFixed`, and the errors of `create_study`.
        """
        protocol = read_protocol(text)
        studies = StudyStore(self.engine, self.actor)
        if self.compare(protocol) is None:
            check_pin(self, protocol)
            return studies.create_study(protocol.spec, text)
        sample = self.examine(text).sample
        with self.writing() as session:
            study = find_managed(session, protocol.name)
            # nobody can join meanwhile, as a new annotator's row refers to this one
            session.execute(select(StudyRow.id).where(StudyRow.id == study.id).with_for_update())
            if must_redraw(session, study, protocol):
                redraw(session, study, protocol, sample)
            latest = find_version(session, study)
            if latest is None or latest.text != text:
                with resuming(session, study):
                    add_version(session, study, text, visitor_of(session).user_id)
        return studies.study(protocol.name)

    def examine(self, text: str) -> Effect:
        """Return the effect of applying a study file, without applying it. Errors as `apply`."""
        protocol = read_protocol(text)
        changed = self.compare(protocol)
        if changed is not None and all(map(may_change, changed)):
            return Effect(protocol, False, changed, None)
        check_spec(protocol.spec)
        check_pin(self, protocol)
        sample = draw_pairs(self, protocol.spec, protocol.stopping)
        return Effect(protocol, changed is None, changed or (), sample)

    def compare(self, protocol: StudyProtocol) -> tuple[str, ...] | None:
        """Return the keys that a protocol would change in the study of its name; None if there is none.

        Raises `StudyExists` if it is somebody else's, `NotAllowed`, and `ProtocolFixed` once people have come.
        """
        with self.reading() as session:
            if not has_named(session, StudyRow, protocol.name):
                return None
            study = find_managed(session, protocol.name)
            must_redraw(session, study, protocol)
            return changes_of(session, study, protocol)

    def edit(self, study: str, changes: Mapping[str, Any]) -> Study:
        """Change keys of `EDITABLE` in the study's file, keeping its comments; None removes a key.

        Raises `UnknownStudy`, `BadStudyFile`.
        """
        if unknown := set(changes) - set(EDITABLE):
            raise StoreError(f"{', '.join(sorted(unknown))} can be changed in the study file only")
        with self.writing() as session:
            row = find_study(session, study, Right.MANAGE)
            with resuming(session, row):
                edit_protocol(session, row, changes, visitor_of(session).user_id)
        return StudyStore(self.engine, self.actor).study(study)

    def protocol(self, study: str) -> StudyProtocol:
        """Return a study's current protocol; annotators are refused, as they would see the answers.

        Raises `UnknownStudy`.
        """
        with self.reading() as session:
            return find_protocol(session, find_study(session, study))

    def history(self, study: str) -> list[ProtocolVersion]:
        """List the versions of a study's file, the first one first; empty for a study of an earlier version.

        Raises `UnknownStudy`.
        """
        with self.reading() as session:
            of_study = ProtocolRow.study_id == find_study(session, study).id
            rows = session.scalars(select(ProtocolRow).where(of_study).order_by(ProtocolRow.version)).all()
            before = [None, *(parse(row.text) for row in rows)]
            return [
                ProtocolVersion(
                    version=row.version,
                    created_at=row.created_at,
                    user=None if row.user is None else row.user.name,
                    sha256=row.sha256,
                    changed=() if earlier is None else find_changes(earlier, parse(row.text)),
                )
                for row, earlier in zip(rows, before, strict=False)
            ]

    def export(self, study: str, version: int | None = None) -> str:
        """Return the text of a study's file as it was applied, by default the latest version.

        Raises `UnknownStudy`, `UnknownVersion`.
        """
        with self.reading() as session:
            row = find_study(session, study)
            if version is None:
                return find_text(session, row)
            of_version = (ProtocolRow.study_id == row.id, ProtocolRow.version == version)
            text = session.scalar(select(ProtocolRow.text).where(*of_version))
            if text is None:
                latest = find_version(session, row)
                last = "none" if latest is None else f"1 to {latest.version}"
                raise UnknownVersion(f"the study file of {study!r} has no version {version}; there is {last}")
            return text


def find_managed(session: Session, name: str) -> StudyRow:
    """Find the row of a study whose file the caller may change. Raises `StudyExists` if it is somebody else's."""
    try:
        return find_study(session, name, Right.MANAGE)
    except UnknownStudy as error:
        raise StudyExists(f"there is already a study {name!r}; choose another name") from error


def changes_of(session: Session, study: StudyRow, protocol: StudyProtocol) -> tuple[str, ...]:
    """Return the keys that a protocol changes in a study, without a new name that its data set got meanwhile."""
    before = find_protocol(session, study)
    if protocol.dataset.name == study.dataset.name:
        before = replace(before, dataset=replace(before.dataset, name=study.dataset.name))
    return find_changes(before, protocol)


def must_redraw(session: Session, study: StudyRow, protocol: StudyProtocol) -> bool:
    """Tell whether a protocol changes keys beyond `CHANGEABLE`. Raises `ProtocolFixed` once people have come."""
    fixed = [key for key in changes_of(session, study, protocol) if not may_change(key)]
    if fixed and has_begun(session, study):
        keys = f"{', '.join(fixed)} {'stay' if len(fixed) > 1 else 'stays'}"
        raise ProtocolFixed(
            f"people or models have come to the study {study.name!r}, so that {keys} as "
            f"{'they are' if len(fixed) > 1 else 'it is'}; nothing was changed"
        )
    return bool(fixed)


def has_begun(session: Session, study: StudyRow) -> bool:
    """Tell whether anybody was invited to a study, has joined it, or has judged in it as a model or adjudicator."""
    rows = (
        select(AnnotatorRow.id).where(AnnotatorRow.study_id == study.id),
        select(ModelAnnotatorRow.id).where(ModelAnnotatorRow.study_id == study.id),
        select(AdjudicationRow.id).join(PairRow).where(PairRow.study_id == study.id),
    )
    return any(session.scalar(query.limit(1)) is not None for query in rows)


def redraw(session: Session, study: StudyRow, protocol: StudyProtocol, sample: PairSample | None) -> None:
    """Give a study that nobody has come to new pairs and the specification of its file."""
    if sample is None:
        raise StoreError(f"the study {study.name!r} was changed meanwhile; apply the file again")
    session.execute(delete(PairRow).where(PairRow.study_id == study.id))
    for column, value in study_columns(session, protocol.spec, sample).items():
        setattr(study, column, value)
    insert_pairs(session, study, sample)
