"""Many requests to one model: a few at once, each once, retried if that helps, within a budget."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition, Event, Lock
from typing import NamedTuple, Protocol, TypeAlias

from relevance.data.one_line import cut, message
from relevance.llm.calls import Calls
from relevance.llm.client import CallFailed, CallsRefused, Client, Completion, Problem, Request
from relevance.llm.cost import Budget, CostReached

POLL = 0.2
"""The seconds between two checks whether another run has its answer."""

FAILED_IN_A_ROW = 10
"""The number of failed requests in a row after which no more are made."""


@dataclass(frozen=True)
class Limits:
    """The limits on calls to a server. Raises ValueError for impossible ones."""

    at_once: int = 4
    """The number of calls at the same time."""
    attempts: int = 6
    """The most calls for one request."""
    first_wait: float = 1.0
    """The seconds before the second attempt; each further wait is twice as long."""
    longest_wait: float = 60.0
    """The most seconds of a wait after doubling."""
    patience: float = 300.0
    """The most seconds that a server may ask to wait; if it asks for more, the run ends."""

    def __post_init__(self) -> None:
        if self.at_once < 1 or self.attempts < 1:
            raise ValueError("at_once and attempts must be at least 1")


class Clock(Protocol):
    """The interface of clocks; tests have their own."""

    def now(self) -> float:
        """Return the seconds since some fixed time; never less than before."""

    def wait(self, seconds: float, stopped: Event) -> None:
        """Wait for some seconds, or until the event is set."""


class RealClock:
    """The machine's monotonic clock."""

    def now(self) -> float:
        """Return the seconds since some fixed time."""
        return time.monotonic()

    def wait(self, seconds: float, stopped: Event) -> None:
        """Wait for some seconds, or until the event is set."""
        stopped.wait(seconds)


class Answer(NamedTuple):
    """The answer to a request, or the reason why there is none."""

    completion: Completion | None
    """A usable answer."""
    reason: str | None = None
    """The reason why there is none."""
    recorded: bool = False
    """True if it was asked before."""
    unusable: Completion | None = None
    """An answer that came, was paid for, and cannot be used."""


class Plan(NamedTuple):
    """The cost of requests in calls and tokens."""

    requests: int
    recorded: int
    """The number of requests whose answers are recorded, which cost nothing."""
    tokens_in: int
    """The number of tokens to send, as the client counts them: see `counted`."""
    tokens_out: int
    """The most tokens of the answers."""
    counted: str
    """`TokenCounter.name` of the client."""


class Ended(ValueError):
    """The run makes no more calls."""


Check: TypeAlias = Callable[[Completion], Problem | None]
"""A function that tells why an answer cannot be used for what was asked; None if it can."""


def accept(completion: Completion) -> None:
    """Find no problem in an answer."""


