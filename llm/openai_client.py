"""A client of any server with OpenAI's protocol: OpenAI's own, or vLLM, llama.cpp, Ollama and others."""

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

from relevance.data.distribution import how_to_install
from relevance.data.one_line import cut, in_one_line
from relevance.llm.client import CallFailed, CallsRefused, Completion, Message, Settings
from relevance.llm.tokens import EstimatedTokens

if TYPE_CHECKING:
    from openai import APIConnectionError, APIStatusError

KEY_VARIABLE = "OPENAI_API_KEY"

SECRET = 16
"""The length of the shortest key that is removed from texts: shorter ones are words such as EMPTY, for servers that
need no key, and may occur in a text."""

OPENAI = "https://api.openai.com/v1"

SECONDS = 300.0
"""The seconds for an answer: long ones of large models take minutes."""

CONNECTING = 10.0
"""The seconds for a connection."""

NOT_TAKEN = frozenset({400, 415, 422, 501})
"""The statuses with which servers refuse a schema, among other things."""

MOST = 300
"""The most characters of a server's message on a failure."""


class UnusableAddress(ValueError):
    """The address cannot be used; the message says why."""


class ClientUnavailable(ValueError):
    """The package for calls to servers is not installed."""


class OpenAIClient:
    """A client of a model at an address, with the package `openai`.

    The key is read from the environment (`OPENAI_API_KEY`), sent to this address alone and stored nowhere; if a server
    repeats it, it is removed. No redirect is followed, and an address on this machine is asked directly, whatever
    proxies the environment names. The bytes and seconds of an answer are bounded. Nothing is retried here:
    `relevance.llm.asking` does that.

    Args:
        model: the server's name of the model.
        address: the server's address, such as `http://127.0.0.1:8000/v1`, without user, password, query or fragment.
        now: a clock in seconds, which never goes back.
        needs_key: True to refuse OpenAI's address without a key, for clients that will make calls.

    Raises:
        UnusableAddress: if the address is invalid, or a key would be sent to another machine unencrypted.
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

            from relevance.llm.answer_limits import bound_answers
        except ModuleNotFoundError as error:
            raise ClientUnavailable(f"{error.name} is not installed: {how_to_install('llm')}") from error
        self.model, self.address, self.now = model, check_address(address), now
        self.tokens = EstimatedTokens()
        self.takes_schemas = True
        """Whether the server may bind an answer to a JSON schema: until it refuses one."""
        self.key = read_key(self.address, needed=needs_key)
        try:
            http_client = httpx2.Client(
                timeout=httpx2.Timeout(SECONDS, connect=CONNECTING),
                follow_redirects=False,
                trust_env=not is_here(self.address),
                event_hooks={"response": [bound_answers(SECONDS, now)]},
            )
        except ImportError as error:  # the library for the environment's proxies is missing
            raise ClientUnavailable(str(error)) from error
        self.server = openai.OpenAI(
            api_key=self.key or "none",  # ignored by a server that needs no key
            base_url=self.address,
            max_retries=0,
            default_headers={"Accept-Encoding": "identity"},
            http_client=http_client,
        )

    @property
    def identity(self) -> Mapping[str, str]:
        """The model and the address.

        The address is part of it: the same name at another address may be another quantisation or chat template, or
        another model altogether, and no answer shows it.
        """
        return {"model": self.model, "at": self.address}

    def complete(
        self, messages: Sequence[Message], settings: Settings, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """Ask once, and again without the schema if the server takes none. Raises `CallFailed`, `CallsRefused`."""
        from openai import APIConnectionError, APIStatusError

        bound = schema is not None and self.takes_schemas
        body: dict[str, Any] = {"messages": [message._asdict() for message in messages], **self.named(settings)}
        if bound:
            body["response_format"] = response_format(schema)
        began = self.now()
        try:
            answer = self.server.chat.completions.with_raw_response.create(model=self.model, **body)
        except APIStatusError as error:
            if bound and error.status_code in NOT_TAKEN:
                completion = self.complete(messages, settings)
                self.takes_schemas = False  # as the same is answered without one
                return completion
            raise self.failed(error) from None  # the error's response contains the request, and so the key
        except APIConnectionError as error:
            raise not_connected(error) from None
        return self.read(answer.http_response.content, self.now() - began)

    def named(self, settings: Settings) -> dict[str, Any]:
        """Return the settings by this server's names: OpenAI has renamed its limit of tokens, others have not."""
        given: dict[str, Any] = settings.given
        if self.address == OPENAI:
            given["max_completion_tokens"] = given.pop("max_tokens")
        return given

    def clean(self, text: str) -> str:
        """Return a text fit for storage: without the key, in case a server repeats it, and valid for every database."""
        if len(self.key) >= SECRET:
            text = text.replace(self.key, "[key]")
        return storable(text)

    def read(self, content: bytes, seconds: float) -> Completion:
        """Read an answer. Raises `CallFailed` if it is none."""
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
            raise CallFailed("the answer does not follow the protocol", again=True, charged=True) from None

    def failed(self, error: APIStatusError) -> CallFailed | CallsRefused:
        """Return the meaning of an error status: this call failed, or all will."""
        status, code, body = error.status_code, error.code, error.body
        message = body.get("message") if isinstance(body, dict) else None
        text = cut(self.clean(message), MOST) if isinstance(message, str) else ""
        reason = f"{self.address} answers {status}{f': {text}' if text else ''}"
        if 300 <= status < 400:
            target = cut(self.clean(error.response.headers.get("location", "another address")), MOST)
            return CallsRefused(f"{self.address} redirects to {target}: if that is right, use it as the address")
        if status in {401, 402, 404} or code in {"insufficient_quota", "invalid_api_key", "model_not_found"}:
            return CallsRefused(reason)
        again = status in {408, 409, 429} or status >= 500
        return CallFailed(reason, again=again, after=retry_after(error.response.headers, datetime.now(UTC)))


