"""The database: its engine, its schema's version, and the column types that both kinds of server share."""

from __future__ import annotations

import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, DateTime, Engine, MetaData, create_engine, event, func, make_url, select, text
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator

from data.damage import find_damage
from data.one_line import message
from data.reading import Say, quote_value, say_nothing

if TYPE_CHECKING:
    from alembic.config import Config

ROOT = Path(__file__).resolve().parents[1]
URL_VARIABLE = "RELEVANCE_DATABASE_URL"

# Write-ahead logging before this version of SQLite can, rarely, corrupt a database when a checkpoint and a
# writer meet in several connections; Python often links an older one, and then a rollback journal is used.
WAL_IS_SOUND = (3, 51, 3)

OURS = {"alembic_version", "datasets", "documents", "summaries"}
"""Tables that a database of ours has had since its first version."""

UPGRADE = 0x72656C65
"""PostgreSQL's number of the lock that whoever changes the schema holds."""


class UnusableDatabase(ValueError):
    """The address names a database that this version cannot work with; the message says what to do."""


class Base(DeclarativeBase):
    """The tables of the project, of whatever package."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class Utc(TypeDecorator[datetime]):
    """A point in time, always aware and in UTC, whatever the server keeps."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse naive times: nobody could say what they mean."""
        if value is not None and value.tzinfo is None:
            raise ValueError("a time without a time zone cannot be stored")
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """SQLite gives back naive times, which were stored in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def database_url() -> str:
    """The database that is meant: `RELEVANCE_DATABASE_URL`, or the SQLite file `relevance.db` beside the app."""
    beside = URL.create("sqlite", database=str(ROOT / "relevance.db"))  # a folder's name may hold ? and %
    return os.environ.get(URL_VARIABLE) or beside.render_as_string()


def absolute_url(url: str) -> str:
    """The same database, seen from any folder: the path of an SQLite file made absolute."""
    address = make_url(url)
    if address.get_backend_name() == "sqlite" and address.database not in {None, "", ":memory:"}:
        address = address.set(database=str(Path(str(address.database)).resolve()))
    return address.render_as_string(hide_password=False)


def connect(url: str | None = None, say: Say = say_nothing) -> Engine:
    """An engine whose commits are on disk when they return, its schema brought up to date.

    `url` is any SQLAlchemy address of SQLite or PostgreSQL, by default `database_url()`. An empty file becomes a
    database, which is said. Raises `UnusableDatabase` for one of another program or version, or a damaged one.
    """
    engine = make_engine(url or database_url())
    refuse_damaged(engine.url)
    file = sqlite_file(engine.url)
    was_empty = file is not None and file.is_file() and file.stat().st_size == 0
    upgrade(engine)
    keep_to_file(engine)
    if was_empty:
        say(f"{file} was an empty file and is a database now")
    return engine


def make_engine(url: str) -> Engine:
    """An engine without a look at the schema, whose errors, which are logged, hold no texts and tokens.

    Raises `UnusableDatabase`, SQLAlchemyError for what is no address.
    """
    address = make_url(url)
    if address.drivername in {"postgres", "postgresql"}:
        address = address.set(drivername="postgresql+psycopg")
    if address.get_backend_name() not in {"sqlite", "postgresql"}:
        raise UnusableDatabase(f"{URL_VARIABLE} names {address.get_backend_name()}; it must be SQLite or PostgreSQL")
    if address.get_backend_name() == "postgresql":
        try:
            return create_engine(address, pool_pre_ping=True, hide_parameters=True)
        except ModuleNotFoundError as error:
            raise UnusableDatabase(f"{error.name} is not installed: pip install 'relevance[postgresql]'") from error
    engine = create_engine(address, connect_args={"timeout": 30}, hide_parameters=True)
    event.listen(engine, "connect", set_up_sqlite)
    event.listen(engine, "begin", begin_sqlite)
    return engine


def sqlite_file(address: URL) -> Path | None:
    """The file of an SQLite database; None for one in memory and for other servers."""
    path = address.database
    if address.get_backend_name() != "sqlite" or path in {None, "", ":memory:"} or str(path).startswith("file:"):
        return None
    return Path(str(path))


def refuse_damaged(address: URL, most: int = 0) -> None:
    """Refuse a damaged SQLite file before anything is written to it. Raises `UnusableDatabase`.

    Every page is checked only in files of at most `most` bytes: see `data.damage`.
    """
    file = sqlite_file(address)
    if file is None or not file.is_file():
        return
    try:
        damage = find_damage(file, most)
    except sqlite3.DatabaseError:
        return  # a file that cannot be opened, or is locked: what opens it next says so
    if damage:
        raise UnusableDatabase(f"{file} {damage}. It was left as it is; to use a backup: relevance restore BACKUP")


def set_up_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    """Durable commits, checked foreign keys, and transactions that this module begins itself.

    Before anything is written, a file of another program is refused. Raises `UnusableDatabase`.
    """
    connection.isolation_level = None
    refuse_other_program(connection)
    journal = "WAL" if sqlite3.sqlite_version_info >= WAL_IS_SOUND else "PERSIST"
    for setting in (f"journal_mode={journal}", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {setting}")


def refuse_other_program(connection: sqlite3.Connection) -> None:
    """Refuse an SQLite database that has tables, and not ours. Raises `UnusableDatabase`."""
    tables = table_names(connection)
    if tables and not tables >= OURS:
        file = connection.execute("PRAGMA database_list").fetchone()[2]
        raise UnusableDatabase(
            f"{file} is a database of another program: it has the table {quote_value(min(tables))}; "
            f"name another file in {URL_VARIABLE}"
        )


def table_names(connection: sqlite3.Connection) -> set[str]:
    """The names of an SQLite database's tables."""
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def keep_to_file(engine: Engine) -> None:
    """Make an engine follow the file at the path of an SQLite database, and never create one.

    A connection stays with the file that it opened, and with what it then might do. After a backup was moved over the
    database it would read what nobody else sees, and every write would fail; one that was opened while the file could
    only be read would never write. So it is replaced by a new one where the file, or what may be done with it, is
    another.
    Where the file is gone, connecting fails: an empty database would look as if all judgments had been lost.
    """
    file = sqlite_file(engine.url)
    if file is None:
        return

    def identity() -> tuple[int, int, int, bool]:
        try:
            status = file.stat()
        except OSError as error:
            raise sqlite3.OperationalError("unable to open database file") from error
        # Of the file one look says all, as it may be gone in the next moment; the folder is where the journal lies.
        return status.st_dev, status.st_ino, status.st_mode, os.access(file.parent, os.W_OK)

    def refuse_to_create(*_: Any) -> None:
        identity()

    def remember(_connection: Any, record: Any) -> None:
        record.info["file"] = identity()

    def compare(_connection: Any, record: Any, _proxy: Any) -> None:
        if record.info["file"] != identity():
            raise DisconnectionError("another file has taken the place of the database's")

    engine.dispose()  # every connection from here on is watched
    event.listen(engine, "do_connect", refuse_to_create)
    event.listen(engine, "connect", remember)
    event.listen(engine, "checkout", compare)


