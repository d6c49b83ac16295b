"""Many requests: each asked once and recorded, tried again where that helps, never for more than may be spent."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import pytest

from relevance.llm.asking import FAILED_IN_A_ROW, Caller, Ended, Limits, problem_of
from relevance.llm.calls import Calls, UnusableRecord
from relevance.llm.client import Completion, Message, Request, Settings
from relevance.llm.cost import Budget, CostReached, Prices
from relevance.llm.openai_client import OpenAIClient
from tests.conftest import ROOT
from tests.llm.conftest import KEY, Clock
from tests.llm.stub import Handler, Stub, breaks_off, fails, hangs_up, says, sends
from tests.running import running_process
from tests.waiting import PATIENCE, until


def requests(number: int, start: int = 0) -> list[Request]:
    return [Request((Message("user", f"Question {i}"),), Settings()) for i in range(start, start + number)]


def rows(calls: Calls, columns: str, table: str = "calls") -> list[tuple[object, ...]]:
    return calls.connection.execute(f"SELECT {columns} FROM {table} ORDER BY rowid").fetchall()


@pytest.fixture
def caller(client: OpenAIClient, calls: Calls, clock: Clock) -> Caller:
    return Caller(client, calls, limits=Limits(at_once=1), clock=clock)


# --- asked once ---------------------------------------------------------------------------------------------


def test_a_request_is_asked_once_and_recorded(stub: Stub, caller: Caller, calls: Calls) -> None:
    first, again = requests(1)[0], requests(1)[0]
    answers = caller.ask([first, *requests(1, 5), again])
    assert [answer.completion.text for answer in answers if answer.completion] == ["A summary. And more."] * 3
    assert stub.questions == ["Question 0", "Question 5"]
    assert caller.ask([first])[0].recorded
    assert len(stub.requests) == 2
    assert rows(calls, "key, problem, model, finish_reason, tokens_in, tokens_out", "calls")[0] == (
        first.key(caller.client),
        None,
        "stub-1.5",
        "stop",
        30,
        7,
    )
    assert rows(calls, "key, request, model", "requests")[0] == (
        first.key(caller.client),
        f'{{"client":{{"at":"{stub.address}","model":"stub"}},"messages":[{{"content":"Question 0","role":"user"}}],'
        '"settings":{"max_tokens":128,"temperature":0.0}}',
        "stub",
    )


def test_another_model_address_setting_or_message_is_another_request(client: OpenAIClient, stub: Stub) -> None:
    request = requests(1)[0]
    other_model, other_address = OpenAIClient("other", stub.address), OpenAIClient("stub", f"{stub.address}/v2")
    keys = {
        request.key(client),
        request.key(other_model),
        request.key(other_address),
        request._replace(settings=Settings(max_tokens=5)).key(client),
        request._replace(messages=(Message("system", "Question 0"),)).key(client),
        request._replace(messages=request.messages * 2).key(client),
    }
    assert len(keys) == 6


def test_few_are_asked_at_once(stub: Stub, client: OpenAIClient, calls: Calls) -> None:
    together = Barrier(3)  # broken unless three calls are made at the same time

    def reply(handler: Handler) -> None:
        together.wait(60)
        says("A")(handler)

    stub.usual = reply
    answers = Caller(client, calls, limits=Limits(at_once=3)).ask(requests(9))
    assert all(answer.completion for answer in answers)
    assert sorted(stub.questions) == [f"Question {i}" for i in range(9)]


def test_answers_stand_in_the_order_of_requests(stub: Stub, client: OpenAIClient, calls: Calls) -> None:
    answered = Event()

    def reply(handler: Handler) -> None:
        if handler.question == "Question 0":
            answered.wait(60)
        says(handler.question)(handler)
        answered.set()

    stub.usual = reply
    answers = Caller(client, calls, limits=Limits(at_once=2)).ask(requests(2))
    assert [answer.completion.text for answer in answers if answer.completion] == ["Question 0", "Question 1"]


SCRIPT = """
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from relevance.llm.asking import Caller, Limits
from relevance.llm.calls import Calls
from relevance.llm.openai_client import OpenAIClient
from tests.llm.test_asking import requests
Caller(OpenAIClient("stub", sys.argv[1]), Calls(Path(sys.argv[2])), limits=Limits(at_once=2)).ask(requests(6))
"""


@pytest.mark.process
def test_a_killed_run_goes_on_and_asks_nothing_twice_that_was_answered(
    stub: Stub, client: OpenAIClient, tmp_path: Path
) -> None:
    path = tmp_path / "calls.db"
    child: list[subprocess.Popen[bytes]] = []
    started = Event()

    def kill(handler: Handler) -> None:
        assert started.wait(PATIENCE)
        child[0].send_signal(signal.SIGKILL)
        child[0].wait()
        hangs_up(handler)

    stub.replies.extend([says("A"), says("A"), says("A"), kill, kill])
    with running_process([sys.executable, "-c", SCRIPT, stub.address, path], cwd=ROOT) as process:
        child.append(process)
        started.set()
        assert process.wait(PATIENCE) == -signal.SIGKILL
    stub.replies.clear()
    questions = stub.questions
    calls = Calls(path)
    answered = [request for request in requests(6) if calls.answered(request.key(client))]
    assert 2 <= len(answered) <= 3  # the third answer may have been on its way
    begun = len(rows(calls, "key", "requests"))
    assert begun == len(questions)
    answers = Caller(client, calls, limits=Limits(at_once=2)).ask(requests(6))
    assert [answer.completion is not None for answer in answers] == [True] * 6
    assert len(stub.questions) == len(questions) + 6 - len(answered)
    for request in answered:
        assert stub.questions.count(request.messages[0].content) == 1
    calls.close()
    assert all(KEY.encode() not in file.read_bytes() for file in tmp_path.iterdir())


CLAIMING = """
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from relevance.llm.calls import Calls
from relevance.llm.client import Completion
calls, key = Calls(Path(sys.argv[1])), sys.argv[2]
with calls.claim(key, sys.exit):
    print("claimed", flush=True)
    if sys.stdin.readline() == "answer\\n":
        calls.connection.execute("INSERT INTO requests VALUES (?, '', '', '')", [key])
        calls.end(key, Completion("theirs", "m", "stop", 1, 1, 1.0), None)
