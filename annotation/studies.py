"""Studies: drawn once, then open or closed."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from annotation.drawing import draw
from annotation.inputs import clean_text
from annotation.records import MOST_CHECKS, NoPairs, Study, StudyExists, StudySpec, UnknownStudy
from annotation.sampling import PairSample
from annotation.tables import AssignmentRow, JudgmentRow, PairRow, StudyRow
from data.database import now
from data.store.base import Store, StoreError, checked_name, find_named, has_named, insert_named
from data.store.datasets import count_by_system, find_dataset
from data.store.rows import to_record
from data.tables import DatasetRow


class StudyStore(Store):
    """Studies over one engine, a short session a call."""

    def sample(self, spec: StudySpec) -> PairSample:
        """The pairs that a study would get, without making it. Errors as `create_study`."""
        with self.reading() as session:
            return draw(session, spec)

    def create_study(self, spec: StudySpec) -> Study:
        """Draw the pairs and store the study.

        Raises `StudyExists`, `UnknownDataset`, `ScoresMissing`, `NoPairs`, or StoreError for a setting out of range.
        """
        name = checked_name(spec.name)
        check_spec(spec)
        exists = StudyExists(f"there is already a study {name!r}; choose another name")
        with self.writing() as session:
            if has_named(session, StudyRow, name):
                raise exists
            sample = draw(session, spec)
            if not sample.pairs:
                raise NoPairs(
                    f"no pair is left to ask about: {sample.identical} pairs of identical texts, "
                    f"{sample.unscored} without a score; the rule {spec.rule!r} allows {sample.eligible}"
                )
            study = study_row(session, name, spec, sample)
            insert_named(session, study, exists)
            session.add_all(
                PairRow(study_id=study.id, position=position, **pair._asdict())
                for position, pair in enumerate((*sample.pairs, *sample.checks))
            )
        return self.study(name)

    def studies(self) -> list[Study]:
        """All studies, the newest first."""
        with self.reading() as session:
            rows = session.scalars(
                select(StudyRow).options(joinedload(StudyRow.dataset)).order_by(StudyRow.id.desc())
            ).all()
            return [to_study(session, row) for row in rows]

    def study(self, name: str) -> Study:
        """One study. Raises `UnknownStudy`."""
        with self.reading() as session:
            return to_study(session, find_study(session, name))

    def studies_of(self, dataset: str) -> list[str]:
        """The names of the studies over a data set, the oldest first."""
        with self.reading() as session:
            return list(
                session.scalars(
                    select(StudyRow.name).join(DatasetRow).where(DatasetRow.name == dataset).order_by(StudyRow.id)
                )
            )

    def close_study(self, name: str, *, closed: bool = True) -> Study:
        """Stop taking judgments, or take them again. Raises `UnknownStudy`."""
        with self.writing() as session:
            find_study(session, name).closed_at = now() if closed else None
        return self.study(name)

    def version(self, name: str) -> int:
        """A number that grows with every judgment made or changed in the study. Raises `UnknownStudy`."""
        with self.reading() as session:
            revisions = session.scalar(
                select(func.sum(JudgmentRow.revision))
                .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
                .join(PairRow, PairRow.id == AssignmentRow.pair_id)
                .where(PairRow.study_id == find_study(session, name).id)
            )
            return revisions or 0


def check_spec(spec: StudySpec) -> None:
    """Raise StoreError for a setting out of range."""
    if spec.judgments_per_pair < 1:
        raise StoreError("each pair needs at least one judgment")
    if not clean_text(spec.question):
        raise StoreError("a study needs a question")
    limits = (spec.seed, spec.count or 0, spec.per_document or 0, spec.judgments_per_pair)
    if not all(0 <= number < 2**31 for number in limits):
        raise StoreError("seed and limits must be whole numbers from 0 to 2147483647")
    if not 0 <= spec.checks <= MOST_CHECKS:
        raise StoreError(f"a study can have 0 to {MOST_CHECKS} attention checks")


def study_row(session: Session, name: str, spec: StudySpec, sample: PairSample) -> StudyRow:
    """A study as a row: what was specified, and what was left out of the sample."""
    dataset = find_dataset(session, spec.dataset)
    conflicts = spec.rule == "conflicts"
    return StudyRow(
        name=name,
        dataset_id=dataset.id,
        question=clean_text(spec.question),
        instructions=clean_text(spec.instructions),
        systems=list(spec.systems or count_by_system(session, dataset)),
        rule=spec.rule,
        signature=spec.signature,
        signatures=list(spec.compared) if conflicts else None,
        random_share=spec.random_share if conflicts else None,
        wanted_pairs=spec.count,
        per_document=spec.most_per_document,
        judgments_per_pair=spec.judgments_per_pair,
        ties=spec.ties,
        seed=spec.seed,
        identical=sample.identical,
        unscored=sample.unscored,
        eligible=sample.eligible,
        conflicts=sample.conflicts,
    )


def find_study(session: Session, name: str) -> StudyRow:
    """The row of a study. Raises `UnknownStudy`."""
    return find_named(session, StudyRow, name, what="study", unknown=UnknownStudy)


def to_study(session: Session, row: StudyRow) -> Study:
    """The record of a study's row, with its counts."""
    ordinary = PairRow.expected_id.is_(None)
    pairs, checks, judgments = session.execute(
        select(
            func.count().filter(ordinary),
            func.count(PairRow.expected_id),
            func.coalesce(func.sum(PairRow.judgments).filter(ordinary), 0),
        ).where(PairRow.study_id == row.id)
    ).one()
    return to_record(
        Study,
        row,
        dataset=row.dataset.name,
        signatures=tuple(row.signatures or ()),
        pairs=pairs,
        checks=checks,
        judgments=judgments,
    )
