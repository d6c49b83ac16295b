"""Tables of a study beyond its pairs and judgments: protocols, annotators' phases, adjudicators and models."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from relevance.annotation.tables import AnnotatorRow, PairRow, StudyRow
from relevance.data.database import Base, Utc, now
from relevance.data.tables import SummaryRow, UserRow


class ProtocolRow(Base):
    """A version of a study's protocol: the study file as it was applied. Studies of earlier versions have none."""

    __tablename__ = "protocols"
    __table_args__ = (UniqueConstraint("study_id", "version"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    version: Mapped[int]
    text: Mapped[str] = mapped_column(Text)
    sha256: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(Utc, default=now)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    study: Mapped[StudyRow] = relationship()
    user: Mapped[UserRow | None] = relationship()


class RegistrationRow(Base):
    """A bundle that was registered before the first judgment: its hash, and those of its files."""

    __tablename__ = "registrations"

    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), index=True)
    sha256: Mapped[str] = mapped_column(String(64))
    protocol: Mapped[int]
    """The version of the protocol."""
    contents: Mapped[dict[str, str]] = mapped_column(JSON)
    """The hash of each file of the bundle, which shows what was changed later."""
    registered_at: Mapped[datetime] = mapped_column(Utc, default=now)


class EventRow(Base):
    """Something that happened to an annotator: a phase entered or left, a warning, an exclusion."""

    __tablename__ = "annotator_events"

    id: Mapped[int] = mapped_column(primary_key=True)
    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotators.id"), index=True)
    event: Mapped[str] = mapped_column(String(40))
    detail: Mapped[str | None] = mapped_column(Text)
    happened_at: Mapped[datetime] = mapped_column(Utc, default=now)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    """The account that did it; null for the annotator themself."""
    annotator: Mapped[AnnotatorRow] = relationship()


class ConsentRow(Base):
    """An annotator's answer to the text of the consent, with the hash of the text."""

    __tablename__ = "consents"

    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotators.id"), primary_key=True)
    sha256: Mapped[str] = mapped_column(String(64))
    agreed: Mapped[bool]
    answered_at: Mapped[datetime] = mapped_column(Utc, default=now)


class SurveyAnswerRow(Base):
    """An answer to a question of the survey before or after the judging."""

    __tablename__ = "survey_answers"

    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotators.id"), primary_key=True)
    survey: Mapped[str] = mapped_column(String(10), primary_key=True)
    """`before` or `after`."""
    question: Mapped[str] = mapped_column(String(100), primary_key=True)
    answer: Mapped[Any] = mapped_column(JSON)
    """A text, a number, or a list of texts."""
    answered_at: Mapped[datetime] = mapped_column(Utc, default=now)


class TrainingAnswerRow(Base):
    """An answer to a training pair; `place` is the pair's place in the protocol, from 0."""

    __tablename__ = "training_answers"
    __table_args__ = (UniqueConstraint("annotator_id", "attempt", "place"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotators.id"))
    attempt: Mapped[int]
    place: Mapped[int]
    choice: Mapped[str] = mapped_column(String(10))
    """`left`, `right` or `tie`."""
    right: Mapped[bool]
    answered_at: Mapped[datetime] = mapped_column(Utc, default=now)


class AdjudicationRow(Base):
    """An adjudicator's decision on a pair; a later row of the same adjudicator replaces an earlier one."""

    __tablename__ = "adjudications"

    id: Mapped[int] = mapped_column(primary_key=True)
    pair_id: Mapped[int] = mapped_column(ForeignKey("pairs.id"), index=True)
    adjudicator: Mapped[str] = mapped_column(String(200))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    chosen_id: Mapped[int | None] = mapped_column(ForeignKey("summaries.id"))
    reason: Mapped[str | None] = mapped_column(Text)
    decided_at: Mapped[datetime] = mapped_column(Utc, default=now)
    pair: Mapped[PairRow] = relationship()
    chosen: Mapped[SummaryRow | None] = relationship()


class ModelAnnotatorRow(Base):
    """A language model that judges in a study, and is never one of its annotators."""

    __tablename__ = "model_annotators"
    __table_args__ = (UniqueConstraint("study_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    name: Mapped[str] = mapped_column(String(200))
    signature: Mapped[str] = mapped_column(Text)
    """Model, settings, prompt and version."""
    created_at: Mapped[datetime] = mapped_column(Utc, default=now)
    study: Mapped[StudyRow] = relationship()


class ModelJudgmentRow(Base):
    """A model's answers about a pair in both orders: see `relevance.llm.judge.Judgment`."""

    __tablename__ = "model_judgments"

    model_id: Mapped[int] = mapped_column(ForeignKey("model_annotators.id"), primary_key=True)
    pair_id: Mapped[int] = mapped_column(ForeignKey("pairs.id"), primary_key=True, index=True)
    verdict: Mapped[str | None] = mapped_column(String(20))
    straight: Mapped[str | None] = mapped_column(String(10))
    swapped: Mapped[str | None] = mapped_column(String(10))
    reason: Mapped[str | None] = mapped_column(Text)
    """The reason why an order has no verdict."""
    tokens_in: Mapped[int | None]
    tokens_out: Mapped[int | None]
    """Tokens of both orders; null if the server does not tell them, or an order has no answer."""
    cost: Mapped[float | None]
    """The cost of these tokens; null if they or the prices are not known."""
    answered_by: Mapped[str | None] = mapped_column(Text)
    """The model that the server names as the one that answered."""
    decided_at: Mapped[datetime] = mapped_column(Utc, default=now)
    pair: Mapped[PairRow] = relationship()
