"""The parts that backups of both kinds of database share."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine, text

from relevance.data.database import OURS, schema_versions

OF_POSTGRESQL = b"PGDMP"
"""The first bytes of a file of `pg_dump --format=custom`."""


class BackupFailed(ValueError):
    """A backup cannot be made or restored; the message says why, and what to do. Nothing was changed."""


class Backup(NamedTuple):
    """The contents of a backup."""

    size: int
    """Bytes of the file."""
    judgments: int
    schema: str


class Restored(NamedTuple):
    """The result of a restore."""

    judgments: int
    kept: Path | None
    """The file that the replaced database was moved to; None if there was none."""


def check_contents(name: str, tables: set[str], schema: str | None) -> str:
    """Check that a backup holds a database of ours with a schema that we know; return its version.

    `name` is the backup's name in messages. Raises `BackupFailed`.
    """
    if not tables >= OURS or schema is None:
        raise BackupFailed(f"{name} is not a backup of relevance: it lacks the table {min(OURS - tables, default='?')}")
    known = schema_versions()
    if schema not in known:
        raise BackupFailed(
            f"{name} was made by a newer version of relevance: its schema is {schema}, this version's is {known[-1]}; "
            "update relevance first"
        )
    return schema


def end_sign_ins(engine: Engine) -> None:
    """Sign every account out: some of those signed in at the time of a backup may no longer have access."""
    with engine.execution_options(writing=True).begin() as connection:
        connection.execute(text("DELETE FROM sign_ins WHERE user_id IS NOT NULL"))


@contextmanager
def scratch_beside(file: Path) -> Iterator[Path]:
    """Yield an empty file that only we may read, in a folder beside `file` that is deleted at the end.

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
