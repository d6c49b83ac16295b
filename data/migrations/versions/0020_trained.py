"""How the systems of a data set were trained."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("datasets", sa.Column("trained", sa.JSON()))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("datasets", "trained")
