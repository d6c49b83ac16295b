"""The database: its engine, the version of its schema, and the column types that SQLite and PostgreSQL share."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, DateTime, Engine, MetaData, create_engine, event, func, make_url, select, text
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator

from relevance.data.damage import find_damage
from relevance.data.distribution import how_to_install
from relevance.data.one_line import message
from relevance.data.places import DATABASE, default_file, make_folder_of
from relevance.data.reading import Say, quote_value, say_nothing

if TYPE_CHECKING:
    from alembic.config import Config

URL_VARIABLE = "RELEVANCE_DATABASE_URL"

# Write-ahead logging before this version of SQLite can, rarely, corrupt a database when a checkpoint and a
# writer meet in several connections; Python often links an older one, and then a rollback journal is used.
WAL_IS_SOUND = (3, 51, 3)

OURS = {"alembic_version", "datasets", "documents", "summaries"}
"""Tables that a database of this project has had since its first version."""

UPGRADE = 0x72656C65
"""PostgreSQL's number of the lock that is held while the schema is changed."""


class UnusableDatabase(ValueError):
    """The address names a database that this version cannot use; the message says what to do."""


class Base(DeclarativeBase):
    """The base of all tables of the project."""

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
    """A point in time, always aware and in UTC, whatever the server stores."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert a time to UTC. Raises ValueError for naive times, whose meaning is unknown."""
        if value is not None and value.tzinfo is None:
            raise ValueError("a time without a time zone cannot be stored")
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return a stored time in UTC; SQLite returns naive ones, which were stored in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def database_url() -> str:
    """Return the address of the database: `RELEVANCE_DATABASE_URL`, or else that of its default file."""
    return os.environ.get(URL_VARIABLE) or file_url(default_file(DATABASE))


def file_url(file: Path) -> str:
    """Return the address of an SQLite file, in whose name ?, % and # are nothing special."""
    return URL.create("sqlite", database=str(file)).render_as_string()


def fix_database() -> str:
    """Have this process and those that it starts use one database, whatever their folder; return its address."""
    os.environ[URL_VARIABLE] = absolute_url(database_url())
    return os.environ[URL_VARIABLE]


def absolute_url(url: str) -> str:
    """Make the path of an SQLite file absolute, so that the address holds in any folder."""
    address = make_url(url)
    if address.get_backend_name() == "sqlite" and address.database not in {None, "", ":memory:"}:
        address = address.set(database=str(Path(str(address.database)).resolve()))
    return address.render_as_string(hide_password=False)


def connect(url: str | None = None, say: Say = say_nothing) -> Engine:
    """Make an engine whose commits are on disk when they return, and bring the schema up to date.

    `url` is any SQLAlchemy address of SQLite or PostgreSQL, by default `database_url()`. An empty file becomes a
    database, with a message. Raises `UnusableDatabase` for a database of another program or version, or a damaged one,
    and `NoFolder` where the folder of a new default file cannot be made.
    """
    engine = make_engine(url or database_url())
    refuse_damaged(engine.url)
    file = sqlite_file(engine.url)
    was_empty = file is not None and file.is_file() and file.stat().st_size == 0
    if file is not None:
        make_folder_of(file)
        make_private(file)
    upgrade(engine)
    keep_to_file(engine)
    if was_empty:
        say(f"{file} was an empty file and is a database now")
    return engine


