"""A damaged database is found when the app starts, and its bytes stay as they are."""

import hashlib
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from relevance.data.damage import find_damage
from relevance.data.database import UnusableDatabase, connect, make_engine
from tests.commands import refused
from tests.conftest import ROOT


def fill(file: Path, rows: int = 2000) -> None:
    """Put so many rows in a database's tables that it has pages of every kind."""
    with closing(sqlite3.connect(file)) as connection:
        connection.executemany(
            "INSERT INTO scores (signature_id, example, value, truncated) VALUES (1, ?, 0.5, 0)",
            [(hashlib.sha256(str(number).encode()).hexdigest(),) for number in range(rows)],
        )
        connection.commit()


@pytest.fixture
def file(tmp_path: Path, migrated_sqlite: Path) -> Path:
    file = tmp_path / "a.db"
    shutil.copy(migrated_sqlite, file)
    fill(file)
    return file


def flip(file: Path, place: int) -> None:
    with file.open("r+b") as opened:
        opened.seek(place)
        (byte,) = opened.read(1)
        opened.seek(place)
        opened.write(bytes([byte ^ 0xFF]))


def state(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file in a folder."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda file: os.truncate(file, file.stat().st_size - 1), "is damaged: its end is missing"),
        (lambda file: os.truncate(file, file.stat().st_size // 2), "is damaged: database disk image is malformed"),
        (lambda file: os.truncate(file, 4096), "is damaged: database disk image is malformed"),
        (lambda file: os.truncate(file, 50), "is damaged: database disk image is malformed"),
        (lambda file: os.truncate(file, 0), "is empty, but its journal shows that it was a database"),
        (lambda file: flip(file, 3), "is not an SQLite database, or its beginning is damaged"),
        (lambda file: flip(file, 100), "is damaged: "),  # the kind of the first page
        (lambda file: file.write_text("no database"), "is not an SQLite database, or its beginning is damaged"),
    ],
    ids=["last byte", "half", "one page", "header", "everything", "magic", "first page", "text"],
)
def test_damage_is_found_by_every_command_and_left_as_it_is(file, tmp_path, monkeypatch, damage, message):
    connect(f"sqlite:///{file}").dispose()  # leaves its journal beside it
    fill_journal(file)
    damage(file)
    before = state(tmp_path)
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", f"sqlite:///{file}")
    result = refused("datasets")
    assert result.startswith(f"{file} {message}")
    assert result.endswith("It was left as it is; to use a backup: relevance restore BACKUP")
    assert refused("serve") == result
    with pytest.raises(UnusableDatabase, match="It was left as it is"):
        connect(f"sqlite:///{file}")
    assert state(tmp_path) == before


def fill_journal(file: Path) -> None:
    """Commit once more as the app does, which keeps a journal."""
    engine = connect(f"sqlite:///{file}")
    with engine.execution_options(writing=True).begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = version_num")
    engine.dispose()


def test_a_flipped_byte_in_the_structure_of_any_page_is_found(file):
    assert find_damage(file) is None
    whole = file.read_bytes()
    for page in range(1, len(whole) // 4096):
        file.write_bytes(whole)
        kind = whole[page * 4096]
        if kind in {2, 5, 10, 13}:  # pages of tables and indexes, as SQLite's file format numbers them
            flip(file, page * 4096)
            assert find_damage(file) is not None, page


@pytest.mark.parametrize(("place", "value"), [(47, 9), (59, 7), (21, 0)])
def test_a_header_that_no_version_of_sqlite_writes_is_damage(file, place, value):
    whole = bytearray(file.read_bytes())
    whole[place] = value
    file.write_bytes(whole)
    assert "damaged" in str(find_damage(file))


def test_damage_anywhere_never_raises_what_is_not_understood(file):
    whole = file.read_bytes()
    chance = random.Random(5)
    for _ in range(200):
        damaged = bytearray(whole[: chance.randrange(len(whole))] if chance.random() < 0.3 else whole)
        for _ in range(chance.randrange(20)):
            if damaged:
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        file.write_bytes(damaged)
        damage = find_damage(file)
        assert damage is None or isinstance(damage, str)
        assert file.read_bytes() == damaged


@pytest.mark.process
def test_the_app_checks_every_page_when_it_starts_and_a_command_only_the_first(file, monkeypatch):
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", f"sqlite:///{file}")
    flip(file, file.stat().st_size - 4096)
    connect(f"sqlite:///{file}").dispose()
    damaged = hashlib.sha256(file.read_bytes()).hexdigest()
    served = subprocess.run(
        [sys.executable, "-m", "relevance", "serve"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert served.returncode == 2
    assert f"{file} is damaged: " in served.stderr
    assert hashlib.sha256(file.read_bytes()).hexdigest() == damaged


@pytest.mark.process
def test_an_unfinished_transaction_is_no_damage(file, tmp_path):
    """A process that was killed while it wrote leaves a journal, by which SQLite undoes what it wrote."""
    killed = f"""
import os, sqlite3
connection = sqlite3.connect({str(file)!r}, isolation_level=None)
connection.execute("PRAGMA cache_size=1")
connection.execute("BEGIN IMMEDIATE")
connection.executemany("INSERT INTO scores (signature_id, example, value, truncated) VALUES (2, ?, 0.5, 0)",
    [(str(number) * 10,) for number in range(5000)])
os._exit(1)
"""
    subprocess.run([sys.executable, "-c", killed], check=False)
    assert (tmp_path / "a.db-journal").stat().st_size > 10_000
    assert find_damage(file) is None
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT count(*) FROM scores").fetchone() == (2000,)


def test_a_database_that_was_never_finished_is_no_damage(tmp_path):
    engine = make_engine(f"sqlite:///{tmp_path / 'new.db'}")
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TABLE datasets (id INTEGER)")
        connection.rollback()  # as when the first start is interrupted
    engine.dispose()
    assert (tmp_path / "new.db-journal").stat().st_size > 0
    assert find_damage(tmp_path / "new.db") is None
    connect(f"sqlite:///{tmp_path / 'new.db'}").dispose()


def test_empty_files_and_logs_are_no_damage(file, tmp_path):
    (tmp_path / "new.db").touch()
    assert find_damage(tmp_path / "new.db") is None
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executemany(
            "INSERT INTO scores (signature_id, example, value, truncated) VALUES (3, ?, 0.5, 0)",
            [(str(number) * 10,) for number in range(5000)],
        )
        connection.commit()
        assert find_damage(file) is None
