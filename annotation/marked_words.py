"""The words that annotators marked as decisive."""

from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import aliased

from relevance.annotation.store import AnnotationStore
from relevance.annotation.studies import find_study
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, MarkedRange, PairRow
from relevance.data.tables import DocumentRow, SummaryRow


class MarkedJudgment(NamedTuple):
    """A judgment for which an annotator was asked to mark words."""

    document: str
    first: str
    """The system of the pair's first summary, whichever side it was on."""
    second: str
    annotator: str
    ranges: tuple[MarkedRange, ...]
    """The marked texts and characters; empty if the annotator marked nothing."""

    def ranges_in(self, system: str | None) -> list[tuple[int, int]]:
        """Return the marked ranges of characters in a system's summary, or in the document (None)."""
        name = "document" if system is None else "first" if system == self.first else "second"
        return [(start, end) for text, start, end in self.ranges if text == name]


def load_marks(store: AnnotationStore, study: str) -> list[MarkedJudgment]:
    """Load the judgments of a study whose annotators were asked to mark words, in the order of deciding.

    Attention checks and excluded annotators are left out. Raises `UnknownStudy`.
    """
    first, second = aliased(SummaryRow), aliased(SummaryRow)
    with store.reading() as session:
        rows = session.execute(
            select(DocumentRow.key, first.system, second.system, AnnotatorRow.name, JudgmentRow.marks)
            .join(PairRow, PairRow.document_id == DocumentRow.id)
            .join(first, first.id == PairRow.first_id)
            .join(second, second.id == PairRow.second_id)
            .join(AssignmentRow, AssignmentRow.pair_id == PairRow.id)
            .join(JudgmentRow, JudgmentRow.assignment_id == AssignmentRow.id)
            .join(AnnotatorRow, AnnotatorRow.id == AssignmentRow.annotator_id)
            .where(
                PairRow.study_id == find_study(session, study).id,
                PairRow.expected_id.is_(None),
                AnnotatorRow.excluded_at.is_(None),
                JudgmentRow.marks.is_not(None),
            )
            .order_by(JudgmentRow.decided_at.nulls_last(), JudgmentRow.id)
        ).all()
    return [
        MarkedJudgment(
            document, first, second, annotator, tuple((text, start, end) for text, start, end in marks or ())
        )
        for document, first, second, annotator, marks in rows
    ]
