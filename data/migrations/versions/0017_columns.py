"""How the columns of the table were read that a data set was imported from."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("datasets", sa.Column("columns", sa.Text))


def downgrade() -> None:
    """Move the schema back."""
    op.drop_column("datasets", "columns")
