"""Questions of documents, scores of cut texts, runs of scoring."""

import sqlalchemy as sa
from alembic import op

from relevance.data.database import Utc

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("documents", sa.Column("questions", sa.JSON()))
    op.add_column("scores", sa.Column("truncated", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer()),
        sa.Column("failed", sa.JSON(), nullable=False),
        sa.Column("error", sa.Text()),
        sa.Column("started_at", Utc(), nullable=False),
        sa.Column("heartbeat", Utc(), nullable=False),
        sa.Column("ended_at", Utc()),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name=op.f("fk_runs_dataset_id_datasets")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("runs")
    op.drop_column("scores", "truncated")
    op.drop_column("documents", "questions")
