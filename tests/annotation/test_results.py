"""Judgments and ratings beside scores, and the exports."""

import json
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from relevance.analysis.study import shares_won
from relevance.annotation.records import Study, UnknownStudy
from relevance.annotation.results import export_judgments, export_scores, load_judgments, load_rated_pairs
from relevance.annotation.store import AnnotationStore
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, StoredScore, UnknownDataset

Create = Callable[..., Study]
Judge = Callable[..., None]
SHOWN = datetime(2026, 1, 1, 12, 0, 0, 250_000, tzinfo=UTC)


def judge_by(store: AnnotationStore, judge: Judge, name: str, preferred: Callable[[str], str]) -> None:
    """Judge everything: `preferred` takes the document's number and names a system, or says tie."""
    annotator = store.join(study="S", name=name)
    step = 0
    while (task := store.next_task(annotator)) is not None:
        choice = preferred(task.left[-1])  # a text is "system of number"
        if choice != "tie":
            choice = "left" if task.left[0] == choice else "right"
        shown = SHOWN + timedelta(minutes=step)
        judge(annotator, task.assignment_id, choice, presented_at=shown, decided_at=shown + timedelta(seconds=3))
        step += 1


def test_judged(scored: str, annotation_store: AnnotationStore, create: Create, judge: Judge) -> None:
    create(rule="all", systems=("a", "b"), judgments_per_pair=2, ties=True)
    # Ann prefers a in d0 and d4, b in d1, ties elsewhere; Bob always b, which is missing in d4.
    judge_by(annotation_store, judge, "Ann", lambda number: {"0": "a", "4": "a", "1": "b"}.get(number, "tie"))
    judge_by(annotation_store, judge, "Bob", lambda number: "b")
    judgments = load_judgments(annotation_store, "S")
    assert {*zip(judgments.first, judgments.second, strict=True)} == {("a", "b")}
    preferences = dict(zip(zip(judgments.annotators, judgments.document, strict=True), judgments.choices, strict=True))
    assert preferences == {
        **{("Ann", "d0"): 1.0, ("Ann", "d1"): -1.0, ("Ann", "d2"): 0.0, ("Ann", "d3"): 0.0, ("Ann", "d4"): 1.0},
        **{("Bob", f"d{n}"): -1.0 for n in range(5)},
    }
    assert len(judgments) == 10
    assert judgments.took.tolist() == [3] * 10
    assert judgments.weights is None
    assert list(judgments.scores) == ["rouge_k|test"]
    for document, (first, second) in zip(judgments.documents, judgments.scores["rouge_k|test"], strict=True):
        assert first == 0.5
        assert math.isnan(second) if document == "d4" else second == 0.5


def test_sides_are_those_that_were_shown(annotation_store: AnnotationStore, create: Create, judge: Judge) -> None:
    create(ties=True)
    ann = annotation_store.join(study="S", name="Ann")
    for choice in ("left", "right", "tie"):
        task = annotation_store.next_task(ann)
        assert task is not None
        judge(ann, task.assignment_id, choice)
    left = load_judgments(annotation_store, "S").left.tolist()
    assert left[:2] == [1, 0]
    assert math.isnan(left[2])


def test_checks_are_no_judgments_of_the_study(annotation_store: AnnotationStore, create: Create, judge: Judge) -> None:
    create(rule="random", count=3, checks=2)
    ann = annotation_store.join(study="S", name="Ann")
    while (task := annotation_store.next_task(ann)) is not None:
        judge(ann, task.assignment_id, "left")
    assert len(load_judgments(annotation_store, "S")) == 3
    records = export_judgments(annotation_store, "S")
    assert [record["check"] for record in records].count(True) == 2
    (row,) = annotation_store.annotators("S")
    assert sum(record["passed"] is True for record in records) == row.checks_passed
    assert {record["passed"] for record in records if not record["check"]} == {None}


