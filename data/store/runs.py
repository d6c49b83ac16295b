"""Runs, which score a data set or add systems to it in a process of their own, and their progress."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import Select, select, update
from sqlalchemy.orm import Session

from relevance.data.database import now
from relevance.data.rights import visitor_of
from relevance.data.store.base import NotAllowed, Store, StoreError
from relevance.data.store.datasets import check_owner, find_dataset
from relevance.data.store.rows import to_record
from relevance.data.tables import DatasetRow, RunRow

SILENCE = timedelta(seconds=60)
"""The time without a heartbeat after which a run that has not ended is dead."""

AT_ONCE = 2
"""Runs that work at the same time, each of half a gigabyte or more, and on a hosted server each of another account."""

DIED = "its process ended before it was done"
"""The error of a dead run."""

CANCELLED = "it was cancelled"
"""The error of a cancelled run."""


class RunGoingOn(StoreError):
    """A run of the data set is in progress."""


class UnknownRun(StoreError):
    """There is no run of this number."""


@dataclass(frozen=True)
class Run:
    """A run that scores a data set or adds systems to it, as of when it was read."""

    id: int
    dataset: str
    metrics: tuple[str, ...]
    """The metrics that it computes; none if it adds systems."""
    systems: tuple[str, ...]
    """The systems that it adds; none if it scores."""
    notes: tuple[str, ...]
    """A report of its work, in sentences."""
    done: int
    total: int | None
    """The number of missing scores or summaries; None until they are counted."""
    failed: Mapping[str, str]
    """The reasons why metrics could not score, by the metrics' names."""
    error: str | None
    """The reason why the run ended before it was done."""
    started_at: datetime
    heartbeat: datetime
    ended_at: datetime | None

    @property
    def state(self) -> Literal["going", "ended", "failed", "died"]:
        """`ended`, even if metrics failed; `failed` with an `error`; `died` without a heartbeat; otherwise `going`."""
        if self.ended_at is not None:
            return "ended" if self.error is None else "failed"
        return "going" if now() - self.heartbeat <= SILENCE else "died"


class RunStore(Store):
    """Runs over one engine, with a short session for each call."""

    def start_run(self, *, dataset: str, metrics: Sequence[str] = (), systems: Sequence[str] = ()) -> Run:
        """Record the start of a run, which scores by metrics or adds systems; only the owner may add these.

        Raises `UnknownDataset`, `NotAllowed`, and `RunGoingOn` unless the last run is over or dead.
        """
        with self.writing() as session:
            owner = find_dataset(session, dataset, lock=True)
            if systems:
                check_owner(session, owner.owner_id, dataset)
            for row in session.scalars(select_runs(owner).where(RunRow.ended_at.is_(None))):
                if to_run(row).state == "going":
                    going = "is getting further systems" if row.systems else "is being scored already"
                    raise RunGoingOn(f"data set {dataset!r} {going}; wait until that is done")
                row.ended_at, row.error = now(), DIED  # if it wakes up, it finds that it is over
            user_id = visitor_of(session).user_id
            run = RunRow(dataset_id=owner.id, user_id=user_id, metrics=list(metrics), systems=list(systems) or None)
            session.add(run)
            session.flush()
            return to_run(run)

    def beat(self, run_id: int, *, done: int, total: int | None) -> bool:
        """Record a run's heartbeat and progress; return False once the run is over."""
        return self.change_run(run_id, heartbeat=now(), done=done, total=total)

    def end_run(
        self,
        run_id: int,
        *,
        failed: Mapping[str, str] | None = None,
        notes: Sequence[str] = (),
        error: str | None = None,
    ) -> bool:
        """Record the end of a run; return False if it had already ended."""
        return self.change_run(
            run_id, ended_at=now(), failed=dict(failed or {}), notes=list(notes) or None, error=error
        )

    def cancel_run(self, run_id: int) -> bool:
        """End a run; its process finds out at its next heartbeat, and what it has stored stays.

        Return False if it had already ended. Raises `NotAllowed` unless the caller has started the run, or owns the
        data set or the server.
        """
        if not self.may_cancel(run_id):
            raise NotAllowed("only who started a run, or the owner of its data set or of the server, can cancel it")
        return self.end_run(run_id, error=CANCELLED)

    def may_cancel(self, run_id: int) -> bool:
        """Tell whether the caller may cancel a run. Raises `UnknownRun`."""
        with self.reading() as session:
            row, visitor = find_run(session, run_id), visitor_of(session)
            return visitor.may_change(row.user_id) or visitor.may_change(row.dataset.owner_id)

    def count_before(self, run_id: int) -> int:
        """Count the runs that a run waits for; 0 if it may work. Runs wait in the order in which they were started."""
        with self.reading() as session:
            going = (RunRow.ended_at.is_(None), RunRow.heartbeat > now() - SILENCE)
            rows = session.execute(select(RunRow.id, RunRow.user_id).where(*going).order_by(RunRow.id)).all()
        working: list[int | None] = []
        for place, (number, user_id) in enumerate(rows):
            may_work = len(working) < AT_ONCE and (user_id is None or user_id not in working)
            if number == run_id:
                return 0 if may_work else place
            if may_work:
                working.append(user_id)
        return 0

    def change_run(self, run_id: int, **values: object) -> bool:
        """Change a run that is not over; return whether there was one."""
        with self.writing() as session:
            changed = session.scalar(
                update(RunRow).where(RunRow.id == run_id, RunRow.ended_at.is_(None)).values(values).returning(RunRow.id)
            )
        return changed is not None

    def run(self, run_id: int) -> Run:
        """Load one run. Raises `UnknownRun`."""
        with self.reading() as session:
            return to_run(find_run(session, run_id))

    def runs(self, dataset: str) -> list[Run]:
        """List a data set's runs, the latest first. Raises `UnknownDataset`."""
        with self.reading() as session:
            return [to_run(row) for row in session.scalars(select_runs(find_dataset(session, dataset)))]

    def last_run(self, dataset: str) -> Run | None:
        """Load a data set's latest run, if there is any. Raises `UnknownDataset`."""
        with self.reading() as session:
            row = session.scalar(select_runs(find_dataset(session, dataset)).limit(1))
            return None if row is None else to_run(row)


def find_run(session: Session, run_id: int) -> RunRow:
    """Find the row of a run. Raises `UnknownRun`."""
    row = session.get(RunRow, run_id)
    if row is None:
        raise UnknownRun(f"there is no run {run_id}")
    return row


def select_runs(dataset: DatasetRow) -> Select[RunRow]:
    """Select a data set's runs, the latest first."""
    return select(RunRow).where(RunRow.dataset_id == dataset.id).order_by(RunRow.id.desc())


def to_run(row: RunRow) -> Run:
    """Return the record of a run's row."""
    return to_record(Run, row, dataset=row.dataset.name, systems=tuple(row.systems or ()), notes=tuple(row.notes or ()))
