"""A throwaway copy of a study in memory, in which a researcher previews it as an annotator."""

import sqlite3
from dataclasses import replace

from sqlalchemy import Engine, Select, create_engine, event, insert, select
from sqlalchemy.orm import Session
from sqlalchemy.pool import QueuePool

from relevance.annotation.protocol.current import find_version, parse
from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.tables import ProtocolRow
from relevance.annotation.store import AnnotationStore
from relevance.annotation.studies import find_study
from relevance.annotation.tables import PairRow, StudyRow
from relevance.data.database import Base, begin_sqlite
from relevance.data.tables import DatasetRow, DocumentRow, SummaryRow

PAIRS = 5
"""The most pairs of a preview, and the most attention checks."""


def copy_study(store: AnnotationStore, study: str) -> Engine:
    """Copy a study's protocol and its first pairs, with their texts, into a database of its own in memory.

    Nothing done there can reach the study: the copy is open, has no people, and belongs to nobody.
    Raises `UnknownStudy`.
    """
    with store.reading() as session:
        row = find_study(session, study)
        of_study = select(PairRow.id).where(PairRow.study_id == row.id).order_by(PairRow.position).limit(PAIRS)
        parts = (of_study.where(PairRow.expected_id.is_(None)), of_study.where(PairRow.expected_id.is_not(None)))
        pair_ids = [pair_id for part in parts for pair_id in session.scalars(part)]
        pairs = session.scalars(select(PairRow).where(PairRow.id.in_(pair_ids))).all()
        summary_ids = {summary_id for pair in pairs for summary_id in (pair.first_id, pair.second_id)}
        of_summaries = select(SummaryRow.document_id).where(SummaryRow.id.in_(summary_ids))
        latest = find_version(session, row)
        selected: tuple[tuple[type[Base], Select[*tuple[object, ...]]], ...] = (
            (DatasetRow, select(DatasetRow.__table__).where(DatasetRow.id == row.dataset_id)),
            (DocumentRow, select(DocumentRow.__table__).where(DocumentRow.id.in_(of_summaries))),
            (SummaryRow, select(SummaryRow.__table__).where(SummaryRow.id.in_(summary_ids))),
            (StudyRow, select(StudyRow.__table__).where(StudyRow.id == row.id)),
            (PairRow, select(PairRow.__table__).where(PairRow.id.in_(pair_ids))),
            (ProtocolRow, select(ProtocolRow.__table__).where(ProtocolRow.id == (latest.id if latest else None))),
        )
        copied = [(table, [dict(row._mapping) for row in session.execute(rows)]) for table, rows in selected]
        # without a closing date, so that the copy is open
        text = None if latest is None else write_protocol(replace(parse(latest.text), closes=None))
    engine = make_memory()
    with Session(engine.execution_options(writing=True)) as session:
        for table, rows in copied:
            for values in rows:
                changed = {"text": text} if table is ProtocolRow else {}
                session.execute(insert(table).values(reset(values) | changed))
        session.commit()
    return engine


def reset(values: dict[str, object]) -> dict[str, object]:
    """Return a row as it was before anybody judged, without an owner."""
    fresh = dict.fromkeys(("owner_id", "user_id", "closed_at", "paused_at", "archived_at", "stopped_at", "decision"))
    return values | {name: value for name, value in (fresh | {"judgments": 0}).items() if name in values}


def make_memory() -> Engine:
    """Make an empty database in memory, for one thread at a time."""
    engine = create_engine(
        "sqlite://", poolclass=QueuePool, pool_size=1, max_overflow=0, connect_args={"check_same_thread": False}
    )

    @event.listens_for(engine, "connect")
    def leave_transactions(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None

    event.listen(engine, "begin", begin_sqlite)
    Base.metadata.create_all(engine)
    return engine
