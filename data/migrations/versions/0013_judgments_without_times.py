"""Judgments that came with a data set, which may not say when they were made."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

TIME = sa.DateTime(timezone=True)
TIMES = ("presented_at", "decided_at")
NEVER = "1970-01-01 00:00:00.000000"


def upgrade() -> None:
    """Move the schema forward."""
    for name in TIMES:
        change(name, nullable=True)


def downgrade() -> None:
    """Move the schema back; judgments without times are taken for ones of 1970."""
    for name in TIMES:
        zone = "+00" if op.get_bind().dialect.name == "postgresql" else ""
        op.execute(f"UPDATE judgments SET {name} = '{NEVER}{zone}' WHERE {name} IS NULL")  # noqa: S608  names of ours
        change(name, nullable=False)


def change(name: str, *, nullable: bool) -> None:
    """Say whether a column of the judgments may be null."""
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("judgments", name, existing_type=TIME, nullable=nullable)
        return
    # SQLite changes no column, and with foreign keys checked a table that others refer to cannot be made anew.
    default = None if nullable else sa.text(f"'{NEVER}'")
    op.add_column("judgments", sa.Column(f"new_{name}", TIME, nullable=nullable, server_default=default))
    op.execute(f"UPDATE judgments SET new_{name} = {name}")  # noqa: S608  names of ours
    op.drop_column("judgments", name)
    op.execute(f"ALTER TABLE judgments RENAME COLUMN new_{name} TO {name}")
