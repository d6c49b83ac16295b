"""Documents, summaries, scores, studies and judgments."""

import sqlalchemy as sa
from alembic import op

from relevance.data.database import Utc

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "datasets",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("format", sa.String(length=40), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("aspects", sa.JSON(), nullable=False),
        sa.Column("imported_at", Utc(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_datasets")),
        sa.UniqueConstraint("name", name=op.f("uq_datasets_name")),
    )
    op.create_table(
        "signatures",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.String(length=100), nullable=False),
        sa.Column("text", sa.String(length=1000), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_signatures")),
        sa.UniqueConstraint("text", name=op.f("uq_signatures_text")),
    )
    op.create_table(
        "documents",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("title", sa.Text()),
        sa.Column("source", sa.JSON(), nullable=False),
        sa.Column("reference_texts", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name=op.f("fk_documents_dataset_id_datasets")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
        sa.UniqueConstraint("dataset_id", "key", name=op.f("uq_documents_dataset_id_key")),
        sa.UniqueConstraint("dataset_id", "position", name=op.f("uq_documents_dataset_id_position")),
    )
    op.create_table(
        "scores",
        sa.Column("signature_id", sa.Integer(), nullable=False),
        sa.Column("example", sa.String(length=64), nullable=False),
        sa.Column("value", sa.Double()),
        sa.Column("missing", sa.Text()),
        sa.CheckConstraint("(value IS NULL) <> (missing IS NULL)", name=op.f("ck_scores_value_or_reason")),
        sa.ForeignKeyConstraint(["signature_id"], ["signatures.id"], name=op.f("fk_scores_signature_id_signatures")),
        sa.PrimaryKeyConstraint("signature_id", "example", name=op.f("pk_scores")),
    )
    op.create_table(
        "studies",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("instructions", sa.Text(), nullable=False),
        sa.Column("systems", sa.JSON(), nullable=False),
        sa.Column("rule", sa.String(length=40), nullable=False),
        sa.Column("signature", sa.Text()),
        sa.Column("wanted_pairs", sa.Integer()),
        sa.Column("per_document", sa.Integer()),
        sa.Column("judgments_per_pair", sa.Integer(), nullable=False),
        sa.Column("ties", sa.Boolean(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("identical", sa.Integer(), nullable=False),
        sa.Column("unscored", sa.Integer(), nullable=False),
        sa.Column("created_at", Utc(), nullable=False),
        sa.Column("closed_at", Utc()),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name=op.f("fk_studies_dataset_id_datasets")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_studies")),
        sa.UniqueConstraint("name", name=op.f("uq_studies_name")),
    )
    op.create_table(
        "annotators",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("invited", sa.Boolean(), nullable=False),
        sa.Column("created_at", Utc(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_annotators_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotators")),
        sa.UniqueConstraint("study_id", "name", name=op.f("uq_annotators_study_id_name")),
        sa.UniqueConstraint("token", name=op.f("uq_annotators_token")),
    )
    op.create_table(
        "summaries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("system", sa.String(length=200), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("human", sa.JSON(), nullable=False),
        sa.Column("signature", sa.Text()),
        sa.Column("example", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name=op.f("fk_summaries_document_id_documents")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_summaries")),
        sa.UniqueConstraint("document_id", "system", name=op.f("uq_summaries_document_id_system")),
    )
    op.create_index(op.f("ix_summaries_example"), "summaries", ["example"])

    op.create_table(
        "pairs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("first_id", sa.Integer(), nullable=False),
        sa.Column("second_id", sa.Integer(), nullable=False),
        sa.Column("judgments", sa.Integer(), nullable=False),
        sa.CheckConstraint("first_id <> second_id", name=op.f("ck_pairs_two_summaries")),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name=op.f("fk_pairs_document_id_documents")),
        sa.ForeignKeyConstraint(["first_id"], ["summaries.id"], name=op.f("fk_pairs_first_id_summaries")),
        sa.ForeignKeyConstraint(["second_id"], ["summaries.id"], name=op.f("fk_pairs_second_id_summaries")),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_pairs_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pairs")),
        sa.UniqueConstraint("study_id", "first_id", "second_id", name=op.f("uq_pairs_study_id_first_id_second_id")),
        sa.UniqueConstraint("study_id", "position", name=op.f("uq_pairs_study_id_position")),
    )
    op.create_table(
        "assignments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("left_id", sa.Integer(), nullable=False),
        sa.Column("assigned_at", Utc(), nullable=False),
        sa.Column("reserved_until", Utc()),
        sa.Column("skipped_at", Utc()),
        sa.Column("skip_reason", sa.Text()),
        sa.ForeignKeyConstraint(
            ["annotator_id"], ["annotators.id"], name=op.f("fk_assignments_annotator_id_annotators")
        ),
        sa.ForeignKeyConstraint(["left_id"], ["summaries.id"], name=op.f("fk_assignments_left_id_summaries")),
        sa.ForeignKeyConstraint(["pair_id"], ["pairs.id"], name=op.f("fk_assignments_pair_id_pairs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignments")),
        sa.UniqueConstraint("annotator_id", "pair_id", name=op.f("uq_assignments_annotator_id_pair_id")),
    )
    op.create_index(op.f("ix_assignments_pair_id"), "assignments", ["pair_id"])
    op.create_index(
        op.f("ix_assignments_reserved"),
        "assignments",
        ["pair_id", "reserved_until"],
        sqlite_where=sa.text("reserved_until IS NOT NULL"),
        postgresql_where=sa.text("reserved_until IS NOT NULL"),
    )

    op.create_table(
        "judgments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("chosen_id", sa.Integer()),
        sa.Column("presented_at", Utc(), nullable=False),
        sa.Column("decided_at", Utc(), nullable=False),
        sa.Column("rationale", sa.Text()),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignments.id"], name=op.f("fk_judgments_assignment_id_assignments")
        ),
        sa.ForeignKeyConstraint(["chosen_id"], ["summaries.id"], name=op.f("fk_judgments_chosen_id_summaries")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgments")),
        sa.UniqueConstraint("assignment_id", name=op.f("uq_judgments_assignment_id")),
    )
    op.create_table(
        "judgment_revisions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("judgment_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("chosen_id", sa.Integer()),
        sa.Column("presented_at", Utc(), nullable=False),
        sa.Column("decided_at", Utc(), nullable=False),
        sa.Column("rationale", sa.Text()),
        sa.ForeignKeyConstraint(
            ["chosen_id"], ["summaries.id"], name=op.f("fk_judgment_revisions_chosen_id_summaries")
        ),
        sa.ForeignKeyConstraint(
            ["judgment_id"], ["judgments.id"], name=op.f("fk_judgment_revisions_judgment_id_judgments")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgment_revisions")),
        sa.UniqueConstraint("judgment_id", "revision", name=op.f("uq_judgment_revisions_judgment_id_revision")),
    )


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("judgment_revisions")
    op.drop_table("judgments")
    op.drop_index(op.f("ix_assignments_reserved"), "assignments")
    op.drop_index(op.f("ix_assignments_pair_id"), "assignments")

    op.drop_table("assignments")
    op.drop_table("pairs")
    op.drop_index(op.f("ix_summaries_example"), "summaries")

    op.drop_table("summaries")
    op.drop_table("annotators")
    op.drop_table("studies")
    op.drop_table("scores")
    op.drop_table("documents")
    op.drop_table("signatures")
    op.drop_table("datasets")
