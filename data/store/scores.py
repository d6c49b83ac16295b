"""Scores, by signature and by the hash of everything that was scored."""

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import add
from typing import Any, NamedTuple, TypeVarTuple

import numpy as np
from sqlalchemy import ColumnElement, Select, case, func, select
from sqlalchemy.orm import Session

from relevance.data.cells import Cells, collect_ratings
from relevance.data.records import Example, make_examples
from relevance.data.store.datasets import DatasetStore, find_dataset, in_dataset, number_of
from relevance.data.store.given import keep_scores
from relevance.data.store.rows import example_hash
from relevance.data.tables import DocumentRow, ScoreRow, SignatureRow, SummaryRow


class StoredScore(NamedTuple):
    """A stored score: the value, or the reason why it is missing."""

    value: float | None
    missing: str | None
    truncated: bool = False
    """True if a text was longer than a model's limit."""


class StoredSignature(NamedTuple):
    """A stored signature, and the number of a data set's summaries with a score or a reason under it."""

    metric: str
    signature: str
    scored: int
    truncated: int = 0
    """The number of them for which only the beginning of a text was read."""
    undefined: int = 0
    """The number of them with a reason instead of a value."""


Columns = TypeVarTuple("Columns")


def join_scores(columns: Select[*Columns], *chosen: ColumnElement[bool]) -> Select[*Columns]:
    """Select columns of the scores of some documents' summaries, joined with their signatures."""
    return (
        columns.select_from(SignatureRow)
        .join(ScoreRow, ScoreRow.signature_id == SignatureRow.id)
        .join(SummaryRow, SummaryRow.example == ScoreRow.example)
        .join(DocumentRow, DocumentRow.id == SummaryRow.document_id)
        .where(*chosen)
    )


