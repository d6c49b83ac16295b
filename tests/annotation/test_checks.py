"""Attention checks: drawn, given to everybody, counted apart."""

from collections import Counter
from collections.abc import Callable

import pytest
from sqlalchemy import Engine, event, select
from sqlalchemy.orm import Session

from relevance.annotation.records import Annotator, JudgmentTask, Study, StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AssignmentRow, PairRow
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, StoreError

Create = Callable[..., Study]
Judge = Callable[..., None]


def is_check(task: JudgmentTask) -> bool:
    """Whether the two texts, each a system "of" a document's number, are of two documents."""
    return task.left.rpartition(" ")[2] != task.right.rpartition(" ")[2]


def own(task: JudgmentTask) -> str:
    """The side of the document's own summary in a check."""
    return "left" if task.left.rpartition(" ")[2] == str(task.source).rpartition(" ")[2] else "right"


def work(
    store: AnnotationStore, judge: Judge, annotator: Annotator, choose: Callable[[JudgmentTask], str] = own
) -> list[JudgmentTask]:
    """Judge all there is; progress must foretell exactly how much that is, unless others work at the same time."""
    seen = []
    expected = store.progress(annotator).open
    while (task := store.next_task(annotator)) is not None:
        assert store.progress(annotator).open == expected - len(seen)
        seen.append(task)
        judge(annotator, task.assignment_id, choose(task))
    assert len(seen) == expected
    assert store.progress(annotator).open == 0
    return seen


@pytest.fixture
def larger(data_store: DataStore) -> str:
    """Forty documents of the systems a and b."""
    records = [
        (Document(f"d{n}", f"source {n}", ()), [Summary(f"d{n}", system, f"{system} of {n}") for system in "ab"])
        for n in range(40)
    ]
    data_store.add_dataset(name="larger", format="x", sha256="", records=records)
    return "larger"


def test_checks_are_stored_after_the_pairs(create: Create, annotation_store: AnnotationStore, engine: Engine) -> None:
    study = create(checks=3, count=4)
    assert (study.pairs, study.checks, study.eligible) == (4, 3, 15)
    assert study.notes == ("3 attention checks for every annotator",)
    with Session(engine) as session:
        pairs = session.scalars(select(PairRow).order_by(PairRow.position)).all()
        assert [pair.position for pair in pairs] == list(range(7))
        assert [pair.expected_id is not None for pair in pairs] == [False] * 4 + [True] * 3
        for pair in pairs[4:]:
            assert pair.expected_id == pair.first_id
            assert pair.first.document_id == pair.document_id != pair.second.document_id
            assert pair.first.system == pair.second.system
            assert pair.inclusion is None
    sample = annotation_store.sample(StudySpec(name="S", dataset="news", rule="random", seed=7, count=4, checks=3))
    assert [pair.expected_id for pair in pairs[4:]] == [check.expected_id for check in sample.checks]


def test_checks_leave_the_draw_as_it_is(create: Create, annotation_store: AnnotationStore) -> None:
    spec = {"name": "S", "dataset": "news", "rule": "random", "seed": 7}
    plain, checked = (annotation_store.sample(StudySpec(**spec, checks=checks)) for checks in (0, 5))  # type: ignore[arg-type]
    assert plain.pairs == checked.pairs


def test_checks_are_of_the_systems_of_the_study(create: Create, engine: Engine) -> None:
    create(checks=9, systems=("a", "c"))
    with Session(engine) as session:
        checks = session.scalars(select(PairRow).where(PairRow.expected_id.is_not(None)))
        assert {side.system for check in checks for side in (check.first, check.second)} == {"a", "c"}


def test_one_document_gives_no_check(data_store: DataStore, annotation_store: AnnotationStore) -> None:
    records = [(Document("d", "s", ()), [Summary("d", system, system) for system in "ab"])]
    data_store.add_dataset(name="one", format="x", sha256="", records=records)
    with pytest.raises(StoreError, match="two documents are needed"):
        annotation_store.create_study(StudySpec(name="S", dataset="one", rule="all", checks=1))
    assert annotation_store.studies() == []


def test_checks_are_spread_over_the_pairs(
    larger: str, create: Create, annotation_store: AnnotationStore, judge: Judge
) -> None:
    create(dataset=larger, rule="all", checks=3)
    ann = annotation_store.join(study="S", name="Ann")
    seen = work(annotation_store, judge, ann)
    # 40 pairs and 3 checks: every tenth is a check, and the fourth ten come without
    assert [turn for turn, task in enumerate(seen) if is_check(task)] == [9, 19, 29]
    assert len(seen) == 43


def test_checks_come_earlier_where_many_share_the_pairs(
    larger: str, create: Create, annotation_store: AnnotationStore, judge: Judge
) -> None:
    create(dataset=larger, rule="all", checks=2)
    people = [annotation_store.invite(study="S", name=f"p{number}") for number in range(4)]
    seen: dict[str, list[bool]] = {person.name: [] for person in people}
    for _ in range(10):  # ten pairs for each of four, and two checks: every third of theirs
        for person in people:
            task = annotation_store.next_task(person)
            assert task is not None
            seen[person.name].append(is_check(task))
            judge(person, task.assignment_id)
    assert all(turns == [False, False, True, False, False, True, *[False] * 4] for turns in seen.values())


