"""Judgments that call both summaries bad."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

TABLES = ("judgments", "judgment_revisions")


def upgrade() -> None:
    """Move the schema forward."""
    for table in TABLES:
        op.add_column(table, sa.Column("both_bad", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Move the schema back."""
    for table in TABLES:
        op.drop_column(table, "both_bad")
