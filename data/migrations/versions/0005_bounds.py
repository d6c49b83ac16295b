"""What oracles reached on documents."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "bounds",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("signature", sa.String(length=1000), nullable=False),
        sa.Column("f1", sa.Double(), nullable=False),
        sa.Column("sentences", sa.JSON(), nullable=False),
        sa.Column("reference", sa.Integer(), nullable=False),
        sa.Column("bound", sa.Double()),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name=op.f("fk_bounds_document_id_documents")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bounds")),
        sa.UniqueConstraint("document_id", "signature", name=op.f("uq_bounds_document_id_signature")),
    )


def downgrade() -> None:
    """Move the schema back."""
    op.drop_table("bounds")
