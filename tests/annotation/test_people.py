"""The people of a study: paused, excluded and restored beside people who judge, and erased."""

from collections.abc import Callable
from datetime import timedelta
from threading import Barrier, Thread

import pytest
from sqlalchemy import Engine, func, select, update
from sqlalchemy.orm import Session

from relevance.annotation.people import PeopleStore, Person, UnknownAnnotator, compare_with_others
from relevance.annotation.phase_store import PhaseStore
from relevance.annotation.protocol.tables import ConsentRow, EventRow, SurveyAnswerRow, TrainingAnswerRow
from relevance.annotation.records import Annotator, NameTaken, NotAssigned, Study, UnknownInvite
from relevance.annotation.results import export_judgments, load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.annotation.study_data import read_study
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, RevisionRow
from relevance.data.database import now
from relevance.data.store import DataStore, StoreError
from relevance.hosting.links import LinkStore
from relevance.hosting.sign_ins import SignInStore
from relevance.hosting.tables import EntryRow, SignInRow

Create = Callable[..., Study]
Judge = Callable[..., None]


@pytest.fixture
def people(engine: Engine) -> PeopleStore:
    return PeopleStore(engine)


def judge_some(store: AnnotationStore, judge: Judge, annotator: Annotator, count: int, choice: str = "left") -> None:
    """Judge a number of pairs, and be given the next one."""
    for _ in range(count):
        task = store.next_task(annotator)
        assert task is not None
        judge(annotator, task.assignment_id, choice, rationale=f"because {annotator.name} says so")
    store.next_task(annotator)


def person(people: PeopleStore, name: str) -> Person:
    (result,) = (person for person in people.people("S") if person.name == name)
    return result


def counted(engine: Engine) -> bool:
    """Whether each pair counts the judgments of those who are not excluded."""
    with Session(engine) as session:
        kept = (
            select(func.count(JudgmentRow.id))
            .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
            .join(AnnotatorRow, AnnotatorRow.id == AssignmentRow.annotator_id)
            .where(AssignmentRow.pair_id == PairRow.id, AnnotatorRow.excluded_at.is_(None))
            .scalar_subquery()
        )
        return all(count == result for count, result in session.execute(select(PairRow.judgments, kept)))


# --- exclusion --------------------------------------------------------------------------------------------------


def test_an_excluded_annotator_leaves_the_analysis_and_stays_in_the_data(
    annotation_store: AnnotationStore,
    data_store: DataStore,
    people: PeopleStore,
    engine: Engine,
    create: Create,
    judge: Judge,
) -> None:
    create(rule="all", count=4, checks=1)
    ann, bob = (annotation_store.join(study="S", name=name) for name in ("Ann", "Bob"))
    judge_some(annotation_store, judge, ann, 3)
    assert annotation_store.next_task(bob) is not None
    given = annotation_store.progress(bob)
    versions = [annotation_store.version("S")]
    people.exclude("S", "Ann", "  clicked through\0 ")
    versions.append(annotation_store.version("S"))
    people.exclude("S", "Ann", "again")
    study, result = annotation_store.study("S"), read_study(data_store, annotation_store, "S")
    judged = study.excluded_judgments
    assert judged in {2, 3}  # one of the three may be the attention check
    assert (study.judgments, study.excluded_annotators) == (0, 1)
    assert len(result.preferences) == 0
    assert list(result.checks) == ["Bob"]
    assert annotation_store.pace("S")[:2] == (1, 0)
    assert [(annotator.annotator, annotator.judged, annotator.excluded) for annotator in result.annotators] == [
        ("Ann", judged, True),
        ("Bob", 0, False),
    ]
    assert {record["excluded"] for record in export_judgments(annotation_store, "S") if record["chosen"]} == {True}
    assert person(people, "Ann").exclusion_reason == "clicked through"
    # What Ann had judged, and the pair that she had been given, are asked of Bob.
    assert annotation_store.progress(bob).open == given.open + judged + 1
    with pytest.raises(NotAssigned):
        annotation_store.next_task(ann)
    with pytest.raises(NameTaken):
        annotation_store.join(study="S", name="Ann")
    people.restore("S", "Ann")
    versions.append(annotation_store.version("S"))
    people.restore("S", "Ann")
    assert annotation_store.study("S").judgments == judged == len(load_judgments(annotation_store, "S"))
    assert counted(engine)
    assert annotation_store.progress(bob).open == given.open + 1  # no place is kept for the pair that Ann left
    assert annotation_store.progress(ann).judged == 3
    assert len(set(versions)) == 3
    with Session(engine) as session:
        events = session.execute(select(EventRow.event, EventRow.detail).order_by(EventRow.id)).all()
    assert [tuple(event) for event in events] == [("excluded", "clicked through"), ("restored", None)]


def test_who_has_withdrawn_is_not_restored(
    annotation_store: AnnotationStore, people: PeopleStore, engine: Engine, create: Create
) -> None:
    create()
    PhaseStore(engine).withdraw(annotation_store.join(study="S", name="Ann"))
    with pytest.raises(StoreError, match="'Ann' has withdrawn"):
        people.restore("S", "Ann")
    assert person(people, "Ann").exclusion_reason == "withdrawn"


