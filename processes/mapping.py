"""Work in several processes: a `map` over child processes that end when its block is left for any reason."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol, TypeVar

from relevance.processes.worker import Answer, WorkerProcess, given_out

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
    does not reach them. When the block is left, or this process is killed, they end even in the middle of an item.

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
