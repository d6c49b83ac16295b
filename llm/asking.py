"""Many requests to one model: few at once, each once, tried again where that helps, within a budget."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition, Event, Lock
from typing import NamedTuple, Protocol

from data.one_line import cut, message
from llm.calls import Calls
from llm.client import CallFailed, CallsRefused, Client, Completion, Request
from llm.cost import Budget, CostReached

POLL = 0.2
"""Seconds between two looks at whether another run has its answer."""

FAILED_IN_A_ROW = 10
"""Requests that come to nothing, one after the other, after which no more are made."""


@dataclass(frozen=True)
class Limits:
    """How a server is treated. Raises ValueError for what is no limit."""

    at_once: int = 4
    """Calls at the same time."""
    attempts: int = 6
    """Calls for one request, at most."""
    first_wait: float = 1.0
    """Seconds before the second attempt; each further wait is twice as long."""
    longest_wait: float = 60.0
    """Seconds that doubling leads to, at most."""
    patience: float = 300.0
    """Seconds that a server may ask to wait; where it asks for more, the run ends."""

    def __post_init__(self) -> None:
        if self.at_once < 1 or self.attempts < 1:
            raise ValueError("at least 1 call is made at once, and at least 1 for a request")


class Clock(Protocol):
    """Time, of which tests have their own."""

    def now(self) -> float:
        """Seconds since whenever; never less than before."""

    def wait(self, seconds: float, stopped: Event) -> None:
        """Wait so many seconds, or until the event is set."""


class RealClock:
    """The time of the machine."""

    def now(self) -> float:
        """Seconds since whenever."""
        return time.monotonic()

    def wait(self, seconds: float, stopped: Event) -> None:
        """Wait."""
        stopped.wait(seconds)


class Answer(NamedTuple):
    """What came of a request."""

    completion: Completion | None
    """An answer that can be used."""
    reason: str | None = None
    """Why there is none."""
    recorded: bool = False
    """Whether it was asked before."""


class Plan(NamedTuple):
    """What requests would take."""

    requests: int
    recorded: int
    """Requests whose answers are recorded, which take nothing."""
    tokens_in: int
    """Tokens to send, as the client counts them: see `counted`."""
    tokens_out: int
    """Tokens of the answers, at most."""
    counted: str
    """`TokenCounter.name` of the client."""


class Ended(ValueError):
    """The run makes no more calls."""


class Caller:
    """Asks a client.

    An answer is recorded before anything else is done with it, and a request that is recorded with an answer is not
    made again. Refusals, empty answers and failures are recorded with their reason, and tried again by the next run.
    The run ends for good (`ended`), and answers no more than what is recorded, when no call can succeed any more, when
    the next one could exceed the budget, when `FAILED_IN_A_ROW` requests came to nothing, and when the server asks to
    wait longer than `Limits.patience`.
    """

    def __init__(
        self,
        client: Client,
        calls: Calls,
        *,
        limits: Limits | None = None,
        budget: Budget | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.client, self.calls = client, calls
        self.limits, self.budget, self.clock = limits or Limits(), budget or Budget(), clock or RealClock()
        self.ended: str | None = None
        """Why no more calls are made; None as long as they are."""
        self.stopped = Event()
        self.lock = Lock()
        self.not_before = self.clock.now()
        self.failed = 0
        self.under_way = 0
        """Requests that are being answered."""
        self.moved = Condition()
        """Held while that changes."""

    def plan(self, requests: Sequence[Request]) -> Plan:
        """What asking these would take; nothing is asked."""
        by_key = {request.key(self.client): request for request in requests}
        open_ = [request for key, request in by_key.items() if self.calls.answered(key) is None]
        sent = (self.client.tokens.count(message.content) for request in open_ for message in request.messages)
        return Plan(
            len(by_key),
            len(by_key) - len(open_),
            sum(sent),
            sum(request.settings.max_tokens for request in open_),
            self.client.tokens.name,
        )

    def ask(self, requests: Sequence[Request]) -> list[Answer]:
        """Ask and wait for all answers, in the order of the requests.

        When this is interrupted, calls that are being made are awaited and recorded: they are paid for. Raises
        `UnusableRecord` as soon as an answer cannot be kept.
        """
        keys = [request.key(self.client) for request in requests]
        by_key = dict(zip(keys, requests, strict=True))
        pool = ThreadPoolExecutor(self.limits.at_once)
        try:
            futures = {key: pool.submit(self.answer, key, request) for key, request in by_key.items()}
            answers = {key: future.result() for key, future in futures.items()}
        except BaseException:
            self.end("stopped")
            raise
        finally:
            pool.shutdown()
            # A thread whose start was interrupted works, and the pool does not know of it.
            with self.moved:
                self.moved.wait_for(lambda: not self.under_way)
        return [answers[key] for key in keys]

    def answer(self, key: str, request: Request) -> Answer:
        """Return the answer to one request, from the record where it is there."""
        with self.counted():
            try:
                if found := self.calls.answered(key):
                    return Answer(found, recorded=True)
                with self.calls.claim(key, lambda: self.wait(POLL)):
                    if found := self.calls.answered(key):
                        return Answer(found, recorded=True)
                    return self.try_again(key, request)
            except Ended as ended:
                return Answer(None, str(ended))

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count a request among those that are being answered."""
        with self.moved:
            self.under_way += 1
        try:
            yield
        finally:
            with self.moved:
                self.under_way -= 1
                self.moved.notify_all()

    def try_again(self, key: str, request: Request) -> Answer:
        """Ask until there is an answer, or asking again would not help. Raises `Ended`."""
        reason = ""
        for attempt in range(self.limits.attempts):
            try:
                completion, problem = self.call(key, request)
            except CallFailed as failed:
                reason = str(failed)
                if failed.after is not None:
                    self.put_off(failed.after, reason)
                if not failed.again:
                    break
                if failed.after is None and attempt + 1 < self.limits.attempts:
                    self.wait(min(self.limits.first_wait * 2**attempt, self.limits.longest_wait))
            else:
                if problem and completion.finish_reason == "length":
                    reason = problem  # other texts would fare no better, while a refusal is of one text
                    break
                with self.lock:
                    self.failed = 0
                return Answer(None, problem) if problem else Answer(completion)
        with self.lock:
            self.failed += 1
            in_a_row = self.failed
        if in_a_row >= FAILED_IN_A_ROW:
            self.end(f"{in_a_row} requests in a row came to nothing, the last one as {reason}")
        return Answer(None, reason)

    def call(self, key: str, request: Request) -> tuple[Completion, str | None]:
        """Call once and record what comes of it: an answer, and why it cannot be used. Raises `CallFailed`, `Ended`."""
        while (left := self.not_before - self.clock.now()) > 0:
            self.wait(left)
        try:
            with self.budget.set_aside(request) as payment:
                if self.ended:  # while others were awaited
                    payment.is_nothing()
                    raise Ended(self.ended)
                self.calls.begin(self.client, request)
                try:
                    completion = self.client.complete(request.messages, request.settings)
                except (CallFailed, CallsRefused) as failed:
                    self.calls.end(key, None, message(failed))
                    if not isinstance(failed, CallFailed) or not failed.charged:
                        payment.is_nothing()
                    raise
                problem = problem_of(completion)
                self.calls.end(key, completion, problem)
                payment.is_for(completion)
                return completion, problem
        except (CallsRefused, CostReached) as error:
            raise self.end(str(error)) from error

    def put_off(self, seconds: float, reason: str) -> None:
        """Make no calls, of whichever request, for so many seconds, as the server asks. Raises `Ended`."""
        if seconds > self.limits.patience:
            raise self.end(f"{reason}; it asks to wait {seconds:.0f} seconds: run the same again after that")
        with self.lock:
            self.not_before = max(self.not_before, self.clock.now() + seconds)

    def wait(self, seconds: float) -> None:
        """Wait, unless the run ends. Raises `Ended`."""
        if seconds > 0 and not self.ended:
            self.clock.wait(seconds, self.stopped)
        if self.ended:
            raise Ended(self.ended)

    def end(self, reason: str) -> Ended:
        """End the run, for the first reason that there is."""
        with self.lock:
            self.ended = self.ended or reason
        self.stopped.set()
        return Ended(self.ended)


def problem_of(completion: Completion) -> str | None:
    """Why an answer cannot be used: None where it can be."""
    if completion.refusal:
        return f"refused: {cut(completion.refusal, 300)}"
    if completion.finish_reason == "content_filter":
        return "held back by the server's content filter"
    if not completion.text.strip():
        if completion.finish_reason == "length":
            return "empty: the limit of tokens was reached before any text"
        return f"empty (finish reason: {completion.finish_reason})"
    return None
