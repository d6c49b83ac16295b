"""Accounts: names, addresses, passwords, owners and members."""

import argon2
import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from relevance.data.rights import LOCAL, Right
from relevance.data.store import DatabaseFailed, NotAllowed, NotSignedIn, StoreError
from relevance.data.tables import UserRow
from relevance.hosting import accounts
from relevance.hosting.accounts import (
    AccountStore,
    LastOwner,
    Member,
    UnknownUser,
    UserExists,
    account_key,
    password_is_right,
)
from relevance.hosting.sign_ins import SignedIn, SignInStore, digest_of
from relevance.pages.components.shared.stores import Stores
from tests.annotation.test_concurrency import at_once
from tests.hosting.people import PASSWORD, Lab, add_account

ISSUER = "https://lab.example"


@pytest.fixture
def store(engine: Engine) -> AccountStore:
    return AccountStore(engine)


def stored_hash(engine: Engine, name: str) -> str | None:
    with Session(engine) as session:
        return session.scalars(select(UserRow.password).where(UserRow.name == name)).one()


def test_an_account_has_a_name_a_role_and_what_opens_it(store: AccountStore) -> None:
    added = store.add_user(name=" Zoë ", role="researcher", email=" Zoe@Example.ORG ", password=PASSWORD)
    assert (added.name, added.role, added.email) == ("Zoë", "researcher", "zoe@example.org")
    assert (added.seen_at, added.disabled_at) == (None, None)
    assert store.users() == [added]
    assert store.user("Zoe\u0308") == added  # the same name from a keyboard that writes two characters
    assert not store.has_owner()
    store.add_user(name="olga", role="owner", email="olga@example.org")
    assert store.has_owner()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"name": ""}, "1 to 200 printable"),
        ({"name": "a\nb"}, "1 to 200 printable"),
        ({"role": "annotator"}, "'annotator' is not a role"),
        ({"email": "nobody"}, "not an email address"),
        ({"email": "@example.org"}, "not an email address"),
        ({"email": "a b@example.org"}, "not an email address"),
        ({"email": "a\x00@example.org"}, "not an email address"),
        ({"email": "a" * 320 + "@example.org"}, "not an email address"),
        ({"password": None}, "needs a password, or an email"),
        ({"password": "elevenchars"}, "12 to 200 characters"),
        ({"password": "ab3" * 67}, "12 to 200 characters"),
        ({"password": "aaaabbbbccccdddd"}, "too easy"),
        ({"name": "Annette Miller", "password": "annette miller"}, "too easy"),
        ({"name": "annette", "password": "ANNETTE12annette"}, "too easy"),
    ],
)
def test_what_no_account_can_have(store: AccountStore, given: dict[str, str], why: str) -> None:
    with pytest.raises(StoreError, match=why):
        store.add_user(**({"name": "ann", "role": "researcher", "password": PASSWORD} | given))
    assert store.users() == []


def test_names_and_addresses_are_of_one_account(store: AccountStore) -> None:
    store.add_user(name="Zoë", role="researcher", email="zoe@example.org")
    for name, email in (("Zoe\u0308", "other@example.org"), ("other", "ZOE@example.org")):
        with pytest.raises(UserExists):
            store.add_user(name=name, role="researcher", email=email)
    with pytest.raises(UnknownUser, match="there are Zoë"):
        store.user("Zoe")


def test_addresses_of_different_people_are_never_taken_for_the_same(store: AccountStore) -> None:
    """Folding beyond ASCII makes a k of the Kelvin sign, and ss of ß."""
    user = store.add_user(name="mike", role="researcher", email="mike@strasse.example")
    assert store.find_identity(ISSUER, "1", " MIKE@strasse.example") == user.id
    for other in ("mi\u212ae@strasse.example", "mike@straße.example", "mike@strasse.example\0", "mike", ""):
        assert store.find_identity(ISSUER, "2", other) is None


