"""Judgments joined with stored scores, as the plain arrays that `metrics.meta_evaluation` takes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased, selectinload

from annotation.store import AnnotationStore, find_study
from annotation.tables import (
    AnnotatorRow,
    AssignmentRow,
    JudgmentRow,
    PairRow,
)
from data.store import DataStore
from data.tables import DocumentRow, ScoreRow, SignatureRow, SummaryRow


@dataclass(frozen=True)
class Comparison:
    """Two summaries of a document, which one people prefer, and every metric's scores of both.

    `preference` is positive for the first, negative for the second, 0 for a tie. `scores` maps a signature to the
    values of the first and the second; a missing value is NaN, a signature that scored neither is absent.
    """

    document: str
    first: str
    second: str
    preference: float
    scores: Mapping[str, tuple[float, float]]
    annotator: str | None = None


def judged(store: AnnotationStore, study: str) -> list[Comparison]:
    """A comparison per judgment of a study, in the order of deciding. Raises `UnknownStudy`."""
    first, second = aliased(SummaryRow), aliased(SummaryRow)
    with store.reading() as session:
        study_id = find_study(session, study).id
        rows = session.execute(
            select(
                DocumentRow.key,
                PairRow,
                first.system,
                second.system,
                first.example,
                second.example,
                JudgmentRow.chosen_id,
                AnnotatorRow.name,
            )
            .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
            .join(AnnotatorRow, AnnotatorRow.id == AssignmentRow.annotator_id)
            .join(PairRow, PairRow.id == AssignmentRow.pair_id)
            .join(DocumentRow, DocumentRow.id == PairRow.document_id)
            .join(first, first.id == PairRow.first_id)
            .join(second, second.id == PairRow.second_id)
            .where(PairRow.study_id == study_id)
            .order_by(JudgmentRow.decided_at, JudgmentRow.id)
        ).all()
        scores = scores_of_pairs(session, study_id)
        return [
            Comparison(
                document=document,
                first=first_system,
                second=second_system,
                preference=0.0 if chosen is None else 1.0 if chosen == pair.first_id else -1.0,
                scores=both(scores, first_example, second_example),
                annotator=annotator,
            )
            for (
                document,
                pair,
                first_system,
                second_system,
                first_example,
                second_example,
                chosen,
                annotator,
            ) in rows
        ]


def scores_of_pairs(session: Session, study_id: int) -> dict[str, dict[str, float]]:
    """Values by signature and example of everything that a study's pairs show; missing ones are NaN."""
    shown = (
        select(SummaryRow.example)
        .join(PairRow, (PairRow.first_id == SummaryRow.id) | (PairRow.second_id == SummaryRow.id))
        .where(PairRow.study_id == study_id)
    )
    scores: dict[str, dict[str, float]] = {}
    for signature, example, value in session.execute(
        select(SignatureRow.text, ScoreRow.example, ScoreRow.value)
        .join(ScoreRow, ScoreRow.signature_id == SignatureRow.id)
        .where(ScoreRow.example.in_(shown))
        .order_by(SignatureRow.id)
    ):
        scores.setdefault(signature, {})[example] = math.nan if value is None else value
    return scores


def both(scores: Mapping[str, Mapping[str, float]], first: str, second: str) -> dict[str, tuple[float, float]]:
    """Each signature's values of two examples."""
    return {
        signature: (values.get(first, math.nan), values.get(second, math.nan)) for signature, values in scores.items()
    }


def rated(store: DataStore, dataset: str, aspect: str) -> list[Comparison]:
    """A comparison per within-document pair whose two summaries have a rating of an aspect.

    Author labels and imported ratings are both read this way. Raises `UnknownDataset`.
    """
    scores = {
        signature.signature: {
            key: math.nan if score.value is None else score.value
            for key, score in store.scores(dataset=dataset, signature=signature.signature).items()
        }
        for signature in store.signatures(dataset)
    }
    comparisons = []
    for document, summaries in store.records(dataset):
        for first, second in combinations((s for s in summaries if aspect in s.human), 2):
            comparisons.append(
                Comparison(
                    document=document.id,
                    first=first.system,
                    second=second.system,
                    preference=first.human[aspect] - second.human[aspect],
                    scores={
                        signature: (
                            values.get((document.id, first.system), math.nan),
                            values.get((document.id, second.system), math.nan),
                        )
                        for signature, values in scores.items()
                    },
                )
            )
    return comparisons


