"""The routes beside the app: signing in and out, entering a study by a link, health and figures."""

from collections.abc import Callable, Mapping
from functools import partial
from ipaddress import ip_address, ip_network
from typing import Any, TypeVar

from anyio import CapacityLimiter, fail_after, to_thread
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from relevance.annotation.languages import msgid
from relevance.annotation.tables import JudgmentRow
from relevance.data.database import schema_is_current
from relevance.data.store import DatabaseFailed, NotSignedIn, StoreError
from relevance.hosting.accounts import AccountStore, account_key, password_is_right
from relevance.hosting.attempts import ACCOUNT, ADDRESS, EVERYWHERE, LINKS
from relevance.hosting.forms import account_page, enter_page, refusal_page, sign_in_page
from relevance.hosting.gate import has_token
from relevance.hosting.links import LinkUnusable
from relevance.hosting.operations import Counters
from relevance.hosting.services import Services
from relevance.hosting.sign_ins import ANNOTATORS, USERS, SignedIn

T = TypeVar("T")

HASHING = 2
"""The most passwords hashed at the same time: each takes 19 MiB and 0.02 s of a core, and other requests wait."""

PATIENCE = 5
"""Seconds within which a form must arrive: its few bytes follow its headers."""

WRONG = "The name or the password is wrong."
TOO_MANY = msgid("Too many attempts. Wait a quarter of an hour, then try again.")
CROSS_SITE = msgid("Only this site's own pages may send that.")
UNUSABLE = msgid("This link does not open a study; ask whoever sent it for another one.")


