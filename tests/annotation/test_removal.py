"""Studies renamed, archived and deleted, alone or with their data set."""

from collections.abc import Callable
from datetime import timedelta
from threading import Barrier, Thread

import pytest
from sqlalchemy import Engine, func, inspect, select, table
from sqlalchemy.orm import Session

from relevance.annotation.keyword_records import FoundKeyword, ReviewSpec
from relevance.annotation.keyword_reviews import KeywordReviewStore
from relevance.annotation.people import PeopleStore
from relevance.annotation.protocol.store import ProtocolStore
from relevance.annotation.protocol.tables import (
    AdjudicationRow,
    ConsentRow,
    ModelAnnotatorRow,
    ModelJudgmentRow,
    SurveyAnswerRow,
)
from relevance.annotation.records import Study, StudyExists, StudySpec, UnknownStudy
from relevance.annotation.removal import StudyInUse, StudyRemovalStore
from relevance.annotation.results import load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import PairRow
from relevance.data.database import now
from relevance.data.rights import Right
from relevance.data.store import DatasetInUse, DataStore, StoreError
from relevance.hosting.accounts import AccountStore
from relevance.hosting.links import LinkStore
from relevance.hosting.sign_ins import SignInStore
from tests.hosting.people import add_account

Create = Callable[..., Study]
Judge = Callable[..., None]

OTHERS = {"alembic_version", "datasets", "documents", "summaries", "users", "versions", "signatures", "scores"}
"""Tables of which rows stay when a study goes."""


@pytest.fixture
def removal(engine: Engine) -> StudyRemovalStore:
    return StudyRemovalStore(engine)


def count_rows(engine: Engine) -> dict[str, int]:
    """How many rows there are, by table, where there are any."""
    with engine.connect() as connection:
        names = inspect(connection).get_table_names()
        counts = {name: connection.scalar(select(func.count()).select_from(table(name))) or 0 for name in names}
    return {name: count for name, count in counts.items() if count}


@pytest.fixture
def lively(annotation_store: AnnotationStore, engine: Engine, create: Create, judge: Judge) -> str:
    """A study with something in every table that a study can have rows in."""
    create(rule="all", count=4, checks=1)
    ann = annotation_store.invite(study="S", name="Ann")
    for step in range(3):
        task = annotation_store.next_task(ann)
        assert task is not None
        judge(ann, task.assignment_id, "left")
        if not step:
            judge(ann, task.assignment_id, "right", change=True)
    add_account(engine, "rita")
    AccountStore(engine).grant("S", "rita", Right.READ)
    links = LinkStore(engine)
    links.enter(links.add_link("S", kind="panel").token, {"person": "somebody"})
    SignInStore(engine).sign_in(annotator_id=ann.id)
    PeopleStore(engine).exclude("S", "Ann", "why")
    SignInStore(engine).sign_in(annotator_id=ann.id)
    with Session(engine) as session:
        pair_id = session.scalars(select(PairRow.id).limit(1)).one()
        model = ModelAnnotatorRow(study_id=annotation_store.study("S").id, name="m", signature="m")
        session.add_all(
            [
                ConsentRow(annotator_id=ann.id, sha256="0" * 64, agreed=True),
                SurveyAnswerRow(annotator_id=ann.id, survey="before", question="q", answer=1),
                AdjudicationRow(pair_id=pair_id, adjudicator="Ada"),
                model,
            ]
        )
        session.flush()
        session.add(ModelJudgmentRow(model_id=model.id, pair_id=pair_id, tokens_in=1, tokens_out=1))
        session.commit()
    return "S"


def test_a_study_is_deleted_with_all_that_belongs_to_it(
    annotation_store: AnnotationStore, removal: StudyRemovalStore, engine: Engine, create: Create, lively: str
) -> None:
    create(name="other")
    with pytest.raises(StudyInUse, match="3 judgments, 1 adjudication, 1 verdict"):
        removal.delete_study(lively)
    before = count_rows(engine)
    assert before["judgments"] == 3
    removal.delete_study(lively, with_judgments=True)
    after = count_rows(engine)
    assert set(after) - OTHERS == {"studies", "pairs", "protocols", "sign_ins"}  # of the other study, and Rita's own
    assert (after["studies"], after["sign_ins"]) == (1, 1)
    assert {name: after[name] for name in OTHERS & set(after)} == {name: before[name] for name in OTHERS & set(after)}
    with pytest.raises(UnknownStudy):
        removal.delete_study(lively, with_judgments=True)
    removal.delete_study("other")
    create()
    assert len(load_judgments(annotation_store, "S")) == 0


def test_a_study_of_an_old_name_has_versions_of_its_own(
    annotation_store: AnnotationStore, removal: StudyRemovalStore, create: Create
) -> None:
    create()
    version = annotation_store.version("S")
    removal.delete_study("S")
    create()
    assert annotation_store.version("S") != version


