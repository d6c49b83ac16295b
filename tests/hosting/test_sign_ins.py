"""Sign-ins: random tokens of which only a digest is kept, and which end."""

from datetime import timedelta

import pytest
from sqlalchemy import Engine, func, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from relevance.annotation.people import PeopleStore
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AnnotatorRow
from relevance.data.database import now
from relevance.data.rights import LOCAL, Right, Visitor
from relevance.data.store import NotSignedIn
from relevance.data.store.base import Store
from relevance.hosting.accounts import AccountStore
from relevance.hosting.sign_ins import ANNOTATORS, IDLE, TOUCH, USERS, SignedIn, SignInStore, digest_of
from relevance.hosting.tables import SignInRow
from relevance.pages.components.shared.stores import Stores
from tests.hosting.people import Lab


@pytest.fixture
def store(engine: Engine) -> SignInStore:
    return SignInStore(engine)


@pytest.fixture
def user_id(engine: Engine) -> int:
    return AccountStore(engine).add_user(name="ann", role="researcher", email="ann@example.org").id


def age(engine: Engine, token: str, **columns: object) -> None:
    """Change what is stored of a sign-in."""
    with Session(engine.execution_options(writing=True)) as session:
        session.execute(update(SignInRow).where(SignInRow.digest == digest_of(token)).values(columns))
        session.commit()


def rows(engine: Engine) -> int:
    with Session(engine) as session:
        return session.scalar(select(func.count()).select_from(SignInRow)) or 0


def test_a_token_is_stored_nowhere(engine: Engine, store: SignInStore, user_id: int) -> None:
    token = store.sign_in(user_id=user_id)
    assert len(token) >= 43  # 256 bits
    with engine.connect() as connection:
        row = connection.execute(text("SELECT * FROM sign_ins")).one()
    assert token not in str(row)
    assert digest_of(token) == row.digest
    assert not store.is_live(token)
    assert store.is_live(digest_of(token))


def test_every_sign_in_has_a_token_of_its_own(store: SignInStore, user_id: int) -> None:
    tokens = {store.sign_in(user_id=user_id) for _ in range(20)}
    assert len(tokens) == 20
    assert store.count() == 20


def test_a_sign_in_is_of_one_person(engine: Engine, lab: Lab) -> None:
    with pytest.raises(IntegrityError):
        SignInStore(engine).sign_in()
    with pytest.raises(IntegrityError):
        SignInStore(engine).sign_in(user_id=1, annotator_id=lab.annotator.id)


@pytest.mark.parametrize(
    ("columns", "live"),
    [
        ({"expires_at": now() + timedelta(hours=5)}, True),
        ({"expires_at": now() - timedelta(seconds=1)}, False),
        ({"seen_at": now() - IDLE + timedelta(hours=5)}, True),
        ({"seen_at": now() - IDLE - timedelta(seconds=1)}, False),
    ],
)
def test_sign_ins_of_accounts_expire(
    engine: Engine, store: SignInStore, user_id: int, columns: dict[str, object], live: bool
) -> None:
    token = store.sign_in(user_id=user_id)
    age(engine, token, **columns)
    assert store.is_live(digest_of(token)) == live
    assert store.count() == live
    if not live:
        with pytest.raises(NotSignedIn):
            Stores(engine, SignedIn(digest_of(token))).data.datasets()
        assert not store.is_live(digest_of(token))  # asking brings nothing back


def test_annotators_may_be_away_for_days(engine: Engine, store: SignInStore, lab: Lab) -> None:
    token = store.sign_in(annotator_id=lab.annotator.id)
    age(engine, token, seen_at=now() - timedelta(days=20))
    assert store.is_live(digest_of(token))
    age(engine, token, expires_at=now() - timedelta(seconds=1))
    assert not store.is_live(digest_of(token))


def test_how_long_they_last(engine: Engine, store: SignInStore, lab: Lab, user_id: int) -> None:
    for person, lasts in (({"user_id": user_id}, USERS), ({"annotator_id": lab.annotator.id}, ANNOTATORS)):
        token = store.sign_in(**person)
        with Session(engine) as session:
            row = session.get_one(SignInRow, digest_of(token))
            assert abs(row.expires_at - row.created_at - lasts) < timedelta(seconds=10)


