"""Tables of sign-ins, addresses, memberships, links and counted attempts. Accounts are in `relevance.data.tables`."""

from datetime import datetime

from sqlalchemy import JSON, CheckConstraint, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from relevance.annotation.tables import AnnotatorRow, StudyRow
from relevance.data.database import Base, Utc, now
from relevance.data.tables import UserRow


class SignInRow(Base):
    """A signed-in browser of an account or an annotator; `digest` is the SHA-256 of its cookie's token."""

    __tablename__ = "sign_ins"
    __table_args__ = (CheckConstraint("(user_id IS NULL) <> (annotator_id IS NULL)", name="one_person"),)

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"), index=True)
    annotator_id: Mapped[int | None] = mapped_column(ForeignKey("annotators.id"), index=True)
    created_at: Mapped[datetime] = mapped_column(Utc, default=now)
    seen_at: Mapped[datetime] = mapped_column(Utc, default=now)
    expires_at: Mapped[datetime] = mapped_column(Utc)
    user: Mapped[UserRow | None] = relationship()
    annotator: Mapped[AnnotatorRow | None] = relationship()


class KnownAddressRow(Base):
    """An address from which an account has signed in; `digest` is the SHA-256 of both."""

    __tablename__ = "known_addresses"

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    seen_at: Mapped[datetime] = mapped_column(Utc, default=now)


class MembershipRow(Base):
    """An account's right in a study that it does not own: a `relevance.data.rights.Right`."""

    __tablename__ = "memberships"

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True, index=True)
    right: Mapped[int]
    study: Mapped[StudyRow] = relationship()
    user: Mapped[UserRow] = relationship()


class LinkRow(Base):
    """A link by which many people enter a study, each as an annotator of their own.

    With a `panel` link the panel names each person in the address, so that they can come back.
    """

    __tablename__ = "links"

    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), index=True)
    kind: Mapped[str] = mapped_column(String(20))
    token: Mapped[str] = mapped_column(String(64), unique=True)
    places: Mapped[int | None]
    taken: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime] = mapped_column(Utc, default=now)
    ends_at: Mapped[datetime | None] = mapped_column(Utc)
    revoked_at: Mapped[datetime | None] = mapped_column(Utc)
    study: Mapped[StudyRow] = relationship()


class EntryRow(Base):
    """A person's entry by a panel's link: their annotator, and the panel's name of them, which is stored nowhere else.

    `panel_ids` are the address's parameters by name, such as Prolific's three.
    """

    __tablename__ = "entries"

    link_id: Mapped[int] = mapped_column(ForeignKey("links.id"), primary_key=True)
    person: Mapped[str] = mapped_column(String(200), primary_key=True)
    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotators.id"), index=True)
    panel_ids: Mapped[dict[str, str] | None] = mapped_column(JSON(none_as_null=True))
    annotator: Mapped[AnnotatorRow] = relationship()


class AttemptRow(Base):
    """A counted attempt to sign in or open a link, by its target and origin (`key`), for all workers."""

    __tablename__ = "attempts"

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(100), index=True)
    made_at: Mapped[datetime] = mapped_column(Utc, default=now, index=True)
