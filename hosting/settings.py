"""Settings of a hosted server, read from the environment; there is no default account and no default secret."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from urllib.parse import urlsplit

HOSTED = "RELEVANCE_HOSTED"
SECRET = "RELEVANCE_SECRET"  # noqa: S105  the name of the variable
PUBLIC_URL = "RELEVANCE_PUBLIC_URL"
PROXY = "RELEVANCE_PROXY"
METRICS_TOKEN = "RELEVANCE_METRICS_TOKEN"  # noqa: S105  the name of the variable
OIDC = ("RELEVANCE_OIDC_ISSUER", "RELEVANCE_OIDC_CLIENT", "RELEVANCE_OIDC_SECRET")

SHORTEST = 32
"""The least number of bytes of a secret."""


class BadSettings(ValueError):
    """The server cannot be hosted with these settings; the message says what to set."""


@dataclass(frozen=True)
class Provider:
    """The lab's OpenID Connect provider."""

    issuer: str
    client: str
    secret: str


@dataclass(frozen=True)
class Settings:
    """Settings of a hosted server."""

    secret: str
    public_url: str
    """The address that people type, without a slash at its end."""
    proxy: str | None = None
    """The address of the proxy before the server, whose `X-Forwarded-For` is trusted."""
    metrics_token: str | None = None
    provider: Provider | None = None

    @property
    def secure(self) -> bool:
        """True if browsers reach it by TLS."""
        return self.public_url.startswith("https://")

    @property
    def host(self) -> str:
        """The name, and the port if it is not the usual one, that requests must ask for."""
        return urlsplit(self.public_url).netloc

    @property
    def cookie(self) -> str:
        """The name of the sign-in's cookie; behind TLS no other host or path can set one of that name."""
        return "__Host-relevance" if self.secure else "relevance"


def is_hosted() -> bool:
    """Tell whether this process serves many people, who have to sign in."""
    return bool(os.environ.get(HOSTED))


@cache
def hosted_settings() -> Settings:
    """Return the settings of this process. Raises `BadSettings`."""
    return read_settings(os.environ)


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Read and check the settings. Raises `BadSettings`."""
    given = [environment.get(name, "").strip() for name in OIDC]
    if any(given) and not all(given):
        raise BadSettings(f"{', '.join(OIDC)} belong together; set all three, or none")
    token = environment.get(METRICS_TOKEN)
    return Settings(
        secret=checked_secret(environment.get(SECRET, ""), SECRET),
        public_url=checked_url(environment.get(PUBLIC_URL, "")),
        proxy=checked_address(environment.get(PROXY, "").strip()),
        metrics_token=checked_secret(token, METRICS_TOKEN) if token else None,
        provider=Provider(given[0].rstrip("/"), given[1], given[2]) if all(given) else None,
    )


def checked_secret(secret: str, variable: str) -> str:
    """Return a secret if it is hard to guess. Raises `BadSettings`."""
    make = 'make one with  python3 -c "import secrets; print(secrets.token_urlsafe(48))"'
    if len(secret.encode()) < SHORTEST:
        raise BadSettings(f"{variable} needs at least {SHORTEST} bytes; {make}")
    if len(set(secret)) < 12 or any(word in secret.casefold() for word in ("change", "secret", "example", "password")):
        raise BadSettings(f"{variable} is not a random text; {make}")
    return secret


def checked_url(url: str) -> str:
    """Return the public address, with TLS unless it is this machine's. Raises `BadSettings`."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise BadSettings(f"{PUBLIC_URL} is not an address: {error}") from error
    if (
        not host
        or parts.scheme not in {"http", "https"}
        or parts.path not in {"", "/"}
        or parts.query
        or parts.username
    ):
        raise BadSettings(f"set {PUBLIC_URL} to the address that people type, such as https://relevance.example.org")
    if parts.scheme == "http" and host not in {"127.0.0.1", "localhost", "::1"}:
        raise BadSettings(f"{PUBLIC_URL} must begin with https://, which hides passwords and judgments on the way")
    name = f"[{host}]" if ":" in host else host
    usual = port in {None, {"http": 80, "https": 443}[parts.scheme]}  # browsers leave it out
    return f"{parts.scheme}://{name}" if usual else f"{parts.scheme}://{name}:{port}"


def checked_address(address: str) -> str | None:
    """Return the proxy's IP address; None if it is empty. Raises `BadSettings`."""
    if not address:
        return None
    try:
        return str(ip_address(address))
    except ValueError as error:
        raise BadSettings(f"{PROXY} must be the IP address of the proxy, such as 127.0.0.1") from error
