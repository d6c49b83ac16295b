"""Who may ask for what: every route of the running app, by everybody."""

import json
import os
import subprocess
import sys
from urllib.parse import quote

import httpx
import pytest

from relevance.hosting.gate import HEADER
from relevance.hosting.sign_ins import digest_of
from tests.conftest import ROOT
from tests.driving import SECRET
from tests.hosting.house import HERS, PASSWORD, PROVIDER, House
from tests.hosting.tabs import Tab, refused_with

pytestmark = pytest.mark.process

ROUTES = """
import json
from relevance.app import app
def name(route):
    methods = sorted(getattr(route, "methods", None) or []) or [type(route).__name__]
    return [f"{method} {route.path or '/'}" for method in methods if method != "HEAD"]
print(json.dumps([name_ for route in app._build_starlette_app().routes for name_ in name(route)]))
"""
"""Names the routes of a hosted app, ours and Streamlit's."""

OPEN = (200, 200, 200, 200)
SHUT = (404, 404, 404, 404)
SIGNED_IN = (401, 200, 200, 200)
NOWHERE = (401, 404, 404, 404)
"""Statuses for nobody, an annotator, a researcher of another study and an owner."""

AGENT = [f"/_stcore/agent/{part}" for part in ("interact", "openapi.json", "mcp")]
ANY_METHOD = ("DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT")

EXPECTED = {
    "GET /sign-in": OPEN,
    "POST /sign-in": (401, 401, 401, 401),  # without a name
    "POST /sign-out": (401, 303, 303, 303),
    "GET /account": (401, 303, 200, 200),
    "POST /account": (401, 303, 401, 401),  # without the present password
    "GET /join/{token}": OPEN,
    "POST /join/{token}": SHUT,  # a link that nobody made
    "GET /p/{token}": OPEN,
    "POST /p/{token}": SHUT,
    "GET /oidc/start": (503, 503, 503, 503),  # the provider does not answer
    "GET /oidc/callback": (401, 401, 401, 401),
    "GET /rooms.js": OPEN,
    "GET /vote/{key}": SHUT,  # a room that nobody opened
    "POST /vote/{key}/{question}/{letter}": SHUT,
    "GET /remote/{key}": SHUT,
    "POST /remote/{key}/slides": SHUT,
    "POST /remote/{key}/{way}": SHUT,
    "GET /export/{study:path}/{file}": (401, 404, 404, 200),  # the judgments of a study
    "GET /healthz": OPEN,
    "GET /readyz": OPEN,
    "GET /metrics": (403, 403, 403, 200),
    "GET /_stcore/health": SIGNED_IN,
    "OPTIONS /_stcore/health": (401, 204, 204, 204),
    "GET /_stcore/metrics": SHUT,
    "OPTIONS /_stcore/metrics": SHUT,
    "GET /_stcore/host-config": SIGNED_IN,
    "GET /media/{file_id:path}": NOWHERE,
    "OPTIONS /media/{file_id:path}": (401, 204, 204, 204),
    "PUT /_stcore/upload_file/{session_id}/{file_id}": NOWHERE,  # of a page that nobody has open
    "DELETE /_stcore/upload_file/{session_id}/{file_id}": NOWHERE,
    "OPTIONS /_stcore/upload_file/{session_id}/{file_id}": NOWHERE,
    "GET /component/{path:path}": NOWHERE,
    "OPTIONS /component/{path:path}": (401, 204, 204, 204),
    "GET /_stcore/bidi-components/{path:path}": NOWHERE,
    "OPTIONS /_stcore/bidi-components/{path:path}": (401, 204, 204, 204),
    "WebSocketRoute /_stcore/stream": (403, None, None, None),  # None: it opens
    "GET /auth/login": SHUT,
    "GET /auth/logout": SHUT,
    "GET /oauth2callback": SHUT,
    **{f"{method} {path}": SHUT for path in AGENT for method in ANY_METHOD},
    "Mount /": SIGNED_IN,
}
"""What each route answers to each. Where a route is missing here, say who may ask for it."""


