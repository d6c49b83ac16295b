"""Checks of the database and of the app's needs: a line for each, with what to do. Nothing is changed."""

import os
import shlex
import shutil
import sqlite3
import stat
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import click
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from relevance.cli.shared import remark_on_place, report_refusals
from relevance.data.backup import database_file
from relevance.data.backup.postgresql import find_program, program_version
from relevance.data.damage import find_damage, open_existing
from relevance.data.database import OURS, WAL_IS_SOUND, database_url, make_engine, now, schema_versions, set_up_sqlite
from relevance.data.distribution import how_to_install
from relevance.data.one_line import message
from relevance.data.store.base import failure_in_words
from relevance.hosting.settings import HOSTED, PUBLIC_URL, SECRET, read_settings
from relevance.metrics.models.files import check_hashes, embedded_model

COMMITS = 20
"""The number of timed commits."""

SLOW_COMMIT = 50.0
"""Milliseconds of a commit that annotators notice when several judge at once."""

CLOCK_OFF = 5.0
"""Seconds by which two clocks may differ, or a judgment may be in the future."""

LITTLE_DISK = 1e9
"""Bytes left on a disk below which there is a warning; below a tenth of it, an error."""


class Finding(NamedTuple):
    """The result of a check, with what to do about it."""

    state: Literal["ok", "warning", "wrong"]
    text: str


