"""Studies, annotators, assignments and judgments, on every kind of database."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session

from relevance.annotation.assigning import RESERVED
from relevance.annotation.records import (
    AlreadyJudged,
    Annotator,
    JudgmentTask,
    NameTaken,
    NoPairs,
    NotAssigned,
    ScoresMissing,
    Study,
    StudyClosed,
    StudyExists,
    StudySpec,
    TooSoon,
    UnknownInvite,
    UnknownStudy,
)
from relevance.annotation.results import export_judgments
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AssignmentRow, PairRow, StudyRow
from relevance.data.database import connect, now
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, StoreError, UnknownDataset
from tests.running import running_process

Create = Callable[..., Study]
Judge = Callable[..., None]
SHOWN = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def ann(annotation_store: AnnotationStore, create: Create) -> Annotator:
    """An annotator of a study of five pairs that wants two judgments of each and allows ties."""
    create(ties=True, judgments_per_pair=2)
    return annotation_store.join(study="S", name="Ann")


def following(store: AnnotationStore, annotator: Annotator) -> JudgmentTask:
    task = store.next_task(annotator)
    assert task is not None
    return task


def texts(task: JudgmentTask) -> frozenset[str]:
    return frozenset((task.left, task.right))


def judge_all(store: AnnotationStore, judge: Judge, annotator: Annotator) -> list[frozenset[str]]:
    seen = []
    while (task := store.next_task(annotator)) is not None:
        seen.append(texts(task))
        judge(annotator, task.assignment_id)
    return seen


# --- studies -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"dataset": "nothing"}, UnknownDataset, r"no data set 'nothing'; there are news"),
        ({"rule": "rouge_k_differs"}, ScoresMissing, r"relevance score news --metrics rouge_k"),
        ({"systems": ("a",)}, NoPairs, r"at least two systems; .* has a, b, c"),
        ({"systems": ("a", "a")}, NoPairs, r"at least two systems"),
        ({"systems": ("a", "z")}, StoreError, r"no system 'z'; it has a, b, c"),
        ({"rule": "best"}, StoreError, r"unknown rule 'best'; known are"),
        ({"count": 0}, StoreError, r"at least 1"),
        ({"count": -1}, StoreError, r"from 0 to"),
        ({"per_document": 0}, StoreError, r"at least 1"),
        ({"judgments_per_pair": 0}, StoreError, r"at least one judgment"),
        ({"judgments_per_pair": 2**31}, StoreError, r"2147483647"),
        ({"seed": -1}, StoreError, r"seed"),
        ({"seed": 2**31}, StoreError, r"seed"),
        ({"question": " \n"}, StoreError, r"question"),
        ({"checks": -1}, StoreError, r"0 to 100 attention checks"),
        ({"checks": 101}, StoreError, r"0 to 100 attention checks"),
        ({"rule": "conflicts"}, StoreError, r"at least two"),
        ({"rule": "conflicts", "signatures": ("rouge1|x", "rouge1|x")}, StoreError, r"at least two"),
        (
            {"rule": "conflicts", "signatures": ("rouge1|x", "rouge2|y")},
            ScoresMissing,
            r"without a score under rouge1\|x and rouge2\|y; first run relevance score news --metrics rouge1,rouge2",
        ),
        ({"name": ""}, StoreError, r"1 to 200 printable characters"),
        ({"name": "x" * 201}, StoreError, r"1 to 200 printable characters"),
        ({"name": "a\u202eb"}, StoreError, r"1 to 200 printable characters"),
        ({"name": "a\0b"}, StoreError, r"1 to 200 printable characters"),
    ],
)
def test_a_study_that_cannot_be(
    create: Create, annotation_store: AnnotationStore, settings: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        create(**settings)
    assert annotation_store.studies() == []


def test_identical_texts_alone_make_no_study(data_store: DataStore, annotation_store: AnnotationStore) -> None:
    records = [(Document("d", "s", ("r",)), [Summary("d", system, "same") for system in "abc"])]
    data_store.add_dataset(name="same", format="x", sha256="", records=records)
    with pytest.raises(NoPairs, match="3 pairs of identical texts, 0 without a score"):
        annotation_store.create_study(StudySpec(name="S", dataset="same", rule="all"))


def test_a_name_is_taken_once(create: Create) -> None:
    create()
    with pytest.raises(StudyExists, match="choose another name"):
        create(name=" S ")


def test_what_a_study_says_of_itself(create: Create, annotation_store: AnnotationStore) -> None:
    before = now()
    study = create(systems=("c", "a"), question=" Which\0? ", instructions="**Read** 🙂", count=3, per_document=2)
    assert (study.name, study.dataset, study.systems, study.rule) == ("S", "news", ("c", "a"), "random")
    assert (study.pairs, study.identical, study.judgments, study.ties, study.seed) == (3, 1, 0, False, 7)
    assert (study.question, study.instructions) == ("Which?", "**Read** 🙂")
    assert before <= study.created_at <= now()
    assert study.closed_at is None
    assert annotation_store.study("S") == study == annotation_store.studies()[0]
    with pytest.raises(UnknownStudy, match="no study 'T'; there are S"):
        annotation_store.study("T")


def test_rouge_k_differs_draws_from_the_named_scores(scored: str, create: Create) -> None:
    # d0 to d3: a-c and b-c differ, 8 pairs; of d4 only a-c has two scores, and they are equal.
    study = create(rule="rouge_k_differs", signature="rouge_k|test", per_document=9)
    assert (study.pairs, study.identical, study.eligible) == (8, 3, 8)
    assert (study.conflicts, study.random_share, study.signatures, study.notes) == (None, None, (), ())
    with pytest.raises(ScoresMissing):
        create(name="T", rule="rouge_k_differs", signature="rouge_k|other")


def test_sample_is_what_create_draws(create: Create, annotation_store: AnnotationStore, engine: Engine) -> None:
    sample = annotation_store.sample(StudySpec(name="S", dataset="news", rule="random", seed=7))
    assert annotation_store.studies() == []
    create()
    with Session(engine) as session:
        rows = session.execute(
            select(
                PairRow.document_id, PairRow.first_id, PairRow.second_id, PairRow.inclusion, PairRow.expected_id
            ).order_by(PairRow.position)
        )
        assert [tuple(row) for row in rows] == [tuple(pair) for pair in sample.pairs]


def test_conflicts_are_drawn_with_known_probabilities(
    contradicted: str, create: Create, annotation_store: AnnotationStore, engine: Engine
) -> None:
    # d0 to d3: a-c and b-c are conflicts, a-b is none. d4: a-c is equal by the one, b lacks it: no conflict. 8 and 7.
    settings = {"rule": "conflicts", "signatures": ("rouge_k|test", "rouge1|test")}
    study = create(**settings, count=6, random_share=0.34)
    assert (study.pairs, study.eligible, study.conflicts, study.identical, study.unscored) == (6, 15, 8, 3, 0)
    assert (study.signatures, study.random_share) == (("rouge_k|test", "rouge1|test"), 0.34)
    assert study.notes == ("drawn from 8 on which the metrics contradict each other and 7 others",)
    assert annotation_store.study("S") == study
    with Session(engine) as session:
        inclusion = Counter(session.scalars(select(PairRow.inclusion)))
    assert inclusion == {4 / 8: 4, 2 / 7: 2}
    # Of each document one of either kind: all 4 with conflicts and all 5 with others, a half and a third of the pairs.
    create(**settings, name="T", per_document=1)
    with Session(engine) as session:
        rows = session.scalars(select(PairRow.inclusion).join(StudyRow).where(StudyRow.name == "T"))
        assert Counter(rows) == {1 / 2: 4, 1.0: 4, 1 / 3: 1}
    with pytest.raises(StoreError, match="must be at least 2"):
        create(**settings, name="U", count=1)
    with pytest.raises(StoreError, match="above 0 and below 1"):
        create(**settings, name="U", random_share=1.0)
    with pytest.raises(ScoresMissing, match=r"under rouge2\|test; .* --metrics rouge2$"):
        create(rule="conflicts", name="U", signatures=("rouge_k|test", "rouge2|test"))


@pytest.mark.parametrize(("rule", "pairs"), [("all", 15), ("random", 5)])
def test_one_pair_per_document_unless_all_are_meant(create: Create, rule: str, pairs: int) -> None:
    assert create(rule=rule).pairs == pairs


# --- annotators ----------------------------------------------------------------------------------------------


def test_joining_again_resumes(annotation_store: AnnotationStore, ann: Annotator) -> None:
    assert annotation_store.join(study="S", name=" Ann ") == ann == annotation_store.annotator(ann.token)
    assert annotation_store.join(study="S", name="ann").id != ann.id
    assert len(ann.token) >= 32


def test_an_invited_name_needs_its_link(annotation_store: AnnotationStore, ann: Annotator) -> None:
    bob = annotation_store.invite(study="S", name="Bob")
    assert annotation_store.annotator(bob.token) == bob
    assert bob.invited
    with pytest.raises(NameTaken, match="open that link"):
        annotation_store.join(study="S", name="Bob")
    assert annotation_store.invite(study="S", name="Bob") == bob  # a lost link can be had again
    with pytest.raises(NameTaken, match="already has"):
        annotation_store.invite(study="S", name=ann.name)


@pytest.mark.parametrize("token", ["", "nobody", "a\0b", "\ud800", "🙂", "x" * 10_000, "' OR 1=1 --"])
def test_an_unknown_invite(annotation_store: AnnotationStore, ann: Annotator, token: str) -> None:
    with pytest.raises(UnknownInvite, match="ask whoever sent it"):
        annotation_store.annotator(token)


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\0", "\ud800", "x" * 201])
def test_a_name_that_nobody_can_have(annotation_store: AnnotationStore, ann: Annotator, name: str) -> None:
    for enter in (annotation_store.join, annotation_store.invite):
        with pytest.raises(StoreError, match="printable"):
            enter(study="S", name=name)


def test_a_closed_study_takes_nothing(annotation_store: AnnotationStore, ann: Annotator, judge: Judge) -> None:
    task = following(annotation_store, ann)
    assert annotation_store.close_study("S").closed_at is not None
    with pytest.raises(StudyClosed, match="not saved"):
        judge(ann, task.assignment_id)
    with pytest.raises(StudyClosed, match="not skipped"):
        annotation_store.skip(annotator=ann, assignment_id=task.assignment_id, reason="why")
    for enter in (annotation_store.join, annotation_store.invite):
        with pytest.raises(StudyClosed):
            enter(study="S", name="Late")
    assert annotation_store.join(study="S", name="Ann") == ann  # may still look at what they did
    assert annotation_store.next_task(ann) is None  # not even the open one: its choice would be refused
    assert annotation_store.close_study("S", closed=False).closed_at is None
    assert following(annotation_store, ann) == task


# --- assignment ----------------------------------------------------------------------------------------------


def test_a_reload_shows_the_same_pair_with_the_same_sides(engine: Engine, ann: Annotator, judge: Judge) -> None:
    for _ in range(5):
        task = following(AnnotationStore(engine), ann)
        assert following(AnnotationStore(engine), ann) == task == AnnotationStore(engine).task(ann, task.assignment_id)
        judge(ann, task.assignment_id)


def test_nobody_sees_a_pair_twice_and_each_gets_its_judgments(
    annotation_store: AnnotationStore, ann: Annotator, judge: Judge
) -> None:
    seen = Counter[frozenset[str]]()
    for annotator in (ann, *(annotation_store.join(study="S", name=name) for name in ("Bob", "Cyd"))):
        mine = judge_all(annotation_store, judge, annotator)
        assert len(mine) == len(set(mine))
        seen.update(mine)
    assert sorted(seen.values()) == [2] * 5  # Ann and Bob do it all, nothing is left for Cyd
    assert annotation_store.study("S").judgments == 10


def test_the_pair_with_the_fewest_judgments_comes_first(
    annotation_store: AnnotationStore, ann: Annotator, judge: Judge
) -> None:
    judged = []
    for _ in range(3):
        task = following(annotation_store, ann)
        judged.append(texts(task))
        judge(ann, task.assignment_id)
    bob, cyd = (annotation_store.join(study="S", name=name) for name in ("Bob", "Cyd"))
    first, second = following(annotation_store, bob), following(annotation_store, cyd)
    assert not {texts(first), texts(second)} & set(judged)  # the two without a judgment,
    assert texts(first) != texts(second)  # and one being judged counts as judged
    judge(bob, first.assignment_id)
    judge(cyd, second.assignment_id)
    assert texts(following(annotation_store, bob)) == texts(second) or texts(following(annotation_store, bob)) in judged


@pytest.mark.parametrize(("minutes", "free"), [(29, False), (31, True)])
def test_an_abandoned_assignment_frees_its_place(
    annotation_store: AnnotationStore, engine: Engine, create: Create, judge: Judge, minutes: int, free: bool
) -> None:
    create(count=1)
    ann, bob = (annotation_store.join(study="S", name=name) for name in ("Ann", "Bob"))
    task = following(annotation_store, ann)
    assert annotation_store.next_task(bob) is None
    with engine.execution_options(writing=True).begin() as connection:
        past = now() - timedelta(minutes=minutes)
        connection.execute(update(AssignmentRow).values(assigned_at=past, reserved_until=past + RESERVED))
    taken = annotation_store.next_task(bob)
    assert (taken is not None) is free
    if taken is not None:  # who comes back after all loses nothing
        judge(bob, taken.assignment_id)
        assert following(annotation_store, ann) == task
        judge(ann, task.assignment_id)
        assert annotation_store.study("S").judgments == 2


def test_a_skipped_pair_is_for_somebody_else(annotation_store: AnnotationStore, create: Create, judge: Judge) -> None:
    create(count=1)
    ann, bob = (annotation_store.join(study="S", name=name) for name in ("Ann", "Bob"))
    task = following(annotation_store, ann)
    for reason in ("", " ", "\0"):
        with pytest.raises(StoreError, match="say why"):
            annotation_store.skip(annotator=ann, assignment_id=task.assignment_id, reason=reason)
    annotation_store.skip(annotator=ann, assignment_id=task.assignment_id, reason=" not\0 English ")
    assert annotation_store.next_task(ann) is None
    assert annotation_store.progress(ann)[:3] == (0, 1, 0)
    assert following(annotation_store, bob).choice is None
    back = annotation_store.previous_task(ann)
    assert back is not None
    assert (back.assignment_id, back.choice) == (task.assignment_id, "skip")
    (record, _) = export_judgments(annotation_store, "S")
    assert (record["skip_reason"], record["chosen"]) == ("not English", None)
    judge(ann, task.assignment_id, "right")
    assert annotation_store.task(ann, task.assignment_id).choice == "right"
    assert annotation_store.progress(ann)[:3] == (1, 0, 0)
    with pytest.raises(AlreadyJudged, match="cannot be skipped"):
        annotation_store.skip(annotator=ann, assignment_id=task.assignment_id, reason="late")


def test_going_back_step_by_step(annotation_store: AnnotationStore, ann: Annotator, judge: Judge) -> None:
    assert annotation_store.previous_task(ann) is None
    given = []
    for step in range(4):
        task = following(annotation_store, ann)
        given.append(task.assignment_id)
        if step == 1:
            annotation_store.skip(annotator=ann, assignment_id=task.assignment_id, reason="why")
        elif step < 3:
            judge(ann, task.assignment_id, "tie" if step else "left")
    steps: list[tuple[int, str | None]] = []
    at: int | None = given[3]
    while (earlier := annotation_store.previous_task(ann, at)) is not None:
        at = earlier.assignment_id
        steps.append((at, earlier.choice))
    assert steps == [(given[2], "tie"), (given[1], "skip"), (given[0], "left")]
    latest = annotation_store.previous_task(ann)
    assert latest is not None
    assert latest.assignment_id == given[2]  # the open one is not behind


@pytest.mark.parametrize(
    ("system", "text", "title"),
    [("title", "The title", None), ("headline", "The title", None), ("b", "other", "The title")],
)
def test_what_stands_as_a_system_is_not_shown(
    data_store: DataStore,
    annotation_store: AnnotationStore,
    system: str,
    text: str,
    title: str | None,
) -> None:
    document = Document("d", ("First.", "Second."), ("one", "two"), "The title")
    summaries = [Summary("d", "a", "some"), Summary("d", system, text)]
    data_store.add_dataset(name="D", format="x", sha256="", records=[(document, summaries)])
    annotation_store.create_study(StudySpec(name="S", dataset="D", rule="all"))
    task = following(annotation_store, annotation_store.join(study="S", name="Ann"))
    assert (task.title, task.source) == (title, ("First.", "Second."))
    assert not hasattr(task, "references")  # what metrics measure by is not shown
    assert texts(task) == {"some", text}


# --- judgments -----------------------------------------------------------------------------------------------


def test_a_choice_means_the_summary_shown_there(
    annotation_store: AnnotationStore, ann: Annotator, judge: Judge
) -> None:
    shown = {}
    for choice in ("left", "right", "left", "right", "tie"):
        task = following(annotation_store, ann)
        judge(ann, task.assignment_id, choice)
        assert annotation_store.task(ann, task.assignment_id).choice == choice
        # a text is "system of number"
        side = {"left": task.left, "right": task.right, "tie": "tie"}[choice]
        shown[f"d{task.left[-1]}"] = (task.left[0], None if choice == "tie" else side[0])
    records = export_judgments(annotation_store, "S")
    assert {r["document_id"]: (r["left"], r["chosen"]) for r in records} == shown


def test_a_change_keeps_every_revision_in_order(
    annotation_store: AnnotationStore, ann: Annotator, judge: Judge
) -> None:
    task = following(annotation_store, ann)
    changes = [("left", "one"), ("right", None), ("tie", "three"), ("left", "four")]
    versions = [annotation_store.version("S")]
    for number, (choice, rationale) in enumerate(changes):
        decided = SHOWN + timedelta(seconds=5 - number)  # a clock that goes back does not disorder them
        times = {"presented_at": SHOWN - timedelta(seconds=1), "decided_at": decided}
        judge(ann, task.assignment_id, choice, rationale=rationale, change=number > 0, **times)
        versions.append(annotation_store.version("S"))
        with pytest.raises(AlreadyJudged, match="go back to it"):
            judge(ann, task.assignment_id, "right")
    assert len(set(versions)) == len(versions)
    (record,) = export_judgments(annotation_store, "S")
    kept = [(r["choice"], r["rationale"]) for r in [*record["history"], record]]
    assert kept == changes
    assert [r["revision"] for r in [*record["history"], record]] == [1, 2, 3, 4]
    assert annotation_store.progress(ann).judged == 1
    assert annotation_store.study("S").judgments == 1


@pytest.mark.parametrize(
    ("milliseconds", "accepted"), [(-60_000, False), (0, False), (399, False), (400, True), (86_400_000, True)]
)
def test_too_soon(
    annotation_store: AnnotationStore, ann: Annotator, judge: Judge, milliseconds: int, accepted: bool
) -> None:
    task = following(annotation_store, ann)
    times = {"presented_at": SHOWN, "decided_at": SHOWN + timedelta(milliseconds=milliseconds)}
    if accepted:
        judge(ann, task.assignment_id, **times)
    else:
        with pytest.raises(TooSoon, match="not saved"):
            judge(ann, task.assignment_id, **times)
    assert annotation_store.progress(ann).judged == accepted


@pytest.mark.parametrize("naive", ["presented_at", "decided_at", "both"])
def test_a_time_without_zone_is_refused(
    annotation_store: AnnotationStore, ann: Annotator, judge: Judge, naive: str
) -> None:
    task = following(annotation_store, ann)
    times = {"presented_at": SHOWN, "decided_at": SHOWN + timedelta(seconds=9)}
    times = {name: time.replace(tzinfo=None) if naive in (name, "both") else time for name, time in times.items()}
    with pytest.raises(StoreError, match="without a time zone"):
        judge(ann, task.assignment_id, **times)
    assert annotation_store.progress(ann).judged == 0


def test_times_of_other_zones_are_kept_in_utc(annotation_store: AnnotationStore, ann: Annotator, judge: Judge) -> None:
    zone = timezone(timedelta(hours=5, minutes=30))
    shown = datetime(2026, 1, 1, 1, 0, 0, 123456, tzinfo=zone)  # 19:30 of the day before in UTC
    task = following(annotation_store, ann)
    judge(ann, task.assignment_id, presented_at=shown, decided_at=shown + timedelta(seconds=4))
    (record,) = export_judgments(annotation_store, "S")
    assert record["presented_at"] == "2025-12-31T19:30:00.123456+00:00"
    assert annotation_store.progress(ann).seconds == 4.0


@pytest.mark.parametrize("choice", ["", "both", "LEFT", "skip", "a"])
def test_a_choice_that_there_is_not(
    annotation_store: AnnotationStore, ann: Annotator, judge: Judge, choice: str
) -> None:
    task = following(annotation_store, ann)
    with pytest.raises(StoreError, match="not a choice"):
        judge(ann, task.assignment_id, choice)


def test_ties_only_where_allowed(annotation_store: AnnotationStore, create: Create, judge: Judge) -> None:
    create()
    ann = annotation_store.join(study="S", name="Ann")
    task = following(annotation_store, ann)
    with pytest.raises(StoreError, match="'tie' is not a choice"):
        judge(ann, task.assignment_id, "tie")


def test_somebody_elses_pair(annotation_store: AnnotationStore, ann: Annotator, judge: Judge) -> None:
    task = following(annotation_store, ann)
    bob = annotation_store.join(study="S", name="Bob")
    for number in (task.assignment_id, 10_000, 0, -1):
        calls: list[Callable[[], Any]] = [
            lambda number=number: judge(bob, number),
            lambda number=number: judge(bob, number, change=True),
            lambda number=number: annotation_store.task(bob, number),
            lambda number=number: annotation_store.skip(annotator=bob, assignment_id=number, reason="why"),
        ]
        for call in calls:
            with pytest.raises(NotAssigned):
                call()


@pytest.mark.parametrize(
    ("rationale", "kept"),
    [
        (None, None),
        ("", None),
        (" \n\0 ", None),
        ("a\0b", "ab"),
        ("👩‍👩‍👧 zażółć \u202e<script>", "👩‍👩‍👧 zażółć \u202e<script>"),
        ("half \ud83d", "half ?"),
        ("x" * 5000, "x" * 5000),
        (" line\r\n\tline ", "line\r\n\tline"),
    ],
)
def test_rationales(
    annotation_store: AnnotationStore, ann: Annotator, judge: Judge, rationale: str | None, kept: str | None
) -> None:
    task = following(annotation_store, ann)
    judge(ann, task.assignment_id, rationale=rationale)
    assert annotation_store.task(ann, task.assignment_id).rationale == kept


# --- progress ------------------------------------------------------------------------------------------------


def test_progress_counts(annotation_store: AnnotationStore, ann: Annotator, judge: Judge) -> None:
    assert annotation_store.progress(ann) == (0, 0, 5, None, 0)
    for seconds, choice in ((1, "left"), (9, "right"), (3, "tie")):
        task = following(annotation_store, ann)
        assert annotation_store.progress(ann).open == 5 - annotation_store.progress(ann).judged
        judge(ann, task.assignment_id, choice, presented_at=SHOWN, decided_at=SHOWN + timedelta(seconds=seconds))
    annotation_store.skip(annotator=ann, assignment_id=following(annotation_store, ann).assignment_id, reason="why")
    assert annotation_store.progress(ann) == (3, 1, 1, 3.0, 0)  # the median of 1, 3 and 9
    bob = annotation_store.join(study="S", name="Bob")
    rows = {row.annotator: row for row in annotation_store.annotators("S")}
    assert list(rows) == ["Ann", "Bob"]
    assert rows["Ann"][1:] == (1, 3, 0, 1, 3.0, 1, 0, 1, SHOWN + timedelta(seconds=9), 0, 0, False)
    assert rows["Bob"][1:] == (5, 0, 0, 0, None, 0, 0, 0, None, 0, 0, False)
    judge_all(annotation_store, judge, bob)
    judge_all(annotation_store, judge, annotation_store.join(study="S", name="Cyd"))
    # What others completed is not asked of Ann: her skipped pair has two judgments, the fifth as well.
    assert annotation_store.progress(ann) == (3, 1, 0, 3.0, 0)


def test_studies_do_not_mix(annotation_store: AnnotationStore, create: Create, judge: Judge) -> None:
    create(), create(name="T")
    ann, also = (annotation_store.join(study=study, name="Ann") for study in "ST")
    assert ann.id != also.id
    unjudged = annotation_store.version("T")
    judge_all(annotation_store, judge, ann)
    assert annotation_store.progress(also) == (0, 0, 5, None, 0)
    assert [study.judgments for study in annotation_store.studies()] == [0, 5]
    assert annotation_store.version("S") != annotation_store.version("T") == unjudged
    assert export_judgments(annotation_store, "T") == []


# --- durability ----------------------------------------------------------------------------------------------


def test_another_engine_reads_what_was_judged(
    annotation_store: AnnotationStore, database_url: str, ann: Annotator, judge: Judge
) -> None:
    task = following(annotation_store, ann)
    judge(ann, task.assignment_id, "right", rationale="kept")
    other = connect(database_url)
    try:
        again = AnnotationStore(other).task(AnnotationStore(other).annotator(ann.token), task.assignment_id)
        assert (again.choice, again.rationale) == ("right", "kept")
    finally:
        other.dispose()


JUDGING = """
import sys
from datetime import timedelta
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect, now

