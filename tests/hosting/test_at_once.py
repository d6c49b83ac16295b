"""People who sign in, judge and take rights away at the same moment: one after the other, and none in vain."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from sqlalchemy import Engine, event, update
from starlette.applications import Starlette
from starlette.testclient import TestClient

from relevance.annotation.people import PeopleStore
from relevance.annotation.store import AnnotationStore
from relevance.data.database import now
from relevance.data.rights import Right
from relevance.data.store import NotSignedIn
from relevance.data.tables import UserRow
from relevance.hosting.accounts import AccountStore
from relevance.hosting.operations import Counters
from relevance.hosting.routes import SiteRoutes
from relevance.hosting.services import Services
from relevance.hosting.settings import Settings
from relevance.hosting.sign_ins import TOUCH, SignedIn, SignInStore, digest_of
from relevance.hosting.tables import SignInRow
from relevance.pages.components.shared.stores import Stores
from tests.annotation.test_concurrency import at_once
from tests.hosting.people import PASSWORD, Lab, add_account, judge_next
from tests.hosting.test_revocation import is_waited_for, wait_for_lock
from tests.waiting import PATIENCE, until

URL = "http://127.0.0.1:8599"
ANOTHER = f"another-{PASSWORD}"
ROUNDS = 15


# --- a password that is changed while somebody signs in by it ---------------------------------------------------


@pytest.fixture
def user_id(engine: Engine) -> int:
    return AccountStore(engine).add_user(name="ann", role="researcher", password=PASSWORD).id


def password_of(engine: Engine) -> str:
    password = AccountStore(engine).password_of("ann")
    assert password is not None
    return password[1]


def test_a_password_that_was_right_before_it_was_changed_opens_nothing(engine: Engine, user_id: int) -> None:
    verified, store = password_of(engine), SignInStore(engine)
    assert store.is_live(digest_of(store.sign_in(user_id=user_id, verified=verified)))
    raised = wait_for_lock(
        engine,
        lambda session: session.execute(update(UserRow).values(password="another")) and None,
        lambda: store.sign_in(user_id=user_id, verified=verified),
    )
    assert raised is NotSignedIn


def test_a_password_is_changed_while_the_form_with_the_old_one_is_looked_at(
    engine: Engine, user_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = Services.over(engine, Settings("x" * 40, URL))
    site = SiteRoutes(services, Counters())

    async def verify(password: str, stored: str | None) -> bool:
        services.accounts.set_password("ann", ANOTHER)
        return password == PASSWORD

    client = TestClient(Starlette(routes=site.routes()), base_url=URL, follow_redirects=False)
    form = {"name": "ann", "password": PASSWORD}
    assert client.post("/sign-in", data=form, headers={"Origin": URL}).status_code == 303
    monkeypatch.setattr(site, "verify", verify)
    client.cookies.clear()
    answer = client.post("/sign-in", data=form, headers={"Origin": URL})
    assert answer.status_code == 401
    assert "The name or the password is wrong." in answer.text
    assert "relevance" not in answer.cookies
    assert services.sign_ins.count() == 0


# --- who takes a right away from whoever takes one away -----------------------------------------------------------


def test_two_owners_who_disable_each_other(engine: Engine, lab: Lab) -> None:
    """One of them is not an owner any more when it is their turn."""
    for number in range(ROUNDS):
        names = (f"ada{number}", f"ben{number}")
        stores = [AccountStore(engine, add_account(engine, name, "owner")) for name in names]
        done = at_once(lambda n, stores=stores, names=names: stores[n].disable(names[1 - n]), 2)  # type: ignore[misc]
        assert Counter(map(type, done)) == {type(None): 1, NotSignedIn: 1}


def held_in_the_middle(
    engine: Engine, statement: str, first: Callable[[], object], second: Callable[[], object]
) -> None:
    """Begin a call, stop it before a statement of it until another call waits or is done; both have to succeed."""
    reached, go_on = Event(), Event()

    def stop(_connection: object, _cursor: object, sql: str, *_: object) -> None:
        if sql.startswith(statement) and not reached.is_set():
            reached.set()
            go_on.wait(PATIENCE)

    event.listen(engine, "before_cursor_execute", stop)
    try:
        with ThreadPoolExecutor(2) as pool:
            calls = [pool.submit(first)]
            assert reached.wait(PATIENCE)
            calls.append(pool.submit(second))
            until(lambda: calls[1].done() or is_waited_for(engine))
            go_on.set()
            for call in calls:
                call.result(PATIENCE)
    finally:
        event.remove(engine, "before_cursor_execute", stop)


def test_a_right_is_taken_away_while_its_owner_is_given_a_pair(engine: Engine, lab: Lab) -> None:
    """The member's call rests on the membership, so the change waits for it, and keeps nothing that it needs."""
    member = Stores(engine, lab.actors["reader"]).annotation
    own = member.join(study="S", name="")
    creator = AccountStore(engine, lab.actors["creator"])
    held_in_the_middle(
        engine,
        "DELETE FROM memberships",
        lambda: creator.grant("S", "rita", Right.ADJUDICATE),
        lambda: judge_next(member, own),
    )


def test_a_password_is_changed_while_it_is_written_down_that_somebody_is_there(engine: Engine, lab: Lab) -> None:
    actor = lab.actors["reader"]
    assert isinstance(actor, SignedIn)
    with engine.execution_options(writing=True).begin() as connection:
        connection.execute(update(SignInRow).values(seen_at=now() - 2 * TOUCH))
    held_in_the_middle(
        engine,
        "DELETE FROM sign_ins",
        lambda: AccountStore(engine).set_password("rita", ANOTHER),
        lambda: SignInStore(engine).is_live(actor.digest),
    )
    assert not SignInStore(engine).is_live(actor.digest)


def test_an_annotator_is_excluded_while_they_are_given_a_pair(engine: Engine, lab: Lab) -> None:
    store = AnnotationStore(engine, lab.actors["annotator"])
    held_in_the_middle(
        engine,
        "INSERT INTO judgments",
        lambda: judge_next(store, lab.annotator),
        lambda: PeopleStore(engine).exclude("S", "Ann", "why"),
    )