def response_format(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the parameter that asks for an answer with a JSON schema."""
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def check_address(address: str) -> str:
    """Return an address in canonical form: no final slash, host in lower case. Raises `UnusableAddress`."""
    shown = cut(address, MOST)
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise UnusableAddress(f"{shown} is not an address: {error}") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UnusableAddress(f"{shown} is not an address: it begins with http:// or https:// and a host")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise UnusableAddress(f"an address has no user, password, query or fragment; set the key in {KEY_VARIABLE}")
    if in_one_line(address) != address or not address.isascii() or set(address) & set(' |"<>\\^`{}'):
        raise UnusableAddress(f"{shown} is not an address: it has characters that no address has")
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
    """Return the key of the environment, or "". Raises `UnusableAddress` if it is needed or cannot be sent."""
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if needed and not key and address == OPENAI:
        raise UnusableAddress(f"{OPENAI} needs a key: set {KEY_VARIABLE}, or use another address (--base-url)")
    if not key.isascii() or not key.isprintable():
        raise UnusableAddress(f"{KEY_VARIABLE} contains characters that no key has")
    if key and address.startswith("http:") and not is_here(address):
        raise UnusableAddress(f"the key would be sent to {address} unencrypted: use https, or unset {KEY_VARIABLE}")
    return key


def not_connected(error: APIConnectionError) -> CallFailed:
    """Return the meaning of a failed connection: a request that was sent may have to be paid for."""
    from httpx2 import ConnectError, ConnectTimeout, TimeoutException

    cause = error.__cause__
    if isinstance(cause, ConnectError | ConnectTimeout):
        return CallFailed(f"no connection: {cut(str(cause), MOST)}", again=True)
    what = "no answer in time" if isinstance(cause, TimeoutException) else "the connection broke"
    return CallFailed(f"{what}: {cut(str(cause), MOST)}", again=True, charged=True)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that a server asks to wait, given as a number or a date; None if it does not ask."""
    wait = headers.get("retry-after", "")
    try:
        seconds = float(wait)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(wait) - now).total_seconds()
        except (ValueError, TypeError):  # no date, or one without a zone
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def count(value: object) -> int | None:
    """Return a number of tokens, None if it is not a valid one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None


def storable(text: str) -> str:
    """Return a text that every database can store: NUL and unpaired surrogates are replaced."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