class SiteRoutes:
    """The handlers of the routes, over the services of this server."""

    def __init__(self, services: Services, counters: Counters) -> None:
        self.services, self.counters = services, counters
        self.hashing: CapacityLimiter | None = None

    def routes(self) -> list[Route]:
        """Return the routes, without those to the lab's provider."""
        return [
            Route("/sign-in", self.sign_in, methods=["GET", "POST"]),
            Route("/sign-out", self.sign_out, methods=["POST"]),
            Route("/account", self.account, methods=["GET", "POST"]),
            Route("/join/{token}", self.join, methods=["GET", "POST"]),
            Route("/p/{token}", self.join, methods=["GET", "POST"], name="panel"),
            Route("/healthz", self.health, methods=["GET"]),
            Route("/readyz", self.readiness, methods=["GET"]),
            Route("/metrics", self.metrics, methods=["GET"]),
        ]

    # --- signing in ---------------------------------------------------------------------------------------

    async def sign_in(self, request: Request) -> Response:
        """Ask for name and password, and check them."""
        provider = self.services.settings.provider is not None
        if request.method != "POST":
            return sign_in_page(provider=provider)
        if not self.is_same_origin(request):
            return refusal_page("Sign in", CROSS_SITE, 403)
        form = await read_form(request)
        name, password = text_of(form, "name").strip(), text_of(form, "password")
        known = await in_thread(self.services.accounts.password_of, name)
        address = address_of(request)
        if not await self.may_try(name, known and known[0], address, {f"address:{address}": ADDRESS}):
            return sign_in_page(notice=TOO_MANY, name=name, provider=provider, status=429)
        if not await self.verify(password, None if known is None else known[1]) or known is None:
            return sign_in_page(notice=WRONG, name=name, provider=provider, status=401)
        try:
            return await self.signed_in(request, user_id=known[0], verified=known[1])
        except NotSignedIn:
            return sign_in_page(notice=WRONG, name=name, provider=provider, status=401)

    async def may_try(self, name: str, user_id: int | None, address: str, others: Mapping[str, int]) -> bool:
        """Count an attempt on an account's password; tell whether it is within `others` and the account's limits.

        The limit of all addresses does not hold for those from which the account signed in before: whoever guesses from
        elsewhere does not lock its owner out.
        """
        account = account_key(name)
        limits = {**others, f"{account}:{address}": ACCOUNT}
        if not await in_thread(self.services.sign_ins.knows_address, user_id or 0, address):  # asked of nobody, too
            limits[account] = EVERYWHERE
        return await in_thread(self.services.attempts.allow, limits)

    async def find_account(self, issuer: str, subject: str, email: str) -> int | None:
        """Return the account of somebody whom the lab's provider vouches for. Raises `NotAllowed`."""
        return await in_thread(self.services.accounts.find_identity, issuer, subject, email)

    async def verify(self, password: str, stored: str | None) -> bool:
        """Check a password."""
        return await self.hash_in_thread(password_is_right, password, stored)

    async def hash_in_thread(self, call: Callable[..., T], *args: object) -> T:
        """Run a call that hashes a password in a limiter of its own: the app's threads are for pages."""
        self.hashing = self.hashing or CapacityLimiter(HASHING)
        return await to_thread.run_sync(call, *args, limiter=self.hashing)

    async def signed_in(
        self,
        request: Request,
        *,
        user_id: int | None = None,
        annotator_id: int | None = None,
        verified: str | None = None,
    ) -> Response:
        """Give the browser a new cookie, end its earlier sign-in, and redirect to a clean address.

        Raises `NotSignedIn` if the password whose hash was `verified` has been changed meanwhile.
        """
        open_one = partial(
            self.services.sign_ins.sign_in,
            user_id=user_id,
            annotator_id=annotator_id,
            verified=verified,
            address=address_of(request),
        )
        token = await in_thread(open_one)
        if request.scope.get("sign_in"):
            await in_thread(self.services.sign_ins.sign_out, request.scope["sign_in"])
        answer = RedirectResponse("/" if annotator_id is None else "/annotate", 303)
        lasts = int((USERS if annotator_id is None else ANNOTATORS).total_seconds())
        cookie = self.services.settings.cookie
        answer.set_cookie(cookie, token, max_age=lasts, **self.cookie_options())
        return answer

    def cookie_options(self) -> dict[str, Any]:
        """Return the options of the sign-in's cookie."""
        return {"httponly": True, "samesite": "lax", "secure": self.services.settings.secure, "path": "/"}

    async def sign_out(self, request: Request) -> Response:
        """End the sign-in of this browser, or all of the same person."""
        if not self.is_same_origin(request):
            return refusal_page("Sign out", CROSS_SITE, 403)
        form = await read_form(request)
        end = partial(self.services.sign_ins.sign_out, everywhere=bool(text_of(form, "everywhere")))
        await in_thread(end, request.scope["sign_in"])
        answer = RedirectResponse("/sign-in", 303)
        answer.delete_cookie(self.services.settings.cookie, **self.cookie_options())
        return answer

    async def account(self, request: Request) -> Response:
        """Show who is signed in, and change their password, which signs them out everywhere else."""
        own = AccountStore(self.services.engine, SignedIn(request.scope["sign_in"]))
        try:
            visitor = await in_thread(own.visitor)
        except NotSignedIn:
            return RedirectResponse("/sign-in", 303)
        if visitor.name is None or visitor.user_id is None:
            return RedirectResponse("/annotate", 303)
        if request.method == "POST":
            return await self.change_password(request, own, visitor.user_id, visitor.name)
        known = await in_thread(self.services.accounts.password_of, visitor.name)
        return account_page(visitor.name, has_password=known is not None)

    async def change_password(self, request: Request, own: AccountStore, user_id: int, name: str) -> Response:
        """Change the password of the caller, and sign them in anew."""
        if not self.is_same_origin(request):
            return refusal_page("Your account", CROSS_SITE, 403)
        form = await read_form(request)
        if not await self.may_try(name, user_id, address_of(request), {}):
            return account_page(name, has_password=True, notice=TOO_MANY, status=429)
        known = await in_thread(self.services.accounts.password_of, name)
        if known is None or not await self.verify(text_of(form, "password"), known[1]):
            return account_page(name, has_password=True, notice="The present password is wrong.", status=401)
        try:
            verified = await self.hash_in_thread(own.set_password, name, text_of(form, "new"))
            return await self.signed_in(request, user_id=user_id, verified=verified)
        except StoreError as error:
            reason = str(error)
            return account_page(name, has_password=True, notice=f"{reason[:1].upper()}{reason[1:]}.", status=400)

    # --- entering a study ---------------------------------------------------------------------------------

    async def join(self, request: Request) -> Response:
        """Show the study's start page of a link, and let in whoever presses Go on.

        All links that open nothing give the same answer.
        """
        token = request.path_params["token"]
        wording = await in_thread(self.services.links.wording, token)
        if request.method != "POST":
            return enter_page(wording)
        title = wording.say("Judge summaries")
        if not self.is_same_origin(request):
            return refusal_page(title, wording.say(CROSS_SITE), 403, wording)
        if not await in_thread(self.services.attempts.allow, {f"link:{address_of(request)}": LINKS}):
            return refusal_page(title, wording.say(TOO_MANY), 429, wording)
        given = dict(request.query_params) if request.url.path.startswith("/p/") else None
        try:
            annotator_id = await in_thread(self.services.links.enter, token, given)
        except LinkUnusable:
            return refusal_page(title, wording.say(UNUSABLE), 404, wording)
        return await self.signed_in(request, annotator_id=annotator_id)

    # --- operation ----------------------------------------------------------------------------------------

    async def health(self, request: Request) -> Response:
        """Answer that the process is running."""
        return PlainTextResponse("ok\n")

    async def readiness(self, request: Request) -> Response:
        """Answer whether the database can be used and has this version's schema."""
        try:
            current = await in_thread(schema_is_current, self.services.engine)
        except SQLAlchemyError as error:
            return PlainTextResponse(f"{DatabaseFailed(error)}\n", 503)
        return PlainTextResponse("ready\n" if current else "the schema has another version\n", 200 if current else 503)

    async def metrics(self, request: Request) -> Response:
        """Send figures for Prometheus to an owner or whoever has the token."""
        if not has_token(request.headers, self.services.settings.metrics_token) and not await self.is_owner(request):
            return PlainTextResponse("The figures are for the server's owner and for requests with the token.\n", 403)

        def read() -> bytes:
            self.counters.sign_ins.set(self.services.sign_ins.count())
            with self.services.sign_ins.reading() as session:
                self.counters.judgments.set(session.scalar(select(func.count(JudgmentRow.id))) or 0)
            return generate_latest(self.counters.registry)

        return Response(await in_thread(read), media_type=CONTENT_TYPE_LATEST)

    async def is_owner(self, request: Request) -> bool:
        """Tell whether the caller is an owner of the server."""
        digest = request.scope.get("sign_in")
        if digest is None:
            return False
        own = AccountStore(self.services.engine, SignedIn(digest))
        try:
            return (await in_thread(own.visitor)).everything
        except NotSignedIn:
            return False

    def is_same_origin(self, request: Request) -> bool:
        """Tell whether a form was sent by a page of this site: by the browser's statement, or else by its origin."""
        site = request.headers.get("sec-fetch-site")
        if site is not None and site != "same-origin":
            return False
        origin = request.headers.get("origin")
        # A page with `no-referrer` sends forms with the origin "null" where the browser says nothing of the site.
        return site == "same-origin" if origin in {None, "null"} else origin == self.services.settings.public_url


async def in_thread(call: Callable[..., T], *args: object) -> T:
    """Run a call that waits for the database in a thread."""
    return await to_thread.run_sync(call, *args)


async def read_form(request: Request) -> FormData:
    """Read a short form without files, which must arrive soon: slow senders do not keep connections."""
    try:
        with fail_after(PATIENCE):
            return await request.form(max_files=0, max_fields=8, max_part_size=4096)
    except TimeoutError as error:
        raise HTTPException(408) from error


def text_of(form: FormData, name: str) -> str:
    """Return a field of a form as text that any database can store."""
    value = form.get(name, "")
    return value.replace("\0", "\ufffd") if isinstance(value, str) else ""


def address_of(request: Request) -> str:
    """Return the address of a request, given by the proxy if one is configured (`relevance serve`).

    Of an IPv6 address it is the first half, which belongs to a house or a lab; anybody can choose the second half.
    """
    host = request.client.host if request.client is not None else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    return host if address.version == 4 else str(ip_network(f"{address}/64", strict=False))
