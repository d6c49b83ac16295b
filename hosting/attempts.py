"""Limits of attempts to sign in and to open links, by account and by address, in the database for all workers."""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from relevance.data.database import now
from relevance.data.store.base import Store
from relevance.hosting.tables import AttemptRow

WINDOW = timedelta(minutes=15)
"""The time for which an attempt counts."""
ACCOUNT = 10
"""Attempts on one account from one address: few for a program that guesses, enough for somebody who forgot."""
EVERYWHERE = 100
"""Attempts on one account from all addresses together that it has not signed in from."""
ADDRESS = 60
"""Attempts to sign in from one address, which a whole lab may share."""
LINKS = 600
"""Starts by a link from one address: a class that begins together. Links cannot be guessed, but each start writes."""

COUNTING = 0x636F756E
"""The number of the lock that is held while counting in PostgreSQL."""


class AttemptStore(Store):
    """Attempts over one engine; only the gate and the command line have it."""

    def allow(self, limits: Mapping[str, int]) -> bool:
        """Count an attempt under each key (its target and origin), unless one of them has reached its limit.

        A refused attempt is not counted and writes nothing, so that there are never more rows than the limits allow.
        Keys are stored as their SHA-256, as they name accounts and addresses.
        """
        hashed = {hash_key(key): limit for key, limit in limits.items()}
        with self.reading() as session:  # refused attempts do not wait for the database's writers
            if not all(is_within(session, hashed)):
                return False
        with self.writing() as session:
            if self.engine.dialect.name == "postgresql":  # workers count one after another, as in SQLite
                session.execute(select(func.pg_advisory_xact_lock(COUNTING)))
            moment = now()
            session.execute(delete(AttemptRow).where(AttemptRow.made_at <= moment - WINDOW))
            if not all(is_within(session, hashed)):
                return False
            session.add_all(AttemptRow(key=key, made_at=moment) for key in hashed)
        return True

    def forget(self, key: str) -> None:
        """Forget the attempts under a key, so that its limit is not reached any more."""
        with self.writing() as session:
            session.execute(delete(AttemptRow).where(AttemptRow.key == hash_key(key)))


def hash_key(key: str) -> str:
    """Return the SHA-256 of a key."""
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()


def is_within(session: Session, limits: Mapping[str, int]) -> Iterable[bool]:
    """Tell of each hashed key whether fewer attempts than its limit count at this moment."""
    since = now() - WINDOW
    for key, limit in limits.items():
        made = select(func.count()).where(AttemptRow.key == key, AttemptRow.made_at > since)
        yield (session.scalar(made) or 0) < limit