@pytest.fixture(scope="module")
def routes(house: House) -> list[str]:
    settings = {
        "RELEVANCE_HOSTED": "1",
        "RELEVANCE_SECRET": SECRET,
        "RELEVANCE_PUBLIC_URL": house.url,
        "RELEVANCE_DATABASE_URL": house.engine.url.render_as_string(),
        **PROVIDER,
    }
    completed = subprocess.run(
        [sys.executable, "-c", ROUTES], cwd=ROOT, env=os.environ | settings, check=True, stdout=subprocess.PIPE
    )
    return list(json.loads(completed.stdout))


def everybody(house: House) -> list[str | None]:
    """Sign-ins of nobody, an annotator, a researcher of another study and an owner."""
    return [None, house.annotate(HERS, "Anna"), house.sign_in("Paul"), house.sign_in("Olga")]


def ask(house: House, route: str, token: str | None) -> int | None:
    """The status of a route's answer."""
    method, path = route.split(" ")
    path = path.replace("{study:path}", quote(HERS)).replace("{file}", "judgments.csv")
    for part in ("{token}", "{session_id}", "{file_id}", "{file_id:path}", "{path:path}"):
        path = path.replace(part, "unknown")
    if method == "WebSocketRoute":
        return refused_with(house.url, token)
    with house.client(token) as client:
        return client.request("GET" if method == "Mount" else method, path).status_code


def test_every_route_asks_who_it_is(house: House, routes: list[str]) -> None:
    assert sorted(routes) == sorted(EXPECTED)
    assert {route: tuple(ask(house, route, token) for token in everybody(house)) for route in routes} == EXPECTED


@pytest.mark.smoke
def test_a_browser_is_led_to_where_one_signs_in(house: House) -> None:
    with house.client(Accept="text/html") as client:
        for path in ("/", "/overview", "/account", "/anything"):
            answer = client.get(path)
            assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
        assert client.get("/static/js/anything.js").status_code == 303


def test_a_header_of_the_gate_is_not_taken_from_a_client(house: House) -> None:
    owner = house.sign_in("Olga")
    with Tab(house.url, owner) as tab:
        assert HERS in tab.open("studies")
    forged = {HEADER: digest_of(owner)}
    with house.client(**forged) as client:
        assert client.get("/overview").status_code == 401
    with Tab(house.url, house.sign_in("Paul"), **forged) as tab:
        assert HERS not in tab.open("studies")


TRICKS = [
    "/_stcore//agent/mcp",
    "//_stcore/agent/mcp",
    "/_stcore/agent//mcp",
    "/_stcore/%61gent/mcp",
    "/%5fstcore/agent/mcp",
    "/_stcore%2fagent%2fmcp",
    "/_STCORE/agent/mcp",
    "/_stcore/Agent/mcp",
    "/_stcore/agent/mcp/",
    "/_stcore/agent/mcp;a=b",
    "/_stcore/agent;/mcp",
    "/_stcore/./agent/mcp",
    "/_stcore/health/../agent/mcp",
    "/_stcore/health/%2e%2e/agent/mcp",
    "/static/..%2f_stcore/agent/mcp",
    "/join/..%2f_stcore/agent/mcp",
    "/_stcore/agent/mcp%00",
    "/page/_stcore/agent/mcp",
    "/_stcore\\agent\\mcp",
    "/_stcore//metrics",
    "/_stcore/metrics/",
    "/_stcore/%6detrics",
    "/_STCORE/METRICS",
    "/_stcore/metrics;x",
    "/_stcore/script-health-check",
    "/_stcore//script-health-check",
    "/auth/login/",
    "/auth//login",
    "//auth/login",
    "/%61uth/login",
    "/oauth2callback/",
    "/OAUTH2CALLBACK",
    "/oauth2callback;x",
]
"""Ways to write addresses of what Streamlit offers and a hosted server does not."""


def test_what_is_shut_stays_shut_however_it_is_written(house: House) -> None:
    with house.client(house.sign_in("Olga"), Accept="application/json, text/event-stream") as client:
        page = client.get("/").content
        for trick in TRICKS:
            for method in ("GET", "POST", "OPTIONS"):
                answer = send_raw(client, method, trick)
                refused = answer.status_code >= 400 or (answer.status_code, answer.content) == (200, page)
                assert refused or leads_to_refusal(client, answer), (method, trick, answer.status_code)


def send_raw(client: httpx.Client, method: str, path: str) -> httpx.Response:
    """A request for a path as it is written."""
    url = client.base_url.copy_with(raw_path=path.encode())
    return client.send(httpx.Request(method, url, headers=client.headers, json={} if method == "POST" else None))


