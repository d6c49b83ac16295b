"""Judgments joined with stored scores, as the plain columns that analyses take, and their exports."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Select, select
from sqlalchemy.orm import Session, aliased, selectinload

from relevance.annotation.assigning import name_choice
from relevance.annotation.model_judgments import load_verdicts
from relevance.annotation.sampling import GIVEN
from relevance.annotation.store import AnnotationStore
from relevance.annotation.studies import find_study
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, RevisionRow
from relevance.data.export import format_timestamp
from relevance.data.exporters.pairwise import JudgedTexts
from relevance.data.preferences import Preferences, pairs_by_annotator, rated_pairs, to_name_column
from relevance.data.rights import Right
from relevance.data.store import DataStore
from relevance.data.tables import DocumentRow, ScoreRow, SignatureRow, SummaryRow


def load_judgments(store: AnnotationStore, study: str) -> Preferences:
    """Load the judgments of a study in the order of deciding, without attention checks and excluded annotators.

    Judgments without a time come last, in the order of their file. The verdicts of language models are among the
    scores, and never among the judgments. Raises `UnknownStudy`.
    """
    with store.reading() as session:
        row = find_study(session, study)
        study_id, drew_sides = row.id, row.rule != GIVEN
        pairs = session.execute(select_pairs(study_id)).all()
        judgments = session.execute(select_judgments(study_id)).all()
        scores = load_pair_scores(session, study_id)
        verdicts = load_verdicts(session, study_id)
    _, first_ids, inclusion, documents, firsts, seconds, first_examples, second_examples = columns(pairs, 8)
    pair_ids, left_ids, chosen_ids, both_bad, presented, decided, annotators = columns(judgments, 7)
    place = {row.id: number for number, row in enumerate(pairs)}
    pair = np.array([place[pair_id] for pair_id in pair_ids], dtype=np.intp)
    chosen, left = to_float_column(chosen_ids), to_float_column(left_ids)
    tie = np.isnan(chosen)
    return Preferences(
        documents=to_name_column(documents),
        firsts=to_name_column(firsts),
        seconds=to_name_column(seconds),
        inclusion=to_float_column(inclusion),
        scores={
            signature: np.stack(
                [to_float_column([values.get(key) for key in keys]) for keys in (first_examples, second_examples)],
                axis=1,
            )
            for signature, values in scores.items()
        }
        | {model.signature: model.scores for model in verdicts},
        pair=pair,
        choices=np.where(tie, 0.0, np.where(chosen == to_float_column(first_ids)[pair], 1.0, -1.0)),
        annotators=to_name_column(annotators),
        left=np.where(tie | (not drew_sides), np.nan, (chosen == left).astype(np.float64)),
        took=to_float_column(
            [
                None if start is None or end is None else (end - start).total_seconds()
                for start, end in zip(presented, decided, strict=True)
            ]
        ),
        both_bad=np.array(both_bad, dtype=np.bool_),
    )


def select_pairs(study_id: int) -> Select[int, int, float | None, str, str, str, str, str]:
    """Select a study's pairs without attention checks: documents, and systems and hashes of both summaries."""
    first, second = aliased(SummaryRow), aliased(SummaryRow)
    return (
        select(
            PairRow.id,
            PairRow.first_id,
            PairRow.inclusion,
            DocumentRow.key,
            first.system,
            second.system,
            first.example,
            second.example,
        )
        .join(DocumentRow, DocumentRow.id == PairRow.document_id)
        .join(first, first.id == PairRow.first_id)
        .join(second, second.id == PairRow.second_id)
        .where(PairRow.study_id == study_id, PairRow.expected_id.is_(None))
        .order_by(PairRow.position)
    )


