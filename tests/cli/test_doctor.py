"""What `relevance doctor` says, and that it changes nothing."""

import hashlib
import os
import sqlite3
from collections import namedtuple
from contextlib import closing
from pathlib import Path

import pytest

from relevance.cli import doctor
from relevance.data.damage import find_damage
from relevance.data.database import schema_versions
from relevance.data.store.base import DatabaseFailed
from relevance.metrics.models.files import ModelUnavailable
from tests.commands import run

Usage = namedtuple("Usage", "total used free")


def findings(code: int = 0) -> dict[str, tuple[str, str]]:
    """State and message by name of the check, as they were printed."""
    result = run("doctor", code=code)
    assert result.stderr == ""
    lines = [line.split(maxsplit=2) for line in result.stdout.splitlines()]
    return {name: (state, message) for state, name, message in lines}


CHECKED = ["models", "packages"]
"""What is checked of a machine that is not a server."""


@pytest.fixture
def file(sqlite_url: str) -> Path:
    """The database that is looked at."""
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    file.chmod(0o600)
    return file


def execute(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def state(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_a_database_in_order_is_left_as_it_is(file: Path) -> None:
    before = state(file.parent)
    result = findings()
    assert list(result) == ["database", *(name for name in doctor.OF_DATABASE if name != "backups"), *CHECKED]
    assert {message for message, _ in result.values()} == {"ok"}, result
    assert result["schema"][1] == schema_versions()[-1]
    assert state(file.parent) == before


@pytest.mark.parametrize(
    ("statements", "check", "state", "message"),
    [
        (
            ["UPDATE alembic_version SET version_num = '0004'"],
            "schema",
            "warning",
            "0004; the next start updates it to",
        ),
        (["UPDATE alembic_version SET version_num = '9999'"], "schema", "wrong", "9999 is newer than this version's"),
        (["PRAGMA journal_mode=WAL"], "journal", "warning", "with write-ahead logging, which is sound since 3.51.3"),
        (
            [
                "INSERT INTO judgments (assignment_id, revision, presented_at, decided_at) "
                "VALUES (1, 1, '2999-01-01 00:00:00', '2999-01-01 00:00:00.000000')"
            ],
            "clock",
            "warning",
            "s in the future: set the clock",
        ),
        (["DROP TABLE documents"], "database", "wrong", "is a database of another program"),
    ],
)
def test_what_is_wrong_in_the_database(
    file: Path, monkeypatch: pytest.MonkeyPatch, statements: list[str], check: str, state: str, message: str
) -> None:
    monkeypatch.setattr("relevance.data.database.WAL_IS_SOUND", (3, 51, 3))
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 40, 1))
    execute(file, *statements)
    result = findings(code=state == "wrong")
    assert result[check][0] == state
    assert message in result[check][1]


@pytest.mark.parametrize(("table", "check"), [("judgments", "integrity"), ("sqlite_schema", "database")])
def test_a_damaged_page_is_found(file: Path, table: str, check: str) -> None:
    with closing(sqlite3.connect(file)) as database:
        page = max(number for (number,) in database.execute("SELECT pageno FROM dbstat WHERE name = ?", (table,)))
    content = bytearray(file.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    file.write_bytes(content)
    kind, text = findings(code=1)[check]
    assert kind == "wrong"
    assert text.endswith("relevance restore BACKUP replaces it by a backup")
    assert file.read_bytes() == content


def test_an_index_that_lacks_rows_is_found(file: Path) -> None:
    """Every page is in order, so that only a comparison with the table finds it."""
    index = "FROM sqlite_master WHERE name = 'ix_attempts_key'"
    with closing(sqlite3.connect(file)) as connection:
        row = connection.execute(f"SELECT type, name, tbl_name, rootpage, sql {index}").fetchone()
    execute(file, "PRAGMA writable_schema=ON", f"DELETE {index}")
    execute(file, "INSERT INTO attempts (key, made_at) VALUES ('k', '2026-01-01')")
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute(
            "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, ?, ?)", row
        )
        connection.commit()
    assert find_damage(file) is None
    kind, text = findings(code=1)["integrity"]
    assert kind == "wrong"
    assert "missing from index ix_attempts_key" in text


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda file: file.unlink(), "warning", "there is no {file} yet: relevance serve creates it"),
        (lambda file: os.truncate(file, 0), "warning", "{file} is empty: relevance serve creates the tables"),
        (lambda file: os.truncate(file, 5000), "wrong", "{file} is damaged: "),
    ],
)
def test_without_a_database_the_machine_is_still_checked(file: Path, make, kind: str, message: str) -> None:
    make(file)
    result = findings(code=kind == "wrong")
    assert list(result) == ["database", *CHECKED]
    assert result["database"][0] == kind
    assert result["database"][1].startswith(message.format(file=file))