"""


@pytest.mark.process
@pytest.mark.parametrize("answers", [True, False], ids=["answers", "is killed"])
def test_two_runs_do_not_ask_the_same(answers: bool, stub: Stub, client: OpenAIClient, calls: Calls) -> None:
    request = requests(1)[0]
    arguments = [sys.executable, "-c", CLAIMING, str(calls.path), request.key(client)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with running_process(arguments, cwd=ROOT, **pipes) as other:
        assert other.stdin
        assert other.stdout
        assert other.stdout.readline() == "claimed\n"

        class Waiting(Clock):
            def wait(self, seconds: float, stopped: Event) -> None:
                if not self.waited:
                    if answers:
                        other.communicate("answer\n")
                    else:
                        other.kill()
                        other.communicate()
                super().wait(seconds, stopped)

        clock = Waiting()
        result = Caller(client, calls, clock=clock).ask([request])[0]
    assert result.completion
    assert clock.waited
    assert (result.completion.text, result.recorded) == (
        ("theirs", True) if answers else ("A summary. And more.", False)
    )
    assert len(stub.requests) == (0 if answers else 1)


# --- tried again --------------------------------------------------------------------------------------------


def test_waits_double_and_end(stub: Stub, caller: Caller, clock: Clock, calls: Calls) -> None:
    stub.usual = fails(500, "oh")
    answer = caller.ask(requests(1))[0]
    assert answer == (None, f"{stub.address} answers 500: oh", False, None)
    assert clock.waited == [1, 2, 4, 8, 16]  # between 6 attempts
    assert rows(calls, "problem, text") == [(f"{stub.address} answers 500: oh", None)] * 6


def test_a_wait_is_at_most_a_minute(stub: Stub, client: OpenAIClient, calls: Calls, clock: Clock) -> None:
    stub.usual = hangs_up
    Caller(client, calls, limits=Limits(at_once=1, attempts=9), clock=clock).ask(requests(1))
    assert clock.waited == [1, 2, 4, 8, 16, 32, 60, 60]


def test_the_server_says_how_long_all_wait(stub: Stub, caller: Caller, clock: Clock) -> None:
    stub.replies.extend(
        [fails(429, "slow down", Retry_After="7"), fails(503, Retry_After="0"), sends(b"{"), breaks_off]
    )
    answers = caller.ask(requests(2))
    assert all(answer.completion for answer in answers)
    assert clock.waited == [7, 4, 8]  # none where it asks for none; then our own, of the third and fourth attempt
    assert stub.questions == ["Question 0"] * 5 + ["Question 1"]


def test_a_request_that_begins_meanwhile_waits_too(stub: Stub, caller: Caller, clock: Clock) -> None:
    stub.replies.append(fails(429, Retry_After="20"))
    caller.limits = Limits(at_once=1, attempts=1)
    answers = caller.ask(requests(2))
    assert [answer.completion is not None for answer in answers] == [False, True]
    assert clock.waited == [20]


def test_who_asks_for_an_hour_ends_the_run(stub: Stub, caller: Caller, clock: Clock) -> None:
    stub.replies.extend([says("A"), fails(429, "day's limit", Retry_After="3600")])
    answers = caller.ask(requests(3))
    assert [answer.completion is not None for answer in answers] == [True, False, False]
    assert "asks to wait 3600 seconds" in (answers[1].reason or "")
    assert answers[1].reason == answers[2].reason == caller.ended
    assert len(stub.requests) == 2
    assert clock.waited == []
    assert caller.ask(requests(3))[0].recorded  # what is recorded is answered all the same


def test_what_will_not_be_better_is_not_tried_again(stub: Stub, caller: Caller, clock: Clock) -> None:
    stub.replies.append(fails(400, "too long"))
    answers = caller.ask(requests(2))
    assert answers[0].reason == f"{stub.address} answers 400: too long"
    assert answers[1].completion
    assert len(stub.requests) == 2
    assert clock.waited == []


def test_a_wrong_key_is_tried_once(stub: Stub, caller: Caller) -> None:
    stub.usual = fails(401, "wrong key")
    assert {answer.reason for answer in caller.ask(requests(5))} == {f"{stub.address} answers 401: wrong key"}
    assert len(stub.requests) == 1


def test_a_dead_server_is_left_alone(stub: Stub, caller: Caller) -> None:
    caller.limits = Limits(at_once=1, attempts=1)
    stub.usual = fails(500)
    reasons = [answer.reason or "" for answer in caller.ask(requests(FAILED_IN_A_ROW + 5))]
    assert len(stub.requests) == FAILED_IN_A_ROW
    assert reasons[-1].startswith("10 requests in a row failed")


def test_an_answer_between_failures_counts_them_anew(stub: Stub, caller: Caller) -> None:
    caller.limits = Limits(at_once=1, attempts=1)
    for _ in range(3):
        stub.replies.extend([*[fails(500)] * (FAILED_IN_A_ROW - 1), says("A")])
    caller.ask(requests(3 * FAILED_IN_A_ROW))
    assert len(stub.requests) == 3 * FAILED_IN_A_ROW


def test_a_model_that_says_nothing_within_its_tokens_is_left_alone_but_not_one_that_refuses(
    stub: Stub, caller: Caller
) -> None:
    caller.limits = Limits(at_once=1)
    stub.usual = says("", finish="content_filter")
    caller.ask(requests(FAILED_IN_A_ROW + 5))
    assert len(stub.requests) == FAILED_IN_A_ROW + 5
    stub.usual = says("", finish="length")
    reasons = [answer.reason or "" for answer in caller.ask(requests(FAILED_IN_A_ROW + 5))]
    assert len(stub.requests) == 2 * FAILED_IN_A_ROW + 5
    assert "the limit of tokens was reached before any text" in reasons[-1]


# --- refusals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (says(None, refusal="I cannot\nhelp."), "refused: I cannot help."),
        (says("Some text", finish="content_filter"), "held back by the server's content filter"),
        (says(" \n", finish="length"), "empty: the limit of tokens was reached before any text"),
        (says(None, finish="tool_calls"), "empty (finish reason: tool_calls)"),
        (says("<think>So."), "only reasoning: it was not followed by an answer"),
        (says("<think>So", finish="length"), "only reasoning: the limit of tokens was reached within it"),
    ],
)
def test_what_cannot_be_used_is_recorded_and_asked_again_by_the_next_run(
    reply: object, reason: str, stub: Stub, caller: Caller, calls: Calls
) -> None:
    stub.replies.append(reply)  # type: ignore[arg-type]
    assert caller.ask(requests(1))[0].reason == reason
    assert rows(calls, "problem, tokens_in") == [(reason, 30)]
    assert len(stub.requests) == 1
    again = caller.ask(requests(1))[0]
    assert again.completion
    assert not again.recorded
    assert len(stub.requests) == 2


def test_an_answer_that_was_cut_is_one() -> None:
    assert problem_of(Completion("A summ", "m", "length", 1, 2, 0.1)) is None
    assert problem_of(Completion("<think>So.</think>A summ", "m", "length", 1, 2, 0.1)) is None


# --- cost ---------------------------------------------------------------------------------------------------

# "Question 0" has 10 bytes: at most 10 + 16 tokens in and 128 out; the stub says 30 in (its template is long), 7 out
MOST = 26 * 2 + 128 * 10
DID = 30 * 2 + 7 * 10
PRICES = Prices(2_000_000, 10_000_000)  # so that a token costs 2 in and 10 out


@pytest.mark.parametrize(
    ("most", "wanted"),
    [
        (0, 0),
        (MOST - 1, 0),
        (MOST, 1),
        (MOST + DID - 1, 1),
        (MOST + DID, 2),
        (MOST + 2 * DID, 3),
        (None, 4),
    ],
)
@pytest.mark.parametrize("at_once", [1, 4])
def test_no_call_is_made_that_could_cost_too_much(
    at_once: int, most: float | None, wanted: int, stub: Stub, client: OpenAIClient, calls: Calls
) -> None:
    budget = Budget(PRICES, most)
    caller = Caller(client, calls, limits=Limits(at_once=at_once), budget=budget)
    answers = caller.ask(requests(4))
    assert len(stub.requests) == wanted  # calls at once wait until it is known what the others cost
    assert budget.spent == wanted * DID
    assert sum(answer.completion is not None for answer in answers) == wanted
    if wanted < 4:
        assert caller.ended == f"{wanted * DID:.4g} were spent, and one more call could exceed the limit of {most:.4g}"


@pytest.mark.parametrize(
    ("reply", "spent"),
    [
        (fails(500), 0),
        (fails(401), 0),
        (hangs_up, MOST),  # nobody knows whether it was answered
        (says("A", usage=None), MOST),
        (says(None, refusal="No."), DID),
    ],
)
def test_what_may_have_been_charged_counts(reply: object, spent: float, stub: Stub, caller: Caller) -> None:
    stub.replies.append(reply)  # type: ignore[arg-type]
    caller.limits, caller.budget = Limits(at_once=1, attempts=1), Budget(PRICES)
    caller.ask(requests(1))
    assert caller.budget.spent == spent


@pytest.mark.parametrize(
    ("prices", "most"),
    [(None, 1.0), (Prices(-1, 1), None), (Prices(1, float("nan")), None), (Prices(1, 1), -1.0), (PRICES, float("nan"))],
)
def test_a_budget_is_one(prices: Prices | None, most: float | None) -> None:
    with pytest.raises(ValueError, match=r"limit of cost|prices"):
        Budget(prices, most)


def test_nothing_is_set_aside_for_what_does_not_fit() -> None:
    budget = Budget(PRICES, MOST)
    with budget.set_aside(requests(1)[0]):
        assert budget.aside == [MOST]
    with pytest.raises(CostReached), budget.set_aside(requests(1)[0]):
        pass
    assert (budget.aside, budget.spent) == ([], MOST)


def test_nothing_is_left_aside_by_rounding() -> None:
    budget = Budget(Prices(0, 100_000), 0.7)  # .1 a token; .1 + .2 + .3 - .3 - .2 - .1 is not 0
    with ExitStack() as stack:
        for tokens in (1, 2, 3):
            stack.enter_context(budget.set_aside(Request((), Settings(max_tokens=tokens)))).is_nothing()
    with pytest.raises(CostReached), budget.set_aside(Request((), Settings(max_tokens=8))):
        pass  # else it would wait for ever


def test_a_plan_asks_nothing(stub: Stub, caller: Caller) -> None:
    caller.ask(requests(1))
    plan = caller.plan([*requests(3), *requests(1)])
    assert plan == (3, 1, 2 * 3, 2 * 128, "bytes/4")  # 10 bytes: 3 tokens
    assert len(stub.requests) == 1


# --- the file -----------------------------------------------------------------------------------------------


@pytest.mark.process
def test_a_full_disk_ends_the_run_before_more_is_asked(stub: Stub, client: OpenAIClient, small_disk: Path) -> None:
    calls = Calls(small_disk / "calls.db")
    with suppress(OSError), open(small_disk / "rest", "wb", buffering=0) as rest:
        while rest.write(b"x" * 4096):
            pass
    stub.usual = says("long " * 10_000)
    with pytest.raises(UnusableRecord, match="cannot be used"):
        Caller(client, calls, limits=Limits(at_once=1)).ask(requests(9))
    assert len(stub.requests) <= 1
    calls.close()


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Ctrl-C as a terminal's programs take it: those that a shell starts in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Listening(Caller):
    """Tells when it was interrupted."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.interrupted = Event()

    def end(self, reason: str) -> Ended:
        self.interrupted.set()
        return super().end(reason)


