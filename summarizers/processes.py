"""Work in several processes: a `map` over child processes that end when its block is left for any reason."""

import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from signal import Signals
from typing import Any, NamedTuple, Protocol, TypeVar

from relevance.data.environment import without_secrets

NICE = 5
"""The niceness of child processes: the process that started them may be serving pages."""

TICK = 0.5
"""Seconds between two ticks, by which those who wait for a slow search see progress and may stop it."""

T = TypeVar("T")


class Each(Protocol):
    """A function that applies another to the items of iterables, as `map` does, with results in order."""

    def __call__(self, function: Callable[..., T], /, *iterables: Iterable[Any]) -> Iterator[T]:
        """Apply a function that can be imported by its name to items that can be pickled."""


@contextmanager
def map_in_processes(processes: int, tick: Callable[[], None] = lambda: None) -> Iterator[Each]:
    """Provide a `map` over at most so many child processes, or in this process if the number is 0.

    Children are started when there is work for them. They are fresh interpreters, which do not import the main module:
    that of a server is the page being drawn. Output of their C code to standard output goes to standard error; Ctrl-C
    does not reach them. When the block is left, they are killed even in the middle of an item; if this process is
    killed, they end after their current item.

    `tick` is called about twice a second while results are awaited; an exception of it ends the work. Results of one
    call must be taken before the next call is made. An exception in a child is raised here, after the results before
    it; if a child was killed, ChildProcessError is raised.
    """
    if not processes:
        yield in_turn
        return
    children: list[WorkerProcess] = []

    def each(function: Callable[..., T], /, *iterables: Iterable[Any]) -> Iterator[T]:
        items = zip(*iterables)  # noqa: B905  as `map` does
        lines: dict[Connection[Any, Any], WorkerProcess] = {}  # of the children that are busy
        places: dict[WorkerProcess, int] = {}  # the number of the item that each is busy with
        answers: dict[int, Answer] = {}
        begun = given = 0
        item = next(items, None)
        ticked = time.monotonic()
        while True:
            while item is not None and len(places) < processes:
                child = next((child for child in children if child not in places), None) or WorkerProcess()
                if child not in children:
                    children.append(child)
                child.ask(function, item)
                lines[child.line], places[child] = child, begun
                begun, item = begun + 1, next(items, None)
            if given in answers:
                yield given_out(answers.pop(given))
                given += 1
                continue
            if not places:
                return
            ready = wait(list(lines), TICK)
            for child in [child for line, child in lines.items() if line in ready]:
                del lines[child.line]
                answers[places.pop(child)] = child.answer()
            if time.monotonic() - ticked >= TICK:
                tick()
                ticked = time.monotonic()

    try:
        yield each
    finally:
        for child in children:
            child.end()


def in_turn(function: Callable[..., T], /, *iterables: Iterable[Any]) -> Iterator[T]:
    """Map a function in this process, as `map` does."""
    return map(function, *iterables)


Answer = tuple[Any, Exception | None]
"""The result of a function, or its exception."""


class Told(NamedTuple):
    """A progress message of a function that is still running."""

    what: str


def given_out(answer: Answer) -> Any:
    """Return a function's result, or raise its exception."""
    result, error = answer
    if error is not None:
        raise error
    return result


class WorkerProcess:
    """A child process and its connection; it runs one call at a time."""

    def __init__(self) -> None:
        self.line, other = Pipe()
        with other:  # the child's end is the child's alone: the line breaks when either of us ends
            self.process = subprocess.Popen(  # noqa: S603  our own module, and a number
                [
                    sys.executable,
                    "-P",
                    "-c",
                    f"from relevance.summarizers.processes import work; work({other.fileno()})",
                ],
                env={"OMP_NUM_THREADS": "1", **without_secrets()},  # the children share the processors by documents
                stdin=subprocess.DEVNULL,
                stdout=2,  # standard output is the command's alone
                pass_fds=[other.fileno()],
                start_new_session=True,  # Ctrl-C is for the command, which ends what it started
            )
        self.line.send(sys.path)

    def ask(self, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
        """Send a function call to the process. Raises ChildProcessError if it has ended."""
        try:
            self.line.send((function, arguments))
        except OSError as error:
            raise self.ended() from error

    def answer(self) -> Answer:
        """Wait for the result. Raises ChildProcessError if the process has ended."""
        while isinstance(heard := self.hear(), Told):
            pass
        return heard

    def hear(self) -> Answer | Told:
        """Wait for the next answer or message. Raises ChildProcessError if the process has ended."""
        try:
            heard: Answer | Told = self.line.recv()
        except (EOFError, OSError) as error:
            raise self.ended() from error
        return heard

    def ended(self) -> ChildProcessError:
        """Make the error that says how the process ended."""
        code = self.process.wait()
        how = f"exit code {code}" if code >= 0 else f"signal {-code}, {Signals(-code).name}"
        lack = "; is there too little memory?" if code == -Signals.SIGKILL else ""
        return ChildProcessError(f"a process that was computing this ended ({how}{lack})")

    def end(self, patience: float = 0.0) -> None:
        """Kill the process unless it ends within `patience` seconds after its connection is closed."""
        self.line.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(patience)
        self.process.kill()
        self.process.wait()


# --- in a child process -------------------------------------------------------------------------------------------


LINES: "list[Connection[Any, Any]]" = []
"""The connection to the process that asks; empty in any other process."""


def tell(what: str) -> None:
    """Tell the process that asked what is being done now."""
    for line in LINES:
        line.send(Told(what))


def work(line_number: int) -> None:
    """Run function calls received over the given file descriptor until it closes."""
    os.nice(NICE)
    with Connection(line_number) as line, suppress(EOFError, OSError):
        LINES.append(line)
        sys.path[:] = line.recv()
        while True:
            function, arguments = line.recv()
            answer: Answer
            try:
                answer = function(*arguments), None
            except Exception as error:
                error.add_note(traceback.format_exc())  # pickling loses the traceback
                answer = None, error
            try:
                line.send(answer)
            except OSError:
                return
            except Exception as error:  # whatever pickling raises
                line.send((None, RuntimeError(f"{answer[1] or answer[0]!r} cannot be sent: {error}")))
