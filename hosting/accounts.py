"""Accounts of a hosted server: owners and researchers, their passwords, and their rights in studies of others."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from relevance.annotation.inputs import clean_text, person_name
from relevance.annotation.studies import find_study
from relevance.data.database import now
from relevance.data.rights import Right, visitor_of
from relevance.data.store import NotAllowed, StoreError
from relevance.data.store.base import Store, find_named, insert_named
from relevance.data.store.rows import to_record
from relevance.data.tables import UserRow
from relevance.hosting.tables import MembershipRow, SignInRow

if TYPE_CHECKING:
    from argon2 import PasswordHasher

ROLES = ("owner", "researcher")
SHORTEST = 12
LONGEST = 200
"""The most characters of a password: more than anybody types, but few enough to hash each as fast as any other."""
DIFFERENT = 5
"""The least number of different characters of a password besides the account's name."""


class UserExists(StoreError):
    """There is an account of that name or address."""


class UnknownUser(StoreError):
    """There is no account of that name."""


class LastOwner(StoreError):
    """The server would be left without an owner."""


@dataclass(frozen=True)
class User:
    """An account, as the owner's list shows it."""

    id: int
    name: str
    email: str | None
    role: str
    created_at: datetime
    seen_at: datetime | None
    disabled_at: datetime | None
    subject: str | None
    """The subject of the lab's provider that it is bound to."""


class Member(NamedTuple):
    """An account's right in a study that it does not own."""

    name: str
    right: Right


@cache
def hasher() -> PasswordHasher:
    """Return the hasher: Argon2id with 19 MiB, two passes, one lane, as in OWASP's Password Storage Cheat Sheet."""
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1)


@cache
def nobodys_hash() -> str:
    """Return the hash of a password that nobody knows, so that unknown accounts are refused as slowly as known ones."""
    return hasher().hash(secrets.token_urlsafe())