@pytest.mark.usefixtures("interrupts")
def test_an_interrupted_run_records_what_is_on_its_way(stub: Stub, client: OpenAIClient, calls: Calls) -> None:
    def reply(handler: Handler) -> None:
        os.kill(os.getpid(), signal.SIGINT)  # Ctrl-C, while the main thread waits
        while not caller.interrupted.wait(5):  # one that comes just before it waits does not wake it
            os.kill(os.getpid(), signal.SIGINT)
        says("A")(handler)

    caller = Listening(client, calls, limits=Limits(at_once=1))
    stub.usual = reply
    with pytest.raises(KeyboardInterrupt):
        caller.ask(requests(3))
    assert len(stub.requests) == 1
    assert calls.answered(requests(1)[0].key(client))


def test_what_a_thread_asks_whose_start_was_interrupted_is_recorded(
    stub: Stub, client: OpenAIClient, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = Thread.start

    def start_interrupted(thread: Thread) -> None:
        start(thread)
        if thread.name.startswith("ThreadPoolExecutor"):
            until(lambda: stub.requests)
            raise KeyboardInterrupt

    def reply(handler: Handler) -> None:
        assert caller.interrupted.wait(PATIENCE)
        says("A")(handler)

    caller = Listening(client, calls, limits=Limits(at_once=1))
    stub.usual = reply
    monkeypatch.setattr(Thread, "start", start_interrupted)
    with pytest.raises(KeyboardInterrupt):
        caller.ask(requests(3))
    assert len(stub.requests) == 1
    assert calls.answered(requests(1)[0].key(client))


def test_other_files_are_no_records(tmp_path: Path, sqlite_url: str) -> None:
    database = Path(sqlite_url.removeprefix("sqlite:///"))
    with pytest.raises(UnusableRecord, match="is not a record of calls"):
        Calls(database)
    text = tmp_path / "text"
    text.write_text("not a database" * 100)
    with pytest.raises(UnusableRecord, match="not a database"):
        Calls(text)
    with pytest.raises(UnusableRecord, match="cannot be used"):
        Calls(tmp_path / "no" / "folder")
    newer = tmp_path / "newer.db"
    Calls(newer).close()
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(UnusableRecord, match="another version"):
        Calls(newer)