def test_expired_ones_are_removed_by_the_next(engine: Engine, store: SignInStore, user_id: int) -> None:
    for _ in range(3):
        age(engine, store.sign_in(user_id=user_id), expires_at=now() - timedelta(days=1))
    store.sign_in(user_id=user_id)
    assert rows(engine) == 1


def test_being_there_is_written_down_now_and_then(engine: Engine, store: SignInStore, user_id: int) -> None:
    token = store.sign_in(user_id=user_id)
    signed_in = AccountStore(engine).user("ann").seen_at
    assert signed_in is not None
    recently = now() - TOUCH / 2
    age(engine, token, seen_at=recently)
    store.is_live(digest_of(token))
    with Session(engine) as session:
        assert session.get_one(SignInRow, digest_of(token)).seen_at == recently
    age(engine, token, seen_at=now() - 2 * TOUCH)
    store.is_live(digest_of(token))
    with Session(engine) as session:
        assert session.get_one(SignInRow, digest_of(token)).seen_at > recently
    seen = AccountStore(engine).user("ann").seen_at
    assert seen is not None
    assert seen > signed_in


def test_a_sign_in_for_a_disabled_account_or_an_excluded_annotator_holds_not(engine: Engine, lab: Lab) -> None:
    store = SignInStore(engine)
    AccountStore(engine).disable("sven")
    PeopleStore(engine).exclude("S", "Ann", "why")
    sven = AccountStore(engine).user("sven").id
    for token in (store.sign_in(user_id=sven), store.sign_in(annotator_id=lab.annotator.id)):
        assert not store.is_live(digest_of(token))
        with pytest.raises(NotSignedIn):
            AnnotationStore(engine, SignedIn(digest_of(token))).own_annotator()


def test_exclusion_ends_a_sign_in_that_was_made_meanwhile(engine: Engine, lab: Lab) -> None:
    token = SignInStore(engine).sign_in(annotator_id=lab.annotator.id)
    with Session(engine.execution_options(writing=True)) as session:
        session.execute(update(AnnotatorRow).where(AnnotatorRow.id == lab.annotator.id).values(excluded_at=now()))
        session.commit()
    assert not SignInStore(engine).is_live(digest_of(token))


def test_signing_out_here_and_everywhere(store: SignInStore, engine: Engine, user_id: int) -> None:
    other = AccountStore(engine).add_user(name="ben", role="researcher", email="ben@example.org").id
    bens = store.sign_in(user_id=other)
    first, second, third = (store.sign_in(user_id=user_id) for _ in range(3))
    store.sign_out(digest_of(first))
    assert [store.is_live(digest_of(token)) for token in (first, second, third, bens)] == [False, True, True, True]
    store.sign_out(digest_of(first), everywhere=True)  # it is not a sign-in any more
    assert store.is_live(digest_of(second))
    store.sign_out(digest_of(second), everywhere=True)
    assert [store.is_live(digest_of(token)) for token in (second, third, bens)] == [False, False, True]


def test_an_annotator_signs_out_everywhere(store: SignInStore, lab: Lab) -> None:
    first, second = (store.sign_in(annotator_id=lab.annotator.id) for _ in range(2))
    other = store.sign_in(annotator_id=lab.other.id)
    store.sign_out(digest_of(first), everywhere=True)
    assert [store.is_live(digest_of(token)) for token in (first, second, other)] == [False, False, True]


def test_who_a_sign_in_is(engine: Engine, lab: Lab) -> None:
    def visitor(actor: str) -> Visitor:
        return Store(engine, lab.actors[actor]).visitor()

    study = AnnotationStore(engine).study("S").id
    assert visitor("annotator") == Visitor(everything=False, annotator_id=lab.annotator.id, rights={study: Right.JUDGE})
    assert visitor("annotator").is_annotator
    reader, owner = visitor("reader"), visitor("owner")
    assert (reader.name, reader.everything, reader.rights) == ("rita", False, {study: Right.READ})
    assert (owner.name, owner.everything) == ("olga", True)
    assert Store(engine, LOCAL).visitor() == Visitor(everything=True)
    with pytest.raises(NotSignedIn):
        visitor("nobody")
