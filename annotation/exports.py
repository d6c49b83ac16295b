"""The exports of a study: judgments, decisions of adjudicators, people, surveys, and the scores of its data set."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from sqlalchemy import JSON, column, select, table
from sqlalchemy.orm import Session

from relevance.annotation.adjudication import AdjudicationStore, export_adjudications
from relevance.annotation.model_judgments import ModelStore
from relevance.annotation.people import PeopleStore, Person
from relevance.annotation.protocol.tables import ConsentRow, SurveyAnswerRow
from relevance.annotation.results import export_judgments, export_scores, format_time, load_judged_texts, name_people
from relevance.annotation.store import AnnotationStore
from relevance.annotation.studies import find_study
from relevance.annotation.tables import AnnotatorRow
from relevance.data.export import FORMATS, format_timestamp
from relevance.data.exporters import crowd_kit, lmarena
from relevance.data.exporters.pairwise import JudgedTexts
from relevance.data.rights import Right
from relevance.data.store import DataStore


class PairwiseFormat(NamedTuple):
    """A format of another program: its label, the kind of file, and the function that makes a record of a judgment.

    The function returns None for a tie where the format has none.
    """

    label: str
    file: str
    record: Callable[[JudgedTexts], dict[str, Any] | None]


EXPORTS = {
    "judgments": "a row for each pair that somebody was given: who chose what, when, and how fast",
    "adjudications": "a row for each decision of an adjudicator, including those changed later",
    "models": "a row for each pair that a language model was asked about: what it said in each order",
    "people": "a row for each annotator: phase, pace, agreement with the others, checks, exclusion",
    "surveys": "a row for each answer to a question of the surveys",
    "scores": "a row for each summary of the data set and each metric",
}
"""The exports, each with its description."""

PAIRWISE: dict[str, PairwiseFormat] = {
    "lmarena": PairwiseFormat("LMArena", "jsonl", lmarena.record),
    "crowd-kit": PairwiseFormat("Crowd-Kit", "csv", crowd_kit.record),
}
"""The formats of other programs in which judgments can be written."""

NAMED = ("judgments", "adjudications", "people", "surveys")
"""The exports that name people."""

ENTRIES = table("entries", column("annotator_id"), column("person"), column("panel_ids", JSON))
"""The columns of `relevance.hosting.tables` with the names that a panel gives to those who entered by its links."""


def formats_of(what: str) -> tuple[str, ...]:
    """Return the formats in which an export of `EXPORTS` can be written."""
    return (*FORMATS, *PAIRWISE) if what == "judgments" else FORMATS


def export_file(
    data: DataStore, annotation: AnnotationStore, study: str, what: str, format: str, *, names: bool = False
) -> Iterable[dict[str, Any]]:
    """Return the records of an export of `EXPORTS` in one of its formats (`formats_of`).

    Ties are left out where the format has none. Raises `UnknownStudy`, `NotAllowed`.
    """
    if format in PAIRWISE:
        return export_pairs(annotation, study, format, names=names)[0]
    return export_study(data, annotation, study, what, names=names)


def kind_of_file(format: str) -> str:
    """Return the one of `FORMATS` that a file of a format is written as."""
    return PAIRWISE[format].file if format in PAIRWISE else format


def name_file(study: str, what: str, format: str) -> str:
    """Return the name under which a file is saved."""
    return f"{study} {what}.{f'{format}.{PAIRWISE[format].file}' if format in PAIRWISE else format}"


def export_study(
    data: DataStore, annotation: AnnotationStore, study: str, what: str, *, names: bool = False
) -> Iterable[dict[str, Any]]:
    """Return the records of an export of `EXPORTS`.

    Annotators are called P1, P2 and so on, and adjudicators are numbered; their `names`, and the panels' names of them,
    are for the study's managers. Texts that they wrote are not changed. Raises `UnknownStudy`, `NotAllowed`.
    """
    if what == "judgments":
        return export_judgments(annotation, study, names=names)
    if what == "adjudications":
        return export_adjudications(AdjudicationStore(annotation.engine, annotation.actor), study, names=names)
    if what == "models":
        return ModelStore(annotation.engine, annotation.actor).export(study)
    if what == "people":
        return export_people(annotation, study, names=names)
    if what == "surveys":
        return export_surveys(annotation, study, names=names)
    return export_scores(data, annotation.study(study).dataset)


def export_pairs(
    annotation: AnnotationStore, study: str, format: str, *, names: bool = False
) -> tuple[list[dict[str, Any]], int]:
    """Return the judgments of a study in a format of `PAIRWISE`, and the number of ties that it leaves out.

    Annotators are called as in `export_study`. Raises `UnknownStudy`, `NotAllowed`.
    """
    judged = load_judged_texts(annotation, study, names=names)
    records = [record for pair in judged if (record := PAIRWISE[format].record(pair)) is not None]
    return records, len(judged) - len(records)


def export_people(annotation: AnnotationStore, study: str, *, names: bool = False) -> list[dict[str, Any]]:
    """Return a record for each annotator of a study, with `names` also the panel's names of them.

    Raises `UnknownStudy`, `NotAllowed`.
    """
    people = PeopleStore(annotation.engine, annotation.actor).people(study)
    with annotation.reading() as session:
        row = find_study(session, study, Right.MANAGE if names else Right.READ)
        called = name_people(session, row.id, names=names)
        of_study = ConsentRow.annotator_id.in_(select(AnnotatorRow.id).where(AnnotatorRow.study_id == row.id))
        consents = {consent.annotator_id: consent for consent in session.scalars(select(ConsentRow).where(of_study))}
        panels = read_panel_ids(session, row.id) if names else {}
        return [
            {
                "study": row.name,
                "annotator": called[person.id],
                **({"panel_ids": panels.get(person.id)} if names else {}),
                **person_record(person),
                "consent": consents[person.id].agreed if person.id in consents else None,
                "consent_sha256": consents[person.id].sha256 if person.id in consents else None,
            }
            for person in people
        ]


def person_record(person: Person) -> dict[str, Any]:
    """Return an annotator's record as plain JSON values."""
    done = person.progress
    return {
        "came_by": person.came_by,
        "phase": person.phase,
        "phase_since": format_timestamp(person.phase_since),
        "judged": done.judged,
        "skipped": done.skipped,
        "median_seconds": done.seconds,
        "ties": done.ties,
        "both_bad": done.both_bad,
        "chose_left": done.left,
        "agreed": person.agreed,
        "compared": person.compared,
        "checks_passed": done.checks_passed,
        "checks": done.checks,
        "warnings": person.warnings,
        "seen_at": format_time(person.seen_at),
        "paused_at": format_time(person.paused_at),
        "excluded_at": format_time(person.excluded_at),
        "exclusion_reason": person.exclusion_reason,
        "erased_at": format_time(person.erased_at),
    }


