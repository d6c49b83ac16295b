"""What is to be known of how a summary was written."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("summaries", sa.Column("remarks", sa.JSON()))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("summaries", "remarks")
