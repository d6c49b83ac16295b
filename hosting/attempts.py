"""Limits of attempts to sign in and to open links, by account and by address, in the database for all workers."""

import hashlib
from collections.abc import Mapping
from datetime import timedelta

from sqlalchemy import delete, func, select

from relevance.data.database import now
from relevance.data.store.base import Store
from relevance.hosting.tables import AttemptRow

WINDOW = timedelta(minutes=15)
"""The time for which an attempt counts."""
ACCOUNT = 10
"""Attempts on one account from one address: few for a program that guesses, enough for somebody who forgot."""
EVERYWHERE = 100
"""Attempts on one account from all addresses, so that ten attempts of others do not lock its owner out."""
ADDRESS = 60
"""Attempts to sign in from one address, which a whole lab may share."""
LINKS = 600
"""Starts by a link from one address: a class that begins together. Links cannot be guessed, but each start writes."""

COUNTING = 0x636F756E
"""The number of the lock that is held while counting in PostgreSQL."""


class AttemptStore(Store):
    """Attempts over one engine; only the gate has it."""

    def allow(self, limits: Mapping[str, int]) -> bool:
        """Count an attempt under each key (its target and origin), and tell whether all are within their limits.

        A refused attempt counts, too. Keys are stored as their SHA-256, as they name accounts and addresses.
        """
        moment = now()
        allowed = True
        with self.writing() as session:
            if self.engine.dialect.name == "postgresql":  # workers count one after another, as in SQLite
                session.execute(select(func.pg_advisory_xact_lock(COUNTING)))
            session.execute(delete(AttemptRow).where(AttemptRow.made_at <= moment - WINDOW))
            for key, limit in limits.items():
                hashed = hashlib.sha256(key.encode(errors="replace")).hexdigest()
                made = session.scalar(select(func.count()).where(AttemptRow.key == hashed)) or 0
                allowed = allowed and made < limit
                if made < 2 * limit:  # a bound on rows, however often somebody tries
                    session.add(AttemptRow(key=hashed, made_at=moment))
        return allowed
