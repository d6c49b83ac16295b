"""The interface of clients of language models: messages and settings in, a completion out."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Protocol

from relevance.data.model_answers import find_answer
from relevance.data.one_line import in_one_line

ROLES = ("system", "user", "assistant")


class Message(NamedTuple):
    """A turn of a conversation."""

    role: str
    """One of `ROLES`."""
    content: str


@dataclass(frozen=True)
class Settings:
    """The settings of an answer. Raises ValueError for impossible ones."""

    max_tokens: int = 128
    """The most tokens of the answer."""
    temperature: float | None = 0.0
    """0 takes the most likely token each time; None leaves it to the server, for models that refuse a setting."""
    top_p: float | None = None
    seed: int | None = None
    """The seed of sampling; servers only try to make answers repeatable."""

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ValueError(f"an answer has at least 1 token, not {self.max_tokens}")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise ValueError(f"a temperature is between 0 and 2, not {self.temperature}")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise ValueError(f"top-p is above 0 and at most 1, not {self.top_p}")

    @property
    def given(self) -> dict[str, int | float]:
        """The settings that are not None, by name, as a request has them."""
        return {name: value for name, value in asdict(self).items() if value is not None}


class Completion(NamedTuple):
    """A model's answer."""

    text: str
    """The text as received, which may be empty."""
    model: str
    """The model that says it answered, such as `gpt-4o-mini-2024-07-18` when `gpt-4o-mini` was asked."""
    finish_reason: str
    """`stop` if the model ended, `length` at the limit of tokens, `content_filter`, or another word of a server."""
    tokens_in: int | None
    """The tokens of the messages; None if the server does not say."""
    tokens_out: int | None
    """The tokens of the answer; None if the server does not say."""
    seconds: float
    """The time from the request to the complete answer."""
    refusal: str | None = None
    """The reason why the model refused to answer, in its words."""

    @property
    def answer(self) -> str:
        """The text without the model's reasoning and marks around the answer (`find_answer`)."""
        return find_answer(self.text)


class Problem(NamedTuple):
    """The reason why an answer cannot be used."""

    reason: str
    alike: bool = False
    """True if the answers to other requests are probably unusable, too, as that is no matter of one text."""


class CallFailed(ValueError):
    """A call gave no completion; the message says why, in one line."""

    def __init__(self, reason: str, *, again: bool = False, after: float | None = None, charged: bool = False) -> None:
        super().__init__(reason)
        self.again = again
        """True if the same call may succeed later."""
        self.after = after
        """The seconds that the server asks to wait before the next call."""
        self.charged = charged
        """True if the call may have to be paid for: the request was sent, and its result is unknown."""


class CallsRefused(ValueError):
    """No call at all will succeed: the key is wrong, the model unknown, the account empty. The message says which."""


class TokenCounter(Protocol):
    """The interface of token counters, which also cut texts to a number of tokens."""

    @property
    def name(self) -> str:
        """The way of counting, for signatures: `tokenizer` for the model's own, `bytes/4` for an estimate."""

    def count(self, text: str) -> int:
        """Return the number of tokens of a text."""

    def cut(self, text: str, most: int) -> str:
        """Return the beginning of a text with at most `most` tokens, or all of it if it has no more."""


class Client(Protocol):
    """The interface of language models, at an address or in a local folder."""

    @property
    def model(self) -> str:
        """The name of the model that is asked."""

    @property
    def identity(self) -> Mapping[str, str]:
        """All that its answers depend on besides messages and settings, by name: part of signatures and cache keys.

        For example `model` and `at` (the address), or `model`, `weights` (a SHA-256) and `dtype`. No value is a secret.
        """

    @property
    def tokens(self) -> TokenCounter:
        """The counter of its tokens."""

    def complete(
        self, messages: Sequence[Message], settings: Settings, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """Ask once, without retries; the answer has the JSON schema, if one is given and the model can be bound to it.

        Several threads may ask at once: a client that can answer only one needs a lock of its own. Raises `CallFailed`
        if this call gave nothing, `CallsRefused` if every other one will fail, too.
        """


def check_identity(client: Client) -> None:
    """Refuse a client whose identity cannot be part of a signature. Raises ValueError."""
    for value in client.identity.values():
        if "|" in value or in_one_line(value) != value:
            raise ValueError(f"{value!r} has characters that names of models and addresses must not have")


class Request(NamedTuple):
    """A question to a model: equal requests to equal clients need be asked only once."""

    messages: tuple[Message, ...]
    settings: Settings
    schema: Mapping[str, Any] | None = None
    """The JSON schema of the answer, where the server offers that."""

    def canonical(self, client: Client) -> str:
        """Return the request as canonical JSON: client, messages, settings, and the schema if there is one."""
        whole: dict[str, Any] = {
            "client": dict(client.identity),
            "messages": [message._asdict() for message in self.messages],
            "settings": self.settings.given,
        }
        if self.schema is not None:
            whole["schema"] = self.schema
        return json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    def key(self, client: Client) -> str:
        """Return the hexadecimal SHA-256 of `canonical`, under which the answer is recorded."""
        return hashlib.sha256(self.canonical(client).encode()).hexdigest()
