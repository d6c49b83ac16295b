"""Backups of PostgreSQL databases, by the programs that come with PostgreSQL."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Engine, inspect, text

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
from relevance.data.database import OURS, UnusableDatabase, upgrade
from relevance.data.environment import without_secrets
from relevance.data.files import open_file

ROWS = re.compile(rb'COPY (?:(?:"[^"]*"|[^". ]+)\.)?"?(\w+)"? \(')
"""The line before a table's rows in the output of pg_restore."""

END_OF_ROWS = b"\\.\n"


def back_up(engine: Engine, file: Path) -> Backup:
    """Write a database to a file, and check it by reading all of it. Raises `BackupFailed`, OSError."""
    with scratch_beside(file) as dumped:
        run(["pg_dump", "--format=custom", f"--file={dumped}"], engine)
        backup, _ = read(dumped, f"the database {engine.url.database}")
        publish(dumped, file)
    return backup


def restore(engine: Engine, file: Path, *, force: bool) -> Restored:
    """Fill a database from a backup, in one transaction. Raises `BackupFailed`, `UnusableDatabase`, OSError."""
    with open_file(file) as opened:
        if opened.read(len(OF_POSTGRESQL)) != OF_POSTGRESQL:
            raise BackupFailed(f"{file} is not a backup of PostgreSQL, which RELEVANCE_DATABASE_URL names")
    restored, tables = read(file, str(file))
    present = set(inspect(engine).get_table_names())
    engine.dispose()
    if present and not present >= OURS:
        raise UnusableDatabase(f"{engine.url.database} is a database of another program; create one for relevance")
    if present and not force:
        raise BackupFailed(
            f"the database {engine.url.database} has tables and {count_judgments(engine)} judgments; restore into "
            "an empty one, or replace everything in it with --force"
        )
    if unknown := present - tables:
        raise BackupFailed(
            f"{file} was made by an older version than the database, which also has the table {min(unknown)}: "
            "restore into an empty database"
        )
    cleaning = ["--clean", "--if-exists"] if present else []
    options = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", *cleaning]
    run(["pg_restore", *options, str(file.absolute())], engine)
    upgrade(engine)
    end_sign_ins(engine)
    engine.dispose()
    return Restored(restored.judgments, None)


def read(file: Path, name: str) -> tuple[Backup, set[str]]:
    """Read all of a backup; return its contents and the names of its tables. Raises `BackupFailed`.

    `name` is the backup's name in messages.
    """
    rows: dict[str, int] = {}
    schema = None
    table = None
    with tempfile.TemporaryFile() as temporary_file:
        command = [find_program("pg_restore"), "--data-only", "--file=-", str(file.absolute())]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=temporary_file, env=without_secrets()) as process:  # noqa: S603
            assert process.stdout is not None  # noqa: S101
            for line in process.stdout:
                if table is None:
                    if match := ROWS.match(line):
                        table = match[1].decode()
                        rows[table] = 0
                elif line == END_OF_ROWS:
                    table = None
                else:
                    rows[table] += 1
                    if table == "alembic_version":
                        schema = line.decode().strip()
        temporary_file.seek(0)
        complaint = last_line(temporary_file.read())
    if process.returncode:
        raise BackupFailed(f"{name} is damaged, or cannot be read: {complaint}")
    schema = check_contents(name, set(rows), schema)
    return Backup(file.stat().st_size, rows.get("judgments", 0), schema), set(rows)


def count_judgments(engine: Engine) -> int:
    """Count the judgments in a database; 0 if it has no such table."""
    if not inspect(engine).has_table("judgments"):
        return 0
    with engine.connect() as connection:
        return int(connection.scalar(text("SELECT count(*) FROM judgments")) or 0)


def run(command: Sequence[str], engine: Engine) -> None:
    """Run one of PostgreSQL's programs on a database. Raises `BackupFailed` with the last line of its errors.

    The password is passed in the environment, as everybody on the machine may read a command line.
    """
    from psycopg.conninfo import make_conninfo

    _, options = engine.dialect.create_connect_args(engine.url)
    password = options.pop("password", None)
    options.pop("context", None)  # psycopg's own
    program, *arguments = command
    done = subprocess.run(  # noqa: S603
        [find_program(program), "--no-password", f"--dbname={make_conninfo('', **options)}", *arguments],
        env=without_secrets(**({"PGPASSWORD": str(password)} if password else {})),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise BackupFailed(f"{program} failed: {last_line(done.stderr)}")


def find_program(name: str) -> str:
    """Find one of PostgreSQL's programs. Raises `BackupFailed`, saying what to install."""
    path = shutil.which(name)
    if path is None:
        raise BackupFailed(
            f"{name} is not installed: install PostgreSQL's client programs, at least of the server's version "
            "(Debian, Ubuntu: apt-get install postgresql-client; macOS: brew install libpq)"
        )
    return path


def program_version(name: str) -> int:
    """Return the major version of one of PostgreSQL's programs. Raises `BackupFailed`."""
    command = [find_program(name), "--version"]
    done = subprocess.run(command, env=without_secrets(), capture_output=True, text=True, check=False)  # noqa: S603
    number = re.search(r"\d+", done.stdout)
    if number is None:
        raise BackupFailed(f"{name} does not say its version")
    return int(number[0])


def last_line(output: bytes) -> str:
    """Return the last line of a program's output."""
    lines = output.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it did not say why"
