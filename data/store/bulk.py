"""Insertion of many rows: by COPY into PostgreSQL, by prepared statements into SQLite."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from relevance.data.records import Document, Summary
from relevance.data.tables import DocumentRow

Record = tuple[Document, list[Summary]]

DOCUMENTS = ("id", "dataset_id", "position", "key", "title", "source", "reference_texts", "questions")
SUMMARIES = ("document_id", "system", "text", "human", "annotators", "signature", "remarks", "example")

AT_ONCE = 2_000
"""Rows that are made before they are passed to SQLite, so that a large data set is not in memory twice."""


def insert_records(
    session: Session, dataset_id: int, records: Sequence[Record], hashes: Sequence[Sequence[str]]
) -> None:
    """Insert documents and their imported summaries, in order, into an empty data set.

    `hashes` are those of each document's summaries (`relevance.data.store.rows.example_hashes`). The session must be
    one that writes: in SQLite it must hold the lock. Raises what SQLAlchemy raises.
    """
    ids = new_ids(session, len(records))
    documents = (
        (
            number,
            dataset_id,
            position,
            document.id,
            document.title,
            json.dumps(document.source),
            json.dumps(document.references),
            json.dumps(document.questions) if document.questions else None,
        )
        for position, (number, (document, _)) in enumerate(zip(ids, records, strict=True))
    )
    summaries = (
        (
            number,
            summary.system,
            summary.text,
            json.dumps(dict(summary.human)),
            json.dumps(summary.annotators) if summary.annotators else None,
            None,
            json.dumps(summary.remarks) if summary.remarks else None,
            example,
        )
        for number, (_, written), examples in zip(ids, records, hashes, strict=True)
        for summary, example in zip(written, examples, strict=True)
    )
    connection = session.connection()
    insert_rows(connection, "documents", DOCUMENTS, documents)
    insert_rows(connection, "summaries", SUMMARIES, summaries)


def new_ids(session: Session, number: int) -> Sequence[int]:
    """Reserve numbers for that many documents, in order."""
    if session.get_bind().dialect.name == "postgresql":
        drawn = text("SELECT nextval(pg_get_serial_sequence('documents', 'id')) FROM generate_series(1, :number)")
        return sorted(session.scalars(drawn, {"number": number}))
    last = session.scalar(select(func.max(DocumentRow.id))) or 0
    return range(last + 1, last + 1 + number)


def insert_rows(connection: Connection, table: str, columns: Sequence[str], rows: Iterator[tuple[Any, ...]]) -> None:
    """Insert rows of texts and numbers, JSON as text, in the connection's transaction. Raises `DBAPIError`."""
    named = f"{table} ({', '.join(columns)})"
    if connection.dialect.name == "postgresql":
        copy_rows(connection, f"COPY {named} FROM STDIN", rows)
        return
    statement = f"INSERT INTO {named} VALUES ({', '.join('?' * len(columns))})"  # noqa: S608  names of ours
    while part := list(islice(rows, AT_ONCE)):
        connection.exec_driver_sql(statement, part)


def copy_rows(connection: Connection, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Send rows to PostgreSQL by COPY; psycopg's errors become those of SQLAlchemy, as everywhere else."""
    errors = connection.dialect.loaded_dbapi.Error
    try:
        cursor: Any = connection.connection.cursor()
        with cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)
    except errors as error:
        raise DBAPIError.instance(
            statement, None, error, errors, hide_parameters=True, dialect=connection.dialect
        ) from error
