"""The store of data sets and scores: the only code that writes the tables of `data.tables`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, NamedTuple
from unicodedata import bidirectional, category

import numpy as np
from sqlalchemy import Engine, Select, case, func, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlalchemy.orm import Session, selectinload

from data.cells import Cells
from data.database import UnusableDatabase, now
from data.records import ClozeQuestion, Document, Example, Summary, make_examples
from data.tables import BoundRow, DatasetRow, DocumentRow, RunRow, ScoreRow, SignatureRow, SummaryRow

PLAYGROUND = "playground"
"""The format of data sets whose documents were written here, one by one."""

NAME_OF_SYSTEM = "the name of a summary's system"

BATCH = 500
"""Rows per statement: under every server's limit of bound parameters."""

SILENCE = timedelta(seconds=60)
"""A run that has not ended and was not heard of for so long is dead."""

DIED = "its process ended before it was done"
"""Why a dead run is over."""


class StoreError(ValueError):
    """What a store refuses; the message says what to do."""


class DatasetExists(StoreError):
    """A data set of that name is already there."""


class UnknownDataset(StoreError):
    """There is no data set of that name."""


class SystemExists(StoreError):
    """The data set already has summaries of that system."""


class DocumentExists(StoreError):
    """The data set already has a document of that id."""


class NotExtensible(StoreError):
    """The data set is a file as it was imported, and takes no further documents."""


class DatabaseFailed(StoreError):
    """The database did not answer, or not as it should; the message says why in words, `__cause__` in the driver's."""

    def __init__(self, error: Exception, *, stored: bool | None = False) -> None:
        super().__init__(f"the database cannot be used: {failure_in_words(error)}")
        self.stored = stored
        """False: nothing of what was to be stored is; None: that is not known, as a commit was under way."""


FAILURES = {
    "locked": "another program has been writing to it for more than 30 seconds",
    "readonly": "it may only be read",
    "is full": "its disk is full",
    "unable to open": "its file is not in its place, or may not be opened",
    "disk i/o": "its disk cannot be read or written",
    "not a database": "its file is damaged, or is no database",
    "malformed": "its file is damaged",
    "no such table": "its tables are not those of this version; restart the app to bring them up to date",
    "no such column": "its tables are not those of this version; restart the app to bring them up to date",
    "does not exist": "its tables are not those of this version; restart the app to bring them up to date",
    "connection": "its server does not answer",
    "queuepool limit": "too many people are using it at this moment",
    "server": "its server does not answer",
}
"""What drivers say, in lower case, and what it means."""


def failure_in_words(error: Exception) -> str:
    """Why the database failed, in a few words; the first line of what its driver says where that is not known."""
    if isinstance(error, UnusableDatabase):
        return str(error)
    said = str(getattr(error, "orig", None) or error).strip() or type(error).__name__
    return next((words for key, words in FAILURES.items() if key in said.lower()), said.splitlines()[0])


class UnknownDocument(StoreError):
    """The data set has no document of that id."""


class RunGoingOn(StoreError):
    """A run of the data set is going on."""


class UnknownRun(StoreError):
    """There is no run of that number."""


@dataclass(frozen=True)
class Dataset:
    """What a list of data sets shows of one."""

    name: str
    format: str
    sha256: str
    imported_at: datetime
    documents: int
    summaries: int
    systems: tuple[str, ...]
    aspects: tuple[str, ...]
    """Aspects of the human ratings that came with it."""


class StoredScore(NamedTuple):
    """A score as it is kept: the value, or the reason why it is missing."""

    value: float | None
    missing: str | None
    truncated: bool = False
    """Whether a text was longer than a model's limit."""


class StoredBound(NamedTuple):
    """What an oracle reached on a document, as it is kept."""

    f1: float
    sentences: tuple[int, ...]
    """Places of its sentences in the source."""
    reference: int
    """Index of the reference whose F1 it is."""
    bound: float | None
    """No extract scores higher; None where the oracle cannot tell."""
    seconds: float


class StoredSignature(NamedTuple):
    """A stored signature, and how many of a data set's summaries have a score or a reason under it."""

    metric: str
    signature: str
    scored: int
    truncated: int = 0
    """How many of them saw only the beginning of a text."""


