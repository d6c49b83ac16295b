"""Pairs drawn by metric conflicts with known probabilities, attention checks."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Move the schema forward."""
    op.add_column("studies", sa.Column("signatures", sa.JSON()))
    op.add_column("studies", sa.Column("random_share", sa.Double()))
    op.add_column("studies", sa.Column("eligible", sa.Integer()))
    op.add_column("studies", sa.Column("conflicts", sa.Integer()))
    op.add_column("pairs", sa.Column("inclusion", sa.Double()))
    expected = sa.ForeignKey("summaries.id", name=op.f("fk_pairs_expected_id_summaries"))
    op.add_column("pairs", sa.Column("expected_id", sa.Integer(), expected), inline_references=True)
    op.create_index(
        op.f("ix_pairs_checks"),
        "pairs",
        ["study_id", "position"],
        sqlite_where=sa.text("expected_id IS NOT NULL"),
        postgresql_where=sa.text("expected_id IS NOT NULL"),
    )


def downgrade() -> None:
    """Move the schema back. Checks go with all that was chosen in them: they would pass for ordinary pairs."""
    pairs = sa.table("pairs", sa.column("id"), sa.column("expected_id"))
    assignments = sa.table("assignments", sa.column("id"), sa.column("pair_id"))
    judgments = sa.table("judgments", sa.column("id"), sa.column("assignment_id"))
    revisions = sa.table("judgment_revisions", sa.column("judgment_id"))
    checks = pairs.c.expected_id.is_not(None)
    given = assignments.c.pair_id.in_(sa.select(pairs.c.id).where(checks))
    judged = judgments.c.assignment_id.in_(sa.select(assignments.c.id).where(given))
    op.execute(sa.delete(revisions).where(revisions.c.judgment_id.in_(sa.select(judgments.c.id).where(judged))))
    op.execute(sa.delete(judgments).where(judged))
    op.execute(sa.delete(assignments).where(given))
    op.execute(sa.delete(pairs).where(checks))
    op.drop_index(op.f("ix_pairs_checks"), "pairs")
    op.drop_column("pairs", "expected_id")
    op.drop_column("pairs", "inclusion")
    op.drop_column("studies", "conflicts")
    op.drop_column("studies", "eligible")
    op.drop_column("studies", "random_share")
    op.drop_column("studies", "signatures")