def export_surveys(annotation: AnnotationStore, study: str, *, names: bool = False) -> list[dict[str, Any]]:
    """Return a record for each answer to the surveys of a study. Raises `UnknownStudy`, `NotAllowed`."""
    with annotation.reading() as session:
        row = find_study(session, study, Right.MANAGE if names else Right.READ)
        called = name_people(session, row.id, names=names)
        answers = session.execute(
            select(SurveyAnswerRow, AnnotatorRow.excluded_at)
            .join(AnnotatorRow, AnnotatorRow.id == SurveyAnswerRow.annotator_id)
            .where(AnnotatorRow.study_id == row.id)
            .order_by(AnnotatorRow.id, SurveyAnswerRow.answered_at, SurveyAnswerRow.question)
        ).all()
        return [
            {
                "study": row.name,
                "annotator": called[answer.annotator_id],
                "excluded": excluded_at is not None,
                "survey": answer.survey,
                "question": answer.question,
                "answer": answer.answer,
                "answered_at": format_timestamp(answer.answered_at),
            }
            for answer, excluded_at in answers
        ]


def read_panel_ids(session: Session, study_id: int) -> dict[int, dict[str, str]]:
    """Read the panels' names of a study's annotators, by annotator number."""
    of_study = select(AnnotatorRow.id).where(AnnotatorRow.study_id == study_id)
    entries = session.execute(select(ENTRIES).where(ENTRIES.c.annotator_id.in_(of_study)))
    return {entry.annotator_id: {"person": entry.person, **(entry.panel_ids or {})} for entry in entries}
