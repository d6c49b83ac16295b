"""The client of OpenAI's protocol against a server: what it sends, what it reads, what it refuses."""

import gzip
import itertools
import json
import logging
from datetime import UTC, datetime

import pytest

from relevance.llm.client import CallFailed, CallsRefused, Message, Settings
from relevance.llm.openai_client import (
    KEY_VARIABLE,
    ClientUnavailable,
    OpenAIClient,
    UnusableAddress,
    check_address,
    is_here,
    retry_after,
)
from tests.llm.conftest import KEY
from tests.llm.stub import Stub, breaks_off, completion, fails, hangs_up, says, sends

QUESTION = [Message("user", "What is it?")]


def test_messages_and_settings_go_out_and_a_completion_comes_back(stub: Stub, client: OpenAIClient) -> None:
    answer = client.complete(QUESTION, Settings(max_tokens=9, temperature=0.5, top_p=0.9, seed=3))
    assert answer[:5] == ("A summary. And more.", "stub-1.5", "stop", 30, 7)
    assert answer.seconds > 0
    assert stub.requests == [
        {
            "model": "stub",
            "messages": [{"role": "user", "content": "What is it?"}],
            "max_tokens": 9,
            "temperature": 0.5,
            "top_p": 0.9,
            "seed": 3,
        }
    ]
    assert stub.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert stub.headers[0]["Accept-Encoding"] == "identity"


def test_what_is_not_set_is_not_sent(stub: Stub, client: OpenAIClient) -> None:
    client.complete(QUESTION, Settings(temperature=None))
    assert set(stub.requests[0]) == {"model", "messages", "max_tokens"}


def test_openai_is_told_its_own_name_for_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    assert OpenAIClient("m").named(Settings(max_tokens=5)) == {"max_completion_tokens": 5, "temperature": 0.0}


@pytest.mark.parametrize(
    ("reply", "text", "finish", "refusal"),
    [
        (says(None, refusal="I will not."), "", "stop", "I will not."),
        (says("A", finish="length"), "A", "length", None),
        (says("", finish="content_filter"), "", "content_filter", None),
        (says("\x1b[31m<b>red</b>\u202e"), "\x1b[31m<b>red</b>\u202e", "stop", None),  # text, whatever it looks like
        (says("nul \0 and \ud800"), "nul \ufffd and ?", "stop", None),  # which no database holds
    ],
)
def test_answers_are_read_as_text(
    reply: object, text: str, finish: str, refusal: str | None, stub: Stub, client: OpenAIClient
) -> None:
    stub.usual = reply  # type: ignore[assignment]
    answer = client.complete(QUESTION, Settings())
    assert (answer.text, answer.finish_reason, answer.refusal) == (text, finish, refusal)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": True, "completion_tokens": -1}, {"prompt_tokens": "9"}])
def test_tokens_that_are_not_told_are_unknown_and_not_0(usage: object, stub: Stub, client: OpenAIClient) -> None:
    stub.usual = says("A", usage=usage)
    answer = client.complete(QUESTION, Settings())
    assert (answer.tokens_in, answer.tokens_out) == (None, None)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not JSON",
        b"\xff\xfe",
        b"[]",
        b'{"choices": []}',
        b'{"choices": [{"message": "A"}]}',
        b"[" * 100_000,
        completion(["a", "list"]),
        completion("A", refusal=7),
        completion("A", usage=[1]),
        completion("A", choices={"0": 1}),
    ],
)
def test_what_is_no_completion_is_a_failure_that_may_have_been_paid_for(
    content: bytes | dict[str, object], stub: Stub, client: OpenAIClient
) -> None:
    stub.usual = sends(content if isinstance(content, bytes) else json.dumps(content).encode())
    with pytest.raises(CallFailed, match="does not follow the protocol") as caught:
        client.complete(QUESTION, Settings())
    assert caught.value.again
    assert caught.value.charged


@pytest.mark.parametrize(
    ("reply", "message", "again", "after", "charged"),
    [
        (fails(429, "slow down", Retry_After="7"), "answers 429: slow down", True, 7.0, False),
        (fails(503, "busy"), "answers 503: busy", True, None, False),
        (fails(500), "answers 500$", True, None, False),
        (sends(b"<html>oh</html>", 502), "answers 502$", True, None, False),
        (fails(400, "too long"), "answers 400: too long", False, None, False),
        (hangs_up, "the connection broke", True, None, True),
        (breaks_off, "the connection broke", True, None, True),
    ],
)
def test_failures_say_what_helps(
    reply: object, message: str, again: bool, after: float | None, charged: bool, stub: Stub, client: OpenAIClient
) -> None:
    stub.usual = reply  # type: ignore[assignment]
    with pytest.raises(CallFailed, match=message) as caught:
        client.complete(QUESTION, Settings())
    assert (caught.value.again, caught.value.after, caught.value.charged) == (again, after, charged)
    assert len(stub.requests) == 1  # trying again is not the client's business


@pytest.mark.parametrize(
    "reply",
    [
        fails(401, "wrong key"),
        fails(402, "no money"),
        fails(404, "no such model"),
        fails(429, "empty", code="insufficient_quota"),
    ],
)
def test_what_fails_for_every_call_is_told_apart(reply: object, stub: Stub, client: OpenAIClient) -> None:
    stub.usual = reply  # type: ignore[assignment]
    with pytest.raises(CallsRefused, match=r"answers 4\d\d: "):
        client.complete(QUESTION, Settings())


def test_nobody_there_costs_nothing(stub: Stub, client: OpenAIClient) -> None:
    stub.shutdown()
    stub.server_close()
    with pytest.raises(CallFailed, match="no connection") as caught:
        client.complete(QUESTION, Settings())
    assert caught.value.again
    assert not caught.value.charged


