"""The store of studies, which are drawn once and then opened or closed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload

from relevance.annotation.candidates import draw, find_candidates, find_systems, put_in_order_to_stop
from relevance.annotation.entering import resume_time
from relevance.annotation.inputs import clean_text
from relevance.annotation.progress import STUDY_TIMES, median_seconds
from relevance.annotation.protocol.current import add_version, find_protocol, parse
from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.pinning import hash_dataset
from relevance.annotation.protocol.records import Stopping, StudyProtocol, protocol_of
from relevance.annotation.protocol.tables import EventRow, ProtocolRow, RegistrationRow
from relevance.annotation.records import (
    CLOSED,
    MOST_CHECKS,
    OPEN,
    NoPairs,
    OpenedFromBundle,
    Study,
    StudyClosed,
    StudyExists,
    StudyPace,
    StudySpec,
    UnknownStudy,
    state_of,
)
from relevance.annotation.sampling import GIVEN, PairCounts, PairSample, allow_pairs
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, StudyRow
from relevance.data.database import now
from relevance.data.rights import Right, visitor_of
from relevance.data.store.base import NotAllowed, StoreError, checked_name, find_named, has_named, insert_named
from relevance.data.store.datasets import check_owner, count_by_system, find_dataset
from relevance.data.store.rows import to_record
from relevance.data.store.versions import VersionedStore
from relevance.data.tables import DatasetRow

DAY = timedelta(days=1)


class StudyStore(VersionedStore):
    """Studies over one engine, in a short session per call."""

    def sample(self, spec: StudySpec) -> PairSample:
        """Return the pairs that a study would get, without making it. Errors as `create_study`."""
        return draw(find_candidates(self, spec), spec)

    def count_pairs(self, spec: StudySpec) -> PairCounts:
        """Count the pairs that the rule of a study allows, before any are drawn. Errors as `create_study`."""
        return allow_pairs(find_candidates(self, spec), spec.rule).counts()

    def create_study(self, spec: StudySpec, text: str | None = None) -> Study:
        """Draw the pairs and store the study with the `text` of its study file.

        Without a text, a study file is written from the specification.

        Raises `StudyExists`, `UnknownDataset`, `ScoresMissing`, `NoPairs`, or StoreError for a setting out of range.
        """
        name = checked_name(spec.name)
        check_spec(spec)
        spec = replace(spec, question=clean_text(spec.question), instructions=clean_text(spec.instructions))
        exists = StudyExists(f"there is already a study {name!r}; choose another name")
        with self.reading() as session:
            if has_named(session, StudyRow, name):
                raise exists
        sample = draw_pairs(self, spec, None if text is None else parse(text).stopping)
        if text is None:
            text = write_protocol(protocol_for(self, replace(spec, name=name)))
        try:
            with self.writing() as session:
                study = StudyRow(name=name, **study_columns(session, spec, sample))
                study.owner_id = visitor_of(session).user_id
                insert_named(session, study, exists)
                add_version(session, study, text, study.owner_id)
                insert_pairs(session, study, sample)
        except IntegrityError as error:
            raise StoreError(f"the data set {spec.dataset!r} was changed meanwhile; create the study again") from error
        return self.study(name)

    def studies(self, *, archived: bool = False) -> list[Study]:
        """List the studies that the caller may read, the newest first; with `archived`, archived ones too."""
        with self.reading() as session:
            listed = select(StudyRow).options(joinedload(StudyRow.dataset)).order_by(StudyRow.id.desc())
            rows = session.scalars(listed if archived else listed.where(StudyRow.archived_at.is_(None))).all()
            return [to_study(session, row) for row in rows if may(session, Right.READ, row)]

    def study(self, name: str) -> Study:
        """Return one study; an annotator may see their own. Raises `UnknownStudy`."""
        with self.reading(annotators=True) as session:
            return to_study(session, find_study(session, name, Right.JUDGE))

    def right(self, name: str) -> Right:
        """Return the caller's right in a study, at most to read one opened from a bundle. Raises `UnknownStudy`."""
        with self.reading(annotators=True) as session:
            row = find_study(session, name, Right.JUDGE)
            most = max(right for right in Right if may(session, right, row))
            return most if row.bundle_sha256 is None else min(most, Right.READ)

    def studies_of(self, dataset: str) -> list[str]:
        """List the names of a data set's studies that the caller may read, the oldest first."""
        with self.reading() as session:
            rows = session.scalars(
                select(StudyRow).join(DatasetRow).where(DatasetRow.name == dataset).order_by(StudyRow.id)
            )
            return [row.name for row in rows if may(session, Right.READ, row)]

    def is_studied(self, dataset: str) -> bool:
        """Tell whether any study, whoever owns it, uses a data set that the caller may change.

        Raises `UnknownDataset`, `NotAllowed`: others do not learn what studies there are.
        """
        with self.reading() as session:
            row = find_dataset(session, dataset)
            check_owner(session, row.owner_id, dataset)
            return session.scalar(select(StudyRow.id).where(StudyRow.dataset_id == row.id).limit(1)) is not None

    def close_study(self, name: str, *, closed: bool = True) -> Study:
        """Stop taking judgments, or take them again.

        Raises `UnknownStudy`. Raises `StudyClosed` if a study cannot be opened again: its closing date has passed, or
        its judgments came from a file.
        """
        with self.writing() as session:
            study = find_study(session, name, Right.MANAGE)
            if study.rule == GIVEN and not closed:
                raise StudyClosed(f"the judgments of the study {name!r} came from a file; nobody can add to them")
            with resuming(session, study):
                study.closed_at = now() if closed else None
            if not closed and find_state(session, study) == CLOSED:
                raise StudyClosed(f"the closing date of the study {name!r} has passed; give it a later one, or none")
        return self.study(name)

    def pace(self, name: str) -> StudyPace:
        """Return the pace at which a study is judged. Raises `UnknownStudy`."""
        with self.reading() as session:
            study = find_study(session, name)
            decided = JudgmentRow.decided_at
            counts = AnnotatorRow.excluded_at.is_(None)
            joined = select(func.count()).where(AnnotatorRow.study_id == study.id, counts)
            lately, latest = session.execute(
                select(func.count().filter(decided >= now() - DAY), func.max(decided))
                .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
                .join(AnnotatorRow, AnnotatorRow.id == AssignmentRow.annotator_id)
                .join(PairRow, PairRow.id == AssignmentRow.pair_id)
                .where(PairRow.study_id == study.id, PairRow.expected_id.is_(None), counts)
            ).one()
            seconds = median_seconds(session, STUDY_TIMES, study=study.id)
            return StudyPace(session.scalar(joined) or 0, lately, seconds, latest)

    def version(self, name: str) -> str:
        """Return a text that changes whenever something that results and reports depend on changes in a study.

        It changes when a judgment is made or changed or a pair is skipped, when something happens to an annotator, and
        when the study gets another file, is registered or stops by its rule. A study with the name of a deleted one has
        versions of its own. Raises `UnknownStudy`.
        """
        with self.reading() as session:
            study = find_study(session, name)
            revisions = (
                select(func.coalesce(func.sum(JudgmentRow.revision), 0))
                .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
                .join(PairRow, PairRow.id == AssignmentRow.pair_id)
                .where(PairRow.study_id == study.id)
            )
            of_study = AnnotatorRow.study_id == study.id
            counts = (
                select(func.count()).select_from(ProtocolRow).where(ProtocolRow.study_id == study.id),
                select(func.count()).select_from(RegistrationRow).where(RegistrationRow.study_id == study.id),
                select(func.count(AssignmentRow.skipped_at)).join(AnnotatorRow).where(of_study),
                select(func.count()).select_from(EventRow).join(AnnotatorRow).where(of_study),
                revisions,
            )
            numbers = session.execute(select(*(count.scalar_subquery() for count in counts))).one()
            stopped = study.stopped_at is not None
            return ".".join(map(str, (f"{study.created_at:%Y%m%d%H%M%S%f}", int(stopped), *numbers)))