store = AnnotationStore(connect(sys.argv[1]))
annotator = store.join(study="S", name=sys.argv[2])
while (task := store.next_task(annotator)) is not None:
    store.judge(annotator=annotator, assignment_id=task.assignment_id, choice="left",
                presented_at=now() - timedelta(seconds=1))
    print(task.assignment_id, flush=True)
"""


@pytest.mark.smoke
@pytest.mark.process
def test_a_killed_process_loses_no_judgment(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'killed.db'}"
    engine = connect(url)
    records = [(Document(f"d{n}", "s", ()), [Summary(f"d{n}", x, f"{x}{n}") for x in "ab"]) for n in range(3000)]
    DataStore(engine).add_dataset(name="D", format="x", sha256="", records=records)
    store = AnnotationStore(engine)
    store.create_study(StudySpec(name="S", dataset="D", rule="all"))
    for round in range(3):
        name = f"p{round}"
        command = [sys.executable, "-c", JUDGING, url, name]
        with running_process(command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            numbers = [int(child.stdout.readline()) for _ in range(30 + round)]
            child.kill()
            numbers += [int(line) for line in child.stdout.read().splitlines() if line]
        annotator = store.join(study="S", name=name)
        assert {store.task(annotator, number).choice for number in numbers} == {"left"}
        assert len(numbers) <= store.progress(annotator).judged <= len(numbers) + 1
    engine.dispose()
