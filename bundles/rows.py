"""A study's rows as the records of a bundle: read in one transaction, with people under pseudonyms."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, selectinload

from relevance.annotation.adjudication import caller_of_row
from relevance.annotation.protocol.current import find_protocol
from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.tables import (
    AdjudicationRow,
    ConsentRow,
    EventRow,
    ModelAnnotatorRow,
    ModelJudgmentRow,
    ProtocolRow,
    RegistrationRow,
    SurveyAnswerRow,
    TrainingAnswerRow,
)
from relevance.annotation.results import name_people
from relevance.annotation.store import AnnotationStore
from relevance.annotation.studies import find_study
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, StudyRow
from relevance.bundles import records
from relevance.bundles.records import take
from relevance.data.database import Base
from relevance.data.tables import DocumentRow, SummaryRow

Records = list[dict[str, Any]]

Row = TypeVar("Row", bound=Base)

OfAnnotator = TypeVar("OfAnnotator", AssignmentRow, ConsentRow, EventRow, SurveyAnswerRow, TrainingAnswerRow)


@dataclass(frozen=True)
class StudyRows:
    """All of a study except its documents, summaries and scores."""

    name: str
    dataset: str
    whole: dict[str, Any]
    """The study, its data set, and the times of its protocols and registrations."""
    protocol: str
    """The text of the current study file."""
    protocols: dict[int, str]
    """The texts of all versions; none if the study was made by an earlier version of the program."""
    pairs: Records
    people: Records
    judgments: Records
    surveys: Records
    adjudications: Records
    models: Records
    model_judgments: Records


def read_rows(store: AnnotationStore, name: str) -> StudyRows:
    """Read a study at one moment. Raises `UnknownStudy`."""
    if store.engine.dialect.name == "postgresql":  # all is read as of one moment, even if others write meanwhile
        store = AnnotationStore(store.engine.execution_options(isolation_level="REPEATABLE READ"), store.actor)
    with store.reading() as session:
        study = find_study(session, name)
        reader = Reader(session, study)
        protocols = reader.protocols()
        return StudyRows(
            name=study.name,
            dataset=study.dataset.name,
            whole=reader.whole(),
            protocol=protocols[-1].text if protocols else write_protocol(find_protocol(session, study)),
            protocols={row.version: row.text for row in protocols},
            pairs=reader.pair_records(),
            people=reader.people(),
            judgments=reader.judgments(),
            surveys=reader.surveys(),
            adjudications=reader.adjudications(),
            models=[take(row, records.MODEL) for row in reader.models()],
            model_judgments=reader.model_judgments(),
        )


class Reader:
    """The tables of one study within a transaction, with the names of their rows in a bundle."""

    def __init__(self, session: Session, study: StudyRow) -> None:
        self.session, self.study = session, study
        annotators = select(AnnotatorRow).where(AnnotatorRow.study_id == study.id).order_by(AnnotatorRow.id)
        self.annotators = self.rows(annotators)
        self.pseudonyms = name_people(session, study.id, names=False)
        self.pairs = self.rows(select(PairRow).where(PairRow.study_id == study.id).order_by(PairRow.position))
        self.pair_of = {row.id: row for row in self.pairs}

    def rows(self, wanted: Select[Row]) -> Sequence[Row]:
        """Return the rows of a query."""
        return self.session.scalars(wanted).all()

    def side(self, pair_id: int, summary_id: int | None) -> str | None:
        """Return which of a pair's summaries one is; None for None."""
        if summary_id is None:
            return None
        return "first" if summary_id == self.pair_of[pair_id].first_id else "second"

    def protocols(self) -> Sequence[ProtocolRow]:
        """Load the versions of the study's protocol."""
        of_study = ProtocolRow.study_id == self.study.id
        return self.rows(select(ProtocolRow).where(of_study).order_by(ProtocolRow.version))

    def whole(self) -> dict[str, Any]:
        """Return the study with its data set, its protocols and registrations."""
        of_study = RegistrationRow.study_id == self.study.id
        registrations = self.rows(select(RegistrationRow).where(of_study).order_by(RegistrationRow.id))
        return {
            "study": take(self.study, records.STUDY),
            "dataset": take(self.study.dataset, records.DATASET),
            "protocols": [take(row, records.PROTOCOL) for row in self.protocols()],
            "registrations": [take(row, records.REGISTRATION) for row in registrations],
        }

    def pair_records(self) -> Records:
        """Return the pairs in the order in which they were drawn, attention checks last."""
        shown = (PairRow.first_id == SummaryRow.id) | (PairRow.second_id == SummaryRow.id)
        summaries = self.session.execute(
            select(SummaryRow.id, DocumentRow.key, SummaryRow.system)
            .join(DocumentRow, DocumentRow.id == SummaryRow.document_id)
            .where(select(PairRow.id).where(shown, PairRow.study_id == self.study.id).exists())
        )
        named = {number: [document, system] for number, document, system in summaries}
        documents = select(DocumentRow.id, DocumentRow.key).where(DocumentRow.dataset_id == self.study.dataset_id)
        keys = {number: key for number, key in self.session.execute(documents)}  # noqa: C416  as elsewhere
        return [
            take(
                row,
                records.PAIR,
                document_id=keys[row.document_id],
                first=named[row.first_id],
                second=named[row.second_id],
                expected=self.side(row.id, row.expected_id),
            )
            for row in self.pairs
        ]

    def of_annotators(self, table: type[OfAnnotator], *order: Any) -> Sequence[OfAnnotator]:
        """Load the rows of a table that belong to the study's annotators."""
        joined = select(table).join(AnnotatorRow, AnnotatorRow.id == table.annotator_id)
        return self.rows(joined.where(AnnotatorRow.study_id == self.study.id).order_by(table.annotator_id, *order))

    def people(self) -> Records:
        """Return the annotators in the order in which they came, with their consent, events and training."""
        consents = {row.annotator_id: take(row, records.CONSENT) for row in self.of_annotators(ConsentRow)}
        events, training = defaultdict(list), defaultdict(list)
        for event in self.of_annotators(EventRow, EventRow.id):
            events[event.annotator_id].append(take(event, records.EVENT))
        for answer in self.of_annotators(TrainingAnswerRow, TrainingAnswerRow.id):
            training[answer.annotator_id].append(take(answer, records.TRAINING))
        return [
            take(
                row,
                records.PERSON,
                annotator=self.pseudonyms[row.id],
                consent=consents.get(row.id),
                events=events[row.id],
                training=training[row.id],
            )
            for row in self.annotators
        ]

    def judgments(self) -> Records:
        """Return the assignments in the order in which they were made: judged with earlier choices, skipped or open."""
        assignments = self.of_annotators(AssignmentRow)
        assignments = sorted(assignments, key=lambda row: row.id)
        joined = select(JudgmentRow).join(AssignmentRow).join(PairRow).where(PairRow.study_id == self.study.id)
        in_order = joined.order_by(JudgmentRow.id).options(selectinload(JudgmentRow.earlier))
        judged = {row.assignment_id: (place, row) for place, row in enumerate(self.rows(in_order))}

        def choice(assignment: AssignmentRow) -> dict[str, Any] | None:
            if assignment.id not in judged:
                return None
            place, row = judged[assignment.id]
            return take(
                row,
                records.JUDGMENT,
                place=place,
                chosen=self.side(assignment.pair_id, row.chosen_id),
                earlier=[
                    take(revision, records.REVISION, chosen=self.side(assignment.pair_id, revision.chosen_id))
                    for revision in row.earlier
                ],
            )

        return [
            take(
                row,
                records.ASSIGNMENT,
                annotator=self.pseudonyms[row.annotator_id],
                pair=self.pair_of[row.pair_id].position,
                left=self.side(row.pair_id, row.left_id),
                judgment=choice(row),
            )
            for row in assignments
        ]

    def surveys(self) -> Records:
        """Return annotators' answers in surveys."""
        answers = self.of_annotators(SurveyAnswerRow, SurveyAnswerRow.survey.desc(), SurveyAnswerRow.question)
        return [take(row, records.SURVEY_ANSWER, annotator=self.pseudonyms[row.annotator_id]) for row in answers]

    def adjudications(self) -> Records:
        """Return adjudicators' decisions, with adjudicators under numbers, too."""
        joined = select(AdjudicationRow).join(PairRow).where(PairRow.study_id == self.study.id)
        decided = self.rows(joined.order_by(AdjudicationRow.id))
        numbers = {caller: place for place, caller in enumerate(dict.fromkeys(map(caller_of_row, decided)), 1)}
        return [
            take(
                row,
                records.ADJUDICATION,
                pair=self.pair_of[row.pair_id].position,
                adjudicator=f"adjudicator {numbers[caller_of_row(row)]}",
                chosen=self.side(row.pair_id, row.chosen_id),
            )
            for row in decided
        ]

    def models(self) -> Sequence[ModelAnnotatorRow]:
        """Load the language models that judge."""
        of_study = ModelAnnotatorRow.study_id == self.study.id
        return self.rows(select(ModelAnnotatorRow).where(of_study).order_by(ModelAnnotatorRow.id))

    def model_judgments(self) -> Records:
        """Return the language models' verdicts on the pairs."""
        names = {row.id: row.name for row in self.models()}
        joined = select(ModelJudgmentRow).join(PairRow).where(PairRow.study_id == self.study.id)
        judged = self.rows(joined.order_by(ModelJudgmentRow.model_id, PairRow.position))
        return [
            take(row, records.MODEL_JUDGMENT, model=names[row.model_id], pair=self.pair_of[row.pair_id].position)
            for row in judged
        ]
