"""Pairs that a study's rule left out because their scores are the same."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("studies", sa.Column("alike", sa.Integer()))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("studies", "alike")
