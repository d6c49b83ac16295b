"""Detection of damage to an SQLite file, without writing to it."""

import sqlite3
from contextlib import closing
from pathlib import Path

QUICK = 256 * 1024 * 1024
"""Size in bytes of the largest file of which every page is checked when the app starts, which takes half a second."""

EVERYTHING = 2**63
"""A larger size in bytes than any file has."""

UNAVAILABLE = {
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM),
    *(sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM),
}
"""Errors that do not concern the file's contents."""

FINISHED = bytes(8)
"""The first bytes of a rollback journal after its transaction; that of an unfinished one begins with a magic number."""

PAGE = 4096
"""The default size of an SQLite page, in bytes."""


def find_damage(file: Path, most: int = EVERYTHING, *, thoroughly: bool = False) -> str | None:
    """Look for damage to an SQLite file and return a description, or None if nothing was found.

    The header, the size and the list of tables are always checked, which takes about a millisecond. The structure of
    every page is checked in files of at most `most` bytes; `thoroughly` also compares indexes with their tables, which
    takes ten times as long. SQLite has no checksums: a changed letter in a text is not found. Raises
    sqlite3.DatabaseError if the file cannot be opened or is locked.
    """
    size = file.stat().st_size
    if size == 0:  # SQLite would make a new database of it, and delete the journal
        return "is empty, but its journal shows that it was a database" if has_finished_journal(file) else None
    with closing(open_existing(file)) as connection:
        try:
            check = "integrity_check" if thoroughly else "quick_check"
            return find_damage_by(connection, file, check if size <= most else None)
        except UnicodeDecodeError:  # raised by SQLite for a table whose name is damaged
            return "is damaged: the names of its tables are not text"
        except sqlite3.DatabaseError as error:
            code = error.sqlite_errorcode & 0xFF  # the primary code of an extended one
            if code in UNAVAILABLE:
                raise
            no_database = "is not an SQLite database, or its beginning is damaged"
            return no_database if code == sqlite3.SQLITE_NOTADB else f"is damaged: {error}"


def find_damage_by(connection: sqlite3.Connection, file: Path, check: str | None) -> str | None:
    """Look for damage on a connection, by a check of SQLite's if one is named.

    Damage at the beginning of the file raises sqlite3.DatabaseError.
    """
    connection.execute("BEGIN")
    connection.execute("SELECT count(*) FROM sqlite_master")  # rolls an unfinished transaction back
    if is_cut(connection, file):
        return "is damaged: its end is missing"
    problem = connection.execute(f"PRAGMA {check}(1)").fetchone()[0] if check else "ok"
    return None if problem == "ok" else f"is damaged: {problem}"


def open_existing(file: Path, mode: str = "rw") -> sqlite3.Connection:
    """Open a plain connection to a file without ever creating it; transactions are begun by hand."""
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode={mode}", uri=True, timeout=30, isolation_level=None)


def is_cut(connection: sqlite3.Connection, file: Path) -> bool:
    """Tell whether a file ends before its last page; with write-ahead logging the last pages may be in the log."""
    if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        return False
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page_size,) = connection.execute("PRAGMA page_size").fetchone()
    return file.stat().st_size < int(pages) * int(page_size)


def has_finished_journal(file: Path) -> bool:
    """Tell whether a journal beside the file was kept after a transaction and has pages from before it.

    The journal of a database whose first transaction was undone has none.
    """
    journal = Path(f"{file}-journal")
    if not journal.is_file() or journal.stat().st_size <= PAGE:
        return False
    with journal.open("rb") as beginning:
        return beginning.read(len(FINISHED)) == FINISHED
