"""Storage of a bundle's study in a database, with its data set and scores, in one transaction."""

import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

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
from relevance.annotation.records import StudyExists
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, RevisionRow, StudyRow
from relevance.bundles import records
from relevance.bundles.contents import DATA, SCORES, WHOLE_STUDY, protocol_name
from relevance.bundles.reading import BadBundle, Bundle
from relevance.bundles.records import read_fields
from relevance.data.database import now
from relevance.data.records import ClozeQuestion, Document, Summary
from relevance.data.rights import visitor_of
from relevance.data.store import DatasetExists, DataStore, StoreError, checked_name
from relevance.data.store.base import BATCH, batches, has_named, insert_named
from relevance.data.store.rows import document_row
from relevance.data.tables import BoundRow, DatasetRow, ScoreRow, SignatureRow, VersionRow

T = TypeVar("T")

Candidate = tuple[str, str]


class ScoresDiffer(StoreError):
    """The database has other scores of the same texts under the same signature."""


def load_bundle(store: DataStore, bundle: Bundle, *, name: str, dataset: str, opened: bool) -> None:
    """Store a checked bundle's study as `name`, its data set as `dataset`; an `opened` one is closed to judging.

    Raises `StudyExists`, `DatasetExists`, `ScoresDiffer`, StoreError for a bad name, and `BadRecord` for records that
    no database can store.
    """
    name, dataset = checked_name(name), checked_name(dataset)
    place, value = bundle.value(WHOLE_STUDY)
    whole = read_fields(place, value, records.WHOLE_STUDY)
    with store.changing("texts") as session:
        loader = Loader(session, bundle)
        owner = load_dataset(session, whole["dataset"] | {"name": dataset})
        loader.load_documents(owner)
        loader.load_scores()
        study = load_study(session, whole, name, owner, bundle, opened=opened)
        loader.load_pairs(study)
        loader.load_people(study)
        loader.load_judgments()
        loader.load_other_judges(study)
        session.execute(update(VersionRow).where(VersionRow.what == "scores").values(token=secrets.token_hex(8)))


def load_dataset(session: Session, columns: Mapping[str, Any]) -> DatasetRow:
    """Store the row of the data set. Raises `DatasetExists`."""
    exists = DatasetExists(
        f"there is already a data set {columns['name']!r}; open the bundle with --name NAME, which names the study, "
        "and its data set after it"
    )
    if has_named(session, DatasetRow, columns["name"]):
        raise exists
    row = DatasetRow(**columns, owner_id=visitor_of(session).user_id)
    insert_named(session, row, exists)
    return row


def load_study(
    session: Session, whole: Mapping[str, Any], name: str, dataset: DatasetRow, bundle: Bundle, *, opened: bool
) -> StudyRow:
    """Store the row of the study, with its protocols and registrations. Raises `StudyExists`."""
    exists = StudyExists(f"there is already a study {name!r}; open the bundle with --name NAME")
    if has_named(session, StudyRow, name):
        raise exists
    row = StudyRow(**whole["study"] | {"name": name}, dataset_id=dataset.id, owner_id=visitor_of(session).user_id)
    if opened:
        row.bundle_sha256, row.closed_at = bundle.sha256, row.closed_at or now()
    insert_named(session, row, exists)
    for protocol in whole["protocols"]:
        session.add(ProtocolRow(**protocol, study_id=row.id, text=bundle.text(protocol_name(protocol["version"]))))
    session.add_all(RegistrationRow(**registration, study_id=row.id) for registration in whole["registrations"])
    session.flush()
    return row


