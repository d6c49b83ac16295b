"""Processes that compute for all sessions of a server: each call once, its result kept, nothing for nobody."""

import os
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Hashable
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from hosting.settings import HOSTED
from summarizers.processes import Answer, Told, WorkerProcess, given_out

KEPT = 100
"""Results that are kept: of 50,000 documents a list takes three megabytes."""

TICK = 0.1
"""Seconds between two looks whether anybody still waits for what a process computes."""


class Call(NamedTuple):
    """A function that is importable by its name, and its arguments, which can be hashed and pickled."""

    module: str
    function: str
    arguments: tuple[Hashable, ...]


class GivenUp(ChildProcessError):
    """A call was ended, as nobody waited for it and somebody else needed its process."""


class Job:
    """A call, for however many sessions that wait for its result."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.waiting = 0
        """Sessions; changed under the pool's lock."""
        self.asked = time.monotonic()
        self.back_until = self.asked
        """Until when a session that waits without a thread may come back, in seconds of `time.monotonic`."""
        self.begun = False
        self.said = ""
        """What is being done at this moment; empty as long as that is not known."""
        self.answer: Answer | None = None
        self.over = threading.Event()

    @property
    def wanted(self) -> bool:
        """Whether anybody waits for it, or may come back for it."""
        return self.waiting > 0 or time.monotonic() < self.back_until

    @property
    def given_up(self) -> bool:
        """Whether it was ended before it had a result."""
        return self.answer is not None and isinstance(self.answer[1], GivenUp)

    def result(self) -> Any:
        """What the function returned, or raise what it raised; `over` must be set."""
        assert self.answer is not None  # noqa: S101  it is over
        return given_out(self.answer)


class Pool:
    """At most so many processes, which are started when there is something to do and then stay, with what they read.

    Calls are taken in the order in which they came. One that nobody waits for any more is not begun, and its process is
    ended as soon as somebody else needs it. A process that dies over a call is followed by another one; whoever waited
    gets ChildProcessError.
    """

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self.changed = threading.Condition()
        self.jobs: OrderedDict[Call, Job] = OrderedDict()
        self.queue: deque[Job] = deque()
        self.idle = self.started = 0
        self.ended = False

    def join(self, call: Call) -> Job:
        """Wait for a call's result with whoever does already; `leave` ends that."""
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
        """End waiting for a job."""
        with self.changed:
            job.waiting -= 1
            if not job.wanted and job in self.queue:
                self.queue.remove(job)
                self.finish(job, None)

    def hold(self, call: Call, seconds: float) -> Job:
        """Want a call's result for so many seconds from now on, without staying: whoever holds it comes back."""
        job = self.join(call)
        with self.changed:
            job.back_until = max(job.back_until, time.monotonic() + seconds)
        self.leave(job)
        return job

    def count_waiting(self) -> int:
        """How many calls wait for a process."""
        return len(self.queue)

    def end(self) -> None:
        """End all processes, with the calls that they are at."""
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def work(self) -> None:
        """Carry out calls in a process, one after the other."""
        process: WorkerProcess | None = None
        while (job := self.next_job()) is not None:
            try:
                process = process or WorkerProcess()
                answer = self.ask(process, job)
            except OSError as error:  # it has died, or could not be started
                answer = None, error
            if answer is None or isinstance(answer[1], OSError):
                if process is not None:
                    process.end()
                process = None
            self.finish(job, answer)
        if process is not None:
            process.end()

    def next_job(self) -> Job | None:
        """Wait for the call whose turn it is; None at the end."""
        with self.changed:
            self.idle += 1
            try:
                while not self.ended:
                    if not self.queue:
                        self.changed.wait()
                    elif (job := self.queue.popleft()).wanted:
                        return job
                    else:  # whoever held it has not come back
                        self.finish(job, None)
                return None
            finally:
                self.idle -= 1

    def ask(self, process: WorkerProcess, job: Job) -> Answer | None:
        """Have a call carried out; None where it is given up. Raises ChildProcessError where the process ends."""
        process.ask(carry_out, job.call)
        job.begun = True
        while True:
            if process.line.poll(TICK):
                heard = process.hear()
                if not isinstance(heard, Told):
                    return heard
                job.said = heard.what
            with self.changed:
                if self.ended or (not job.wanted and self.queue):
                    self.jobs.pop(job.call, None)  # whoever asks from now on asks anew
                    return None

    def finish(self, job: Job, answer: Answer | None) -> None:
        """Keep a result, and forget the oldest ones; what failed is computed anew when it is next asked for."""
        with self.changed:
            job.answer = answer or (None, GivenUp("it was given up"))
            if job.answer[1] is not None and self.jobs.get(job.call) is job:
                del self.jobs[job.call]
            over = [call for call, one in self.jobs.items() if one.over.is_set() and not one.waiting]
            for call in over[: max(0, len(self.jobs) - KEPT)]:
                del self.jobs[call]
            job.over.set()


@cache
def open_pool() -> Pool:
    """The pool of this process, with a process for every two processors."""
    return Pool(max(1, (os.cpu_count() or 1) // 2))


def carry_out(module: str, function: str, arguments: tuple[Hashable, ...]) -> Any:
    """Call a function, in a process of the pool. Whoever asked has been let in to what its arguments name."""
    os.environ.pop(HOSTED, None)
    return getattr(import_module(module), function)(*arguments)