@dataclass(frozen=True)
class Run:
    """A run that scores a data set, as it was when it was read."""

    id: int
    dataset: str
    metrics: tuple[str, ...]
    done: int
    total: int | None
    """How many scores were missing; None until they are counted."""
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


class Store:
    """What every store is: short sessions over one engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.writer = engine.execution_options(writing=True)

    def check(self) -> None:
        """Ask the database for something small. Raises `DatabaseFailed` where it does not answer."""
        with self.reading() as session:
            session.scalar(select(DatasetRow.id).limit(1))

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that only reads. Raises `DatabaseFailed`."""
        try:
            with Session(self.engine) as session:
                yield session
        except IntegrityError:
            raise
        except (DBAPIError, NoConnectionFree, UnusableDatabase) as error:
            raise self.failed(error) from error

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session whose changes are committed, and on disk, when the block ends without an error.

        Raises `DatabaseFailed` where the database fails: nothing was stored, unless the error says that nobody knows.
        """
        committing = False
        try:
            with Session(self.writer) as session:
                session.begin()
                yield session
                session.flush()
                committing = True
                session.commit()
        except IntegrityError:
            raise
        except (DBAPIError, NoConnectionFree, UnusableDatabase) as error:
            raise self.failed(error, stored=None if committing else False) from error

    def failed(self, error: Exception, *, stored: bool | None = False) -> DatabaseFailed:
        """What to raise for an error of the database; connections that may be broken are not used again."""
        self.engine.dispose()
        return DatabaseFailed(error, stored=stored)


class DataStore(Store):
    """Data sets and scores over one engine, a short session a call."""

    # --- data sets ---------------------------------------------------------------------------------------

    def add_dataset(
        self,
        *,
        name: str,
        format: str,
        sha256: str,
        records: Iterable[tuple[Document, list[Summary]]],
    ) -> Dataset:
        """Store a data set whole, or nothing of it where `records` raises. Raises `DatasetExists`."""
        name = checked_name(name)
        exists = DatasetExists(f"there is already a data set {name!r}; choose another name")
        if self.has_dataset(name):
            raise exists
        read = list(records)  # before the transaction: a long file must not keep judgments waiting
        aspects = dict.fromkeys(aspect for _, summaries in read for summary in summaries for aspect in summary.human)
        with self.writing() as session:
            dataset = DatasetRow(name=name, format=format, sha256=sha256, aspects=list(aspects))
            session.add(dataset)
            try:
                session.flush()
            except IntegrityError as error:  # another session imported it at this moment
                raise exists from error
            for position, (document, summaries) in enumerate(read):
                session.add(document_row(dataset.id, position, document, summaries))
                if position % BATCH == BATCH - 1:
                    session.flush()
                    session.expunge_all()
        return self.dataset(name)

    def has_dataset(self, name: str) -> bool:
        """Whether there is a data set of that name."""
        with self.reading() as session:
            return session.scalar(select(DatasetRow.id).where(DatasetRow.name == name)) is not None

    def datasets(self) -> list[Dataset]:
        """All data sets by name."""
        with self.reading() as session:
            names = session.scalars(select(DatasetRow.name).order_by(DatasetRow.name)).all()
        return [self.dataset(name) for name in names]

    def dataset(self, name: str) -> Dataset:
        """One data set. Raises `UnknownDataset`."""
        with self.reading() as session:
            row = find_dataset(session, name)
            documents = session.scalar(select(func.count()).where(DocumentRow.dataset_id == row.id)) or 0
            systems = count_by_system(session, row)
            return Dataset(
                name=row.name,
                format=row.format,
                sha256=row.sha256,
                imported_at=row.imported_at,
                documents=documents,
                summaries=sum(systems.values()),
                systems=tuple(systems),
                aspects=tuple(row.aspects),
            )

    def records(self, name: str) -> list[tuple[Document, list[Summary]]]:
        """A data set's documents with their summaries, in the order of its file. Raises `UnknownDataset`."""
        with self.reading() as session:
            return [
                (to_document(row), [to_summary(row.key, summary) for summary in row.summaries])
                for row in session.scalars(documents_of(find_dataset(session, name)))
            ]

    def record(self, name: str, document_id: str) -> tuple[Document, list[Summary]]:
        """One document of a data set with its summaries. Raises `UnknownDataset`, `UnknownDocument`."""
        with self.reading() as session:
            row = session.scalar(documents_of(find_dataset(session, name)).where(DocumentRow.key == document_id))
            if row is None:
                raise UnknownDocument(f"data set {name!r} has no document {document_id!r}")
            return to_document(row), [to_summary(row.key, summary) for summary in row.summaries]

    def cells(self, name: str) -> Cells:
        """Ratings and scores of a data set's summaries, without their texts. Raises `UnknownDataset`.

        A score that is missing, or not there yet, is NaN, and so is a rating that nobody gave.
        """
        with self.reading() as session:
            dataset = find_dataset(session, name)
            of_dataset = DocumentRow.dataset_id == dataset.id
            rows = session.execute(
                select(DocumentRow.key, SummaryRow.system, SummaryRow.human, SummaryRow.example)
                .join(SummaryRow, SummaryRow.document_id == DocumentRow.id)
                .where(of_dataset)
                .order_by(DocumentRow.position, SummaryRow.id)
            ).all()
            stored = session.execute(
                select(SignatureRow.id, SignatureRow.text, SummaryRow.example, ScoreRow.value)
                .join(ScoreRow, ScoreRow.signature_id == SignatureRow.id)
                .join(SummaryRow, SummaryRow.example == ScoreRow.example)
                .join(DocumentRow, DocumentRow.id == SummaryRow.document_id)
                .where(of_dataset)
                .order_by(SignatureRow.id)
            ).all()
            aspects = list(dataset.aspects)
        scores: dict[str, dict[str, float | None]] = {}
        for _, signature, example, value in stored:
            scores.setdefault(signature, {})[example] = value
        return Cells(
            documents=tuple(row.key for row in rows),
            systems=tuple(row.system for row in rows),
            ratings={aspect: np.array([row.human.get(aspect) for row in rows], dtype=np.float64) for aspect in aspects},
            scores={
                signature: np.array([values.get(row.example) for row in rows], dtype=np.float64)
                for signature, values in scores.items()
            },
        )

    def add_summaries(
        self, *, dataset: str, summaries: Sequence[Summary], signature: str | None = None, resume: bool = False
    ) -> int:
        """Add the summaries of one or more systems to a data set; returns how many were added.

        With `resume` the systems may be there, written under the same `signature`: a summary that is there stays as it
        is. Raises `UnknownDataset`, and `SystemExists` where a summary of that system and document is there; with
        `resume`, where any summary of the system was imported or has another signature. Nothing is added then.
        """
        with self.writing() as session:
            owner = find_dataset(session, dataset, lock=True)
            if resume:
                for system in {summary.system for summary in summaries}:
                    check_signature(session, owner, system, signature)
            rows = documents_by_key(session, owner, {summary.document_id for summary in summaries})
            added = len(summaries)
            for summary in summaries:
                row = rows[summary.document_id]
                if any(known.system == summary.system for known in row.summaries):
                    if resume:
                        added -= 1
                        continue
                    raise SystemExists(f"data set {dataset!r} already has summaries of the system {summary.system!r}")
                row.summaries.append(
                    SummaryRow(
                        system=summary.system,
                        text=summary.text,
                        human=dict(summary.human),
                        signature=signature,
                        example="",
                    )
                )
            for row in rows.values():
                hash_examples(row)
        return added

    def summarized(self, *, dataset: str, system: str, signature: str | None) -> set[str]:
        """Ids of the documents that have a system's summary under a signature; none without the system.

        Raises `UnknownDataset`, and `SystemExists` where a summary of the system was imported or has another signature.
        """
        with self.reading() as session:
            owner = find_dataset(session, dataset)
            check_signature(session, owner, system, signature)
            return set(
                session.scalars(
                    select(DocumentRow.key)
                    .join(SummaryRow, SummaryRow.document_id == DocumentRow.id)
                    .where(DocumentRow.dataset_id == owner.id, SummaryRow.system == system)
                )
            )

    def written_by(self, dataset: str) -> dict[str, int]:
        """How many summaries each system of a data set wrote, in the order in which they came.

        Raises `UnknownDataset`.
        """
        with self.reading() as session:
            return count_by_system(session, find_dataset(session, dataset))

    def add_document(self, *, dataset: str, document: Document, summaries: Sequence[Summary]) -> Dataset:
        """Add a document that was written here, with its summaries, to a data set of the format `PLAYGROUND`.

        The data set is made where there is none of that name. Its SHA-256 is that of what was there before and of what
        is added. Raises `DocumentExists`, `NotExtensible` for an imported data set, `StoreError` for a bad name of the
        data set, the document or a summary's system.
        """
        name, key = checked_name(dataset), checked_name(document.id)
        document = replace(document, id=key)
        summaries = [
            replace(summary, system=checked_name(summary.system, NAME_OF_SYSTEM), human=dict(summary.human))
            for summary in summaries
        ]
        added = repr((document, summaries))
        with self.writing() as session:
            if session.scalar(select(DatasetRow.id).where(DatasetRow.name == name)) is None:
                with suppress(IntegrityError), session.begin_nested():  # another session may make it at this moment
                    session.add(DatasetRow(name=name, format=PLAYGROUND, sha256="", aspects=[]))
            row = find_dataset(session, name, lock=True)
            if row.format != PLAYGROUND:
                raise NotExtensible(f"data set {name!r} was imported and stays as its file is; choose another name")
            of_dataset = select(DocumentRow.id).where(DocumentRow.dataset_id == row.id)
            if session.scalar(of_dataset.where(DocumentRow.key == document.id)) is not None:
                raise DocumentExists(f"data set {name!r} already has a document {document.id!r}; choose another id")
            last = session.scalar(select(func.max(DocumentRow.position)).where(DocumentRow.dataset_id == row.id))
            session.add(document_row(row.id, 0 if last is None else last + 1, document, summaries))
            aspects = (aspect for summary in summaries for aspect in summary.human)
            row.aspects = list(dict.fromkeys([*row.aspects, *aspects]))
            row.sha256 = hashlib.sha256((row.sha256 + added).encode()).hexdigest()
        return self.dataset(name)

    # --- scores ------------------------------------------------------------------------------------------

    def examples(self, dataset: str) -> dict[str, Example]:
        """Everything in a data set that can be scored, each text once, by its hash. Raises `UnknownDataset`."""
        return {
            example_hash(example): example
            for document, summaries in self.records(dataset)
            for example in make_examples(document, summaries)
        }

    def unscored(
        self, *, dataset: str, signature: str, among: Mapping[str, Example] | None = None
    ) -> list[tuple[str, Example]]:
        """The examples of a data set that have no score under a signature, with their hashes.

        `among` are the data set's `make_examples`, where the caller has read them already.
        """
        with self.reading() as session:
            known = set(
                session.scalars(
                    select(ScoreRow.example)
                    .join(SignatureRow, SignatureRow.id == ScoreRow.signature_id)
                    .join(SummaryRow, SummaryRow.example == ScoreRow.example)
                    .join(DocumentRow, DocumentRow.id == SummaryRow.document_id)
                    .join(DatasetRow, DatasetRow.id == DocumentRow.dataset_id)
                    .where(SignatureRow.text == signature, DatasetRow.name == dataset)
                )
            )
        found = self.examples(dataset) if among is None else among
        return [(key, example) for key, example in found.items() if key not in known]

    def add_scores(self, *, metric: str, signature: str, scores: Mapping[str, StoredScore]) -> None:
        """Keep scores by the hash of their example; those that are already there stay as they are."""
        with self.writing() as session:
            owner = session.scalar(select(SignatureRow).where(SignatureRow.text == signature).with_for_update())
            if owner is None:
                owner = SignatureRow(metric=metric, text=signature)
                session.add(owner)
                session.flush()
            keys = list(scores)
            known = {
                key
                for start in range(0, len(keys), BATCH)
                for key in session.scalars(
                    select(ScoreRow.example).where(
                        ScoreRow.signature_id == owner.id, ScoreRow.example.in_(keys[start : start + BATCH])
                    )
                )
            }
            session.add_all(
                ScoreRow(signature_id=owner.id, example=key, **score._asdict())
                for key, score in scores.items()
                if key not in known
            )

    def signatures(self, dataset: str) -> list[StoredSignature]:
        """The signatures under which a data set has scores, in the order in which they were first used."""
        with self.reading() as session:
            rows = session.execute(
                select(
                    SignatureRow.metric,
                    SignatureRow.text,
                    func.count(SummaryRow.id),
                    func.sum(case((ScoreRow.truncated, 1), else_=0)),
                )
                .join(ScoreRow, ScoreRow.signature_id == SignatureRow.id)
                .join(SummaryRow, SummaryRow.example == ScoreRow.example)
                .join(DocumentRow, DocumentRow.id == SummaryRow.document_id)
                .where(DocumentRow.dataset_id == find_dataset(session, dataset).id)
                .group_by(SignatureRow.id, SignatureRow.metric, SignatureRow.text)
                .order_by(SignatureRow.id)
            )
            return [StoredSignature(*row) for row in rows]

    def scores(self, *, dataset: str, signature: str) -> dict[tuple[str, str], StoredScore]:
        """A data set's scores under one signature, by document id and system."""
        with self.reading() as session:
            rows = session.execute(
                select(DocumentRow.key, SummaryRow.system, ScoreRow.value, ScoreRow.missing, ScoreRow.truncated)
                .join(SummaryRow, SummaryRow.document_id == DocumentRow.id)
                .join(ScoreRow, ScoreRow.example == SummaryRow.example)
                .join(SignatureRow, SignatureRow.id == ScoreRow.signature_id)
                .where(
                    DocumentRow.dataset_id == find_dataset(session, dataset).id,
                    SignatureRow.text == signature,
                )
                .order_by(DocumentRow.position, SummaryRow.id)
            )
            return {(key, system): StoredScore(value, missing, cut) for key, system, value, missing, cut in rows}

    def stored(self, *, dataset: str, document_id: str, systems: Sequence[str]) -> dict[str, dict[str, StoredScore]]:
        """By signature and system: the scores of some summaries of one document, with reasons and flags."""
        with self.reading() as session:
            rows = session.execute(
                select(SignatureRow.text, SummaryRow.system, ScoreRow.value, ScoreRow.missing, ScoreRow.truncated)
                .join(ScoreRow, ScoreRow.signature_id == SignatureRow.id)
                .join(SummaryRow, SummaryRow.example == ScoreRow.example)
                .join(DocumentRow, DocumentRow.id == SummaryRow.document_id)
                .join(DatasetRow, DatasetRow.id == DocumentRow.dataset_id)
                .where(DatasetRow.name == dataset, DocumentRow.key == document_id, SummaryRow.system.in_(systems))
                .order_by(SignatureRow.id)
            ).all()
        found: dict[str, dict[str, StoredScore]] = {}
        for signature, system, value, missing, truncated in rows:
            found.setdefault(signature, {})[system] = StoredScore(value, missing, truncated)
        return found

    # --- upper bounds ------------------------------------------------------------------------------------

    def add_bounds(self, *, dataset: str, signature: str, bounds: Mapping[str, StoredBound]) -> None:
        """Keep what an oracle reached, by the id of its document; what is already there stays as it is.

        Raises `UnknownDataset`, and `UnknownDocument` before anything is kept.
        """
        with self.writing() as session:
            owner = find_dataset(session, dataset, lock=True)  # of two that search at once, one writes after the other
            ids = {
                key: document_id
                for document_id, key in session.execute(
                    select(DocumentRow.id, DocumentRow.key).where(DocumentRow.dataset_id == owner.id)
                )
            }
            if unknown := next((key for key in bounds if key not in ids), None):
                raise UnknownDocument(f"data set {dataset!r} has no document {unknown!r}")
            known = set(
                session.scalars(
                    select(BoundRow.document_id)
                    .join(DocumentRow, DocumentRow.id == BoundRow.document_id)
                    .where(DocumentRow.dataset_id == owner.id, BoundRow.signature == signature)
                )
            )
            session.add_all(
                BoundRow(
                    document_id=ids[key], signature=signature, **found._asdict() | {"sentences": [*found.sentences]}
                )
                for key, found in bounds.items()
                if ids[key] not in known
            )

    def bounds(self, *, dataset: str, signature: str) -> dict[str, StoredBound]:
        """What an oracle reached, by document id, in the documents' order. Raises `UnknownDataset`."""
        with self.reading() as session:
            rows = session.execute(
                select(DocumentRow.key, BoundRow)
                .join(BoundRow, BoundRow.document_id == DocumentRow.id)
                .where(
                    DocumentRow.dataset_id == find_dataset(session, dataset).id,
                    BoundRow.signature == signature,
                )
                .order_by(DocumentRow.position)
            )
            return {
                key: StoredBound(row.f1, tuple(row.sentences), row.reference, row.bound, row.seconds)
                for key, row in rows
            }

    # --- runs --------------------------------------------------------------------------------------------

    def start_run(self, *, dataset: str, metrics: Sequence[str]) -> Run:
        """Note that a run begins. Raises `UnknownDataset`, and `RunGoingOn` unless the last one is over or dead."""
        with self.writing() as session:
            owner = find_dataset(session, dataset, lock=True)
            for row in session.scalars(runs_of(owner.id).where(RunRow.ended_at.is_(None))):
                if to_run(row, dataset).state == "going":
                    raise RunGoingOn(f"data set {dataset!r} is being scored already; wait until that is done")
                row.ended_at, row.error = now(), DIED  # should it wake up, it finds that it is over
            run = RunRow(dataset_id=owner.id, metrics=list(metrics))
            session.add(run)
            session.flush()
            return to_run(run, dataset)

    def beat(self, run_id: int, *, done: int, total: int | None) -> bool:
        """Note that a run lives and how far it is; returns whether it may go on: False once it is over."""
        return self.change_run(run_id, heartbeat=now(), done=done, total=total)

    def end_run(self, run_id: int, *, failed: Mapping[str, str] | None = None, error: str | None = None) -> bool:
        """Note that a run is over; returns whether it was not before: the first word about the end counts."""
        return self.change_run(run_id, ended_at=now(), failed=dict(failed or {}), error=error)

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
            found = session.execute(
                select(RunRow, DatasetRow.name)
                .join(DatasetRow, DatasetRow.id == RunRow.dataset_id)
                .where(RunRow.id == run_id)
            ).one_or_none()
            if found is None:
                raise UnknownRun(f"there is no run {run_id}")
            return to_run(*found)

    def runs(self, dataset: str) -> list[Run]:
        """A data set's runs, the latest first. Raises `UnknownDataset`."""
        with self.reading() as session:
            owner = find_dataset(session, dataset)
            return [to_run(row, owner.name) for row in session.scalars(runs_of(owner.id))]

    def last_run(self, dataset: str) -> Run | None:
        """A data set's latest run, if there was any. Raises `UnknownDataset`."""
        with self.reading() as session:
            owner = find_dataset(session, dataset)
            row = session.scalar(runs_of(owner.id).limit(1))
            return None if row is None else to_run(row, owner.name)