def test_conflicts_carry_their_inclusion(
    scored: str, data_store: DataStore, annotation_store: AnnotationStore, create: Create, judge: Judge
) -> None:
    keys = {(e.document_id, e.system): key for key, e in data_store.examples(scored).items()}
    # against rouge_k, which has c below a and b: here c is the best
    values = {"a": 0.1, "b": 0.1, "c": 0.9}
    data_store.add_scores(
        metric="other",
        signature="other|test",
        scores={key: StoredScore(values[system], None) for (_, system), key in keys.items()},
    )
    create(rule="conflicts", signatures=("rouge_k|test", "other|test"), count=6)
    judge_by(annotation_store, judge, "Ann", lambda number: "a")
    judgments = load_judgments(annotation_store, "S")
    assert judgments.weights is not None
    assert judgments.weights == pytest.approx(1 / judgments.inclusion[judgments.pair])
    exported = {record["inclusion"] for record in export_judgments(annotation_store, "S")}
    assert exported == set(judgments.inclusion)


def test_the_share_of_judgments_won(annotation_store: AnnotationStore, create: Create, judge: Judge) -> None:
    create(rule="all", systems=("a", "b"), judgments_per_pair=2, ties=True)
    judge_by(annotation_store, judge, "Ann", lambda number: "a")
    judge_by(annotation_store, judge, "Bob", lambda number: "b" if number == "1" else "tie")
    won = shares_won(load_judgments(annotation_store, "S"))
    assert (won["d0", "a"], won["d0", "b"]) == (0.75, 0.25)  # a choice and a tie
    assert (won["d1", "a"], won["d1", "b"]) == (0.5, 0.5)


def test_judged_follows_the_order_of_deciding_and_the_latest_choice(
    annotation_store: AnnotationStore, create: Create, judge: Judge
) -> None:
    create()
    ann = annotation_store.join(study="S", name="Ann")
    given = []
    for step in range(3):
        task = annotation_store.next_task(ann)
        assert task is not None
        given.append(task)
        shown = SHOWN - timedelta(hours=step)
        judge(ann, task.assignment_id, "left", presented_at=shown, decided_at=shown + timedelta(seconds=1))
    changed = SHOWN + timedelta(hours=1)
    judge(ann, given[1].assignment_id, "right", change=True, presented_at=SHOWN, decided_at=changed)
    judgments = load_judgments(annotation_store, "S")
    assert judgments.document.tolist() == [f"d{given[i].left[-1]}" for i in (2, 0, 1)]
    # the first of a pair is the system that sorts first, whichever side it was on
    assert judgments.choices[2] == (1.0 if given[1].right[0] < given[1].left[0] else -1.0)
    assert judgments.scores == {}  # nothing is scored


def test_a_study_without_judgments(annotation_store: AnnotationStore, create: Create) -> None:
    create()
    judgments = load_judgments(annotation_store, "S")
    assert (len(judgments), judgments.differences(), judgments.by_majority().choices.tolist()) == (0, {}, [])


@pytest.mark.parametrize("read", [load_judgments, export_judgments])
def test_an_unknown_study(annotation_store: AnnotationStore, read: Callable[..., object]) -> None:
    with pytest.raises(UnknownStudy):
        read(annotation_store, "nothing")


@pytest.fixture
def ratings(data_store: DataStore) -> DataStore:
    """One document whose systems a to d are rated 5, 2, 5 and not at all, and scored 0.9, missing, not yet, 0.1."""
    human = {"a": {"relevance": 5.0}, "b": {"relevance": 2.0, "fluency": 1.0}, "c": {"relevance": 5.0}, "d": {}}
    summaries = [Summary("x", system, f"text {system}", rating) for system, rating in human.items()]
    records = [(Document("x", "s", ("r",)), summaries)]
    data_store.add_dataset(name="R", format="x", sha256="", records=records)
    values = {
        "a": StoredScore(0.9, None, truncated=True),
        "b": StoredScore(None, "no keywords"),
        "d": StoredScore(0.1, None),
    }
    keys = {example.system: key for key, example in data_store.unscored(dataset="R", signature="m|1")}
    data_store.add_scores(metric="m", signature="m|1", scores={keys[system]: score for system, score in values.items()})
    return data_store


