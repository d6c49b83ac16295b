"""The gate before the app: no request and no WebSocket message passes without a valid sign-in.

A guard in a page would not be enough: after a sign-in has ended, callbacks and fragments of an open page would still
run. Nor would a cookie alone: whoever knows the number of somebody's Streamlit session could take it over. So the
gate sets the header by which Streamlit binds a session to its owner, and drops any such header that a client sends.
"""

import asyncio
import hmac
import logging
import re
import secrets
import time
from typing import Protocol
from urllib.parse import quote

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from relevance.data.store import DatabaseFailed, NotSignedIn
from relevance.hosting.accounts import AccountStore
from relevance.hosting.operations import Counters
from relevance.hosting.services import Services
from relevance.hosting.sign_ins import SignedIn, digest_of
from relevance.hosting.uploads import FULL, LARGEST, HeldFiles, Uploads

HEADER = "x-relevance-sign-in"
"""The header that Streamlit binds sessions to (`server.trustedUserHeaders`); its value is the digest of the sign-in."""

OPEN = ("/sign-in", "/join/", "/p/", "/oidc/", "/healthz", "/readyz", "/metrics", "/rooms.js", "/vote/", "/remote/")
"""Paths for people who are not signed in; `/metrics` checks its callers itself."""
CLOSED = ("/_stcore/agent", "/_stcore/metrics", "/_stcore/script-health-check", "/auth/", "/oauth2callback")
"""Paths of Streamlit that a hosted server does not offer."""
HTTP_OK = 200
UPLOADS = "/_stcore/upload_file/"
FILES = (UPLOADS, "/media/")
"""Paths of files that belong to one person's page."""
PROBES = ("/healthz", "/readyz", "/metrics")
"""Paths that machines request by the server's own address."""

ROOMS = ("/vote/…", "/remote/…")
"""Routes that pages of rooms request again and again, as logs name them."""

RETRY = "3"
"""Seconds after which a browser asks again while the database cannot be used."""
GONE = 4401
"""The code with which a WebSocket is closed when the sign-in has ended."""
TOO_BIG = 1009
"""The code with which it is closed after a message that is too long."""
MOST_OF_ANNOTATOR = 256 * 2**10
"""Bytes of the longest message of an annotator: a task's choices and comments. Pages keep what they are told."""

log = logging.getLogger("relevance.requests")


class Pages(HeldFiles, Protocol):
    """The app's open pages, as far as the gate asks about them; sign-ins are given by their digest."""

    def owns_file(self, path: str, sign_in: str, /) -> bool:
        """Tell whether a file of the app, given by its path, belongs to a page of a sign-in."""

    def may_say(self, data: bytes, sign_in: str, /) -> bool:
        """Tell whether a page of a sign-in accepts a message from the browser."""

    def seconds_kept(self) -> float:
        """Return the seconds for which a closed page can be opened again."""

    def end_closed(self) -> None:
        """End the pages that were closed so long ago, with their files."""