def checked_name(name: str, what: str = "a name") -> str:
    """A name, of `what` it is one, that can stand in a list and on a command line. Raises `StoreError`."""
    name = name.strip(" ")
    # Letters may need invisible joiners, but no name needs control characters, line ends, half characters, or what
    # turns the direction of the text around it.
    unwanted = {"Cc", "Cs", "Zl", "Zp"} | {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    if not 1 <= len(name) <= 200 or any({category(letter), bidirectional(letter)} & unwanted for letter in name):
        raise StoreError(f"{what} needs 1 to 200 printable characters")
    return name


def find_dataset(session: Session, name: str, *, lock: bool = False) -> DatasetRow:
    """The row of a data set, with `lock` while its summaries change. Raises `UnknownDataset`."""
    wanted = select(DatasetRow).where(DatasetRow.name == name)
    row = session.scalar(wanted.with_for_update(key_share=True) if lock else wanted)
    if row is None:
        known = session.scalars(select(DatasetRow.name).order_by(DatasetRow.name)).all()
        raise UnknownDataset(f"there is no data set {name!r}; there are {', '.join(known) or 'none'}")
    return row


def count_by_system(session: Session, dataset: DatasetRow) -> dict[str, int]:
    """A data set's systems in the order in which they came, and how many summaries each wrote."""
    rows = session.execute(
        select(SummaryRow.system, func.count())
        .join(DocumentRow)
        .where(DocumentRow.dataset_id == dataset.id)
        .group_by(SummaryRow.system)
        .order_by(func.min(SummaryRow.id))
    )
    return {system: count for system, count in rows}  # noqa: C416  dict() would ask the result for its keys


def documents_of(dataset: DatasetRow) -> Select[DocumentRow]:
    """Select a data set's documents in order, their summaries loaded with them."""
    return (
        select(DocumentRow)
        .where(DocumentRow.dataset_id == dataset.id)
        .order_by(DocumentRow.position)
        .options(selectinload(DocumentRow.summaries))
    )


def documents_by_key(session: Session, dataset: DatasetRow, keys: Iterable[str]) -> dict[str, DocumentRow]:
    """Documents of a data set by their ids, without those that it does not have."""
    wanted = list(keys)
    return {
        row.key: row
        for start in range(0, len(wanted), BATCH)
        for row in session.scalars(documents_of(dataset).where(DocumentRow.key.in_(wanted[start : start + BATCH])))
    }


def check_signature(session: Session, dataset: DatasetRow, system: str, signature: str | None) -> None:
    """Raise `SystemExists` where a data set has summaries of a system that were not written under a signature."""
    of_system = select(SummaryRow.signature).join(DocumentRow).where(DocumentRow.dataset_id == dataset.id)
    for known in session.scalars(of_system.where(SummaryRow.system == system).distinct()):
        if known != signature:
            raise SystemExists(
                f"data set {dataset.name!r} already has summaries of the system {system!r}, "
                + ("which were imported" if known is None else f"written as {known} and not as {signature}")
            )


def runs_of(dataset_id: int) -> Select[RunRow]:
    """Select a data set's runs, the latest first."""
    return select(RunRow).where(RunRow.dataset_id == dataset_id).order_by(RunRow.id.desc())


def document_row(dataset_id: int, position: int, document: Document, summaries: Sequence[Summary]) -> DocumentRow:
    """A document and its summaries as rows."""
    row = DocumentRow(
        dataset_id=dataset_id,
        position=position,
        key=document.id,
        title=document.title,
        source=document.source if isinstance(document.source, str) else list(document.source),
        reference_texts=list(document.references),
        questions=[list(question) for question in document.questions] or None,
        summaries=[SummaryRow(system=s.system, text=s.text, human=dict(s.human), example="") for s in summaries],
    )
    hash_examples(row)
    return row


def hash_examples(row: DocumentRow) -> None:
    """Set the hashes of a document's summaries, which depend on one another (`data.records.make_examples`)."""
    summaries = [to_summary(row.key, summary) for summary in row.summaries]
    for summary, example in zip(row.summaries, make_examples(to_document(row), summaries), strict=True):
        summary.example = example_hash(example)


def example_hash(example: Example) -> str:
    """SHA-256 over everything that a metric may look at, and nothing else."""
    seen: list[object] = [example.candidate, example.references, example.title, example.source]
    if example.questions:  # most data sets bring none, and the hashes of earlier versions stay what they were
        seen.append(example.questions)
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()


def to_document(row: DocumentRow) -> Document:
    """The record of a document's row."""
    source = row.source if isinstance(row.source, str) else tuple(row.source)
    questions = tuple(ClozeQuestion(*question) for question in row.questions or ())
    return Document(
        id=row.key, source=source, references=tuple(row.reference_texts), title=row.title, questions=questions
    )


def to_summary(document_id: str, row: SummaryRow) -> Summary:
    """The record of a summary's row."""
    return Summary(document_id=document_id, system=row.system, text=row.text, human=row.human)


def to_run(row: RunRow, dataset: str) -> Run:
    """The record of a run's row."""
    return Run(
        id=row.id,
        dataset=dataset,
        metrics=tuple(row.metrics),
        done=row.done,
        total=row.total,
        failed=dict(row.failed),
        error=row.error,
        started_at=row.started_at,
        heartbeat=row.heartbeat,
        ended_at=row.ended_at,
    )