def select_judgments(study_id: int) -> Select[int, int, int | None, bool, datetime | None, datetime | None, str]:
    """Select a study's judgments in the order of deciding, without attention checks and excluded annotators."""
    return (
        select(
            AssignmentRow.pair_id,
            AssignmentRow.left_id,
            JudgmentRow.chosen_id,
            JudgmentRow.both_bad,
            JudgmentRow.presented_at,
            JudgmentRow.decided_at,
            AnnotatorRow.name,
        )
        .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
        .join(AnnotatorRow, AnnotatorRow.id == AssignmentRow.annotator_id)
        .join(PairRow, PairRow.id == AssignmentRow.pair_id)
        .where(PairRow.study_id == study_id, PairRow.expected_id.is_(None), AnnotatorRow.excluded_at.is_(None))
        .order_by(JudgmentRow.decided_at.nulls_last(), JudgmentRow.id)
    )


def columns(rows: Sequence[Any], count: int) -> list[list[Any]]:
    """Turn rows into `count` columns, even if there are no rows."""
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(count)]


def to_float_column(values: Sequence[float | None]) -> NDArray[np.float64]:
    """Make a column of numbers, shape (n,); None becomes NaN."""
    return np.array(values, dtype=np.float64)


def load_pair_scores(session: Session, study_id: int) -> dict[str, dict[str, float | None]]:
    """Load the scores of all summaries in a study's pairs, by signature and hash; None where one is missing."""
    shown = (
        select(SummaryRow.example)
        .join(PairRow, (PairRow.first_id == SummaryRow.id) | (PairRow.second_id == SummaryRow.id))
        .where(PairRow.study_id == study_id)
    )
    scores: dict[str, dict[str, float | None]] = {}
    for signature, example, value in session.execute(
        select(SignatureRow.text, ScoreRow.example, ScoreRow.value)
        .join(ScoreRow, ScoreRow.signature_id == SignatureRow.id)
        .where(ScoreRow.example.in_(shown))
        .order_by(SignatureRow.id)
    ):
        scores.setdefault(signature, {})[example] = value
    return scores


def load_rated_pairs(store: DataStore, dataset: str, aspect: str, *, by_annotator: bool = False) -> Preferences:
    """Return all within-document pairs of a data set whose two summaries have a rating of an aspect.

    Author labels and imported ratings are both read this way. With `by_annotator`, each annotator's ratings make pairs
    of their own. Raises `UnknownDataset`.
    """
    return (pairs_by_annotator if by_annotator else rated_pairs)(store.cells(dataset), aspect)


# --- exports ----------------------------------------------------------------------------------------------


def pseudonyms(names: Iterable[str]) -> dict[str, str]:
    """Return the pseudonyms of annotators: P and their number in the study.

    `names` come in the order in which they joined. Numbers do not change, as no annotator's row is ever deleted.
    """
    return {name: f"P{number}" for number, name in enumerate(names, 1)}


def name_people(session: Session, study_id: int, *, names: bool) -> dict[int, str]:
    """Return the name of each annotator of a study by their number, or without `names`, their pseudonym."""
    people = select(AnnotatorRow.id, AnnotatorRow.name).where(AnnotatorRow.study_id == study_id)
    rows = session.execute(people.order_by(AnnotatorRow.id)).all()
    called = pseudonyms(row.name for row in rows)
    return {row.id: row.name if names else called[row.name] for row in rows}


def export_judgments(store: AnnotationStore, study: str, *, names: bool = False) -> list[dict[str, Any]]:
    """Return a record for each assignment of a study: judged, skipped or open, those of excluded annotators marked.

    Texts are not repeated: `document_id` and the systems name them in the data set. Annotators are called P1, P2 and
    so on; their `names` are for the study's managers. Raises `UnknownStudy`, `NotAllowed`.
    """
    with store.reading() as session:
        row = find_study(session, study, Right.MANAGE if names else Right.READ)
        called = name_people(session, row.id, names=names)
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
        # A list, as a slow consumer of an iterator would keep SQLite's writers waiting.
        study_columns = {"study": row.name, "dataset": row.dataset.name}
        return [
            {**study_columns, "annotator": called[assignment.annotator_id], **judgment_record(assignment)}
            for assignment in assignments
        ]


