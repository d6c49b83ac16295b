"""Turns of slow work for all sessions of a server's process: so many at once, in the order in which they were asked."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Turns:
    """A line in which those wait for whom there is no room yet."""

    def __init__(self, at_once: int) -> None:
        self.at_once = at_once
        self.changing = threading.Lock()
        self.line: list[object] = []

    @contextmanager
    def stand_in_line(self) -> Iterator[Callable[[], int]]:
        """Stand in the line until the block is left; yield what counts those to wait for, 0 when it is one's turn."""
        ticket = object()
        with self.changing:
            self.line.append(ticket)

        def count_before() -> int:
            with self.changing:
                return max(0, self.line.index(ticket) + 1 - self.at_once)

        try:
            yield count_before
        finally:
            with self.changing:
                self.line.remove(ticket)