class ScoreStore(DatasetStore):
    """Data sets and their scores over one engine, with a short session for each call."""

    def examples(self, dataset: str) -> dict[str, Example]:
        """Return everything in a data set that can be scored, each text once, by its hash. Raises `UnknownDataset`."""
        return {
            example_hash(example): example
            for document, summaries in self.records(dataset)
            for example in make_examples(document, summaries)
        }

    def unscored(
        self, *, dataset: str, signature: str, among: Mapping[str, Example] | None = None
    ) -> list[tuple[str, Example]]:
        """Return the examples of a data set without a score under a signature, with their hashes.

        `among` are the data set's `examples`, if the caller has read them already.
        """
        with self.reading() as session:
            of_dataset = join_scores(select(ScoreRow.example), in_dataset(session, dataset))
            known = set(session.scalars(of_dataset.where(SignatureRow.text == signature)))
        wanted = self.examples(dataset) if among is None else among
        return [(key, example) for key, example in wanted.items() if key not in known]

    def add_scores(self, *, metric: str, signature: str, scores: Mapping[str, StoredScore]) -> None:
        """Store scores by the hash of their example; existing ones stay as they are."""
        with self.changing("scores") as session:
            keep_scores(session, metric, signature, {key: score._asdict() for key, score in scores.items()})

    def signatures(self, dataset: str) -> list[StoredSignature]:
        """List the signatures under which a data set has scores, in the order in which they were first used."""
        truncated = func.sum(case((ScoreRow.truncated, 1), else_=0))
        undefined = func.sum(case((ScoreRow.value.is_(None), 1), else_=0))
        named = SignatureRow.id, SignatureRow.metric, SignatureRow.text
        counts = select(*named, func.count(SummaryRow.id), truncated, undefined).group_by(*named)

        def count(session: Session, chosen: ColumnElement[bool]) -> Sequence[Any]:
            return session.execute(join_scores(counts, chosen)).all()

        def count_scores(name: str) -> list[StoredSignature]:
            stored: dict[int, StoredSignature] = {}
            for part in self.read_in_parts(number_of(name), count):
                for number, metric, signature, *more in part:
                    counted = stored.get(number, StoredSignature(metric, signature, 0))[2:]
                    stored[number] = StoredSignature(metric, signature, *map(add, counted, more))
            return [stored[number] for number in sorted(stored)]

        return self.keep(("scores", "texts"), dataset, count_scores)

    def scores(self, *, dataset: str, signature: str) -> dict[tuple[str, str], StoredScore]:
        """Load a data set's scores under one signature, by document id and system."""
        with self.reading() as session:
            columns = select(DocumentRow.key, SummaryRow.system, ScoreRow.value, ScoreRow.missing, ScoreRow.truncated)
            rows = session.execute(
                join_scores(columns, in_dataset(session, dataset))
                .where(SignatureRow.text == signature)
                .order_by(DocumentRow.position, SummaryRow.id)
            )
            return {(key, system): StoredScore(value, missing, cut) for key, system, value, missing, cut in rows}

    def reasons(self, *, dataset: str, signature: str) -> Counter[str | None]:
        """Count a data set's scores under one signature by the reason why they are missing; None if they are not.

        Raises `UnknownDataset`.
        """
        with self.reading() as session:
            columns = select(ScoreRow.missing, func.count(SummaryRow.id)).group_by(ScoreRow.missing)
            of_dataset = join_scores(columns, in_dataset(session, dataset))
            rows = session.execute(of_dataset.where(SignatureRow.text == signature)).tuples()
            return Counter(dict(rows.all()))

    def stored(self, *, dataset: str, document_id: str, systems: Sequence[str]) -> dict[str, dict[str, StoredScore]]:
        """Load the scores of some summaries of one document, by signature and system, with reasons and flags.

        Raises `UnknownDataset`.
        """
        with self.reading() as session:
            columns = select(SignatureRow.text, SummaryRow.system, ScoreRow.value, ScoreRow.missing, ScoreRow.truncated)
            rows = session.execute(
                join_scores(columns, in_dataset(session, dataset))
                .where(DocumentRow.key == document_id, SummaryRow.system.in_(systems))
                .order_by(SignatureRow.id)
            ).all()
        scores: dict[str, dict[str, StoredScore]] = {}
        for signature, system, value, missing, truncated in rows:
            scores.setdefault(signature, {})[system] = StoredScore(value, missing, truncated)
        return scores

    def cells(self, name: str) -> Cells:
        """Load the ratings and scores of a data set's summaries, without their texts. Raises `UnknownDataset`.

        Missing scores and ratings are NaN, including scores not computed yet.
        """
        aspects: list[str] = []

        def find(session: Session) -> int:
            dataset = find_dataset(session, name)
            aspects[:] = dataset.aspects
            return dataset.id

        parts = self.read_in_parts(find, read_cells)
        signatures = dict(sorted(named for part in parts for named in part.signatures.items()))
        return Cells(
            documents=tuple(document for part in parts for document in part.documents),
            systems=tuple(system for part in parts for system in part.systems),
            single=collect_ratings(annotator or {} for part in parts for annotator in part.annotators),
            ratings={
                aspect: np.array([rating.get(aspect) for part in parts for rating in part.ratings], dtype=np.float64)
                for aspect in aspects
            },
            scores={
                signature: np.array(
                    [part.scores.get(number, {}).get(example) for part in parts for example in part.examples],
                    dtype=np.float64,
                )
                for number, signature in signatures.items()
            },
        )


class CellRows(NamedTuple):
    """Cells as they were read: each column has an entry for each summary."""

    documents: Sequence[str]
    systems: Sequence[str]
    ratings: Sequence[dict[str, float]]
    annotators: Sequence[dict[str, dict[str, float]] | None]
    examples: Sequence[str]
    signatures: dict[int, str]
    """Signatures by their numbers."""
    scores: dict[int, dict[str, float | None]]
    """Values by the number of the signature and by example."""


def read_cells(session: Session, chosen: ColumnElement[bool]) -> CellRows:
    """Load the cells of some documents."""
    rows = session.execute(
        select(DocumentRow.key, SummaryRow.system, SummaryRow.human, SummaryRow.annotators, SummaryRow.example)
        .join(SummaryRow, SummaryRow.document_id == DocumentRow.id)
        .where(chosen)
        .order_by(DocumentRow.position, SummaryRow.id)
    ).all()
    signatures = {row.id: row.text for row in session.scalars(select(SignatureRow))}
    shown = select(SummaryRow.example).join(DocumentRow).where(chosen)
    scores: dict[int, dict[str, float | None]] = {}
    # Signatures are selected by number, not joined, as SQLite would scan all scores of each.
    for number, example, value in session.execute(
        select(ScoreRow.signature_id, ScoreRow.example, ScoreRow.value).where(
            ScoreRow.signature_id.in_(signatures), ScoreRow.example.in_(shown)
        )
    ):
        scores.setdefault(number, {})[example] = value
    documents, systems, ratings, annotators, examples = zip(*rows, strict=True) if rows else ((),) * 5
    used = {number: signatures[number] for number in scores}
    return CellRows(documents, systems, ratings, annotators, examples, used, scores)
