"""What changes with every change of texts and of scores, so that what was counted of them can be kept."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Move the schema forward."""
    versions = op.create_table(
        "versions",
        sa.Column("what", sa.String(20), nullable=False),
        sa.Column("token", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("what", name=op.f("pk_versions")),
    )
    op.bulk_insert(versions, [{"what": "texts", "token": ""}, {"what": "scores", "token": ""}])


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("versions")