def test_an_exclusion_needs_a_reason_and_somebody(people: PeopleStore, create: Create) -> None:
    create()
    with pytest.raises(UnknownAnnotator, match="no annotator 'Nobody'"):
        people.exclude("S", "Nobody", "why")
    with pytest.raises(StoreError, match="say why"):
        people.exclude("S", "Nobody", " \0 ")


def test_annotators_are_excluded_and_restored_while_all_judge(
    annotation_store: AnnotationStore, people: PeopleStore, engine: Engine, create: Create
) -> None:
    create(rule="all", judgments_per_pair=4)
    annotators = [annotation_store.join(study="S", name=f"p{number}") for number in range(4)]
    barrier = Barrier(6)
    failures: list[BaseException] = []

    def work(annotator: Annotator, pairs: int = 12) -> None:
        for _ in range(pairs):
            try:
                task = annotation_store.next_task(annotator)
                if task is not None:
                    shown = now() - timedelta(seconds=1)
                    annotation_store.judge(
                        annotator=annotator, assignment_id=task.assignment_id, choice="left", presented_at=shown
                    )
            except NotAssigned:
                continue

    def turn(name: str) -> None:
        for number in range(6):
            if number % 2:
                people.restore("S", name)
            else:
                people.exclude("S", name, "why")

    def start(call: Callable[[], None]) -> None:
        barrier.wait()
        try:
            call()
        except BaseException as error:
            failures.append(error)

    work(annotators[0], pairs=1)  # else it might be out whenever it could judge
    calls = [
        *(lambda annotator=annotator: work(annotator) for annotator in annotators),
        *(lambda name=name: turn(name) for name in ("p0", "p1")),
    ]
    threads = [Thread(target=start, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert counted(engine)
    people.exclude("S", "p0", "why")
    assert counted(engine)
    assert annotation_store.study("S").excluded_annotators == 1


# --- pausing ----------------------------------------------------------------------------------------------------


def test_who_is_paused_keeps_no_place(
    annotation_store: AnnotationStore, people: PeopleStore, engine: Engine, create: Create
) -> None:
    create(count=1)
    ann, bob = (annotation_store.join(study="S", name=name) for name in ("Ann", "Bob"))
    assert annotation_store.next_task(ann) is not None
    assert annotation_store.next_task(bob) is None
    people.pause("S", "Ann")
    first = person(people, "Ann").paused_at
    people.pause("S", "Ann")
    assert person(people, "Ann").paused_at == first is not None
    assert annotation_store.next_task(bob) is not None
    people.pause("S", "Ann", paused=False)
    assert person(people, "Ann").paused_at is None
    people.pause_study("S")
    assert annotation_store.study("S").paused_at is not None
    people.pause_study("S", paused=False)
    assert annotation_store.study("S").paused_at is None
    with Session(engine) as session:
        assert list(session.scalars(select(EventRow.event).order_by(EventRow.id))) == ["paused", "resumed"]


# --- erasing ----------------------------------------------------------------------------------------------------


@pytest.fixture
def left_traces(annotation_store: AnnotationStore, engine: Engine, create: Create, judge: Judge) -> Annotator:
    """An annotator of a panel who has agreed, answered, judged, changed, skipped and been excluded for a time."""
    create(rule="all", count=6)
    links = LinkStore(engine)
    annotation_store.join(study="S", name="Bob")
    number = links.enter(links.add_link("S", kind="panel").token, {"person": "secret-panel-id"})
    with Session(engine) as session:
        row = session.get_one(AnnotatorRow, number)
        ann = Annotator(row.id, row.name, "S", row.token, row.invited)
    SignInStore(engine).sign_in(annotator_id=ann.id)
    judge_some(annotation_store, judge, ann, 2)
    first = annotation_store.previous_task(ann)
    assert first is not None
    judge(ann, first.assignment_id, "right", change=True, rationale="secret change")
    skipped = annotation_store.next_task(ann)
    assert skipped is not None
    annotation_store.skip(annotator=ann, assignment_id=skipped.assignment_id, reason="secret skip")
    with Session(engine) as session:
        session.execute(update(EntryRow).values(panel_ids={"STUDY_ID": "secret study"}))
        session.execute(update(AnnotatorRow).where(AnnotatorRow.id == ann.id).values(code="secret code"))
        session.add(ConsentRow(annotator_id=ann.id, sha256="0" * 64, agreed=True))
        session.add(SurveyAnswerRow(annotator_id=ann.id, survey="before", question="age", answer="secret age"))
        session.add(TrainingAnswerRow(annotator_id=ann.id, attempt=1, place=0, choice="left", right=True))
        session.commit()
    PeopleStore(engine).exclude("S", ann.name, "secret reason")
    PeopleStore(engine).restore("S", ann.name)
    SignInStore(engine).sign_in(annotator_id=ann.id)
    return ann


def dump(engine: Engine) -> str:
    """All that the database holds, but for what is in no table of a study."""
    with engine.connect() as connection:
        tables = (AnnotatorRow, AssignmentRow, JudgmentRow, RevisionRow, EventRow, SurveyAnswerRow, EntryRow)
        return "\n".join(str(row) for table in tables for row in connection.execute(select(table.__table__)))


@pytest.mark.parametrize("keep", [True, False])
def test_erasing_leaves_a_pseudonym_and_judgments_where_they_are_kept(
    annotation_store: AnnotationStore, people: PeopleStore, engine: Engine, left_traces: Annotator, keep: bool
) -> None:
    for secret in ("-panel-id", " study", " code", " age", " change", " skip", " reason"):
        assert f"secret{secret}" in dump(engine)
    before = annotation_store.version("S")
    assert people.erase("S", left_traces.name, keep_judgments=keep) == "Erased 2"
    held = dump(engine)
    assert "secret" not in held
    assert "because" not in held
    assert left_traces.token not in held
    assert left_traces.name not in held
    assert annotation_store.version("S") != before
    erased = person(people, "Erased 2")
    assert (erased.erased_at is not None, erased.came_by, erased.progress.judged) == (True, "name", 2 * keep)
    assert annotation_store.study("S").judgments == 2 * keep == len(load_judgments(annotation_store, "S"))
    assert counted(engine)
    assert {judgment["annotator"] for judgment in export_judgments(annotation_store, "S")} == (
        {"P2"} if keep else set()
    )
    assert {judgment["annotator"] for judgment in export_judgments(annotation_store, "S", names=True)} == (
        {"Erased 2"} if keep else set()
    )
    with Session(engine) as session:
        assert session.scalar(select(func.count()).select_from(SignInRow)) == 0
        assert session.scalar(select(func.count()).select_from(TrainingAnswerRow)) == keep
        assert session.scalars(select(ConsentRow.sha256)).all() == ["0" * 64]  # that somebody agreed, and to what
    with pytest.raises(NotAssigned):
        annotation_store.next_task(left_traces)
    with pytest.raises(UnknownInvite):
        annotation_store.annotator(left_traces.token)
    with pytest.raises(NameTaken):
        annotation_store.join(study="S", name="Erased 2")
    assert annotation_store.invited("S") == []


def test_judgments_that_were_kept_can_go_later(
    annotation_store: AnnotationStore, people: PeopleStore, engine: Engine, left_traces: Annotator
) -> None:
    people.exclude("S", left_traces.name, "why")
    assert people.erase("S", left_traces.name, keep_judgments=True) == "Erased 2"
    assert people.erase("S", "Erased 2", keep_judgments=True) == "Erased 2"
    assert annotation_store.study("S").excluded_judgments == 2
    assert people.erase("S", "Erased 2", keep_judgments=False) == "Erased 2"
    assert annotation_store.study("S").excluded_judgments == 0
    assert counted(engine)


# --- reading ----------------------------------------------------------------------------------------------------


def test_what_is_known_of_each(
    annotation_store: AnnotationStore, people: PeopleStore, engine: Engine, create: Create, judge: Judge
) -> None:
    create(rule="all", count=3, judgments_per_pair=3, ties=True)
    ann, bob = (annotation_store.join(study="S", name=name) for name in ("Ann", "Bob"))
    cyd = annotation_store.invite(study="S", name="Cyd")
    for annotator, system in ((ann, "a"), (bob, "a"), (cyd, "b")):
        while (task := annotation_store.next_task(annotator)) is not None:
            # Ann and Bob choose the system that sorts first, Cyd the other one.
            first = task.left < task.right
            judge(annotator, task.assignment_id, "left" if first == (system == "a") else "right")
    with Session(engine) as session:
        session.add_all(EventRow(annotator_id=bob.id, event="warned") for _ in range(2))
        session.commit()
    result = people.people("S")
    # Of Ann's three judgments the others, Bob and Cyd, split evenly; of Cyd's, Ann and Bob say otherwise.
    assert [(item.name, item.agreed, item.compared, item.agreement) for item in result] == [
        ("Ann", 0, 0, None),
        ("Bob", 0, 0, None),
        ("Cyd", 0, 3, 0.0),
    ]
    assert [(item.came_by, item.warnings, item.phase, item.progress.judged) for item in result] == [
        ("name", 0, "judging", 3),
        ("name", 2, "judging", 3),
        ("link", 0, "judging", 3),
    ]
    assert all(item.seen_at is not None and item.phase_since <= item.seen_at for item in result)
    people.exclude("S", "Cyd", "contrary")
    # Without Cyd, Ann's others are Bob alone; Cyd is still held against both.
    assert [(person.name, person.agreed, person.compared) for person in people.people("S")] == [
        ("Ann", 3, 3),
        ("Bob", 3, 3),
        ("Cyd", 0, 3),
    ]


def test_comparison_with_others() -> None:
    judgments = [
        (1, 1, 1, True),
        (2, 1, 1, True),
        (3, 1, -1, True),
        (4, 1, -1, False),
        (5, 2, 1, True),
    ]
    # 1 and 2: the others split. 3: both others say otherwise. 4: votes 1 + 1 - 1 = 1 say otherwise. 5 is alone.
    assert compare_with_others(judgments) == {3: (0, 1), 4: (0, 1)}
