"""Backups of SQLite databases: files that are databases themselves."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError

from relevance.data.backup.base import (
    OF_POSTGRESQL,
    Backup,
    BackupFailed,
    Restored,
    check_contents,
    end_sign_ins,
    publish,
    scratch_beside,
)
from relevance.data.damage import find_damage, open_existing
from relevance.data.database import connect, now, refuse_other_program, table_names
from relevance.data.files import open_file
from relevance.data.places import make_folder_of

PATIENCE = 60.0
"""The seconds to wait for a moment in which nobody uses the database."""

BESIDE = ("-journal", "-wal", "-shm")
"""Endings of the files that SQLite keeps beside a database."""


def back_up(database: Path, file: Path) -> Backup:
    """Write a copy of a database to a file, and check it. Raises `BackupFailed`, OSError."""
    if not database.is_file():
        raise BackupFailed(f"there is no database {database}")
    with scratch_beside(file) as copied:
        with naming_errors(f"{database} could not be copied to {file}"), closing(open_existing(database)) as source:
            copy(source, copied)
        backup = examine(copied, str(database))
        publish(copied, file)
    return backup


def restore(database: Path, file: Path, *, force: bool) -> Restored:
    """Replace a database by a copy of a backup. Raises `BackupFailed`, `UnusableDatabase`, `NoFolder`, OSError."""
    check_is_sqlite(file)
    make_folder_of(database)
    if not database.parent.is_dir():
        raise BackupFailed(f"there is no folder {database.parent} for the database")
    with scratch_beside(database) as ready:
        with naming_errors(f"{file} could not be copied to {database.parent}"):
            if damage := find_damage(file, most=0):  # all pages are checked in the copy
                raise BackupFailed(f"{file} {damage}")
            with closing(open_existing(file)) as source:
                copy(source, ready)
        backup = examine(ready, str(file))
        with naming_errors(f"{file} could not be brought up to date beside {database}"):
            bring_up_to_date(ready)
        with naming_errors(f"{database} cannot be replaced"):
            if database.is_file() and find_damage(database) is None:
                kept = replace_contents(database, ready, force=force)
            else:
                kept = replace_file(database, ready)
    return Restored(backup.judgments, kept)


def copy(source: sqlite3.Connection, target: Path) -> None:
    """Copy a database to an empty file, as it is at one moment.

    It is copied in one step: with a rollback journal a backup in several steps restarts whenever another process
    commits, and among writers it never ends. Writers wait meanwhile, about 2 s a GB; nothing is synced in that time.
    """
    with closing(sqlite3.connect(target, isolation_level=None)) as copied:
        copied.execute("PRAGMA synchronous=OFF")
        copied.execute("PRAGMA journal_mode=OFF")
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master")  # waits for the lock and takes it
        source.backup(copied, pages=-1)
        source.execute("ROLLBACK")
        copied.execute("PRAGMA journal_mode=DELETE")  # one file, even if the source has write-ahead logging


def examine(copied: Path, name: str) -> Backup:
    """Check a copy of a database that nobody else uses; `name` is its name in messages. Raises `BackupFailed`."""
    with naming_errors(f"{name} is damaged"), closing(open_existing(copied)) as connection:
        (problem,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if problem != "ok":
            raise BackupFailed(f"{name} is damaged: {problem}")
        tables = table_names(connection)
        schema = None
        if "alembic_version" in tables:
            schema = next(
                (version for (version,) in connection.execute("SELECT version_num FROM alembic_version")), None
            )
        check_contents(name, tables, schema)
        return Backup(copied.stat().st_size, count_judgments(connection), str(schema))


def count_judgments(connection: sqlite3.Connection) -> int:
    """Count the judgments in a database; 0 if it has no such table."""
    if "judgments" not in table_names(connection):
        return 0
    (judgments,) = connection.execute("SELECT count(*) FROM judgments").fetchone()
    return int(judgments)


def check_is_sqlite(file: Path) -> None:
    """Refuse a backup of PostgreSQL, and an empty file. Raises `BackupFailed`, OSError."""
    with open_file(file) as opened:
        beginning = opened.read(16)
    if beginning.startswith(OF_POSTGRESQL):
        raise BackupFailed(f"{file} is a backup of PostgreSQL, and RELEVANCE_DATABASE_URL names SQLite")
    if not beginning:
        raise BackupFailed(f"{file} is empty")


def bring_up_to_date(copied: Path) -> None:
    """Bring the schema of a copy up to date, and leave it as one file. Raises `UnusableDatabase`."""
    engine = connect(URL.create("sqlite", database=str(copied)).render_as_string())
    end_sign_ins(engine)
    engine.dispose()
    with closing(open_existing(copied)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


def replace_contents(database: Path, ready: Path, *, force: bool) -> Path | None:
    """Overwrite a database by another in one transaction; return where its old contents are kept, if it had any.

    The file stays the same one, so that processes that have it open continue with what was restored. If another file
    were moved over it, a process that reads the old one could take the new one's journal for its own and undo the
    transaction in it. Nobody can write between the copy that is kept and the end.
    """
    with closing(open_existing(database)) as target:
        shut_out_others(target)
        refuse_other_program(target)
        if not table_names(target):
            overwrite(target, ready)
            return None
        if not force and (judgments := count_judgments(target)):
            raise BackupFailed(
                f"{database} has {judgments} judgments; --force replaces it, and keeps it in a file beside it"
            )
        kept = name_aside(database)
        with scratch_beside(database) as old:
            copy(target, old)
            give_owner(old, database)
            publish(old, kept)
        try:
            overwrite(target, ready)
        except BaseException:
            kept.unlink()  # the database is as it was
            raise
        return kept


def overwrite(target: sqlite3.Connection, ready: Path) -> None:
    """Overwrite a database by the contents of a file, in one transaction."""
    with closing(open_existing(ready)) as source:
        source.backup(target, pages=-1)


def shut_out_others(connection: sqlite3.Connection) -> None:
    """Lock a database against everybody else until the connection is closed. Raises `BackupFailed`."""
    try:
        connection.execute("PRAGMA journal_mode=DELETE")  # there is no such lock with write-ahead logging
        wait_for_lock(connection)
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")  # set after the lock: before, it would wait for others
        connection.execute("COMMIT")
        (journal,) = connection.execute("PRAGMA journal_mode").fetchone()
    except sqlite3.OperationalError as error:
        if not is_busy(error):
            raise
        raise BackupFailed(f"another program has the database open ({error}): stop it first") from error
    if journal != "delete":
        raise BackupFailed("another program has opened the database: stop it first")


def wait_for_lock(connection: sqlite3.Connection) -> None:
    """Begin a transaction without any other reader or writer. Raises sqlite3.OperationalError after `PATIENCE`.

    SQLite soon asks for the lock only every 0.1 s, and can miss the moments between the writers of a busy server.
    """
    connection.execute("PRAGMA busy_timeout=50")
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("BEGIN EXCLUSIVE")
            return
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise


def is_busy(error: sqlite3.OperationalError) -> bool:
    """Tell whether SQLite failed because somebody else has the database locked."""
    return error.sqlite_errorcode & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def replace_file(database: Path, ready: Path) -> Path | None:
    """Put a file in place of a database that is missing or cannot be read, which is kept with its journal.

    A journal left behind would be taken for one of the new file. Return where the old file is, if there was one.
    """
    kept = name_aside(database)
    give_owner(ready, database if database.exists() else database.parent)
    for ending in ("", *BESIDE):
        with suppress(FileNotFoundError):
            Path(f"{database}{ending}").rename(f"{kept}{ending}")
    publish(ready, database)
    return kept if kept.exists() else None


def name_aside(database: Path) -> Path:
    """Return an unused name beside a database, for its state before the restore."""
    name = f"{database.name}.before-restore-{now():%Y%m%dT%H%M%SZ}"
    number = 1
    while (aside := database.with_name(name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return aside


def give_owner(file: Path, like: Path) -> None:
    """Give a file the owner and mode of another: root may restore a database that a server's account must write."""
    status = like.stat()
    with suppress(PermissionError):
        os.chown(file, status.st_uid, status.st_gid)
    if like.is_file():
        file.chmod(status.st_mode)


@contextmanager
def naming_errors(what: str) -> Iterator[None]:
    """Raise SQLite's errors as `BackupFailed`, saying what failed."""
    try:
        yield
    except (sqlite3.Error, DBAPIError) as error:
        raise BackupFailed(f"{what}: {getattr(error, 'orig', error)}") from error
