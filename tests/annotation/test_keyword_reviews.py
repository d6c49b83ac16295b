"""Reviews of keywords on both kinds of server: what is drawn, shown, saved, refused and counted."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from relevance.annotation.keyword_records import (
    AlreadySaved,
    FoundKeyword,
    KeywordAnnotator,
    MarkTask,
    NameInUse,
    NoKeywords,
    Review,
    ReviewExists,
    ReviewSpec,
    ShownKeyword,
    UnknownKeyword,
    UnknownReview,
)
from relevance.annotation.keyword_reviews import KeywordReviewStore, draw_documents
from relevance.annotation.records import TooSoon, UnknownInvite
from relevance.annotation.tables import KeywordVerdictRow
from relevance.data.database import connect, now
from relevance.data.store import StoreError, UnknownDataset
from tests.waiting import PATIENCE

BOTH = FoundKeyword(("reference",), ((0, 0, 9),), ("overlap", "tfidf"))
ONE = FoundKeyword(("title",), ((1, 0, 5),), ("tfidf",))
OTHER = FoundKeyword(("reference", "1"), ((0, 0, 11),), ("overlap",))
KEYWORDS = {"d0": [BOTH, ONE], "d1": [OTHER, BOTH, ONE], "d2": [], "d3": [ONE]}

Make = Callable[..., Review]


@pytest.fixture
def store(engine: Engine, dataset: str) -> KeywordReviewStore:
    return KeywordReviewStore(engine)


@pytest.fixture
def make(store: KeywordReviewStore, dataset: str) -> Make:
    def make(**settings: object) -> Review:
        values = {
            "name": "R",
            "dataset": dataset,
            "extractors": ("overlap", "tfidf"),
            "signature": "keywords|test",
            "keywords": KEYWORDS,
            "seed": 3,
        }
        return store.create_review(ReviewSpec(**values | settings))  # type: ignore[arg-type]

    return make


def save(
    store: KeywordReviewStore, annotator: KeywordAnnotator, task: MarkTask, *words: str, **settings: object
) -> None:
    """Mark keywords by their words, as if the document had been shown two seconds before."""
    wrong = [keyword.id for keyword in task.keywords if " ".join(keyword.words) in words]
    assert len(wrong) == len(words)
    values = {"presented_at": now() - timedelta(seconds=2), "replaces": task.revision} | settings
    store.save(annotator=annotator, task_id=task.id, wrong=wrong, **values)  # type: ignore[arg-type]


def tasks(store: KeywordReviewStore, annotator: KeywordAnnotator) -> dict[str, MarkTask]:
    """All documents of a review by the numbers of their titles."""
    total = store.progress(annotator).total
    return {f"d{task.title[-1]}": task for task in (store.task(annotator, place) for place in range(total))}


def test_a_review_keeps_what_was_found_and_shows_nobody_who_found_it(store: KeywordReviewStore, make: Make) -> None:
    review = make()
    assert (review.documents, review.without, review.keywords, review.annotators, review.verdicts) == (3, 1, 6, 0, 0)
    assert (review.extractors, review.signature, review.seed) == (("overlap", "tfidf"), "keywords|test", 3)
    shown = tasks(store, store.join(review="R", name="Ann"))
    assert set(shown) == {"d0", "d1", "d3"}
    assert (shown["d1"].references, shown["d1"].source) == (("reference 1",), "source 1")
    assert {keyword[1:] for keyword in shown["d1"].keywords} == {keyword[:2] for keyword in KEYWORDS["d1"]}
    assert "extractors" not in ShownKeyword._fields


def test_the_order_says_nothing_of_the_extractors_and_the_seed_makes_it(store: KeywordReviewStore, make: Make) -> None:
    many = [FoundKeyword((f"w{number}",), (), ("overlap",)) for number in range(12)]
    make(name="1", keywords={"d0": many})
    make(name="2", keywords={"d0": [k._replace(extractors=("tfidf",)) for k in reversed(many)]})
    make(name="3", keywords={"d0": many}, seed=4)
    orders = [
        [keyword.words for keyword in store.task(store.join(review=name, name="Ann"), 0).keywords] for name in "123"
    ]
    assert orders[0] == orders[1] != orders[2]
    assert orders[0] != sorted(orders[0])


def test_documents_are_drawn_by_the_seed() -> None:
    documents = [f"d{number}" for number in range(6)]
    assert len(draw_documents(documents, 3, 1)) == 3
    assert draw_documents(documents, 3, 1) == draw_documents(documents, 3, 1)
    assert len({tuple(draw_documents(documents, 3, seed)) for seed in range(6)}) > 1
    assert sorted(draw_documents(documents, 99, 0)) == documents
    for count, seed in ((0, 0), (3, -1), (3, 2**31)):
        with pytest.raises(StoreError):
            draw_documents(documents, count, seed)


def test_documents_are_shown_in_the_order_of_the_draw(make: Make, store: KeywordReviewStore) -> None:
    order = ["d3", "d0", "d5"]
    make(keywords={key: [ONE] for key in order})
    assert list(tasks(store, store.join(review="R", name="Ann"))) == order


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"dataset": "none"}, UnknownDataset, "no data set"),
        ({"name": " "}, StoreError, "printable"),
        ({"seed": -1}, StoreError, "seed"),
        ({"extractors": ()}, StoreError, "at least one extractor"),
        ({"extractors": ("tfidf", "tfidf")}, StoreError, "each once"),
        ({"extractors": ("tfidf",)}, StoreError, "cannot have the keyword"),  # others found it, too
        ({"keywords": {"d9": [ONE]}}, StoreError, "no document 'd9'"),
        ({"keywords": {"d2": []}}, NoKeywords, "no extractor found a keyword"),
        ({"keywords": {"d0": [ONE, ONE]}}, StoreError, "twice"),
        ({"keywords": {"d0": [ONE._replace(places=((2, 0, 1),))]}}, StoreError, "cannot have the keyword 'title'"),
        ({"keywords": {"d0": [ONE._replace(places=((0, 3, 3),))]}}, StoreError, "cannot have the keyword"),
        ({"keywords": {"d0": [ONE._replace(places=((1, 0, 8),))]}}, StoreError, "cannot have the keyword"),
        ({"keywords": {"d0": [ONE._replace(words=())]}}, StoreError, "cannot have the keyword"),
    ],
)
def test_a_review_that_cannot_be_is_refused_whole(
    store: KeywordReviewStore, make: Make, settings: dict[str, object], error: type[StoreError], message: str
) -> None:
    with pytest.raises(error, match=message):
        make(**settings)
    assert store.reviews() == []


def test_a_name_is_taken_once(store: KeywordReviewStore, make: Make) -> None:
    make()
    with pytest.raises(ReviewExists, match="already a review 'R'"):
        make()
    make(name="S")
    assert [review.name for review in store.reviews()] == ["S", "R"]
    with pytest.raises(UnknownReview, match="there are R, S"):
        store.review("T")


def test_nobody_marks_as_somebody_else_by_accident(store: KeywordReviewStore, make: Make) -> None:
    make()
    make(name="S")
    ann = store.join(review="R", name="Ren\u00e9e")
    with pytest.raises(NameInUse, match="has begun this review"):
        store.join(review="R", name="Rene\u0301e ")  # the same name, typed another way
    assert store.join(review="R", name="Ren\u00e9e", returning=True) == ann
    assert store.join(review="S", name="Ren\u00e9e").id != ann.id
    assert store.annotator(ann.token) == ann
    for token in ("", "nobody", "\0"):
        with pytest.raises(UnknownInvite, match="not known"):
            store.annotator(token)
    with pytest.raises(UnknownReview):
        store.join(review="T", name="Bo")


def test_documents_come_one_after_another_and_none_wrong_is_an_answer(store: KeywordReviewStore, make: Make) -> None:
    make()
    ann, bo = store.join(review="R", name="Ann"), store.join(review="R", name="Bo")
    seen = []
    while (task := store.next_task(ann)) is not None:
        assert store.progress(ann) == (len(seen), 3)
        assert store.next_task(ann) == task  # a reload shows the same
        seen.append(task.position)
        save(store, ann, task)
    assert seen == [0, 1, 2]
    assert store.progress(ann) == (3, 3)
    assert store.progress(bo) == (0, 3)
    first = store.next_task(bo)
    assert first is not None
    assert (first.position, first.revision, first.wrong) == (0, 0, frozenset())
    assert store.review("R").verdicts == 3
    with pytest.raises(UnknownKeyword, match="no document 4"):
        store.task(ann, 3)


def test_a_change_keeps_what_it_replaces_and_must_have_seen_it(store: KeywordReviewStore, make: Make) -> None:
    make()
    ann = store.join(review="R", name="Ann")
    shown = tasks(store, ann)["d1"]
    save(store, ann, shown, "title", "reference 1")
    with pytest.raises(AlreadySaved, match="another window"):
        save(store, ann, shown)  # a second press, or a second window
    again = tasks(store, ann)["d1"]
    assert (again.revision, len(again.wrong)) == (1, 2)
    save(store, ann, again, "reference")
    assert tasks(store, ann)["d1"].revision == 2
    records = store.export("R")
    wrong = {(record["revision"], record["stands"], record["keyword"]) for record in records if record["wrong"]}
    assert wrong == {(1, False, "title"), (1, False, "reference 1"), (2, True, "reference")}
    assert len(records) == 2 * 3
    assert {(r["document_id"], r["annotator"], r["dataset"]) for r in records} == {("d1", "Ann", "news")}
    assert {r["keyword"]: r["extractors"] for r in records}["reference"] == ["overlap", "tfidf"]
    assert store.review("R").verdicts == 1
    assert store.version("R") == 2


def test_what_cannot_be_saved_is_refused(store: KeywordReviewStore, make: Make, engine: Engine) -> None:
    make()
    make(name="S")
    ann, bo = store.join(review="R", name="Ann"), store.join(review="S", name="Bo")
    first, second = tasks(store, ann)["d0"], tasks(store, ann)["d1"]
    with pytest.raises(UnknownKeyword, match="does not belong to the document"):
        store.save(annotator=ann, task_id=first.id, wrong=[second.keywords[0].id], presented_at=now() - timedelta(9))
    with pytest.raises(UnknownKeyword, match="does not belong to the review"):
        save(store, bo, first)
    with pytest.raises(UnknownKeyword, match="does not belong to the review"):
        store.save(annotator=ann, task_id=10**6, wrong=[], presented_at=now() - timedelta(seconds=9))
    with pytest.raises(TooSoon, match="not saved"):
        save(store, ann, first, presented_at=now() + timedelta(hours=1))  # however slow the machine is
    with pytest.raises(StoreError, match="time zone"):
        save(store, ann, first, presented_at=now().replace(tzinfo=None))
    with pytest.raises(AlreadySaved):
        save(store, ann, first, replaces=1)
    with Session(engine) as session:
        assert session.scalar(select(func.count()).select_from(KeywordVerdictRow)) == 0


def test_counts_are_by_extractor_and_of_what_stands(store: KeywordReviewStore, make: Make) -> None:
    make()
    assert store.counts("R") == ((), (), (), (), ())
    assert store.decisions("R") == ((), (), ())
    ann, bo = store.join(review="R", name="Ann"), store.join(review="R", name="Bo")
    save(store, ann, tasks(store, ann)["d1"], "title")
    save(store, ann, tasks(store, ann)["d1"], "reference")  # found by both
    save(store, bo, tasks(store, bo)["d1"])
    save(store, bo, tasks(store, bo)["d3"], "title")
    counts = set(zip(*store.counts("R"), strict=True))
    assert counts == {
        ("d1", "Ann", "overlap", 2, 1),
        ("d1", "Ann", "tfidf", 2, 1),
        ("d1", "Bo", "overlap", 2, 0),
        ("d1", "Bo", "tfidf", 2, 0),
        ("d3", "Bo", "overlap", 0, 0),
        ("d3", "Bo", "tfidf", 1, 1),
    }
    decisions = store.decisions("R")
    assert len(decisions.keywords) == 3 + 3 + 1
    assert [name for name, wrong in zip(decisions.annotators, decisions.wrong, strict=True) if wrong] == ["Ann", "Bo"]


def test_what_was_saved_is_there_after_a_restart(
    store: KeywordReviewStore, make: Make, engine: Engine, database_url: str
) -> None:
    make()
    ann = store.join(review="R", name="Ann")
    save(store, ann, tasks(store, ann)["d0"], "title")
    engine.dispose()
    other = connect(database_url)
    again = KeywordReviewStore(other)
    assert len(tasks(again, again.annotator(ann.token))["d0"].wrong) == 1
    other.dispose()


def test_two_windows_and_two_people_at_once(store: KeywordReviewStore, make: Make) -> None:
    """Of one person's two windows one saves each document and the other is told; two people do not meet."""
    make(keywords={f"d{number}": [ONE] for number in range(6)})
    people = [store.join(review="R", name=name) for name in ("Ann", "Bo")]
    barrier = Barrier(4)

    def work(number: int) -> tuple[int, int]:
        annotator, saved, told = people[number % 2], 0, 0
        for place in range(6):
            task = store.task(annotator, place)
            barrier.wait(timeout=PATIENCE)  # all have been shown the document before anybody saves it
            try:
                save(store, annotator, task, *(["title"] if number < 2 else []))
            except AlreadySaved:
                told += 1
            else:
                saved += 1
            barrier.wait(timeout=PATIENCE)
        return saved, told

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(work, range(4)))
    for person in range(2):
        assert done[person][0] + done[person + 2][0] == 6
        assert done[person][1] + done[person + 2][1] == 6
    assert store.review("R").verdicts == store.version("R") == 12


def test_one_name_joins_once_though_all_try_at_once(store: KeywordReviewStore, make: Make) -> None:
    make()
    barrier = Barrier(6)

    def join(_: int) -> KeywordAnnotator | None:
        barrier.wait(timeout=PATIENCE)
        try:
            return store.join(review="R", name="Ann")
        except NameInUse:
            return None

    with ThreadPoolExecutor(6) as pool:
        joined = list(pool.map(join, range(6)))
    assert sum(annotator is not None for annotator in joined) == 1
    assert store.review("R").annotators == 1
