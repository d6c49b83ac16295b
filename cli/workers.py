"""Several servers at neighbouring ports, restarted when one ends, for a proxy that keeps a browser on its server.

One port for all would not work: Streamlit keeps a page's session, uploads and pictures in the process that drew it.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from types import FrameType

import click

from relevance.hosting.rooms import SEVERAL

PARENT = "RELEVANCE_PARENT"
"""Set for a server that ends with its standard input, that is, with the process that started it."""

PAUSE = 2.0
"""Seconds before a server that ended is started again."""

PATIENCE = 30.0
"""Seconds that a server has to end its requests."""


class Workers:
    """The servers of one command, by port."""

    def __init__(self, host: str, ports: Sequence[int]) -> None:
        self.host = host
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        self.ports = ports
        self.stopped = threading.Event()

    def run(self) -> None:
        """Start the servers, and keep them running until a signal to stop."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.stop)
        for port in self.ports:
            self.start(port)
        while not self.stopped.wait(0.2):
            for port, process in list(self.processes.items()):
                if process.poll() is not None:
                    click.echo(f"The server at port {port} ended with code {process.returncode}; starting it again")
                    if not self.stopped.wait(PAUSE):
                        self.start(port)
        self.end()

    def start(self, port: int) -> None:
        """Start the server of a port in its own process."""
        self.processes[port] = subprocess.Popen(  # noqa: S603  ourselves
            [sys.executable, "-P", "-m", "relevance", "serve", "--hosted", "--host", self.host, "--port", str(port)],
            stdin=subprocess.PIPE,
            env=os.environ | {PARENT: "1", SEVERAL: "1"},
            start_new_session=True,  # Ctrl-C reaches this process, which stops them
        )

    def stop(self, _number: int, _frame: FrameType | None) -> None:
        """Handle a signal to stop."""
        self.stopped.set()

    def end(self) -> None:
        """Ask all servers to end, and wait until they have."""
        for process in self.processes.values():
            process.terminate()
        deadline = time.monotonic() + PATIENCE
        for process in self.processes.values():
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def end_with_parent() -> None:
    """End this server when the process that started it, if any, has ended for any reason."""
    if PARENT not in os.environ:
        return

    def watch() -> None:
        os.read(0, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()