def test_a_study_is_deleted_while_people_judge_in_it(
    annotation_store: AnnotationStore, removal: StudyRemovalStore, engine: Engine, create: Create
) -> None:
    create(rule="all", judgments_per_pair=3)
    people = [annotation_store.join(study="S", name=f"p{number}") for number in range(3)]
    barrier, judged = Barrier(4), list[StoreError]()

    def work(number: int) -> None:
        barrier.wait()
        try:
            while (task := annotation_store.next_task(people[number])) is not None:
                shown = now() - timedelta(seconds=1)
                annotation_store.judge(
                    annotator=people[number], assignment_id=task.assignment_id, choice="left", presented_at=shown
                )
        except StoreError as error:
            judged.append(error)

    threads = [Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    barrier.wait()
    removal.delete_study("S", with_judgments=True)
    for thread in threads:
        thread.join()
    assert {str(error) for error in judged} <= {"the database has no work of this annotator"}
    assert set(count_rows(engine)) <= OTHERS


def test_a_renamed_study_says_so_in_its_file(
    annotation_store: AnnotationStore, removal: StudyRemovalStore, engine: Engine, create: Create
) -> None:
    create(), create(name="T")
    ann = annotation_store.invite(study="S", name="Ann")
    protocols = ProtocolStore(engine)
    first = protocols.export("S")
    with pytest.raises(StudyExists):
        removal.rename_study("S", "T")
    assert removal.rename_study("S", " New ").name == "New"
    assert annotation_store.annotator(ann.token).study == "New"
    assert protocols.export("New", 1) == first
    assert protocols.protocol("New").name == "New"
    removal.rename_study("New", "New")
    assert [version.version for version in protocols.history("New")] == [1, 2]
    with pytest.raises(UnknownStudy):
        annotation_store.study("S")


def test_what_is_archived_is_in_no_list(
    annotation_store: AnnotationStore, data_store: DataStore, removal: StudyRemovalStore, create: Create
) -> None:
    create(), create(name="T")
    removal.archive_study("S")
    since = annotation_store.study("S").archived_at
    removal.archive_study("S")
    assert annotation_store.study("S").archived_at == since is not None
    assert [study.name for study in annotation_store.studies()] == ["T"]
    assert [study.name for study in annotation_store.studies(archived=True)] == ["T", "S"]
    removal.archive_study("S", archived=False)
    assert [study.name for study in annotation_store.studies()] == ["T", "S"]
    data_store.archive_dataset("news")
    assert data_store.datasets() == []
    assert [dataset.archived_at is None for dataset in data_store.datasets(archived=True)] == [False]
    data_store.archive_dataset("news", archived=False)
    assert [dataset.name for dataset in data_store.datasets()] == ["news"]


def test_a_data_set_is_deleted_with_what_is_made_of_it(
    data_store: DataStore, removal: StudyRemovalStore, engine: Engine, create: Create, lively: str
) -> None:
    create(name="T")
    keyword = FoundKeyword(("reference",), ((0, 0, 9),), ("tfidf",))
    KeywordReviewStore(engine).create_review(
        ReviewSpec(
            name="K",
            dataset="news",
            extractors=("tfidf",),
            signature="k",
            keywords={f"d{n}": [keyword] for n in range(6)},
        )
    )
    with pytest.raises(DatasetInUse):
        data_store.delete_dataset("news")
    with pytest.raises(StudyInUse):
        removal.delete_dataset("news")
    assert [study.name for study in AnnotationStore(engine).studies()] == ["T", lively]
    assert removal.delete_dataset("news", with_judgments=True) == [lively, "T"]
    assert set(count_rows(engine)) <= {"alembic_version", "users", "versions", "sign_ins"}


def test_a_data_set_stays_with_the_studies_of_others(engine: Engine, dataset: str) -> None:
    carla, sven = add_account(engine, "carla"), add_account(engine, "sven")
    DataStore(engine, carla).add_dataset(name="hers", format="x", sha256="", records=DataStore(engine).records(dataset))
    AnnotationStore(engine, sven).create_study(StudySpec(name="his", dataset="hers", rule="random"))
    with pytest.raises(DatasetInUse, match="studies of others"):
        StudyRemovalStore(engine, carla).delete_dataset("hers", with_judgments=True)
    assert AnnotationStore(engine, sven).study("his").dataset == "hers"


def test_a_name_that_is_taken_at_this_moment_is_refused(
    removal: StudyRemovalStore, create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    create()
    create(name="T")
    monkeypatch.setattr("relevance.annotation.removal.has_named", lambda *_: False)  # as it was when it was asked
    with pytest.raises(StudyExists, match="already a study 'T'"):
        removal.rename_study("S", "T")
