"""Studies that end by a stopping rule: their complete documents, the judgments of these, and the decision.

Documents are completed in an order that was drawn at random (`relevance.annotation.sampling.put_in_order`). Each look
takes the complete ones from the first on, up to the first that is not complete. Which these are depends on how often
their pairs were judged or skipped, and never on the choices. A pair is done when as many people as the study wants have
judged or skipped it, so that no document waits for ever for a pair that nobody can judge; further judgments do not
count.

The results shown for the documents are always the current ones. If somebody changes a judgment or an annotator is
excluded, they may differ from those that led to the decision, which is stored once, as it was taken.
"""

from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.orm import Session, aliased

from relevance.annotation.assigning import count_skips, lock_study
from relevance.annotation.candidates import load_scores
from relevance.annotation.protocol.current import find_protocol
from relevance.annotation.records import Annotator
from relevance.annotation.studies import find_study
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, StudyRow
from relevance.data.database import now
from relevance.data.rights import Right
from relevance.data.stopping_state import CompleteDocuments, StoppingDecision
from relevance.data.store.base import Store, StoreError
from relevance.data.tables import DocumentRow, SummaryRow

Decide = Callable[[CompleteDocuments], StoppingDecision | None]
"""A function that decides by complete documents whether the study stops; only `analysis` has one."""


class StoppingStore(Store):
    """Looks at studies that end by a stopping rule, over one engine."""

    def complete_documents(self, study: str) -> CompleteDocuments | None:
        """Return the judgments of a study's complete documents; None without a stopping rule.

        Raises `UnknownStudy`.
        """
        with self.reading() as session:
            row = find_study(session, study)
            return read_complete(session, row) if row.in_drawn_order else None

    def look(self, study: str, decide: Decide, *, annotator: Annotator | None = None) -> None:
        """Let a function decide by the complete documents whether a study stops, and store its decision.

        Annotators may call it, as their judgment may complete a document, and learn nothing from it; with `annotator`
        it does nothing unless theirs did. A study that has stopped, or was opened from a bundle, is not looked at
        again. Raises `UnknownStudy`.
        """
        with self.reading(annotators=True) as session:
            row = find_study(session, study, Right.JUDGE)
            if not row.in_drawn_order or row.stopped_at is not None or row.bundle_sha256 is not None:
                return
            if annotator is not None and not has_completed(session, annotator):
                return
            complete = read_complete(session, row)
        decision = decide(complete)
        if decision is None:
            return
        with self.writing(annotators=True) as session:
            row = find_study(session, study, Right.JUDGE)
            lock_study(session, row)
            session.refresh(row)  # another call may have looked meanwhile
            if row.stopped_at is None:
                row.stopped_at, row.decision = now(), decision._asdict()


def read_complete(session: Session, study: StudyRow) -> CompleteDocuments:
    """Read the judgments of a study's complete documents, with the scores that its stopping rule compares."""
    stopping = find_protocol(session, study).stopping
    if stopping is None:
        raise StoreError(f"the study {study.name!r} has no stopping rule")
    documents, complete = find_complete(session, study)
    pairs = list(session.execute(select_pairs(study.id)))
    place = {pair.id: number for number, pair in enumerate(pairs)}
    finished = set(complete)
    judged: Counter[int] = Counter()
    entries = []
    for entry in session.execute(select_judgments(study.id)):
        judged[entry.id] += 1
        if entry.document_id in finished and judged[entry.id] <= study.judgments_per_pair:
            entries.append(entry)
    chosen = DocumentRow.id.in_(select(PairRow.document_id).where(PairRow.study_id == study.id))

    def differences(signature: str) -> NDArray[np.float64]:
        values = load_scores(session, signature, chosen)
        both = [[values.get(key) for key in (pair.first_example, pair.second_example)] for pair in pairs]
        scores = np.array(both, dtype=np.float64).reshape(-1, 2)
        return scores[:, 0] - scores[:, 1]

    position = {document: number for number, document in enumerate(documents)}
    signs = [
        0.0 if entry.chosen_id is None else 1.0 if entry.chosen_id == entry.first_id else -1.0 for entry in entries
    ]
    inclusion = np.array([pair.inclusion for pair in pairs], dtype=np.float64)
    return CompleteDocuments(
        first=stopping.first,
        second=stopping.second,
        alpha=stopping.alpha,
        drawn=len(documents),
        documents=len(complete),
        wanted=study.judgments_per_pair,
        pair=np.array([place[entry.id] for entry in entries], dtype=np.intp),
        choices=np.array(signs),
        document=np.array([position[pair.document_id] for pair in pairs], dtype=np.intp),
        first_differences=differences(stopping.first),
        second_differences=None if stopping.second is None else differences(stopping.second),
        weights=None if np.isnan(inclusion).any() else 1 / inclusion,
        decision=None if study.decision is None else StoppingDecision(**study.decision),
        decided_at=study.stopped_at,
    )