# --- exports ----------------------------------------------------------------------------------------------


def export_judgments(store: AnnotationStore, study: str) -> list[dict[str, Any]]:
    """Everything that is known of a study's assignments, a record each: judged, skipped or open.

    Texts are not repeated: `document_id` and the systems name them in the data set. Raises `UnknownStudy`.
    """
    with store.reading() as session:
        row = find_study(session, study)
        assignments = session.scalars(
            select(AssignmentRow)
            .join(PairRow)
            .where(PairRow.study_id == row.id)
            .order_by(AssignmentRow.id)
            .options(
                selectinload(AssignmentRow.annotator),
                selectinload(AssignmentRow.judgment).selectinload(JudgmentRow.earlier),
                selectinload(AssignmentRow.pair).options(
                    selectinload(PairRow.document),
                    selectinload(PairRow.first),
                    selectinload(PairRow.second),
                ),
            )
        )
        # A list: whoever writes the records slowly must not keep SQLite's writers waiting meanwhile.
        return [judgment_record(row.name, row.dataset.name, assignment) for assignment in assignments]


def judgment_record(study: str, dataset: str, assignment: AssignmentRow) -> dict[str, Any]:
    """One assignment as a record of plain JSON values."""
    pair, judgment = assignment.pair, assignment.judgment
    systems = {pair.first_id: pair.first.system, pair.second_id: pair.second.system}

    def choice(chosen_id: int | None) -> dict[str, str | None]:
        if chosen_id is None:
            return {"choice": "tie", "chosen": None}
        return {"choice": "left" if chosen_id == assignment.left_id else "right", "chosen": systems[chosen_id]}

    return {
        "study": study,
        "dataset": dataset,
        "annotator": assignment.annotator.name,
        "document_id": pair.document.key,
        "system_a": pair.first.system,
        "system_b": pair.second.system,
        "left": systems[assignment.left_id],
        **({"choice": None, "chosen": None} if judgment is None else choice(judgment.chosen_id)),
        "assigned_at": stamp(assignment.assigned_at),
        "presented_at": None if judgment is None else stamp(judgment.presented_at),
        "decided_at": None if judgment is None else stamp(judgment.decided_at),
        "rationale": None if judgment is None else judgment.rationale,
        "revision": None if judgment is None else judgment.revision,
        "history": [
            {
                "revision": earlier.revision,
                **choice(earlier.chosen_id),
                "presented_at": stamp(earlier.presented_at),
                "decided_at": stamp(earlier.decided_at),
                "rationale": earlier.rationale,
            }
            for earlier in (judgment.earlier if judgment is not None else [])
        ],
        "skipped_at": None if assignment.skipped_at is None else stamp(assignment.skipped_at),
        "skip_reason": assignment.skip_reason,
    }


def stamp(time: datetime) -> str:
    """A time in ISO 8601, to the microsecond, in UTC."""
    return time.isoformat(timespec="microseconds")


def export_scores(store: DataStore, dataset: str) -> Iterator[dict[str, Any]]:
    """Every stored score of a data set, a record each, with its signature or the reason why it is missing."""
    for metric, signature, *_ in store.signatures(dataset):
        for (document_id, system), score in store.scores(dataset=dataset, signature=signature).items():
            yield {
                "dataset": dataset,
                "document_id": document_id,
                "system": system,
                "metric": metric,
                "signature": signature,
                "value": score.value,
                "missing": score.missing,
                "truncated": score.truncated,
            }
