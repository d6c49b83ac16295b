import sqlite3
from datetime import UTC, datetime, timedelta, timezone

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, inspect, select, text
from sqlalchemy.exc import IntegrityError, StatementError
from sqlalchemy.orm import Session

import relevance.annotation.protocol.tables
import relevance.hosting.tables  # noqa: F401  for the models that the migrations are compared with
from relevance.annotation.store import AnnotationStore
from relevance.data.database import (
    WAL_IS_SOUND,
    Base,
    UnusableDatabase,
    absolute_url,
    connect,
    database_url,
    make_engine,
    migrations,
    upgrade,
)
from relevance.data.records import Document
from relevance.data.store import DataStore, StoredBound
from relevance.data.tables import DatasetRow, DocumentRow, ScoreRow, SignatureRow


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
        value = connection.scalar(select(DatasetRow.imported_at))
    assert value == moment
    assert value.tzinfo is UTC
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


@pytest.fixture
def migrate(engine):
    """Move the schema to a version."""

    def migrate(version):
        config = migrations()
        with engine.execution_options(writing=True).begin() as connection:
            config.attributes["connection"] = connection
            move = command.downgrade if version < "0003" else command.upgrade
            move(config, version)

    return migrate


BEFORE_CHECKS = """
INSERT INTO datasets (id, name, format, sha256, aspects, imported_at) VALUES (1, 'd', 'f', '', '[]', :time);
INSERT INTO documents (id, dataset_id, position, key, source, reference_texts) VALUES (1, 1, 0, 'd1', '"s"', '[]');
INSERT INTO summaries (id, document_id, system, text, human, example) VALUES (1, 1, 'a', 'x', '{}', 'e1');
INSERT INTO summaries (id, document_id, system, text, human, example) VALUES (2, 1, 'b', 'y', '{}', 'e2');
INSERT INTO studies (id, name, dataset_id, question, instructions, systems, rule, judgments_per_pair, ties, seed,
    identical, unscored, created_at) VALUES (1, 's', 1, 'q', '', '["a", "b"]', 'all', 1, false, 0, 0, 0, :time);
INSERT INTO pairs (id, study_id, position, document_id, first_id, second_id, judgments) VALUES (1, 1, 0, 1, 1, 2, 1);
INSERT INTO annotators (id, study_id, name, token, invited, created_at) VALUES (1, 1, 'Ann', 't', false, :time);
INSERT INTO assignments (id, annotator_id, pair_id, left_id, assigned_at) VALUES (1, 1, 1, 1, :time);
INSERT INTO judgments (id, assignment_id, revision, chosen_id, presented_at, decided_at)
    VALUES (1, 1, 1, 1, :time, :time)
"""
A_CHECK = """
INSERT INTO pairs (id, study_id, position, document_id, first_id, second_id, judgments, expected_id)
    VALUES (2, 1, 1, 1, 2, 1, 1, 2);
INSERT INTO assignments (id, annotator_id, pair_id, left_id, assigned_at) VALUES (2, 1, 2, 1, :time);
INSERT INTO judgments (id, assignment_id, revision, presented_at, decided_at) VALUES (2, 2, 2, :time, :time);
INSERT INTO judgment_revisions (id, judgment_id, revision, presented_at, decided_at) VALUES (1, 2, 1, :time, :time)
"""


def test_studies_of_an_earlier_version_stay_and_checks_go_back_with_it(engine, migrate):
    def execute(statements):
        with engine.begin() as connection:
            for statement in statements.split(";"):
                time = {"time": datetime(2026, 1, 1, tzinfo=UTC)} if ":time" in statement else {}
                connection.execute(text(statement), time)

    def judged():
        with engine.connect() as connection:
            return (
                connection.execute(
                    text("SELECT pair_id FROM assignments JOIN judgments ON assignment_id = assignments.id")
                )
                .scalars()
                .all()
            )

    migrate("0002")
    assert "expected_id" not in {column["name"] for column in inspect(engine).get_columns("pairs")}
    execute(BEFORE_CHECKS)
    migrate("head")
    store = AnnotationStore(engine)
    study = store.study("s")
    assert (study.pairs, study.judgments, study.checks) == (1, 1, 0)
    assert (study.eligible, study.conflicts, study.alike) == (None, None, None)
    assert (study.signatures, study.random_share, study.notes) == ((), None, ())
    assert [(row.judged, row.left, row.checks) for row in store.annotators("s")] == [(1, 1, 0)]
    execute(A_CHECK)
    assert (store.study("s").pairs, store.study("s").checks, store.study("s").judgments) == (1, 1, 1)
    assert [(row.judged, row.left, row.checks, row.checks_passed) for row in store.annotators("s")] == [(1, 1, 1, 0)]
    engine.dispose()
    migrate("0002")
    assert judged() == [1]
    migrate("head")
    assert store.study("s") == study


def test_reviews_of_keywords_come_and_go_with_their_version(engine, migrate):
    def tables():
        return {name for name in inspect(engine).get_table_names() if "keyword" in name or "review" in name}

    there = tables()
    assert there >= {"keyword_reviews", "reviewed_documents", "reviewed_keywords", "keyword_verdicts", "keyword_marks"}
    migrate("0002")
    assert tables() == set()
    migrate("0003")
    assert tables() == set()
    upgrade(engine)
    assert tables() == there


def test_bounds_come_and_go_with_their_version_and_documents_stay(engine, migrate):
    store = DataStore(engine)
    records = [(Document("d1", "Red cars.", ("red",)), [])]
    store.add_dataset(name="d", format="f", sha256="", records=records)
    result = {"d1": StoredBound(2 / 3, (0,), 0, None, 0.5)}
    store.add_bounds(dataset="d", signature="oracle|x:1", bounds=result)
    for version in ("0002", "0004"):
        migrate(version)
        assert not inspect(engine).has_table("bounds")
    upgrade(engine)
    assert store.bounds(dataset="d", signature="oracle|x:1") == {}
    store.add_bounds(dataset="d", signature="oracle|x:1", bounds=result)
    assert store.bounds(dataset="d", signature="oracle|x:1") == result
    assert store.records("d") == records


def test_stars_come_and_go_with_their_version_and_documents_stay(engine, migrate):
    store = DataStore(engine)
    records = [(Document("d1", "Red cars.", ("red",)), [])]
    store.add_dataset(name="d", format="f", sha256="", records=records)
    store.star(dataset="d", document="d1", systems=("a", "b"), note="why?")
    for version in ("0002", "0005"):
        migrate(version)
        assert not inspect(engine).has_table("stars")
    upgrade(engine)
    assert store.starred("d") == ()
    store.star(dataset="d", document="d1", systems=("a", "b"))
    assert len(store.starred("d")) == 1
    assert store.records("d") == records


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
        ("postgresql+psycopg2://x/y", "psycopg2 is not installed: pip install 'relevance-studies\\[postgresql\\]'"),
    ],
)
def test_other_databases_are_refused(url, message):
    with pytest.raises(UnusableDatabase, match=message):
        make_engine(url)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_spelling_of_postgresql_means_psycopg(scheme):
    assert make_engine(f"{scheme}://h/d").dialect.driver == "psycopg"
