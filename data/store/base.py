"""What every store is made of: sessions over one engine, rows found by name, and failures of the database in words."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar
from unicodedata import bidirectional, category

from sqlalchemy import Engine, func, select
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlalchemy.orm import Session

from data.access import LOCAL, Actor, Visitor, visitor_of
from data.database import UnusableDatabase
from data.tables import DatasetRow, NamedRow

REVOKING = 0x7265766F
"""PostgreSQL's number of the lock that whoever takes rights away holds."""

BATCH = 500
"""Rows per statement: under every server's limit of bound parameters."""


class StoreError(ValueError):
    """A refusal by a store; the message says what to do."""


class NotSignedIn(StoreError):
    """The caller's sign-in has ended, or there never was one."""


class NotAllowed(StoreError):
    """The caller may not do that."""


class DatabaseFailed(StoreError):
    """The database failed; the message says why, `__cause__` is the driver's error."""

    def __init__(self, error: Exception, *, stored: bool | None = False) -> None:
        super().__init__(f"the database cannot be used: {failure_in_words(error)}")
        self.stored = stored
        """False: nothing of what was to be stored is; None: that is not known, as a commit was under way."""
        self.for_annotators = (
            f"the database cannot be used: {OTHER}" if isinstance(error, UnusableDatabase) else str(self)
        )
        """The same for those who only judge, whom paths and settings of the server do not concern."""


FAILURES = {
    "locked": "another program has been writing to it for more than 30 seconds",
    "readonly": "it may only be read",
    "is full": "its disk is full",
    "unable to open": "its file is not in its place, or may not be opened",
    "disk i/o": "its disk cannot be read or written",
    "not a database": "its file is damaged, or is no database",
    "malformed": "its file is damaged",
    "no such table": "its tables are not those of this version; restart the app to bring them up to date",
    "no such column": "its tables are not those of this version; restart the app to bring them up to date",
    "does not exist": "its tables are not those of this version; restart the app to bring them up to date",
    "connection": "its server does not answer",
    "queuepool limit": "too many people are using it at this moment",
    "server": "its server does not answer",
}
"""What drivers say, in lower case, and what it means."""

OTHER = "it is not the one of this study; please tell whoever runs it"


def failure_in_words(error: Exception) -> str:
    """Why the database failed, in a few words; the first line of what its driver says where that is not known."""
    if isinstance(error, UnusableDatabase):
        return str(error)
    said = str(getattr(error, "orig", None) or error).strip() or type(error).__name__
    return next((words for key, words in FAILURES.items() if key in said.lower()), said.splitlines()[0])


class Store:
    """The base of all stores: short sessions over one engine, on behalf of an actor."""

    def __init__(self, engine: Engine, actor: Actor = LOCAL) -> None:
        self.engine = engine
        self.actor = actor
        self.writer = engine.execution_options(writing=True)

    def check(self) -> None:
        """Run a trivial query. Raises `DatabaseFailed` where it does not answer."""
        with self.reading(annotators=True) as session:
            session.scalar(select(DatasetRow.id).limit(1))

    @contextmanager
    def reading(self, *, annotators: bool = False) -> Iterator[Session]:
        """A session that only reads; `annotators` are refused unless it is for them, too.

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
        """A session whose changes are committed, and on disk, when the block ends without an error.

        Annotators are refused unless it is for them, too. `revoking` is for calls that take rights away: each waits
        for the calls that rest on such a right, and two that rest on each other's would wait for ever, so that one
        comes after the other. Raises `NotSignedIn`, `NotAllowed`, and `DatabaseFailed` where the database fails:
        nothing was stored, unless the error says that nobody knows.
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
        """Who calls. Raises `NotSignedIn`, `DatabaseFailed`."""
        with self.reading(annotators=True) as session:
            return visitor_of(session)

    def admit(self, session: Session, *, annotators: bool) -> None:
        """Look up who calls, in the call's own transaction, and keep it with the session (`visitor_of`)."""
        visitor = self.actor.admit(session)
        if visitor.is_annotator and not annotators:
            raise NotAllowed("this is not part of your task")
        session.info["visitor"] = visitor

    def failed(self, error: Exception, *, stored: bool | None = False) -> DatabaseFailed:
        """What to raise for an error of the database; connections that may be broken are not used again."""
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
    """The row of that name, with `lock` while what belongs to it changes.

    Raises `unknown`, saying which there are, where there is none or it is not `visible`.
    """
    wanted = select(table).where(table.name == name)
    row = session.scalar(wanted.with_for_update(key_share=True) if lock else wanted)
    if row is None or not visible(row):
        known = [row.name for row in session.scalars(select(table).order_by(table.name)) if visible(row)]
        raise unknown(f"there is no {what} {name!r}; there are {', '.join(known) or 'none'}")
    return row


def has_named(session: Session, table: type[NamedRow], name: str) -> bool:
    """Whether there is a row of that name."""
    return session.scalar(select(table.id).where(table.name == name)) is not None


def insert_named(session: Session, row: NamedRow, exists: StoreError) -> None:
    """Insert a row at once. Raises `exists` where another session has inserted one of its name at this moment."""
    session.add(row)
    try:
        session.flush()
    except IntegrityError as error:
        raise exists from error


def batches(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    """Keys in parts that one statement can name."""
    return (keys[start : start + BATCH] for start in range(0, len(keys), BATCH))


def checked_name(name: str, what: str = "a name") -> str:
    """A name, of `what` it is one, that can stand in a list and on a command line. Raises `StoreError`."""
    name = name.strip(" ")
    # Letters may need invisible joiners, but no name needs control characters, line ends, half characters, or what
    # turns the direction of the text around it.
    unwanted = {"Cc", "Cs", "Zl", "Zp"} | {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    if not 1 <= len(name) <= 200 or any({category(letter), bidirectional(letter)} & unwanted for letter in name):
        raise StoreError(f"{what} needs 1 to 200 printable characters")
    return name