def make_engine(url: str) -> Engine:
    """Make an engine without checking the schema; its errors, which are logged, contain no texts and tokens.

    Raises `UnusableDatabase`, and SQLAlchemyError for an invalid address.
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
            raise UnusableDatabase(f"{error.name} is not installed: {how_to_install('postgresql')}") from error
    engine = create_engine(address, connect_args={"timeout": 30}, hide_parameters=True)
    event.listen(engine, "connect", set_up_sqlite)
    event.listen(engine, "begin", begin_sqlite)
    return engine


def sqlite_file(address: URL) -> Path | None:
    """Return the file of an SQLite database; None for one in memory and for other servers."""
    path = address.database
    if address.get_backend_name() != "sqlite" or path in {None, "", ":memory:"} or str(path).startswith("file:"):
        return None
    return Path(str(path))


def make_private(file: Path) -> None:
    """Make the file of a new database, for nobody else to read; SQLite gives its journal the same mode."""
    with suppress(OSError):  # it is there already, or opening it next reports why it cannot be
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def refuse_damaged(address: URL, most: int = 0) -> None:
    """Refuse a damaged SQLite file before anything is written to it. Raises `UnusableDatabase`.

    Every page is checked only in files of at most `most` bytes: see `relevance.data.damage`.
    """
    file = sqlite_file(address)
    if file is None or not file.is_file():
        return
    try:
        damage = find_damage(file, most)
    except sqlite3.DatabaseError:
        return  # a file that cannot be opened or is locked: opening it next reports that
    if damage:
        raise UnusableDatabase(f"{file} {damage}. It was left as it is; to use a backup: relevance restore BACKUP")


def set_up_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    """Set up durable commits, checked foreign keys, and transactions that this module begins itself.

    A file of another program is refused before anything is written. Raises `UnusableDatabase`.
    """
    connection.isolation_level = None
    refuse_other_program(connection)
    journal = "WAL" if sqlite3.sqlite_version_info >= WAL_IS_SOUND else "PERSIST"
    for setting in (f"journal_mode={journal}", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {setting}")


def refuse_other_program(connection: sqlite3.Connection) -> None:
    """Refuse an SQLite database whose tables are not those of this project. Raises `UnusableDatabase`."""
    tables = table_names(connection)
    if tables and not tables >= OURS:
        file = connection.execute("PRAGMA database_list").fetchone()[2]
        raise UnusableDatabase(
            f"{file} is a database of another program: it has the table {quote_value(min(tables))}; "
            f"name another file in {URL_VARIABLE}"
        )


def table_names(connection: sqlite3.Connection) -> set[str]:
    """Return the names of an SQLite database's tables."""
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def keep_to_file(engine: Engine) -> None:
    """Make an engine follow the file at the path of an SQLite database, and never create one.

    A connection stays with the file that it opened, and with the permissions it had then. After a backup was moved over
    the database it would read what nobody else sees, and every write would fail; one opened while the file was
    read-only would never write. So a connection is replaced when the file or its permissions have changed. If the file
    is gone, connecting fails: an empty database would look as if all judgments had been lost.
    """
    file = sqlite_file(engine.url)
    if file is None:
        return

    def identity() -> tuple[int, int, int, bool]:
        try:
            status = file.stat()
        except OSError as error:
            raise sqlite3.OperationalError("unable to open database file") from error
        # One call reads all of the file's status, as it may be gone in the next moment; the folder holds the journal.
        return status.st_dev, status.st_ino, status.st_mode, os.access(file.parent, os.W_OK)

    def refuse_to_create(_dialect: Any, _record: Any, arguments: list[Any], options: dict[str, Any]) -> None:
        arguments[:1], options["uri"] = [f"{file.absolute().as_uri()}?mode=rw"], True

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
    """Take the write lock at once if the transaction is marked as one that will write.

    A transaction that reads first and writes later can find the lock taken and fails without waiting; one that begins
    as a writer waits its turn. The stores mark such transactions by `writing`.
    """
    immediate = connection.get_execution_options().get("writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def check_writable(engine: Engine) -> None:
    """Write to the database, and take it back. Raises `UnusableDatabase` where that fails."""
    try:
        with engine.execution_options(writing=True).connect() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = version_num"))
            connection.rollback()
    except DBAPIError as error:
        raise UnusableDatabase(
            f"the database cannot be written ({message(error.orig)}): let this account write it, or name another one "
            f"in {URL_VARIABLE}"
        ) from error


def upgrade(engine: Engine) -> None:
    """Bring the schema to this version by Alembic, if it is older.

    Raises `UnusableDatabase` if the schema is of a newer version.
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
    """Return the configuration with which Alembic finds the migrations."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    return config


def schema_versions() -> list[str]:
    """List the schema versions that this version of the app knows, from the first to its own."""
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(migrations()).walk_revisions()
    return [script.revision for script in scripts][::-1]


def schema_is_current(engine: Engine) -> bool:
    """Tell whether the database has the schema of this version."""
    with engine.connect() as connection:
        version = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return bool(version == schema_versions()[-1])


def now() -> datetime:
    """Return the present time, in UTC."""
    return datetime.now(UTC)
