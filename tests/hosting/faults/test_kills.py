"""A server that is killed loses no judgment that it acknowledged, doubles none, and leaves a sound database."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AssignmentRow, JudgmentRow, PairRow
from relevance.data.database import WAL_IS_SOUND, connect, make_engine
from relevance.hosting.accounts import AccountStore
from relevance.hosting.sign_ins import SignInStore, digest_of
from tests.conftest import ROOT
from tests.data.judging import make_study
from tests.driving import free_port, free_ports
from tests.hosting.faults.sessions import READING, Judging, until_all_judge
from tests.hosting.test_workers import SETTINGS, child_at, serving
from tests.waiting import PATIENCE

pytestmark = pytest.mark.process

SEED = 15
"""Of the points at which processes are killed."""
KILLS = 195
SESSIONS = 10
JOURNAL = bytes.fromhex("d9d505f920a163d7")
"""How a journal of SQLite begins while a transaction is under way."""
HAS_JOURNAL = sqlite3.sqlite_version_info < WAL_IS_SOUND


def sign_in_annotators(url: str) -> list[str]:
    """Sign in ten annotators of the study "S"; returns their tokens."""
    engine = connect(url)
    studies, sign_ins = AnnotationStore(engine), SignInStore(engine)
    people = [studies.invite(study="S", name=f"annotator {number}") for number in range(SESSIONS)]
    tokens = [sign_ins.sign_in(annotator_id=person.id) for person in people]
    engine.dispose()
    return tokens


def check(url: str, acknowledged: set[int], unknown: int) -> int:
    """Check that the database is sound and has each acknowledged judgment once; returns how many it has.

    At most `unknown` judgments are in it that were not acknowledged.
    """
    engine = make_engine(url)
    if engine.dialect.name == "postgresql":  # a server that was killed may have a commit on its way: all of it, or none
        engine = engine.execution_options(isolation_level="REPEATABLE READ")
    with Session(engine) as session:
        judgments = Counter(session.scalars(select(JudgmentRow.assignment_id)).all())
        rows = session.execute(select(AssignmentRow.id, AssignmentRow.annotator_id, AssignmentRow.pair_id)).all()
        counted = dict(session.execute(select(PairRow.id, PairRow.judgments)).all())
        open_ones = session.scalars(select(AssignmentRow.annotator_id).where(AssignmentRow.reserved_until.is_not(None)))
        assert set(Counter(open_ones).values()) <= {1}
        if engine.dialect.name == "sqlite":
            assert session.scalar(text("PRAGMA integrity_check")) == "ok"
            assert session.execute(text("PRAGMA foreign_key_check")).all() == []
    engine.dispose()
    assert acknowledged <= judgments.keys()
    assert set(judgments.values()) <= {1}
    assert len(judgments) - len(acknowledged) <= unknown
    given = {number: (annotator, pair) for number, annotator, pair in rows}
    assert len(set(given.values())) == len(given)
    of_pairs = Counter(given[number][1] for number in judgments)
    assert {pair: count for pair, count in counted.items() if count} == of_pairs
    assert max(of_pairs.values(), default=0) <= 4
    return len(judgments)


class Killed:
    """Processes of `judging`, one after the other."""

    def __init__(self, url: str, digests: list[str]) -> None:
        command = [sys.executable, "-m", "tests.hosting.faults.judging", url, *digests]
        self.forking = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Killed:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.forking.communicate(timeout=PATIENCE)
        finally:
            self.forking.kill()

    def line(self) -> str:
        assert self.forking.stdout is not None
        return self.forking.stdout.readline().decode().strip()

    def judge(self, number: int, wait: Callable[[int], None]) -> set[int]:
        """Kill a process when so many judgments were acknowledged and it was waited; returns all that were."""
        assert self.forking.stdin is not None
        self.forking.stdin.write(b"\n")
        self.forking.stdin.flush()
        process, acknowledged = int(self.line()), set()
        while len(acknowledged) < number:
            acknowledged.add(int(self.line()))
        wait(process)
        os.kill(process, signal.SIGKILL)
        while (line := self.line()).isdigit():
            acknowledged.add(int(line))
        assert line == f"ended by {signal.SIGKILL}"
        return acknowledged


def journal_of(file: Path) -> Path:
    return file.with_name(f"{file.name}-journal")


def is_committing(file: Path) -> bool:
    """Whether a transaction of a database has begun to write, and has not ended."""
    try:
        with journal_of(file).open("rb") as journal:
            return journal.read(len(JOURNAL)) == JOURNAL
    except FileNotFoundError:  # the last process has recovered what the one before left, and written nothing
        return False


def copy_as_left(file: Path, copy: Path) -> None:
    """Copy a database that nobody writes with its journal or its log."""
    for end in ("", "-journal", "-wal", "-shm"):
        source, target = (path.with_name(f"{path.name}{end}") for path in (file, copy))
        target.unlink(missing_ok=True)
        if source.exists() and end != "-shm":
            shutil.copy(source, target)


@pytest.fixture
def on_disk() -> Iterator[Path]:
    """A folder on a disk, where writing takes a while; the tests' own may lie in memory."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder)


