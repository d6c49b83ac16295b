"""Attempts are counted over all servers of a database, by account and by where they come from."""

import pytest
from sqlalchemy import Engine

from relevance.hosting.attempts import ACCOUNT, EVERYWHERE, LINKS, AttemptStore
from tests.commands import run
from tests.driving import serving
from tests.hosting.house import PASSWORD, House

pytestmark = pytest.mark.process

PROXY = "127.0.0.1"
"""Where the tests ask from: for one of the servers, it is the proxy."""


def test_two_servers_count_together(engine: Engine, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    house = House(engine)
    for name, role in (("Olga", "owner"), ("Rita", "researcher"), ("Paul", "researcher")):
        house.accounts.add_user(name=name, role=role, password=PASSWORD)
    with (
        serving(database_url, hosted=True) as direct,
        serving(database_url, hosted=True, RELEVANCE_PROXY=PROXY) as behind,
        serving(database_url, hosted=True, RELEVANCE_PROXY="192.0.2.1") as behind_another,
    ):

        def attempt(url: str, name: str, password: str = PASSWORD, *, path: str = "/sign-in", address: str = "") -> int:
            house.url = url
            headers = {"X-Forwarded-For": address} if address else {}
            with house.client(**headers) as client:
                return client.post(path, data={"name": name, "password": password}).status_code

        # of an account from one address, by whichever server, under whatever case; its owner comes in from elsewhere
        tried = [attempt((direct, behind)[n % 2], ("Rita", "rita ")[n % 2], "wrong") for n in range(ACCOUNT)]
        assert tried == [401] * ACCOUNT
        assert [attempt(url, name) for url in (direct, behind) for name in ("Rita", "\tRita", "rITA")] == [429] * 6
        assert attempt(behind, "Rita", address="192.0.2.99") == 303

        # of an account from everywhere
        attempts = AttemptStore(engine)
        assert all(attempts.allow({"account:paul": EVERYWHERE}) for _ in range(EVERYWHERE - 1))
        assert attempt(behind, "Paul", address="192.0.2.99") == 303
        assert attempt(behind, "Paul", address="192.0.2.100") == 429

        # its owner comes in from where they have come in before, and from anywhere when that is said on the machine
        assert attempt(behind, "Paul", address="192.0.2.99") == 303
        assert attempt(behind, "Rita", address="192.0.2.100") == 303
        monkeypatch.setenv("RELEVANCE_DATABASE_URL", database_url)
        run("user", "unlock", "Paul")
        assert attempt(behind, "Paul", address="192.0.2.100") == 303

        # of an address: the proxy's word is believed, everybody else's is not
        assert all(attempts.allow({f"link:{PROXY}": LINKS}) for _ in range(LINKS - 2))
        links = [attempt(direct, "", path="/join/unknown", address=f"198.51.100.{n}") for n in range(2)]
        assert links == [404] * 2
        assert attempt(direct, "", path="/join/unknown", address="203.0.113.1") == 429
        assert attempt(behind_another, "", path="/join/unknown", address="203.0.113.1") == 429
        assert attempt(behind, "", path="/join/unknown") == 429
        assert attempt(behind, "", path="/join/unknown", address="203.0.113.1") == 404
        assert attempt(behind, "", path="/join/unknown", address=f"203.0.113.1, {PROXY}") == 404
        assert attempt(behind, "", path="/join/unknown", address=f"203.0.113.1, 198.51.100.1, {PROXY}") == 404
        assert all(attempts.allow({"link:198.51.100.9": LINKS}) for _ in range(LINKS))
        assert (
            attempt(behind, "", path="/join/unknown", address="203.0.113.1, 198.51.100.9") == 429
        )  # the first is said

        # texts that PostgreSQL does not take are wrong like others
        assert attempt(behind, "a\0b", "c\0d", address="203.0.113.2") == 401
        for path in ("/join/a%00b", "/p/token?person=a%00b", "/join/%ff%fe"):
            assert attempt(behind, "", path=path, address="203.0.113.2") == 404
        assert attempt(behind, "Olga", address="203.0.113.2") == 303
