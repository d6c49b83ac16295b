import sqlite3
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, inspect, make_url, select, text
from sqlalchemy.exc import IntegrityError, StatementError
from sqlalchemy.orm import Session

import annotation.tables  # noqa: F401  its tables belong to the schema
from data.database import (
    ROOT,
    WAL_IS_SOUND,
    Base,
    UnusableDatabase,
    absolute_url,
    connect,
    database_url,
    make_engine,
    upgrade,
)
from data.tables import DatasetRow, DocumentRow, ScoreRow, SignatureRow


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal" if sqlite3.sqlite_version_info >= WAL_IS_SOUND else "persist"),
        ("synchronous", 2),  # FULL
        ("foreign_keys", 1),
        ("busy_timeout", 30_000),
    ],
)
def test_sqlite_is_set_up_for_durable_commits(sqlite_url, pragma, value):
    engine = connect(sqlite_url)
    for _ in range(2):  # a pooled connection and a new one
        with engine.connect() as connection:
            assert connection.scalar(text(f"PRAGMA {pragma}")) == value
        engine.dispose()


def test_postgresql_commits_wait_for_the_disk(postgresql):
    with make_engine(postgresql).connect() as connection:
        assert connection.scalar(text("SHOW synchronous_commit")) == "on"


@pytest.mark.parametrize(
    "row",
    [
        DocumentRow(dataset_id=99, position=0, key="d", source="t", reference_texts=["r"]),  # of no data set
        ScoreRow(signature_id=99, example="x", value=0.5),  # of no signature
        ScoreRow(signature_id=1, example="x"),  # neither a value nor a reason
        ScoreRow(signature_id=1, example="x", value=0.5, missing="both"),
        SignatureRow(metric="m", text="m|1"),  # there already
    ],
)
def test_the_database_checks_what_it_is_given(engine, row):
    with Session(engine) as session:
        session.add(SignatureRow(metric="m", text="m|1"))
        session.commit()
        session.merge(row)  # a copy: the row serves both servers
        with pytest.raises(IntegrityError):
            session.commit()


def test_times_come_back_in_utc(engine):
    moment = datetime(2024, 3, 31, 1, 30, 0, 123456, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    row = {"name": "d", "format": "f", "sha256": "", "imported_at": moment}
    with engine.begin() as connection:
        connection.execute(insert(DatasetRow).values(row))
    with engine.connect() as connection:
        found = connection.scalar(select(DatasetRow.imported_at))
    assert found == moment
    assert found.tzinfo is UTC
    with pytest.raises(StatementError, match="without a time zone"), engine.begin() as connection:
        connection.execute(insert(DatasetRow).values(row | {"imported_at": datetime(2024, 1, 1)}))


def test_the_migrations_make_the_tables_of_the_models(engine):
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, Base.metadata) == []


def test_upgrading_again_changes_nothing(engine):
    with engine.begin() as connection:
        connection.execute(insert(DatasetRow).values(name="d", format="f", sha256=""))
    before = inspect(engine).get_table_names()
    upgrade(engine)
    upgrade(engine)
    assert inspect(engine).get_table_names() == before
    with engine.connect() as connection:
        assert connection.scalars(select(DatasetRow.name)).all() == ["d"]


def test_a_newer_schema_is_refused(engine):
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(UnusableDatabase, match="made by another version of relevance"):
        upgrade(engine)


def test_writers_wait_for_each_other(sqlite_url):
    other = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), timeout=0)
    writing = make_engine(sqlite_url).execution_options(writing=True)
    with writing.begin(), pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("BEGIN IMMEDIATE")
    other.execute("BEGIN IMMEDIATE")
    other.close()


def test_the_address_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", "postgresql://somewhere/x")
    assert database_url() == "postgresql://somewhere/x"
    monkeypatch.delenv("RELEVANCE_DATABASE_URL")
    assert make_url(database_url()).database == str(ROOT / "relevance.db")
    monkeypatch.setattr("data.database.ROOT", Path("/a%20b?c#/é"))
    assert make_url(database_url()).database == "/a%20b?c#/é/relevance.db"


@pytest.mark.parametrize(
    ("url", "absolute"),
    [
        ("sqlite:///x.db", "sqlite:///{folder}/x.db"),
        ("sqlite:////x.db", "sqlite:////x.db"),
        ("sqlite://", "sqlite://"),
        ("sqlite:///:memory:", "sqlite:///%3Amemory%3A"),
        ("postgresql://u:p%40ss@h/d?host=/run", "postgresql://u:p%40ss@h/d?host=%2Frun"),
    ],
)
def test_an_address_is_made_absolute_and_keeps_its_password(monkeypatch, tmp_path, url, absolute):
    monkeypatch.chdir(tmp_path)
    assert absolute_url(url) == absolute.format(folder=tmp_path)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://x/y", "names mysql; it must be SQLite or PostgreSQL"),
        ("postgresql+psycopg2://x/y", "psycopg2 is not installed: pip install 'relevance\\[postgresql\\]'"),
    ],
)
def test_other_databases_are_refused(url, message):
    with pytest.raises(UnusableDatabase, match=message):
        make_engine(url)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_spelling_of_postgresql_means_psycopg(scheme):
    assert make_engine(f"{scheme}://h/d").dialect.driver == "psycopg"
