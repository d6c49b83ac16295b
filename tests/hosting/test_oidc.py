"""Signing in by a real provider of OpenID Connect, which the test starts."""

import json
import threading
import time
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from sqlalchemy import Engine
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.testclient import TestClient

from relevance.data.database import connect
from relevance.hosting.accounts import AccountStore
from relevance.hosting.gate import Gate
from relevance.hosting.oidc import all_routes
from relevance.hosting.operations import Counters
from relevance.hosting.routes import SiteRoutes
from relevance.hosting.services import Services
from relevance.hosting.settings import Provider, Settings
from tests.driving import SECRET
from tests.hosting.test_requests import AIMS, ELSEWHERE, FORWARDED

pytestmark = [pytest.mark.process, pytest.mark.filterwarnings("ignore::DeprecationWarning")]  # of the provider

URL = "http://127.0.0.1:8599"
NO_PAGES = SimpleNamespace(owns_file=lambda *_: True)  # there is no app behind the gate


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from oidc_provider_mock import User, run_server_in_thread

    def user(sub: str, **claims: Any) -> User:
        return User(sub=sub, claims=claims)

    people = (
        user("rita", email="Rita@Lab.example", email_verified=True),
        user("unverified", email="rita@lab.example", email_verified=False),
        user("silent", email="rita@lab.example"),
        user("stranger", email="stranger@lab.example", email_verified=True),
        user("closed", email="closed@lab.example", email_verified=True),
        user("nameless"),
        user("successor", email="rita@lab.example", email_verified=True),
    )
    with run_server_in_thread(user_claims=people) as server:
        yield f"http://127.0.0.1:{server.server_port}"


@pytest.fixture
def engine(sqlite_url: str) -> Iterator[Engine]:
    engine = connect(sqlite_url)
    yield engine
    engine.dispose()


@pytest.fixture
def browser(engine: Engine, issuer: str) -> Iterator[TestClient]:
    services = Services.over(engine, Settings(SECRET, URL, provider=Provider(issuer, "relevance", "s3cret")))
    services.accounts.add_user(name="Olga", role="owner", email="olga@lab.example")
    services.accounts.add_user(name="Rita", role="researcher", email="rita@lab.example")
    services.accounts.add_user(name="Closed", role="researcher", email="closed@lab.example")
    services.accounts.disable("Closed")
    counters = Counters()
    app = Starlette(
        routes=all_routes(SiteRoutes(services, counters)),
        middleware=[
            Middleware(Gate, services=services, counters=counters, pages=NO_PAGES),
            Middleware(SessionMiddleware, secret_key=SECRET),  # as Streamlit has it around all routes
        ],
    )
    with TestClient(app, base_url=URL, follow_redirects=False) as client:
        yield client


def go_to_provider(browser: TestClient) -> str:
    answer = browser.get("/oidc/start")
    assert answer.status_code == 302
    return answer.headers["location"]


def come_back(browser: TestClient, address: str, sub: str) -> Any:
    """Consent at the provider's, and follow its redirect."""
    there = httpx.post(address, data={"sub": sub, "action": "allow"}, follow_redirects=False)
    assert there.status_code == 302, there.text
    back = there.headers["location"]
    assert back.startswith(f"{URL}/oidc/callback?"), back
    return browser.get(back.removeprefix(URL))


@pytest.mark.smoke
def test_who_is_known_and_verified_comes_in(browser: TestClient) -> None:
    answer = come_back(browser, go_to_provider(browser), "rita")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert browser.get("/account").text.count("<b>Rita</b>") == 1
    assert "relevance-oidc" not in browser.cookies


def test_the_request_has_state_nonce_and_a_challenge(browser: TestClient) -> None:
    parameters = parse_qs(urlsplit(go_to_provider(browser)).query)
    assert parameters["code_challenge_method"] == ["S256"]
    assert parameters["redirect_uri"] == [f"{URL}/oidc/callback"]
    assert all(len(parameters[name][0]) >= 20 for name in ("state", "nonce", "code_challenge"))


@pytest.mark.parametrize("place", ELSEWHERE)
def test_nobody_says_where_the_provider_leads_to(browser: TestClient, issuer: str, place: str) -> None:
    aims = urlencode(dict.fromkeys([*AIMS, "issuer", "iss", "request_uri"], place))
    answer = browser.get(f"/oidc/start?{aims}", headers=FORWARDED)
    wanted = urlsplit(answer.headers["location"])
    assert f"{wanted.scheme}://{wanted.netloc}" == issuer
    assert parse_qs(wanted.query)["redirect_uri"] == [f"{URL}/oidc/callback"]
    there = httpx.post(answer.headers["location"], data={"sub": "rita", "action": "allow"}, follow_redirects=False)
    answer = browser.get(f"{there.headers['location'].removeprefix(URL)}&{aims}", headers=FORWARDED)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    refused = browser.get(f"/oidc/callback?{aims}&error=access_denied&error_uri={place}", headers=FORWARDED)
    assert refused.status_code == 401
    assert "evil" not in str(answer.headers) + str(refused.headers) + refused.text
    assert browser.get("/oidc/start", headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    ("sub", "message"),
    [
        ("unverified", "does not vouch"),
        ("silent", "does not vouch"),
        ("nameless", "does not vouch"),
        ("stranger", "There is no account"),
        ("closed", "There is no account"),
    ],
)
def test_others_stay_outside(browser: TestClient, sub: str, message: str) -> None:
    answer = come_back(browser, go_to_provider(browser), sub)
    assert answer.status_code == 403
    assert message in answer.text
    assert browser.get("/account").status_code == 401


