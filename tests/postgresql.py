"""A PostgreSQL server of the tests' own, on a Unix socket."""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from sqlalchemy import create_engine, text

from tests.driving import wait_for
from tests.waiting import PATIENCE


class NoPostgreSQL(Exception):
    """PostgreSQL is not installed."""


class PostgreSQL:
    """A server that can be stopped and started again; `url` is the address of its maintenance database."""

    def __init__(self) -> None:
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or [
            Path(shutil.which("initdb") or "/nowhere")
        ]
        self.binaries = programs[-1].parent
        if not (self.binaries / "postgres").exists():
            raise NoPostgreSQL
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self.url = f"postgresql+psycopg://postgres@/postgres?host={self.folder}"
        self.user: dict[str, str] = {}
        if os.geteuid() == 0:  # the server refuses to run as root
            self.user = {"user": "postgres", "group": "postgres"}
            shutil.chown(self.folder, "postgres", "postgres")
        options = ["--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", self.folder / "data"]
        subprocess.run(
            [self.binaries / "initdb", *options], check=True, stdout=subprocess.DEVNULL, cwd="/", **self.user
        )
        self.start()

    def start(self) -> None:
        """Start the server and wait until it answers."""
        settings = ["-c", "listen_addresses=", "-c", "fsync=off", "-k", str(self.folder)]
        with (self.folder / "log").open("ab") as log:
            self.server = subprocess.Popen(
                [self.binaries / "postgres", "-D", self.folder / "data", *settings],
                stdout=log,
                stderr=log,
                cwd="/",
                **self.user,
            )
        wait_for(lambda: answers(self.url), "PostgreSQL", self.server)

    def stop(self, by: signal.Signals = signal.SIGINT) -> None:
        """Stop the server at once, not waiting for connections; by SIGQUIT as if the power had failed."""
        self.server.send_signal(by)
        self.server.wait(timeout=PATIENCE)

    def remove(self) -> None:
        """Stop the server and delete its files."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def answers(url: str) -> bool:
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            return connection.execute(text("SELECT 1")).scalar() == 1
    except Exception:
        return False
    finally:
        engine.dispose()