def find_complete(session: Session, study: StudyRow) -> tuple[list[int], list[int]]:
    """Return all documents of a study in the drawn order, and those before the first that is not complete."""
    pairs = PairRow.study_id == study.id, PairRow.expected_id.is_(None)
    ordered = select(PairRow.document_id).where(*pairs).order_by(PairRow.position)
    documents = list(dict.fromkeys(session.scalars(ordered)))
    wanting = session.scalar(ordered.where(is_wanting(study)).limit(1))
    return documents, documents if wanting is None else documents[: documents.index(wanting)]


def is_wanting(study: StudyRow) -> ColumnElement[bool]:
    """Return the condition that fewer people than wanted have judged or skipped a pair."""
    return PairRow.judgments + count_skips() < study.judgments_per_pair


def select_pairs(study_id: int) -> Select[int, int, float | None, str, str]:
    """Select the pairs that a study is about in the drawn order, with what their summaries' scores are stored by."""
    first, second = aliased(SummaryRow), aliased(SummaryRow)
    return (
        select(
            PairRow.id,
            PairRow.document_id,
            PairRow.inclusion,
            first.example.label("first_example"),
            second.example.label("second_example"),
        )
        .join(first, first.id == PairRow.first_id)
        .join(second, second.id == PairRow.second_id)
        .where(PairRow.study_id == study_id, PairRow.expected_id.is_(None))
        .order_by(PairRow.position)
    )


def select_judgments(study_id: int) -> Select[int, int, int, int | None]:
    """Select the judgments of a study's pairs in the order in which they were first made."""
    return (
        select(PairRow.id, PairRow.document_id, PairRow.first_id, JudgmentRow.chosen_id)
        .join(AssignmentRow, AssignmentRow.pair_id == PairRow.id)
        .join(JudgmentRow, JudgmentRow.assignment_id == AssignmentRow.id)
        .join(AnnotatorRow, AnnotatorRow.id == AssignmentRow.annotator_id)
        .where(PairRow.study_id == study_id, PairRow.expected_id.is_(None), AnnotatorRow.excluded_at.is_(None))
        .order_by(JudgmentRow.id)
    )


def has_completed(session: Session, annotator: Annotator) -> bool:
    """Tell whether the pair that an annotator judged or skipped last belongs to a complete document."""
    last = session.execute(
        select(PairRow.study_id, PairRow.document_id)
        .join(AssignmentRow, AssignmentRow.pair_id == PairRow.id)
        .where(AssignmentRow.annotator_id == annotator.id, AssignmentRow.reserved_until.is_(None))
        .order_by(AssignmentRow.id.desc())
        .limit(1)
    ).first()
    if last is None:
        return False
    study = session.get_one(StudyRow, last.study_id)
    of_document = PairRow.study_id == study.id, PairRow.document_id == last.document_id, PairRow.expected_id.is_(None)
    return session.scalar(select(PairRow.id).where(*of_document, is_wanting(study)).limit(1)) is None
