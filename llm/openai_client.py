"""A client of any server that speaks OpenAI's protocol: OpenAI's own, or vLLM, llama.cpp, Ollama and others."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from data.one_line import cut, in_one_line
from llm.client import CallFailed, CallsRefused, Completion, Message, Settings
from llm.tokens import EstimatedTokens

if TYPE_CHECKING:
    from openai import APIConnectionError, APIStatusError

KEY_VARIABLE = "OPENAI_API_KEY"

SECRET = 16
"""Characters of the shortest key that is kept out of texts: shorter ones are words such as EMPTY, for servers that want
no key, and a text may have them too."""

OPENAI = "https://api.openai.com/v1"

SECONDS = 300.0
"""Seconds for an answer: long ones of large models take minutes."""

CONNECTING = 10.0
"""Seconds for a connection."""

MOST = 300
"""Characters of what a server says of a failure."""


class UnusableAddress(ValueError):
    """Not an address that can be asked; the message says why."""


class ClientUnavailable(ValueError):
    """The package that speaks to servers is not installed."""


class OpenAIClient:
    """Asks a model at an address, by the package `openai`.

    The key is read from the environment (`OPENAI_API_KEY`), sent to this address alone and kept nowhere; where a
    server says it back, it is left out. No redirect is followed, and an address on this machine is asked directly,
    whatever proxies the environment names. What an answer may take in bytes and seconds is bounded. Nothing is tried
    again here: `llm.asking` does that.

    Args:
        model: its name, as the server knows it.
        address: where the server is, such as `http://127.0.0.1:8000/v1`; without user, password, query or fragment.
        now: a clock in seconds, which never goes back.
        needs_key: whether OpenAI's address is refused without a key, as where it is to be asked.

    Raises:
        UnusableAddress: for another address, and where a key would go to another machine unencrypted.
        ClientUnavailable: without the package `openai`.

    """

    def __init__(
        self,
        model: str,
        address: str = OPENAI,
        *,
        now: Callable[[], float] = time.monotonic,
        needs_key: bool = True,
    ) -> None:
        try:
            import httpx2
            import openai

            from llm.answers import bound_answers
        except ModuleNotFoundError as error:
            raise ClientUnavailable(f"{error.name} is not installed: pip install 'relevance[llm]'") from error
        self.model, self.address, self.now = model, check_address(address), now
        self.tokens = EstimatedTokens()
        self.key = read_key(self.address, needed=needs_key)
        try:
            http_client = httpx2.Client(
                timeout=httpx2.Timeout(SECONDS, connect=CONNECTING),
                follow_redirects=False,
                trust_env=not is_here(self.address),
                event_hooks={"response": [bound_answers(SECONDS, now)]},
            )
        except ImportError as error:  # what speaks to the proxies that the environment names
            raise ClientUnavailable(str(error)) from error
        self.server = openai.OpenAI(
            api_key=self.key or "none",  # a server that wants no key overlooks it
            base_url=self.address,
            max_retries=0,
            default_headers={"Accept-Encoding": "identity"},
            http_client=http_client,
        )

    @property
    def identity(self) -> Mapping[str, str]:
        """The model and the address.

        The address is part of it: the same name at another one may be another quantisation or chat template, or
        another model altogether, and nothing in an answer tells.
        """
        return {"model": self.model, "at": self.address}

    def complete(self, messages: Sequence[Message], settings: Settings) -> Completion:
        """Ask once. Raises `CallFailed`, `CallsRefused`."""
        from openai import APIConnectionError, APIStatusError

        began = self.now()
        try:
            answer = self.server.chat.completions.with_raw_response.create(
                model=self.model,
                messages=[message._asdict() for message in messages],  # type: ignore[misc]
                **self.named(settings),
            )
        except APIStatusError as error:
            raise self.failed(error) from None  # an error's response has the request, and that has the key
        except APIConnectionError as error:
            raise not_connected(error) from None
        return self.read(answer.http_response.content, self.now() - began)

    def named(self, settings: Settings) -> dict[str, Any]:
        """Return the settings as this server calls them: OpenAI has renamed its limit of tokens, others have not."""
        given: dict[str, Any] = settings.given
        if self.address == OPENAI:
            given["max_completion_tokens"] = given.pop("max_tokens")
        return given

    def clean(self, text: str) -> str:
        """Return a text as it may be kept: without the key, should a server say it back, and as every database can hold it."""
        if len(self.key) >= SECRET:
            text = text.replace(self.key, "[key]")
        return storable(text)

    def read(self, content: bytes, seconds: float) -> Completion:
        """Read an answer. Raises `CallFailed` for what is none."""
        try:
            answer = json.loads(content.decode())
            choice = answer["choices"][0]
            message, usage = choice["message"], answer.get("usage") or {}
            text, refusal = message.get("content"), message.get("refusal")
            if not isinstance(text, str | None) or not isinstance(refusal, str | None):
                raise TypeError
            return Completion(
                self.clean(text or ""),
                cut(self.clean(str(answer.get("model") or self.model)), MOST),
                cut(self.clean(str(choice.get("finish_reason") or "unknown")), MOST),
                count(usage.get("prompt_tokens")),
                count(usage.get("completion_tokens")),
                seconds,
                self.clean(refusal) if refusal else None,
            )
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise CallFailed("the answer is not what the protocol says", again=True, charged=True) from None

    def failed(self, error: APIStatusError) -> CallFailed | CallsRefused:
        """What an answer by an error means: for this call, or for all."""
        status, code = error.status_code, error.code
        said = cut(self.clean(said_by(error)), MOST)
        reason = f"{self.address} answers {status}{f': {said}' if said else ''}"
        if 300 <= status < 400:
            target = cut(self.clean(error.response.headers.get("location", "another address")), MOST)
            return CallsRefused(f"{self.address} leads to {target}: if that is the right one, name it")
        if status in {401, 402, 404} or code in {"insufficient_quota", "invalid_api_key", "model_not_found"}:
            return CallsRefused(reason)
        again = status in {408, 409, 429} or status >= 500
        return CallFailed(reason, again=again, after=retry_after(error.response.headers, datetime.now(UTC)))


def check_address(address: str) -> str:
    """Return an address in its plainest form: without a slash at its end, its host in lower case. Raises `UnusableAddress`."""
    shown = cut(address, MOST)
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise UnusableAddress(f"{shown} is no address: {error}") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UnusableAddress(f"{shown} is no address: it begins with http:// or https:// and a host")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise UnusableAddress(f"an address has no user, password, query or fragment; a key is named by {KEY_VARIABLE}")
    if in_one_line(address) != address or not address.isascii() or set(address) & set(' |"<>\\^`{}'):
        raise UnusableAddress(f"{shown} is no address: it has characters that none has")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{parts.path.rstrip('/')}"


def is_here(address: str) -> bool:
    """Tell whether an address is on this machine."""
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def read_key(address: str, *, needed: bool = True) -> str:
    """Return the key of the environment; empty where there is none. Raises `UnusableAddress` where it cannot be sent."""
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if needed and not key and address == OPENAI:
        raise UnusableAddress(f"{OPENAI} wants a key: set {KEY_VARIABLE}, or another address (--base-url)")
    if not key.isascii() or not key.isprintable():
        raise UnusableAddress(f"{KEY_VARIABLE} holds characters that no key has")
    if key and address.startswith("http:") and not is_here(address):
        raise UnusableAddress(f"the key would be sent to {address} unencrypted: use https, or unset {KEY_VARIABLE}")
    return key


def not_connected(error: APIConnectionError) -> CallFailed:
    """What a connection that failed means: what was sent before it did may have to be paid for."""
    from httpx2 import ConnectError, ConnectTimeout, TimeoutException

    cause = error.__cause__
    if isinstance(cause, ConnectError | ConnectTimeout):
        return CallFailed(f"no connection: {cut(str(cause), MOST)}", again=True)
    what = "no answer in time" if isinstance(cause, TimeoutException) else "the connection broke"
    return CallFailed(f"{what}: {cut(str(cause), MOST)}", again=True, charged=True)


def said_by(error: APIStatusError) -> str:
    """What a server says of a failure, where it says something that the protocol knows."""
    body = error.body
    said = body.get("message") if isinstance(body, dict) else None
    return said if isinstance(said, str) else ""


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that a server asks to wait, given as a number or a date; None where it asks nothing."""
    asked = headers.get("retry-after", "")
    try:
        seconds = float(asked)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(asked) - now).total_seconds()
        except (ValueError, TypeError):  # no date, or one without a zone
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def count(value: object) -> int | None:
    """Return a number of tokens, None where none is told."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None


def storable(text: str) -> str:
    """Return a text that every database can hold: NUL and unpaired surrogates are replaced."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
