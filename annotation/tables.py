"""Tables of studies, pairs, annotators, assignments and judgments, and of reviews of keywords."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeAlias

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, String, Text, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from relevance.data.database import Base, Utc, now
from relevance.data.tables import DatasetRow, DocumentRow, NamedRow, SummaryRow

UNDECIDED = text("reserved_until IS NOT NULL")
"""The condition of the few assignments that are looked up at every click."""

MarkedRange: TypeAlias = tuple[str, int, int]
"""A marked range in a text of a pair: text (`document`, `first` or `second`), first character, end (exclusive)."""

CHECKS = text("expected_id IS NOT NULL")
"""The condition of the few pairs that are looked up at every click."""


class StudyRow(NamedRow):
    """A question about pairs of a data set's summaries, with everything that decided which pairs these are.

    `eligible` is the number of pairs that the rule allowed (null in studies of earlier versions), `conflicts` the
    number of these with a conflict of metrics. `conflicts`, `signatures` and `random_share` are null except for the
    rule `conflicts`; `alike` is null in studies of earlier versions, too. `bundle_sha256` is the hash of the bundle
    that a study was opened from: nobody judges in it or changes it.

    If the study ends by a stopping rule, its documents are completed `in_drawn_order`, which is that of its pairs; it
    stopped at `stopped_at` by `decision` (a `StoppingDecision`).
    """

    __tablename__ = "studies"

    owner_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id"))
    question: Mapped[str] = mapped_column(Text)
    instructions: Mapped[str] = mapped_column(Text)
    systems: Mapped[list[str]] = mapped_column(JSON)
    rule: Mapped[str] = mapped_column(String(40))
    signature: Mapped[str | None] = mapped_column(Text)
    signatures: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    random_share: Mapped[float | None]
    wanted_pairs: Mapped[int | None]
    per_document: Mapped[int | None]
    judgments_per_pair: Mapped[int]
    ties: Mapped[bool]
    seed: Mapped[int]
    identical: Mapped[int]
    unscored: Mapped[int]
    alike: Mapped[int | None]
    eligible: Mapped[int | None]
    conflicts: Mapped[int | None]
    created_at: Mapped[datetime] = mapped_column(Utc, default=now)
    closed_at: Mapped[datetime | None] = mapped_column(Utc)
    paused_at: Mapped[datetime | None] = mapped_column(Utc)
    archived_at: Mapped[datetime | None] = mapped_column(Utc)
    in_drawn_order: Mapped[bool] = mapped_column(default=False, server_default=false())
    stopped_at: Mapped[datetime | None] = mapped_column(Utc)
    decision: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    bundle_sha256: Mapped[str | None] = mapped_column(String(64))
    dataset: Mapped[DatasetRow] = relationship()


class PairRow(Base):
    """Two summaries of one document; `first` and `second` have nothing to do with the sides they are shown on.

    `judgments` counts those of annotators who are not excluded; it is stored here so that the next pair is found
    without counting them all.
    `inclusion` is the probability with which the pair was drawn, null if the rule weights no pairs.

    If `expected_id` is set, the pair is an attention check: one summary is of another document, the expected one is of
    the document shown. The positions of checks come after those of the pairs that the study is about.
    """

    __tablename__ = "pairs"
    __table_args__ = (
        UniqueConstraint("study_id", "first_id", "second_id"),
        UniqueConstraint("study_id", "position"),
        CheckConstraint("first_id <> second_id", name="two_summaries"),
        Index("ix_pairs_checks", "study_id", "position", sqlite_where=CHECKS, postgresql_where=CHECKS),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    position: Mapped[int]
    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id"))
    first_id: Mapped[int] = mapped_column(ForeignKey("summaries.id"))
    second_id: Mapped[int] = mapped_column(ForeignKey("summaries.id"))
    judgments: Mapped[int] = mapped_column(default=0)
    inclusion: Mapped[float | None]
    expected_id: Mapped[int | None] = mapped_column(ForeignKey("summaries.id"))
    study: Mapped[StudyRow] = relationship()
    document: Mapped[DocumentRow] = relationship()
    first: Mapped[SummaryRow] = relationship(foreign_keys=[first_id])
    second: Mapped[SummaryRow] = relationship(foreign_keys=[second_id])


class AnnotatorRow(Base):
    """Somebody who judges in one study, by a typed name or, if `invited`, only by the invite's token.

    On a hosted server an account may judge, too (`user_id`). Excluded annotators (`excluded_at`) cannot come in any
    more, and their judgments are left out of the analysis. `phase` is one of `relevance.annotation.phases`, entered at
    `phase_at` (null in studies of earlier versions); `seen_at` is the last sign of life, and `code` the one they give a
    panel at the end.
    """

    __tablename__ = "annotators"
    __table_args__ = (UniqueConstraint("study_id", "name"),)

    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    excluded_at: Mapped[datetime | None] = mapped_column(Utc)
    exclusion_reason: Mapped[str | None] = mapped_column(Text)
    phase: Mapped[str] = mapped_column(String(20), default="judging", server_default="judging")
    phase_at: Mapped[datetime | None] = mapped_column(Utc)
    seen_at: Mapped[datetime | None] = mapped_column(Utc)
    paused_at: Mapped[datetime | None] = mapped_column(Utc)
    erased_at: Mapped[datetime | None] = mapped_column(Utc)
    code: Mapped[str | None] = mapped_column(String(40))

    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    name: Mapped[str] = mapped_column(String(200))
    token: Mapped[str] = mapped_column(String(64), unique=True)
    invited: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(Utc, default=now)
    study: Mapped[StudyRow] = relationship()


class AssignmentRow(Base):
    """A pair given to an annotator, the summary shown left, and the reason if they skipped it.

    `reserved_until` is when it loses its place among the judgments wanted; null once it is judged or skipped.
    """

    __tablename__ = "assignments"
    __table_args__ = (
        UniqueConstraint("annotator_id", "pair_id"),
        Index(
            "ix_assignments_reserved", "pair_id", "reserved_until", sqlite_where=UNDECIDED, postgresql_where=UNDECIDED
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotators.id"))
    pair_id: Mapped[int] = mapped_column(ForeignKey("pairs.id"), index=True)
    left_id: Mapped[int] = mapped_column(ForeignKey("summaries.id"))
    assigned_at: Mapped[datetime] = mapped_column(Utc, default=now)
    reserved_until: Mapped[datetime | None] = mapped_column(Utc)
    skipped_at: Mapped[datetime | None] = mapped_column(Utc)
    skip_reason: Mapped[str | None] = mapped_column(Text)
    pair: Mapped[PairRow] = relationship()
    annotator: Mapped[AnnotatorRow] = relationship()
    judgment: Mapped[JudgmentRow | None] = relationship(back_populates="assignment")


class JudgmentRow(Base):
    """An annotator's current choice for a pair; `chosen_id` is null for a tie, in which `both_bad` can be true.

    `confidence` is from 1 to 5, `marks` are the words that decided; both are null if the study does not ask for them.
    Times are null for a judgment from a file that does not have them.
    """

    __tablename__ = "judgments"

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignments.id"), unique=True)
    revision: Mapped[int] = mapped_column(default=1)
    chosen_id: Mapped[int | None] = mapped_column(ForeignKey("summaries.id"))
    presented_at: Mapped[datetime | None] = mapped_column(Utc)
    decided_at: Mapped[datetime | None] = mapped_column(Utc)
    rationale: Mapped[str | None] = mapped_column(Text)
    both_bad: Mapped[bool] = mapped_column(default=False, server_default=false())
    confidence: Mapped[int | None]
    marks: Mapped[list[MarkedRange] | None] = mapped_column(JSON(none_as_null=True))
    assignment: Mapped[AssignmentRow] = relationship(back_populates="judgment")
    chosen: Mapped[SummaryRow | None] = relationship()
    earlier: Mapped[list[RevisionRow]] = relationship(order_by="RevisionRow.revision")


class RevisionRow(Base):
    """A judgment as it was before it was changed."""

    __tablename__ = "judgment_revisions"
    __table_args__ = (UniqueConstraint("judgment_id", "revision"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    judgment_id: Mapped[int] = mapped_column(ForeignKey("judgments.id"))
    revision: Mapped[int]
    chosen_id: Mapped[int | None] = mapped_column(ForeignKey("summaries.id"))
    presented_at: Mapped[datetime] = mapped_column(Utc)
    decided_at: Mapped[datetime] = mapped_column(Utc)
    rationale: Mapped[str | None] = mapped_column(Text)
    both_bad: Mapped[bool] = mapped_column(default=False, server_default=false())
    confidence: Mapped[int | None]
    marks: Mapped[list[MarkedRange] | None] = mapped_column(JSON(none_as_null=True))
    chosen: Mapped[SummaryRow | None] = relationship()


class KeywordReviewRow(NamedRow):
    """A data set's keywords as several extractors found them on one day, for people to mark the wrong ones.

    `signature` has the extractors' settings. `without` counts the drawn documents without any keyword, which are left
    out.
    """

    __tablename__ = "keyword_reviews"

    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id"))
    extractors: Mapped[list[str]] = mapped_column(JSON)
    signature: Mapped[str] = mapped_column(Text)
    seed: Mapped[int]
    without: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(Utc, default=now)
    dataset: Mapped[DatasetRow] = relationship()


class ReviewedDocumentRow(Base):
    """A document of a review; everybody gets the documents in the order of `position`, which was drawn."""

    __tablename__ = "reviewed_documents"
    __table_args__ = (UniqueConstraint("review_id", "document_id"), UniqueConstraint("review_id", "position"))

    id: Mapped[int] = mapped_column(primary_key=True)
    review_id: Mapped[int] = mapped_column(ForeignKey("keyword_reviews.id"))
    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id"))
    position: Mapped[int]
    document: Mapped[DocumentRow] = relationship()
    keywords: Mapped[list[ReviewedKeywordRow]] = relationship(order_by="ReviewedKeywordRow.position")


class ReviewedKeywordRow(Base):
    """A keyword as it is shown, at a position that was drawn; `extractors` are those that found it.

    `places` has its places in the texts of the document (references, then the title): index of the text, first
    character, end (exclusive).
    """

    __tablename__ = "reviewed_keywords"
    __table_args__ = (UniqueConstraint("reviewed_document_id", "position"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    reviewed_document_id: Mapped[int] = mapped_column(ForeignKey("reviewed_documents.id"))
    position: Mapped[int]
    words: Mapped[list[str]] = mapped_column(JSON)
    places: Mapped[list[list[int]]] = mapped_column("found", JSON)
    extractors: Mapped[list[str]] = mapped_column(JSON)


class KeywordAnnotatorRow(Base):
    """Somebody who marks keywords in one review; the token opens their work again.

    On a hosted server it is an account (`user_id`), and nobody else's token opens its work.
    """

    __tablename__ = "keyword_annotators"
    __table_args__ = (UniqueConstraint("review_id", "name"),)

    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    id: Mapped[int] = mapped_column(primary_key=True)
    review_id: Mapped[int] = mapped_column(ForeignKey("keyword_reviews.id"))
    name: Mapped[str] = mapped_column(String(200))
    token: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(Utc, default=now)
    review: Mapped[KeywordReviewRow] = relationship()


class KeywordVerdictRow(Base):
    """An annotator's marks of a document as saved once; each save is a new row, and the highest revision is valid.

    A verdict without marks says that no keyword is wrong.
    """

    __tablename__ = "keyword_verdicts"
    __table_args__ = (UniqueConstraint("annotator_id", "reviewed_document_id", "revision"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    annotator_id: Mapped[int] = mapped_column(ForeignKey("keyword_annotators.id"))
    reviewed_document_id: Mapped[int] = mapped_column(ForeignKey("reviewed_documents.id"), index=True)
    revision: Mapped[int]
    presented_at: Mapped[datetime] = mapped_column(Utc)
    saved_at: Mapped[datetime] = mapped_column(Utc)
    marks: Mapped[list[KeywordMarkRow]] = relationship(order_by="KeywordMarkRow.keyword_id")


class KeywordMarkRow(Base):
    """A keyword that a verdict marks as wrong."""

    __tablename__ = "keyword_marks"

    verdict_id: Mapped[int] = mapped_column(ForeignKey("keyword_verdicts.id"), primary_key=True)
    keyword_id: Mapped[int] = mapped_column(ForeignKey("reviewed_keywords.id"), primary_key=True)