class Gate:
    """A gate that lets signed-in people through, sends others to sign in if it can, and logs each request in a line."""

    def __init__(self, app: ASGIApp, services: Services, counters: Counters, pages: Pages) -> None:
        self.app, self.services, self.counters, self.pages = app, services, counters, pages
        self.uploads = Uploads(pages)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request or a WebSocket."""
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
            return
        request_id, began = secrets.token_hex(8), time.perf_counter()
        status = 0

        async def told(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = request_id
            elif message["type"] == "websocket.close":
                status = message.get("code", 1000)
            await send(message)

        try:
            await self.serve(scope, receive, told)
        except DatabaseFailed as error:
            log.error("%s (%s)", error, error.__cause__, extra={"said": {"id": request_id}})
            again = {"Retry-After": RETRY, "Refresh": RETRY}  # make browsers ask again by themselves
            await refuse(PlainTextResponse(f"{error}\n", 503, again), scope, receive, told)
        except Exception:
            log.exception("failed", extra={"said": {"id": request_id}})
            if scope["type"] == "websocket" or status:
                raise
            await PlainTextResponse("Something went wrong.\n", 500)(scope, receive, told)
        finally:
            took = time.perf_counter() - began
            kind = route_of(scope["path"])
            self.counters.count(scope, kind, status, took)
            entry = {"id": request_id, "method": scope.get("method", "WEBSOCKET"), "route": kind, "status": status}
            level = logging.DEBUG if kind in (*PROBES, *ROOMS) and status == HTTP_OK else logging.INFO
            log.log(level, "request", extra={"said": entry | {"seconds": round(took, 4)}})

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, and refuse it or pass it on."""
        path: str = scope["path"]
        headers = Headers(scope=scope)
        answer = self.refuse(path, headers, scope["type"])
        if answer is None and path in {"/", "/annotate"} and scope["type"] == "http":
            answer = lead_to_link(scope)
        if answer is not None:
            await refuse(answer, scope, receive, send)
            return
        await self.pass_on(path, scope, receive, send)

    async def pass_on(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the app if its sign-in is valid, with the header that names its owner."""
        token = HTTPConnection(scope).cookies.get(self.services.settings.cookie, "")
        digest = digest_of(token) if token else None
        if digest is not None and not await to_thread.run_sync(self.services.sign_ins.is_live, digest):
            digest = None
        kept = [(name, value) for name, value in scope["headers"] if name.lower() != HEADER.encode()]
        if digest is not None:
            kept.append((HEADER.encode(), digest.encode()))
        passed = dict(scope, headers=kept, sign_in=digest)
        if scope["type"] == "websocket":
            await self.serve_socket(passed, receive, send, digest)
        elif digest is None and not is_open(path):
            await refuse(ask_to_sign_in(scope), scope, receive, send)
        elif digest is not None and path.startswith(FILES) and not self.pages.owns_file(path, digest):
            await refuse(PlainTextResponse("There is no such file.\n", 404), scope, receive, send)
        elif digest is not None and path.startswith(UPLOADS):
            await self.take_file(passed, receive, send, digest)
        else:
            await self.app(passed, receive, send)

    async def take_file(self, scope: Scope, receive: Receive, send: Send, digest: str) -> None:
        """Pass a file on to an open page of an account, if there is room for it; annotators' tasks take no files."""
        user_id = await to_thread.run_sync(self.find_account, digest)
        if user_id is None:
            await refuse(PlainTextResponse("Files are for researchers.\n", 403), scope, receive, send)
            return
        session_id = scope["path"].removeprefix(UPLOADS).split("/")[0]
        length = Headers(scope=scope).get("content-length", "")
        size = int(length) if length.isascii() and length.isdecimal() else LARGEST
        with self.uploads.arrive(session_id, user_id, size if scope["method"] == "PUT" else 0) as has_room:
            if has_room:
                await self.app(scope, receive, send)
            else:
                await refuse(PlainTextResponse(f"{FULL}\n", 413), scope, receive, send)

    def find_account(self, digest: str) -> int | None:
        """Return the account of a sign-in; None for an annotator."""
        try:
            return AccountStore(self.services.engine, SignedIn(digest)).visitor().user_id
        except NotSignedIn:
            return None

    def refuse(self, path: str, headers: Headers, kind: str) -> Response | None:
        """Refuse other host names, sockets of other sites, and paths that the server does not offer, for everybody."""
        settings = self.services.settings
        if path in PROBES and kind == "http":
            return None
        if headers.get("host", "").lower() != settings.host:
            return PlainTextResponse("This server is not known by that name.\n", 421)
        if re.sub("/+", "/", path).casefold().startswith(CLOSED) or "\0" in path:  # PostgreSQL cannot store NUL
            return PlainTextResponse("There is no such page.\n", 404)
        if kind == "websocket" and headers.get("origin") != settings.public_url:
            return PlainTextResponse("Only this site's own pages may do that.\n", 403)
        return None

    async def serve_socket(self, scope: Scope, receive: Receive, send: Send, digest: str | None) -> None:
        """Pass a WebSocket's messages while the sign-in is valid."""
        if digest is None:
            await receive()
            await send({"type": "websocket.close", "code": GONE})
            return
        ended: int | None = None
        most = MOST_OF_ANNOTATOR if await to_thread.run_sync(self.find_account, digest) is None else None

        async def guarded() -> Message:
            nonlocal ended
            while True:
                message = await receive()
                if message["type"] != "websocket.receive":
                    return message
                data: bytes | None = message.get("bytes")
                if not await self.still_live(digest):
                    ended = GONE
                elif most is not None and len(data or message.get("text") or "") > most:
                    ended = TOO_BIG
                if ended is not None:
                    return {"type": "websocket.disconnect", "code": ended}
                if data is None or self.pages.may_say(data, digest):
                    return message

        self.counters.sockets.inc()
        try:
            await self.app(scope, guarded, send)
        finally:
            self.counters.sockets.dec()
            asyncio.get_running_loop().call_later(self.pages.seconds_kept() + 1, self.pages.end_closed)
        if ended is not None:
            await send({"type": "websocket.close", "code": ended})

    async def still_live(self, digest: str) -> bool:
        """Tell whether a sign-in is valid; True if the database fails, as pages say so and stores refuse calls."""
        try:
            return await to_thread.run_sync(self.services.sign_ins.is_live, digest)
        except DatabaseFailed:
            return True


async def refuse(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Send a refusal; a WebSocket is closed before it opens, which browsers see as 403."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
    else:
        await answer(scope, receive, send)


def lead_to_link(scope: Scope) -> Response | None:
    """Redirect an invite of the local app, which has its token in the query, to the page of its link."""
    token = QueryParams(scope["query_string"]).get("invite")
    return None if token is None else RedirectResponse(f"/join/{quote(token, safe='')}", 303)


def is_open(path: str) -> bool:
    """Tell whether a path is for people who are not signed in."""
    return any(path == start or (start.endswith("/") and path.startswith(start)) for start in OPEN)


def ask_to_sign_in(scope: Scope) -> Response:
    """Redirect a browser to the page for signing in, and refuse everything else."""
    if scope["method"] == "GET" and "text/html" in Headers(scope=scope).get("accept", ""):
        return RedirectResponse("/sign-in", 303)
    return PlainTextResponse("Sign in first.\n", 401)


NAMED = ("/", "/sign-in", "/sign-out", "/account", "/rooms.js", *PROBES, "/_stcore/stream", "/_stcore/health")
GROUPS = (
    "/join/",
    "/p/",
    "/oidc/",
    "/export/",
    "/vote/",
    "/remote/",
    *FILES,
    "/static/",
    "/component/",
    "/_stcore/bidi-components/",
)
"""Prefixes by which logs and counters name other paths; `NAMED` are named whole, and no made-up path ever is."""


def route_of(path: str) -> str:
    """Return a path as logs and counters name it: without tokens, names and numbers."""
    if path in NAMED:
        return path
    return next((f"{group}…" for group in GROUPS if path.startswith(group)), "/…")


def has_token(headers: Headers, token: str | None) -> bool:
    """Tell whether a request has the bearer token of the metrics."""
    given = headers.get("authorization", "").removeprefix("Bearer ")
    return token is not None and hmac.compare_digest(given.encode(), token.encode())


class SecurityHeaders:
    """Middleware that adds the security headers to answers."""

    def __init__(self, app: ASGIApp, policy: str, secure: bool) -> None:
        self.app = app
        self.fixed = {
            "content-security-policy": policy,
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "x-frame-options": "DENY",
            "cross-origin-opener-policy": "same-origin",
            "permissions-policy": "camera=(), microphone=(), geolocation=()",
        }
        if secure:
            self.fixed["strict-transport-security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to an answer; a browser may store only the app's own scripts, styles and fonts."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.fixed.items():
                    headers[name] = value
                if not scope["path"].startswith("/static/"):
                    headers["cache-control"] = "no-store"
            await send(message)

        await self.app(scope, receive, headed)
