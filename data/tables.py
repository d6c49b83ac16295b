"""Tables of documents, summaries and scores."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, String, Text, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from relevance.data.database import Base, Utc, now


class NamedRow(Base):
    """A row that users identify by its name."""

    __abstract__ = True

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)


class UserRow(NamedRow):
    """An account of a hosted server; `role` is `owner` or `researcher`.

    Without a `password` (an Argon2 hash) the account can sign in only through the lab's provider: the first time by its
    `email`, from then on as the `subject` of the `issuer` that came then.
    """

    __tablename__ = "users"
    __table_args__ = (Index("ix_users_identity", "issuer", "subject", unique=True),)

    email: Mapped[str | None] = mapped_column(String(320), unique=True)
    issuer: Mapped[str | None] = mapped_column(String(500))
    subject: Mapped[str | None] = mapped_column(String(255))
    password: Mapped[str | None] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(20))
    created_at: Mapped[datetime] = mapped_column(Utc, default=now)
    seen_at: Mapped[datetime | None] = mapped_column(Utc)
    disabled_at: Mapped[datetime | None] = mapped_column(Utc)


class DatasetRow(NamedRow):
    """An imported file; `aspects` are those of its human ratings. On a hosted server it belongs to an account.

    `annotated` are the aspects of which the ratings of each person are known, if any.
    `cleaned` is the version of the rules (`relevance.data.cleaning`) by which its texts lost marks of other programs,
    `columns` how the columns of its table were read, as a file of such a mapping (`relevance.data.importers.mapping`).
    `trained` has the history of each system that was trained here (`relevance.data.training_history`); only what asks
    for it reads it.
    """

    __tablename__ = "datasets"

    owner_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))

    format: Mapped[str] = mapped_column(String(40))
    sha256: Mapped[str] = mapped_column(String(64))
    aspects: Mapped[list[str]] = mapped_column(JSON, default=list)
    annotated: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    cleaned: Mapped[str | None] = mapped_column(String(20))
    columns: Mapped[str | None] = mapped_column(Text)
    trained: Mapped[dict[str, list[dict[str, Any]]] | None] = mapped_column(JSON(none_as_null=True), deferred=True)
    imported_at: Mapped[datetime] = mapped_column(Utc, default=now)
    archived_at: Mapped[datetime | None] = mapped_column(Utc)


class DocumentRow(Base):
    """A document in the order of its file; `source` is a text or a list of sentences, as imported."""

    __tablename__ = "documents"
    __table_args__ = (UniqueConstraint("dataset_id", "key"), UniqueConstraint("dataset_id", "position"))

    id: Mapped[int] = mapped_column(primary_key=True)
    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id"))
    position: Mapped[int]
    key: Mapped[str] = mapped_column(String(200))
    title: Mapped[str | None] = mapped_column(Text)
    source: Mapped[Any] = mapped_column(JSON)
    reference_texts: Mapped[list[str]] = mapped_column(JSON)
    questions: Mapped[list[list[str]] | None] = mapped_column(JSON(none_as_null=True))
    summaries: Mapped[list[SummaryRow]] = relationship(back_populates="document", order_by="SummaryRow.id")


class SummaryRow(Base):
    """A candidate summary. `example` is the hash of everything that a metric may read to score it.

    `human` are its ratings by aspect, `annotators` the ratings of each person, if they are known.
    """

    __tablename__ = "summaries"
    __table_args__ = (UniqueConstraint("document_id", "system"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id"))
    system: Mapped[str] = mapped_column(String(200))
    text: Mapped[str] = mapped_column(Text)
    human: Mapped[dict[str, float]] = mapped_column(JSON)
    annotators: Mapped[dict[str, dict[str, float]] | None] = mapped_column(JSON(none_as_null=True))
    signature: Mapped[str | None] = mapped_column(Text)
    remarks: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    example: Mapped[str] = mapped_column(String(64), index=True)
    document: Mapped[DocumentRow] = relationship(back_populates="summaries")


class VersionRow(Base):
    """A token that changes with every change of `what`: `texts` or `scores`."""

    __tablename__ = "versions"

    what: Mapped[str] = mapped_column(String(20), primary_key=True)
    token: Mapped[str] = mapped_column(String(32))


class SignatureRow(Base):
    """A metric with all its settings; scores of different signatures never mix."""

    __tablename__ = "signatures"

    id: Mapped[int] = mapped_column(primary_key=True)
    metric: Mapped[str] = mapped_column(String(100))
    text: Mapped[str] = mapped_column(String(1000), unique=True)


class ScoreRow(Base):
    """A value or the reason why it is missing, once per signature and scored texts."""

    __tablename__ = "scores"
    __table_args__ = (CheckConstraint("(value IS NULL) <> (missing IS NULL)", name="value_or_reason"),)

    signature_id: Mapped[int] = mapped_column(ForeignKey("signatures.id"), primary_key=True)
    example: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[float | None]
    missing: Mapped[str | None] = mapped_column(Text)
    truncated: Mapped[bool] = mapped_column(default=False, server_default=false())


class BoundRow(Base):
    """The result of an oracle for a document: positions of its sentences in the source, and the reference of its F1."""

    __tablename__ = "bounds"
    __table_args__ = (UniqueConstraint("document_id", "signature"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id"))
    signature: Mapped[str] = mapped_column(String(1000))
    f1: Mapped[float]
    sentences: Mapped[list[int]] = mapped_column(JSON)
    reference: Mapped[int]
    bound: Mapped[float | None]
    seconds: Mapped[float]


class StarRow(Base):
    """A starred example, two systems in sorted order, and its note; it goes with its document."""

    __tablename__ = "stars"
    __table_args__ = (UniqueConstraint("document_id", "first", "second"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    first: Mapped[str] = mapped_column(String(200))
    second: Mapped[str] = mapped_column(String(200))
    note: Mapped[str] = mapped_column(Text)


class RunRow(Base):
    """A run that scores a data set, or adds systems to it, in its own process; `heartbeat` is updated while it lives.

    A run that scores has `metrics`, one that adds systems has `systems`; `notes` is a report of its work. On a hosted
    server `user_id` is the account that started it.
    """

    __tablename__ = "runs"

    id: Mapped[int] = mapped_column(primary_key=True)
    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id"))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    metrics: Mapped[list[str]] = mapped_column(JSON)
    systems: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    notes: Mapped[list[str] | None] = mapped_column("said", JSON(none_as_null=True))
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int | None]
    failed: Mapped[dict[str, str]] = mapped_column(JSON, default=dict)
    error: Mapped[str | None] = mapped_column(Text)
    started_at: Mapped[datetime] = mapped_column(Utc, default=now)
    heartbeat: Mapped[datetime] = mapped_column(Utc, default=now)
    ended_at: Mapped[datetime | None] = mapped_column(Utc)
    dataset: Mapped[DatasetRow] = relationship()
