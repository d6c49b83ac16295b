"""Backups hold all that was acknowledged before they began; what cannot be restored changes nothing."""

import hashlib
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import create_engine, select, text
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from relevance.annotation.store import AnnotationStore
from relevance.data.backup import BackupFailed, back_up, restore
from relevance.data.database import UnusableDatabase, connect, make_engine, migrations, now, schema_versions
from relevance.data.records import Document
from relevance.data.store import DataStore
from relevance.data.tables import UserRow
from relevance.hosting.tables import SignInRow
from tests.conftest import statement
from tests.data.judging import acknowledged, judging, lines, make_study
from tests.waiting import until

KINDS = ["sqlite", "postgresql"]
REPEATS = int(os.environ.get("RELEVANCE_TEST_BACKUPS", "4"))
"""Backups that are made, and restored, while others judge; each takes about a second."""


def add(url: str, name: str) -> None:
    engine = connect(url)
    document = Document(id="d", source="Text.", references=("A reference.",))
    DataStore(engine).add_dataset(name=name, format="interchange", sha256="0" * 64, records=[(document, [])])
    engine.dispose()


def names(url: str) -> list[str]:
    engine = connect(url)
    names = [dataset.name for dataset in DataStore(engine).datasets()]
    engine.dispose()
    return names


def add_judgment(url: str) -> None:
    """A judgment of nobody, so that there is one."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("ALTER TABLE judgments DROP CONSTRAINT fk_judgments_assignment_id_assignments"))
        columns = "assignment_id, revision, presented_at, decided_at"
        connection.execute(text(f"INSERT INTO judgments ({columns}) VALUES (1, 1, '2026-01-01', '2026-01-01')"))


def judged(url: str) -> set[int]:
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        return set(connection.scalars(text("SELECT assignment_id FROM judgments")))


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if not path.name.endswith("-journal")}


@pytest.fixture
def url(sqlite_url: str) -> str:
    """An SQLite database with one data set."""
    add(sqlite_url, "first")
    return sqlite_url


@pytest.fixture
def other_postgresql(postgresql: str) -> Iterator[str]:
    """An empty PostgreSQL database to restore into."""
    statement(postgresql, "CREATE DATABASE other")
    yield postgresql.replace("/postgres?", "/other?")
    statement(postgresql, "DROP DATABASE other WITH (FORCE)")


# --- both kinds ---------------------------------------------------------------------------------------------------


@pytest.mark.process
@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
def test_backups_hold_what_was_acknowledged_before_they_began(
    database_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    make_study(database_url, documents=max(200, 20 * REPEATS))
    restored = f"sqlite:///{tmp_path / 'restored.db'}"
    if database_url.startswith("postgresql"):
        restored = request.getfixturevalue("other_postgresql")
    with judging(database_url, tmp_path) as logs:
        for number in range(REPEATS):
            file = tmp_path / f"{number}.backup"
            before = acknowledged(logs)
            result = back_up(database_url, file)
            until(lambda before=before: len(acknowledged(logs)) > len(before) + 10)  # type: ignore[misc]
            assert restore(restored, file, force=True).judgments == result.judgments
            held = judged(restored)
            assert before <= held
            assert len(held) == result.judgments >= len(before) > 0
    assert judged(database_url) >= acknowledged(logs)


@pytest.mark.parametrize("database_url", KINDS, indirect=True)
def test_what_was_backed_up_comes_back(database_url: str, tmp_path: Path) -> None:
    add(database_url, "first")
    file = tmp_path / "-o'dd ?#% \N{SNOWMAN}\n.backup"
    result = back_up(database_url, file)
    assert result == (file.stat().st_size, 0, schema_versions()[-1])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600  # it has the links of annotators
    add(database_url, "second")
    assert restore(database_url, file, force=True).judgments == 0
    assert names(database_url) == ["first"]
    assert not [name for name in files(tmp_path) if name.startswith(".relevance")]


@pytest.mark.parametrize("database_url", KINDS, indirect=True)
def test_judgments_are_replaced_only_by_force(database_url: str, tmp_path: Path) -> None:
    file = tmp_path / "a.backup"
    back_up(database_url, file)
    add_judgment(database_url)
    with pytest.raises(BackupFailed, match=r"1 judgments.*--force"):
        restore(database_url, file)
    assert judged(database_url) == {1}
    restore(database_url, file, force=True)
    assert judged(database_url) == set()


@pytest.mark.parametrize("database_url", KINDS, indirect=True)
def test_a_backup_of_an_earlier_version_is_brought_up_to_date_and_a_newer_one_refused(
    database_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    old, newer = tmp_path / "old.backup", tmp_path / "newer.backup"
    engine = make_engine(database_url)
    with engine.execution_options(writing=True).begin() as connection:
        config = migrations()
        config.attributes["connection"] = connection
        command.downgrade(config, "0005")
    assert back_up(database_url, old).schema == "0005"
    restored = f"sqlite:///{tmp_path / 'restored.db'}"
    if database_url.startswith("postgresql"):
        restored = request.getfixturevalue("other_postgresql")
    restore(restored, old)
    with create_engine(restored, poolclass=NullPool).connect() as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == schema_versions()[-1]
        assert connection.scalar(text("SELECT count(*) FROM stars")) == 0
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(BackupFailed, match="newer version of relevance: its schema is 9999"):
        back_up(database_url, newer)
    engine.dispose()
    assert not newer.exists()


@pytest.mark.parametrize("database_url", KINDS, indirect=True)
def test_accounts_are_signed_out_and_annotators_go_on(database_url: str, tmp_path: Path) -> None:
    make_study(database_url, documents=2)
    engine = connect(database_url)
    annotator = AnnotationStore(engine).join(study="S", name="Ann")
    with Session(engine) as session:
        tomorrow = now() + timedelta(days=1)
        user = UserRow(name="Bob", role="owner")
        session.add(SignInRow(digest="a" * 64, user=user, expires_at=tomorrow))
        session.add(SignInRow(digest="b" * 64, annotator_id=annotator.id, expires_at=tomorrow))
        session.commit()
    back_up(database_url, tmp_path / "a.backup")
    restore(database_url, tmp_path / "a.backup", force=True)
    with Session(engine) as session:
        assert session.scalars(select(SignInRow.annotator_id)).all() == [annotator.id]
        assert session.scalars(select(UserRow.name)).all() == ["Bob"]
    engine.dispose()


@pytest.mark.parametrize("database_url", KINDS, indirect=True)
def test_a_file_is_replaced_only_by_force(database_url: str, tmp_path: Path) -> None:
    file = tmp_path / "a.backup"
    file.write_text("precious")
    with pytest.raises(BackupFailed, match="is there already; --force replaces it"):
        back_up(database_url, file)
    assert file.read_text() == "precious"
    (tmp_path / "link").symlink_to(file)
    back_up(database_url, tmp_path / "link", force=True)
    assert (tmp_path / "link").is_symlink()
    restore(database_url, file, force=True)
    with pytest.raises(BackupFailed, match="is not an ordinary file"):
        back_up(database_url, tmp_path, force=True)


@pytest.mark.parametrize("database_url", KINDS, indirect=True)
@pytest.mark.parametrize("damage", ["empty", "text", "truncated", "other program"])
def test_what_is_no_backup_is_refused_before_anything_is_touched(
    database_url: str, tmp_path: Path, damage: str
) -> None:
    add(database_url, "first")
    add_judgment(database_url)
    file = tmp_path / "a.backup"
    if damage == "empty":
        file.touch()
    elif damage == "text":
        file.write_text("no backup at all " * 1000)
    elif damage == "truncated":
        back_up(database_url, file)
        os.truncate(file, file.stat().st_size * 2 // 3)
    elif damage == "other program":
        with closing(sqlite3.connect(file)) as other:
            other.execute("CREATE TABLE recipes (name TEXT)")
    before = sha256(file), files(tmp_path)
    with pytest.raises(BackupFailed, match=r"a\.backup (is|was|cannot)"):
        restore(database_url, file, force=True)
    assert (sha256(file), files(tmp_path)) == before
    assert judged(database_url) == {1}
    assert names(database_url) == ["first"]


# --- SQLite -------------------------------------------------------------------------------------------------------


def test_a_database_that_is_replaced_is_kept(url: str, tmp_path: Path) -> None:
    file, database = tmp_path / "a.backup", tmp_path / "relevance.db"
    back_up(url, file)
    add(url, "second")
    database.chmod(0o640)
    for expected in (["first", "second"], ["first"]):
        kept = restore(url, file, force=True).kept
        assert kept is not None
        assert kept.name.startswith("relevance.db.before-restore-")
        assert names(f"sqlite:///{kept}") == expected
        assert stat.S_IMODE(kept.stat().st_mode) == stat.S_IMODE(database.stat().st_mode) == 0o640
    assert len([name for name in files(tmp_path) if "before-restore" in name]) == 2


def test_a_database_that_is_gone_comes_back_without_its_old_journal(url: str, tmp_path: Path) -> None:
    file, database = tmp_path / "a.backup", tmp_path / "relevance.db"
    back_up(url, file)
    expected = sha256(file)
    database.unlink()
    journal = tmp_path / "relevance.db-journal"
    header = bytes.fromhex("d9d505f920a163d7") + (1).to_bytes(4, "big") + bytes(4) + (200).to_bytes(4, "big")
    journal.write_bytes(header + (512).to_bytes(4, "big") + (4096).to_bytes(4, "big") + bytes(10_000))
    assert restore(url, file).kept is None
    assert not journal.exists()  # SQLite would undo what it says in the file that was restored
    assert sha256(database) == expected
    assert names(url) == ["first"]


@pytest.mark.parametrize("part", ["header", "table", "end"])
def test_a_damaged_database_is_kept_byte_for_byte(url: str, tmp_path: Path, part: str) -> None:
    file, database = tmp_path / "a.backup", tmp_path / "relevance.db"
    back_up(url, file)
    damage_file(database, part)
    damaged = sha256(database)
    kept = restore(url, file).kept
    assert kept is not None
    assert sha256(kept) == damaged
    assert names(url) == ["first"]


def damage_file(file: Path, part: str) -> None:
    if part == "end":
        os.truncate(file, file.stat().st_size - 100)
        return
    with file.open("r+b") as opened:
        opened.seek(0 if part == "header" else 4096)
        opened.write(b"\xff" * 16)


def test_a_damaged_database_is_not_backed_up(url: str, tmp_path: Path) -> None:
    file, database = tmp_path / "a.backup", tmp_path / "relevance.db"
    file.write_text("the last good backup")
    damage_file(database, "table")
    with pytest.raises(BackupFailed, match=r"damaged|malformed"):
        back_up(url, file, force=True)
    assert file.read_text() == "the last good backup"


def test_a_database_of_another_program_is_not_replaced(url: str, tmp_path: Path) -> None:
    back_up(url, tmp_path / "a.backup")
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    before = sha256(tmp_path / "other.db")
    with pytest.raises(UnusableDatabase, match="database of another program"):
        restore(f"sqlite:///{tmp_path / 'other.db'}", tmp_path / "a.backup", force=True)
    assert sha256(tmp_path / "other.db") == before


def test_databases_that_are_none(url: str, tmp_path: Path) -> None:
    with pytest.raises(BackupFailed, match="there is no database"):
        back_up(f"sqlite:///{tmp_path / 'none.db'}", tmp_path / "a.backup")
    with pytest.raises(UnusableDatabase, match="a database in memory has no backups"):
        back_up("sqlite://", tmp_path / "a.backup")
    with pytest.raises(BackupFailed, match="is the database itself"):
        back_up(url, tmp_path / "relevance.db", force=True)
    with pytest.raises(BackupFailed, match="is the database itself"):
        restore(url, tmp_path / "relevance.db", force=True)
    assert not (tmp_path / "none.db").exists()
    assert not (tmp_path / "a.backup").exists()
    assert names(url) == ["first"]


def test_write_ahead_logging_ends_with_the_backup(url: str, tmp_path: Path) -> None:
    database, file = tmp_path / "relevance.db", tmp_path / "a.backup"
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("UPDATE datasets SET name = 'in the log'")
        writer.commit()
        back_up(url, file)
        assert file.read_bytes()[18:20] == b"\x01\x01"  # no log is needed to read it
        with pytest.raises(BackupFailed, match="another program has the database open"):
            restore(url, file, force=True)  # which would go on with its log
    restore(url, file, force=True)
    assert names(url) == ["in the log"]


@pytest.mark.process
def test_processes_that_judge_go_on_with_what_was_restored(sqlite_url: str, tmp_path: Path) -> None:
    make_study(sqlite_url)
    back_up(sqlite_url, tmp_path / "a.backup")
    with judging(sqlite_url, tmp_path) as logs:
        back_up(sqlite_url, tmp_path / "b.backup")
        for _ in range(2):
            before = len(lines(logs))
            until(lambda before=before: len(lines(logs)) > before + 5)  # type: ignore[misc]
            kept = restore(sqlite_url, tmp_path / "b.backup", force=True).kept
            assert kept is not None
            with closing(sqlite3.connect(kept)) as old:
                assert old.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with closing(sqlite3.connect(tmp_path / "relevance.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []


# --- PostgreSQL ---------------------------------------------------------------------------------------------------

only_postgresql = pytest.mark.parametrize("database_url", [KINDS[1]], indirect=True)


@only_postgresql
def test_tables_are_replaced_only_by_force_and_others_never(database_url: str, tmp_path: Path) -> None:
    file = tmp_path / "a.backup"
    back_up(database_url, file)
    add(database_url, "first")
    with pytest.raises(BackupFailed, match="has tables and 0 judgments; restore into an empty one"):
        restore(database_url, file)
    statement(database_url, "CREATE TABLE of_a_later_version (id integer)")
    older = "older version than the database, which also has the table of_a_later_version"
    with pytest.raises(BackupFailed, match=older):
        restore(database_url, file, force=True)
    statement(database_url, "DROP TABLE of_a_later_version")
    statement(database_url, "DROP TABLE summaries CASCADE")
    with pytest.raises(UnusableDatabase, match="database of another program"):
        restore(database_url, file, force=True)


@only_postgresql
def test_what_fails_in_the_middle_changes_nothing(database_url: str, tmp_path: Path) -> None:
    file = tmp_path / "a.backup"
    back_up(database_url, file)
    add(database_url, "first")
    statement(database_url, "CREATE VIEW of_others AS SELECT * FROM judgments")  # which cannot be dropped beneath it
    with pytest.raises(BackupFailed, match="pg_restore failed"):
        restore(database_url, file, force=True)
    assert names(database_url) == ["first"]


@only_postgresql
def test_a_backup_of_the_other_kind_of_database(database_url: str, url: str, tmp_path: Path) -> None:
    back_up(database_url, tmp_path / "postgresql.backup")
    back_up(url, tmp_path / "sqlite.backup")
    with pytest.raises(BackupFailed, match="is a backup of PostgreSQL, and RELEVANCE_DATABASE_URL names SQLite"):
        restore(url, tmp_path / "postgresql.backup", force=True)
    with pytest.raises(BackupFailed, match="is not a backup of PostgreSQL, which RELEVANCE_DATABASE_URL names"):
        restore(database_url, tmp_path / "sqlite.backup", force=True)


@pytest.mark.process
def test_a_password_stands_in_no_command_line_and_no_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs, file = tmp_path / "bin", tmp_path / "a.backup"
    programs.mkdir()
    program = programs / "pg_dump"
    program.write_text(f'#!/bin/sh\necho "$PGPASSWORD $@" >{tmp_path}/called\necho no such server >&2\nexit 1\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    with pytest.raises(BackupFailed, match=r"^pg_dump failed: no such server$"):
        back_up("postgresql://ann:se%20cret@nowhere:77/d?sslmode=require", file)
    password, _, options = (tmp_path / "called").read_text().partition(" --")
    assert password == "se cret"
    assert "cret" not in options
    for setting in ("user=ann", "host=nowhere", "port=77", "dbname=d", "sslmode=require"):
        assert setting in options
    assert not file.exists()


def test_what_to_install_where_programs_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackupFailed, match=r"pg_dump is not installed: install PostgreSQL's client programs"):
        back_up("postgresql://ann@nowhere/d", tmp_path / "a.backup")
    assert files(tmp_path) == set()


# --- disks that are full ------------------------------------------------------------------------------------------


@pytest.mark.process
@pytest.mark.parametrize("database_url", KINDS, indirect=True)
def test_a_backup_on_a_full_disk_leaves_the_last_one(database_url: str, small_disk: Path) -> None:
    file = small_disk / "a.backup"
    back_up(database_url, file)
    before = sha256(file)
    (small_disk / "filler").write_bytes(bytes(shutil.disk_usage(small_disk).free - 8192))
    with pytest.raises((BackupFailed, OSError), match=r"full|[Nn]o space"):
        back_up(database_url, file, force=True)
    assert sha256(file) == before
    assert files(small_disk) == {"a.backup", "filler"}


@pytest.mark.process
@pytest.mark.parametrize("room", [0.1, 0.5, 1.2, 1.8, 2.3, 6])
def test_restoring_on_a_full_disk_leaves_the_database(url: str, tmp_path: Path, small_disk: Path, room: float) -> None:
    """With room for so many copies of it: the disk is full in the first, in what is kept, or in the database itself."""
    file, database = tmp_path / "a.backup", small_disk / "a.db"
    back_up(url, file)
    shutil.copy(tmp_path / "relevance.db", database)
    add_judgment(f"sqlite:///{database}")
    free = int(room * database.stat().st_size)
    (small_disk / "filler").write_bytes(bytes(shutil.disk_usage(small_disk).free - free))
    before = sha256(database)
    if room > 3:
        restore(f"sqlite:///{database}", file, force=True)
        assert judged(f"sqlite:///{database}") == set()
        return
    with pytest.raises((BackupFailed, OSError), match=r"full|No space"):
        restore(f"sqlite:///{database}", file, force=True)
    assert sha256(database) == before
    assert files(small_disk) == {"a.db", "filler"}
