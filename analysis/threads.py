"""Work in two threads, for functions that spend their time in numpy, which lets other threads run."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

THREADS = 2

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_ahead(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield the function's results in order; items are taken when they are needed, so that few are in memory.

    While both threads work, the next item is made.
    """
    running: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(THREADS) as threads:
        for item in items:
            running.append(threads.submit(function, item))
            if len(running) > THREADS:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
