"""The base of all stores: sessions over one engine, rows found by name, and the database's failures in plain words."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar
from unicodedata import bidirectional, category

from sqlalchemy import Engine, func, select
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlalchemy.orm import Session

from relevance.data.database import UnusableDatabase
from relevance.data.rights import LOCAL, Actor, Visitor, visitor_of
from relevance.data.tables import DatasetRow, NamedRow

REVOKING = 0x7265766F
"""PostgreSQL's number of the lock that is held while rights are taken away."""

BATCH = 500
"""Rows per statement, fewer than every server's limit of bound parameters."""


class StoreError(ValueError):
    """A store refuses a call; the message says what to do."""


class NotSignedIn(StoreError):
    """The caller's sign-in has ended, or there never was one."""


class NotAllowed(StoreError):
    """The caller may not do that."""


class DatabaseFailed(StoreError):
    """The database failed; the message says why, `__cause__` is the driver's error."""

    def __init__(self, error: Exception, *, stored: bool | None = False) -> None:
        super().__init__(f"the database cannot be used: {failure_in_words(error)}")
        self.stored = stored
        """False if nothing was stored; None if that is unknown, as a commit was under way."""
        self.for_annotators = (
            f"the database cannot be used: {OTHER}" if isinstance(error, UnusableDatabase) else str(self)
        )
        """The same message for people who only judge, without paths and settings of the server."""


FAILURES = {
    "locked": "another program has been writing to it for more than 30 seconds",
    "readonly": "it may only be read",
    "is full": "its disk is full",
    "unable to open": "its file is not in its place, or may not be opened",
    "disk i/o": "its disk cannot be read or written",
    "not a database": "its file is damaged, or is not a database",
    "malformed": "its file is damaged",
    "no such table": "its tables are not those of this version; restart the app to bring them up to date",
    "no such column": "its tables are not those of this version; restart the app to bring them up to date",
    "does not exist": "its tables are not those of this version; restart the app to bring them up to date",
    "connection": "its server does not answer",
    "queuepool limit": "too many people are using it at this moment",
    "server": "its server does not answer",
}
"""Parts of drivers' messages, in lower case, with their meaning."""

OTHER = "it is not the one of this study; please tell whoever runs it"


def failure_in_words(error: Exception) -> str:
    """Return why the database failed, in a few words; for unknown errors the first line of the driver's message."""
    if isinstance(error, UnusableDatabase):
        return str(error)
    message = str(getattr(error, "orig", None) or error).strip() or type(error).__name__
    return next((words for key, words in FAILURES.items() if key in message.lower()), message.splitlines()[0])


class Store:
    """The base of all stores: short sessions over one engine, on behalf of an actor."""

    def __init__(self, engine: Engine, actor: Actor = LOCAL) -> None:
        self.engine = engine
        self.actor = actor
        self.writer = engine.execution_options(writing=True)

    def check(self) -> None:
        """Run a trivial query. Raises `DatabaseFailed` if it fails."""
        with self.reading(annotators=True) as session:
            session.scalar(select(DatasetRow.id).limit(1))

    @contextmanager
    def reading(self, *, annotators: bool = False) -> Iterator[Session]:
        """Open a session that only reads; annotators are refused unless `annotators`.

        Raises `NotSignedIn`, `NotAllowed`, `DatabaseFailed`.
        """
        try:
            with Session(self.engine) as session:
                self.admit(session, annotators=annotators)
                yield session
        except IntegrityError:
            raise
        except (DBAPIError, NoConnectionFree, UnusableDatabase) as error:
            raise self.failed(error) from error

    @contextmanager
    def writing(self, *, annotators: bool = False, revoking: bool = False) -> Iterator[Session]:
        """Open a session whose changes are committed, and on disk, when the block ends without an error.

        Annotators are refused unless `annotators`. `revoking` is for calls that take rights away: each waits for the
        calls that depend on such a right, and two that depend on each other's would wait forever, so they run one after
        the other. Raises `NotSignedIn`, `NotAllowed`, and `DatabaseFailed` if the database fails: nothing was stored,
        unless the error says that this is unknown.
        """
        committing = False
        try:
            with Session(self.writer) as session:
                session.begin()
                session.info["writing"] = True
                if revoking and self.engine.dialect.name == "postgresql":  # SQLite has one writer anyway
                    session.execute(select(func.pg_advisory_xact_lock(REVOKING)))
                self.admit(session, annotators=annotators)
                yield session
                session.flush()
                committing = True
                session.commit()
        except IntegrityError:
            raise
        except (DBAPIError, NoConnectionFree, UnusableDatabase) as error:
            raise self.failed(error, stored=None if committing else False) from error

    def visitor(self) -> Visitor:
        """Return the caller. Raises `NotSignedIn`, `DatabaseFailed`."""
        with self.reading(annotators=True) as session:
            return visitor_of(session)

    def admit(self, session: Session, *, annotators: bool) -> None:
        """Look up the caller in the call's own transaction, and keep them with the session (`visitor_of`).

        Raises `NotSignedIn`, `NotAllowed`.
        """
        visitor = self.actor.admit(session)
        if visitor.is_annotator and not annotators:
            raise NotAllowed("this is not part of your task")
        session.info["visitor"] = visitor

    def failed(self, error: Exception, *, stored: bool | None = False) -> DatabaseFailed:
        """Make the error to raise for one of the database; connections that may be broken are not used again."""
        self.engine.dispose()
        return DatabaseFailed(error, stored=stored)


Row = TypeVar("Row", bound=NamedRow)


def find_named(
    session: Session,
    table: type[Row],
    name: str,
    *,
    what: str,
    unknown: type[StoreError],
    lock: bool = False,
    visible: Callable[[Row], bool] = lambda row: True,
) -> Row:
    """Find the row of a name; `lock` locks it while rows that belong to it change.

    Raises `unknown`, listing the known names, if there is no such row or it is not `visible`.
    """
    wanted = select(table).where(table.name == name)
    row = session.scalar(wanted.with_for_update(key_share=True) if lock else wanted)
    if row is None or not visible(row):
        known = [row.name for row in session.scalars(select(table).order_by(table.name)) if visible(row)]
        raise unknown(f"there is no {what} {name!r}; there are {', '.join(known) or 'none'}")
    return row


def has_named(session: Session, table: type[NamedRow], name: str) -> bool:
    """Tell whether there is a row of this name."""
    return session.scalar(select(table.id).where(table.name == name)) is not None


def insert_named(session: Session, row: NamedRow, exists: StoreError) -> None:
    """Insert a row at once. Raises `exists` if another session has just inserted one of its name."""
    session.add(row)
    try:
        session.flush()
    except IntegrityError as error:
        raise exists from error


def batches(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split keys into parts that fit into one statement."""
    return (keys[start : start + BATCH] for start in range(0, len(keys), BATCH))


def checked_name(name: str, what: str = "a name") -> str:
    """Check that a name can be listed and typed on a command line; return it without outer spaces.

    `what` names it in the error. Raises `StoreError`.
    """
    name = name.strip(" ")
    # Letters may need invisible joiners, but no name needs control characters, line ends, surrogates, or marks that
    # change the direction of text.
    unwanted = {"Cc", "Cs", "Zl", "Zp"} | {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    if not 1 <= len(name) <= 200 or any({category(letter), bidirectional(letter)} & unwanted for letter in name):
        raise StoreError(f"{what} needs 1 to 200 printable characters")
    return name
