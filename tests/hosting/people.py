"""A server with two studies and everybody who may come: what tests of guards and of revocation begin with."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Engine

from relevance.annotation.keyword_records import FoundKeyword, KeywordAnnotator, ReviewSpec
from relevance.annotation.records import Annotator, StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import now
from relevance.data.records import Document, Summary
from relevance.data.rights import LOCAL, Actor, Right
from relevance.data.store import DataStore
from relevance.hosting.accounts import AccountStore
from relevance.hosting.links import Link
from relevance.hosting.sign_ins import SignedIn, SignInStore, digest_of
from relevance.pages.components.shared.stores import Stores

SIGNATURE = "rouge_k|test"
PASSWORD = "plum-otter-bicycle"


def add_account(engine: Engine, name: str, role: str = "researcher") -> SignedIn:
    """Add an account, signed in."""
    user = AccountStore(engine).add_user(name=name, role=role, email=f"{name}@example.org")
    return SignedIn(digest_of(SignInStore(engine).sign_in(user_id=user.id)))


def sign_in_annotator(engine: Engine, annotator: Annotator) -> SignedIn:
    return SignedIn(digest_of(SignInStore(engine).sign_in(annotator_id=annotator.id)))


def add_news(store: DataStore) -> None:
    """The data set `news`: three documents with two systems."""
    store.add_dataset(
        name="news",
        format="interchange",
        sha256="",
        records=[
            (
                Document(
                    id=f"d{n}", source=f"source {n}", references=(f"reference {n}",), title=f"reference title {n}"
                ),
                [Summary(f"d{n}", system, f"{system} of {n}") for system in "ab"],
            )
            for n in range(3)
        ],
    )


def spec(name: str) -> StudySpec:
    return StudySpec(name=name, dataset="news", rule="random", seed=7, judgments_per_pair=5)


def review_spec(name: str) -> ReviewSpec:
    keyword = FoundKeyword(("reference",), ((0, 0, 9),), ("tfidf",))
    return ReviewSpec(
        name=name, dataset="news", extractors=("tfidf",), signature="k", keywords={f"d{n}": [keyword] for n in range(3)}
    )


@dataclass(frozen=True)
class Lab:
    """What there is: Carla's data set, study `S` and review `K`, and Sven's study `elsewhere`."""

    actors: dict[str, Actor]
    """By what they are to `S`."""
    annotator: Annotator
    """Judges in `S` by a personal link, has judged one pair and been given another."""
    judged_id: int
    given_id: int
    other: Annotator
    """Judges in `elsewhere`, and has been given a pair."""
    other_id: int
    marker: KeywordAnnotator
    """Carla, as she marks in `K`."""
    marked_id: int
    link: Link
    run_id: int


def build(engine: Engine) -> Lab:
    owner, carla, sven = (
        add_account(engine, name, role)
        for name, role in (("olga", "owner"), ("carla", "researcher"), ("sven", "researcher"))
    )
    reader, manager, adjudicator = (add_account(engine, name) for name in ("rita", "mark", "ada"))
    of_carla, of_sven = Stores(engine, carla), Stores(engine, sven)
    add_news(of_carla.data)
    of_carla.annotation.create_study(spec("S"))
    of_sven.annotation.create_study(spec("elsewhere"))
    for name, right in (("rita", Right.READ), ("ada", Right.ADJUDICATE), ("mark", Right.MANAGE)):
        of_carla.accounts.grant("S", name, right)
    annotator = of_carla.annotation.invite(study="S", name="Ann")
    other = of_sven.annotation.invite(study="elsewhere", name="Otto")
    ann, otto = sign_in_annotator(engine, annotator), sign_in_annotator(engine, other)
    judging = AnnotationStore(engine, ann)
    judged, given = judge_next(judging, annotator), judging.next_task(annotator)
    elsewhere = AnnotationStore(engine, otto).next_task(other)
    assert given is not None
    assert elsewhere is not None
    of_carla.keyword_reviews.create_review(review_spec("K"))
    marker = of_carla.keyword_reviews.join(review="K", name="")
    marks = of_carla.keyword_reviews.next_task(marker)
    assert marks is not None
    actors = {
        "nobody": SignedIn(digest_of("guessed")),
        "annotator": ann,
        "annotator elsewhere": otto,
        "researcher elsewhere": sven,
        "reader": reader,
        "adjudicator": adjudicator,
        "manager": manager,
        "creator": carla,
        "owner": owner,
        "local": LOCAL,
    }
    return Lab(
        actors=actors,
        annotator=annotator,
        judged_id=judged,
        given_id=given.assignment_id,
        other=other,
        other_id=elsewhere.assignment_id,
        marker=marker,
        marked_id=marks.id,
        link=of_carla.links.add_link("S"),
        run_id=of_carla.data.start_run(dataset="news", metrics=["length"]).id,
    )


def judge_next(store: AnnotationStore, annotator: Annotator) -> int:
    """Judge the annotator's next pair; returns the number of its assignment."""
    task = store.next_task(annotator)
    assert task is not None
    judge(store, annotator, task.assignment_id)
    return task.assignment_id


def judge(store: AnnotationStore, annotator: Annotator, assignment_id: int, *, change: bool = False) -> None:
    """Judge as if the pair had been shown two seconds before."""
    presented = now() - timedelta(seconds=2)
    store.judge(annotator=annotator, assignment_id=assignment_id, choice="left", presented_at=presented, change=change)