def test_an_account_belongs_to_the_first_who_comes_with_its_address(engine: Engine, store: AccountStore) -> None:
    """Addresses are given to other people; a subject of an issuer is one person for good."""
    ann = store.add_user(name="ann", role="researcher", email="a@example.org")
    ben = store.add_user(name="ben", role="researcher", email="b@example.org")
    assert store.find_identity(ISSUER, "1", "a@example.org") == ann.id
    assert store.find_identity(ISSUER, "1", "another@example.org") == ann.id  # whatever address the person has now
    assert store.find_identity(ISSUER, "1\0", "b@example.org") is None
    assert store.find_identity(ISSUER, "1" * 256, "b@example.org") is None
    for issuer, subject in ((ISSUER, "2"), ("https://other.example", "1")):
        with pytest.raises(NotAllowed, match="another subject"):
            store.find_identity(issuer, subject, "a@example.org")
    assert store.find_identity(ISSUER, "2", "b@example.org") == ben.id
    token = SignInStore(engine).sign_in(user_id=ann.id)
    store.unbind("ann")
    assert not SignInStore(engine).is_live(digest_of(token))
    assert store.find_identity(ISSUER, "3", "a@example.org") == ann.id
    store.disable("ben")
    assert store.find_identity(ISSUER, "2", "b@example.org") is None


@pytest.mark.parametrize("name", ["Zoe\u0308", " Zoë", "Zoë\0", "zoë", "ZOE\u0308 "])
def test_all_spellings_of_an_account_are_guessed_at_together(name: str) -> None:
    """Whatever finds an account is counted under one key; so are names in another case, which find none."""
    assert account_key(name) == account_key("Zoë") != account_key("Zoe")


# --- passwords ------------------------------------------------------------------------------------------------


def test_a_password_is_kept_as_argon2id_with_the_parameters_that_are_recommended(store: AccountStore) -> None:
    store.add_user(name="ann", role="researcher", password=PASSWORD)
    kept = stored_hash(store.engine, "ann")
    assert kept is not None
    assert PASSWORD not in kept
    parameters = argon2.extract_parameters(kept)
    assert (parameters.type, parameters.memory_cost, parameters.time_cost, parameters.parallelism) == (
        argon2.Type.ID,
        19 * 1024,
        2,
        1,
    )
    assert (parameters.salt_len, parameters.hash_len) == (16, 32)
    store.add_user(name="ben", role="researcher", password=PASSWORD)
    assert stored_hash(store.engine, "ben") != kept  # salted


def test_a_password_opens_its_account_and_no_other(store: AccountStore) -> None:
    user = store.add_user(name="Zoë", role="researcher", password="crème-brûlée-42")
    password = store.password_of(" Zoe\u0308 ")
    assert password is not None
    assert password[0] == user.id
    assert password_is_right("crème-brûlée-42", password[1])
    assert password_is_right("cre\u0300me-bru\u0302le\u0301e-42", password[1])  # however it is typed
    for wrong in ("", "creme-brulee-42", "crème-brûlée-42 ", "crème-brûlée-42\0", "\ud800" * 12, "x" * 10**6):
        assert not password_is_right(wrong, password[1])
    for name in ("zoë", "Zoë\0x", "\ud800", "nobody", ""):
        assert store.password_of(name) is None


def test_an_account_without_a_password_is_opened_by_none(store: AccountStore) -> None:
    store.add_user(name="ann", role="researcher", email="ann@example.org")
    assert store.password_of("ann") is None
    assert not password_is_right("", None)


