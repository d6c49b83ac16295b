"""Several servers of one command, over PostgreSQL."""

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from click.testing import CliRunner

from relevance.cli import main
from relevance.data.database import connect
from relevance.hosting.accounts import AccountStore
from tests.driving import SECRET, answer_of, free_ports, running
from tests.waiting import until

pytestmark = pytest.mark.process

SETTINGS = {
    "RELEVANCE_SECRET": SECRET,
    "RELEVANCE_PUBLIC_URL": "http://127.0.0.1:8599",
}


def answer(port: int) -> str | None:
    """What a server says of its readiness."""
    return answer_of(f"http://127.0.0.1:{port}/readyz")


def ready(*ports: int) -> Callable[[], bool]:
    return lambda: all(answer(port) == "ready\n" for port in ports)


def silent(*ports: int) -> Callable[[], bool]:
    return lambda: not any(map(answer, ports))


def serving(url: str, port: int) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """Two workers, on a port and the next one."""
    settings = {**SETTINGS, "RELEVANCE_DATABASE_URL": url}
    return running(port, "--hosted", "--workers", "2", ready=ready(port, port + 1), **settings)


def child_at(server: int, port: int) -> int:
    """The process of a worker, by the port in its command line."""
    children = subprocess.run(["pgrep", "-P", str(server), "-f", f"port {port}"], check=True, capture_output=True)
    return int(children.stdout.split()[0])


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_workers_come_back_and_end_with_their_command(database_url: str) -> None:
    engine = connect(database_url)
    AccountStore(engine).add_user(name="Olga", role="owner", email="olga@lab.example")
    engine.dispose()
    port = free_ports(2)
    with serving(database_url, port) as server:
        first = child_at(server.pid, port)
        os.kill(first, signal.SIGKILL)
        until(lambda: ready(port, port + 1)() and child_at(server.pid, port) != first, "the worker's successor")
    assert silent(port, port + 1)()
    with serving(database_url, port) as server:
        server.kill()  # it can tell nobody
        until(silent(port, port + 1), "the end of the workers")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--workers", "2"], "--workers is for --hosted"),
        (["--hosted", "--workers", "2"], "several workers need PostgreSQL"),
    ],
)
def test_where_several_servers_would_not_do(sqlite_url: str, options: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["serve", *options])
    assert result.exit_code == 2
    assert message in result.output
