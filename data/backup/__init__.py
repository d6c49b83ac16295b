"""Backups of the database: made while it is in use, checked before they count, and restored whole or not at all."""

from pathlib import Path

from relevance.data.backup import postgresql, sqlite
from relevance.data.backup.base import Backup, BackupFailed, Restored
from relevance.data.database import UnusableDatabase, make_engine, sqlite_file

__all__ = ["Backup", "BackupFailed", "Restored", "back_up", "restore"]


def back_up(url: str, file: Path, *, force: bool = False) -> Backup:
    """Write all that is committed now to a file, which is checked before it gets its name; return its contents.

    An existing file is replaced only with `force`. Raises `BackupFailed`, `UnusableDatabase`, OSError.
    """
    file = file.resolve()  # a link stays
    database = database_file(url)
    refuse_same_file(file, database)
    if file.exists() and not file.is_file():
        raise BackupFailed(f"{file} is not an ordinary file")
    if file.exists() and not force:
        raise BackupFailed(f"{file} is there already; --force replaces it")
    return sqlite.back_up(database, file) if database else postgresql.back_up(make_engine(url), file)


def restore(url: str, file: Path, *, force: bool = False) -> Restored:
    """Replace the database by a backup, bring its schema up to date, and sign every account out.

    The whole backup is checked before anything is changed. A database that has judgments (on PostgreSQL: any tables) is
    replaced only with `force`. An SQLite database that is replaced is kept in a file beside it. Raises `BackupFailed`,
    `UnusableDatabase`, OSError.
    """
    database = database_file(url)
    refuse_same_file(file, database)
    if database:
        return sqlite.restore(database, file, force=force)
    return postgresql.restore(make_engine(url), file, force=force)


def database_file(url: str) -> Path | None:
    """Return the file of an SQLite database, None for PostgreSQL; `UnusableDatabase` for one in memory."""
    address = make_engine(url).url
    path = sqlite_file(address)
    if path is None and address.get_backend_name() == "sqlite":
        raise UnusableDatabase("a database in memory has no backups: name a file in RELEVANCE_DATABASE_URL")
    return path and path.resolve()


def refuse_same_file(file: Path, database: Path | None) -> None:
    """Refuse a backup that is the database itself. Raises `BackupFailed`."""
    if database and database.exists() and file.exists() and file.samefile(database):
        raise BackupFailed(f"{file} is the database itself; name another file")