def begin_sqlite(connection: Any) -> None:
    """Take the write lock at once when the transaction says that it will write.

    A transaction that reads first and writes later can find the lock taken and fails without waiting; one that
    begins as a writer waits its turn. The stores mark such transactions by `writing`.
    """
    immediate = connection.get_execution_options().get("writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def upgrade(engine: Engine) -> None:
    """Bring the schema to this version's, by Alembic; nothing happens where it already is.

    Raises `UnusableDatabase` where the schema is of a newer version.
    """
    from alembic import command
    from alembic.util import CommandError

    config = migrations()
    with engine.execution_options(writing=True).begin() as connection:
        if engine.dialect.name == "postgresql":  # servers that start together; SQLite has one writer anyway
            connection.execute(select(func.pg_advisory_xact_lock(UPGRADE)))
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise UnusableDatabase(
                f"the database was made by another version of relevance: {message(error)}"
            ) from error


def migrations() -> Config:
    """Where Alembic finds the migrations."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(ROOT / "data" / "migrations"))
    return config


def schema_versions() -> list[str]:
    """The versions of the schema that this version of the app knows, from the first to its own."""
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(migrations()).walk_revisions()
    return [script.revision for script in scripts][::-1]


def schema_is_current(engine: Engine) -> bool:
    """Whether the database has the schema of this version."""
    with engine.connect() as connection:
        version = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return bool(version == schema_versions()[-1])


def now() -> datetime:
    """The present, in UTC."""
    return datetime.now(UTC)
