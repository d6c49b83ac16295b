"""Evidence of a metric's score: lexical metrics run here, model-based ones in a warm process.

That process (`relevance.metrics.background.explaining_process`) is started once and stays, because loading the models
takes seconds and the web server must not load their libraries. Both sides exchange lines of JSON, from which records
are rebuilt by their type hints.
"""

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

from relevance.data.records import Example
from relevance.data.signatures import is_given
from relevance.metrics import METRICS, is_lexical
from relevance.metrics.background.wire import decode_record, encode
from relevance.metrics.explained import (
    CannotExplain,
    Explained,
    ModelsBusy,
    RequestCancelled,
    explain,
    load_dictionaries,
)
from relevance.metrics.from_signature import NOT_MADE_AGAIN, metric_of
from relevance.processes.child import explain_exit, start_module

TIMEOUT = 30.0
"""The maximum seconds of an explanation, including the wait for its turn and for the models."""

LOADING = 180.0
"""The seconds after which a process that is still loading its models counts as stuck."""


# --- the process that keeps the models ----------------------------------------------------------------------------


class ProcessEnded(Exception):
    """The process ended before it had answered; the message says how."""


class ModelProcess:
    """A running process and its output: a line when it is ready, then an answer per request, and None at its end."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.ready = False
        self.lines: SimpleQueue[bytes | None] = SimpleQueue()
        self.end = ""
        # The other half of the cores serves pages. Threads for all cores wait for each other: on two busy cores, one
        # thread is faster than two by half.
        self.process, self.log = start_module(
            "relevance.metrics.background.explaining_process",
            stdout=subprocess.PIPE,
            threads=max(1, (os.cpu_count() or 1) // 2),
        )
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        """Forward the output of the process and wait for its end, so that it leaves no zombie."""
        with suppress(OSError, ValueError), self.log, self.process:  # closing a pipe that nobody reads may fail
            assert self.process.stdout is not None  # noqa: S101  it is a pipe
            for line in self.process.stdout:
                self.lines.put(line)
            self.end = explain_exit(self.process.wait(), self.log)
        self.lines.put(None)

    def tell(self, line: bytes) -> None:
        """Send a line without blocking: a process that hangs must not block this one."""

        def write() -> None:
            with suppress(OSError, ValueError):  # it has ended, as its answer will say
                assert self.process.stdin is not None  # noqa: S101  it is a pipe
                self.process.stdin.write(line)
                self.process.stdin.flush()

        threading.Thread(target=write, daemon=True).start()

    def hear(self, deadline: float) -> bytes:
        """Return the next line of its output. Raises `queue.Empty` at the deadline, and `ProcessEnded`."""
        line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
        if line is None:
            self.lines.put(None)  # for the next caller
            raise ProcessEnded(f"the process with the models ended{self.end}")
        return line


class Inspector:
    """An explainer of scores; model-based metrics run in one process for all threads, started when needed."""

    def __init__(self) -> None:
        self.child: ModelProcess | None = None
        self.closed = False
        self.turn = threading.Lock()
        """The lock of the thread whose request the process works on."""
        self.starting = threading.Lock()
        """The lock for starting or stopping the process."""

    def explain(
        self,
        signature: str,
        example: Example,
        timeout: float = TIMEOUT,
        given_up: Callable[[], bool] = lambda: False,
    ) -> Explained:
        """Return the score of one example by a signature's metric, with its evidence, in at most `timeout` seconds.

        Raises `CannotExplain` if the metric cannot be made again from its signature, fails, or takes too long;
        `ModelsBusy` if trying again soon may help; `RequestCancelled` if `given_up` returns True once earlier requests
        are answered.
        """
        deadline = time.monotonic() + timeout
        metric = metric_of(signature)
        if is_given(signature):
            raise CannotExplain("its scores came with the data set, which does not say what it saw")
        if metric is None:
            raise CannotExplain(NOT_MADE_AGAIN)
        if is_lexical(metric.name):
            return explain(metric, example)
        if not self.turn.acquire(timeout=max(0.0, timeout)):
            raise ModelsBusy(f"other examples took more than {timeout:g} s: try again")
        try:
            if given_up():
                raise RequestCancelled("it is no longer needed")
            line = json.dumps([signature, encode(example)]).encode() + b"\n"
            answer = json.loads(self.ask_twice(line, deadline, timeout))
        finally:
            self.turn.release()
        if isinstance(answer, str):
            raise CannotExplain(answer)
        value, missing, truncated, evidence = answer
        record = METRICS[metric.name].evidence
        return Explained(value, missing, truncated, decode_record(record | None, evidence) if record else None)

    def warm(self) -> None:
        """Start loading models and dictionaries in the background. Raises `CannotExplain` if no process starts."""
        if not self.closed:
            self.running()
            threading.Thread(target=load_dictionaries, daemon=True).start()

    def close(self) -> None:
        """End the process; those who wait for it get `CannotExplain`, as does everybody from now on."""
        self.closed = True
        self.stop()

    def ask_twice(self, line: bytes, deadline: float, timeout: float) -> bytes:
        """Return the answer to a request, asking a new process if one dies. Raises `CannotExplain`."""
        with suppress(ProcessEnded):
            return self.ask(line, deadline, timeout)
        try:
            return self.ask(line, deadline, timeout)
        except ProcessEnded as error:
            raise CannotExplain(str(error)) from error

    def ask(self, line: bytes, deadline: float, timeout: float) -> bytes:
        """Return the answer to a request. Raises `ProcessEnded`, `CannotExplain`."""
        child = self.running()
        try:
            if not child.ready:
                child.hear(deadline)
                child.ready = True
        except Empty:
            # Do not stop it: on a slow machine it would never become ready.
            raise ModelsBusy("the models are still being loaded: try again in a moment") from None
        try:
            child.tell(line)
            return child.hear(deadline)
        except Empty:
            self.stop()  # its late answer would be taken for the next one
            with suppress(CannotExplain):
                self.running()  # loads its models for the next request
            raise CannotExplain(f"it took more than {timeout:g} s") from None

    def running(self) -> ModelProcess:
        """Return the process, started unless it runs. Raises `CannotExplain`."""
        with self.starting:
            if self.closed:
                raise CannotExplain("the inspector is closed")
            child = self.child
            if child and not child.ready and time.monotonic() - child.began > LOADING:
                child.process.kill()
                child = None
            if child is None or child.process.poll() is not None:
                try:
                    child = self.child = ModelProcess()
                except OSError as error:  # no memory for another process, say
                    raise CannotExplain(f"no process for the models could be started: {error}") from error
            return child

    def stop(self) -> None:
        """Kill the process."""
        with self.starting:
            if self.child:
                self.child.process.kill()
                self.child = None
