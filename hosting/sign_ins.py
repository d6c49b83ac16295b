"""Sign-ins: each browser has a random token whose stored SHA-256 is looked up for every call."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Row, bindparam, delete, func, or_, select, update
from sqlalchemy.orm import Session

from relevance.annotation.phases import WITHDRAWN
from relevance.annotation.tables import AnnotatorRow
from relevance.data.database import now
from relevance.data.rights import Actor, Right, Visitor, lock_for_writing
from relevance.data.store import NotSignedIn
from relevance.data.store.base import Store
from relevance.data.tables import UserRow
from relevance.hosting.tables import KnownAddressRow, MembershipRow, SignInRow

USERS = timedelta(days=7)
"""The longest time that an account stays signed in."""
IDLE = timedelta(hours=12)
"""The longest time that an account stays signed in without doing anything."""
ANNOTATORS = timedelta(days=30)
"""The longest time that an annotator stays signed in; whoever came by an open link has no other way back."""
KNOWN = timedelta(days=90)
"""The time for which an address is known from which an account has signed in."""
TOUCH = timedelta(minutes=1)
"""The time between updates of the last sign of life."""


def digest_of(token: str) -> str:
    """Return the hash of a token that is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def digest_of_address(user_id: int, address: str) -> str:
    """Return the hash of an account's address that is stored."""
    return digest_of(f"{user_id} {address}")


# Each click on a page needs these: building a query takes longer than running it.
LIVE = (
    select(SignInRow.seen_at, UserRow.id, UserRow.name, UserRow.role, AnnotatorRow.id, AnnotatorRow.study_id)
    .outerjoin(UserRow, UserRow.id == SignInRow.user_id)
    .outerjoin(AnnotatorRow, AnnotatorRow.id == SignInRow.annotator_id)
    .where(
        SignInRow.expires_at > bindparam("moment"),
        or_(SignInRow.user_id.is_(None), SignInRow.seen_at > bindparam("idle_since")),
        UserRow.disabled_at.is_(None),
        or_(AnnotatorRow.excluded_at.is_(None), AnnotatorRow.phase == WITHDRAWN),  # see is_kept_out
        AnnotatorRow.erased_at.is_(None),
    )
)
"""The valid sign-ins, each with its account or annotator."""
OWN = LIVE.where(SignInRow.digest == bindparam("digest"))
"""The one of them that has a digest."""


def live_now(**values: str) -> dict[str, object]:
    """Return the parameters by which `LIVE` holds at this moment, beside others."""
    moment = now()
    return {"moment": moment, "idle_since": moment - IDLE, **values}


@dataclass(frozen=True)
class SignedIn(Actor):
    """The account or annotator whose sign-in has that digest, while it is valid."""

    digest: str

    def admit(self, session: Session) -> Visitor:
        """Look up the account or the annotator. Raises `NotSignedIn` if the sign-in has ended."""
        own = lock_for_writing(session, OWN, of=SignInRow)
        row: Row[datetime, int, str, str, int, int] | None = session.execute(own, live_now(digest=self.digest)).first()
        if row is None:
            raise NotSignedIn("you are not signed in any more; sign in again, or open your link again")
        _, user_id, name, role, annotator_id, study_id = row
        if user_id is None:
            return Visitor(annotator_id=annotator_id, rights={study_id: Right.JUDGE})
        member = select(MembershipRow.study_id, MembershipRow.right).where(MembershipRow.user_id == user_id)
        rights = session.execute(lock_for_writing(session, member, of=MembershipRow)).all()
        return Visitor(
            everything=role == "owner",
            user_id=user_id,
            name=name,
            rights={study: Right(right) for study, right in rights},
        )


class SignInStore(Store):
    """Sign-ins over one engine; only the gate uses it."""

    def sign_in(
        self,
        *,
        user_id: int | None = None,
        annotator_id: int | None = None,
        verified: str | None = None,
        address: str | None = None,
    ) -> str:
        """Sign a browser in, for an account or an annotator; returns the new token, which is stored nowhere.

        `verified` is the hash against which a password was checked. Raises `NotSignedIn` if the account has another one
        by now: who changes a password can rely on the old one opening nothing. `address` is where an account signs in
        from, which `knows_address` then knows.
        """
        token = secrets.token_urlsafe(32)
        lasts = USERS if user_id is not None else ANNOTATORS
        with self.writing() as session:
            session.execute(delete(SignInRow).where(SignInRow.expires_at <= now()))
            if user_id is not None:
                seen = update(UserRow).where(UserRow.id == user_id).values(seen_at=now())  # held until the end
                if verified not in {None, session.scalar(seen.returning(UserRow.password))}:
                    raise NotSignedIn("the password was changed at this moment")
                if address is not None:
                    session.execute(delete(KnownAddressRow).where(KnownAddressRow.seen_at <= now() - KNOWN))
                    session.merge(
                        KnownAddressRow(user_id=user_id, digest=digest_of_address(user_id, address), seen_at=now())
                    )
            session.add(
                SignInRow(digest=digest_of(token), user_id=user_id, annotator_id=annotator_id, expires_at=now() + lasts)
            )
        return token

    def knows_address(self, user_id: int, address: str) -> bool:
        """Tell whether an account has signed in from an address in the last `KNOWN`."""
        with self.reading() as session:
            row = session.get(KnownAddressRow, (user_id, digest_of_address(user_id, address)))
            return row is not None and row.seen_at > now() - KNOWN

    def is_live(self, digest: str) -> bool:
        """Tell whether a sign-in is valid, and now and then record the sign of life."""
        with self.reading() as session:
            row = session.execute(OWN, live_now(digest=digest)).first()
        if row is None:
            return False
        if row[0] < now() - TOUCH:
            with self.writing() as session:  # the account first, as where a password is changed
                session.execute(update(UserRow).where(UserRow.id == row[1]).values(seen_at=now()))
                session.execute(update(SignInRow).where(SignInRow.digest == digest).values(seen_at=now()))
        return True

    def sign_out(self, digest: str, *, everywhere: bool = False) -> None:
        """End a sign-in or, with `everywhere`, all of the same account or annotator."""
        with self.writing() as session:
            row = session.get(SignInRow, digest)
            if row is None:
                return
            same = (SignInRow.user_id == row.user_id) if row.user_id else (SignInRow.annotator_id == row.annotator_id)
            session.execute(delete(SignInRow).where(same if everywhere else SignInRow.digest == digest))

    def count(self) -> int:
        """Count the valid sign-ins."""
        with self.reading() as session:
            return session.scalar(select(func.count()).select_from(LIVE.subquery()), live_now()) or 0