def draw_pairs(store: VersionedStore, spec: StudySpec, stopping: Stopping | None = None) -> PairSample:
    """Draw the pairs of a study, in the order of its stopping rule, if it has one.

    Raises `NoPairs` if there are none; other errors as `create_study`.
    """
    sample = draw(find_candidates(store, spec), spec)
    if not sample.pairs:
        raise NoPairs(
            f"no pair is left to ask about: {sample.identical} pairs of identical texts, "
            f"{sample.unscored} without a score, {sample.alike} with the same score; "
            f"the rule {spec.rule!r} allows {sample.eligible}"
        )
    if stopping is None:
        return sample
    with store.reading() as session:
        return put_in_order_to_stop(session, sample, spec, stopping)


def protocol_for(store: VersionedStore, spec: StudySpec) -> StudyProtocol:
    """Return the protocol of a specification, with systems named and data set pinned. Errors as `create_study`."""
    with store.reading() as session:
        spec = replace(spec, systems=find_systems(session, spec))
    return protocol_of(spec, hash_dataset(store, spec.dataset, spec.systems))


def find_state(session: Session, study: StudyRow) -> str:
    """Return the state of a study at this moment; only this function tells from its row whether it takes judgments."""
    return state_of(study.closed_at, study.paused_at, find_protocol(session, study).closes)


@contextmanager
def resuming(session: Session, study: StudyRow) -> Iterator[None]:
    """Restart the idle time of a study's annotators if the study takes judgments again after the block."""
    before = find_state(session, study)
    yield
    if before != OPEN and find_state(session, study) == OPEN:
        resume_time(session, AnnotatorRow.study_id == study.id)


def may_come(session: Session, study: StudyRow) -> bool:
    """Tell whether a study has something to judge for people who come now."""
    return find_state(session, study) == OPEN and study.stopped_at is None


def check_open(session: Session, study: StudyRow) -> None:
    """Refuse new people in a study that is not open or has stopped. Raises `StudyClosed`."""
    if not may_come(session, study):
        state = find_state(session, study)
        raise StudyClosed(f"the study {study.name!r} is {'stopped' if state == OPEN else state}")


