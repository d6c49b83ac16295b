"""Many annotators at once: nothing is lost, doubled or refused without cause."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier
from typing import TypeVar

import pytest
from sqlalchemy import Engine, create_engine, func, select, text
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from relevance.annotation.records import AlreadyJudged, Annotator, Study, StudyExists, StudySpec
from relevance.annotation.results import export_judgments
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AnnotatorRow, JudgmentRow, PairRow
from relevance.data.database import connect, now
from relevance.data.store import StoreError

T = TypeVar("T")
THREADS = 8


def at_once(work: Callable[[int], T], threads: int = THREADS) -> list[T | StoreError]:
    """Run `work` in threads that start together; errors of the store are results, all others are raised."""
    barrier = Barrier(threads)

    def start(number: int) -> T | StoreError:
        barrier.wait()
        try:
            return work(number)
        except StoreError as error:
            return error

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(start, range(threads)))


@pytest.mark.parametrize("wanted", [1, 3, 8])
def test_a_study_judged_by_all_at_once(
    annotation_store: AnnotationStore, engine: Engine, create: Callable[..., Study], wanted: int
) -> None:
    study = create(rule="all", judgments_per_pair=wanted)
    people = [annotation_store.join(study="S", name=f"p{number}") for number in range(THREADS)]

    def work(number: int) -> int:
        annotator, done = people[number], 0
        while (task := annotation_store.next_task(annotator)) is not None:
            annotation_store.judge(
                annotator=annotator,
                assignment_id=task.assignment_id,
                choice="right",
                presented_at=now() - timedelta(seconds=1),
            )
            done += 1
            assert annotation_store.progress(annotator).judged == done
        return done

    done = at_once(work)
    assert study.pairs == 15  # 5 documents of 3 pairs; the sixth has three times the same text
    assert sum(count for count in done if isinstance(count, int)) == 15 * wanted
    with Session(engine) as session:
        assert set(session.scalars(select(PairRow.judgments))) == {wanted}
        assert session.scalar(select(func.count()).select_from(JudgmentRow)) == 15 * wanted
    records = export_judgments(annotation_store, "S", names=True)
    pairs = Counter((r["document_id"], r["system_a"], r["system_b"]) for r in records)
    assert set(pairs.values()) == {wanted}
    per_annotator = Counter((r["annotator"], r["document_id"], r["system_a"], r["system_b"]) for r in records)
    assert set(per_annotator.values()) == {1}
    for person in people:
        left = sum(r["left"] == r["system_a"] for r in records if r["annotator"] == person.name)
        given = sum(r["annotator"] == person.name for r in records)
        assert abs(left - (given - left)) <= 1
    assert annotation_store.study("S").judgments == 15 * wanted


@pytest.mark.exhaustive
def test_the_last_place_of_a_pair_is_given_once(
    annotation_store: AnnotationStore, create: Callable[..., Study]
) -> None:
    for round in range(10):
        name = f"S{round}"
        create(name=name, count=1)
        people = [annotation_store.join(study=name, name=f"p{number}") for number in range(THREADS)]
        tasks = at_once(lambda number, people=people: annotation_store.next_task(people[number]))  # type: ignore[misc]
        assert sum(task is not None for task in tasks) == 1


def test_everybody_gets_every_check_and_no_pair_more_than_it_wants(
    annotation_store: AnnotationStore, engine: Engine, create: Callable[..., Study]
) -> None:
    create(rule="all", checks=3)
    people = [annotation_store.join(study="S", name=f"p{number}") for number in range(THREADS)]

    def work(number: int) -> None:
        annotator = people[number]
        while (task := annotation_store.next_task(annotator)) is not None:
            presented = now() - timedelta(seconds=1)
            annotation_store.judge(
                annotator=annotator, assignment_id=task.assignment_id, choice="left", presented_at=presented
            )

    assert at_once(work) == [None] * THREADS
    with Session(engine) as session:
        pairs = session.execute(select(PairRow.expected_id.is_not(None), PairRow.judgments)).all()
    assert Counter(map(tuple, pairs)) == {(False, 1): 15, (True, THREADS): 3}
    assert [
        (row.checks, annotation_store.progress(person).open)
        for row, person in zip(annotation_store.annotators("S"), people, strict=True)
    ] == [(3, 0)] * THREADS
    assert annotation_store.study("S").judgments == 15


def test_two_annotators_share_a_last_place_never_and_a_check_always(
    annotation_store: AnnotationStore, create: Callable[..., Study]
) -> None:
    for round in range(10):
        name = f"S{round}"
        create(name=name, count=1, checks=1)
        people = [annotation_store.join(study=name, name=f"p{number}") for number in range(2)]
        tasks = at_once(lambda number, people=people: annotation_store.next_task(people[number]), 2)  # type: ignore[misc]
        shown = [
            None if task is None or isinstance(task, StoreError) else task.left[-1] == task.right[-1] for task in tasks
        ]
        assert sorted(map(str, shown)) == ["False", "True"]  # one got the pair, the other the check


def test_two_windows_of_an_annotator_get_the_same_pair(
    annotation_store: AnnotationStore, create: Callable[..., Study]
) -> None:
    create()
    for round in range(10):
        annotator = annotation_store.join(study="S", name=f"p{round}")
        tasks = at_once(lambda _, annotator=annotator: annotation_store.next_task(annotator), 4)  # type: ignore[misc]
        assert len(set(tasks)) == 1


@pytest.mark.smoke
@pytest.mark.parametrize("change", [False, True])
def test_two_windows_judge_the_same_pair(
    annotation_store: AnnotationStore, create: Callable[..., Study], change: bool
) -> None:
    create(judgments_per_pair=20)
    for round in range(5):
        annotator = annotation_store.join(study="S", name=f"p{round}")
        task = annotation_store.next_task(annotator)
        assert task is not None
        outcomes = at_once(
            lambda number, annotator=annotator, task=task: annotation_store.judge(  # type: ignore[misc]
                annotator=annotator,
                assignment_id=task.assignment_id,
                choice="left" if number % 2 else "right",
                presented_at=now() - timedelta(seconds=1),
                change=change,
            )
        )
        (record,) = [r for r in export_judgments(annotation_store, "S", names=True) if r["annotator"] == annotator.name]
        if change:  # each of eight is kept
            assert outcomes == [None] * THREADS
            assert [r["revision"] for r in record["history"]] + [record["revision"]] == list(range(1, 9))
        else:
            assert Counter(map(type, outcomes)) == {type(None): 1, AlreadyJudged: 7}
            assert (record["revision"], record["history"]) == (1, [])
    assert annotation_store.study("S").judgments == 5


def test_a_pair_is_judged_or_skipped_never_both(
    annotation_store: AnnotationStore, create: Callable[..., Study]
) -> None:
    create(judgments_per_pair=20)
    for round in range(10):
        annotator = annotation_store.join(study="S", name=f"p{round}")
        task = annotation_store.next_task(annotator)
        assert task is not None

        def work(number: int, annotator: Annotator = annotator, assignment_id: int = task.assignment_id) -> None:
            if number % 2:
                annotation_store.skip(annotator=annotator, assignment_id=assignment_id, reason="unclear")
            else:
                presented = now() - timedelta(seconds=1)
                annotation_store.judge(
                    annotator=annotator, assignment_id=assignment_id, choice="left", presented_at=presented
                )

        at_once(work, 2)
        progress = annotation_store.progress(annotator)
        assert (progress.judged, progress.skipped) == (1, 0)  # whoever came second: judging undoes skipping


def test_one_name_joining_many_times_is_one_annotator(
    annotation_store: AnnotationStore, engine: Engine, create: Callable[..., Study]
) -> None:
    create()
    joined = at_once(lambda _: annotation_store.join(study="S", name="Ann"))
    assert len(set(joined)) == 1
    with Session(engine) as session:
        assert session.scalar(select(func.count()).select_from(AnnotatorRow)) == 1


def test_one_invite_and_one_study_of_a_name(annotation_store: AnnotationStore, create: Callable[..., Study]) -> None:
    create()
    invited = at_once(lambda _: annotation_store.invite(study="S", name="Ann"))
    assert len(set(invited)) == 1  # one annotator, the same link eight times
    assert isinstance(invited[0], Annotator)
    created = at_once(
        lambda _: annotation_store.create_study(StudySpec(name="T", dataset="news", rule="random", seed=1))
    )
    assert Counter(map(type, created)) == {Study: 1, StudyExists: 7}


@pytest.mark.smoke
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def test_servers_that_start_together_make_one_schema(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    url = f"sqlite:///{tmp_path / 'new.db'}"
    if kind == "postgresql":
        server = request.getfixturevalue("postgresql")
        with create_engine(server, isolation_level="AUTOCOMMIT", poolclass=NullPool).connect() as connection:
            connection.execute(text("CREATE DATABASE together"))
        url = server.replace("/postgres?", "/together?")
    for engine in at_once(lambda _: connect(url)):
        assert isinstance(engine, Engine)
        assert AnnotationStore(engine).studies() == []
        engine.dispose()
