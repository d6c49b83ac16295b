"""Progress: what is open, judged, changed and skipped, as annotators and researchers count it."""

import random
from contextlib import suppress

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.records import Checks, Judging, Pinned, Sampling, StudyProtocol
from relevance.annotation.records import CHANGED, JUDGED, SKIPPED, Annotator, UnknownStudy, WrongPhase
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AssignmentRow, PairRow
from tests.annotation.conftest import Create, Judge


def ask(store: AnnotationStore, dataset: str, **judging: object) -> None:
    """Make a study with attention checks, whose annotators judge at most so many pairs."""
    protocol = StudyProtocol(
        name="S",
        dataset=Pinned(name=dataset),
        sampling=Sampling(rule="random", seed=7),
        judging=Judging(**judging),  # type: ignore[arg-type]
        checks=Checks(count=1),
    )
    store.create_study(protocol.spec, write_protocol(protocol))


def act(store: AnnotationStore, judge: Judge, annotator: Annotator, draw: random.Random) -> None:
    """Judge the next pair, skip it, leave it undecided, or judge an earlier pair anew."""
    task = store.next_task(annotator)
    action = draw.choice(["judge", "judge", "skip", "look", "again"])
    if action == "again":
        task = store.previous_task(annotator)
    if task is None or (action == "again" and task.choice is None) or action == "look":
        return
    if action == "skip":
        store.skip(annotator=annotator, assignment_id=task.assignment_id, reason="why")
    else:
        judge(annotator, task.assignment_id, draw.choice(["left", "right"]), change=task.choice not in {None, "skip"})


@pytest.mark.parametrize(
    "judging",
    [
        {"judgments_per_pair": 2},
        {"judgments_per_pair": 2, "most_per_annotator": 3},
        {"judged_twice": 2},
        {"judged_twice": 2, "most_per_annotator": 3},
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_annotators_and_researchers_count_the_same(
    annotation_store: AnnotationStore, dataset: str, judge: Judge, judging: dict[str, int], seed: int
) -> None:
    store, draw = annotation_store, random.Random(seed)
    ask(store, dataset, **judging)
    people = [store.join(study="S", name=name) for name in ("Ann", "Bob", "Cyd")]
    for _ in range(30):
        with suppress(WrongPhase):  # of those who have finished
            act(store, judge, draw.choice(people), draw)
        rows = {row.annotator: row for row in store.annotators("S")}
        for annotator in people:
            own, row = store.progress(annotator), rows[annotator.name]
            assert (row.open, row.judged + row.checks, row.skipped) == (own.open, own.judged, own.skipped)
            assert row.changed <= own.changed
            listed = {state: store.answered(annotator, state, count=100) for state in (None, JUDGED, CHANGED, SKIPPED)}
            assert [len(pairs) for pairs in listed.values()] == [
                own.judged + own.skipped,
                own.judged,
                own.changed,
                own.skipped,
            ]


@pytest.mark.parametrize("twice", [0, 1, 3, 100])
def test_two_people_judge_the_first_pairs_and_one_the_others(
    annotation_store: AnnotationStore, dataset: str, judge: Judge, twice: int
) -> None:
    store = annotation_store
    ask(store, dataset, judged_twice=twice)
    study = store.study("S")
    part = min(twice, study.pairs)
    assert study.judgments_wanted == study.pairs + part
    people = [store.join(study="S", name=name) for name in ("Ann", "Bob", "Cyd")]
    while tasks := [(person, task) for person in people if (task := store.next_task(person)) is not None]:
        for annotator, task in tasks:
            judge(annotator, task.assignment_id)
    of_study = select(PairRow.position, PairRow.judgments).where(PairRow.expected_id.is_(None))
    with Session(store.engine) as session:
        judged = session.execute(of_study.order_by(PairRow.position)).all()
        given = session.execute(
            of_study.join(AssignmentRow)
            .order_by(AssignmentRow.id)
            .with_only_columns(AssignmentRow.annotator_id, PairRow.position)
        ).all()
    assert [number for _, number in judged] == [2] * part + [1] * (study.pairs - part)
    assert store.study("S").judgments == study.judgments_wanted
    # what tells how far people agree comes first for everybody
    for annotator in people:
        others = [position >= part for judgment, position in given if judgment == annotator.id]
        assert others == sorted(others)


def test_answered_pairs_are_listed_as_they_were_given(
    annotation_store: AnnotationStore, create: Create, judge: Judge
) -> None:
    create(ties=True)
    ann = annotation_store.join(study="S", name="Ann")
    tasks = []
    for choice in ("left", "tie", "skip", "right"):
        task = annotation_store.next_task(ann)
        assert task is not None
        tasks.append(task)
        if choice == "skip":
            annotation_store.skip(annotator=ann, assignment_id=task.assignment_id, reason="why")
        else:
            judge(ann, task.assignment_id, choice)
    judge(ann, tasks[0].assignment_id, "right", change=True)
    listed = annotation_store.answered(ann, count=10)
    assert [(pair.number, pair.choice, pair.changed) for pair in listed] == [
        (4, "right", False),
        (3, "skip", False),
        (2, "tie", False),
        (1, "right", True),
    ]
    assert [pair.assignment_id for pair in listed] == [task.assignment_id for task in reversed(tasks)]
    for pair, task in zip(listed, reversed(tasks), strict=True):
        assert pair.name == task.title or str(task.source).startswith(pair.name.rstrip("…"))
    assert annotation_store.answered(ann, count=2) == listed[:2]
    assert [pair.number for pair in annotation_store.answered(ann, SKIPPED, count=10)] == [3]
    assert [pair.number for pair in annotation_store.answered(ann, CHANGED, count=10)] == [1]
    assert annotation_store.answered(annotation_store.join(study="S", name="Bob"), count=10) == []


def test_a_newcomer_is_told_of_what_is_open_to_them(
    annotation_store: AnnotationStore, dataset: str, judge: Judge
) -> None:
    ask(annotation_store, dataset, most_per_annotator=3)
    offer = annotation_store.offer("S")
    assert (offer.pairs, offer.seconds) == (4, None)  # three pairs and a check
    assert offer.rules.judging.most_per_annotator == 3
    assert len(offer.sample) == annotation_store.study("S").pairs
    assert all(task.source and task.left and task.right for task in offer.sample)
    ann = annotation_store.join(study="S", name="Ann")
    assert annotation_store.progress(ann).open == offer.pairs
    while (task := annotation_store.next_task(ann)) is not None:
        judge(ann, task.assignment_id)
    offer = annotation_store.offer("S")
    assert offer.pairs == annotation_store.study("S").pairs - 3 + 1
    assert offer.seconds == pytest.approx(2, abs=0.5)
    annotation_store.close_study("S")
    assert annotation_store.offer("S").pairs == 0
    with pytest.raises(UnknownStudy):
        annotation_store.offer("T")