def test_an_answer_to_another_browser_is_not_taken(browser: TestClient) -> None:
    """Somebody who is led to the callback with another person's code would be signed in as them."""
    address = go_to_provider(browser)
    browser.cookies.clear()
    assert come_back(browser, address, "rita").status_code == 401
    go_to_provider(browser)  # a request of its own, whose state is another
    assert come_back(browser, address, "rita").status_code == 401


def test_an_account_stays_with_the_person_who_came_first(browser: TestClient, engine: Engine) -> None:
    """Their address may be given to somebody else, and be another one of theirs."""
    assert come_back(browser, go_to_provider(browser), "rita").status_code == 303
    answer = come_back(browser, go_to_provider(browser), "successor")
    assert answer.status_code == 403
    assert "belongs to another person" in answer.text
    AccountStore(engine).unbind("Rita")
    assert come_back(browser, go_to_provider(browser), "successor").status_code == 303
    assert come_back(browser, go_to_provider(browser), "rita").status_code == 403


class Forger:
    """A provider that says whatever it is told to: a server of a few lines, with a key of its own."""

    def __init__(self) -> None:
        self.key = self.sign_by = RSAKey.generate_key(2048, {"kid": "k"})
        self.claims: dict[str, Any] = {}
        forger = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                body = json.dumps(forger.answer(self.path)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, path: str) -> dict[str, Any]:
        if path == "/keys":
            return {"keys": [self.key.as_dict(private=False)]}
        if path == "/token":
            token = jwt.encode({"alg": "RS256", "kid": "k"}, self.claims, self.sign_by)
            return {"access_token": "a", "token_type": "Bearer", "id_token": token}
        places = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        return {"issuer": self.issuer} | {name: f"{self.issuer}/{place}" for name, place in places.items()}


@pytest.fixture(scope="module")
def forger() -> Iterator[Forger]:
    forger = Forger()
    thread = threading.Thread(target=forger.server.serve_forever)
    thread.start()
    yield forger
    forger.server.shutdown()
    thread.join()
    forger.server.server_close()


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "signature": ({}, "BadSignatureError"),
    "issuer": ({"iss": "https://evil.example"}, "iss"),
    "audience": ({"aud": "another"}, "aud"),
    "audience, by another claim": ({"aud": "another", "azp": "relevance"}, "aud"),
    "expiry": ({"exp": 1_000_000_000}, "Expired"),
    "nonce": ({"nonce": "another"}, "nonce"),
    "no issuer": ({"iss": None}, "iss"),
    "no subject": ({"sub": None}, "sub"),
    "no time": ({"exp": None}, "exp"),
}
"""Claims that are wrong, and what the log says of each."""


@pytest.mark.parametrize("what", [None, *WRONG])
def test_a_token_that_is_wrong_is_refused_and_the_log_says_why(
    engine: Engine, forger: Forger, caplog: pytest.LogCaptureFixture, what: str | None
) -> None:
    services = Services.over(engine, Settings(SECRET, URL, provider=Provider(forger.issuer, "relevance", "s3cret")))
    services.accounts.add_user(name="Rita", role="researcher", email="rita@lab.example")
    app = Starlette(routes=all_routes(SiteRoutes(services, Counters())))
    forger.sign_by = RSAKey.generate_key(2048, {"kid": "k"}) if what == "signature" else forger.key
    with TestClient(app, base_url=URL, follow_redirects=False) as browser:
        parameters = parse_qs(urlsplit(browser.get("/oidc/start").headers["location"]).query)
        right = {"iss": forger.issuer, "sub": "1", "aud": "relevance", "iat": time.time(), "exp": time.time() + 60}
        right |= {"nonce": parameters["nonce"][0], "email": "rita@lab.example", "email_verified": True}
        wrong, text = WRONG[what] if what else ({}, "")
        forger.claims = {name: value for name, value in (right | wrong).items() if value is not None}
        back = browser.get(f"/oidc/callback?code=c&state={parameters['state'][0]}")
    if what is None:
        assert (back.status_code, back.headers["location"]) == (303, "/")
        return
    assert back.status_code == 401
    assert "The sign-in was not completed" in back.text
    (logged,) = [record.getMessage() for record in caplog.records if record.name == "relevance.oidc"]
    assert text in logged
    assert "set-cookie" not in back.headers or "relevance=" not in back.headers["set-cookie"]


def test_an_answer_is_taken_once(browser: TestClient) -> None:
    there = httpx.post(go_to_provider(browser), data={"sub": "rita", "action": "allow"}, follow_redirects=False)
    back = there.headers["location"].removeprefix(URL)
    assert browser.get(back).status_code == 303
    browser.post("/sign-out", headers={"origin": URL, "sec-fetch-site": "same-origin"})
    assert browser.get(back).status_code == 401


def test_who_declines_is_told(browser: TestClient) -> None:
    there = httpx.post(go_to_provider(browser), data={"sub": "rita", "action": "deny"}, follow_redirects=False)
    answer = browser.get(there.headers["location"].removeprefix(URL))
    assert answer.status_code == 401
    assert "The sign-in was not completed" in answer.text


def test_a_provider_that_is_down_is_said(engine: Engine) -> None:
    services = Services.over(engine, Settings(SECRET, URL, provider=Provider("http://127.0.0.1:9", "relevance", "s")))
    app = Starlette(routes=all_routes(SiteRoutes(services, Counters())))
    with TestClient(app, base_url=URL, follow_redirects=False) as client:
        answer = client.get("/oidc/start")
    assert answer.status_code == 503
    assert "does not answer" in answer.text
