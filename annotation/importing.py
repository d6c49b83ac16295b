"""Import of judgments that come with a data set: it is stored together with a closed study of them, or not at all."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from relevance.annotation.phases import FINISHED
from relevance.annotation.protocol.current import add_version
from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.pinning import hash_documents, hash_of
from relevance.annotation.protocol.records import protocol_of
from relevance.annotation.records import Study, StudyExists, StudySpec
from relevance.annotation.sampling import GIVEN, PairSample, SampledPair
from relevance.annotation.store import AnnotationStore
from relevance.annotation.studies import insert_pairs, study_columns
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, StudyRow
from relevance.data.cleaning import RULES
from relevance.data.database import now
from relevance.data.foreign_marks import check_marks
from relevance.data.importers import JUDGED, read_judgments, tell_format
from relevance.data.importers.mapping import Columns, write_columns
from relevance.data.importers.pairwise import BOTH_BAD, LEFT, TIE, GivenJudgment, JudgedPairs, Question
from relevance.data.importing import Reading, describe_import, fingerprint, import_file
from relevance.data.reading import Say, quote_value, say_nothing
from relevance.data.records import BadRecord
from relevance.data.rights import visitor_of
from relevance.data.store import DataStore, checked_name
from relevance.data.store.base import has_named, insert_named
from relevance.data.store.datasets import find_dataset, hash_records, insert_dataset
from relevance.data.tables import DocumentRow, SummaryRow
from relevance.data.wording import format_count

TIES = (TIE, BOTH_BAD)

ASKED = "Which summary is better?"
QUESTIONS = {"lmarena": "Which answer is better?"}
"""The question that people were asked, by the format of the file, where it is not `ASKED`."""

CAME = "These judgments came with the data set. They were not made here, and nobody can add to them."
CAME_LATER = "These judgments came from a file. They were not made here, and nobody can add to them."


class JudgedFile(NamedTuple):
    """A file of comparisons that was read, with the studies that it makes."""

    format: str
    given: JudgedPairs
    columns: Columns | None
    """How the columns of a table were read."""
    told: tuple[str, ...]
    """Notes on what was guessed, left out and counted."""
    studies: Mapping[str, tuple[Question, list[GivenJudgment]]]
    """By name: the question of a study and its judgments."""


def import_any(
    data: DataStore,
    annotation: AnnotationStore,
    path: Path,
    *,
    name: str,
    system: str | None = None,
    of: str | None = None,
    reading: Reading = Reading(),  # noqa: B008  immutable
    say: Say = say_nothing,
) -> str:
    """Import a file as `relevance.data.importing.import_file` does, and its judgments of pairs, if any, as a study.

    With `of`, they are of the summaries of that data set. Raises what that function raises, and `StudyExists`.
    """
    reading = reading._replace(format=reading.format or tell_format(path, reading.columns, say))
    if reading.format not in JUDGED:
        if of is not None:
            raise BadRecord(f"{path.name}:1: a file of {reading.format} has no choices that could be of {of}")
        return import_file(data, path, name=name, system=system, reading=reading, say=say)
    studies = import_judgments(annotation, path, name=name, of=of, reading=reading, say=say)
    told = [
        f"{format_count(study.judgments, 'judgment')} of {format_count(study.pairs, 'pair')} as the study {study.name}"
        for study in studies
    ]
    if of is not None:
        return f"imported {', and '.join(told)} of {of}"
    return ", and ".join([describe_import(data.dataset(studies[0].dataset)), *told])


def import_judgments(
    store: AnnotationStore,
    path: Path,
    *,
    name: str,
    of: str | None = None,
    reading: Reading,
    say: Say = say_nothing,
) -> list[Study]:
    """Store a file of comparisons as the data set `name` and a closed study of that name, or as a study `of` another.

    If people were asked several questions about each pair, there is a study for each, called `name: QUESTION`. A
    study's pairs are those that were compared, in the order of the file; its annotators are numbered. If it raises
    `BadRecord`, `BadColumns`, `DatasetExists`, `UnknownDataset` or `StudyExists`, nothing is stored.
    """
    name = checked_name(name)
    file = read_file(path, name, reading, say)
    if of is not None and file.columns is not None and "document_id" not in file.columns.roles:
        raise BadRecord(f"{path.name}:1: which documents of {of} the judgments are of is not known without their ids")
    records = [] if of is not None else list(check_marks(file.given.records, say, clean=reading.clean))
    hashes, digest = hash_records(records), fingerprint(path, file.format, file.columns)
    with store.changing("texts") as session:
        for study in file.studies:
            if has_named(session, StudyRow, study):
                raise exists_already(study)
        if of is None:
            dataset = insert_dataset(
                session,
                name=name,
                format=file.format,
                sha256=digest,
                records=records,
                hashes=hashes,
                cleaned=RULES if reading.clean else None,
                columns=None if file.columns is None else write_columns(file.columns),
            )
        else:
            dataset = find_dataset(session, of)
        summaries = read_summaries(session, dataset.id)
        systems = {system for _, system in summaries}
        if of is not None:
            check_judged(file.given.judgments, summaries, of)
            systems = {system for judgment in file.given.judgments for system in (judgment.left, judgment.right)}
        for study, (question, judgments) in file.studies.items():
            spec = StudySpec(
                name=study,
                dataset=dataset.name,
                systems=tuple(sorted(systems)),
                rule=GIVEN,
                ties=any(judgment.choice in TIES for judgment in judgments),
                question=question.wording or QUESTIONS.get(file.format, ASKED),
                instructions="\n".join(
                    [CAME if of is None else CAME_LATER, "", *(f"- {note}" for note in file.told)]
                ).strip(),
            )
            insert_study(session, spec, judgments, summaries, file.given.identical)
    return [store.study(study) for study in file.studies]


def read_file(path: Path, name: str, reading: Reading, say: Say) -> JudgedFile:
    """Read a file of comparisons, whose studies are called `name`. Raises `BadRecord` and `BadColumns`."""
    format = reading.format or tell_format(path, reading.columns, say)
    kept: list[Columns] = []
    told: list[str] = []

    def tell(sentence: str) -> None:
        told.append(sentence)
        say(sentence)

    given = read_judgments(path, format, reading.columns, tell, kept.append)
    for note in given.notes:
        tell(note)
    studies: dict[str, tuple[Question, list[GivenJudgment]]] = {}
    for judgment in given.judgments:
        question = judgment.question.name
        studies.setdefault(checked_name(name_study(name, question)), (judgment.question, []))[1].append(judgment)
    return JudgedFile(format, given, kept[0] if kept else None, tuple(told), studies)


def name_study(name: str, question: str) -> str:
    """Return the name of the study of a question, which is `name` where the question has none.

    >>> name_study("News", "fluency")
    'News: fluency'
    """
    return f"{name}: {question}" if question else name


def check_judged(
    judgments: Sequence[GivenJudgment], summaries: Mapping[tuple[str, str], tuple[int, int]], dataset: str
) -> None:
    """Refuse judgments of a summary that the data set does not have. Raises `BadRecord`."""
    for judgment in judgments:
        for system in (judgment.left, judgment.right):
            if (judgment.document_id, system) not in summaries:
                judgment.place.refuse(
                    f"the data set {dataset} has no summary of {quote_value(judgment.document_id)} by "
                    f"{quote_value(system)}: correct the names, or leave the row out"
                )


def exists_already(name: str) -> StudyExists:
    """Return the error of a study whose name is taken."""
    return StudyExists(f"there is already a study {name!r}; choose another name")


def insert_study(
    session: Session,
    spec: StudySpec,
    judgments: Sequence[GivenJudgment],
    summaries: dict[tuple[str, str], tuple[int, int]],
    identical: int,
) -> None:
    """Store a closed study of judgments with its pairs and annotators; `identical` is the number of pairs left out."""
    pairs = pair_up(judgments, summaries)
    sample = PairSample(tuple(pairs), eligible=len(pairs), identical=identical, unscored=0)
    study = StudyRow(name=spec.name, **study_columns(session, spec, sample), closed_at=now())
    study.owner_id = visitor_of(session).user_id
    insert_named(session, study, exists_already(spec.name))
    pinned = hash_of(hash_documents(session, DocumentRow.dataset_id == study.dataset_id, spec.systems))
    protocol = protocol_of(spec, pinned)
    judging = replace(protocol.judging, both_bad=any(judgment.choice == BOTH_BAD for judgment in judgments))
    add_version(session, study, write_protocol(replace(protocol, judging=judging)), study.owner_id)
    insert_pairs(session, study, sample)
    insert_judgments(session, study, judgments, summaries)


def read_summaries(session: Session, dataset_id: int) -> dict[tuple[str, str], tuple[int, int]]:
    """Read the numbers of each document and summary of a data set, by the document's id and the system."""
    rows = session.execute(
        select(DocumentRow.key, SummaryRow.system, DocumentRow.id, SummaryRow.id)
        .join(SummaryRow, SummaryRow.document_id == DocumentRow.id)
        .where(DocumentRow.dataset_id == dataset_id)
    )
    return {(key, system): (document, summary) for key, system, document, summary in rows}