def test_an_unknown_account_takes_the_same_hashing(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments: list[str] = []

    class Counting(argon2.PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> bool:  # type: ignore[override]
            arguments.append(str(hash))
            return super().verify(hash, password)

    counting = Counting(time_cost=2, memory_cost=19456, parallelism=1)
    monkeypatch.setattr(accounts, "hasher", lambda: counting)
    known = counting.hash(PASSWORD)
    assert [password_is_right(PASSWORD, stored) for stored in (known, None)] == [True, False]
    assert len(arguments) == 2
    assert argon2.extract_parameters(arguments[0]) == argon2.extract_parameters(arguments[1])


def test_another_password_signs_out(engine: Engine, store: AccountStore) -> None:
    ann = add_account(engine, "ann")
    ben = add_account(engine, "ben")
    store.set_password("ann", PASSWORD)
    with pytest.raises(NotSignedIn):
        Stores(engine, ann).data.datasets()
    Stores(engine, ben).data.datasets()
    password = store.password_of("ann")
    assert password is not None
    assert password_is_right(PASSWORD, password[1])


def test_researchers_change_their_own_password_only(engine: Engine, store: AccountStore) -> None:
    ann = AccountStore(engine, add_account(engine, "ann"))
    add_account(engine, "ben")
    with pytest.raises(NotAllowed):
        ann.set_password("ben", PASSWORD)
    assert stored_hash(engine, "ben") is None
    ann.set_password("ann", PASSWORD)
    assert stored_hash(engine, "ann") is not None
    with pytest.raises(StoreError, match="12 to 200"):
        store.set_password("ann", "short")
    with pytest.raises(UnknownUser):
        store.set_password("nobody", PASSWORD)


# --- closing accounts -----------------------------------------------------------------------------------------


def test_a_disabled_account_opens_by_nothing(engine: Engine, store: AccountStore) -> None:
    user = store.add_user(name="ann", role="researcher", email="ann@example.org", password=PASSWORD)
    token = SignInStore(engine).sign_in(user_id=user.id)
    store.disable("ann")
    assert store.user("ann").disabled_at is not None
    assert (store.password_of("ann"), store.find_identity(ISSUER, "1", "ann@example.org")) == (None, None)
    assert not SignInStore(engine).is_live(digest_of(token))
    assert not SignInStore(engine).is_live(digest_of(SignInStore(engine).sign_in(user_id=user.id)))
    store.disable("ann", disabled=False)
    assert store.password_of("ann") is not None
    assert not SignInStore(engine).is_live(digest_of(token))


def test_a_server_keeps_an_owner(store: AccountStore) -> None:
    for name in ("olga", "otto"):
        store.add_user(name=name, role="owner", email=f"{name}@example.org")
    store.add_user(name="rita", role="researcher", email="rita@example.org")
    store.disable("otto")
    with pytest.raises(LastOwner, match="'olga' is the only owner"):
        store.disable("olga")
    store.disable("rita")
    assert [user.name for user in store.users() if user.disabled_at is None] == ["olga"]
    store.disable("otto", disabled=False)
    store.disable("olga")


def test_owners_who_disable_each_other_at_once_leave_one(engine: Engine) -> None:
    actors = [add_account(engine, name, "owner") for name in ("olga", "otto")]
    done = at_once(lambda n: AccountStore(engine, actors[n]).disable(("otto", "olga")[n]), threads=2)
    assert done.count(None) == 1
    (refused,) = (item for item in done if item is not None)
    # PostgreSQL may end one of two that wait for each other
    assert isinstance(refused, LastOwner | NotSignedIn | DatabaseFailed)
    assert AccountStore(engine).has_owner()


def test_an_owner_signs_an_account_out_everywhere(engine: Engine, lab: Lab) -> None:
    AccountStore(engine, lab.actors["owner"]).sign_out("carla")
    with pytest.raises(NotSignedIn):
        Stores(engine, lab.actors["creator"]).data.datasets()
    Stores(engine, lab.actors["reader"]).data.datasets()
    with pytest.raises(UnknownUser):
        AccountStore(engine).sign_out("nobody")


# --- members --------------------------------------------------------------------------------------------------


def test_members_have_one_right_each(engine: Engine, lab: Lab) -> None:
    manager = AccountStore(engine, lab.actors["manager"])
    assert manager.members("S") == [
        Member("ada", Right.ADJUDICATE),
        Member("mark", Right.MANAGE),
        Member("rita", Right.READ),
    ]
    manager.grant("S", "sven", Right.READ)
    manager.grant("S", "sven", Right.ADJUDICATE)
    manager.grant("S", "rita", None)
    manager.grant("S", "rita", None)
    assert [member.name for member in manager.members("S")] == ["ada", "mark", "sven"]
    with pytest.raises(StoreError, match="can read, adjudicate or manage"):
        manager.grant("S", "sven", Right.JUDGE)
    assert AccountStore(engine).members("elsewhere") == []


def test_a_researcher_learns_no_other_names_of_accounts(engine: Engine, lab: Lab) -> None:
    with pytest.raises(UnknownUser) as error:
        AccountStore(engine, lab.actors["manager"]).grant("S", "nobody", Right.READ)
    assert str(error.value) == "there is no account 'nobody'"
    with pytest.raises(UnknownUser, match="there are ada, carla"):
        AccountStore(engine, LOCAL).user("nobody")


def test_managers_who_grant_at_once_leave_one_right(engine: Engine, lab: Lab) -> None:
    rights = [Right.READ, Right.ADJUDICATE, Right.MANAGE, None]
    store = AccountStore(engine, lab.actors["creator"])
    assert at_once(lambda n: store.grant("S", "sven", rights[n]), threads=4) == [None] * 4
    assert [member.name for member in store.members("S")].count("sven") <= 1


def test_nobody_is_a_member_who_was_not_asked_to_be(engine: Engine, lab: Lab) -> None:
    with pytest.raises(NotSignedIn):
        AccountStore(engine, SignedIn("")).members("S")