def judgment_record(assignment: AssignmentRow) -> dict[str, Any]:
    """Return one assignment as a record of plain JSON values."""
    pair, judgment = assignment.pair, assignment.judgment
    systems = {pair.first_id: pair.first.system, pair.second_id: pair.second.system}

    def choice(made: JudgmentRow | RevisionRow) -> dict[str, str | None]:
        chosen = None if made.chosen_id is None else systems[made.chosen_id]
        return {"choice": name_choice(made, assignment.left_id), "chosen": chosen}

    return {
        "excluded": assignment.annotator.excluded_at is not None,
        "document_id": pair.document.key,
        "system_a": pair.first.system,
        "system_b": pair.second.system,
        "check": pair.expected_id is not None,
        "passed": None if pair.expected_id is None or judgment is None else judgment.chosen_id == pair.expected_id,
        "inclusion": pair.inclusion,
        "left": systems[assignment.left_id],
        **({"choice": None, "chosen": None} if judgment is None else choice(judgment)),
        "assigned_at": format_timestamp(assignment.assigned_at),
        "presented_at": None if judgment is None else format_time(judgment.presented_at),
        "decided_at": None if judgment is None else format_time(judgment.decided_at),
        "rationale": None if judgment is None else judgment.rationale,
        "confidence": None if judgment is None else judgment.confidence,
        "marks": None if judgment is None else judgment.marks,
        "revision": None if judgment is None else judgment.revision,
        "history": [
            {
                "revision": earlier.revision,
                **choice(earlier),
                "presented_at": format_timestamp(earlier.presented_at),
                "decided_at": format_timestamp(earlier.decided_at),
                "rationale": earlier.rationale,
                "confidence": earlier.confidence,
                "marks": earlier.marks,
            }
            for earlier in (judgment.earlier if judgment is not None else [])
        ],
        "skipped_at": format_time(assignment.skipped_at),
        "skip_reason": assignment.skip_reason,
    }


def load_judged_texts(store: AnnotationStore, study: str, *, names: bool = False) -> list[JudgedTexts]:
    """Load the judgments of a study with their texts, in order, without attention checks and excluded annotators.

    Annotators are called P1, P2 and so on; their `names` are for the study's managers. Raises `UnknownStudy`,
    `NotAllowed`.
    """
    first, second = aliased(SummaryRow), aliased(SummaryRow)
    with store.reading() as session:
        row = find_study(session, study, Right.MANAGE if names else Right.READ)
        called = name_people(session, row.id, names=names)
        rows = session.execute(
            select(JudgmentRow, AssignmentRow, DocumentRow.key, DocumentRow.source, first, second)
            .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
            .join(AnnotatorRow, AnnotatorRow.id == AssignmentRow.annotator_id)
            .join(PairRow, PairRow.id == AssignmentRow.pair_id)
            .join(DocumentRow, DocumentRow.id == PairRow.document_id)
            .join(first, first.id == PairRow.first_id)
            .join(second, second.id == PairRow.second_id)
            .where(PairRow.study_id == row.id, PairRow.expected_id.is_(None), AnnotatorRow.excluded_at.is_(None))
            .order_by(JudgmentRow.id)
        ).all()
        judged = []
        for judgment, assignment, key, source, *pair in rows:
            left, right = pair if pair[0].id == assignment.left_id else pair[::-1]
            systems = {left.id: left.system, right.id: right.system, None: None}
            judged.append(
                JudgedTexts(
                    document_id=key,
                    source=source if isinstance(source, str) else " ".join(source),
                    systems=(left.system, right.system),
                    texts=(left.text, right.text),
                    chosen=systems[judgment.chosen_id],
                    both_bad=judgment.both_bad,
                    annotator=called[assignment.annotator_id],
                    decided_at=judgment.decided_at,
                )
            )
        return judged


def format_time(time: datetime | None) -> str | None:
    """Format a time in ISO 8601; None stays None."""
    return None if time is None else format_timestamp(time)


def export_scores(store: DataStore, dataset: str) -> Iterator[dict[str, Any]]:
    """Yield a record for each stored score of a data set, with its signature or the reason why it is missing."""
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
