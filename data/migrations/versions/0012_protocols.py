"""Protocols of studies, the phases of annotators, adjudications, and models that judge."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

TIME = sa.DateTime(timezone=True)

ADDED: dict[str, dict[str, Any]] = {
    "datasets": {"archived_at": TIME},
    "studies": {
        "paused_at": TIME,
        "archived_at": TIME,
        "stopped_at": TIME,
        "decision": sa.JSON(),
        "bundle_sha256": sa.String(length=64),
    },
    "annotators": {
        "exclusion_reason": sa.Text(),
        "phase_at": TIME,
        "seen_at": TIME,
        "paused_at": TIME,
        "erased_at": TIME,
        "code": sa.String(length=40),
    },
    "judgments": {"confidence": sa.Integer(), "marks": sa.JSON()},
    "judgment_revisions": {"confidence": sa.Integer(), "marks": sa.JSON()},
    "entries": {"panel_ids": sa.JSON()},
}


def upgrade() -> None:
    """Move the schema forward."""
    for table, columns in ADDED.items():
        for name, kind in columns.items():
            op.add_column(table, sa.Column(name, kind))
    phase = sa.Column("phase", sa.String(length=20), nullable=False, server_default="judging")
    op.add_column("annotators", phase)
    op.add_column("studies", sa.Column("in_drawn_order", sa.Boolean(), nullable=False, server_default=sa.false()))
    leave_out_excluded()
    create_protocols()
    create_phases()
    create_other_judges()


def leave_out_excluded() -> None:
    """Pairs count no judgments of annotators who were excluded, which they did before."""
    op.execute(
        "UPDATE pairs SET judgments = judgments - (SELECT count(*) FROM judgments "
        "JOIN assignments ON assignments.id = judgments.assignment_id "
        "JOIN annotators ON annotators.id = assignments.annotator_id "
        "WHERE assignments.pair_id = pairs.id AND annotators.excluded_at IS NOT NULL) "
        "WHERE id IN (SELECT pair_id FROM assignments JOIN annotators ON annotators.id = assignments.annotator_id "
        "WHERE annotators.excluded_at IS NOT NULL)"
    )


def reference(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    """A foreign key by the project's convention."""
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=op.f(f"fk_{table}_{column}_{to}"))


def create_protocols() -> None:
    """The versions of study files, and registered bundles."""
    op.create_table(
        "protocols",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        reference("protocols", "study_id", "studies"),
        reference("protocols", "user_id", "users"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_protocols")),
        sa.UniqueConstraint("study_id", "version", name=op.f("uq_protocols_study_id_version")),
    )
    op.create_table(
        "registrations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("protocol", sa.Integer(), nullable=False),
        sa.Column("contents", sa.JSON(), nullable=False),
        sa.Column("registered_at", TIME, nullable=False),
        reference("registrations", "study_id", "studies"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_registrations")),
    )
    op.create_index(op.f("ix_registrations_study_id"), "registrations", ["study_id"])


def create_phases() -> None:
    """What annotators went through before and after the judging."""
    op.create_table(
        "annotator_events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("event", sa.String(length=40), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("happened_at", TIME, nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        reference("annotator_events", "annotator_id", "annotators"),
        reference("annotator_events", "user_id", "users"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotator_events")),
    )
    op.create_index(op.f("ix_annotator_events_annotator_id"), "annotator_events", ["annotator_id"])
    op.create_table(
        "consents",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("agreed", sa.Boolean(), nullable=False),
        sa.Column("answered_at", TIME, nullable=False),
        reference("consents", "annotator_id", "annotators"),
        sa.PrimaryKeyConstraint("annotator_id", name=op.f("pk_consents")),
    )
    op.create_table(
        "survey_answers",
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("survey", sa.String(length=10), nullable=False),
        sa.Column("question", sa.String(length=100), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.Column("answered_at", TIME, nullable=False),
        reference("survey_answers", "annotator_id", "annotators"),
        sa.PrimaryKeyConstraint("annotator_id", "survey", "question", name=op.f("pk_survey_answers")),
    )
    op.create_table(
        "training_answers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("annotator_id", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("choice", sa.String(length=10), nullable=False),
        sa.Column("right", sa.Boolean(), nullable=False),
        sa.Column("answered_at", TIME, nullable=False),
        reference("training_answers", "annotator_id", "annotators"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_training_answers")),
        sa.UniqueConstraint(
            "annotator_id", "attempt", "place", name=op.f("uq_training_answers_annotator_id_attempt_place")
        ),
    )


def create_other_judges() -> None:
    """Adjudications, and what models judge."""
    op.create_table(
        "adjudications",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("adjudicator", sa.String(length=200), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("chosen_id", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("decided_at", TIME, nullable=False),
        reference("adjudications", "pair_id", "pairs"),
        reference("adjudications", "user_id", "users"),
        reference("adjudications", "chosen_id", "summaries"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_adjudications")),
    )
    op.create_index(op.f("ix_adjudications_pair_id"), "adjudications", ["pair_id"])
    op.create_table(
        "model_annotators",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        reference("model_annotators", "study_id", "studies"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_annotators")),
        sa.UniqueConstraint("study_id", "name", name=op.f("uq_model_annotators_study_id_name")),
    )
    op.create_table(
        "model_judgments",
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=20), nullable=True),
        sa.Column("straight", sa.String(length=10), nullable=True),
        sa.Column("swapped", sa.String(length=10), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("tokens_in", sa.Integer(), nullable=True),
        sa.Column("tokens_out", sa.Integer(), nullable=True),
        sa.Column("cost", sa.Double(), nullable=True),
        sa.Column("answered_by", sa.Text(), nullable=True),
        sa.Column("decided_at", TIME, nullable=False),
        reference("model_judgments", "model_id", "model_annotators"),
        reference("model_judgments", "pair_id", "pairs"),
        sa.PrimaryKeyConstraint("model_id", "pair_id", name=op.f("pk_model_judgments")),
    )
    op.create_index(op.f("ix_model_judgments_pair_id"), "model_judgments", ["pair_id"])


def downgrade() -> None:
    """Move the schema back."""
    for table in (
        *("model_judgments", "model_annotators", "adjudications"),
        *("training_answers", "survey_answers", "consents", "annotator_events", "registrations", "protocols"),
    ):
        op.drop_table(table)
    op.drop_column("annotators", "phase")
    op.drop_column("studies", "in_drawn_order")
    for table, columns in ADDED.items():
        for name in columns:
            op.drop_column(table, name)
