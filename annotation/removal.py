"""The store that renames, archives and deletes studies, alone or with their data set."""

from sqlalchemy import delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from relevance.annotation.protocol.current import edit_protocol
from relevance.annotation.protocol.tables import AdjudicationRow, ModelJudgmentRow
from relevance.annotation.records import Study, StudyExists
from relevance.annotation.studies import find_study, to_study
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, StudyRow
from relevance.data.database import now
from relevance.data.rights import Right, visitor_of
from relevance.data.store import DatasetInUse, NotAllowed, StoreError
from relevance.data.store.base import checked_name, has_named
from relevance.data.store.datasets import check_owner, find_dataset
from relevance.data.store.dependents import delete_dependents
from relevance.data.store.removal import delete_rows, refuse_running
from relevance.data.store.versions import VersionedStore


class StudyInUse(StoreError):
    """People or models have judged in the study, and the caller did not allow their judgments to be deleted."""


class StudyRemovalStore(VersionedStore):
    """Renaming, archiving and deleting of studies over one engine."""

    def rename_study(self, name: str, new: str) -> Study:
        """Rename a study in a new version of its file.

        Raises `UnknownStudy`, `NotAllowed`, `StudyExists`, StoreError for a bad name.
        """
        new = checked_name(new)
        exists = StudyExists(f"there is already a study {new!r}; choose another name")
        try:
            with self.writing() as session:
                row = find_study(session, name, Right.MANAGE)
                if new != row.name:
                    if has_named(session, StudyRow, new):
                        raise exists
                    edit_protocol(session, row, {"name": new}, visitor_of(session).user_id)
                return to_study(session, row)
        except IntegrityError as error:  # another session took the name at this moment
            raise exists from error

    def archive_study(self, name: str, *, archived: bool = True) -> None:
        """Hide a study from lists, or show it again; nothing else changes. Raises `UnknownStudy`, `NotAllowed`."""
        with self.writing() as session:
            row = find_study(session, name, Right.MANAGE, opened=True)
            row.archived_at = (row.archived_at or now()) if archived else None

    def delete_study(self, name: str, *, with_judgments: bool = False) -> None:
        """Delete a study with all that belongs to it (pairs, people, links, study files), for good.

        Only the account that made it and the server's owners may. Raises `UnknownStudy`, `NotAllowed`, and `StudyInUse`
        if somebody has judged, unless called `with_judgments`.
        """
        with self.writing(revoking=True) as session:
            row = find_study(session, name, Right.MANAGE, opened=True)
            if not visitor_of(session).may_change(row.owner_id):
                raise NotAllowed(f"only who made the study {name!r}, or an owner of the server, can delete it")
            delete_whole(session, row, with_judgments=with_judgments)

    def delete_dataset(self, name: str, *, with_judgments: bool = False) -> list[str]:
        """Delete a data set with its studies and reviews of keywords; returns the names of the studies.

        Raises `UnknownDataset`, `NotAllowed`, `RunGoingOn`, `StudyInUse` as `delete_study`, and `DatasetInUse` if
        studies of others use it; nothing is deleted then.
        """
        try:
            with self.changing("texts", revoking=True) as session:
                row = find_dataset(session, name, lock=True)
                check_owner(session, row.owner_id, name)
                refuse_running(session, row)
                studies = session.scalars(
                    select(StudyRow).where(StudyRow.dataset_id == row.id).order_by(StudyRow.id)
                ).all()
                if not all(visitor_of(session).may_change(study.owner_id) for study in studies):
                    raise DatasetInUse(f"studies of others use the data set {name!r}; it stays")
                names = [study.name for study in studies]
                for study in studies:
                    delete_whole(session, study, with_judgments=with_judgments)
                delete_dependents(session, "datasets", [row.id], only={"keyword_reviews"})
                delete_rows(session, row)
                return names
        except IntegrityError as error:  # somebody made a study of it at this moment
            raise DatasetInUse(f"somebody has just made a study of the data set {name!r}; it stays") from error


def delete_whole(session: Session, study: StudyRow, *, with_judgments: bool) -> None:
    """Delete a study and all rows that refer to it, in the tables of any package. Raises `StudyInUse`."""
    # These locks wait for running calls and stop new ones, so that the count below is complete. Every call locks its
    # sign-in, then the annotator, then the study; the same order here avoids deadlocks.
    people = select(AnnotatorRow.id).where(AnnotatorRow.study_id == study.id).order_by(AnnotatorRow.id)
    delete_dependents(session, "annotators", session.scalars(people).all(), only={"sign_ins"})
    delete_dependents(session, "studies", [study.id], only={"memberships"})
    session.execute(people.with_for_update())
    session.execute(select(StudyRow.id).where(StudyRow.id == study.id).with_for_update())
    judged = count_judged(session, study)
    if judged and not with_judgments:
        raise StudyInUse(f"the study {study.name!r} has {judged}; archive it, or delete them with it")
    delete_dependents(session, "studies", [study.id])
    session.execute(delete(StudyRow).where(StudyRow.id == study.id).execution_options(synchronize_session=False))


def count_judged(session: Session, study: StudyRow) -> str:
    """Count in words what people, adjudicators and models have judged in a study; empty if nobody has."""
    of_study = PairRow.study_id == study.id
    counts = {
        "judgment": select(func.count(JudgmentRow.id)).join(AssignmentRow).join(PairRow).where(of_study),
        "adjudication": select(func.count(AdjudicationRow.id)).join(PairRow).where(of_study),
        "verdict": select(func.count(ModelJudgmentRow.pair_id)).join(PairRow).where(of_study),
    }
    totals = {what: session.scalar(count) for what, count in counts.items()}
    return ", ".join(f"{count} {what}{'s' if count > 1 else ''}" for what, count in totals.items() if count)
