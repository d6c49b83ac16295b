"""Signing in by the lab's OpenID Connect provider with Authlib: authorization code with PKCE, state and nonce.

Streamlit's own `st.login` is not used: its cookie is valid for 30 days whatever the database says, and is not
`Secure`.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from authlib.integrations.starlette_client import OAuth
from httpx2 import HTTPError
from itsdangerous import URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from relevance.data.one_line import cut
from relevance.data.store import NotAllowed
from relevance.hosting.forms import refusal_page
from relevance.hosting.routes import SiteRoutes
from relevance.hosting.settings import Provider

MINUTES = 10
"""The most minutes that somebody may spend at the provider's."""

NAME = "provider"
SILENT = "Your institution's sign-in does not answer at the moment; try again later, or sign in by your password."
NOT_YOURS = (
    "The account of your email address belongs to another person at your institution; ask the owner of this server."
)
REFUSED = "The sign-in was not completed. Try again; if that does not help, ask the owner of this server."

LONGEST = 200
"""The most characters of a reason in the log."""

log = logging.getLogger("relevance.oidc")


class ProviderRoutes:
    """The two routes to the provider and back."""

    def __init__(self, site: SiteRoutes, provider: Provider) -> None:
        self.site, self.settings = site, site.services.settings
        self.cookie = f"{self.settings.cookie}-oidc"
        self.signer = URLSafeTimedSerializer(self.settings.secret, salt="oidc")
        self.client = OAuth().register(
            NAME,
            server_metadata_url=f"{provider.issuer}/.well-known/openid-configuration",
            client_id=provider.client,
            client_secret=provider.secret,
            client_kwargs={"scope": "openid email", "code_challenge_method": "S256", "timeout": 10},
        )

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/oidc/start", self.start, methods=["GET"]),
            Route("/oidc/callback", self.finish, methods=["GET"]),
        ]

    async def start(self, request: Request) -> Response:
        """Redirect to the provider; state, nonce and verifier wait in a signed cookie of this browser."""
        own = with_session(request, {})
        back = f"{self.settings.public_url}/oidc/callback"
        try:
            answer: Response = await self.client.authorize_redirect(own, back)
        except Exception as error:  # whatever the provider says of itself
            return self.refuse(SILENT, 503, error)
        kept = self.signer.dumps(json.dumps(own.session))
        answer.set_cookie(self.cookie, kept, max_age=60 * MINUTES, **self.site.cookie_options())
        return answer

    async def finish(self, request: Request) -> Response:
        """Sign in somebody who returns with a token of the provider for an account."""
        try:
            kept = self.signer.loads(request.cookies.get(self.cookie, ""), max_age=60 * MINUTES)
            issuer = (await self.client.load_server_metadata())["issuer"]
            token = await self.client.authorize_access_token(
                with_session(request, json.loads(kept)),
                claims_options={
                    "iss": {"essential": True, "values": [issuer]},
                    "aud": {"essential": True, "values": [self.client.client_id]},  # Authlib asks only for `azp`
                },
            )
        except HTTPError as error:
            return self.refuse(SILENT, 503, error)
        except Exception as error:  # a token can be wrong in any way: its signature, issuer, audience, time or nonce
            declined = "error" in request.query_params  # the address is the visitor's: nothing of it goes to the log
            return self.refuse(REFUSED, 401, "declined at the provider's" if declined else error)
        claims = token.get("userinfo") or {}
        address = claims.get("email")
        if not isinstance(address, str) or claims.get("email_verified") is not True:
            return self.refuse("Your institution does not vouch for your email address.", 403)
        try:
            user_id = await self.site.find_account(str(claims["iss"]), str(claims["sub"]), address)
        except NotAllowed as error:
            return self.refuse(NOT_YOURS, 403, error)
        if user_id is None:
            return self.refuse("There is no account for your email address; ask the owner of this server.", 403)
        answer = await self.site.signed_in(request, user_id=user_id)
        answer.delete_cookie(self.cookie, **self.site.cookie_options())
        return answer

    def refuse(self, message: str, status: int, reason: Exception | str | None = None) -> Response:
        """Say that somebody was not signed in, write the reason to the log, and forget the attempt."""
        if reason is not None:
            why = reason if isinstance(reason, str) else f"{type(reason).__name__}: {reason}"
            log.warning("a sign-in by the provider was refused: %s", cut(why, LONGEST))
        answer = refusal_page("Sign in", message, status)
        answer.delete_cookie(self.cookie, **self.site.cookie_options())
        return answer


def all_routes(site: SiteRoutes) -> list[Route]:
    """Return the routes of a site, with those to its provider if it has one.

    A test of access rights covers every one of them.
    """
    provider = site.services.settings.provider
    return [*(ProviderRoutes(site, provider).routes() if provider else []), *site.routes()]


def with_session(request: Request, session: dict[str, Any]) -> Request:
    """Return the request with a session of its own for Authlib: the middleware's session uses another cookie."""
    return Request(dict(request.scope, session=session), request.receive)
