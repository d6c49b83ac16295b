"""Runs that add systems, and what runs have done."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("runs", sa.Column("systems", sa.JSON()))
    op.add_column("runs", sa.Column("said", sa.JSON()))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("runs", "said")
    op.drop_column("runs", "systems")
