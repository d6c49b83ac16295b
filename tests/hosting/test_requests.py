"""Requests of other sites, other names and other people's links, and what answers tell of accounts and links."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

import httpx
import pytest

from relevance.data.database import now
from relevance.hosting import accounts
from relevance.hosting.accounts import password_is_right
from tests.hosting.house import HERS, PASSWORD, House
from tests.hosting.tabs import refused_with
from tests.hosting.test_access import AGENT, EXPECTED

pytestmark = pytest.mark.process

FORMS: dict[str, dict[str, str]] = {
    "/sign-in": {"name": "Rita", "password": PASSWORD},
    "/account": {"password": PASSWORD, "new": f"{PASSWORD}, and more"},
    "/sign-out": {"everywhere": "yes"},
    "/join/{personal}": {},
    "/p/{panel}?PROLIFIC_PID=5f": {},
}
"""All that can be posted, filled so that it would be done."""

OTHERS: dict[str, dict[str, str | None]] = {
    "another site": {"Sec-Fetch-Site": "cross-site"},
    "a neighbour": {"Sec-Fetch-Site": "same-site"},
    "the address bar": {"Sec-Fetch-Site": "none"},
    "another origin": {"Sec-Fetch-Site": None, "Origin": "https://evil.example"},
    "a name that begins alike": {"Sec-Fetch-Site": None, "Origin": "{url}.evil.example"},
    "another port": {"Sec-Fetch-Site": None, "Origin": "http://127.0.0.1:1"},
    "a sandbox": {"Sec-Fetch-Site": None, "Origin": "null"},
    "nobody says who": {"Sec-Fetch-Site": None, "Origin": None},
    "two that contradict": {"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"},
    "two that contradict, the other way": {"Sec-Fetch-Site": "cross-site", "Origin": "{url}"},
}
"""What browsers, and others, say of a form that no page of this site has sent."""


@pytest.fixture(scope="module")
def links(house: House) -> dict[str, str]:
    """Tokens of links that open a study."""
    return {
        "personal": house.studies.invite(study=HERS, name="Frida").token,
        "panel": house.links.add_link(HERS, kind="panel").token,
    }


def post(client: httpx.Client, path: str, form: dict[str, str], says: dict[str, str | None]) -> httpx.Response:
    """Send a form, with other words of where it comes from."""
    request = client.build_request("POST", path, data=form)
    for name, value in says.items():
        request.headers.pop(name, None)
        if value is not None:
            request.headers[name] = value.replace("{url}", str(client.base_url).rstrip("/"))
    return client.send(request)


def test_every_form_is_tried() -> None:
    """Forms are all routes that take POST; `test_access` knows them all, and `test_rooms` has those of rooms."""
    posted = {route.removeprefix("POST ") for route in EXPECTED if route.startswith("POST ")} - set(AGENT)
    posted = {path for path in posted if not path.startswith(("/vote/", "/remote/"))}
    assert {path.split("{")[0].rstrip("/") for path in posted} == {path.split("{")[0].rstrip("/") for path in FORMS}


@pytest.mark.parametrize("path", FORMS)
@pytest.mark.parametrize("who", OTHERS)
def test_forms_of_others_are_refused(house: House, links: dict[str, str], path: str, who: str) -> None:
    token = house.sign_in("Rita")
    before = len(house.studies.annotators(HERS))
    with house.client(token) as client:
        answer = post(client, path.format(**links), FORMS[path], OTHERS[who])
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers
        assert client.get("/account").status_code == 200
    assert len(house.studies.annotators(HERS)) == before


def test_forms_of_this_site_are_taken(house: House, links: dict[str, str]) -> None:
    for says in ({}, {"Sec-Fetch-Site": None}, {"Origin": None}, {"Origin": "null"}):
        with house.client() as client:
            assert post(client, f"/join/{links['personal']}", {}, says).status_code == 303


def test_looking_at_a_link_opens_nothing(house: House, links: dict[str, str]) -> None:
    before = len(house.studies.annotators(HERS))
    with house.client() as client:
        for method in ("GET", "HEAD"):
            for path in (f"/join/{links['personal']}", f"/p/{links['panel']}?person=new"):
                answer = client.request(method, path)
                assert (answer.status_code, "set-cookie" in answer.headers) == (200, False)
    assert len(house.studies.annotators(HERS)) == before


def test_pages_of_others_open_no_socket(house: House) -> None:
    token = house.sign_in("Rita")
    for origin in ("https://evil.example", f"{house.url}.evil.example", "null", house.url.replace("http", "https")):
        assert refused_with(house.url, token, origin=origin) == 403
    assert refused_with(house.url, token) is None


@pytest.mark.parametrize("host", ["evil.example", "localhost:{port}", "127.0.0.1", "127.0.0.1:{port}.evil.example", ""])
def test_another_name_of_the_server_is_not_known(house: House, host: str) -> None:
    name = host.format(port=urlsplit(house.url).port)
    with house.client(house.sign_in("Rita"), Host=name) as client:
        assert [client.get(path).status_code for path in ("/", "/sign-in", "/join/x", "/static/x")] == [421] * 4
        assert client.get("/healthz").status_code == 200


EVIL = [
    "/sign-in?next=//evil.example",
    "/sign-in?next=https://evil.example",
    "//evil.example",
    "//evil.example/",
    "/%2fevil.example/",
    "/%5cevil.example/",
    "/\\evil.example/",
    "/%09/evil.example/",
    "/.evil.example/",
    "/@evil.example/",
    "/https://evil.example/",
    "/https:%2f%2fevil.example/",
    "/join/..%2f..%2fevil.example",
    "/join/%2f%2fevil.example",
    "/join//evil.example",
    "/p/..%5c..%5cevil.example",
    "/join/x/",
    "/annotate?invite=//evil.example",
    "/annotate?invite=https://evil.example",
    "/annotate?invite=%0d%0aLocation:%20https://evil.example",
    "/annotate?invite=..%2f..%2f..%2f%2fevil.example",
    "/annotate?invite=%5c%5cevil.example",
    "/?invite=..",
    "/overview/?next=//evil.example",
    "/account/",
]


@pytest.mark.parametrize("address", EVIL)
def test_nobody_is_led_to_another_host(house: House, address: str) -> None:
    for token in (None, house.sign_in("Rita"), house.annotate(HERS, "Frida")):
        with house.client(token, Accept="text/html") as client:
            for method in ("GET", "POST"):
                url = client.base_url.copy_with(raw_path=address.encode())
                answer = client.send(client.build_request(method, url))
                for where in (answer.headers.get("location", ""), answer.headers.get("refresh", "")):
                    leads_to = urljoin(f"{house.url}{urlsplit(address).path}", where.replace("\\", "/"))
                    assert urlsplit(leads_to).netloc == urlsplit(house.url).netloc


ELSEWHERE = ["//evil.example", "https://evil.example/", "/\\evil.example", "https:evil.example", "%2f%2fevil.example"]
AIMS = ["next", "url", "continue", "return_to", "redirect_uri", "target"]
FORWARDED = {
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Server": "evil.example",
    "X-Forwarded-Proto": "gopher",
    "X-Forwarded-Port": "81",
    "X-Forwarded-Prefix": "//evil.example",
    "X-Original-URL": "//evil.example/",
    "X-Rewrite-URL": "//evil.example/",
    "X-Host": "evil.example",
    "Forwarded": "host=evil.example;proto=gopher",
    "Referer": "https://evil.example/",
}
"""What a program before the server may say of where a request was sent, and anybody else, too."""

LEADS_TO = {
    "GET /account": "/sign-in",
    "GET /sign-out": "/sign-in",
    "GET /anywhere": "/sign-in",
    "GET /annotate?invite={personal}": "/join/{personal}",
    "POST /sign-in": "/",
    "POST /sign-out": "/sign-in",
    "POST /account": "/",
    "POST /join/{personal}": "/annotate",
    "POST /p/{panel}?PROLIFIC_PID=5f": "/annotate",
    "GET /account as an annotator": "/annotate",
}
"""Where each redirect leads."""


@pytest.mark.parametrize("route", LEADS_TO)
def test_no_redirect_is_led_astray(house: House, links: dict[str, str], route: str) -> None:
    house.accounts.add_user(name=route, role="researcher", password=PASSWORD)
    method, path, *of_annotator = route.format(**links).split(" ", 2)
    for place in ELSEWHERE:
        aims = dict.fromkeys(AIMS, place)
        token = None
        if of_annotator:
            token = house.annotate(HERS, "Frida")
        elif route in {"POST /sign-out", "POST /account"}:
            token = house.sign_in(route)
        form = {"POST /sign-in": {"name": route, "password": PASSWORD}}.get(route, {})
        if route == "POST /account":
            form = {"password": PASSWORD, "new": PASSWORD}
        with house.client(token, Accept="text/html", **FORWARDED) as client:
            addressed = f"{path}{'&' if '?' in path else '?'}{urlencode(aims)}"
            answer = client.request(method, addressed, data=aims | form if method == "POST" else None)
        assert answer.status_code == 303, (route, place)
        assert answer.headers["location"] == LEADS_TO[route].format(**links)
        assert "evil" not in str(answer.headers) + answer.text


# --- what answers tell --------------------------------------------------------------------------------------


def told(answer: httpx.Response, *given: str) -> tuple[Any, ...]:
    """What can be seen of an answer but its time and number, and what was given."""
    text = answer.text
    for judgment in given:
        text = text.replace(judgment, "GIVEN")
    headers = {name: value for name, value in answer.headers.items() if name not in {"date", "x-request-id"}}
    del headers["content-length"]
    return answer.status_code, text, headers


def test_accounts_are_not_told_apart(house: House) -> None:
    house.accounts.add_user(name="Mail only", role="researcher", email="mail@example.org")
    tried = {"Rita": "a wrong password", "Nobody": PASSWORD, "Gone": PASSWORD, "Mail only": PASSWORD, "x\0y": PASSWORD}
    answers = []
    with house.client() as client:
        for name, password in tried.items():
            answers.append(told(client.post("/sign-in", data={"name": name, "password": password}), name, "x\ufffdy"))
    assert answers[0][0] == 401
    assert all(answer == answers[0] for answer in answers)


def test_an_account_that_is_not_there_costs_a_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[str] = []
    real = accounts.hasher()

    class Counting:
        def hash(self, password: str) -> str:
            return real.hash(password)

        def verify(self, stored: str, password: str) -> bool:
            computed.append(stored.split("$")[3])
            return real.verify(stored, password)

    monkeypatch.setattr(accounts, "hasher", Counting)
    assert [password_is_right("wrong", stored) for stored in (real.hash(PASSWORD), None)] == [False, False]
    assert computed == ["m=19456,t=2,p=1"] * 2


def used_up(house: House) -> str:
    link = house.links.add_link(HERS, places=1)
    house.links.enter(link.token)
    return link.token


def revoked(house: House) -> str:
    link = house.links.add_link(HERS)
    house.links.revoke(HERS, link.id)
    return link.token


def expired(house: House) -> str:
    link = house.links.add_link(HERS, ends_at=now() + timedelta(days=1))
    house.execute("UPDATE links SET ends_at = '2020-01-01' WHERE id = ?", link.id)
    return link.token


def excluded(house: House) -> str:
    annotator = house.studies.invite(study=HERS, name="Excluded")
    house.people.exclude(HERS, "Excluded", "why")
    return annotator.token


def of_a_name(house: House) -> str:
    """Of somebody who came without a link, whose token is in the address of a local app alone."""
    return house.studies_of("Rita").join(study=HERS, name="Rita").token


UNUSABLE: list[Callable[[House], str]] = [used_up, revoked, expired, excluded, of_a_name, lambda _: "x\ufffdy"]


@pytest.mark.parametrize("start", ["/join/", "/p/"])
def test_links_that_open_nothing_are_not_told_apart(house: House, start: str) -> None:
    tokens = ["unknown", *(make(house) for make in UNUSABLE)]
    person = "?person=Somebody" if start == "/p/" else ""
    working = house.links.add_link(HERS, kind="panel" if person else "open").token
    with house.client() as client:
        looked = [told(client.get(f"{start}{token}{person}")) for token in (*tokens, working)]
        opened = [told(client.post(f"{start}{token}{person}")) for token in tokens]
        assert client.post(f"{start}{working}{person}").status_code == 303
    assert (looked[0][0], opened[0][0]) == (200, 404)
    assert all(answer == looked[0] for answer in looked)
    assert all(answer == opened[0] for answer in opened)
