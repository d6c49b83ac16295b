"""What a client of a language model is: messages and settings in, a completion out."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple, Protocol

from data.one_line import in_one_line

ROLES = ("system", "user", "assistant")


class Message(NamedTuple):
    """One turn of a conversation."""

    role: str
    """One of `ROLES`."""
    content: str


@dataclass(frozen=True)
class Settings:
    """How a model is to answer. Raises ValueError for what no model can do."""

    max_tokens: int = 128
    """Tokens of the answer, at most."""
    temperature: float | None = 0.0
    """0 takes the likeliest token each time; None leaves it to the server, where a model refuses to be told."""
    top_p: float | None = None
    seed: int | None = None
    """Of sampling; servers promise no more than to try to answer alike."""

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ValueError(f"an answer has at least 1 token, not {self.max_tokens}")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise ValueError(f"a temperature lies between 0 and 2, not at {self.temperature}")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise ValueError(f"top-p lies above 0 and is at most 1, not {self.top_p}")

    @property
    def given(self) -> dict[str, int | float]:
        """Those that are set, by name, as a request has them."""
        return {name: value for name, value in asdict(self).items() if value is not None}


class Completion(NamedTuple):
    """What a model answered."""

    text: str
    """As it came, which may be empty."""
    model: str
    """The model that says it answered, such as `gpt-4o-mini-2024-07-18` where `gpt-4o-mini` was asked."""
    finish_reason: str
    """`stop` where the model ended, `length` at the limit of tokens, `content_filter`, or another word of a server."""
    tokens_in: int | None
    """Tokens of the messages; None where the server does not tell."""
    tokens_out: int | None
    """Tokens of the answer; None where the server does not tell."""
    seconds: float
    """From asking to the whole answer."""
    refusal: str | None = None
    """Why the model would not answer, in its words."""


class CallFailed(ValueError):
    """A call came to no completion; the message says why, in one line."""

    def __init__(self, reason: str, *, again: bool = False, after: float | None = None, charged: bool = False) -> None:
        super().__init__(reason)
        self.again = again
        """Whether the same call may succeed later."""
        self.after = after
        """Seconds that the server asks to wait before the next call."""
        self.charged = charged
        """Whether it may have to be paid for: the request was sent, and what came of it is not known."""


class CallsRefused(ValueError):
    """No call at all will succeed: the key is wrong, the model unknown, the account empty. The message says which."""


class TokenCounter(Protocol):
    """Counts the tokens of texts, and cuts texts to so many."""

    @property
    def name(self) -> str:
        """How it counts, as signatures say it: `tokenizer` for the model's own, `bytes/4` for an estimate."""

    def count(self, text: str) -> int:
        """How many tokens a text has."""

    def cut(self, text: str, most: int) -> str:
        """Return the beginning of a text that has at most so many tokens: all of it where it has no more."""


class Client(Protocol):
    """A language model that can be asked, at an address or in a local folder."""

    @property
    def model(self) -> str:
        """The model that is asked, as people name it."""

    @property
    def identity(self) -> Mapping[str, str]:
        """All that its answers depend on besides messages and settings, by name: part of signatures and cache keys.

        Such as `model` and `at` (the address), or `model`, `weights` (a SHA-256) and `dtype`. No value is a secret.
        """

    @property
    def tokens(self) -> TokenCounter:
        """What counts its tokens."""

    def complete(self, messages: Sequence[Message], settings: Settings) -> Completion:
        """Ask once; nothing is tried again.

        Several threads may ask at once: a client that can answer only one takes a lock of its own. Raises `CallFailed`
        where this call came to nothing, `CallsRefused` where every other one will, too.
        """


def check_identity(client: Client) -> None:
    """Raise ValueError where what a client asks has a name that cannot stand in a signature."""
    for value in client.identity.values():
        if "|" in value or in_one_line(value) != value:
            raise ValueError(f"{value!r} has characters that the name of a model or an address has not")


class Request(NamedTuple):
    """A question to a model: equal requests to equal clients need be asked only once."""

    messages: tuple[Message, ...]
    settings: Settings

    def canonical(self, client: Client) -> str:
        """Return the request as JSON, always written alike: who is asked, what, and with which settings."""
        whole = {
            "client": dict(client.identity),
            "messages": [message._asdict() for message in self.messages],
            "settings": self.settings.given,
        }
        return json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    def key(self, client: Client) -> str:
        """Return the SHA-256 of `canonical`, in hexadecimal: under it the answer is kept."""
        return hashlib.sha256(self.canonical(client).encode()).hexdigest()
