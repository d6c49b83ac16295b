"""The app on a port of its own, and the browser that drives it: for the tests and for the benchmarks."""

import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from http.client import HTTPException
from pathlib import Path
from typing import IO

from tests.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[1]

# No word of Chromium's own to the network: the tests speak to 127.0.0.1 only.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str | None:
    """The browser to drive: the one named by the variable CHROMIUM, or the system's."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def wait_for(ready: Callable[[], bool], what: str, process: subprocess.Popen[bytes]) -> None:
    """Return when it is ready; raise RuntimeError where its process has ended."""

    def is_ready() -> bool:
        if process.poll() is not None:
            raise RuntimeError(f"{what} did not start")
        return ready()

    until(is_ready, what)


def healthy(url: str, path: str = "/_stcore/health") -> bool:
    """Whether the app answers at an address."""
    return answer_of(f"{url}{path}") is not None


def answer_of(url: str) -> str | None:
    """What an address answers; None where nobody does, or only to say that it cannot."""
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return str(answer.read().decode())
    except (OSError, HTTPException):
        return None


HELD: list[socket.socket] = []
"""Sockets that hold ports for servers of this process: bound, and never listening, so that the system gives the port to
nobody else, nor to a connection. A server that sets SO_REUSEADDR, as all do, can listen there all the same."""

PORTS: list[int] = []
"""The ports that the app has had in this process."""


def free_port() -> int:
    """A port held for a server: one that the app has had before, of which browsers still have its scripts."""
    for port in reversed(PORTS):
        with suppress(OSError), socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return port
    PORTS.append(free_ports(1))
    return PORTS[-1]


def free_ports(count: int) -> int:
    """The first of so many neighbouring ports held for servers."""
    for _ in range(100):
        with suppress(OSError, OverflowError), ExitStack() as closing:
            held = [closing.enter_context(socket.socket()) for _ in range(count)]
            held[0].bind(("127.0.0.1", 0))
            first = int(held[0].getsockname()[1])
            for port, neighbour in enumerate(held[1:], first + 1):
                neighbour.bind(("127.0.0.1", port))
            for item in held:
                item.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # only now: nobody else may hold them, too
            closing.pop_all()
            HELD.extend(held)
            return first
    raise RuntimeError(f"no {count} neighbouring ports are free")


SECRET = "kX7-vQ2_mB9tR4wZ8yL1nC6pD3sF5gHj-KaEu"
"""Of hosted servers in tests."""


@contextmanager
def serving(
    database_url: str, *, hosted: bool = False, log: Path | None = None, through: Sequence[str] = (), **settings: str
) -> Iterator[str]:
    """The app as `relevance serve` starts it; yields its address and stops it at the end.

    A hosted one needs an owner in the database; `settings` are further variables of its environment, `log` is the
    file that its log goes to, `through` the command that starts it, where it is to run as somebody else.
    """
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    settings = {"RELEVANCE_DATABASE_URL": database_url, **settings}
    with log.open("wb") if log is not None else nullcontext() as to:
        if hosted:
            settings = {"RELEVANCE_SECRET": SECRET, "RELEVANCE_PUBLIC_URL": url, **settings}
        path = "/healthz" if hosted else "/_stcore/health"
        options = ["--hosted"] if hosted else []
        with running(port, *options, ready=lambda: healthy(url, path), log=to, through=through, **settings):
            yield url


@contextmanager
def running(
    port: int,
    *options: str,
    ready: Callable[[], bool],
    log: IO[bytes] | int | None = None,
    through: Sequence[str] = (),
    program: Sequence[str | Path] = (sys.executable, "-m", "relevance"),
    folder: Path = ROOT,
    environment: Mapping[str, str] = os.environ,
    **settings: str,
) -> Iterator[subprocess.Popen[bytes]]:
    """`relevance serve` with options on a port, from when it is ready on; yields its process and ends it.

    `settings` are further variables of its environment, `log` is where its log goes.
    """
    server = subprocess.Popen(
        [*through, *program, "serve", "--port", str(port), *options],
        cwd=folder,
        env={**environment, **settings},
        stdout=subprocess.DEVNULL,
        stderr=log,
    )
    try:
        wait_for(ready, "the app", server)
        yield server
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE)