def hash_password(password: str, name: str) -> str:
    """Hash a password for an account of that name. Raises StoreError if it is too short, too long or too easy."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise StoreError(f"a password needs {SHORTEST} to {LONGEST} characters")
    if len(set(password.casefold().replace(name.casefold(), ""))) < DIFFERENT:
        raise StoreError("the password is too easy to guess; a few random words make a good one")
    return hasher().hash(as_bytes(password))


def password_is_right(password: str, stored: str | None) -> bool:
    """Tell whether a password matches a stored hash; it takes equally long without one."""
    from argon2.exceptions import VerificationError

    try:
        hasher().verify(stored or nobodys_hash(), as_bytes(password[: LONGEST + 1]))
    except VerificationError:
        return False
    return stored is not None


def as_bytes(password: str) -> bytes:
    """Return the bytes of a password to hash, in NFC: the same on every keyboard."""
    return normalize("NFC", password).encode(errors="surrogatepass")


def clean_address(email: str) -> str:
    """Return an email address as it is stored and looked up. Raises StoreError if it is not valid.

    Only ASCII letters are folded: other folding takes addresses of different people for the same.
    """
    email = email.strip()
    if not email.isprintable() or not 3 <= len(email) <= 320 or "@" not in email[1:-1] or " " in email:
        raise StoreError(f"{email!r} is not an email address")
    return email.lower() if email.isascii() else email


class AccountStore(Store):
    """Accounts and memberships over one engine. Only an owner, or the command line, changes accounts."""

    def users(self) -> list[User]:
        """List all accounts by name."""
        with self.reading() as session:
            check_owner(session)
            return [to_record(User, row) for row in session.scalars(select(UserRow).order_by(UserRow.name))]

    def user(self, name: str) -> User:
        """Return one account. Raises `UnknownUser`."""
        with self.reading() as session:
            check_owner(session)
            return to_record(User, find_user(session, name))

    def add_user(self, *, name: str, role: str, email: str | None = None, password: str | None = None) -> User:
        """Add an account, which signs in by its password or, with an email address, by the lab's provider.

        Raises `UserExists`, or StoreError for a bad name, role, address or password, or if there is no way to sign in.
        """
        name = person_name(name)
        email = clean_address(email) if email else None
        if role not in ROLES:
            raise StoreError(f"{role!r} is not a role; there are {' and '.join(ROLES)}")
        if password is None and email is None:
            raise StoreError("an account needs a password, or an email address that the lab's provider knows")
        hashed = None if password is None else hash_password(password, name)
        exists = UserExists(f"there is already an account {name!r}, or one of that address")
        with self.writing() as session:
            check_owner(session)
            row = UserRow(name=name, role=role, email=email, password=hashed)
            insert_named(session, row, exists)
            return to_record(User, row)

    def set_password(self, name: str, password: str) -> str:
        """Give an account a new password and end its sign-ins. Returns the password's hash.

        Raises `UnknownUser`, StoreError for a bad password.
        """
        hashed = hash_password(password, name)
        with self.writing(revoking=True) as session:
            row = find_user(session, name)
            if visitor_of(session).user_id != row.id:
                check_owner(session)
            row.password = hashed
            session.execute(delete(SignInRow).where(SignInRow.user_id == row.id))
        return hashed

    def disable(self, name: str, *, disabled: bool = True) -> None:
        """Close an account, which signs it out, or open it again. Raises `UnknownUser`, `LastOwner`."""
        with self.writing(revoking=True) as session:  # two owners who disable each other wait for each other
            check_owner(session)
            owners = select(UserRow.id).where(UserRow.role == "owner", UserRow.disabled_at.is_(None))
            left = set(session.scalars(owners))
            row = find_user(session, name)
            if disabled and left == {row.id}:
                raise LastOwner(f"{name!r} is the only owner; add another one first")
            row.disabled_at = now() if disabled else None
            if disabled:
                session.execute(delete(SignInRow).where(SignInRow.user_id == row.id))

    def sign_out(self, name: str) -> None:
        """Sign an account out everywhere. Raises `UnknownUser`."""
        with self.writing(revoking=True) as session:
            check_owner(session)
            session.execute(delete(SignInRow).where(SignInRow.user_id == find_user(session, name).id))

    def has_owner(self) -> bool:
        """Tell whether there is an owner, who can run the server."""
        with self.reading(annotators=True) as session:
            wanted = select(UserRow.id).where(UserRow.role == "owner", UserRow.disabled_at.is_(None))
            return session.scalar(wanted.limit(1)) is not None

    # --- signing in ---------------------------------------------------------------------------------------

    def password_of(self, name: str) -> tuple[int, str] | None:
        """Return the number and the stored hash of an open account with a password; None if there is none."""
        with self.reading() as session:
            check_owner(session)
            wanted = select(UserRow).where(UserRow.name == clean_name(name), UserRow.disabled_at.is_(None))
            row = session.scalar(wanted)
            return None if row is None or row.password is None else (row.id, row.password)

    def find_identity(self, issuer: str, subject: str, email: str) -> int | None:
        """Return the number of the account of a provider's `subject`; None if there is none.

        The first time an account is found by its email address, and is then bound to the subject: addresses are given
        to other people, subjects are not (OpenID Connect Core 1.0, section 5.7). Raises `NotAllowed` if the account of
        the address is bound to another subject.
        """
        if not f"{issuer}{subject}".isprintable() or len(issuer) > 500 or len(subject) > 255:  # it can send anything
            return None
        with self.writing() as session:
            check_owner(session)
            row = session.scalar(select(UserRow).where(UserRow.issuer == issuer, UserRow.subject == subject))
            if row is None:
                row = find_address(session, email)
                if row is None or row.disabled_at is not None:
                    return None
                if row.subject is not None:
                    raise NotAllowed("the account of that address is bound to another subject of the provider")
                row.issuer, row.subject = issuer, subject
            return row.id if row.disabled_at is None else None

    def unbind(self, name: str) -> None:
        """Forget which subject of the provider an account is bound to; its address binds it anew.

        Raises `UnknownUser`.
        """
        with self.writing(revoking=True) as session:
            check_owner(session)
            row = find_user(session, name)
            row.issuer = row.subject = None
            session.execute(delete(SignInRow).where(SignInRow.user_id == row.id))

    # --- members of a study -------------------------------------------------------------------------------

    def members(self, study: str) -> list[Member]:
        """List the accounts with rights in a study given by its owner. Raises `UnknownStudy`, `NotAllowed`."""
        with self.reading() as session:
            row = find_study(session, study, Right.MANAGE)
            rows = session.execute(
                select(UserRow.name, MembershipRow.right)
                .join(UserRow, UserRow.id == MembershipRow.user_id)
                .where(MembershipRow.study_id == row.id)
                .order_by(UserRow.name)
            )
            return [Member(name, Right(right)) for name, right in rows]

    def owner_of(self, study: str) -> str | None:
        """Return the account that made a study; None if nobody owns it. Raises `UnknownStudy`, `NotAllowed`."""
        with self.reading() as session:
            row = find_study(session, study, Right.MANAGE)
            return session.scalar(select(UserRow.name).where(UserRow.id == row.owner_id))

    def grant(self, study: str, user: str, right: Right | None) -> None:
        """Give an account a right in a study, or take it away (None).

        Raises `UnknownStudy`, `NotAllowed`, `UnknownUser`, StoreError for a right that only annotators have and for the
        study's owner.
        """
        if right is not None and right < Right.READ:
            raise StoreError("members of a study can read, adjudicate or manage it")
        with self.writing(revoking=True) as session:
            row, member = find_study(session, study, Right.MANAGE), find_user(session, user)
            if right is not None and member.id == row.owner_id:
                raise StoreError(f"{member.name!r} owns the study, and has all rights in it")
            session.execute(
                delete(MembershipRow).where(MembershipRow.study_id == row.id, MembershipRow.user_id == member.id)
            )
            if right is not None:
                session.add(MembershipRow(study_id=row.id, user_id=member.id, right=int(right)))


def clean_name(name: str) -> str:
    """Return the typed name of an account in the form in which names are stored."""
    return normalize("NFC", clean_text(name))


def find_address(session: Session, email: str) -> UserRow | None:
    """Find and lock the account of an email address; None if there is none, or it is not an address."""
    try:
        address = clean_address(email)
    except StoreError:  # a provider can send anything
        return None
    return session.scalar(select(UserRow).where(UserRow.email == address).with_for_update())


def account_key(name: str) -> str:
    """Return the key under which attempts on an account are counted: one for all spellings that find the account."""
    return f"account:{clean_name(name).casefold()}"


def check_owner(session: Session) -> None:
    """Refuse everybody but an owner of the server. Raises `NotAllowed`."""
    if not visitor_of(session).everything:
        raise NotAllowed("only an owner of the server can do that")


def find_user(session: Session, name: str) -> UserRow:
    """Find the row of an account. Raises `UnknownUser`, which names other accounts to an owner only."""
    name, everything = clean_name(name), visitor_of(session).everything
    if not everything and session.scalar(select(UserRow.id).where(UserRow.name == name)) is None:
        raise UnknownUser(f"there is no account {name!r}")
    return find_named(session, UserRow, name, what="account", unknown=UnknownUser)
