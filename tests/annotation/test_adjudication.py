"""What adjudicators are shown, what becomes of their decisions, and how these are read."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import numpy as np
import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from relevance.annotation.adjudication import AdjudicationStore, export_adjudications, load_adjudications
from relevance.annotation.adjudication_records import AlreadyDecided, Confirmation, UnknownPair, Vote
from relevance.annotation.records import Study, TooSoon
from relevance.annotation.results import export_judgments, load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AnnotatorRow, PairRow
from relevance.data.database import now
from relevance.data.store import StoreError

Create = Callable[..., Study]
Judge = Callable[..., None]

VOTES = {
    # document: what Ann, Bob and Cem choose, `-` being nothing
    "d0": "aab",  # 2/3
    "d1": "ab-",  # 1/2
    "d2": "aaa",  # 1
    "d3": "abt",  # 1/3
    "d4": "b--",  # one judgment alone
}


@pytest.fixture
def store(annotation_store: AnnotationStore) -> AdjudicationStore:
    return AdjudicationStore(annotation_store.engine)


@pytest.fixture
def judged(annotation_store: AnnotationStore, create: Create, judge: Judge) -> None:
    """The study `S` of a and b, one pair a document, judged as in `VOTES`."""
    create(rule="all", systems=("a", "b"), judgments_per_pair=3, ties=True)
    for place, name in enumerate(("Ann", "Bob", "Cem")):
        annotator = annotation_store.join(study="S", name=name)
        while (task := annotation_store.next_task(annotator)) is not None:
            wanted = VOTES[f"d{task.left[-1]}"][place]
            if wanted == "-":
                annotation_store.skip(annotator=annotator, assignment_id=task.assignment_id, reason="unreadable")
                continue
            choice = "tie" if wanted == "t" else "left" if task.left[0] == wanted else "right"
            judge(annotator, task.assignment_id, choice, rationale=f"by {name}")


def order(store: AdjudicationStore, name: str = "Ada") -> list[str]:
    """The documents of the pairs to adjudicate, in their order."""
    return [f"d{store.task('S', pair.id, name).shown.left[-1]}" for pair in store.pairs("S", name)]


def find(store: AdjudicationStore, document: str) -> int:
    """The pair of a document."""
    with Session(store.engine) as session:
        pairs = session.scalars(select(PairRow)).all()
        return next(pair.id for pair in pairs if pair.document.key == document)


def decide(
    store: AdjudicationStore, document: str, system: str | None, name: str = "Ada", *, change: bool = False
) -> None:
    """Decide for a system, None being a tie."""
    pair_id = find(store, document)
    left = store.task("S", pair_id, name).shown.left
    choice = "tie" if system is None else "left" if left[0] == system else "right"
    store.decide(
        study="S",
        pair_id=pair_id,
        choice=choice,
        presented_at=now() - timedelta(seconds=2),
        name=name,
        reason=f"{name} says {system}",
        change=change,
    )


def test_the_lowest_agreement_comes_first(judged: None, store: AdjudicationStore) -> None:
    assert order(store) == ["d3", "d1", "d0", "d2"]  # 1/3, 1/2, 2/3, 1; d4 has one judgment
    assert [pair.unanimous for pair in store.pairs("S", "Ada")] == [False, False, False, True]


def test_of_equal_agreement_more_judgments_come_first(
    annotation_store: AnnotationStore, store: AdjudicationStore, create: Create, judge: Judge
) -> None:
    create(rule="all", systems=("a", "b"), judgments_per_pair=4)
    votes = {"d0": "ab--", "d1": "aabb", "d2": "ba--", "d3": "----", "d4": "----"}
    for place in range(4):
        annotator = annotation_store.join(study="S", name=f"A{place}")
        while (task := annotation_store.next_task(annotator)) is not None:
            wanted = votes[f"d{task.left[-1]}"][place]
            if wanted == "-":
                annotation_store.skip(annotator=annotator, assignment_id=task.assignment_id, reason="no")
            else:
                judge(annotator, task.assignment_id, "left" if task.left[0] == wanted else "right")
    with Session(store.engine) as session:
        drawn = [pair.document.key for pair in session.scalars(select(PairRow).order_by(PairRow.position))]
    assert order(store) == ["d1", *(key for key in drawn if key in {"d0", "d2"})]


def test_who_is_excluded_has_no_vote(judged: None, store: AdjudicationStore) -> None:
    with Session(store.engine) as session, session.begin():
        cem = session.scalars(select(AnnotatorRow).where(AnnotatorRow.name == "Cem")).one()
        cem.excluded_at = now()
    # d0 aa, d1 ab, d2 aa, d3 ab
    assert {*order(store)[:2]} == {"d1", "d3"}
    decide(store, "d0", "a")
    assert store.task("S", find(store, "d0"), "Ada").votes[0].rationale != "by Cem"
    assert len(store.task("S", find(store, "d0"), "Ada").votes) == 2


def test_votes_and_other_decisions_are_shown_after_the_own_decision(judged: None, store: AdjudicationStore) -> None:
    pair_id = find(store, "d0")
    decide(store, "d0", "b", "Ben")
    before = store.task("S", pair_id, "Ada")
    assert (before.votes, before.decisions, before.shown.choice) == ((), (), None)
    (listed,) = (pair for pair in store.pairs("S", "Ada") if pair.id == pair_id)
    assert (listed.choice, listed.votes, listed.others) == (None, {}, ())
    decide(store, "d0", "a")
    after = store.task("S", pair_id, "Ada")
    side, other = ("left", "right") if after.shown.left[0] == "a" else ("right", "left")
    assert after.shown.choice == side
    assert sorted(after.votes) == sorted([Vote(side, "by Ann"), Vote(side, "by Bob"), Vote(other, "by Cem")])
    assert [(decision.adjudicator, decision.choice, decision.reason) for decision in after.decisions] == [
        ("Ben", other, "Ben says b"),
        ("Ada", side, "Ada says a"),
    ]
    (listed,) = (pair for pair in store.pairs("S", "Ada") if pair.id == pair_id)
    assert (listed.choice, listed.votes) == (side, {side: 2, other: 1})
    assert [other.choice for other in listed.others] == [other]


def test_all_adjudicators_see_the_same_sides_and_no_names(judged: None, store: AdjudicationStore) -> None:
    pairs = [pair.id for pair in store.pairs("S", "Ada")]
    assert [store.task("S", pair, "Ada").shown for pair in pairs] == [
        store.task("S", pair, "Ben").shown for pair in pairs
    ]
    for document in VOTES:
        if document != "d4":
            decide(store, document, "a")
    assert not any(name in repr(store.task("S", pair, "Ada").shown) for pair in pairs for name in ("Ann", "Bob", "Cem"))


def test_a_change_is_asked_for_and_keeps_what_it_replaces(judged: None, store: AdjudicationStore) -> None:
    judgments = export_judgments(AnnotationStore(store.engine), "S")
    decide(store, "d0", "a")
    with pytest.raises(AlreadyDecided):
        decide(store, "d0", "b")
    assert store.version("S") == 1
    decide(store, "d0", "b", change=True)
    assert store.version("S") == 2
    adjudications = store.adjudications("S")
    assert [(item.chosen, item.stands, item.is_decision) for item in adjudications] == [
        ("a", False, False),
        ("b", True, True),
    ]
    assert export_judgments(AnnotationStore(store.engine), "S") == judgments


def test_what_is_refused(judged: None, store: AdjudicationStore, create: Create) -> None:
    with pytest.raises(UnknownPair, match="fewer than two"):
        store.task("S", find(store, "d4"), "Ada")
    with pytest.raises(UnknownPair, match="no such pair"):
        store.task("S", 10**6, "Ada")
    create(name="other", rule="all", systems=("a", "b"))
    with pytest.raises(UnknownPair, match="no such pair"):
        store.task("other", find(store, "d0"), "Ada")
    press = partial(store.decide, study="S", pair_id=find(store, "d0"), name="Ada")
    with pytest.raises(TooSoon):
        press(choice="left", presented_at=now() + timedelta(hours=1))  # however slow the machine is
    with pytest.raises(StoreError, match="not a choice"):
        press(choice="both", presented_at=now() - timedelta(seconds=2))
    with pytest.raises(StoreError, match="needs 1 to 200"):
        store.task("S", find(store, "d0"), " ")
    assert store.version("S") == 0


def test_the_latest_of_anybody_is_the_pairs_decision(judged: None, store: AdjudicationStore) -> None:
    decide(store, "d0", "a", "Ada")
    decide(store, "d3", "b", "Ada")
    decide(store, "d0", None, "Ben")
    adjudications = load_adjudications(AnnotationStore(store.engine), "S")
    text = zip(
        adjudications.document, adjudications.first, adjudications.annotators, adjudications.choices, strict=True
    )
    first = dict(zip(adjudications.document, adjudications.first, strict=True))
    assert [*text] == [
        ("d3", first["d3"], "Ada", 1.0 if first["d3"] == "b" else -1.0),
        ("d0", first["d0"], "Ben", 0.0),
    ]
    d3_left = store.task("S", find(store, "d3"), "Ada").shown.choice == "left"
    assert adjudications.left[0] == float(d3_left)
    assert np.isnan(adjudications.left[1])
    # the pairs are those of the judgments
    assert adjudications.documents.tolist() == load_judgments(AnnotationStore(store.engine), "S").documents.tolist()


def test_without_decisions_there_are_pairs_and_nothing_said_of_them(judged: None, store: AdjudicationStore) -> None:
    adjudications = load_adjudications(AnnotationStore(store.engine), "S")
    assert (len(adjudications), len(adjudications.documents)) == (0, 5)
    assert store.decided() == {}
    assert store.confirmation("S") == Confirmation(0, 0, 0, 0)


def test_how_often_the_majority_was_confirmed(judged: None, store: AdjudicationStore) -> None:
    decide(store, "d0", "a")  # aab: confirmed
    decide(store, "d1", "a")  # ab: no majority
    decide(store, "d2", "b")  # aaa: not confirmed
    decide(store, "d3", "a")  # abt: no majority
    assert store.confirmation("S") == Confirmation(decided=4, with_majority=2, confirmed=1, disputed=0)
    decide(store, "d2", "a", "Ben")  # the latest counts: confirmed, and the two differ
    assert store.confirmation("S") == Confirmation(decided=4, with_majority=2, confirmed=2, disputed=1)
    decide(store, "d2", "a", "Ada", change=True)
    assert store.confirmation("S") == Confirmation(decided=4, with_majority=2, confirmed=2, disputed=0)
    assert store.decided() == {"S": 4}


def test_exported(judged: None, store: AdjudicationStore) -> None:
    decide(store, "d3", "b")
    assert [adjudication["adjudicator"] for adjudication in export_adjudications(store, "S")] == ["adjudicator 1"]
    (record,) = export_adjudications(store, "S", names=True)
    assert datetime.fromisoformat(record.pop("decided_at")) <= now()
    left = record.pop("left")
    assert record == {
        "study": "S",
        "dataset": "news",
        "pair": record["pair"],
        "document_id": "d3",
        "system_a": record["system_a"],
        "system_b": {"a": "b", "b": "a"}[record["system_a"]],
        "adjudicator": "Ada",
        "choice": "left" if left == "b" else "right",
        "chosen": "b",
        "reason": "Ada says b",
        "stands": True,
        "is_decision": True,
    }
