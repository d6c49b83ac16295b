"""Storage of scores as rows, including those that came with a corpus."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from relevance.data.records import Document, Summary
from relevance.data.signatures import given_signature, is_given, name_of
from relevance.data.store.base import batches
from relevance.data.tables import ScoreRow, SignatureRow


def keep_scores(session: Session, metric: str, signature: str, scores: Mapping[str, Mapping[str, Any]]) -> None:
    """Store scores by the hash of their example; existing ones stay as they are."""
    owner = session.scalar(select(SignatureRow).where(SignatureRow.text == signature).with_for_update())
    if owner is None:
        owner = SignatureRow(metric=metric, text=signature)
        session.add(owner)
        session.flush()
    of_signature = select(ScoreRow.example).where(ScoreRow.signature_id == owner.id)
    known = {
        key
        for batch in batches(list(scores))
        for key in session.scalars(of_signature.where(ScoreRow.example.in_(batch)))
    }
    added = [{"signature_id": owner.id, "example": key, **score} for key, score in scores.items() if key not in known]
    if added:
        session.execute(insert(ScoreRow), added, execution_options={"render_nulls": True})


def carry_given(session: Session, hashes: Mapping[str, str]) -> None:
    """Keep the scores that came with a corpus under the hashes that their examples have now, by those that they had."""
    changed = {old: new for old, new in hashes.items() if old and old != new}
    if not changed:
        return
    for owner in [row for row in session.scalars(select(SignatureRow)) if is_given(row.text)]:
        of_signature = select(ScoreRow).where(ScoreRow.signature_id == owner.id)
        scores = {
            changed[row.example]: {"value": row.value, "missing": row.missing, "truncated": row.truncated}
            for batch in batches(list(changed))
            for row in session.scalars(of_signature.where(ScoreRow.example.in_(batch)))
        }
        keep_scores(session, owner.metric, owner.text, scores)


def keep_given(
    session: Session,
    records: Iterable[tuple[Document, Sequence[Summary]]],
    hashes: Iterable[Sequence[str]],
    corpus: str,
) -> None:
    """Store the scores that came with summaries, under signatures that name their `corpus`.

    A score belongs to texts: of equal summaries of the same document, the first one's score is kept.
    """
    scores: dict[str, dict[str, Mapping[str, Any]]] = {}
    for (_, summaries), examples in zip(records, hashes, strict=True):
        for summary, example in zip(summaries, examples, strict=True):
            for metric, value in summary.given:
                scores.setdefault(metric, {}).setdefault(example, {"value": value, "missing": None, "truncated": False})
    for metric, of_metric in scores.items():
        signature = given_signature(metric, corpus)
        keep_scores(session, name_of(signature), signature, of_metric)
