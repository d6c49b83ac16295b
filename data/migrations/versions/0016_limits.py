"""Who started a run, addresses that accounts signed in from, and the provider's subject of an account."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Move the schema forward."""
    user = sa.ForeignKey("users.id", name="fk_runs_user_id_users")
    op.add_column("runs", sa.Column("user_id", sa.Integer, user), inline_references=True)
    op.add_column("users", sa.Column("issuer", sa.String(500)))
    op.add_column("users", sa.Column("subject", sa.String(255)))
    op.create_index("ix_users_identity", "users", ["issuer", "subject"], unique=True)
    op.create_table(
        "known_addresses",
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_known_addresses_user_id_users"),
        sa.PrimaryKeyConstraint("user_id", "digest", name="pk_known_addresses"),
    )


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("known_addresses")
    op.drop_index("ix_users_identity", "users")
    op.drop_column("users", "subject")
    op.drop_column("users", "issuer")
    op.drop_column("runs", "user_id")