class Caller:
    """A caller of a client, which records every call.

    An answer is recorded before anything else is done with it, and a request with a recorded answer is not made again.
    Refusals, unusable answers and failures are recorded with their reason, and retried by the next run. The run ends
    for good (`ended`), and then gives recorded answers only, if no call can succeed any more, if the next one could
    exceed the budget, if `FAILED_IN_A_ROW` requests failed or had answers that are no matter of one text
    (`Problem.alike`), or if the server asks to wait longer than `Limits.patience`.
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
        """The reason why no more calls are made; None while they are."""
        self.stopped = Event()
        self.lock = Lock()
        self.not_before = self.clock.now()
        self.failed = 0
        self.under_way = 0
        """The number of requests that are being answered."""
        self.moved = Condition()
        """The condition that guards this number."""

    def plan(self, requests: Sequence[Request], check: Check = accept) -> Plan:
        """Return the cost of asking these requests; nothing is asked. `check` is that of `ask`."""
        by_key = {request.key(self.client): request for request in requests}
        open_ = [request for key, request in by_key.items() if self.recorded(key, check) is None]
        sent = (self.client.tokens.count(message.content) for request in open_ for message in request.messages)
        return Plan(
            len(by_key),
            len(by_key) - len(open_),
            sum(sent),
            sum(request.settings.max_tokens for request in open_),
            self.client.tokens.name,
        )

    def ask(self, requests: Sequence[Request], check: Check = accept) -> list[Answer]:
        """Ask and wait for all answers, in the order of the requests.

        `check` tells why an answer cannot be used, besides what `problem_of` tells; a recorded answer that cannot be
        used is asked for again. If this is interrupted, calls in progress are awaited and recorded, since they are paid
        for. Raises `UnusableRecord` as soon as an answer cannot be recorded.
        """
        keys = [request.key(self.client) for request in requests]
        by_key = dict(zip(keys, requests, strict=True))
        pool = ThreadPoolExecutor(self.limits.at_once)
        try:
            futures = {key: pool.submit(self.answer, key, request, check) for key, request in by_key.items()}
            answers = {key: future.result() for key, future in futures.items()}
        except BaseException:
            self.end("stopped")
            raise
        finally:
            pool.shutdown()
            # The pool does not know of a running thread whose start was interrupted.
            with self.moved:
                self.moved.wait_for(lambda: not self.under_way)
        return [answers[key] for key in keys]

    def answer(self, key: str, request: Request, check: Check) -> Answer:
        """Return the answer to one request, from the record if it is there and can be used."""
        with self.counted():
            try:
                if completion := self.recorded(key, check):
                    return Answer(completion, recorded=True)
                with self.calls.claim(key, lambda: self.wait(POLL)):
                    if completion := self.recorded(key, check):
                        return Answer(completion, recorded=True)
                    return self.try_again(key, request, check)
            except Ended as ended:
                return Answer(None, str(ended))

    def recorded(self, key: str, check: Check) -> Completion | None:
        """Return the recorded answer to a request, if there is one that can be used."""
        completion = self.calls.answered(key)
        return completion if completion and not find_problem(completion, check) else None

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count a request among those that are being answered, within the block."""
        with self.moved:
            self.under_way += 1
        try:
            yield
        finally:
            with self.moved:
                self.under_way -= 1
                self.moved.notify_all()

    def try_again(self, key: str, request: Request, check: Check) -> Answer:
        """Ask until there is an answer, or asking again would not help. Raises `Ended`."""
        reason, unusable = "", None
        for attempt in range(self.limits.attempts):
            try:
                completion, problem = self.call(key, request, check)
            except CallFailed as failed:
                reason = str(failed)
                if failed.after is not None:
                    self.put_off(failed.after, reason)
                if not failed.again:
                    break
                if failed.after is None and attempt + 1 < self.limits.attempts:
                    self.wait(min(self.limits.first_wait * 2**attempt, self.limits.longest_wait))
            else:
                if problem and problem.alike:
                    reason, unusable = problem.reason, completion
                    break
                with self.lock:
                    self.failed = 0
                return Answer(None, problem.reason, unusable=completion) if problem else Answer(completion)
        with self.lock:
            self.failed += 1
            in_a_row = self.failed
        if in_a_row >= FAILED_IN_A_ROW:
            self.end(f"{in_a_row} requests in a row failed, the last one with: {reason}")
        return Answer(None, reason, unusable=unusable)

    def call(self, key: str, request: Request, check: Check) -> tuple[Completion, Problem | None]:
        """Call once and record the result; return the answer, and why it is unusable. Raises `CallFailed`, `Ended`."""
        while (left := self.not_before - self.clock.now()) > 0:
            self.wait(left)
        try:
            with self.budget.set_aside(request) as payment:
                if self.ended:  # while waiting for others
                    payment.is_nothing()
                    raise Ended(self.ended)
                self.calls.begin(self.client, request)
                try:
                    completion = self.client.complete(request.messages, request.settings, request.schema)
                except (CallFailed, CallsRefused) as failed:
                    self.calls.end(key, None, message(failed))
                    if not isinstance(failed, CallFailed) or not failed.charged:
                        payment.is_nothing()
                    raise
                problem = find_problem(completion, check)
                self.calls.end(key, completion, problem and problem.reason)
                payment.is_for(completion)
                return completion, problem
        except (CallsRefused, CostReached) as error:
            raise self.end(str(error)) from error

    def put_off(self, seconds: float, reason: str) -> None:
        """Make no calls for any request during the seconds that the server asks for. Raises `Ended`."""
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
        """End the run; the first reason is kept."""
        with self.lock:
            self.ended = self.ended or reason
        self.stopped.set()
        return Ended(self.ended)


def find_problem(completion: Completion, check: Check) -> Problem | None:
    """Return the reason why an answer is unusable, or None if it is usable."""
    return problem_of(completion) or check(completion)


def problem_of(completion: Completion) -> Problem | None:
    """Return the reason why an answer is unusable for whatever was asked, or None."""
    if completion.refusal:
        return Problem(f"refused: {cut(completion.refusal, 300)}")
    if completion.finish_reason == "content_filter":
        return Problem("held back by the server's content filter")
    if completion.answer:
        return None
    cut_off = completion.finish_reason == "length"
    if completion.text.strip():
        ended = "the limit of tokens was reached within it" if cut_off else "it was not followed by an answer"
        return Problem(f"only reasoning: {ended}", alike=True)
    if cut_off:
        return Problem("empty: the limit of tokens was reached before any text", alike=True)
    return Problem(f"empty (finish reason: {completion.finish_reason})")