def check_spec(spec: StudySpec) -> None:
    """Refuse a setting out of range. Raises StoreError."""
    if spec.judgments_per_pair < 1:
        raise StoreError("each pair needs at least one judgment")
    if not clean_text(spec.question):
        raise StoreError("a study needs a question")
    limits = (spec.seed, spec.count or 0, spec.per_document or 0, spec.judgments_per_pair)
    if not all(0 <= number < 2**31 for number in limits):
        raise StoreError("seed and limits must be whole numbers from 0 to 2147483647")
    if not 0 <= spec.checks <= MOST_CHECKS:
        raise StoreError(f"a study can have 0 to {MOST_CHECKS} attention checks")


def insert_pairs(session: Session, study: StudyRow, sample: PairSample) -> None:
    """Store the pairs and attention checks of a study in the order of asking."""
    drawn = enumerate((*sample.pairs, *sample.checks))
    rows = ({"study_id": study.id, "position": place, **pair._asdict()} for place, pair in drawn)
    session.execute(insert(PairRow.__table__), list(rows))  # type: ignore[arg-type]


def study_columns(session: Session, spec: StudySpec, sample: PairSample) -> dict[str, Any]:
    """Return the columns of a study's row except its name: its specification, and the counts of its sample."""
    dataset = find_dataset(session, spec.dataset)
    conflicts = spec.rule == "conflicts"
    return {
        "dataset_id": dataset.id,
        "question": clean_text(spec.question),
        "instructions": clean_text(spec.instructions),
        "systems": list(spec.systems or count_by_system(session, dataset)),
        "rule": spec.rule,
        "signature": spec.signature,
        "signatures": list(spec.compared) if conflicts else None,
        "random_share": spec.random_share if conflicts else None,
        "wanted_pairs": spec.count,
        "per_document": spec.most_per_document,
        "judgments_per_pair": spec.judgments_per_pair,
        "ties": spec.ties,
        "seed": spec.seed,
        "identical": sample.identical,
        "unscored": sample.unscored,
        "alike": sample.alike,
        "eligible": sample.eligible,
        "conflicts": sample.conflicts,
        "in_drawn_order": sample.in_drawn_order,
    }


def may(session: Session, right: Right, study: StudyRow) -> bool:
    """Tell whether the caller has a right in a study; its owner has all rights."""
    visitor = visitor_of(session)
    return visitor.may(right, study.id) or visitor.may_change(study.owner_id)


def find_study(session: Session, name: str, right: Right = Right.READ, *, opened: bool = False) -> StudyRow:
    """Find the row of a study in which the caller has a right.

    Raises `UnknownStudy`, also if the caller may not know of it, and `NotAllowed` if they may only read it. A study
    that was opened from a bundle can only be read: any other right raises `OpenedFromBundle`, unless the call allows
    `opened` ones too.
    """
    lowest = min(right, Right.READ)
    row = find_named(
        session,
        StudyRow,
        name,
        what="study",
        unknown=UnknownStudy,
        visible=lambda row: may(session, lowest, row),
    )
    if not may(session, right, row):
        raise NotAllowed(f"you may not change the study {name!r}; ask whoever manages it")
    if right > Right.READ and row.bundle_sha256 is not None and not opened:
        raise OpenedFromBundle(f"the study {name!r} was opened from a bundle and stays as it is")
    return row


def to_study(session: Session, row: StudyRow) -> Study:
    """Make the record of a study's row, with its counts."""
    ordinary = PairRow.expected_id.is_(None)
    left_out = (
        select(AnnotatorRow.id)
        .join(AssignmentRow, AssignmentRow.annotator_id == AnnotatorRow.id)
        .join(JudgmentRow, JudgmentRow.assignment_id == AssignmentRow.id)
        .join(PairRow, PairRow.id == AssignmentRow.pair_id)
        .where(AnnotatorRow.study_id == row.id, AnnotatorRow.excluded_at.is_not(None), ordinary)
        .subquery()
    )
    pairs, checks, judgments, excluded_judgments, excluded_annotators = session.execute(
        select(
            func.count().filter(ordinary),
            func.count(PairRow.expected_id),
            func.coalesce(func.sum(PairRow.judgments).filter(ordinary), 0),
            select(func.count()).select_from(left_out).scalar_subquery(),
            select(func.count(left_out.c.id.distinct())).scalar_subquery(),
        ).where(PairRow.study_id == row.id)
    ).one()
    protocol = find_protocol(session, row)
    return to_record(
        Study,
        row,
        title=protocol.title,
        closes=protocol.closes,
        judged_twice=protocol.judging.judged_twice,
        judgments_wanted=protocol.judging.count_wanted(pairs),
        both_bad=protocol.judging.both_bad,
        dataset=row.dataset.name,
        signatures=tuple(row.signatures or ()),
        pairs=pairs,
        checks=checks,
        judgments=judgments,
        excluded_judgments=excluded_judgments,
        excluded_annotators=excluded_annotators,
    )
