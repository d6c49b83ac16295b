"""Processes that compute for all sessions of a server: each call once, with its result kept, and only if wanted."""

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Hashable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from relevance.processes.child import NOTHING_ELSE
from relevance.processes.worker import Answer, Told, WorkerProcess, given_out

KEPT = 100
"""The number of results kept; the list of 50,000 documents takes three megabytes."""

TICK = 0.1
"""Seconds between two checks of whether anybody still waits for what a process computes."""


class Call(NamedTuple):
    """A function that can be imported by its name, and its arguments, which can be hashed and pickled."""

    module: str
    function: str
    arguments: tuple[Hashable, ...]


class GivenUp(ChildProcessError):
    """A call was ended, as nobody waited for it and somebody else needed its process."""


class Job:
    """A call, for all sessions that wait for its result."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.waiting = 0
        """The number of sessions that wait; changed under the pool's lock."""
        self.requested_at = time.monotonic()
        self.back_until = self.requested_at
        """The time until which a session that waits without a thread may come back, in seconds of `time.monotonic`."""
        self.begun = False
        self.progress = ""
        """The progress in words; empty until it is known."""
        self.answer: Answer | None = None
        self.over = threading.Event()

    @property
    def wanted(self) -> bool:
        """True if somebody waits for it, or may come back for it."""
        return self.waiting > 0 or time.monotonic() < self.back_until

    @property
    def given_up(self) -> bool:
        """True if it was ended before it had a result."""
        return self.answer is not None and isinstance(self.answer[1], GivenUp)

    def result(self) -> Any:
        """Return what the function returned, or raise what it raised; `over` must be set."""
        assert self.answer is not None  # noqa: S101  it is over
        return given_out(self.answer)


class Pool:
    """A limited number of processes, which are started when needed and then stay, with the data they have read.

    Calls are served in the order in which they came. One that nobody waits for any more is not started; if it is
    running, its process is ended as soon as somebody else needs it. A process that dies over a call is replaced, and
    those who waited get ChildProcessError.
    """

    def __init__(self, processes: int, environment: Mapping[str, str] = NOTHING_ELSE) -> None:
        self.processes = processes
        self.environment = environment
        self.changed = threading.Condition()
        self.jobs: OrderedDict[Call, Job] = OrderedDict()
        self.queue: deque[Job] = deque()
        self.idle = self.started = 0
        self.ended = False

    def join(self, call: Call) -> Job:
        """Wait for a call's result, together with those who already do, until `leave`."""
        with self.changed:
            job = self.jobs.get(call)
            if job is None:
                job = self.jobs[call] = Job(call)
                self.queue.append(job)
                if not self.idle and self.started < self.processes:
                    self.started += 1
                    threading.Thread(target=self.work, daemon=True).start()
                self.changed.notify_all()
            self.jobs.move_to_end(call)
            job.waiting += 1
            return job

    def leave(self, job: Job) -> None:
        """Stop waiting for a job."""
        with self.changed:
            job.waiting -= 1
            if not job.wanted and job in self.queue:
                self.queue.remove(job)
                self.finish(job, None)

    def hold(self, call: Call, seconds: float) -> Job:
        """Want a call's result for `seconds` from now without staying; the caller comes back for it."""
        job = self.join(call)
        with self.changed:
            job.back_until = max(job.back_until, time.monotonic() + seconds)
        self.leave(job)
        return job

    def count_waiting(self) -> int:
        """Count the calls that wait for a process."""
        return len(self.queue)

    def end(self) -> None:
        """End all processes, with the calls that they are running."""
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def work(self) -> None:
        """Run calls in a process, one after the other."""
        process: WorkerProcess | None = None
        while (job := self.next_job()) is not None:
            try:
                process = process or WorkerProcess(self.environment)
                answer = self.ask(process, job)
            except OSError as error:  # the process died or could not be started
                answer = None, error
            if answer is None or isinstance(answer[1], OSError):
                if process is not None:
                    process.end()
                process = None
            self.finish(job, answer)
        if process is not None:
            process.end()

    def next_job(self) -> Job | None:
        """Wait for the next call; return None at the end."""
        with self.changed:
            self.idle += 1
            try:
                while not self.ended:
                    if not self.queue:
                        self.changed.wait()
                    elif (job := self.queue.popleft()).wanted:
                        return job
                    else:  # nobody has come back for it
                        self.finish(job, None)
                return None
            finally:
                self.idle -= 1

    def ask(self, process: WorkerProcess, job: Job) -> Answer | None:
        """Have a process run a call; return None if it is given up. Raises ChildProcessError if the process ends."""
        process.ask(carry_out, job.call)
        job.begun = True
        while True:
            if process.line.poll(TICK):
                heard = process.hear()
                if not isinstance(heard, Told):
                    return heard
                job.progress = heard.what
            with self.changed:
                if self.ended or (not job.wanted and self.queue):
                    self.jobs.pop(job.call, None)  # the next request starts it again
                    return None

    def finish(self, job: Job, answer: Answer | None) -> None:
        """Keep a result and drop the oldest ones; a call that failed is run again when it is next wanted."""
        with self.changed:
            job.answer = answer or (None, GivenUp("it was given up"))
            if job.answer[1] is not None and self.jobs.get(job.call) is job:
                del self.jobs[job.call]
            over = [call for call, job in self.jobs.items() if job.over.is_set() and not job.waiting]
            for call in over[: max(0, len(self.jobs) - KEPT)]:
                del self.jobs[call]
            job.over.set()


def carry_out(module: str, function: str, arguments: tuple[Hashable, ...]) -> Any:
    """Call a function in a process of the pool; the caller's access to what its arguments name was checked before."""
    return getattr(import_module(module), function)(*arguments)
