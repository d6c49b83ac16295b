"""Scores, by signature and by the hash of everything that was scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVarTuple

import numpy as np
from sqlalchemy import Select, case, func, select

from data.cells import Cells
from data.records import Example, make_examples
from data.store.base import Store, batches
from data.store.datasets import find_dataset, select_documents
from data.store.rows import example_hash, to_records
from data.tables import DatasetRow, DocumentRow, ScoreRow, SignatureRow, SummaryRow


class StoredScore(NamedTuple):
    """A score as it is kept: the value, or the reason why it is missing."""

    value: float | None
    missing: str | None
    truncated: bool = False
    """Whether a text was longer than a model's limit."""


class StoredSignature(NamedTuple):
    """A stored signature, and how many of a data set's summaries have a score or a reason under it."""

    metric: str
    signature: str
    scored: int
    truncated: int = 0
    """How many of them saw only the beginning of a text."""


Columns = TypeVarTuple("Columns")


def join_scores(chosen: Select[*Columns], dataset: DatasetRow) -> Select[*Columns]:
    """Select columns of a data set's scores, of their signatures, and of the summaries and documents scored."""
    return (
        chosen.select_from(SignatureRow)
        .join(ScoreRow, ScoreRow.signature_id == SignatureRow.id)
        .join(SummaryRow, SummaryRow.example == ScoreRow.example)
        .join(DocumentRow, DocumentRow.id == SummaryRow.document_id)
        .where(DocumentRow.dataset_id == dataset.id)
    )


class ScoreStore(Store):
    """Scores over one engine, a short session a call."""

    def examples(self, dataset: str) -> dict[str, Example]:
        """Everything in a data set that can be scored, each text once, by its hash. Raises `UnknownDataset`."""
        with self.reading() as session:
            return {
                example_hash(example): example
                for row in session.scalars(select_documents(find_dataset(session, dataset)))
                for example in make_examples(*to_records(row))
            }

    def unscored(
        self, *, dataset: str, signature: str, among: Mapping[str, Example] | None = None
    ) -> list[tuple[str, Example]]:
        """The examples of a data set that have no score under a signature, with their hashes.

        `among` are the data set's `examples`, where the caller has read them already.
        """
        with self.reading() as session:
            of_dataset = join_scores(select(ScoreRow.example), find_dataset(session, dataset))
            known = set(session.scalars(of_dataset.where(SignatureRow.text == signature)))
        found = self.examples(dataset) if among is None else among
        return [(key, example) for key, example in found.items() if key not in known]

    def add_scores(self, *, metric: str, signature: str, scores: Mapping[str, StoredScore]) -> None:
        """Keep scores by the hash of their example; those that are already there stay as they are."""
        with self.writing() as session:
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
            session.add_all(
                ScoreRow(signature_id=owner.id, example=key, **score._asdict())
                for key, score in scores.items()
                if key not in known
            )

    def signatures(self, dataset: str) -> list[StoredSignature]:
        """The signatures under which a data set has scores, in the order in which they were first used."""
        with self.reading() as session:
            truncated = func.sum(case((ScoreRow.truncated, 1), else_=0))
            counts = select(SignatureRow.metric, SignatureRow.text, func.count(SummaryRow.id), truncated)
            rows = session.execute(
                join_scores(counts, find_dataset(session, dataset))
                .group_by(SignatureRow.id, SignatureRow.metric, SignatureRow.text)
                .order_by(SignatureRow.id)
            )
            return [StoredSignature(*row) for row in rows]

    def scores(self, *, dataset: str, signature: str) -> dict[tuple[str, str], StoredScore]:
        """A data set's scores under one signature, by document id and system."""
        with self.reading() as session:
            chosen = select(DocumentRow.key, SummaryRow.system, ScoreRow.value, ScoreRow.missing, ScoreRow.truncated)
            rows = session.execute(
                join_scores(chosen, find_dataset(session, dataset))
                .where(SignatureRow.text == signature)
                .order_by(DocumentRow.position, SummaryRow.id)
            )
            return {(key, system): StoredScore(value, missing, cut) for key, system, value, missing, cut in rows}

    def stored(self, *, dataset: str, document_id: str, systems: Sequence[str]) -> dict[str, dict[str, StoredScore]]:
        """By signature and system: the scores of some summaries of one document, with reasons and flags.

        Raises `UnknownDataset`.
        """
        with self.reading() as session:
            chosen = select(SignatureRow.text, SummaryRow.system, ScoreRow.value, ScoreRow.missing, ScoreRow.truncated)
            rows = session.execute(
                join_scores(chosen, find_dataset(session, dataset))
                .where(DocumentRow.key == document_id, SummaryRow.system.in_(systems))
                .order_by(SignatureRow.id)
            ).all()
        scores: dict[str, dict[str, StoredScore]] = {}
        for signature, system, value, missing, truncated in rows:
            scores.setdefault(signature, {})[system] = StoredScore(value, missing, truncated)
        return scores

    def cells(self, name: str) -> Cells:
        """Ratings and scores of a data set's summaries, without their texts. Raises `UnknownDataset`.

        A score that is missing, or not there yet, is NaN, and so is a rating that nobody gave.
        """
        with self.reading() as session:
            dataset = find_dataset(session, name)
            rows = session.execute(
                select(DocumentRow.key, SummaryRow.system, SummaryRow.human, SummaryRow.example)
                .join(SummaryRow, SummaryRow.document_id == DocumentRow.id)
                .where(DocumentRow.dataset_id == dataset.id)
                .order_by(DocumentRow.position, SummaryRow.id)
            ).all()
            chosen = select(SignatureRow.text, SummaryRow.example, ScoreRow.value)
            stored = session.execute(join_scores(chosen, dataset).order_by(SignatureRow.id)).all()
            aspects = list(dataset.aspects)
        scores: dict[str, dict[str, float | None]] = {}
        for signature, example, value in stored:
            scores.setdefault(signature, {})[example] = value
        return Cells(
            documents=tuple(row.key for row in rows),
            systems=tuple(row.system for row in rows),
            ratings={aspect: np.array([row.human.get(aspect) for row in rows], dtype=np.float64) for aspect in aspects},
            scores={
                signature: np.array([values.get(row.example) for row in rows], dtype=np.float64)
                for signature, values in scores.items()
            },
        )
