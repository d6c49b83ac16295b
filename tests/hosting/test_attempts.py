"""Limits of attempts: exact for all workers together, and bounded in what they keep."""

import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine, func, select, text
from sqlalchemy.orm import Session

from relevance.data.database import connect, now
from relevance.hosting import attempts
from relevance.hosting.attempts import ACCOUNT, ADDRESS, WINDOW, AttemptStore
from relevance.hosting.tables import AttemptRow
from tests.annotation.test_concurrency import at_once


@pytest.fixture
def store(engine: Engine) -> AttemptStore:
    return AttemptStore(engine)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Lets time pass for the counting."""
    shift = timedelta()

    def move(by: timedelta) -> None:
        nonlocal shift
        shift += by

    def shifted() -> datetime:
        return now() + shift

    monkeypatch.setattr(attempts, "now", shifted)
    return move


def count(engine: Engine) -> int:
    with Session(engine) as session:
        return session.scalar(select(func.count()).select_from(AttemptRow)) or 0


def test_so_many_attempts_and_no_more(store: AttemptStore) -> None:
    assert [store.allow({"account:ann": ACCOUNT}) for _ in range(ACCOUNT + 3)] == [True] * ACCOUNT + [False] * 3
    assert store.allow({"account:ben": ACCOUNT})


def test_all_keys_of_an_attempt_must_be_within_their_limits(store: AttemptStore) -> None:
    """One address that tries many accounts, and many addresses that try one."""
    tried = [store.allow({f"account:{n}": 10, "address:a": 3}) for n in range(5)]
    assert tried == [True] * 3 + [False] * 2
    tried = [store.allow({"account:ann": 3, f"address:{n}": 10}) for n in range(5)]
    assert tried == [True] * 3 + [False] * 2


def test_after_the_window_one_may_try_again(store: AttemptStore, later: Callable[[timedelta], None]) -> None:
    assert store.allow({"k": 2})
    later(WINDOW - timedelta(seconds=30))
    assert [store.allow({"k": 2}) for _ in range(3)] == [True, False, False]
    later(timedelta(seconds=31))
    # The first one is over, the second one counts; refused ones were none.
    assert [store.allow({"k": 2}) for _ in range(2)] == [True, False]
    later(WINDOW)
    assert store.allow({"k": 2})


def test_rows_are_bounded_however_often_somebody_tries(
    engine: Engine, store: AttemptStore, later: Callable[[timedelta], None]
) -> None:
    for _ in range(30):
        store.allow({"k": 5})
    assert count(engine) == 5
    for number in range(100):  # made-up names from one address
        store.allow({"address:a": 20, f"account:{number}": ACCOUNT, f"account:{number}:a": ACCOUNT})
    assert count(engine) == 5 + 3 * 20
    for number in range(20):
        store.allow({f"address:{number}": ADDRESS})
    later(WINDOW)
    store.allow({"another": 5})  # whoever comes next removes what is over, whosever it was
    assert count(engine) == 1


def test_a_refused_attempt_does_not_wait_for_writers(engine: Engine, store: AttemptStore) -> None:
    assert store.allow({"k": 1})
    with engine.execution_options(writing=True).begin() as connection:
        connection.execute(text("DELETE FROM attempts"))  # holds the lock until the end
        assert not store.allow({"k": 1})


def test_what_is_forgotten_counts_no_more(store: AttemptStore) -> None:
    assert [store.allow({"k": 1, f"other:{n}": 1}) for n in range(2)] == [True, False]
    store.forget("k")
    assert [store.allow({"k": 1, f"other:{n}": 1}) for n in range(2)] == [False, True]


def test_keys_are_not_kept_as_they_are(engine: Engine, store: AttemptStore) -> None:
    for key in ("account:ann", "address:192.0.2.1", "\0", "\ud800", "x" * 10_000):
        assert store.allow({key: 1})
        assert not store.allow({key: 1})
    with engine.connect() as connection:
        stored = connection.scalars(text("SELECT key FROM attempts")).all()
    assert stored
    assert all(re.fullmatch("[0-9a-f]{64}", key) for key in stored)  # a hash


def test_workers_count_together(database_url: str, engine: Engine) -> None:
    """Eight threads in two workers, each with connections of its own, each trying five times."""
    workers = [engine, connect(database_url)]

    def attempt(number: int) -> Counter[bool]:
        store = AttemptStore(workers[number % 2])
        return Counter(
            store.allow({"account:ann": ACCOUNT, f"address:{number}": ADDRESS, "all": 100}) for _ in range(5)
        )

    try:
        done = at_once(attempt)
        assert sum((item for item in done if isinstance(item, Counter)), Counter()) == {
            True: ACCOUNT,
            False: 40 - ACCOUNT,
        }
    finally:
        workers[1].dispose()