def test_processes_killed_over_sqlite(migrated_sqlite: Path, on_disk: Path) -> None:
    """What a process leaves is looked at in a copy of the file, so that the next one has to recover it itself.

    A transaction writes for a thousandth of a second, so every second process is stopped in one before it is killed.
    """
    file, copy = on_disk / "test.db", on_disk / "copy.db"
    shutil.copy(migrated_sqlite, file)
    chance = random.Random(SEED)
    left = 0

    def wait(process: int) -> None:
        time.sleep(chance.uniform(0, 0.05))
        if chance.random() < 0.5 and HAS_JOURNAL:
            stop_while_writing(process, file)

    def look() -> str:
        nonlocal left
        left += is_committing(file)
        copy_as_left(file, copy)
        return f"sqlite:///{copy}"

    kill_processes(f"sqlite:///{file}", chance, wait, look)
    print(f"{left} were killed in the middle of a transaction that the next one undid")
    assert left or not HAS_JOURNAL


def stop_while_writing(process: int, file: Path) -> None:
    """Stop a process in the middle of a transaction."""
    deadline = time.monotonic() + PATIENCE
    while True:
        while not is_committing(file):
            assert time.monotonic() < deadline
        os.kill(process, signal.SIGSTOP)
        time.sleep(0.001)  # until it has stopped
        if is_committing(file):
            return
        os.kill(process, signal.SIGCONT)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_processes_killed_over_postgresql(database_url: str) -> None:
    chance = random.Random(SEED)
    kill_processes(database_url, chance, lambda _: time.sleep(chance.uniform(0, 0.05)), lambda: database_url)


def kill_processes(url: str, chance: random.Random, wait: Callable[[int], None], look_at: Callable[[], str]) -> None:
    """Kill processes that judge, each when it has `wait`ed, and check each time what `look_at` names."""
    make_study(url, documents=60)
    digests = [digest_of(token) for token in sign_in_annotators(url)]
    acknowledged: set[int] = set()
    with Killed(url, digests) as processes:
        for number in range(1, KILLS + 1):
            result = processes.judge(chance.randrange(8), wait)
            assert not result & acknowledged
            acknowledged |= result
            check(look_at(), acknowledged, unknown=SESSIONS * number)
    stored = check(url, acknowledged, unknown=SESSIONS * KILLS)
    print(f"{KILLS} kills at random points of seed {SEED}: {len(acknowledged)} acknowledged, {stored} stored")


# --- the server itself ----------------------------------------------------------------------------------------


def add_owner(url: str) -> None:
    engine = connect(url)
    AccountStore(engine).add_user(name="Olga", role="owner", email="olga@lab.example")
    engine.dispose()


def kill_servers(url: str, sessions: list[Judging], kill: Callable[[], None], kills: int) -> None:
    """Kill a server so many times while all sessions judge, and check each time."""
    chance = random.Random(SEED)
    for session in sessions:
        session.start()
    try:
        for number in range(1, kills + 1):
            until_all_judge(sessions)  # also after the kill before
            time.sleep(chance.uniform(0, READING))
            kill()
            before = acknowledged_by(sessions)
            check(url, before, unknown=SESSIONS * number)
        until_all_judge(sessions)
    finally:
        for session in sessions:
            session.stop()
    acknowledged = acknowledged_by(sessions)
    stored = check(url, acknowledged, unknown=SESSIONS * kills)
    print(f"{kills} servers killed: {len(acknowledged)} choices acknowledged, {stored} stored")


def acknowledged_by(sessions: list[Judging]) -> set[int]:
    """The assignments after whose choice a page went on. No page shows a pair again that was judged."""
    counted = sum((session.acknowledged for session in sessions), Counter())
    assert set(counted.values()) == {1}
    return set(counted)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_server_killed_while_ten_pages_judge(database_url: str) -> None:
    make_study(database_url, documents=60)
    add_owner(database_url)
    tokens = sign_in_annotators(database_url)
    port = free_port()
    url = f"http://127.0.0.1:{port}"

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "relevance", "serve", "--hosted", "--port", str(port)],
            cwd=ROOT,
            env=os.environ | SETTINGS | {"RELEVANCE_DATABASE_URL": database_url, "RELEVANCE_PUBLIC_URL": url},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    server = start()

    def kill() -> None:
        nonlocal server
        server.kill()
        server.wait(PATIENCE)
        server = start()

    try:
        kill_servers(database_url, [Judging(url, token) for token in tokens], kill, 10)
    finally:
        server.terminate()
        server.wait(PATIENCE)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_workers_killed_while_ten_pages_judge(database_url: str) -> None:
    """The pages of the other worker do not notice; the command starts another one in the place of who was killed."""
    make_study(database_url, documents=60)
    add_owner(database_url)
    tokens = sign_in_annotators(database_url)
    port = free_ports(2)
    ports = itertools.cycle([port, port + 1])
    with serving(database_url, port) as server:
        url = SETTINGS["RELEVANCE_PUBLIC_URL"]
        sessions = [Judging(url, token, at) for token, at in zip(tokens, ports, strict=False)]

        def kill() -> None:
            at = next(ports)
            others = {session: session.opened for session in sessions if session.port != at}
            os.kill(child_at(server.pid, at), signal.SIGKILL)
            until_all_judge(list(others))
            assert {other: other.opened for other in others} == others

        kill_servers(database_url, sessions, kill, 5)
