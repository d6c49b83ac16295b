"""References that a system of their document wrote, too: they judge no summary of the document any more."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from alembic import op

from relevance.data.records import ClozeQuestion, Document, Summary, make_examples, withhold_named
from relevance.data.signatures import is_given
from relevance.data.store.rows import example_hash

revision = "0014"
down_revision = "0013"

AT_ONCE = 500
"""The number of documents held at once."""

DOCUMENTS = sa.table(
    "documents",
    sa.column("id", sa.Integer),
    sa.column("title", sa.Text),
    sa.column("source", sa.JSON),
    sa.column("reference_texts", sa.JSON),
    sa.column("questions", sa.JSON),
)
SUMMARIES = sa.table(
    "summaries",
    sa.column("id", sa.Integer),
    sa.column("document_id", sa.Integer),
    sa.column("system", sa.String),
    sa.column("text", sa.Text),
    sa.column("example", sa.String),
)
SIGNATURES = sa.table("signatures", sa.column("id", sa.Integer), sa.column("text", sa.String))
SCORES = sa.table("scores", *(sa.column(name) for name in ("signature_id", "example", "value", "missing", "truncated")))


def upgrade() -> None:
    """Withhold these references."""
    name_again(withheld=True)


def downgrade() -> None:
    """Let them judge again."""
    name_again(withheld=False)


def name_again(*, withheld: bool) -> None:
    """Set the hashes of summaries whose references change; scores that came with a corpus go with them."""
    connection = op.get_bind()
    given = [
        number for number, text in connection.execute(sa.select(SIGNATURES.c.id, SIGNATURES.c.text)) if is_given(text)
    ]
    last = 0
    while rows := connection.execute(
        sa.select(DOCUMENTS).where(DOCUMENTS.c.id > last).order_by(DOCUMENTS.c.id).limit(AT_ONCE)
    ).all():
        last = rows[-1].id
        of_document: dict[int, list[Any]] = {}
        for summary in connection.execute(
            sa.select(SUMMARIES)
            .where(SUMMARIES.c.document_id.between(rows[0].id, last))
            .order_by(SUMMARIES.c.document_id, SUMMARIES.c.id)
        ):
            of_document.setdefault(summary.document_id, []).append(summary)
        for row in rows:
            if len(row.reference_texts) < 2:
                continue
            document = Document(
                str(row.id),
                row.source if isinstance(row.source, str) else tuple(row.source),
                tuple(row.reference_texts),
                row.title,
                tuple(ClozeQuestion(*question) for question in row.questions or ()),
            )
            written = of_document.get(row.id, [])
            summaries = [Summary(document.id, summary.system, summary.text) for summary in written]
            references, _ = withhold_named(document, summaries)  # as earlier versions had them
            examples = make_examples(document, summaries)
            if not examples or examples[0].references == references:
                continue
            changed = examples if withheld else [replace(example, references=references) for example in examples]
            for summary, example in zip(written, changed, strict=True):
                take_along(connection, given, summary.example, new := example_hash(example))
                connection.execute(sa.update(SUMMARIES).where(SUMMARIES.c.id == summary.id).values(example=new))


def take_along(connection: sa.Connection, given: Sequence[int], old: str, new: str) -> None:
    """Keep the scores that came with a corpus under the new hash, too, unless they are there."""
    if not given or old == new:
        return
    there = sa.select(SCORES.c.signature_id).where(SCORES.c.example == new)
    kept = sa.select(
        SCORES.c.signature_id, sa.literal(new), SCORES.c.value, SCORES.c.missing, SCORES.c.truncated
    ).where(SCORES.c.example == old, SCORES.c.signature_id.in_(given), SCORES.c.signature_id.not_in(there))
    connection.execute(sa.insert(SCORES).from_select(list(SCORES.c.keys()), kept))
