"""A client of the stub of a server, and a clock of the test's own."""

from threading import Event

import pytest

from relevance.llm.openai_client import KEY_VARIABLE, OpenAIClient
from tests.llm.stub import Stub

KEY = "sk-test-0123456789abcdef"


class Clock:
    """A clock that moves when somebody waits."""

    def __init__(self) -> None:
        self.time = 0.0
        self.waited: list[float] = []

    def now(self) -> float:
        return self.time

    def wait(self, seconds: float, stopped: Event) -> None:
        self.waited.append(seconds)
        self.time += seconds


@pytest.fixture
def client(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> OpenAIClient:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):  # nobody listens there
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    return OpenAIClient("stub", stub.address)


@pytest.fixture
def clock() -> Clock:
    return Clock()
