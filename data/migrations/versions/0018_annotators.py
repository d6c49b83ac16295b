"""The ratings of each person who rated a summary, beside their means."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("summaries", sa.Column("annotators", sa.JSON))
    op.add_column("datasets", sa.Column("annotated", sa.JSON))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("datasets", "annotated")
    op.drop_column("summaries", "annotators")
