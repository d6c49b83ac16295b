"""Bounds on a server's answers, so that none fills the memory or never ends."""

from collections.abc import Callable, Iterator

import httpx2

from relevance.llm.client import CallFailed

MOST_BYTES = 1024 * 1024
"""The most bytes of an answer: some hundred times a long summary with all that comes with it."""


class Bounded(httpx2.SyncByteStream):
    """The bytes of an answer, up to `MOST_BYTES` and until a point in time of the clock `now`.

    Iterating raises `CallFailed` at either bound.
    """

    def __init__(self, stream: httpx2.SyncByteStream, until: float, now: Callable[[], float]) -> None:
        self.stream, self.until, self.now = stream, until, now

    def __iter__(self) -> Iterator[bytes]:
        taken = 0
        for part in self.stream:
            taken += len(part)
            if taken > MOST_BYTES:
                raise CallFailed(f"the answer has over {MOST_BYTES:,} bytes", charged=True)
            if self.now() > self.until:
                raise CallFailed("the answer was not whole in time", again=True, charged=True)
            yield part

    def close(self) -> None:
        """Close the connection."""
        self.stream.close()


def bound_answers(seconds: float, now: Callable[[], float]) -> Callable[[httpx2.Response], None]:
    """Return a hook for an HTTP client that bounds each answer and refuses compressed ones, which could be bombs."""

    def bound(response: httpx2.Response) -> None:
        packed = response.headers.get("content-encoding", "identity")
        if packed != "identity":
            raise CallFailed("the answer is compressed, although this was not requested", charged=True)
        assert isinstance(response.stream, httpx2.SyncByteStream)  # noqa: S101  the client is not asynchronous
        response.stream = Bounded(response.stream, now() + seconds, now)

    return bound
