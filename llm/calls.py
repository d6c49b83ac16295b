"""The record of calls: a separate file in which every answer is on disk before it is used."""

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from sqlalchemy import make_url

from relevance.data.database import database_url, sqlite_file
from relevance.data.places import CALLS, default_file, make_folder_of
from relevance.llm.client import Client, Completion, Request

VERSION = 1

SCHEMA = (
    """
CREATE TABLE requests (
    key TEXT PRIMARY KEY,      -- SHA-256 of the request
    request TEXT NOT NULL,     -- as JSON
    model TEXT NOT NULL,       -- that was asked
    asked_at TEXT NOT NULL     -- first, in UTC; one without a call was sent when the run was killed, or never
) STRICT""",
    """
CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL REFERENCES requests (key),
    ended_at TEXT NOT NULL,
    problem TEXT,              -- why there is no answer that can be used; NULL where there is one
    text TEXT,                 -- NULL, as all below, where no answer came
    model TEXT,                -- that answered
    finish_reason TEXT,
    tokens_in INTEGER,
    tokens_out INTEGER,
    seconds REAL,
    refusal TEXT
) STRICT""",
    "CREATE INDEX calls_by_key ON calls (key)",
)


class UnusableRecord(ValueError):
    """The file cannot be used as a record of calls, and nothing may be asked that could not be recorded."""


class Calls:
    """The calls in a file: requests, and their answers or the reasons why there is no usable one.

    It is a separate SQLite file. A table of the database would not do: several databases may share a record, and its
    texts do not belong in a backup of judgments. JSON lines would not do either: several runs write at once, and one
    that is killed must not leave half a line. It never contains a server's key. Several threads and processes may use
    it.

    Raises `UnusableRecord` for a file of another program or a newer version, or if it cannot be read or written, and
    `NoFolder` where the folder of a new default file cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = Lock()
        make_folder_of(path)
        with usable(path):
            self.connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            try:
                self.connection.execute("PRAGMA synchronous=FULL")
                set_up(self.connection, path)
            except BaseException:
                self.connection.close()
                raise
            self.claims = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o644)

    def close(self) -> None:
        """Close the file."""
        self.connection.close()
        os.close(self.claims)

    def answered(self, key: str) -> Completion | None:
        """Return the last usable answer to a request, or None."""
        fields = ", ".join(Completion._fields)
        with self.lock, usable(self.path):
            row = self.connection.execute(
                f"SELECT {fields} FROM calls WHERE key = ? AND problem IS NULL ORDER BY id DESC LIMIT 1",  # noqa: S608
                [key],
            ).fetchone()
        return None if row is None else Completion(*row)

    def begin(self, client: Client, request: Request) -> None:
        """Record a request before its call."""
        row = (request.key(client), request.canonical(client), client.model, stamp())
        with self.lock, usable(self.path):
            self.connection.execute("INSERT OR IGNORE INTO requests VALUES (?, ?, ?, ?)", row)

    def end(self, key: str, completion: Completion | None, problem: str | None) -> None:
        """Record the result of a call, on disk when this returns."""
        values = [None] * len(Completion._fields) if completion is None else list(completion)
        fields = ", ".join(["key", "ended_at", "problem", *Completion._fields])
        row = [key, stamp(), problem, *values]
        with self.lock, usable(self.path):
            self.connection.execute(f"INSERT INTO calls ({fields}) VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608

    @contextmanager
    def claim(self, key: str, wait: Callable[[], None]) -> Iterator[None]:
        """Keep a request to this process, so that simultaneous runs do not pay for it twice.

        While another process has it, `wait` is called repeatedly; an exception from it ends the waiting. The system
        releases the claims of a process that ends in any way.
        """
        place = int(key[:15], 16)  # locks a byte of the file, which need not exist
        while True:
            try:
                fcntl.lockf(self.claims, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
                break
            except (BlockingIOError, PermissionError):  # POSIX allows either
                wait()
        try:
            yield
        finally:
            fcntl.lockf(self.claims, fcntl.LOCK_UN, 1, place)


def default_path() -> Path:
    """Return the record beside the database, such as `relevance.calls.db`; its default place if that is not a file."""
    file = sqlite_file(make_url(database_url()))
    return default_file(CALLS) if file is None else file.with_suffix(".calls.db")


@contextmanager
def usable(path: Path) -> Iterator[None]:
    """Turn errors of a file into `UnusableRecord` with its name."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise UnusableRecord(f"the record of calls {path} cannot be used: {error}") from error


def set_up(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables of a new file. Raises `UnusableRecord` for a file with other tables."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if tables and (not tables >= {"requests", "calls"} or version != VERSION):
            raise UnusableRecord(f"{path} is not a record of calls, or one of another version of relevance")
        if not tables:
            for statement in SCHEMA:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def stamp() -> str:
    """Return the time in UTC in the record's format."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
