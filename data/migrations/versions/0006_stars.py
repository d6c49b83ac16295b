"""Starred examples, and their notes."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "stars",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("first", sa.String(length=200), nullable=False),
        sa.Column("second", sa.String(length=200), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_stars_document_id_documents"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stars")),
        sa.UniqueConstraint("document_id", "first", "second", name=op.f("uq_stars_document_id_first_second")),
    )


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("stars")