def test_rated(ratings: DataStore) -> None:
    rated_pairs = load_rated_pairs(ratings, "R", "relevance")
    rows = zip(rated_pairs.document, rated_pairs.first, rated_pairs.second, rated_pairs.choices, strict=True)
    assert list(rows) == [("x", "a", "b", 3.0), ("x", "a", "c", 0.0), ("x", "b", "c", -3.0)]  # 5 - 2, 5 - 5, 2 - 5
    expected = [(0.9, math.nan), (0.9, math.nan), (math.nan, math.nan)]
    assert np.array_equal(rated_pairs.scores["m|1"], expected, equal_nan=True)
    assert set(rated_pairs.annotators) == {None}
    assert len(load_rated_pairs(ratings, "R", "fluency")) == len(load_rated_pairs(ratings, "R", "nothing")) == 0
    with pytest.raises(UnknownDataset):
        load_rated_pairs(ratings, "nothing", "relevance")


def test_cut_texts_are_counted(ratings: DataStore) -> None:
    assert ratings.signatures("R") == [("m", "m|1", 3, 1, 1)]


def test_export_scores(ratings: DataStore) -> None:
    common = {"dataset": "R", "document_id": "x", "metric": "m", "signature": "m|1"}
    assert list(export_scores(ratings, "R")) == [
        {**common, "system": "a", "value": 0.9, "missing": None, "truncated": True},
        {**common, "system": "b", "value": None, "missing": "no keywords", "truncated": False},
        {**common, "system": "d", "value": 0.1, "missing": None, "truncated": False},
    ]


def test_export_judgments_leaves_nothing_out(
    annotation_store: AnnotationStore, create: Create, judge: Judge, dataset: str
) -> None:
    create(ties=True)
    ann = annotation_store.join(study="S", name="Ann 🙂")
    first = annotation_store.next_task(ann)
    assert first is not None
    later = SHOWN + timedelta(seconds=5, microseconds=1)
    judge(ann, first.assignment_id, "tie", presented_at=SHOWN, decided_at=later, rationale='=cmd "x"\n\u202e')
    judge(ann, first.assignment_id, "left", presented_at=later, decided_at=later + timedelta(days=1), change=True)
    second = annotation_store.next_task(ann)
    assert second is not None
    annotation_store.skip(annotator=ann, assignment_id=second.assignment_id, reason="not readable")
    third = annotation_store.next_task(ann)
    assert third is not None

    records = json.loads(json.dumps(export_judgments(annotation_store, "S", names=True)))
    assert [r["document_id"] for r in records] == [f"d{task.left[-1]}" for task in (first, second, third)]
    judged_record, skipped, open_record = records
    a, b = sorted((first.left[0], first.right[0]))
    assigned_at = judged_record.pop("assigned_at")
    assert datetime.fromisoformat(assigned_at).utcoffset() == timedelta(0)
    assert judged_record == {
        "study": "S",
        "dataset": "news",
        "annotator": "Ann 🙂",
        "excluded": False,
        "document_id": f"d{first.left[-1]}",
        "system_a": a,
        "system_b": b,
        "check": False,
        "passed": None,
        "inclusion": None,
        "left": first.left[0],
        "choice": "left",
        "chosen": first.left[0],
        "presented_at": "2026-01-01T12:00:05.250001+00:00",
        "decided_at": "2026-01-02T12:00:05.250001+00:00",
        "rationale": None,
        "confidence": None,
        "marks": None,
        "revision": 2,
        "history": [
            {
                "revision": 1,
                "choice": "tie",
                "chosen": None,
                "presented_at": "2026-01-01T12:00:00.250000+00:00",
                "decided_at": "2026-01-01T12:00:05.250001+00:00",
                "rationale": '=cmd "x"\n\u202e',
                "confidence": None,
                "marks": None,
            }
        ],
        "skipped_at": None,
        "skip_reason": None,
    }
    assert (skipped["skip_reason"], skipped["chosen"], skipped["revision"]) == ("not readable", None, None)
    assert datetime.fromisoformat(skipped["skipped_at"]) >= datetime.fromisoformat(skipped["assigned_at"])
    unset = ("chosen", "presented_at", "decided_at", "rationale", "revision", "skipped_at", "skip_reason")
    assert [open_record[key] for key in unset] == [None] * 7
    assert open_record["history"] == []
    assert ann.token not in json.dumps(records)  # it opens the annotator's work