def test_an_address_on_this_machine_is_asked_directly_whatever_proxies_there_are(
    stub: Stub, client: OpenAIClient
) -> None:
    client.complete(QUESTION, Settings())  # the proxies of the fixture answer nothing
    assert len(stub.requests) == 1


def test_a_proxy_of_another_kind_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    with pytest.raises(ClientUnavailable, match="SOCKS"):
        OpenAIClient("m", "https://example.org/v1")


# --- bounds -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [200, 500])
def test_a_huge_answer_is_not_read_to_its_end(status: int, stub: Stub, client: OpenAIClient) -> None:
    stub.usual = sends(b" " * (3 * 1024 * 1024), status)
    with pytest.raises(CallFailed, match="over 1,048,576 bytes"):
        client.complete(QUESTION, Settings())


def test_a_packed_answer_is_refused_before_it_is_unpacked(stub: Stub, client: OpenAIClient) -> None:
    stub.usual = sends(gzip.compress(b" " * 10**7), Content_Encoding="gzip")
    with pytest.raises(CallFailed, match="compressed"):
        client.complete(QUESTION, Settings())


def test_an_answer_that_trickles_is_given_up(stub: Stub, client: OpenAIClient) -> None:
    seconds = itertools.count(0, 301)  # 0: asked, 301: answer begins and has 300 seconds, 602: its first part
    late = OpenAIClient("stub", stub.address, now=lambda: next(seconds))
    with pytest.raises(CallFailed, match="not whole in time") as caught:
        late.complete(QUESTION, Settings())
    assert caught.value.again
    assert caught.value.charged


# --- the key ------------------------------------------------------------------------------------------------


def test_a_redirect_is_not_followed(stub: Stub, client: OpenAIClient) -> None:
    stub.usual = sends(b"", 307, Location="http://localhost:9/v1/chat/completions")
    with pytest.raises(CallsRefused, match="redirects to http://localhost:9/v1/chat/completions"):
        client.complete(QUESTION, Settings())
    assert len(stub.requests) == 1


def test_the_key_is_in_no_message_log_or_answer(
    stub: Stub, client: OpenAIClient, caplog: pytest.LogCaptureFixture
) -> None:
    stub.replies.extend([fails(400, f"your key is {KEY}\x1b[2J"), fails(401, KEY), hangs_up, says(f"It is {KEY}.")])
    notes = []
    with caplog.at_level(logging.DEBUG):
        for _ in range(3):
            with pytest.raises((CallFailed, CallsRefused)) as caught:
                client.complete(QUESTION, Settings())
            notes.append(f"{caught.value} {caught.value.__cause__}")
            assert caught.value.__suppress_context__
        notes.append(client.complete(QUESTION, Settings()).text)
    assert notes[0].startswith(f"{stub.address} answers 400: your key is [key][U+001B]")
    assert notes[3] == "It is [key]."
    assert KEY not in "".join(notes) + caplog.text + str(client.identity)


def test_a_key_in_other_letters_is_the_key(stub: Stub, client: OpenAIClient) -> None:
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
    stub.usual = sends(json.dumps(completion("It is X.", model="X")).replace("X", escaped).encode())
    answer = client.complete(QUESTION, Settings())
    assert (answer.text, answer.model) == ("It is [key].", "[key]")


def test_a_word_that_stands_for_a_key_stays_a_word(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "EMPTY")
    stub.usual = says("An EMPTY set.")
    assert OpenAIClient("m", stub.address).complete(QUESTION, Settings()).text == "An EMPTY set."
    assert stub.headers[0]["Authorization"] == "Bearer EMPTY"


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("ftp://host/v1", "http:// or https://"),
        ("host/v1", "http:// or https://"),
        ("http://", "http:// or https://"),
        ("file:///etc/passwd", "http:// or https://"),
        ("https://me:secret@host/v1", "no user, password"),
        ("https://host/v1?key=secret", "no user, password"),
        ("https://host/v1#x", "no user, password"),
        ("https://host:99999/v1", "not an address"),
        ("https://ho|st/v1", "characters"),
        ("https://host/v1\n", "characters"),
        ("https://hóst/v1", "characters"),
        ("https://[::1/v1", "not an address"),
    ],
)
def test_addresses_that_are_none(address: str, why: str) -> None:
    with pytest.raises(UnusableAddress, match=why) as caught:
        check_address(address)
    assert "secret" not in str(caught.value)


def test_an_address_has_one_form() -> None:
    assert check_address("HTTP://Host:8000/v1/") == "http://host:8000/v1"
    assert check_address("http://[::1]:8000/v1") == "http://[::1]:8000/v1"
    assert [is_here(f"http://{host}/v1") for host in ("localhost", "127.0.0.2", "[::1]", "127.0.0.1.evil.com")] == [
        True,
        True,
        True,
        False,
    ]


def test_a_key_goes_nowhere_unencrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with pytest.raises(UnusableAddress, match="unencrypted"):
        OpenAIClient("m", "http://example.org/v1")
    monkeypatch.setenv(KEY_VARIABLE, "bad\nkey")
    with pytest.raises(UnusableAddress, match="characters that no key has") as caught:
        OpenAIClient("m", "https://example.org/v1")
    assert "bad" not in str(caught.value)
    monkeypatch.delenv(KEY_VARIABLE)
    with pytest.raises(UnusableAddress, match=f"set {KEY_VARIABLE}"):
        OpenAIClient("m")


# --- Retry-After --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "seconds"),
    [
        ("0", 0.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("Wed, 21 Oct 2026 07:28:30 GMT", 30.0),
        ("Wed, 21 Oct 2026 07:00:00 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("inf", None),
        ("nan", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(wanted: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": wanted}, datetime(2026, 10, 21, 7, 28, tzinfo=UTC)) == seconds
