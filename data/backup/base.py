"""What backups of both kinds of database share."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine, text

from data.database import OURS, schema_versions

OF_POSTGRESQL = b"PGDMP"
"""How a file of `pg_dump --format=custom` begins."""


class BackupFailed(ValueError):
    """A backup that cannot be made or restored; the message says why, and what to do. Nothing was changed."""


class Backup(NamedTuple):
    """What is in a backup."""

    size: int
    """Bytes of the file."""
    judgments: int
    schema: str


class Restored(NamedTuple):
    """What was restored."""

    judgments: int
    kept: Path | None
    """Where the database is now that was there before."""


def check_contents(name: str, tables: set[str], schema: str | None) -> str:
    """Check that what a backup holds is a database of ours, of a schema that we know; returns its version.

    `name` is what messages call it. Raises `BackupFailed`.
    """
    if not tables >= OURS or schema is None:
        raise BackupFailed(f"{name} is no backup of relevance: it lacks the table {min(OURS - tables, default='?')}")
    known = schema_versions()
    if schema not in known:
        raise BackupFailed(
            f"{name} was made by a newer version of relevance: its schema is {schema}, this version's is {known[-1]}; "
            "update relevance first"
        )
    return schema


def end_sign_ins(engine: Engine) -> None:
    """Sign every account out: among those who were signed in at the time of a backup may be some who no longer may."""
    with engine.execution_options(writing=True).begin() as connection:
        connection.execute(text("DELETE FROM sign_ins WHERE user_id IS NOT NULL"))


@contextmanager
def scratch_beside(file: Path) -> Iterator[Path]:
    """An empty file that only we may read, in a folder beside `file` that is deleted with all that is left in it.

    Raises OSError.
    """
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=".relevance-") as folder:
        handle, name = tempfile.mkstemp(dir=folder)
        os.close(handle)
        yield Path(name)


def publish(scratch: Path, file: Path) -> None:
    """Move a file to its name once it is on disk. Raises OSError."""
    sync(scratch)
    scratch.replace(file)
    sync(file.parent)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