class Loader:
    """Storage of a bundle's records in the tables, within one transaction."""

    def __init__(self, session: Session, bundle: Bundle) -> None:
        self.session, self.bundle = session, bundle
        self.documents: dict[str, int] = {}
        self.summaries: dict[Candidate, tuple[int, str]] = {}
        """The number of each summary and the hash of its example."""
        self.pairs: list[tuple[int, int, int]] = []
        """The numbers of each pair and of its first and second summary."""
        self.people: dict[str, int] = {}

    def rows(self, name: str, fields: records.Fields) -> Iterator[dict[str, Any]]:
        """Yield the records of a file."""
        return (record for _, record in self.bundle.records(name, fields))

    def side(self, pair: int, side: str | None) -> int | None:
        """Return the number of one of a pair's summaries; None for None."""
        return None if side is None else self.pairs[pair][1 + records.SIDES.index(side)]

    def load_documents(self, dataset: DatasetRow) -> None:
        """Store the documents with their summaries."""
        for position, part in enumerate(in_parts(self.rows(DATA, records.DOCUMENT))):
            rows = []
            for place, record in enumerate(part, position * BATCH):
                row = document_row(dataset.id, place, to_document(record), to_summaries(record))
                for summary, given in zip(row.summaries, record["summaries"], strict=True):
                    summary.signature = given["signature"]
                rows.append(row)
            self.session.add_all(rows)
            self.session.flush()
            for row in rows:
                self.documents[row.key] = row.id
                for summary in row.summaries:
                    self.summaries[row.key, summary.system] = summary.id, summary.example
            self.session.expunge_all()
        for part in in_parts(self.rows("bounds.jsonl", records.BOUND)):
            self.insert(BoundRow, [bound | {"document_id": self.documents[bound["document_id"]]} for bound in part])

    def load_scores(self) -> None:
        """Store the scores that the database does not have. Raises `ScoresDiffer`, `BadBundle`."""
        numbers: dict[str, int] = {}
        for part in in_parts(self.rows(SCORES, records.SCORE)):
            by_signature: dict[str, dict[str, tuple[Any, ...]]] = {}
            for record in part:
                if record["signature"] not in numbers:
                    numbers[record["signature"]] = self.signature(record["metric"], record["signature"])
                example = self.summaries[record["document_id"], record["system"]][1]
                score = record["value"], record["missing"], record["truncated"]
                if by_signature.setdefault(record["signature"], {}).setdefault(example, score) != score:
                    raise BadBundle(f"{SCORES}: two summaries of the same texts have different scores")
            for signature, scores in by_signature.items():
                self.add_scores(signature, numbers[signature], scores)

    def signature(self, metric: str, text: str) -> int:
        """Return the number of a signature, which is stored if it is new."""
        row = self.session.scalar(select(SignatureRow).where(SignatureRow.text == text).with_for_update())
        if row is None:
            row = SignatureRow(metric=metric, text=text)
            self.session.add(row)
            self.session.flush()
        return row.id

    def add_scores(self, signature: str, number: int, scores: Mapping[str, tuple[Any, ...]]) -> None:
        """Store scores of one signature; existing ones must be the same. Raises `ScoresDiffer`."""
        of_signature = select(ScoreRow).where(ScoreRow.signature_id == number)
        known = {
            row.example: (row.value, row.missing, row.truncated)
            for batch in batches(list(scores))
            for row in self.session.scalars(of_signature.where(ScoreRow.example.in_(batch)))
        }
        if any(scores[example] != score for example, score in known.items()):
            raise ScoresDiffer(
                f"this database has other scores of the same texts under {signature}; open the bundle in another "
                "database (RELEVANCE_DATABASE_URL)"
            )
        columns = ("value", "missing", "truncated")
        self.insert(
            ScoreRow,
            [
                {"signature_id": number, "example": example, **dict(zip(columns, score, strict=True))}
                for example, score in scores.items()
                if example not in known
            ],
        )

    def load_pairs(self, study: StudyRow) -> None:
        """Store the pairs, with the number of their judgments by annotators who are not excluded."""
        people = self.rows("people.jsonl", records.PERSON)
        excluded = {person["annotator"] for person in people if person["excluded_at"] is not None}
        judged: Counter[int] = Counter()
        for assignment in self.rows("judgments.jsonl", records.ASSIGNMENT):
            judged[assignment["pair"]] += assignment["judgment"] is not None and assignment["annotator"] not in excluded
        for pair in self.rows("pairs.jsonl", records.PAIR):
            first, second = (self.summaries[pair[side]][0] for side in records.SIDES)
            row = PairRow(
                study_id=study.id,
                position=pair["position"],
                document_id=self.documents[pair["document_id"]],
                first_id=first,
                second_id=second,
                judgments=judged[pair["position"]],
                inclusion=pair["inclusion"],
                expected_id={"first": first, "second": second, None: None}[pair["expected"]],
            )
            self.add(row)
            self.pairs.append((row.id, first, second))

    def load_people(self, study: StudyRow) -> None:
        """Store the annotators under their pseudonyms, with their events; their links are new."""
        for person in self.rows("people.jsonl", records.PERSON):
            lists = {part: person.pop(part) for part in ("consent", "events", "training")}
            name = person.pop("annotator")
            row = AnnotatorRow(**person, study_id=study.id, name=name, token=secrets.token_urlsafe(24))
            self.add(row)
            self.people[name] = row.id
            if lists["consent"] is not None:
                self.session.add(ConsentRow(**lists["consent"], annotator_id=row.id))
            self.insert(EventRow, [event | {"annotator_id": row.id} for event in lists["events"]])
            self.insert(TrainingAnswerRow, [answer | {"annotator_id": row.id} for answer in lists["training"]])
        answers = self.rows("surveys.jsonl", records.SURVEY_ANSWER)
        self.insert(SurveyAnswerRow, [self.with_annotator(answer) for answer in answers])

    def load_judgments(self) -> None:
        """Store assignments and the annotators' choices, with all earlier ones."""
        judgments: dict[int, tuple[int, dict[str, Any], int]] = {}
        for assignment in self.rows("judgments.jsonl", records.ASSIGNMENT):
            pair, judgment = assignment.pop("pair"), assignment.pop("judgment")
            left = self.side(pair, assignment.pop("left"))
            row = AssignmentRow(**self.with_annotator(assignment), pair_id=self.pairs[pair][0], left_id=left)
            self.add(row)
            if judgment is not None:
                judgments[judgment.pop("place")] = row.id, judgment, pair
        for _, (assignment_id, judgment, pair) in sorted(judgments.items()):
            earlier = judgment.pop("earlier")
            chosen = JudgmentRow(**self.with_choice(judgment, pair), assignment_id=assignment_id)
            self.add(chosen)
            self.insert(
                RevisionRow, [self.with_choice(revision, pair) | {"judgment_id": chosen.id} for revision in earlier]
            )

    def load_other_judges(self, study: StudyRow) -> None:
        """Store the verdicts of adjudicators and language models."""
        decided = []
        for decision in self.rows("adjudications.jsonl", records.ADJUDICATION):
            pair = decision.pop("pair")
            decided.append(self.with_choice(decision, pair) | {"pair_id": self.pairs[pair][0]})
        self.insert(AdjudicationRow, decided)
        models: dict[str, int] = {}
        for model in self.rows("models.jsonl", records.MODEL):
            row = ModelAnnotatorRow(**model, study_id=study.id)
            self.add(row)
            models[row.name] = row.id
        judged = []
        for judgment in self.rows("model_judgments.jsonl", records.MODEL_JUDGMENT):
            name, pair = judgment.pop("model"), judgment.pop("pair")
            judged.append(judgment | {"model_id": models[name], "pair_id": self.pairs[pair][0]})
        self.insert(ModelJudgmentRow, judged)

    def with_annotator(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return a record with the number of its annotator."""
        rest = {name: value for name, value in record.items() if name != "annotator"}
        return rest | {"annotator_id": self.people[record["annotator"]]}

    def with_choice(self, record: Mapping[str, Any], pair: int) -> dict[str, Any]:
        """Return a record with the number of the chosen summary of a pair."""
        rest = {name: value for name, value in record.items() if name != "chosen"}
        return rest | {"chosen_id": self.side(pair, record["chosen"])}

    def add(self, row: Any) -> None:
        """Store a row at once, so that it has a number."""
        self.session.add(row)
        self.session.flush()

    def insert(self, table: type[Any], rows: list[dict[str, Any]]) -> None:
        """Store rows whose numbers are not needed."""
        if rows:
            self.session.execute(insert(table), rows)


def in_parts(rows: Iterable[T]) -> Iterator[list[T]]:
    """Yield rows in parts that fit into one statement."""
    waiting = iter(rows)
    while part := list(islice(waiting, BATCH)):
        yield part


def to_document(record: Mapping[str, Any]) -> Document:
    """Return a document of a bundle."""
    source = record["source"]
    return Document(
        id=record["id"],
        source=source if isinstance(source, str) else tuple(source),
        references=tuple(record["references"]),
        title=record["title"],
        questions=tuple(ClozeQuestion(question["question"], question["answer"]) for question in record["questions"]),
    )


def to_summaries(record: Mapping[str, Any]) -> list[Summary]:
    """Return the summaries of a document of a bundle."""
    return [
        Summary(
            record["id"],
            summary["system"],
            summary["text"],
            summary["human"],
            tuple(summary["remarks"] or ()),
            annotators=summary["annotators"] or {},
        )
        for summary in record["summaries"]
    ]
