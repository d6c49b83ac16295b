"""What the stores say when their database fails, and that they go on when it is back."""

import os
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError

from relevance.data.database import connect, make_engine
from relevance.data.records import Document
from relevance.data.store import DatabaseFailed, DataStore
from relevance.data.store.base import failure_in_words
from tests.conftest import statement

DOCUMENT = Document(id="d", source="Text.", references=("A reference.",))


def add(store: DataStore, name: str) -> None:
    store.add_dataset(name=name, format="interchange", sha256="0" * 64, records=[(DOCUMENT, [])])


def test_a_file_that_is_gone_is_an_error_and_no_new_database(tmp_path: Path) -> None:
    path, away = tmp_path / "a.db", tmp_path / "away.db"
    store = DataStore(connect(f"sqlite:///{path}"))
    add(store, "first")
    path.rename(away)
    for _ in range(2):
        with pytest.raises(DatabaseFailed, match="its file is not in its place, or may not be opened") as caught:
            store.datasets()
        assert caught.value.stored is False
    with pytest.raises(DatabaseFailed):
        add(store, "lost")
    assert not path.exists()
    away.rename(path)
    assert [dataset.name for dataset in store.datasets()] == ["first"]
    add(store, "second")
    assert [dataset.name for dataset in store.datasets()] == ["first", "second"]


def test_a_file_put_in_the_place_of_the_database_is_read_and_written(tmp_path: Path) -> None:
    path, backup = tmp_path / "a.db", tmp_path / "backup.db"
    store = DataStore(connect(f"sqlite:///{path}"))
    add(store, "first")
    store.engine.dispose()
    shutil.copy(path, backup)
    add(store, "after the backup")
    os.replace(backup, path)  # what restoring a backup does; the pool still holds a connection of the other file
    assert [dataset.name for dataset in store.datasets()] == ["first"]
    add(store, "second")
    with closing(sqlite3.connect(path)) as plain:
        assert plain.execute("SELECT name FROM datasets ORDER BY id").fetchall() == [("first",), ("second",)]


def test_a_file_of_another_program_is_said_to_be_one(tmp_path: Path) -> None:
    path, other = tmp_path / "a.db", tmp_path / "other.db"
    store = DataStore(connect(f"sqlite:///{path}"))
    with closing(sqlite3.connect(other)) as plain:
        plain.execute("CREATE TABLE something (id INTEGER)")
    os.replace(other, path)
    with pytest.raises(DatabaseFailed, match="is a database of another program"):
        store.datasets()


def test_a_file_of_other_tables_is_said_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    store = DataStore(connect(f"sqlite:///{path}"))
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("ALTER TABLE datasets RENAME COLUMN name TO title")
    with pytest.raises(DatabaseFailed, match="its tables are not those of this version"):
        store.datasets()


def test_a_damaged_file_is_said_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    store = DataStore(connect(f"sqlite:///{path}"))
    path.unlink()
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(DatabaseFailed, match="damaged, or is not a database"):
        store.datasets()


def test_a_locked_database_is_said_to_be_locked(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    connect(f"sqlite:///{path}").dispose()
    engine = make_engine(f"sqlite:///{path}")
    event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA busy_timeout=50"), insert=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(DatabaseFailed, match="another program has been writing to it"):
            add(DataStore(engine), "waiting")
    add(DataStore(engine), "waiting")


def test_a_full_disk_stores_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    engine = connect(f"sqlite:///{path}")
    store = DataStore(engine)

    def limit(connection: sqlite3.Connection, _record: object) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count={pages}")  # SQLite answers as it does on a full disk

    event.listen(engine, "connect", limit)
    engine.dispose()
    long = Document(id="d", source="word " * 100_000, references=("A reference.",))
    with pytest.raises(DatabaseFailed, match="its disk is full") as caught:
        store.add_dataset(name="long", format="interchange", sha256="0" * 64, records=[(long, [])])
    assert caught.value.stored is False
    assert store.datasets() == []


def test_a_commit_that_breaks_off_says_that_nobody_knows(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path / 'a.db'}")

    def break_off(_connection: object) -> None:
        raise OperationalError("COMMIT", {}, sqlite3.OperationalError("disk I/O error"))

    event.listen(engine, "commit", break_off)
    with pytest.raises(DatabaseFailed, match="its disk cannot be read or written") as caught:
        add(DataStore(engine), "unknown")
    assert caught.value.stored is None


def test_postgresql_that_breaks_off_is_connected_to_again(postgresql: str) -> None:
    statement(postgresql, "CREATE DATABASE breaking")
    url = postgresql.replace("/postgres?", "/breaking?")
    store = DataStore(connect(url))
    add(store, "first")
    kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'breaking'"

    def restart() -> None:
        with store.writing() as session:
            session.execute(text("SELECT 1"))
            statement(postgresql, kill)  # as a server that restarts would end it
            session.execute(text("SELECT 1"))

    with pytest.raises(DatabaseFailed) as caught:
        restart()
    assert caught.value.stored is False
    add(store, "second")
    statement(postgresql, kill)
    assert [dataset.name for dataset in store.datasets()] == ["first", "second"]
    store.engine.dispose()


def test_postgresql_that_is_away_is_said_to_be() -> None:
    store = DataStore(make_engine("postgresql://postgres@127.0.0.1:1/none"))
    with pytest.raises(DatabaseFailed, match="its server does not answer"):
        store.check()


def test_what_is_not_known_is_told_in_one_line() -> None:
    assert failure_in_words(ValueError("odd\nand long")) == "odd"
    assert failure_in_words(ValueError()) == "ValueError"


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_many_readers_of_a_file_that_comes_and_goes_never_see_an_empty_database(tmp_path: Path) -> None:
    path, away = tmp_path / "a.db", tmp_path / "away.db"
    store = DataStore(connect(f"sqlite:///{path}"))
    add(store, "first")
    seen: set[tuple[str, ...]] = set()
    over = threading.Event()

    def read() -> None:
        while not over.is_set():
            try:
                seen.add(tuple(dataset.name for dataset in store.datasets()))
            except DatabaseFailed:
                seen.add(("failed",))

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for _ in range(50):
        path.rename(away)
        over.wait(0.002)
        away.rename(path)
        over.wait(0.002)
    over.set()
    for reader in readers:
        reader.join()
    assert seen <= {("first",), ("failed",)}
    assert [dataset.name for dataset in store.datasets()] == ["first"]
