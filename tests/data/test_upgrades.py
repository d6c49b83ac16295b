"""Servers that start at the same moment over an old database: one of them brings it up to date, the others wait."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, text

import relevance.annotation.protocol.tables
import relevance.hosting.tables  # noqa: F401  for the models that the migrations are compared with
from relevance.annotation.people import PeopleStore
from relevance.annotation.results import load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.data.database import Base, connect, make_engine, migrations, schema_versions
from tests.conftest import ROOT, statement
from tests.data.test_database import BEFORE_CHECKS
from tests.running import running_process
from tests.waiting import PATIENCE

pytestmark = pytest.mark.process

# Opens each database that a line names, and says with which version.
OPENING = """
import sys
from sqlalchemy import text
from relevance.data.database import connect, schema_versions

schema_versions()
print("ready", flush=True)
for line in sys.stdin:
    engine = connect(line.strip())
    with engine.connect() as connection:
        print(*connection.scalars(text("SELECT version_num FROM alembic_version")), flush=True)
    engine.dispose()
"""
PROCESSES = 4


@pytest.fixture(scope="module")
def processes() -> Iterator[list[subprocess.Popen[str]]]:
    command = [sys.executable, "-c", OPENING]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with ExitStack() as running:
        started = [running.enter_context(running_process(command, cwd=ROOT, **pipes)) for _ in range(PROCESSES)]
        assert [answer(process) for process in started] == ["ready"] * PROCESSES
        yield started
        for process in started:
            process.communicate(timeout=PATIENCE)


def answer(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def open_at_once(processes: list[subprocess.Popen[str]], url: str) -> list[str]:
    """Let all processes open a database; returns what each says of its version."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(f"{url}\n")
        process.stdin.flush()
    return [answer(process) for process in processes]


def make_old(engine: Engine, version: str) -> None:
    """A database of an earlier version, with a judgment."""
    config = migrations()
    with engine.execution_options(writing=True).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, version)
        for line in BEFORE_CHECKS.split(";"):
            time = {"time": datetime(2026, 1, 1, tzinfo=UTC)} if ":time" in line else {}
            connection.execute(text(line), time)


@pytest.fixture(params=["sqlite", "postgresql"])
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """Makes empty databases by name."""
    if request.param == "sqlite":
        yield lambda name: f"sqlite:///{tmp_path / name}.db"
        return
    server: str = request.getfixturevalue("postgresql")
    made: list[str] = []

    def make(name: str) -> str:
        statement(server, f"CREATE DATABASE {name}")
        made.append(name)
        return server.replace("/postgres?", f"/{name}?")

    yield make
    for name in made:
        statement(server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.parametrize("version", ["0001", "0002"])
def test_four_processes_that_open_an_old_database(
    processes: list[subprocess.Popen[str]], new_url: Callable[[str], str], version: str
) -> None:
    newest = schema_versions()[-1]
    for number in range(5):
        url = new_url(f"old_{version}_{number}")
        engine = make_engine(url)
        make_old(engine, version)
        assert open_at_once(processes, url) == [newest] * PROCESSES
        assert open_at_once(processes, url) == [newest] * PROCESSES
        study = AnnotationStore(engine).study("s")
        assert (study.pairs, study.judgments) == (1, 1)
        with engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
        engine.dispose()


@pytest.mark.smoke
def test_who_was_excluded_before_counts_no_more_until_restored(new_url: Callable[[str], str]) -> None:
    url = new_url("excluded")
    engine = make_engine(url)
    make_old(engine, "0001")
    config = migrations()
    with engine.execution_options(writing=True).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0011")
        connection.execute(
            text("UPDATE annotators SET excluded_at = :time"), {"time": datetime(2026, 1, 1, tzinfo=UTC)}
        )
    engine.dispose()
    engine = connect(url)
    store, people = AnnotationStore(engine), PeopleStore(engine)
    study = store.study("s")
    assert (study.judgments, study.excluded_judgments, study.excluded_annotators) == (0, 1, 1)
    (person,) = people.people("s")
    assert (person.phase, person.exclusion_reason, person.progress.judged) == ("judging", None, 1)
    people.restore("s", person.name)
    assert (store.study("s").judgments, len(load_judgments(store, "s"))) == (1, 1)
    engine.dispose()
