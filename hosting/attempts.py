"""Limits of attempts to sign in and to open links, by account and by address, in the database for all workers."""

import hashlib
from collections.abc import Mapping
from datetime import timedelta

from sqlalchemy import delete, func, select

from data.database import now
from data.store.base import Store
from hosting.tables import AttemptRow

WINDOW = timedelta(minutes=15)
"""How long an attempt counts."""
ACCOUNT = 10
"""Attempts on one account from one address: slow for a program that guesses, no wall for somebody who forgot."""
EVERYWHERE = 100
"""Attempts on one account from all addresses, so that nobody else's ten keep its owner out."""
ADDRESS = 60
"""Attempts to sign in from one address, behind which a whole lab may sit."""
LINKS = 600
"""Starts by a link from one address: a class that begins together. Links cannot be guessed, but each start writes."""

COUNTING = 0x636F756E
"""PostgreSQL's number of the lock that whoever counts holds."""


class AttemptStore(Store):
    """Attempts over one engine; only the gate has it."""

    def allow(self, limits: Mapping[str, int]) -> bool:
        """Count an attempt under each key (what is tried, and by whom) and say whether all are within their limits.

        An attempt that is refused counts, too. Keys are kept as their SHA-256: they name accounts and addresses.
        """
        moment = now()
        allowed = True
        with self.writing() as session:
            if self.engine.dialect.name == "postgresql":  # two workers count one after the other, as SQLite's do
                session.execute(select(func.pg_advisory_xact_lock(COUNTING)))
            session.execute(delete(AttemptRow).where(AttemptRow.made_at <= moment - WINDOW))
            for key, limit in limits.items():
                hashed = hashlib.sha256(key.encode(errors="replace")).hexdigest()
                made = session.scalar(select(func.count()).where(AttemptRow.key == hashed)) or 0
                allowed = allowed and made < limit
                if made < 2 * limit:  # no more rows than that, however often somebody tries
                    session.add(AttemptRow(key=hashed, made_at=moment))
        return allowed
