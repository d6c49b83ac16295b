"""A child process that carries out calls: what it is asked, says meanwhile and returns crosses one connection."""

import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from relevance.processes.child import NOTHING_ELSE, end_with_parent, explain_exit, start_python

NICE = 5
"""The niceness of child processes: the process that started them may be serving pages."""

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
    """A child process and its connection; it runs one call at a time.

    It is a fresh interpreter, which does not import the main module: that of a server is the page being drawn.
    `environment` are variables beside those of this process.
    """

    def __init__(self, environment: Mapping[str, str] = NOTHING_ELSE) -> None:
        self.line, other = Pipe()
        with other:  # the child's end is the child's alone: the line breaks when either of us ends
            self.process = start_python(
                "-c",
                f"from relevance.processes.worker import work; work({other.fileno()})",
                stdout=2,  # standard output is the command's alone
                pass_fds=[other.fileno()],
                threads=1,  # the children share the processors by documents
                environment=environment,
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
        return ChildProcessError(f"a process that was computing this ended{explain_exit(self.process.wait())}")

    def end(self, patience: float = 0.0) -> None:
        """Kill the process unless it ends within `patience` seconds after its connection is closed."""
        self.line.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(patience)
        self.process.kill()
        with self.process:  # closes its standard input, and waits
            pass


# --- in a child process -------------------------------------------------------------------------------------------


LINES: "list[Connection[Any, Any]]" = []
"""The connection to the process that asks; empty in any other process."""


def is_worker() -> bool:
    """Tell whether this process is one that carries out calls of another."""
    return bool(LINES)


def tell(what: str) -> None:
    """Tell the process that asked what is being done now."""
    for line in LINES:
        line.send(Told(what))


def work(line_number: int) -> None:
    """Run function calls received over the given file descriptor until it closes."""
    os.nice(NICE)
    end_with_parent()
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
