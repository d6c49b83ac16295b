"""Data sets whose texts lost the marks of other programs."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("datasets", sa.Column("cleaned", sa.String(20)))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("datasets", "cleaned")
