"""Accounts, sign-ins, memberships, links and counted attempts of a hosted server."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

OWNED = ("datasets", "studies")


def upgrade() -> None:
    """Move the schema forward."""
    op.create_table(
        "users",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("email", sa.String(length=320), nullable=True),
        sa.Column("password", sa.String(length=200), nullable=True),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
        sa.UniqueConstraint("name", name=op.f("uq_users_name")),
    )
    for table in OWNED:
        owner = sa.ForeignKey("users.id", name=op.f(f"fk_{table}_owner_id_users"))
        op.add_column(table, sa.Column("owner_id", sa.Integer(), owner), inline_references=True)
    for table in ("annotators", "keyword_annotators"):
        user = sa.ForeignKey("users.id", name=op.f(f"fk_{table}_user_id_users"))
        op.add_column(table, sa.Column("user_id", sa.Integer(), user), inline_references=True)
    op.add_column("annotators", sa.Column("excluded_at", sa.DateTime(timezone=True)))
    create_sign_ins()
    create_memberships_and_links()


def create_sign_ins() -> None:
    """The tables of who is signed in, and of what was tried."""
    op.create_table(
        "sign_ins",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("annotator_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("(user_id IS NULL) <> (annotator_id IS NULL)", name=op.f("ck_sign_ins_one_person")),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name=op.f("fk_sign_ins_annotator_id_annotators")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sign_ins_user_id_users")),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_sign_ins")),
    )
    op.create_index(op.f("ix_sign_ins_user_id"), "sign_ins", ["user_id"])
    op.create_index(op.f("ix_sign_ins_annotator_id"), "sign_ins", ["annotator_id"])
    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=100), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
    )
    op.create_index(op.f("ix_attempts_key"), "attempts", ["key"])
    op.create_index(op.f("ix_attempts_made_at"), "attempts", ["made_at"])


def create_memberships_and_links() -> None:
    """The tables of who may come into which study."""
    op.create_table(
        "memberships",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("right", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_memberships_study_id_studies")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_memberships_user_id_users")),
        sa.PrimaryKeyConstraint("study_id", "user_id", name=op.f("pk_memberships")),
    )
    op.create_index(op.f("ix_memberships_user_id"), "memberships", ["user_id"])
    op.create_table(
        "links",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("places", sa.Integer(), nullable=True),
        sa.Column("taken", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"], name=op.f("fk_links_study_id_studies")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_links")),
        sa.UniqueConstraint("token", name=op.f("uq_links_token")),
    )
    op.create_index(op.f("ix_links_study_id"), "links", ["study_id"])
    op.create_table(
        "entries",
        sa.Column("link_id", sa.Integer(), nullable=False),
        sa.Column("person", sa.String(length=200), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name=op.f("fk_entries_annotator_id_annotators")),
        sa.ForeignKeyConstraint(["link_id"], ["links.id"], name=op.f("fk_entries_link_id_links")),
        sa.PrimaryKeyConstraint("link_id", "person", name=op.f("pk_entries")),
    )
    op.create_index(op.f("ix_entries_annotator_id"), "entries", ["annotator_id"])


def downgrade() -> None:
    """Move the schema back; accounts and links are gone then, studies and judgments stay."""
    for table in ("entries", "links", "memberships", "attempts", "sign_ins"):
        op.drop_table(table)
    judging = (("annotators", "excluded_at", "user_id"), ("keyword_annotators", "user_id"))
    for table, *columns in (*judging, *((table, "owner_id") for table in OWNED)):
        for column in columns:
            op.drop_column(table, column)
    op.drop_table("users")