def test_a_disk_that_is_almost_full(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for free, expected in ((2e9, "ok"), (5e8, "warning"), (5e7, "wrong")):
        monkeypatch.setattr("shutil.disk_usage", lambda _, free=free: Usage(1e12, 0, int(free)))
        assert findings(code=expected == "wrong")["disk"][0] == expected


def test_files_that_others_may_read_and_nobody_may_write(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.chmod(0o644)
    assert findings()["permissions"][1].endswith(f"chmod o-r {file}")
    access = os.access
    monkeypatch.setattr("os.access", lambda path, *mode, **how: path != file and access(path, *mode, **how))
    assert findings(code=1)["permissions"][0] == "wrong"


def test_commits_that_take_long(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "time_on_sqlite", lambda _: [0.01, 0.2, 0.3])
    kind, text = findings()["commit"]
    assert (kind, text.split(":")[0]) == ("warning", "200.0 ms, the median of 3")


def test_settings_of_a_hosted_server(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEVANCE_PUBLIC_URL", "https://relevance.example.org")
    monkeypatch.setenv("RELEVANCE_SECRET", "too short")
    kind, text = findings(code=1)["hosting"]
    assert kind == "wrong"
    assert text.startswith("RELEVANCE_SECRET needs at least 32 bytes")
    secret = "kS9-vHq3Zx7LwBn2TfYr8PdMcE4uJgA6"
    monkeypatch.setenv("RELEVANCE_SECRET", secret)
    kind, text = findings()["hosting"]
    assert (kind, secret in text) == ("warning", False)
    monkeypatch.setenv("RELEVANCE_PROXY", "127.0.0.1")
    assert findings()["hosting"][0] == "ok"


def test_a_model_that_is_missing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise ModelUnavailable("vocab.txt\nis missing: install it anew")

    monkeypatch.setattr(doctor, "check_hashes", refuse)
    assert findings(code=1)["models"] == ("wrong", "vocab.txt is missing: install it anew")


def test_a_check_that_fails_is_one_line_and_the_others_go_on(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise DatabaseFailed(sqlite3.OperationalError("database is locked"))

    monkeypatch.setitem(doctor.OF_DATABASE, "schema", fail)
    result = findings(code=1)
    assert result["schema"][0] == "wrong"
    assert "another program has been writing to it" in result["schema"][1]
    assert result["packages"][0] == "ok"


@pytest.mark.process
@pytest.mark.exhaustive
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_postgresql(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", database_url)
    result = findings(code=1)
    wrong = result.pop("journal")
    assert wrong == ("wrong", "fsync is off, so that judgments can be lost: turn it on in postgresql.conf")  # in tests
    assert {message for message, _ in result.values()} == {"ok"}, result
    assert list(result) == ["database", "schema", "commit", "clock", "backups", *CHECKED]
    monkeypatch.setenv("PATH", "/nowhere")
    assert "install PostgreSQL's client programs" in findings(code=1)["backups"][1]


def test_a_server_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", "postgresql://ann:secret@127.0.0.1:1/x")
    result = run("doctor", code=1)
    assert result.stdout.startswith("wrong    database     its server does not answer")
    assert "secret" not in result.output