def pair_up(judgments: Sequence[GivenJudgment], summaries: dict[tuple[str, str], tuple[int, int]]) -> list[SampledPair]:
    """Return the judged pairs, each once, in the order of their first judgment; each is sorted by system name."""
    pairs: dict[SampledPair, None] = {}
    for judgment in judgments:
        (document, first), (_, second) = (
            summaries[judgment.document_id, system] for system in sorted((judgment.left, judgment.right))
        )
        pairs[SampledPair(document, first, second)] = None
    return list(pairs)


def insert_judgments(
    session: Session,
    study: StudyRow,
    judgments: Sequence[GivenJudgment],
    summaries: dict[tuple[str, str], tuple[int, int]],
) -> None:
    """Store the annotators, their assignments and their choices, in the order of the file."""
    time = now()
    names = dict.fromkeys(judgment.annotator for judgment in judgments)
    session.execute(insert(AnnotatorRow), [annotator_columns(study, name, time) for name in names])
    people = {
        name: number
        for number, name in session.execute(
            select(AnnotatorRow.id, AnnotatorRow.name).where(AnnotatorRow.study_id == study.id)
        )
    }
    of_study = select(PairRow.id, PairRow.first_id, PairRow.second_id).where(PairRow.study_id == study.id)
    pairs = {frozenset(shown): number for number, *shown in session.execute(of_study)}
    rows = []
    for judgment in judgments:
        left, right = (summaries[judgment.document_id, system][1] for system in (judgment.left, judgment.right))
        columns = {
            "chosen_id": None if judgment.choice in TIES else left if judgment.choice == LEFT else right,
            "both_bad": judgment.choice == BOTH_BAD,
            "decided_at": judgment.decided_at,
            "rationale": judgment.comment,
        }
        rows.append((people[judgment.annotator], pairs[frozenset((left, right))], left, columns))
    session.execute(  # by tables and not by classes, which send rows with other nulls than the one before one by one
        insert(AssignmentRow.__table__),  # type: ignore[arg-type]
        [{"annotator_id": who, "pair_id": pair, "left_id": left, "assigned_at": time} for who, pair, left, _ in rows],
    )
    given = {
        (who, pair): number
        for number, who, pair in session.execute(
            select(AssignmentRow.id, AssignmentRow.annotator_id, AssignmentRow.pair_id)
            .join(AnnotatorRow, AnnotatorRow.id == AssignmentRow.annotator_id)
            .where(AnnotatorRow.study_id == study.id)
        )
    }
    session.execute(
        insert(JudgmentRow.__table__),  # type: ignore[arg-type]
        [{"assignment_id": given[who, pair], "revision": 1, **judgment} for who, pair, _, judgment in rows],
    )
    counted = select(func.count()).where(AssignmentRow.pair_id == PairRow.id).scalar_subquery()
    session.execute(update(PairRow).where(PairRow.study_id == study.id).values(judgments=counted))


def annotator_columns(study: StudyRow, name: str, time: datetime) -> dict[str, Any]:
    """Return the columns of an annotator who judged elsewhere, and whose work nobody can open."""
    return {
        "study_id": study.id,
        "name": name,
        "token": secrets.token_urlsafe(24),
        "invited": True,
        "phase": FINISHED,
        "phase_at": time,
    }