@pytest.mark.simulation
@pytest.mark.parametrize("wanted", [1, 2])
def test_everybody_gets_every_check_once_and_pairs_as_without(
    annotation_store: AnnotationStore, create: Create, judge: Judge, engine: Engine, wanted: int
) -> None:
    create(checks=4, rule="all", judgments_per_pair=wanted)
    tasks = []
    for name in ("Ann", "Bob", "Cyd"):
        seen = work(annotation_store, judge, annotation_store.join(study="S", name=name))
        texts = [frozenset((task.left, task.right)) for task in seen]
        assert len(set(texts)) == len(texts)
        assert sum(map(is_check, seen)) == 4
        tasks += seen
    assert set(Counter(frozenset((t.left, t.right)) for t in tasks if not is_check(t)).values()) == {wanted}
    study = annotation_store.study("S")
    assert (study.pairs, study.checks, study.judgments) == (15, 4, 15 * wanted)
    with Session(engine) as session:  # the counts of the checks do not matter to anybody, but are right
        assert set(session.scalars(select(PairRow.judgments).where(PairRow.expected_id.is_not(None)))) == {3}


@pytest.mark.simulation
def test_sides_are_even_among_pairs_and_among_checks(
    larger: str, create: Create, annotation_store: AnnotationStore, judge: Judge, engine: Engine
) -> None:
    create(dataset=larger, rule="random", count=16, checks=8, judgments_per_pair=9)
    firsts = set()
    for number in range(9):
        ann = annotation_store.join(study="S", name=f"p{number}")
        balance = {True: 0, False: 0}
        turns = []
        work(annotation_store, judge, ann, choose=lambda _: "left")
        with Session(engine) as session:
            for pair, left_id in session.execute(
                select(PairRow, AssignmentRow.left_id)
                .join(AssignmentRow)
                .where(AssignmentRow.annotator_id == ann.id)
                .order_by(AssignmentRow.id)
            ):
                check, first_left = pair.expected_id is not None, left_id == pair.first_id
                balance[check] += 1 if first_left else -1
                assert abs(balance[check]) <= 1
                turns += [first_left] if check else []
        firsts.add(tuple(turns))
    assert len(firsts) > 4  # whoever sits beside another cannot tell the sides


def test_what_annotators_are_told_of_checks(annotation_store: AnnotationStore, create: Create, judge: Judge) -> None:
    create(checks=4, ties=True, judgments_per_pair=3)
    careful, careless, undecided = (annotation_store.join(study="S", name=name) for name in ("Ann", "Bob", "Cyd"))
    work(annotation_store, judge, careful)
    seen = work(annotation_store, judge, careless, choose=lambda _: "left")
    work(annotation_store, judge, undecided, choose=lambda task: "tie" if is_check(task) else "left")
    rows = {row.annotator: row for row in annotation_store.annotators("S")}
    assert {name: (row.judged, row.checks) for name, row in rows.items()} == dict.fromkeys(rows, (5, 4))
    assert (rows["Ann"].checks_passed, rows["Cyd"].checks_passed) == (4, 0)
    assert rows["Bob"].checks_passed == sum(is_check(task) and own(task) == "left" for task in seen) == 2
    assert (rows["Bob"].left, rows["Bob"].ties) == (5, 0)  # of the five pairs that are not checks
    assert (rows["Cyd"].left, rows["Cyd"].ties) == (5, 0)


def test_a_check_is_skipped_changed_and_versioned_as_any_pair(
    annotation_store: AnnotationStore, create: Create, judge: Judge
) -> None:
    create(checks=2, count=1)
    ann = annotation_store.join(study="S", name="Ann")
    tasks = []
    while (task := annotation_store.next_task(ann)) is not None:
        tasks.append(task)
        if len(tasks) == 3:
            annotation_store.skip(annotator=ann, assignment_id=task.assignment_id, reason="odd")
        else:
            judge(ann, task.assignment_id, own(task))
    assert sum(map(is_check, tasks)) == 2
    before = annotation_store.version("S")
    assert annotation_store.progress(ann)[:3] == (2, 1, 0)
    judged = next(task for task in tasks[:2] if is_check(task))
    wrong = {"left": "right", "right": "left"}[own(judged)]
    judge(ann, judged.assignment_id, wrong, change=True)
    assert annotation_store.version("S") != before
    (row,) = annotation_store.annotators("S")
    assert (row.judged, row.skipped, row.checks, row.checks_passed) == (1, 1, 1, 0)
    assert annotation_store.study("S").judgments == 1


def test_who_comes_when_all_pairs_are_judged_still_gets_the_checks(
    annotation_store: AnnotationStore, create: Create, judge: Judge
) -> None:
    create(checks=2, count=2)
    work(annotation_store, judge, annotation_store.join(study="S", name="Ann"))
    late = annotation_store.join(study="S", name="Bob")
    assert [is_check(task) for task in work(annotation_store, judge, late)] == [True, True]


def test_a_closed_study_gives_no_check(annotation_store: AnnotationStore, create: Create) -> None:
    create(checks=2)
    ann = annotation_store.join(study="S", name="Ann")
    annotation_store.close_study("S")
    assert annotation_store.next_task(ann) is None


@pytest.mark.parametrize(("checks", "queries"), [(0, 10), (3, 11)])
def test_the_next_pair_takes_few_queries(
    annotation_store: AnnotationStore, create: Create, judge: Judge, engine: Engine, checks: int, queries: int
) -> None:
    """Each press of an annotator waits for these, and takes a processor's time on the server."""
    create(checks=checks)
    ann = annotation_store.join(study="S", name="Ann")
    notes: list[str] = []

    def listen(connection: object, cursor: object, statement: str, *_: object) -> None:
        if not statement.startswith("BEGIN"):
            notes.append(statement)

    event.listen(engine, "before_cursor_execute", listen)
    task, _ = annotation_store.turn(ann)
    assert len(notes) == queries + (engine.dialect.name == "postgresql"), notes  # which locks the study
    notes.clear()
    assert task is not None
    judge(ann, task.assignment_id)
    event.remove(engine, "before_cursor_execute", listen)
    assert len(notes) == 8, notes
