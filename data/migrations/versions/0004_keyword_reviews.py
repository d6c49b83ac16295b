"""Reviews of keywords: what extractors found, and which of it people mark as wrong."""

import sqlalchemy as sa
from alembic import op

from relevance.data.database import Utc

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "keyword_reviews",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("extractors", sa.JSON(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("without", sa.Integer(), nullable=False),
        sa.Column("created_at", Utc(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name=op.f("fk_keyword_reviews_dataset_id_datasets")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_keyword_reviews")),
        sa.UniqueConstraint("name", name=op.f("uq_keyword_reviews_name")),
    )
    op.create_table(
        "reviewed_documents",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("review_id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_reviewed_documents_document_id_documents")
        ),
        sa.ForeignKeyConstraint(
            ["review_id"], ["keyword_reviews.id"], name=op.f("fk_reviewed_documents_review_id_keyword_reviews")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reviewed_documents")),
        sa.UniqueConstraint("review_id", "document_id", name=op.f("uq_reviewed_documents_review_id_document_id")),
        sa.UniqueConstraint("review_id", "position", name=op.f("uq_reviewed_documents_review_id_position")),
    )
    op.create_table(
        "reviewed_keywords",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("reviewed_document_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("words", sa.JSON(), nullable=False),
        sa.Column("found", sa.JSON(), nullable=False),
        sa.Column("extractors", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["reviewed_document_id"],
            ["reviewed_documents.id"],
            name=op.f("fk_reviewed_keywords_reviewed_document_id_reviewed_documents"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reviewed_keywords")),
        sa.UniqueConstraint(
            "reviewed_document_id", "position", name=op.f("uq_reviewed_keywords_reviewed_document_id_position")
        ),
    )
    op.create_table(
        "keyword_annotators",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("review_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("created_at", Utc(), nullable=False),
        sa.ForeignKeyConstraint(
            ["review_id"], ["keyword_reviews.id"], name=op.f("fk_keyword_annotators_review_id_keyword_reviews")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_keyword_annotators")),
        sa.UniqueConstraint("review_id", "name", name=op.f("uq_keyword_annotators_review_id_name")),
        sa.UniqueConstraint("token", name=op.f("uq_keyword_annotators_token")),
    )
    op.create_table(
        "keyword_verdicts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("reviewed_document_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("presented_at", Utc(), nullable=False),
        sa.Column("saved_at", Utc(), nullable=False),
        sa.ForeignKeyConstraint(
            ["annotator_id"],
            ["keyword_annotators.id"],
            name=op.f("fk_keyword_verdicts_annotator_id_keyword_annotators"),
        ),
        sa.ForeignKeyConstraint(
            ["reviewed_document_id"],
            ["reviewed_documents.id"],
            name=op.f("fk_keyword_verdicts_reviewed_document_id_reviewed_documents"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_keyword_verdicts")),
        sa.UniqueConstraint(
            "annotator_id",
            "reviewed_document_id",
            "revision",
            name=op.f("uq_keyword_verdicts_annotator_id_reviewed_document_id_revision"),
        ),
    )
    op.create_index(
        op.f("ix_keyword_verdicts_reviewed_document_id"), "keyword_verdicts", ["reviewed_document_id"], unique=False
    )
    op.create_table(
        "keyword_marks",
        sa.Column("verdict_id", sa.Integer(), nullable=False),
        sa.Column("keyword_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["keyword_id"], ["reviewed_keywords.id"], name=op.f("fk_keyword_marks_keyword_id_reviewed_keywords")
        ),
        sa.ForeignKeyConstraint(
            ["verdict_id"], ["keyword_verdicts.id"], name=op.f("fk_keyword_marks_verdict_id_keyword_verdicts")
        ),
        sa.PrimaryKeyConstraint("verdict_id", "keyword_id", name=op.f("pk_keyword_marks")),
    )


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("keyword_marks")
    op.drop_index(op.f("ix_keyword_verdicts_reviewed_document_id"), "keyword_verdicts")
    op.drop_table("keyword_verdicts")
    op.drop_table("keyword_annotators")
    op.drop_table("reviewed_keywords")
    op.drop_table("reviewed_documents")
    op.drop_table("keyword_reviews")