def leads_to_refusal(client: httpx.Client, answer: httpx.Response) -> bool:
    """Whether a redirect ends in a refusal."""
    return answer.is_redirect and client.get(answer.headers["location"], follow_redirects=True).status_code >= 400


FIXED = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
}


@pytest.mark.smoke
def test_every_answer_has_the_headers(house: House) -> None:
    owner = house.sign_in("Olga")
    with house.client() as nobody, house.client(owner) as client:
        script = next(part for part in client.get("/").text.split('"') if part.startswith("./static/js/"))[1:]
        answers = {
            200: [nobody.get("/sign-in"), client.get("/"), client.get("/account"), nobody.get("/healthz")],
            401: [nobody.get("/"), nobody.post("/sign-in")],
            403: [nobody.post("/sign-in", headers={"Sec-Fetch-Site": "cross-site"}), nobody.get("/metrics")],
            404: [nobody.get("/_stcore/agent/mcp"), nobody.post("/join/unknown"), client.get("/media/x")],
            405: [client.request("PATCH", "/sign-in")],
            421: [nobody.get("/", headers={"Host": "evil.example"})],
            303: [nobody.get("/", headers={"Accept": "text/html"}), client.post("/sign-out")],
        }
        answers[200].append(nobody.get(script, headers={"Cookie": f"relevance={house.sign_in('Olga')}"}))
    for status, result in answers.items():
        for answer in result:
            assert answer.status_code == status, answer.url
            assert answer.headers.items() >= FIXED.items()
            policy = answer.headers["content-security-policy"]
            assert "frame-ancestors 'none'" in policy
            sources = {source for part in policy.split("; ") for source in part.split()[1:]}
            # no other host, so that an address in somebody's data is not fetched
            assert {source for source in sources if source[0] != "'"} <= {
                "data:",
                "blob:",
                house.url.replace("http", "ws"),
            }
            scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))
            assert "'unsafe-inline'" not in scripts
            assert "'unsafe-eval'" not in scripts
            assert len(answer.headers["x-request-id"]) == 16
            assert (answer.headers["cache-control"] == "no-store") == (not answer.url.path.startswith("/static/"))
    assert "immutable" in answers[200][-1].headers["cache-control"]


def test_what_goes_wrong_is_an_answer_like_others(house: House) -> None:
    with house.client(house.sign_in("Olga")) as client:
        house.execute("ALTER TABLE sign_ins RENAME TO hidden")
        try:
            answers = [client.get("/"), client.get("/account"), client.get("/sign-in")]
        finally:
            house.execute("ALTER TABLE hidden RENAME TO sign_ins")
    assert [answer.status_code for answer in answers] == [503, 503, 503]
    assert all(answer.headers.items() >= FIXED.items() for answer in answers)


def test_what_nobody_thought_of_is_an_answer_that_tells_nothing(house: House) -> None:
    """An exception in the gate, before anything is asked, and one in a route behind it."""
    house.accounts.add_user(name="Broken", role="researcher", password=PASSWORD)
    token = house.sign_in("Broken")
    house.execute("UPDATE users SET password = ? WHERE name = 'Broken'", "no hash of Argon2's")
    house.execute("UPDATE sign_ins SET seen_at = ? WHERE digest = ?", "no time at all", digest_of(token))
    with house.client() as nobody, house.client(token) as client:
        answers = [
            client.get("/overview"),
            client.get("/account"),
            client.get("/export/x/judgments.csv"),
            nobody.post("/sign-in", data={"name": "Broken", "password": PASSWORD}),
        ]
        for answer in answers:
            assert (answer.status_code, answer.text) == (500, "Something went wrong.\n")
            assert answer.headers["content-type"].startswith("text/plain")
            assert answer.headers.items() >= FIXED.items()
            assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
            assert answer.headers["cache-control"] == "no-store"
        assert refused_with(house.url, token) in {403, 500}
        assert nobody.get("/sign-in").status_code == 200
    texts = [json.loads(line) for line in house.log.read_text().splitlines()]
    failed = {row["id"]: row["error"] for row in texts if row["message"] == "failed"}
    for answer in answers:  # who reads the log finds what it was by the number
        assert "Traceback" in failed[answer.headers["x-request-id"]]