class Place:
    """The database to check."""

    def __init__(self, url: str) -> None:
        self.file: Path | None = database_file(url)
        """The file of an SQLite database; None for PostgreSQL."""
        self.engine: Engine = make_engine(url)

    def rows(self, query: str) -> list[Any]:
        """Run a query on a read-only connection: the app's would set the journal of an SQLite file."""
        if self.file is None:
            with self.engine.connect() as connection:
                return list(connection.execute(text(query)))
        with closing(open_existing(self.file, "ro")) as connection:
            return connection.execute(query).fetchall()

    def value(self, query: str) -> Any:
        """Return the single value of a query; None if it has no row."""
        return next((row[0] for row in self.rows(query)), None)

    def tables(self) -> set[str]:
        """Return the names of the database's tables."""
        if self.file is None:
            return set(inspect(self.engine).get_table_names())
        return {name for (name,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}


Check: TypeAlias = Callable[[Place], Finding | None]
"""A check of one thing; None if it does not concern this database."""


@click.command()
@report_refusals
def doctor() -> None:
    """Check the database, its disk, the clock and the models, and say what to do.

    The exit code is 1 if something is wrong.
    """
    place = Place(database_url())
    states = [report("database", check_database, place)]
    checks = {**OF_DATABASE, **OF_MACHINE} if states == ["ok"] else OF_MACHINE
    states += [report(name, check, place) for name, check in checks.items()]
    place.engine.dispose()
    if "wrong" in states:
        raise click.exceptions.Exit(1)


def report(name: str, check: Check, place: Place) -> str | None:
    """Print the result of a check, and return its state; a check that fails is wrong."""
    try:
        finding = check(place)
    except (SQLAlchemyError, sqlite3.Error) as error:
        finding = Finding("wrong", failure_in_words(error))
    except (OSError, ValueError) as error:
        finding = Finding("wrong", str(error))
    if finding is None:
        return None
    click.echo(f"{finding.state:<9}{name:<13}{message(finding.text)}")
    return finding.state


# --- the database ---------------------------------------------------------------------------------------------


def check_database(place: Place) -> Finding:
    """Check that the database opens, and is one of ours."""
    if place.file is None:
        version = place.value("SHOW server_version")
        where = f"{place.engine.url.render_as_string()} on PostgreSQL {version}"  # without the password
    else:
        where = str(place.file)
        if not place.file.is_file():
            return Finding("warning", f"there is no {where} yet: relevance serve creates it")
        if damage := find_damage(place.file, most=0):
            return Finding("wrong", f"{where} {damage}; relevance restore BACKUP replaces it by a backup")
    tables = place.tables()
    if not tables:
        return Finding("warning", f"{where} is empty: relevance serve creates the tables")
    if not tables >= OURS:
        return Finding("wrong", f"{where} is a database of another program: name another in RELEVANCE_DATABASE_URL")
    return Finding("ok", where)


def check_place(_: Place) -> Finding | None:
    """Check that no database is among the installed packages, which go with their environment."""
    remark = remark_on_place()
    return None if remark is None else Finding("warning", remark)


def check_schema(place: Place) -> Finding:
    """Check that the schema is that of this version."""
    version, known = place.value("SELECT version_num FROM alembic_version"), schema_versions()
    if version not in known:
        return Finding("wrong", f"{version} is newer than this version's, {known[-1]}: update relevance")
    if version != known[-1]:
        return Finding("warning", f"{version}; the next start updates it to {known[-1]}: make a backup first")
    return Finding("ok", version)


def check_journal(place: Place) -> Finding:
    """Check that commits survive a power failure, and that the journal is safe with this SQLite."""
    if place.file is None:
        off = [
            name for name in ("fsync", "full_page_writes", "synchronous_commit") if place.value(f"SHOW {name}") == "off"
        ]
        if off:
            return Finding("wrong", f"{off[0]} is off, so that judgments can be lost: turn it on in postgresql.conf")
        return Finding("ok", "commits wait for the disk")
    journal, version = place.value("PRAGMA journal_mode"), f"SQLite {sqlite3.sqlite_version}"
    if journal == "wal" and sqlite3.sqlite_version_info < WAL_IS_SOUND:
        since = ".".join(map(str, WAL_IS_SOUND))
        return Finding("warning", f"{version} with write-ahead logging, which is sound since {since}: restart the app")
    return Finding("ok", f"{version} with {'write-ahead logging' if journal == 'wal' else 'a rollback journal'}")


def check_integrity(place: Place) -> Finding | None:
    """Check that every page of an SQLite file is intact, and that indexes and tables agree."""
    if place.file is None:
        return None
    if damage := find_damage(place.file, thoroughly=True):
        return Finding("wrong", f"the file {damage}; relevance restore BACKUP replaces it by a backup")
    return Finding("ok", f"every page of {place.file.stat().st_size / 1e6:.1f} MB is intact")


def check_disk(place: Place) -> Finding | None:
    """Check that there is free space on the disk of an SQLite file."""
    if place.file is None:
        return None
    free = shutil.disk_usage(place.file.parent).free
    room = f"{free / 1e9:.1f} GB left"
    if free < max(LITTLE_DISK, 2 * place.file.stat().st_size):
        room += ": make room for the database, its journal and a backup"
        return Finding("wrong" if free < LITTLE_DISK / 10 else "warning", room)
    return Finding("ok", room)


def check_permissions(place: Place) -> Finding | None:
    """Check that only its owner and group can read an SQLite file, and that we can write it."""
    if place.file is None:
        return None
    name = shlex.quote(str(place.file))
    if not os.access(place.file, os.R_OK | os.W_OK) or not os.access(place.file.parent, os.W_OK):
        return Finding("wrong", f"this account cannot write {name} and its folder: give it the right, or use another")
    if place.file.stat().st_mode & stat.S_IROTH:
        return Finding("warning", f"every account of this machine can read the judgments and links: chmod o-r {name}")
    return Finding("ok", "no other account can read it")


def check_commit(place: Place) -> Finding:
    """Measure the time of a commit, without changing the database."""
    if place.file is None:
        times = time_on_postgresql(place.engine)
    else:
        with tempfile.TemporaryDirectory(dir=place.file.parent, prefix=".relevance-") as folder:
            times = time_on_sqlite(Path(folder) / "commits.db")
    middle = 1000 * statistics.median(times)
    latency = f"{middle:.1f} ms, the median of {len(times)}"
    if middle > SLOW_COMMIT:
        return Finding("warning", f"{latency}: annotators wait for each other; use a faster disk, not a network drive")
    return Finding("ok", latency)


def time_on_sqlite(file: Path) -> list[float]:
    """Measure the seconds of each commit to a new database on the same disk."""
    times = []
    with closing(sqlite3.connect(file)) as connection:
        set_up_sqlite(connection, None)
        connection.execute("CREATE TABLE commits (number INTEGER)")
        for number in range(COMMITS):
            began = time.perf_counter()
            connection.execute("INSERT INTO commits VALUES (?)", (number,))
            times.append(time.perf_counter() - began)
    return times


def time_on_postgresql(engine: Engine) -> list[float]:
    """Measure the seconds of each commit of a message that the server writes to its log and to no table."""
    times = []
    with engine.connect() as connection:
        for _ in range(COMMITS):
            connection.execute(text("SELECT pg_logical_emit_message(true, 'relevance doctor', '')"))
            began = time.perf_counter()
            connection.commit()
            times.append(time.perf_counter() - began)
    return times


def check_clock(place: Place) -> Finding:
    """Check PostgreSQL's clock against ours, or for SQLite that the last judgment is not in the future."""
    if place.file is None:
        off = (place.value("SELECT clock_timestamp()") - now()).total_seconds()
        if abs(off) > CLOCK_OFF:
            return Finding("warning", f"the server's is {off:+.0f} s off ours: let NTP set both")
        return Finding("ok", f"the server's is {off:+.1f} s off ours")
    last = place.value("SELECT max(decided_at) FROM judgments")
    ahead = (datetime.fromisoformat(last).replace(tzinfo=UTC) - now()).total_seconds() if last else 0
    if ahead > CLOCK_OFF:
        return Finding("warning", f"the last judgment is {ahead:.0f} s in the future: set the clock, by NTP")
    return Finding("ok", "no judgment is in the future")


# --- the machine ----------------------------------------------------------------------------------------------


def check_models(_: Place) -> Finding:
    """Check the encoder of BERTScore, CAROUGE and APES."""
    model = embedded_model()
    check_hashes(model.folder)
    return Finding("ok", f"{model.name} is there, with the published hashes")


def check_programs(place: Place) -> Finding | None:
    """Check that PostgreSQL's backup programs exist, and are new enough for the server."""
    if place.file is not None:
        return None
    for name in ("pg_dump", "pg_restore"):
        find_program(name)
    ours, servers = program_version("pg_dump"), int(place.value("SHOW server_version_num")) // 10_000
    if ours < servers:
        return Finding(
            "wrong", f"pg_dump is of version {ours}, the server of {servers}: install postgresql-client-{servers}"
        )
    return Finding("ok", f"pg_dump and pg_restore {ours}")


def check_hosting(_: Place) -> Finding | None:
    """Check that the settings of a hosted server are complete, and that its secret is safe."""
    if not any(os.environ.get(name) for name in (HOSTED, PUBLIC_URL, SECRET)):
        return None
    settings = read_settings(os.environ)
    if settings.proxy is None:
        return Finding("warning", f"{settings.public_url} without RELEVANCE_PROXY: all attempts count as one address's")
    return Finding("ok", f"{settings.public_url} behind {settings.proxy}, with a secret that nobody guesses")


def check_packages(_: Place) -> Finding:
    """List the installed optional packages."""
    packages = []
    for package, extra in OPTIONAL.items():
        try:
            packages.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            packages.append(f"without {package} ({how_to_install(extra)})")
    return Finding("ok", ", ".join(packages))


OPTIONAL = {"openai": "llm", "psycopg": "postgresql", "spacy": "spacy"}
"""Optional packages, and the extras that install them."""

OF_DATABASE: dict[str, Check] = {
    "schema": check_schema,
    "journal": check_journal,
    "integrity": check_integrity,
    "disk": check_disk,
    "permissions": check_permissions,
    "commit": check_commit,
    "clock": check_clock,
    "backups": check_programs,
}
"""The checks of a database of ours."""

OF_MACHINE: dict[str, Check] = {
    "place": check_place,
    "hosting": check_hosting,
    "models": check_models,
    "packages": check_packages,
}
"""The checks that do not depend on a database."""
