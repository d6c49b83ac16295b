"""Runs: what scores a data set, or adds systems to it, in a process of its own, and how far that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import Select, select, update

from data.database import now
from data.store.base import Store, StoreError
from data.store.datasets import check_owner, find_dataset
from data.store.rows import to_record
from data.tables import DatasetRow, RunRow

SILENCE = timedelta(seconds=60)
"""A run that has not ended and was not heard of for so long is dead."""

DIED = "its process ended before it was done"
"""Why a dead run is over."""

CANCELLED = "it was cancelled"
"""Why a run is over that somebody stopped."""


class RunGoingOn(StoreError):
    """A run of the data set is going on."""


class UnknownRun(StoreError):
    """There is no run of that number."""


@dataclass(frozen=True)
class Run:
    """A run that scores a data set or adds systems to it, as it was when it was read."""

    id: int
    dataset: str
    metrics: tuple[str, ...]
    """By which it scores; none where it adds systems."""
    systems: tuple[str, ...]
    """Which it adds; none where it scores."""
    said: tuple[str, ...]
    """What it has done, a sentence each."""
    done: int
    total: int | None
    """How many scores or summaries were missing; None until they are counted."""
    failed: Mapping[str, str]
    """Why metrics could not score, by their name."""
    error: str | None
    """Why the run was over before it was done."""
    started_at: datetime
    heartbeat: datetime
    ended_at: datetime | None

    @property
    def state(self) -> Literal["going", "ended", "failed", "died"]:
        """`ended`, though metrics may have failed; `failed` by its `error`; `died` without a word."""
        if self.ended_at is not None:
            return "ended" if self.error is None else "failed"
        return "going" if now() - self.heartbeat <= SILENCE else "died"


class RunStore(Store):
    """Runs over one engine, a short session a call."""

    def start_run(self, *, dataset: str, metrics: Sequence[str] = (), systems: Sequence[str] = ()) -> Run:
        """Note that a run begins, which scores by metrics or adds systems: the data set's owner alone adds these.

        Raises `UnknownDataset`, `NotAllowed`, and `RunGoingOn` unless the last one is over or dead.
        """
        with self.writing() as session:
            owner = find_dataset(session, dataset, lock=True)
            if systems:
                check_owner(session, owner.owner_id, dataset)
            for row in session.scalars(select_runs(owner).where(RunRow.ended_at.is_(None))):
                if to_run(row).state == "going":
                    going = "gets further systems at this moment" if row.systems else "is being scored already"
                    raise RunGoingOn(f"data set {dataset!r} {going}; wait until that is done")
                row.ended_at, row.error = now(), DIED  # should it wake up, it finds that it is over
            run = RunRow(dataset_id=owner.id, metrics=list(metrics), systems=list(systems) or None)
            session.add(run)
            session.flush()
            return to_run(run)

    def beat(self, run_id: int, *, done: int, total: int | None) -> bool:
        """Record a run's heartbeat and progress; returns False once the run is over."""
        return self.change_run(run_id, heartbeat=now(), done=done, total=total)

    def end_run(
        self,
        run_id: int,
        *,
        failed: Mapping[str, str] | None = None,
        said: Sequence[str] = (),
        error: str | None = None,
    ) -> bool:
        """Record the end of a run; returns False if it had already ended."""
        return self.change_run(run_id, ended_at=now(), failed=dict(failed or {}), said=list(said) or None, error=error)

    def cancel_run(self, run_id: int) -> bool:
        """End a run that somebody wants no more; its process finds out at its next heartbeat, and what it stored stays.

        Returns False if it had already ended. Raises `NotAllowed` for a run that adds systems to another's data set.
        """
        with self.reading() as session:
            row = session.get(RunRow, run_id)
            if row is not None and row.systems:
                check_owner(session, row.dataset.owner_id, row.dataset.name)
        return self.end_run(run_id, error=CANCELLED)

    def change_run(self, run_id: int, **values: object) -> bool:
        """Change a run that is not over; returns whether there was one."""
        with self.writing() as session:
            changed = session.scalar(
                update(RunRow).where(RunRow.id == run_id, RunRow.ended_at.is_(None)).values(values).returning(RunRow.id)
            )
        return changed is not None

    def run(self, run_id: int) -> Run:
        """One run. Raises `UnknownRun`."""
        with self.reading() as session:
            row = session.get(RunRow, run_id)
            if row is None:
                raise UnknownRun(f"there is no run {run_id}")
            return to_run(row)

    def runs(self, dataset: str) -> list[Run]:
        """A data set's runs, the latest first. Raises `UnknownDataset`."""
        with self.reading() as session:
            return [to_run(row) for row in session.scalars(select_runs(find_dataset(session, dataset)))]

    def last_run(self, dataset: str) -> Run | None:
        """A data set's latest run, if there was any. Raises `UnknownDataset`."""
        with self.reading() as session:
            row = session.scalar(select_runs(find_dataset(session, dataset)).limit(1))
            return None if row is None else to_run(row)


def select_runs(dataset: DatasetRow) -> Select[RunRow]:
    """Select a data set's runs, the latest first."""
    return select(RunRow).where(RunRow.dataset_id == dataset.id).order_by(RunRow.id.desc())


def to_run(row: RunRow) -> Run:
    """The record of a run's row."""
    return to_record(Run, row, dataset=row.dataset.name, systems=tuple(row.systems or ()), said=tuple(row.said or ()))
