"""The app on a port of its own, and the browser that drives it: for the tests and for the benchmarks."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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


def healthy(url: str) -> bool:
    """Whether the app answers at an address."""
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


PORTS = [0]
"""The ports that the app has had in this process, and 0, for any other."""


def free_port() -> int:
    """A port that nobody listens on: one that the app has had before, of which browsers still have its scripts."""
    for port in reversed(PORTS):
        with suppress(OSError), socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of the last server may linger
            probe.bind(("127.0.0.1", port))
            found = int(probe.getsockname()[1])
            if port == 0:
                PORTS.append(found)
            return found
    raise RuntimeError("no port is free")


@contextmanager
def serving(database_url: str) -> Iterator[str]:
    """The app as `relevance serve` starts it; yields its address and stops it at the end."""
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "cli", "serve", "--port", str(port)],
        cwd=ROOT,
        env=os.environ | {"RELEVANCE_DATABASE_URL": database_url},
        stdout=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(lambda: healthy(url), "the app", server)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE)
